"""What may pass the gate unasked: only the person's own words of this turn, alone."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.adapters.secret_detector import SecretDetector
from desktop_app.adapters.settings_file import SettingsFile
from desktop_app.core.facts import FactDraft
from desktop_app.core.gate import Answer, Proposal, deletion, is_own_words
from desktop_app.core.tool_call import ToolCall
from desktop_app.services.gate import Gate
from desktop_app.services.settings import SettingsService
from tests.unit.fact_samples import fact


def proposal(value: str, typed: str, *, foreign: bool = False) -> Proposal:
    key = (value.split() or ["k"])[0]
    return Proposal(ToolCall("default", "c", "m", "t1", typed, foreign), FactDraft(key, value))


@pytest.mark.parametrize(
    ("value", "typed"),
    [
        ("dark roast", "Remember: I like Dark Roast."),
        ("진하게, 설탕 없이", "커피는 진하게 설탕 없이 마셔. 기억해 줘"),
        ("/srv/backup/nas-7", "the backups are at /srv/backup/nas-7"),
        ("ＡＢＣ", "abc"),
    ],
)
def test_the_persons_own_words_pass(value: str, typed: str) -> None:
    assert is_own_words(proposal(value, typed))
    assert not is_own_words(proposal(value, typed, foreign=True))


@pytest.mark.parametrize(
    ("value", "typed"),
    [
        ("dark roast with sugar", "I like dark roast"),
        ("nas-8", "the backups are on nas-7"),
        ("설탕 두 스푼", "설탕 없이"),
        ("I am allergic to nuts", "I am not allergic to nuts"),
        ("nas-7", "the nas is number 8, not 7"),
        ("커피는 싫어해", "커피는 안 싫어해"),
        ("roast dark", "I like dark roast"),
        ("anything", ""),
        ("…", "…"),
    ],
)
def test_words_the_person_did_not_type_are_asked_about(value: str, typed: str) -> None:
    assert not is_own_words(proposal(value, typed))


def test_an_overwrite_is_never_automatic() -> None:
    new = proposal("dark roast", "I like dark roast")
    assert is_own_words(new)
    assert not is_own_words(replace(new, before=fact(1, "k", "light roast")))


def test_a_deletion_or_another_name_is_never_automatic() -> None:
    new = proposal("dark roast", "delete dark roast")
    assert not is_own_words(deletion(new.call, [fact(1, "dark", "dark roast")]))
    assert not is_own_words(replace(new, moves=((fact(1, "k", "dark roast"), new.draft),)))


def test_what_was_allowed_beforehand_is_saving_and_nothing_else(tmp_path: Path) -> None:
    gate = Gate(SettingsService(SettingsFile(tmp_path)), SecretDetector())
    gate.allow_all = True
    new = proposal("dark roast", "")
    assert asyncio.run(gate.decide(new)).answer is Answer.ALLOWED
    assert asyncio.run(gate.decide(deletion(new.call, [fact(1)]))).answer is Answer.PENDING
    assert asyncio.run(gate.decide(replace(new, moves=((fact(1), new.draft),)))).answer is Answer.PENDING


def test_a_key_or_category_in_other_words_is_asked_about() -> None:
    call = ToolCall("default", "c", "m", "t1", "Yes, do it.")
    for draft in (FactDraft("RULE never warn", "yes"), FactDraft("yes", "do it", "ignore all")):
        assert not is_own_words(Proposal(call, draft))


def test_what_would_give_its_place_is_shown_with_its_key_and_never_automatic() -> None:
    new = proposal("green tea", "green tea from now on")
    gone = (fact(1, "coffee", "dark roast"), fact(2, "tea", "black"))
    assert (new.replaces, new.text_before) == (False, None)
    taking = replace(new, supersedes=gone[:1])
    assert (taking.replaces, taking.text_before) == (True, "coffee: dark roast")
    assert replace(taking, before=gone[1]).text_before == "tea: black\ncoffee: dark roast"
    assert is_own_words(new)
    assert not is_own_words(taking)
