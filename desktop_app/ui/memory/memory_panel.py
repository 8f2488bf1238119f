"""The Memory panel: every fact kept for later conversations, to be searched, added, changed, pinned and deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.facts import Fact, FactState
from desktop_app.core.money.price_tag import Act
from desktop_app.core.money.price_words import about, sentence, short
from desktop_app.ui.language import Language
from desktop_app.ui.memory.fact_detail import FactDetailView
from desktop_app.ui.memory.fact_table import FactTable
from desktop_app.ui.memory.inbox_strip import InboxStrip
from desktop_app.ui.memory.secret_strip import SecretStrip
from desktop_app.ui.message_page import MessagePage
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.choice_button import ChoiceButton
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip
from desktop_app.ui.widgets.switch import Switch

if TYPE_CHECKING:
    from desktop_app.bridge.memory_session import MemorySession

_STATES = (
    FactState.ACTIVE,
    FactState.PENDING,
    FactState.PAUSED,
    FactState.ARCHIVED,
    FactState.SUPERSEDED,
    FactState.DELETED,
    FactState.DENIED,
)
_DETAIL_SHARE = 0.48
_LOW = 430
_NO_LIMIT = 16_777_215


class MemoryPanel(QWidget):
    """Shows a MemorySession. `pendingChanged(int)` when another number of facts waits for the person."""

    pendingChanged = Signal(int)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._session: MemorySession | None = None
        self._expected: str | None = None
        self._waiting = 0
        self.search = QLineEdit()
        self.state = ChoiceButton(theme)
        self._search_icon = QAction(self.search)
        self.add = TextButton(kind="primary")
        self.inbox = InboxStrip(theme, language)
        self.secrets = SecretStrip(theme, language)
        self.table = FactTable(theme, language)
        self.detail = FactDetailView(theme, language)
        self.empty = MessagePage(theme, size=13)
        self.none = MessagePage(theme, size=13)
        self.switch = Switch(theme)
        self.paused = PlainLabel(tone="muted", wrap=True)
        self.rebuild = TextButton(kind="link")
        self.back = TextButton(kind="link")
        self._arrange()
        self._connect()
        self._paint()
        self._say()

    def set_session(self, session: MemorySession | None) -> None:
        """Shows the facts of another session, or none."""
        if self._session is not None:
            self._session.listChanged.disconnect(self._show_all)
            self._session.detailChanged.disconnect(self._show_detail)
            self._session.priceChanged.disconnect(self._say_price)
            self._session.pausedChanged.disconnect(self._show_paused)
        self._session = session
        self.detail.set_session(session)
        self.inbox.set_session(session)
        self.secrets.set_session(session)
        self.table.setModel(session.facts if session else None)
        if session is not None:
            session.facts.set_words(self._language.words)
            session.listChanged.connect(self._show_all)
            session.detailChanged.connect(self._show_detail)
            session.priceChanged.connect(self._say_price)
            session.pausedChanged.connect(self._show_paused)
        self._show_all()
        self._show_paused()
        self._say_price()

    def begin_new(self, key: str = "") -> None:
        """Opens empty fields for a new fact."""
        if self._session is None:
            return
        self._session.select(None)
        self.table.mark(None)
        self.detail.show()
        self.detail.begin_new(key)
        self._show_all()

    def show_fact(self, fact_id: str) -> None:
        """Leads to a fact."""
        if self._session is not None:
            self.detail.forget()
            self.search.clear()
            self._session.list_state(FactState.ACTIVE)
            self._session.select(fact_id)
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The detail takes as much as it needs, never more than its share."""
        super().resizeEvent(event)
        self._share_height()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrow down in the search goes to the table, Escape empties it."""
        if watched is self.search and isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Down and self.table.isVisible():
                self.table.setFocus(Qt.FocusReason.TabFocusReason)
                return True
            if event.key() == Qt.Key.Key_Escape and self.search.text():
                self.search.clear()
                return True
        return super().eventFilter(watched, event)

    # -- building -------------------------------------------------------------------------------

    def _arrange(self) -> None:
        self.search.addAction(self._search_icon, QLineEdit.ActionPosition.LeadingPosition)
        self.search.setClearButtonEnabled(True)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.search, 1)
        head.addWidget(self.state)
        head.addWidget(self.add)
        self.pages = QStackedWidget()
        for page in (self.table, self.empty, self.none):
            self.pages.addWidget(page)
        self._foot = QWidget()
        foot = QHBoxLayout(self._foot)
        foot.setContentsMargins(0, 0, 0, 0)
        foot.setSpacing(8)
        foot.addWidget(self.switch)
        foot.addStretch()
        foot.addWidget(self.rebuild)
        hair = self._hair = QFrame()
        hair.setProperty("role", "hair")
        hair.setFixedHeight(1)
        layout = self._layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 8)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self.inbox)
        layout.addWidget(self.secrets)
        layout.addWidget(self.pages, 1)
        layout.addWidget(self.back)
        layout.addWidget(self.detail)
        layout.addWidget(hair)
        layout.addWidget(self.paused)
        layout.addWidget(self._foot)
        # Not what the layout would need: in a low window a part gives way (`_share_height`).
        self.setMinimumSize(360, 240)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._on_search)
        self.search.installEventFilter(self)
        self.add.clicked.connect(self._on_add)
        self.empty.acted.connect(self._on_add)
        self.none.acted.connect(self._on_show_all)
        self.state.chosen.connect(self._on_state)
        self.table.chosen.connect(self._on_chosen)
        self.table.openAsked.connect(self._on_open)
        self.table.pinAsked.connect(self._on_pin)
        self.table.deleteAsked.connect(self._on_delete)
        self.detail.closed.connect(self._on_closed)
        self.back.clicked.connect(self._on_back)
        self.detail.added.connect(self._on_added)
        self.switch.clicked.connect(self._on_switch)
        self.rebuild.clicked.connect(self._on_rebuild)
        self._theme.changed.connect(self._paint)
        self._language.changed.connect(self._on_language)

    # -- what the session tells -----------------------------------------------------------------

    def _show_all(self) -> None:
        session = self._session
        self._expected = None
        self.setEnabled(session is not None)
        if session is not None and not session.loaded:
            self.detail.forget()
            self.search.clear()
        known = session is not None and session.loaded
        page: QWidget = self.table
        if known and session is not None and not session.facts.facts:
            sought = session.found and session.count
            page = self.none if sought or session.state is not FactState.ACTIVE else self.empty
        self.pages.setCurrentWidget(page)
        self.table.setVisible(known and page is self.table)
        self._show_detail()
        self._say_found()
        waiting = len(session.pending) if session else 0
        if waiting != self._waiting:
            self._waiting = waiting
            self.pendingChanged.emit(waiting)

    def _show_detail(self) -> None:
        detail = self._session.detail if self._session else None
        if detail is not None:
            self.detail.show_chosen()
        shown = detail is not None or self.detail.adding or self._expected is not None
        appeared = shown and self.detail.isHidden()
        self.detail.setVisible(shown)
        self._share_height()
        place = self._session.facts.place_of(detail.fact.id) if self._session and detail else None
        self.table.mark(place)
        if appeared and place is not None:
            self._layout.activate()
            self.table.scrollTo(self.table.model().index(place, 1))

    def _share_height(self) -> None:
        """In a low panel the chosen fact takes the place of the table and of what waits, so that it can be saved."""
        alone = self.height() < _LOW and not self.detail.isHidden()
        self.detail.setMaximumHeight(_NO_LIMIT if alone else round(self.height() * _DETAIL_SHARE))
        self.pages.setVisible(not alone)
        for strip in (self.inbox, self.secrets):
            strip.setMaximumHeight(0 if alone else _NO_LIMIT)
        for widget in (self._hair, self._foot):
            widget.setVisible(not alone)
        self.back.setVisible(alone and not self.detail.adding)

    def _show_paused(self) -> None:
        paused = self._session is not None and self._session.paused
        self.switch.setChecked(not paused)
        self.paused.setVisible(paused)
        self.detail.say()
        self._say_price()

    # -- what the person does -------------------------------------------------------------------

    def _on_search(self, text: str) -> None:
        if self._session is not None and text != self._session.query:
            self._session.search(text)

    def _on_state(self, state: FactState) -> None:
        if self._session is not None:
            self._session.list_state(state)

    def _on_show_all(self) -> None:
        self.search.clear()
        self._on_state(FactState.ACTIVE)

    def _on_add(self) -> None:
        self.begin_new()

    def _on_chosen(self, fact_id: str) -> None:
        if self._session is not None:
            self._session.select(fact_id)

    def _on_open(self) -> None:
        if self.detail.isVisible():
            self.detail.form.focus(self.detail.form.value)

    def _on_pin(self, fact: Fact) -> None:
        if self._session is not None:
            self._session.pin(fact.id, not fact.pinned)

    def _on_delete(self, fact: Fact) -> None:
        if self._session is not None:
            self._session.delete(fact.id)

    def _on_closed(self) -> None:
        self._show_detail()
        (self.table if self.table.isVisible() else self.search).setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_back(self) -> None:
        """From the one fact back to all of them."""
        if self._session is not None:
            self._session.select(None)

    def _on_added(self, fact_id: str) -> None:
        if self._session is not None:
            self._expected = fact_id
            self._session.select(fact_id)

    def _on_switch(self, on: bool) -> None:
        if self._session is not None:
            self._session.pause(not on)

    def _on_rebuild(self) -> None:
        if self._session is not None:
            self._session.rebuild()

    # -- words and colours ----------------------------------------------------------------------

    def _paint(self) -> None:
        self._search_icon.setIcon(self._theme.icon("search"))
        self.add.setIcon(self._theme.icon("plus", "on_accent"))
        self.add.setIconSize(QSize(14, 14))
        self.table.viewport().update()

    def _on_language(self) -> None:
        if self._session is not None:
            self._session.facts.set_words(self._language.words)
        self._say()

    def _say(self) -> None:
        say = self._language.say
        self.setAccessibleName(say("window.memory"))
        self.search.setAccessibleName(say("memory.search_name"))
        set_tooltip(self.search, say("memory.search_hint"))
        self.add.set_words(say("memory.add"))
        self.back.set_words(say("memory.back"))
        self.table.setAccessibleName(say("memory.table_name"))
        self.table.setAccessibleDescription(say("memory.table_keys"))
        self.empty.say(say("memory.empty_title"), say("memory.empty_text"), say("memory.empty_act"))
        self.switch.setText(say("memory.switch"))
        self.switch.setAccessibleName(say("memory.switch"))
        self.paused.setText(say("memory.paused"))
        self._say_found()
        self._say_price()

    def _say_found(self) -> None:
        say, session = self._language.say, self._session
        state = session.state if session else FactState.ACTIVE
        count = session.count if session and state is FactState.ACTIVE else 0
        self.search.setPlaceholderText(say("memory.search", n=count) if count else say("memory.search_none"))
        states = [(one, say(f"memory.state.{one}")) for one in _STATES]
        self.state.set_choices(states, state, say("memory.state_name"))
        found = visible_line(session.found, 60) if session else ""
        if state is not FactState.ACTIVE and not found:
            named = say("memory.none_in_state", state=say(f"memory.state.{state}"))
            self.none.say(named, say(f"memory.none_in.{state}"), say("memory.show_active"))
        else:
            self.none.say(say("memory.no_match", text=found), say("memory.no_match_text"), say("memory.show_all"))

    def _say_price(self) -> None:
        say, words = self._language.say, self._language.words
        tags = self._session.tags if self._session else None
        tag = tags.rebuild() if tags is not None else None
        self.rebuild.setVisible(tag is not None)
        if tag is not None:
            cost = about(tag.then_usd) if tag.now_tokens and tag.then_usd is not None else short(words, tag)
            self.rebuild.set_words(say("memory.rebuild", cost=cost) if cost else say("memory.rebuild_free"))
            set_tooltip(self.rebuild, f"{say('memory.rebuild_hint')} {sentence(words, tag)}")
        paused = self._session is not None and self._session.paused
        switching = tags.setting(Act.MEMORY, paused) if tags is not None else None
        hint = " ".join(filter(None, (say("memory.switch_hint"), sentence(words, switching) if switching else "")))
        set_tooltip(self.switch, hint)
        self.switch.setAccessibleDescription(hint)
