"""The chosen fact: its fields, where it comes from, what was done to it, and what saving or deleting costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QFrame, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.errors import AppError
from desktop_app.core.facts import GONE, Fact, FactState
from desktop_app.ui.language import Language
from desktop_app.ui.memory.fact_about import FactAbout
from desktop_app.ui.memory.fact_form import FactForm, FactTexts, texts_of
from desktop_app.ui.memory.fact_prices import deleting_price, pin_hint, saving_price
from desktop_app.ui.memory.pin_mark import pin_icon
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.flow_line import FlowLine
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip
from desktop_app.ui.widgets.tall_area import TallArea

if TYPE_CHECKING:
    from desktop_app.bridge.fact_detail import FactDetail
    from desktop_app.bridge.memory_session import MemorySession

NEW = ""
"""In place of an id while a fact is being added."""


class _Draft(NamedTuple):
    """What was typed and left, and the text that stood there then."""

    texts: FactTexts
    base: FactTexts


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
        self._revision = 0
        self._kept_so = False
        self._drafts: dict[str, _Draft] = {}
        self._saving: str | None = None
        self._saved = FactTexts()
        self.setProperty("role", "card")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.title = PlainLabel(tone="heading")
        self.form = FactForm(theme, language)
        self.note = PlainLabel(wrap=True)
        self.about = FactAbout(theme, language)
        self.price = PlainLabel(tone="muted", wrap=True)
        self.save = TextButton(kind="primary")
        self.pin = TextButton()
        self.revert = TextButton()
        self.pause, self.archive, self.back = TextButton(), TextButton(), TextButton()
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
        return self.form.texts != self._base or self.form.keeps_secrets != self._kept_so

    def set_session(self, session: MemorySession | None) -> None:
        """Shows facts of another session."""
        if self._session is not None:
            self._session.kept.disconnect(self._on_kept)
            self._session.refused.disconnect(self._on_refused)
            self._session.failed.disconnect(self._on_failed)
            self._session.priceChanged.disconnect(self._say_price)
        self._session, self._shown, self._saving = session, None, None
        self._drafts.clear()
        self.form.warn_by(session.secrets.find if session else None)
        if session is not None:
            session.kept.connect(self._on_kept)
            session.refused.connect(self._on_refused)
            session.failed.connect(self._on_failed)
            session.priceChanged.connect(self._say_price)

    def forget(self) -> None:
        """Another profile is in use: what was typed belongs to the one before."""
        self._drafts.clear()
        self._shown = self._saving = None
        self._base, self._kept_so = FactTexts(), False
        self._show_texts(self._base)

    def begin_new(self, key: str = "") -> None:
        """Empty fields for a new fact, or what was typed there before."""
        self._keep_draft()
        self._shown, self._base, self._kept_so = NEW, FactTexts(), False
        left = self._drafts.pop(NEW, None)
        self._show_texts(left.texts if left is not None else FactTexts(key))
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
            self._shown, self._base, self._kept_so = fact.id, base, fact.keeps_secrets
            left = self._drafts.pop(fact.id, _Draft(base, base))
            self._show_texts(left.texts)
            self._clear_note()
            if base not in (left.base, left.texts):
                self._tell_changed()
        elif fact.revision < self._revision:
            return  # read before the last save, which is to be read yet
        elif self._base != base:
            changed_under = self.dirty and self.form.texts != base
            self._base, self._kept_so = base, fact.keeps_secrets
            if changed_under:
                self._tell_changed()
            else:
                self._show_texts(base)
        self._revision = fact.revision
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
        inner.addWidget(self.about)
        inner.addStretch()
        self.area = TallArea(page)
        self._buttons = QWidget()
        buttons = FlowLine(self._buttons, last_right=True)
        buttons.setContentsMargins(14, 2, 14, 10)
        for button in (self.save, self.revert, self.pin, self.back, self.pause, self.archive, self.delete):
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        layout.addWidget(self.area, 1)
        layout.addWidget(self.price)
        layout.addWidget(self._buttons)
        self.price.setContentsMargins(14, 6, 14, 6)
        self.pin.setIconSize(QSize(12, 12))

    def _connect(self) -> None:
        self.form.edited.connect(self._weigh)
        self.form.saveAsked.connect(self._on_save)
        self.form.left.connect(self.leave)
        self.save.clicked.connect(self._on_save)
        self.revert.clicked.connect(self.leave)
        self.pin.clicked.connect(self._on_pin)
        self.pause.clicked.connect(lambda: self._on_aside(archive=False))
        self.archive.clicked.connect(lambda: self._on_aside(archive=True))
        self.back.clicked.connect(self._on_back)
        self.delete.clicked.connect(self._on_delete)
        self.about.sourceAsked.connect(self._on_source)
        self.about.undoAsked.connect(self._on_undo)
        self._theme.changed.connect(self._draw_pin)
        self._language.changed.connect(self.say)

    # -- what the person does -------------------------------------------------------------------

    def leave(self) -> None:
        """Takes back what was typed; gives up a new fact."""
        self._show_texts(self._base)
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
            self._session.add(texts.key, texts.value, texts.category, allow_secrets=self.form.keeps_secrets)
        elif self._shown is not None:
            self._session.edit(
                self._shown,
                key=texts.key,
                value=texts.value,
                category=texts.category if texts.category != self._base.category else None,
                expected=self._revision,
                allow_secrets=self.form.keeps_secrets,
            )
        self._weigh()

    def _on_kept(self, fact: Fact) -> None:
        saved, self._saving = self._saving, None
        if saved is None:
            return
        self._drafts.pop(saved, None)
        if self._shown == saved:
            self._base, self._revision, self._kept_so = self._saved, fact.revision, self.form.keeps_secrets
            self._weigh()
        if saved == NEW:
            if self._shown == NEW:
                self._shown = None
            self.added.emit(fact.id)

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

    def _on_aside(self, *, archive: bool) -> None:
        if self._session is not None and self._detail is not None:
            self._session.set_aside(self._detail.fact.id, archive=archive)

    def _on_back(self) -> None:
        if self._session is not None and self._detail is not None:
            self._session.bring_back(self._detail.fact)

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

    def _show_texts(self, texts: FactTexts) -> None:
        """A draft that was left is not what was kept: whether it may hold a secret is asked anew."""
        self.form.show_texts(texts)
        self.form.keep_secrets(self._kept_so and texts == self._base)

    def _keep_draft(self) -> None:
        if self._shown is not None and self.dirty:
            self._drafts[self._shown] = _Draft(self.form.texts, self._base)

    def _weigh(self) -> None:
        """Which buttons can be pressed, and what stands in the way of a new key."""
        free = self._saving is None
        self.save.setEnabled(free and self.dirty and self.form.complete)
        self._say_price()
        self.revert.setVisible(self.adding or self.dirty)
        if self.adding and self._session is not None:
            same = self._session.with_key(self.form.key.text())
            self.save.set_words(self._language.say("memory.replace" if same else "memory.save_new"))
            if same is not None:
                self._tell(self._language.say("memory.key_exists", value=visible_line(same.value, 120)), "warning")
            elif self.note.property("tone") != "danger":
                self._clear_note()

    def _tell_changed(self) -> None:
        said = self._language.say("memory.changed_meanwhile", value=visible_line(self._base.value, 120))
        self._tell(said, "warning")

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
        self.about.setVisible(fact is not None)
        self._show_acts(fact)
        self.title.setText(say("memory.new_title"))
        self.title.setVisible(fact is None)
        self.form.name_fields(fact is None)
        self.save.set_words(say("memory.save"))
        self.revert.set_words(say("memory.cancel" if self.adding else "memory.revert"))
        self.delete.set_words(say("memory.delete"))
        self.pause.set_words(say("memory.pause"))
        self.archive.set_words(say("memory.archive"))
        self.back.set_words(
            say("memory.resume" if fact is not None and fact.state is FactState.PAUSED else "memory.restore")
        )
        for button, word in ((self.pause, "pause"), (self.archive, "archive")):
            set_tooltip(button, say(f"memory.{word}_hint"))
        if fact is not None and detail is not None:
            title = self._session.source_title(fact) if self._session else None
            scope = self._session.scope_title(fact) if self._session else None
            title_of = self._session.title_of if self._session else None
            paused = self._session is not None and self._session.paused
            self.about.show_detail(detail, title, scope, title_of, paused=paused)
            self.pin.set_words(say("memory.unpin" if fact.pinned else "memory.pin"))
            self._draw_pin()
        self._weigh()

    def _show_acts(self, fact: Fact | None) -> None:
        """What can be done with a fact in its state; what waits is answered in the inbox."""
        state = fact.state if fact is not None else None
        editable = state in (None, FactState.ACTIVE, FactState.PAUSED, FactState.ARCHIVED)
        self.form.set_editable(editable)
        self.save.setVisible(editable)
        self.pin.setVisible(state in (FactState.ACTIVE, FactState.PAUSED))
        self.pause.setVisible(state is FactState.ACTIVE)
        self.archive.setVisible(state in (FactState.ACTIVE, FactState.PAUSED))
        self.back.setVisible(state not in (None, FactState.ACTIVE, FactState.PENDING))
        self.delete.setVisible(state not in (None, FactState.PENDING, *GONE))
        self._buttons.setVisible(state is not FactState.PENDING)

    def _say_price(self) -> None:
        """What saving costs while something is typed, else what deleting does."""
        words, session, detail = self._language.words, self._session, self._detail
        if self.adding or self.dirty:
            texts = self.form.texts if self.form.complete else None
            text = saving_price(words, session, texts, adding=self.adding)
        else:
            text = deleting_price(words, session, detail)
        self.price.setText(text)
        self.price.setVisible(bool(text))
        if detail is not None:
            set_tooltip(self.pin, pin_hint(words, session, pinned=detail.fact.pinned))

    def _draw_pin(self) -> None:
        pinned = self._detail is not None and self._detail.fact.pinned
        self.pin.setIcon(pin_icon(self._theme.tokens.color("text"), pinned=pinned, ratio=self.devicePixelRatioF()))
