"""The price tags of the conversation in front, at hand before anything is done.

Signals:
    changed(): other prices hold: another conversation, an answer, another fact, or something has been forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.bridge.background import Background
from desktop_app.bridge.chat_session import ChatSession
from desktop_app.core.conversation import now
from desktop_app.core.money.price_tag import Act, PriceTag, WarmGround
from desktop_app.core.settings import Settings
from desktop_app.services.price_tags import ConversationTags, PriceTagService

_INSTANT = timedelta(milliseconds=1)


class PriceTags(QObject):
    """Reads off the GUI thread, answers at once; every answer is None before something was read."""

    changed = Signal()

    def __init__(
        self,
        service: PriceTagService,
        background: Background,
        settings: Callable[[], Settings],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._service, self._background, self._settings = service, background, settings
        self._chat: ChatSession | None = None
        self._readings = 0
        self._going = self._where()
        self.tags: ConversationTags | None = None
        self._cooling = QTimer(self)
        self._cooling.setSingleShot(True)
        self._cooling.timeout.connect(self._forget)

    def follow(self, chat: ChatSession | None) -> None:
        """Another conversation is in front."""
        if self._chat is not None:
            self._chat.cache.reportChanged.disconnect(self.read)
        self._chat = chat
        if chat is not None:
            chat.cache.reportChanged.connect(self.read)
        self._show(None)
        self.read()

    def read(self, _changed: object = None) -> None:
        """Reads again what lies in the cache; of several readings the last one holds."""
        self._readings += 1
        number = self._readings
        if self._chat is not None:
            reading = self._service.of(self._chat.conversation_id)
            self._background.run(reading, lambda tags: self._take(number, tags), _ignore)

    def settings_changed(self, _settings: object = None) -> None:
        """Reads again where the next request goes elsewhere, or to another model."""
        going = self._where()
        if going != self._going:
            self._going = going
            self.read()

    def _where(self) -> tuple[str, str, str]:
        settings = self._settings()
        return settings.profile, settings.of().base_url, settings.of().model

    def stop(self) -> None:
        """Waits for nothing any more."""
        self._cooling.stop()

    # -- what is warm ---------------------------------------------------------------------------

    @property
    def ground(self) -> WarmGround | None:
        """What acts are measured against; None where nothing was sent yet."""
        return self.tags.ground(now()) if self.tags is not None and self.tags.begun else None

    @property
    def warm_until(self) -> datetime | None:
        """When the conversation begins to be forgotten; None where nothing of it is warm."""
        return self.tags.next_end(now()) if self.tags is not None else None

    # -- prices ---------------------------------------------------------------------------------

    def noted_fact(self, act: Act, key: str, value: str) -> PriceTag | None:
        """A fact that is added or edited; None while memory is paused: then nothing is told."""
        paused = not self._settings().of().memory
        return None if self.tags is None or paused else self.tags.noted_fact(act, key, value, now())

    def pinned_fact(self) -> PriceTag | None:
        """A fact that is pinned or unpinned."""
        return self.tags.pinned_fact(now()) if self.tags is not None else None

    def deleted_fact(self, fact_id: str) -> PriceTag | None:
        """A fact that is deleted."""
        return self.tags.deleted_fact(fact_id, now()) if self.tags is not None else None

    def rebuild(self) -> PriceTag | None:
        """A new beginning with the facts of today; None where nothing was sent yet."""
        return self.tags.rebuild(now()) if self.tags is not None and self.tags.begun else None

    def setting(self, act: Act, value: str | bool) -> PriceTag | None:
        """Another value of a setting; None where it is what was last sent, or nothing was."""
        return self.tags.setting(act, value, now()) if self.tags is not None else None

    # -- inside ---------------------------------------------------------------------------------

    def _take(self, number: int, tags: ConversationTags) -> None:
        if number == self._readings:
            self._show(tags)

    def _show(self, tags: ConversationTags | None) -> None:
        self.tags = tags
        self._wait()
        self.changed.emit()

    def _forget(self) -> None:
        self._wait()
        self.changed.emit()

    def _wait(self) -> None:
        """Until the next part of what is warm is forgotten."""
        self._cooling.stop()
        moment = now()
        until = self.tags.next_end(moment) if self.tags is not None else None
        if until is not None:
            self._cooling.start(max(0, (until - moment) // _INSTANT) + 1)


def _ignore(_: object) -> None:
    """A price that cannot be read is not shown."""
