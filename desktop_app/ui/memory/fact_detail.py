"""The chosen fact: its fields, where it comes from, what was done to it, and what saving or deleting costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.bridge.fact_words import history_line
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.errors import AppError
from desktop_app.core.facts import Fact
from desktop_app.core.pricing import dollars
from desktop_app.ui.language import Language
from desktop_app.ui.memory.fact_form import FactForm, FactTexts, texts_of
from desktop_app.ui.memory.fact_table import pin_diamond
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip

if TYPE_CHECKING:
    from desktop_app.bridge.memory_session import FactDetail, MemorySession

_SIDE_BY_SIDE = 480
"""From this width on source and history stand beside each other."""
_MOST_HISTORY = 12
_MOST_QUOTE = 300
NEW = ""
"""In place of an id while a fact is being added."""


class FactDetailView(QFrame):
    """A card that edits one fact or a new one. What was typed and not saved is there again when one comes back.

    Signals:
        closed(): the new fact was given up.
        added(str): a new fact was kept, by its id.
    """

    closed = Signal()
    added = Signal(str)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._session: MemorySession | None = None
        self._shown: str | None = None
        self._base = FactTexts()
        self._drafts: dict[str, FactTexts] = {}
        self._saving: str | None = None
        self._saved = FactTexts()
        self.setProperty("role", "card")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.title = PlainLabel(tone="heading")
        self.meta = PlainLabel(tone="muted")
        self.form = FactForm(theme, language)
        self.note = PlainLabel(wrap=True)
        self.source_head, self.history_head = PlainLabel(tone="muted"), PlainLabel(tone="muted")
        self.quote = PlainLabel(wrap=True)
        self.source_link = TextButton(kind="link")
        self.source_gone = PlainLabel(tone="muted", wrap=True)
        self.history = PlainLabel(wrap=True)
        self.undo = TextButton(kind="link")
        self.price = PlainLabel(tone="muted", wrap=True)
        self.save = TextButton(kind="primary")
        self.pin = TextButton()
        self.revert = TextButton()
        self.delete = TextButton(kind="danger")
        self._arrange()
        self._connect()
        self.say()

    # -- what it shows --------------------------------------------------------------------------

    @property
    def adding(self) -> bool:
        """Whether a new fact is being typed."""
        return self._shown == NEW

    @property
    def dirty(self) -> bool:
        """Whether something was typed that is not saved."""
        return self.form.texts != self._base

    def set_session(self, session: MemorySession | None) -> None:
        """Shows facts of another session."""
        if self._session is not None:
            self._session.kept.disconnect(self._on_kept)
            self._session.refused.disconnect(self._on_refused)
            self._session.failed.disconnect(self._on_failed)
            self._session.priceChanged.disconnect(self._say_price)
        self._session, self._shown, self._saving = session, None, None
        self._drafts.clear()
        if session is not None:
            session.kept.connect(self._on_kept)
            session.refused.connect(self._on_refused)
            session.failed.connect(self._on_failed)
            session.priceChanged.connect(self._say_price)

    def forget(self) -> None:
        """Another profile is in use: what was typed belongs to the one before."""
        self._drafts.clear()
        self._shown = self._saving = None
        self._base = FactTexts()
        self.form.show_texts(self._base)

    def begin_new(self, key: str = "") -> None:
        """Empty fields for a new fact, or what was typed there before."""
        self._keep_draft()
        self._shown, self._base = NEW, FactTexts()
        self.form.show_texts(self._drafts.pop(NEW, FactTexts(key)))
        self._clear_note()
        self.say()
        self.form.focus(self.form.key if not self.form.key.text() else self.form.value)

    def show_chosen(self) -> None:
        """The chosen fact of the session; what is being typed stays."""
        detail = self._detail
        if detail is None:
            return
        fact, base = detail.fact, texts_of(detail.fact)
        if self._shown != fact.id:
            self._keep_draft()
            self._shown, self._base = fact.id, base
            self.form.show_texts(self._drafts.pop(fact.id, base))
            self._clear_note()
        elif self._base != base:
            changed_under = self.dirty and self.form.texts != base
            self._base = base
            if changed_under:
                self._tell(
                    self._language.say("memory.changed_meanwhile", value=visible_line(base.value, 120)), "warning"
                )
            else:
                self.form.show_texts(base)
        self.say()

    # -- building -------------------------------------------------------------------------------

    def _arrange(self) -> None:
        page = QWidget()
        inner = QVBoxLayout(page)
        inner.setContentsMargins(14, 10, 14, 4)
        inner.setSpacing(8)
        inner.addWidget(self.title)
        inner.addWidget(self.form)
        inner.addWidget(self.note)
        inner.addWidget(self.meta)
        inner.addWidget(self._background_box())
        inner.addStretch()
        self.area = _TallArea(page)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(14, 2, 14, 10)
        buttons.setSpacing(8)
        for button in (self.save, self.revert, self.pin):
            buttons.addWidget(button)
        buttons.addStretch()
        buttons.addWidget(self.delete)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        layout.addWidget(self.area, 1)
        layout.addWidget(self.price)
        layout.addLayout(buttons)
        self.price.setContentsMargins(14, 6, 14, 6)
        self.pin.setIconSize(QSize(12, 12))

    def _background_box(self) -> QWidget:
        """Source and history, beside each other where there is room."""
        self._background_part = QWidget()
        self._sides = QBoxLayout(QBoxLayout.Direction.TopToBottom, self._background_part)
        self._sides.setContentsMargins(0, 0, 0, 0)
        self._sides.setSpacing(8)
        for parts in (
            (self.source_head, self.quote, self.source_link, self.source_gone),
            (self.history_head, self.history, self.undo),
        ):
            column = QVBoxLayout()
            column.setSpacing(2)
            for widget in parts:
                link = isinstance(widget, TextButton)
                column.addWidget(widget, 0, Qt.AlignmentFlag.AlignLeft if link else Qt.AlignmentFlag(0))
            column.addStretch()
            self._sides.addLayout(column, 1)
        for head in (self.source_head, self.history_head):
            keep_font(head, self._theme, 11.5)
        return self._background_part

    def _connect(self) -> None:
        self.form.edited.connect(self._weigh)
        self.form.saveAsked.connect(self._on_save)
        self.form.left.connect(self.leave)
        self.save.clicked.connect(self._on_save)
        self.revert.clicked.connect(self.leave)
        self.pin.clicked.connect(self._on_pin)
        self.delete.clicked.connect(self._on_delete)
        self.source_link.clicked.connect(self._on_source)
        self.undo.clicked.connect(self._on_undo)
        self._theme.changed.connect(self._draw_pin)
        self._language.changed.connect(self.say)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Turns source and history beside or below each other."""
        super().resizeEvent(event)
        wide = self.width() >= _SIDE_BY_SIDE
        way = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        self._sides.setDirection(way)
        self._sides.setSpacing(24 if wide else 8)

    # -- what the person does -------------------------------------------------------------------

    def leave(self) -> None:
        """Takes back what was typed; gives up a new fact."""
        self.form.show_texts(self._base)
        self._clear_note()
        self._weigh()
        if self.adding:
            self._shown = None
            self.closed.emit()

    def _on_save(self) -> None:
        texts = self.form.settle()
        if self._session is None or self._saving is not None or not self.dirty:
            return
        self._clear_note()
        self._saving, self._saved = self._shown, texts
        if self.adding:
            self._session.add(texts.key, texts.value, texts.category)
        elif self._shown is not None:
            self._session.edit(self._shown, key=texts.key, value=texts.value, category=texts.category)
        self._weigh()

    def _on_kept(self, fact_id: str) -> None:
        saved, self._saving = self._saving, None
        if saved is None:
            return
        self._drafts.pop(saved, None)
        if self._shown == saved:
            self._base = self._saved
            self._weigh()
        if saved == NEW:
            if self._shown == NEW:
                self._shown = None
            self.added.emit(fact_id)

    def _on_refused(self, error: AppError) -> None:
        if self._saving is not None:
            self._saving = None
            self._tell(self._language.explain(error), "danger")
            self._weigh()

    def _on_failed(self, _error: AppError) -> None:
        self._saving = None
        self._weigh()

    def _on_pin(self) -> None:
        if self._session is not None and self._detail is not None:
            self._session.pin(self._detail.fact.id, not self._detail.fact.pinned)

    def _on_delete(self) -> None:
        if self._session is not None and self._detail is not None:
            self._drafts.pop(self._detail.fact.id, None)
            self._session.delete(self._detail.fact.id)

    def _on_source(self) -> None:
        if self._session is not None and self._detail is not None:
            self._session.show_source(self._detail.fact)

    def _on_undo(self) -> None:
        change = self._detail.last_change if self._detail else None
        if self._session is not None and change is not None:
            self._session.undo(change.number)

    # -- words ----------------------------------------------------------------------------------

    @property
    def _detail(self) -> FactDetail | None:
        return self._session.detail if self._session else None

    def _keep_draft(self) -> None:
        if self._shown is not None and self.dirty:
            self._drafts[self._shown] = self.form.texts

    def _weigh(self) -> None:
        """Which buttons can be pressed, and what stands in the way of a new key."""
        free = self._saving is None
        self.save.setEnabled(free and self.dirty and self.form.complete)
        self.revert.setVisible(self.adding or self.dirty)
        if self.adding and self._session is not None:
            same = self._session.with_key(self.form.key.text())
            self.save.set_words(self._language.say("memory.replace" if same else "memory.save_new"))
            if same is not None:
                self._tell(self._language.say("memory.key_exists", value=visible_line(same.value, 120)), "warning")
            elif self.note.property("tone") != "danger":
                self._clear_note()

    def _tell(self, text: str, tone: str) -> None:
        self.note.set_tone(tone)
        self.note.setText(text)
        self.note.show()

    def _clear_note(self) -> None:
        self.note.set_tone("muted")
        self.note.setText("")
        self.note.hide()

    def say(self) -> None:
        """Everything that is said about the fact, in the language in use."""
        say, detail = self._language.say, self._detail
        fact = detail.fact if detail is not None and not self.adding else None
        self.setAccessibleName(say("memory.detail_name"))
        for widget in (self.meta, self._background_part, self.price, self.pin, self.delete):
            widget.setVisible(fact is not None)
        self.title.setText(say("memory.new_title"))
        self.title.setVisible(fact is None)
        self.form.name_fields(fact is None)
        self.save.set_words(say("memory.save"))
        self.revert.set_words(say("memory.cancel" if self.adding else "memory.revert"))
        self.delete.set_words(say("memory.delete"))
        if fact is not None and detail is not None:
            self._say_meta(detail)
            self._say_source(fact)
            self._say_history(detail)
            self.pin.set_words(say("memory.unpin" if fact.pinned else "memory.pin"))
            set_tooltip(self.pin, say("memory.unpin_hint" if fact.pinned else "memory.pin_hint"))
            self._say_price()
            self._draw_pin()
        self._weigh()

    def _say_meta(self, detail: FactDetail) -> None:
        say = self._language.say
        paused = self._session is not None and self._session.paused
        where = "paused" if paused else "in_prompt" if detail.in_prompt else "recalled"
        tokens = self._language.number(detail.tokens)
        self.meta.setText(say("memory.meta", tokens=tokens, where=say(f"memory.where_{where}")))
        set_tooltip(self.meta, say(f"memory.where_{where}_hint"))

    def _say_source(self, fact: Fact) -> None:
        say = self._language.say
        source, title = fact.source, self._session.source_title(fact) if self._session else None
        self.source_head.setText(say("memory.source"))
        quote = visible_line(source.quote, _MOST_QUOTE) if source else ""
        self.quote.setText(say("memory.quote", text=quote) if quote else "")
        self.quote.setVisible(bool(quote))
        self.source_link.setVisible(title is not None)
        shown = visible_line(title or "", 60) or say("memory.untitled")
        self.source_link.set_words(say("memory.source_link", title=shown))
        self.source_gone.setVisible(title is None)
        self.source_gone.setText(say("memory.source_gone" if source else "memory.source_none"))

    def _say_history(self, detail: FactDetail) -> None:
        say, words = self._language.say, self._language.words
        self.history_head.setText(say("memory.history"))
        lines = [history_line(words, change) for change in reversed(detail.history)]
        if len(lines) > _MOST_HISTORY:
            lines = [*lines[: _MOST_HISTORY - 1], say("memory.history_more", n=len(lines) - _MOST_HISTORY + 1)]
        self.history.setText("\n".join(lines) or "…")
        self.undo.set_words(say("memory.undo_last"))
        self.undo.setVisible(len(detail.history) > 1 and detail.last_change is not None)

    def _say_price(self) -> None:
        say, detail = self._language.say, self._detail
        if detail is None or self._session is None:
            return
        rewrite = self._session.rewrite
        parts = [say("memory.price_save")]
        if rewrite is not None and rewrite.tokens:
            tokens = self._language.number(rewrite.tokens)
            cost = say("memory.tokens", tokens=tokens)
            if rewrite.usd is not None:
                cost = say("memory.tokens_usd", tokens=tokens, usd=dollars(rewrite.usd))
            parts.append(say("memory.price_delete", cost=cost))
        standing = detail.standing
        if standing is not None and standing.messages:
            many = say("memory.standing_messages", n=standing.messages)
            parts.append(say("memory.standing", messages=many, n=standing.conversations))
        self.price.setText(" ".join(parts))

    def _draw_pin(self) -> None:
        pinned = self._detail is not None and self._detail.fact.pinned
        self.pin.setIcon(diamond_icon(self._theme.tokens.color("text"), filled=pinned, ratio=self.devicePixelRatioF()))


class _TallArea(QScrollArea):
    """Scrolls what does not fit, and asks for the height of all of it."""

    def __init__(self, page: QWidget) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.viewport().setAutoFillBackground(False)
        self.setWidget(page)
        page.setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        """As wide as it is, as tall as its page would be."""
        hint, layout = super().sizeHint(), self.widget().layout()
        if layout is None:
            return hint
        tall = layout.totalHeightForWidth(self.width()) if layout.hasHeightForWidth() else -1
        return QSize(hint.width(), tall if tall >= 0 else layout.totalSizeHint().height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Another content of the page asks for another height."""
        done = super().eventFilter(watched, event)
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return done

    def resizeEvent(self, event: QResizeEvent) -> None:
        """So does another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()


def diamond_icon(colour: QColor, *, filled: bool, ratio: float) -> QIcon:
    """The pin as an icon of 12 pixels."""
    pixmap = QPixmap(QSize(12, 12) * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, 1.2))
    painter.setBrush(colour if filled else Qt.BrushStyle.NoBrush)
    painter.drawPolygon(pin_diamond(QRectF(0, 0, 12, 12), 4.5))
    painter.end()
    return QIcon(pixmap)
