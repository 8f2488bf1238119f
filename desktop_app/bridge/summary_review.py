"""One summary under the person's eyes: what of the folded turns it holds, its text being edited, values put back.

Signals:
    changed(): another summary, other findings, or another state of the editing.
    revised(): the stored text is another.
    failed(AppError): what was wanted could not be done; the stored text is as it was.
"""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.bridge.background import Background
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.compaction.summary_check import SummaryCheck
from desktop_app.core.errors import AppError
from desktop_app.services.all_services import Services

TYPING_MS = 400
"""Milliseconds after the last letter until the values are looked for again."""


class SummaryReview(QObject):
    """Checks off the GUI thread; of several checks the last one holds.

    `check` is of the text that is shown: the draft while it is edited. None before it was made; `checking` while it
    is; `unknown` where it could not be made of this text. `acting` while a change is being stored.
    """

    changed = Signal()
    revised = Signal()
    failed = Signal(object)

    def __init__(self, services: Services, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._background = services, background
        self.compaction: Compaction | None = None
        self.check: SummaryCheck | None = None
        self.checking = self.unknown = self.editing = self.acting = False
        self.draft = ""
        self._checks = 0
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(TYPING_MS)
        self._typing.timeout.connect(self._check_draft)

    # -- what it shows --------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The text as it stands, or as it is being edited."""
        if self.editing:
            return self.draft
        return self.compaction.summary if self.compaction is not None else ""

    @property
    def unsaved(self) -> bool:
        """Whether the person changed the text and did not keep it yet."""
        return self.editing and self.compaction is not None and self.draft != self.compaction.summary

    def show(self, compaction: Compaction | None) -> None:
        """Another compaction, or another text of the same; a draft of the same is kept."""
        if compaction == self.compaction:
            return
        other = compaction is None or self.compaction is None or compaction.id != self.compaction.id
        stale = other or compaction is None or self.compaction is None or compaction.summary != self.compaction.summary
        self.compaction = compaction
        if other:
            self.editing, self.draft, self.acting = False, "", False
        if stale and not self.editing:
            self._forget_check()
        self.changed.emit()

    def look(self) -> None:
        """Has the values checked where they are not known; of a text of which they could not be, only once."""
        if not self.unknown:
            self.look_again()

    def look_again(self) -> None:
        """Has the values checked where they are not known, also after that failed."""
        if self.compaction is not None and self.check is None and not self.checking:
            self._look_for(self.text)

    # -- what the person does -------------------------------------------------------------------

    def begin_edit(self) -> None:
        """Makes a draft of the text; what the API signed stays as it is."""
        if self.compaction is not None and self.compaction.editable and not self.editing:
            self.editing, self.draft = True, self.compaction.summary
            self.changed.emit()

    def type(self, text: str) -> None:
        """The draft is another; its values are checked once the typing stops."""
        if self.editing and text != self.draft:
            self.draft = text
            self._typing.start()

    def cancel_edit(self) -> None:
        """Drops the draft."""
        if self.editing:
            self.editing, self.draft = False, ""
            self._forget_check()
            self.look()
            self.changed.emit()

    def save(self) -> None:
        """Keeps the draft; `revised` follows."""
        if (one := self.compaction) is None or not self.editing or self.acting:
            return
        if self.draft == one.summary:
            self.cancel_edit()
            return
        self._store(self._services.chat.revise_fold(one.id, self.draft), ends_edit=True)

    def put_back(self, values: Sequence[str]) -> None:
        """Appends values word for word; of a draft they become part. `revised` follows."""
        if self.compaction is not None and values and not self.acting:
            self._store(self._put_back(self.compaction, tuple(values)), ends_edit=False)

    def stop(self) -> None:
        """Ends its timer."""
        self._typing.stop()

    # -- inside ---------------------------------------------------------------------------------

    async def _put_back(self, compaction: Compaction, values: tuple[str, ...]) -> Compaction:
        chat = self._services.chat
        if self.editing and self.draft != compaction.summary:
            await chat.revise_fold(compaction.id, self.draft)
        return await chat.put_back(compaction.id, values)

    def _store(self, change: Coroutine[Any, Any, Compaction], *, ends_edit: bool) -> None:
        wanted = self.compaction.id if self.compaction is not None else None

        def done(compaction: Compaction) -> None:
            if self.compaction is not None and self.compaction.id == wanted:
                self._take(compaction, ends_edit=ends_edit)
            self.revised.emit()

        def refuse(error: AppError) -> None:
            self.acting = False
            self.changed.emit()
            self.failed.emit(error)

        self.acting = True
        self._typing.stop()
        self.changed.emit()
        self._background.run(change, done, refuse)

    def _take(self, compaction: Compaction, *, ends_edit: bool) -> None:
        self.compaction, self.acting = compaction, False
        self.editing = self.editing and not ends_edit
        self.draft = compaction.summary if self.editing else ""
        self._look_for(compaction.summary)
        self.changed.emit()

    def _check_draft(self) -> None:
        if self.editing:
            self._look_for(self.draft)

    def _look_for(self, text: str) -> None:
        if self.compaction is None:
            return
        self._checks += 1
        number, self.checking, self.unknown = self._checks, True, False
        one = self.compaction
        check = self._services.review.check(one.id, None if text == one.summary else text)
        self._background.run(check, lambda found: self._show_check(number, found), lambda _: self._give_up(number))
        self.changed.emit()

    def _show_check(self, number: int, check: SummaryCheck) -> None:
        if number == self._checks:
            self.check, self.checking = check, False
            self.changed.emit()

    def _give_up(self, number: int) -> None:
        """The values are not known: the text can be read, kept and edited all the same."""
        if number == self._checks:
            self.check, self.checking, self.unknown = None, False, True
            self.changed.emit()

    def _forget_check(self) -> None:
        self._typing.stop()
        self._checks += 1
        self.check, self.checking, self.unknown = None, False, False
