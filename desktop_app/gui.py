"""Puts bridge and ui on top of a composition; owns start and shutdown of the window."""

from __future__ import annotations

import signal
import sys
import threading
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QApplication

from desktop_app import assets
from desktop_app.bridge.garbage import Garbage
from desktop_app.composition import Options, open_services, open_settings
from desktop_app.core.redaction import print_exception
from desktop_app.core.settings import DEMO_PROFILE
from desktop_app.ui.theme import Theme
from desktop_app.ui.window_frame import WindowFrame

if TYPE_CHECKING:
    from subprocess import Popen

    from desktop_app.bridge.app_session import AppSession
    from desktop_app.ui.main_window import MainWindow


class Gui(QObject):
    """The window with everything behind it.

    `show` returns once the frame is painted; `window` and `session` exist when `built` was emitted,
    the data opens after that (`session.ready`).
    """

    built = Signal()
    _imported = Signal()

    def __init__(self, app: QApplication, options: Options, connections: Popen[bytes] | None = None) -> None:
        super().__init__()
        # Collecting would only stop the GUI thread again and again until all is open.
        self._garbage = Garbage(self)
        self._options = options
        self._connections = connections
        self._settings = open_settings(options)
        chosen = self._settings.settings
        self._window_file = options.data_dir / "window.ini"
        self.theme = Theme(app)
        self.theme.use_system_font(chosen.system_font)
        self.theme.apply(chosen.theme)
        self.frame = WindowFrame(self.theme, self._window_file)
        self.window: MainWindow | None = None
        self.session: AppSession | None = None
        self._importing: threading.Thread | None = None
        self._imported.connect(self._build, Qt.ConnectionType.QueuedConnection)

    def show(self) -> None:
        """Shows the frame first; whatever is slow comes after its first paint."""
        self.frame.show()
        QApplication.processEvents()
        self._importing = threading.Thread(target=self._import_window, name="importing", daemon=True)
        self._importing.start()

    def _import_window(self) -> None:
        import desktop_app.bridge.app_session
        import desktop_app.ui.main_window  # noqa: F401

        self._imported.emit()

    @Slot()
    def _build(self) -> None:
        from desktop_app.bridge.app_session import AppSession
        from desktop_app.ui.language import Language
        from desktop_app.ui.main_window import MainWindow

        options, settings, connections = self._options, self._settings, self._connections
        self.session = AppSession(settings, lambda: open_services(options, settings, connections=connections))
        for opened in (self.session.ready, self.session.startFailed):
            opened.connect(self._garbage.start)
        self.session.start()
        language = Language(settings.settings.language)
        self.window = MainWindow(self.session, self.theme, language, self._window_file, self.frame)
        self.frame.set_content(self.window)
        self.built.emit()

    @Slot()
    def come_to_front(self) -> None:
        """Another start asked for this window."""
        self.frame.setWindowState(self.frame.windowState() & ~Qt.WindowState.WindowMinimized)
        self.frame.show()
        self.frame.raise_()
        self.frame.activateWindow()

    def close(self) -> None:
        """Ends what runs; partial answers are kept."""
        if self._importing is not None:
            self._importing.join()
        self._imported.disconnect(self._build)
        self.frame.close()
        if self.session is not None:
            self.session.close()
        self._garbage.stop()


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


def run_window(options: Options, connections: Popen[bytes], *, demo: bool = False) -> int:
    """Opens the window and returns the exit code when it was closed; a second one raises the first."""
    from desktop_app.bridge.qt_messages import redacted_qt_messages
    from desktop_app.bridge.single_window import SingleWindow

    app = new_application()
    options.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    single = SingleWindow(options.data_dir)
    if not single.is_first():
        return 0
    gui = Gui(app, replace(options, profile=DEMO_PROFILE) if demo else options, connections)
    single.raised.connect(gui.come_to_front)
    _report_faults(gui)
    for number in (signal.SIGINT, signal.SIGTERM):
        # The session's own timer lets Python see the signal within half a second.
        signal.signal(number, lambda *_: app.quit())
    with redacted_qt_messages():
        gui.show()
        code = app.exec()
        gui.close()
    single.close()
    return code


def _report_faults(gui: Gui) -> None:
    """A fault of the program becomes a notice; its trace goes to the terminal."""

    def report(kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
        if isinstance(fault, KeyboardInterrupt):
            QApplication.quit()
            return
        print_exception(kind, fault, trace)
        if gui.session is not None:
            gui.session.tell_fault(fault)

    sys.excepthook = report
