"""What the folded turns held: every exact value with what became of it, and what can be done with one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from desktop_app.bridge.value_models import ORDER, ValueListModel
from desktop_app.core.compaction.summary_check import SummaryCheck
from desktop_app.core.compaction.value_check import CheckedValue, Fate
from desktop_app.ui.compaction.fate_tag import FateTag
from desktop_app.ui.compaction.value_chips import ValueChips
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.flow_line import FlowLine
from desktop_app.ui.widgets.plain_label import PlainLabel

_ABSENT = (Fate.LOST, Fate.REWORDED)
"""What can be put back word for word."""


class ValuesSection(QWidget):
    """`putBackAsked(list of texts)`, `factAsked(CheckedValue)`, `messageChosen(id)`, `findAsked(text)`."""

    putBackAsked = Signal(object)
    factAsked = Signal(object)
    messageChosen = Signal(str)
    findAsked = Signal(str)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._check: SummaryCheck | None = None
        self._checking = self._editable = False
        self.title = PlainLabel(tone="heading")
        self.total = PlainLabel(tone="muted")
        self.note = PlainLabel(tone="muted", wrap=True)
        self.model = ValueListModel(language.words, self)
        self.chips = ValueChips(theme, self.model)
        self.more = TextButton(kind="link")
        self.all_back = TextButton(kind="link")
        self.tags = {fate: FateTag(fate, theme, language) for fate in ORDER}
        self.hint = PlainLabel(tone="muted", wrap=True)
        self._arrange()
        self.chips.chosen.connect(self._open_menu)
        self.more.clicked.connect(self._on_more)
        self.all_back.clicked.connect(self._on_all_back)
        language.changed.connect(self._on_language)
        self._say()

    def show_check(self, check: SummaryCheck | None, *, checking: bool, editable: bool) -> None:
        """The findings, or that they are being made; values can be put back into what is `editable`."""
        self._check, self._checking, self._editable = check, checking, editable
        self.model.show(check.values if check is not None else ())
        self._say()

    def forget(self) -> None:
        """Other folded turns: the first values again."""
        self.model.show_fewer()
        self._say()

    def menu_of(self, values: list[CheckedValue]) -> QMenu:
        """What can be done with some values."""
        say, menu = self._language.say, QMenu(self)
        absent = [value.text for value in values if value.fate in _ABSENT]
        one = values[0] if len(values) == 1 else None
        if one is not None:
            fate, kind = say(f"compaction.fate.{one.fate}"), say(f"compaction.kind.{one.kind}")
            menu.addAction(f"{fate} · {kind}").setEnabled(False)
            menu.addSeparator()
        if absent:
            words = say("compaction.values.put_back") if one else say("compaction.values.put_back_n", n=len(absent))
            put = menu.addAction(words, partial(self.putBackAsked.emit, absent))
            put.setEnabled(self._editable)
        if one is not None:
            menu.addAction(say("compaction.values.fact"), partial(self.factAsked.emit, one))
            if one.message_id:
                menu.addAction(say("compaction.values.show"), partial(self.messageChosen.emit, one.message_id))
            if one.fate is not Fate.LOST:
                text = one.found or one.text
                menu.addAction(say("compaction.values.find"), partial(self.findAsked.emit, text))
        text = "\n".join(value.text for value in values)
        menu.addAction(say("compaction.values.copy"), partial(QGuiApplication.clipboard().setText, text))
        return menu

    def _open_menu(self, values: list[CheckedValue], where: QPoint) -> None:
        menu = self.menu_of(values)
        menu.exec(where)
        menu.deleteLater()

    def _on_more(self) -> None:
        if self.model.hidden:
            self.model.show_more()
        else:
            self.model.show_fewer()
        self._say()

    def _on_all_back(self) -> None:
        if self._check is not None:
            self.putBackAsked.emit([value.text for value in self._check.lost])

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title, 1)
        head.addWidget(self.total)
        self._counts = QWidget()
        line = FlowLine(self._counts, gap=6, line_gap=4)
        for tag in self.tags.values():
            line.addWidget(tag)
        line.addWidget(self.more)
        line.addWidget(self.all_back)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(5)
        layout.addLayout(head)
        for widget in (self.note, self.chips, self._counts, self.hint):
            layout.addWidget(widget)

    def _on_language(self) -> None:
        self.model.set_words(self._language.words)
        self._say()

    def _say(self) -> None:
        say, check = self._language.say, self._check
        values = check.values if check is not None else ()
        counts = {fate: sum(1 for value in values if value.fate is fate) for fate in ORDER}
        held = len(values) - counts[Fate.INVENTED]
        self.title.setText(say("compaction.values.title"))
        self.total.setText(say("compaction.values.total", n=held) if values else "")
        word = "checking" if check is None and self._checking else "unknown" if check is None else "none"
        self.note.setVisible(not values)
        self.note.setText(say(f"compaction.values.{word}"))
        self.chips.setVisible(bool(values))
        self.chips.setAccessibleName(say("compaction.values.title"))
        self.chips.setAccessibleDescription(say("compaction.values.keys"))
        for fate, tag in self.tags.items():
            tag.show_count(counts[fate])
        self._counts.setVisible(bool(values))
        hidden = self.model.hidden
        self.more.setVisible(hidden > 0 or self.model.grown)
        self.more.set_words(say("compaction.values.more", n=hidden) if hidden else say("compaction.values.fewer"))
        lost = counts[Fate.LOST]
        self.all_back.setVisible(lost > 0 and self._editable)
        self.all_back.set_words(say("compaction.values.all_back", n=lost))
        self.hint.setVisible(bool(values))
        self.hint.setText(say("compaction.values.hint"))
