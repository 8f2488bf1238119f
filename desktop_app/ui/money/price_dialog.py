"""What every model costs, and prices of one's own: set, changed, taken back."""

from __future__ import annotations

from datetime import date

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.price_session import PriceSession, PriceTableModel
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.errors import AppError
from desktop_app.core.money.price_rows import PriceRow
from desktop_app.ui.language import Language
from desktop_app.ui.money.price_form import PriceForm
from desktop_app.ui.money.price_table import PriceTable
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel
from desktop_app.ui.widgets.tall_area import TallArea

_WIDTH, _HEIGHT = 860, 640
_LEAST_WIDTH, _LEAST_HEIGHT = 700, 460
_LEAST_FORM = 120
"""Pixels of the form that are always seen; the rest of it scrolls where there is no room."""


class PriceDialog(QDialog):
    """Opened over the window; every change is on disk at once. Escape leaves the form first, then the dialog."""

    def __init__(self, session: PriceSession, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._session, self._theme, self._language = session, theme, language
        self._editing: PriceRow | None = None
        self._taken: list[PriceRow] = []
        self.title, self.about = PlainLabel(), PlainLabel(tone="muted", wrap=True)
        self.model = PriceTableModel(language.words, self)
        self.table = PriceTable(self.model, theme)
        self.form = PriceForm(theme, language)
        self.area = TallArea(self.form)
        self.area.setMinimumHeight(_LEAST_FORM)
        self.told, self.undo = PlainLabel(wrap=True), TextButton(kind="link")
        self.add, self.edit, self.reset = TextButton(), TextButton(), TextButton()
        self.cancel, self.save, self.leave = TextButton(), TextButton(kind="primary"), TextButton()
        self._arrange()
        self._connect()
        self.model.show(session.rows)
        self._close_form()
        self._tell("")
        self._say()
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape."""
        if event.key() == Qt.Key.Key_Escape and not self.form.isHidden():
            self._close_form()
            return
        super().keyPressEvent(event)

    # -- building -------------------------------------------------------------------------------

    def _arrange(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 18)
        layout.setSpacing(8)
        layout.addWidget(self.title)
        layout.addWidget(self.about)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.area)
        told = QHBoxLayout()
        told.setSpacing(8)
        told.addWidget(self.told, 1)
        told.addWidget(self.undo)
        layout.addLayout(told)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self.add, self.edit, self.reset):
            buttons.addWidget(button)
        buttons.addStretch()
        for button in (self.cancel, self.save, self.leave):
            buttons.addWidget(button)
        layout.addLayout(buttons)
        self.setMinimumSize(_LEAST_WIDTH, _LEAST_HEIGHT)
        self.resize(_WIDTH, _HEIGHT)
        keep_font(self.title, self._theme, 16, QFont.Weight.DemiBold)

    def _connect(self) -> None:
        self._session.changed.connect(self._show_rows)
        self._session.kept.connect(self._on_kept)
        self._session.taken.connect(self._on_taken)
        self._session.refused.connect(self._on_refused)
        self.table.selectionModel().selectionChanged.connect(self._weigh)
        self.table.opened.connect(self._on_edit)
        self.add.clicked.connect(self._on_add)
        self.edit.clicked.connect(self._on_edit)
        self.reset.clicked.connect(self._on_reset)
        self.undo.clicked.connect(self._on_undo)
        self.cancel.clicked.connect(self._close_form)
        self.save.clicked.connect(self.form.save)
        self.leave.clicked.connect(self.accept)
        self.form.saveAsked.connect(self._on_save)
        self.form.edited.connect(self._say_effect)
        self.form.pointed.connect(self._show_field)
        self._language.changed.connect(self._say)

    # -- acts -----------------------------------------------------------------------------------

    def _on_add(self) -> None:
        self._open_form(None)

    def _on_edit(self) -> None:
        if (row := self.table.chosen) is not None:
            self._open_form(row)

    def _on_reset(self) -> None:
        if (row := self.table.chosen) is not None and row.own:
            self._tell("")
            self._session.reset(row)

    def _on_undo(self) -> None:
        taken, self._taken = self._taken, []
        self._tell("")
        self._session.restore(taken)

    def _on_save(self, row: PriceRow) -> None:
        self.save.setEnabled(False)
        self._session.put(row, self._editing)

    def _on_kept(self, row: PriceRow) -> None:
        self._close_form()
        self._tell(self._language.say("price_list.saved", model=visible_line(row.model, 60)))
        self._settle()  # the table has the room of the form before it scrolls to the row
        self.table.choose(self.model.place_of(row))

    def _on_taken(self, rows: list[PriceRow]) -> None:
        self._taken = rows
        self._tell(self._language.say("price_list.gone", model=visible_line(rows[0].model, 60)), undo=True)

    def _on_refused(self, error: AppError) -> None:
        self.save.setEnabled(True)
        self._tell(self._language.explain(error), tone="danger")

    # -- what is shown --------------------------------------------------------------------------

    def _open_form(self, row: PriceRow | None) -> None:
        self._editing = row
        self._tell("")
        self.area.show()
        self.form.show()
        self.form.show_row(row)
        self._weigh()
        self._say_effect()

    def _close_form(self) -> None:
        self._editing = None
        self.form.hide()
        self.area.hide()
        self._weigh()
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_field(self, widget: QWidget) -> None:
        self._settle()
        self.area.ensureWidgetVisible(widget)

    def _settle(self) -> None:
        """Arranges at once what was shown or hidden just now."""
        if (layout := self.layout()) is not None:
            layout.activate()

    def _show_rows(self) -> None:
        before = self.table.chosen
        self.model.show(self._session.rows)
        self.table.choose(self.model.place_of(before) if before else None)
        self._weigh()

    def _weigh(self) -> None:
        """Which acts make sense now."""
        row, typing = self.table.chosen, not self.form.isHidden()
        for button in (self.add, self.edit, self.reset, self.leave):
            button.setVisible(not typing)
        for button in (self.cancel, self.save):
            button.setVisible(typing)
        self.save.setEnabled(True)
        self.table.setEnabled(not typing)
        self.edit.setEnabled(row is not None)
        self.reset.setEnabled(row is not None and row.own)
        known = row is None or not row.own or self._session.built_in(row.model, row.host)
        self.reset.set_words(self._language.say("price_list.reset" if known else "price_list.remove"))

    def _tell(self, words: str, *, tone: str = "muted", undo: bool = False) -> None:
        self.told.set_tone(tone)
        self.told.setText(words)
        self.told.setVisible(bool(words))
        self.undo.setVisible(undo)

    def _say_effect(self) -> None:
        """What saving would do to the built-in prices of the model."""
        row = self.form.draft()
        built_in = self._session.built_in(row.model, row.host) if row else 0
        words = ""
        if row is not None and built_in and not self._session.own(row.model, row.host):
            if not row.partial and self._editing is None:
                words = self._language.say("price_list.whole", n=built_in)
            elif row.partial or built_in > 1:
                words = self._language.say("price_list.partial")
        self.form.show_effect(words)

    def _say(self) -> None:
        say = self._language.say
        self.setWindowTitle(say("price_list.window"))
        self.title.setText(say("price_list.title"))
        self.about.setText(say("price_list.about", date=self._language.day(self._session.dated, date.min)))
        self.model.set_words(self._language.words)
        self.table.setAccessibleName(say("price_list.table"))
        for name in ("add", "edit", "cancel", "save"):
            getattr(self, name).set_words(say(f"price_list.{name}"))
        self.undo.set_words(say("price_list.undo"))
        self.leave.set_words(say("price_list.close"))
        self._tell("")
        self._weigh()
        self._say_effect()
