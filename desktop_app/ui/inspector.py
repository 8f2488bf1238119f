"""The inspector: the panels as docks beside the chat, tabbed at first; each is built when it is first seen.

Signals:
    messageChosen(str): a message was chosen in a panel. writeAsked(): an empty panel leads to the composer.
    lifetimeAsked(str): the advised lifetime of the cache is to be used. remedyAsked(LintFinding): its remedy is wanted.
    strategyChosen(Strategy): another strategy of compaction is to hold for the profile.
    factChosen(str): a fact was chosen in a panel. sourceChosen(str, str): a message, by conversation and message.
    windowAsked(): the size of the context window is to be set. shownChanged(): a dock was shown or hidden.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMainWindow, QTabBar, QTabWidget, QWidget

from desktop_app.ui.context.context_panel import ContextPanel
from desktop_app.ui.inspector_dock import InspectorDock
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme

if TYPE_CHECKING:
    from desktop_app.bridge.chat_session import ChatSession
    from desktop_app.bridge.memory_session import MemorySession
    from desktop_app.ui.cache.cache_panel import CachePanel
    from desktop_app.ui.compaction.compaction_panel import CompactionPanel
    from desktop_app.ui.memory.memory_panel import MemoryPanel
    from desktop_app.ui.recall.recall_panel import RecallPanel

P = TypeVar("P", bound=QWidget)
NAMES = ("context", "compaction", "cache", "memory", "recall")


class Inspector(QObject):
    """`docks` by name, in the order of their tabs."""

    messageChosen = Signal(str)
    writeAsked = Signal()
    windowAsked = Signal()
    strategyChosen = Signal(object)
    factChosen = Signal(str)
    sourceChosen = Signal(str, str)
    lifetimeAsked = Signal(str)
    remedyAsked = Signal(object)
    shownChanged = Signal()

    def __init__(self, window: QMainWindow, theme: Theme, language: Language) -> None:
        super().__init__(window)
        self._window, self._theme, self._language = window, theme, language
        self._chat: ChatSession | None = None
        self._memory: MemorySession | None = None
        self._waiting = 0
        self._compaction: CompactionPanel | None = None
        self._cache: CachePanel | None = None
        self._cache_in_front = False
        self._memory_panel: MemoryPanel | None = None
        self._recall: RecallPanel | None = None
        self.context = ContextPanel(theme, language)
        makers: dict[str, Callable[[], QWidget]] = {
            "context": lambda: self.context,
            "compaction": lambda: self.compaction,
            "cache": lambda: self.cache,
            "memory": lambda: self.memory,
            "recall": lambda: self.recall,
        }
        self.docks = {name: InspectorDock(name, makers[name], theme, language, window) for name in NAMES}
        self.docks["context"].build()

    def arrange(self) -> None:
        """Puts the docks at the right of the window, one behind the other, the context in front."""
        window, docks = self._window, list(self.docks.values())
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.setDockOptions(QMainWindow.DockOption.AllowTabbedDocks | QMainWindow.DockOption.AllowNestedDocks)
        for dock in docks:
            window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        for before, dock in pairwise(docks):
            window.tabifyDockWidget(before, dock)
        docks[0].raise_()

    def begin(self) -> None:
        """Listens to docks and panels."""
        self.context.messageChosen.connect(self.messageChosen)
        self.context.writeAsked.connect(self.writeAsked)
        self.context.windowAsked.connect(self.windowAsked)
        for dock in self.docks.values():
            dock.visibilityChanged.connect(self._on_visible)
            dock.topLevelChanged.connect(self._on_visible)
            dock.dockLocationChanged.connect(self._on_visible)
        self.docks["cache"].visibilityChanged.connect(self._on_cache_visible)
        self._language.changed.connect(self._say)

    # -- panels ----------------------------------------------------------------------------------

    @property
    def compaction(self) -> CompactionPanel:
        """The Compaction panel."""
        if self._compaction is None:
            from desktop_app.ui.compaction.compaction_panel import CompactionPanel

            panel = self._compaction = CompactionPanel(self._theme, self._language)
            panel.set_session(self._chat)
            panel.messageChosen.connect(self.messageChosen)
            panel.writeAsked.connect(self.writeAsked)
            panel.strategyChosen.connect(self.strategyChosen)
            panel.factChosen.connect(self.factChosen)
            panel.set_memory(self._memory)
        return self._compaction

    @property
    def cache(self) -> CachePanel:
        """The Cache panel."""
        if self._cache is None:
            from desktop_app.ui.cache.cache_panel import CachePanel

            panel = self._cache = CachePanel(self._theme, self._language)
            panel.set_in_front(self._cache_in_front)
            self._show_cache(panel)
            panel.writeAsked.connect(self.writeAsked)
            panel.lifetimeAsked.connect(self.lifetimeAsked)
            panel.remedyAsked.connect(self.remedyAsked)
        return self._cache

    @property
    def memory(self) -> MemoryPanel:
        """The Memory panel."""
        if self._memory_panel is None:
            from desktop_app.ui.memory.memory_panel import MemoryPanel

            panel = self._memory_panel = MemoryPanel(self._theme, self._language)
            panel.set_session(self._memory)
        return self._memory_panel

    @property
    def recall(self) -> RecallPanel:
        """The Recall panel."""
        if self._recall is None:
            from desktop_app.ui.recall.recall_panel import RecallPanel

            panel = self._recall = RecallPanel(self._theme, self._language)
            panel.set_session(self._chat.recall if self._chat is not None else None)
            panel.messageChosen.connect(self.messageChosen)
            panel.sourceChosen.connect(self.sourceChosen)
            panel.factChosen.connect(self.factChosen)
            panel.writeAsked.connect(self.writeAsked)
        return self._recall

    def set_chat(self, chat: ChatSession | None) -> None:
        """Another conversation is in front."""
        if self._chat is not None:
            self._chat.folding.changed.disconnect(self._say)
        self._chat = chat
        if chat is not None:
            chat.folding.changed.connect(self._say)
        self._say()
        self.context.set_session(chat)
        if self._compaction is not None:
            self._compaction.set_session(chat)
        if self._cache is not None:
            self._show_cache(self._cache)
        if self._recall is not None:
            self._recall.set_session(chat.recall if chat is not None else None)

    def _show_cache(self, panel: CachePanel) -> None:
        if self._chat is None:
            panel.set_cache(None)
        else:
            panel.set_cache(self._chat.cache, self._chat.truth)

    def set_memory(self, memory: MemorySession) -> None:
        """The facts of the profile in use."""
        self._memory = memory
        memory.listChanged.connect(self._say)
        if self._compaction is not None:
            self._compaction.set_memory(memory)
        if self._memory_panel is not None:
            self._memory_panel.set_session(memory)
        self._say()

    # -- docks -----------------------------------------------------------------------------------

    def show(self, name: str) -> None:
        """Brings a panel to the front."""
        dock = self.docks[name]
        dock.build()
        dock.show()
        dock.raise_()

    def set_visible(self, visible: bool) -> None:
        """Shows the inspector or hides it; while some docks are shown, one that was closed by hand stays closed."""
        if self.is_hidden is visible:
            for dock in self.docks.values():
                dock.setVisible(visible)

    @property
    def is_hidden(self) -> bool:
        """Whether no dock is shown: one behind another tab counts as shown."""
        return all(dock.isHidden() for dock in self.docks.values())

    def set_enabled(self, enabled: bool) -> None:
        """Whether the panels can be used."""
        for dock in self.docks.values():
            dock.setEnabled(enabled)

    def settle(self) -> None:
        """Looks again which docks stand among tabs (the arrangement was put back)."""
        self._on_visible()

    def _on_visible(self, _: object = None) -> None:
        for dock in self.docks.values():
            beside = [other for other in self._window.tabifiedDockWidgets(dock) if not other.isHidden()]
            dock.show_title(dock.isFloating() or not beside)
        self._name_tabs()
        self.shownChanged.emit()

    def _on_cache_visible(self, visible: bool) -> None:
        """Told of a dock that goes behind another tab as well."""
        self._cache_in_front = visible
        if self._cache is not None:
            self._cache.set_in_front(visible)

    def _say(self) -> None:
        waiting = len(self._memory.pending) if self._memory is not None else 0
        self.docks["memory"].say(waiting)
        proposed = self._chat is not None and self._chat.folding.proposed is not None
        self.docks["compaction"].say(1 if proposed else 0)
        self._name_tabs()

    def _name_tabs(self) -> None:
        """The tab bars of the docks are the window's own: they carry no style of their panels."""
        for bar in self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            bar.setDrawBase(False)
            bar.setExpanding(False)
            bar.setElideMode(Qt.TextElideMode.ElideNone)
            bar.setAccessibleName(self._language.say("window.inspector"))
