"""Puts bridge and ui on top of a composition; owns start and shutdown of the window."""

from __future__ import annotations

import signal
import sys
import traceback
from dataclasses import replace
from types import TracebackType

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QApplication

from desktop_app import assets
from desktop_app.bridge.app_session import AppSession
from desktop_app.bridge.session_state import Level, Notice
from desktop_app.bridge.single_window import SingleWindow
from desktop_app.composition import Options, open_services, open_settings
from desktop_app.core.settings import DEMO_PROFILE
from desktop_app.ui.language import Language
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.theme import Theme


class Gui:
    """The window with everything behind it. `show` returns at once; the data opens in the background."""

    def __init__(self, app: QApplication, options: Options) -> None:
        settings = open_settings(options)
        chosen = settings.settings
        self.theme = Theme(app)
        self.theme.use_system_font(chosen.system_font)
        self.theme.apply(chosen.theme)
        self.language = Language(chosen.language)
        self.session = AppSession(settings, lambda: open_services(options, settings))
        self.window = MainWindow(self.session, self.theme, self.language, options.data_dir / "window.ini")

    def show(self) -> None:
        """Shows the window first; what is slow comes after the first paint."""
        self.window.show()
        QApplication.processEvents()
        self.session.start()

    def come_to_front(self) -> None:
        """Another start asked for this window."""
        self.window.setWindowState(self.window.windowState() & ~Qt.WindowState.WindowMinimized)
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()

    def close(self) -> None:
        """Ends what runs; partial answers are kept."""
        self.window.close()
        self.session.close()


def new_application() -> QApplication:
    """The one QApplication, named and with its icon."""
    app = QApplication.instance()
    if isinstance(app, QApplication):
        return app
    app = QApplication(["mnemoscope"])
    app.setApplicationName("mnemoscope")
    app.setApplicationDisplayName("Mnemoscope")
    app.setDesktopFileName("mnemoscope")
    picture = QPixmap()
    picture.loadFromData(assets.read_bytes("icons/mnemoscope.svg"))
    app.setWindowIcon(QIcon(picture))
    return app


def run_window(options: Options, *, demo: bool = False) -> int:
    """Opens the window and returns the exit code when it was closed; a second one raises the first."""
    app = new_application()
    options.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    single = SingleWindow(options.data_dir)
    if not single.is_first():
        return 0
    gui = Gui(app, replace(options, profile=DEMO_PROFILE) if demo else options)
    single.raised.connect(gui.come_to_front)
    _report_faults(gui.session)
    for number in (signal.SIGINT, signal.SIGTERM):
        # The session's own timer lets Python see the signal within half a second.
        signal.signal(number, lambda *_: app.quit())
    gui.show()
    code = app.exec()
    gui.close()
    single.close()
    return code


def _report_faults(session: AppSession) -> None:
    """A fault of the program becomes a notice; its trace goes to the terminal."""

    def report(kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
        if isinstance(fault, KeyboardInterrupt):
            QApplication.quit()
            return
        traceback.print_exception(kind, fault, trace)
        session.notice.emit(Notice("errors.unexpected", level=Level.ERROR, details=f"{kind.__name__}: {fault}"))

    sys.excepthook = report
