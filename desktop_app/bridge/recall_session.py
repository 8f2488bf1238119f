"""What was recalled for the answers of one conversation, and what would be for a text that is tried.

Signals:
    changed(): another answer is looked at, or something of it is known anew.
    triedChanged(): another text is tried, or what would be recalled for it is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.bridge.background import Background
from desktop_app.core.conversation import Message
from desktop_app.core.errors import AppError
from desktop_app.core.fact_notes import FactNote, NoteKind
from desktop_app.services.memory import MemoryService
from desktop_app.services.recalling import ShownFind, ShownRecollection

_TYPING_MS = 220


class RecallSession(QObject):
    """Follows the newest question of the path until the person chooses another; reads only while it is watched.

    `found` is what was recalled for `question`: None while it is read, where nothing was looked for (`searched` is
    False then) or where `error` says why it cannot be told. `tried` answers `query`, None while it is looked for.
    """

    changed = Signal()
    triedChanged = Signal()

    def __init__(
        self,
        memory: MemoryService,
        background: Background,
        path: Callable[[], Sequence[Message]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._memory, self._background, self._path = memory, background, path
        self.found: ShownRecollection | None = None
        self.searched = True
        self.error: AppError | None = None
        self.query = ""
        self.tried: tuple[ShownFind, ...] | None = None
        self.trial_error: AppError | None = None
        self._questions: tuple[Message, ...] = ()
        self._chosen: str | None = None
        self._shown: str | None = None
        self._watched, self._stale = False, True
        self._readings = self._trials = 0
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_MS)
        self._typing.timeout.connect(self._try)

    # -- what it shows --------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """How many questions the path has."""
        return len(self._questions)

    @property
    def place(self) -> int:
        """Which of them is looked at, from 1; 0 where there is none."""
        ids = [question.id for question in self._questions]
        return ids.index(self._chosen) + 1 if self._chosen in ids else len(ids)

    @property
    def question(self) -> Message | None:
        """The message that is looked at."""
        return self._questions[self.place - 1] if self._questions else None

    @property
    def news(self) -> tuple[FactNote, ...]:
        """Facts told beside it because they were added or changed since the conversation began."""
        notes = self.question.notes if self.question is not None else None
        return tuple(one for one in notes.notes if one.kind is not NoteKind.RECALLED) if notes is not None else ()

    @property
    def index_trouble(self) -> str:
        """Where the index is that could not be used; empty where that is not so."""
        return self._memory.index_trouble

    @property
    def meaning_trouble(self) -> AppError | None:
        """Why the last question was asked by words alone; None where that is not so, or wished for."""
        return self._memory.meaning_trouble

    # -- what the person does -------------------------------------------------------------------

    def watch(self, watched: bool) -> None:
        """Whether somebody looks; what changed meanwhile is read then."""
        self._watched = watched
        if watched and self._stale:
            self.look()

    def show(self, message_id: str) -> None:
        """Looks at a question, and stays with it."""
        self._chosen = message_id
        self.look()

    def step(self, by: int) -> None:
        """Looks at an earlier question (-1) or a later one (+1); the newest is followed again."""
        place = min(max(self.place + by, 1), self.count)
        self._chosen = self._questions[place - 1].id if 0 < place < self.count else None
        self.look()

    def newest(self) -> None:
        """Follows the newest question again."""
        self._chosen = None
        self.look()

    def try_text(self, text: str) -> None:
        """Looks soon for what would be recalled for a text; of several texts the last one holds."""
        self.query = text.strip()
        self._trials += 1
        self.tried = self.trial_error = None
        if self.query:
            self._typing.start()
        else:
            self._typing.stop()
        self.triedChanged.emit()

    # -- what happens elsewhere -----------------------------------------------------------------

    def look(self) -> None:
        """The path, or what memory says, may be another."""
        self._stale = not self._watched
        if self._stale:
            return
        self._questions = tuple(message for message in self._path() if message.opens_turn)
        self._readings += 1
        number, question = self._readings, self.question
        if question is None or question.id != self._shown:
            self.found, self.searched, self.error = None, True, None
        self._shown = question.id if question is not None else None
        if question is not None:
            self._background.run(
                self._memory.recalled(question.id),
                lambda found: self._show(number, found),
                lambda error: self._show(number, None, error),
            )
        self.changed.emit()

    def stop(self) -> None:
        """Ends its timer."""
        self._typing.stop()

    # -- inside ---------------------------------------------------------------------------------

    def _show(self, number: int, found: ShownRecollection | None, error: AppError | None = None) -> None:
        if number == self._readings:
            self.found, self.error, self.searched = found, error, found is not None or error is not None
            self.changed.emit()

    def _try(self) -> None:
        number = self._trials
        self._background.run(
            self._memory.recall(self.query),
            lambda finds: self._show_tried(number, tuple(finds)),
            lambda error: self._show_tried(number, None, error),
        )

    def _show_tried(self, number: int, finds: tuple[ShownFind, ...] | None, error: AppError | None = None) -> None:
        if number == self._trials:
            self.tried, self.trial_error = finds, error
            self.triedChanged.emit()
