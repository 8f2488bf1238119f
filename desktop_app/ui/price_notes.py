"""Puts the prices of acts where they are done: beside the models, below the profiles, under changed settings."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from desktop_app.bridge.figures import clock
from desktop_app.core.money.price_tag import Act
from desktop_app.core.money.price_words import models_foot, sentence, short
from desktop_app.ui.language import Language
from desktop_app.ui.widgets.choice_button import ChoiceButton

if TYPE_CHECKING:
    from desktop_app.bridge.app_session import AppSession
    from desktop_app.ui.settings_rows import SettingRow


def tag_models(button: ChoiceButton, session: AppSession, language: Language) -> None:
    """Each model with what choosing it makes the next message write anew."""

    def foot() -> str:
        tags = session.price_tags
        return models_foot(language.words, tags.ground) if tags is not None and tags.ground is not None else ""

    tag_choices(button, session, language, Act.MODEL)
    button.foot = foot


def tag_choices(button: ChoiceButton, session: AppSession, language: Language, act: Act) -> None:
    """Each value of a setting with what choosing it makes the next message write anew."""

    def note(value: Hashable) -> str:
        tag = session.price_tags.setting(act, str(value)) if session.price_tags is not None else None
        return short(language.words, tag) if tag is not None else ""

    button.note = note


def price_of(session: AppSession, language: Language, act: Act, value: str | bool) -> str:
    """The price of another value of a setting in words; empty where it is the one that was last sent."""
    tag = session.price_tags.setting(act, value) if session.price_tags is not None else None
    return sentence(language.words, tag) if tag is not None else ""


def tag_profiles(button: ChoiceButton, session: AppSession, language: Language) -> None:
    """Another profile costs this conversation nothing: until when it stays warm."""

    def foot() -> str:
        until = session.price_tags.warm_until if session.price_tags is not None else None
        return language.say("price.profiles_warm", time=clock(until)) if until is not None else ""

    button.foot = foot


def say_setting(row: SettingRow, session: AppSession, language: Language, act: Act, value: str | bool) -> None:
    """Under a setting what it costs, where its value is not the one that was last sent."""
    tag = session.price_tags.setting(act, value) if session.price_tags is not None else None
    row.say_price(sentence(language.words, tag) if tag is not None else "", loses=bool(tag and tag.now_tokens))
