"""Asks before an address is opened, and shows where it truly leads."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget

from desktop_app.ui.chat.link_targets import may_open
from desktop_app.ui.chat.visible_text import visible
from desktop_app.ui.language import Language

_SHOWN = 600


class LinkQuestion(QMessageBox):
    """A question that opens `target` in the browser only when it is answered with Open."""

    def __init__(self, language: Language, target: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._target = target
        say = language.say
        shown = visible(target)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWindowTitle(say("markdown.link_title"))
        self.setText(say("markdown.link_question"))
        self.setInformativeText(shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…")
        self.open_button: QPushButton = self.addButton(say("markdown.link_open"), QMessageBox.ButtonRole.AcceptRole)
        self.copy_button: QPushButton = self.addButton(say("markdown.copy_link"), QMessageBox.ButtonRole.ActionRole)
        self.cancel_button: QPushButton = self.addButton(say("markdown.link_cancel"), QMessageBox.ButtonRole.RejectRole)
        self.setDefaultButton(self.cancel_button)
        self.setEscapeButton(self.cancel_button)
        self.open_button.clicked.connect(self._open)
        self.copy_button.clicked.connect(self._copy)

    def _open(self) -> None:
        QDesktopServices.openUrl(QUrl(self._target, QUrl.ParsingMode.StrictMode))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._target)


def ask_to_open(language: Language, target: str, parent: QWidget) -> LinkQuestion | None:
    """Shows the question for a target that may be opened; for any other nothing happens."""
    if not may_open(target):
        return None
    question = LinkQuestion(language, target, parent)
    question.open()
    return question
