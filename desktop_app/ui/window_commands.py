"""What each action of the window does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from desktop_app.ui.inspector import NAMES

if TYPE_CHECKING:
    from desktop_app.ui.main_window import MainWindow


def bind_actions(window: MainWindow) -> None:
    """Joins the actions with the window's acts, and the buttons of the top bar with the actions."""
    actions, choose = window.actions_by_name, window.session.update_settings
    acts: tuple[tuple[str, Callable[[], object]], ...] = (
        ("new_chat", window.new_chat),
        ("focus_composer", window.focus_composer),
        ("focus_filter", window.focus_filter),
        ("stop", window.front.stop),
        ("regenerate", window.front.regenerate),
        ("rename", window.rename),
        ("delete", window.front.delete),
        ("undo_delete", window.notices.undo_last),
        ("toggle_sidebar", window.toggle_sidebar),
        ("toggle_inspector", window.toggle_inspector),
        ("raw_request", window.context.open_raw),
        *((f"show_{name}", partial(window.show_panel, name)) for name in NAMES),
        ("search_originals", window.search_originals),
        ("money", window.toggle_money),
        ("settings", window.toggle_settings),
        ("theme_system", partial(choose, theme="system")),
        ("theme_light", partial(choose, theme="light")),
        ("theme_dark", partial(choose, theme="dark")),
        ("language_en", partial(choose, language="en")),
        ("language_ko", partial(choose, language="ko")),
        ("palette", window.open_palette),
        ("shortcuts", window.open_shortcuts),
        ("quit", window.leave),
    )
    for name, act in acts:
        actions[name].triggered.connect(partial(_without_arguments, act))
    window.notices.undoChanged.connect(actions["undo_delete"].setEnabled)
    actions["undo_delete"].setEnabled(False)
    bar = window.top_bar
    for name, button in (
        ("toggle_sidebar", bar.menu),
        ("toggle_inspector", bar.inspector),
        ("settings", bar.settings),
        ("palette", bar.palette_button),
        ("money", window.status.today),
    ):
        button.clicked.connect(actions[name].trigger)


def _without_arguments(act: Callable[[], object], _checked: bool = False) -> None:
    act()
