"""What the buttons beside the advice and the findings of the Cache panel do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from desktop_app.core.cache.lint import LintFinding, Remedy

if TYPE_CHECKING:
    from desktop_app.ui.main_window import MainWindow


def use_lifetime(window: MainWindow, choice: str) -> None:
    """Keeps prefixes in the cache for as long as was advised, from the next request on."""
    window.session.update_profile(cache_lifetime=choice)


def apply_remedy(window: MainWindow, finding: LintFinding) -> None:
    """Puts a setting back to what the last request had, or leads to where the person can."""
    session = window.session
    if finding.remedy is Remedy.BACK_MODEL:
        session.update_profile(model=finding.was)
    elif finding.remedy is Remedy.BACK_EFFORT:
        session.update_profile(effort=finding.was)
    elif finding.remedy is Remedy.BACK_TOOLS and bool(finding.was) != bool(finding.is_now):
        session.update_profile(use_tools=bool(finding.was))
    elif finding.remedy is Remedy.SHOW_FACT:
        window.show_panel("memory")
        fact = session.memory.with_key(finding.name) if session.memory is not None else None
        if fact is not None and session.memory is not None:
            session.memory.select(fact.id)
    elif finding.remedy is not Remedy.NONE:
        window.open_settings()
        if finding.remedy is Remedy.EDIT_INSTRUCTIONS:
            window.settings_page.model.instructions.setFocus(Qt.FocusReason.OtherFocusReason)
