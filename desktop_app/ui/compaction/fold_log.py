"""What was folded before, newest first, with what was taken back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.compaction.compaction import Compaction, CompactionState
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import ElidedLabel, PlainLabel

_MOST = 20


class FoldRow(QWidget):
    """One compaction in two lines."""

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self.what = ElidedLabel()
        self.tag = PlainLabel(tone="tag")
        self.figures = ElidedLabel(tone="muted")
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.what, 1)
        head.addWidget(self.tag)
        hair = QFrame()
        hair.setProperty("role", "hair")
        hair.setFixedHeight(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(head)
        layout.addWidget(self.figures)
        layout.addSpacing(4)
        layout.addWidget(hair)

    def show_one(self, one: Compaction, *, in_use: bool) -> None:
        """A compaction, and whether its memo stands in the context now."""
        say, language = self._language.say, self._language
        undone = one.state is CompactionState.UNDONE
        when = language.when(one.created_at)
        self.what.set_tone("muted" if undone else "")
        self.what.set_whole(f"{when} · {say('compaction.log.what', n=one.folded)}")
        before, after = language.number(one.before), language.number(one.after)
        self.figures.set_whole(
            say(
                f"compaction.log.{one.cause}",
                before=before,
                after=after,
                model=visible_line(one.model, 60),
                seconds=language.seconds(one.seconds),
            )
        )
        tag = say(f"compaction.log.{'undone' if undone else 'in_use'}") if undone or in_use else ""
        self.tag.setText(tag)
        self.tag.setVisible(bool(tag))
        self.setAccessibleName(", ".join(filter(None, (self.what.whole(), self.figures.whole(), tag))))


class FoldLog(QWidget):
    """The last twenty compactions of a conversation."""

    def __init__(self, _theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._shown: tuple[tuple[Compaction, ...], str | None] = ((), None)
        self.rows: list[FoldRow] = []
        self.title = PlainLabel(tone="heading")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)
        self._layout.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._layout.addWidget(self.title)
        language.changed.connect(self._say)
        self._say()

    def show_log(self, log: Sequence[Compaction], in_use: str | None) -> None:
        """All compactions, oldest first, and the id of the one in use."""
        if (tuple(log), in_use) != self._shown:
            self._shown = (tuple(log), in_use)
            self._say()

    def _say(self) -> None:
        log, in_use = self._shown
        newest = list(reversed(log))[:_MOST]
        self.setVisible(bool(newest))
        self.title.setText(self._language.say("compaction.log.title"))
        while len(self.rows) < len(newest):
            self.rows.append(FoldRow(self._language))
            self._layout.addWidget(self.rows[-1])
        while len(self.rows) > len(newest):
            row = self.rows.pop()
            self._layout.removeWidget(row)
            row.hide()
            row.deleteLater()
        for row, one in zip(self.rows, newest, strict=True):
            row.show_one(one, in_use=one.id == in_use)
