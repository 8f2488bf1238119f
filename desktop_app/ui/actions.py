"""Everything the window can do, each with its name and its keys: for shortcuts, command palette and list of keys."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from desktop_app.ui.language import Language

KEYS: dict[str, tuple[str, ...]] = {
    "new_chat": ("Ctrl+N",),
    "focus_composer": ("Ctrl+L",),
    "focus_filter": ("Ctrl+F",),
    "stop": (),
    "regenerate": ("Ctrl+Shift+R",),
    "rename": ("F2",),
    "delete": (),
    "undo_delete": ("Ctrl+Z",),
    "toggle_sidebar": ("Ctrl+B",),
    "toggle_inspector": ("Ctrl+I",),
    "raw_request": (),
    "show_context": ("Ctrl+1",),
    "show_compaction": ("Ctrl+2",),
    "search_originals": ("Ctrl+Shift+F",),
    "show_cache": ("Ctrl+3",),
    "show_memory": ("Ctrl+4",),
    "show_recall": ("Ctrl+5",),
    "money": ("Ctrl+Shift+M",),
    "settings": ("Ctrl+,",),
    "theme_system": (),
    "theme_light": (),
    "theme_dark": (),
    "language_en": (),
    "language_ko": (),
    "palette": ("Ctrl+K",),
    "shortcuts": ("Ctrl+/", "F1"),
    "quit": ("Ctrl+Q",),
}
# Escape is left to what has the focus first; the window takes what nobody wanted.
SHOWN_KEYS = {"stop": "Esc"}


class WindowActions:
    """One QAction for each name in KEYS, on the window; `window.action.<name>` is its catalogue id."""

    def __init__(self, window: QWidget, language: Language) -> None:
        self._language = language
        self._actions: dict[str, QAction] = {}
        for name, keys in KEYS.items():
            action = QAction(window)
            action.setObjectName(name)
            action.setShortcuts([QKeySequence(key) for key in keys])
            action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            window.addAction(action)
            self._actions[name] = action
        language.changed.connect(self.say)
        self.say()

    def __getitem__(self, name: str) -> QAction:
        """The action of that name."""
        return self._actions[name]

    def all(self) -> list[QAction]:
        """All of them in the order of the list."""
        return list(self._actions.values())

    def say(self) -> None:
        """Names them in the language in use."""
        for name, action in self._actions.items():
            action.setText(self._language.say(f"window.action.{name}"))


def keys_of(action: QAction) -> str:
    """Its keys as the person's system writes them; empty where it has none."""
    shown = SHOWN_KEYS.get(action.objectName())
    keys = [QKeySequence(shown)] if shown else action.shortcuts()
    return "  ".join(key.toString(QKeySequence.SequenceFormat.NativeText) for key in keys)
