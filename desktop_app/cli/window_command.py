"""`mnemoscope` without a command: the window, or the tour through it."""

from __future__ import annotations

from pathlib import Path

from desktop_app.cli.options import RunOptions
from desktop_app.cli.session import make_data_dir
from desktop_app.composition import end_connections, start_connections


def open_window(run: RunOptions, *, demo: bool) -> int:
    """Shows the window until it is closed; `demo` uses the Demo profile."""
    options = run.for_composition()
    make_data_dir(options.data_dir)
    connections = start_connections()
    try:
        # Qt is imported while the other process imports the SDK.
        from desktop_app.gui import run_window

        return run_window(options, connections, demo=demo)
    finally:
        end_connections(connections)


def play_tour(directory: Path) -> int:
    """Drives the window by itself and leaves pictures and `tour.json` in `directory`."""
    from desktop_app.tour import run_tour

    folder = directory.expanduser()
    make_data_dir(folder)
    return run_tour(folder)
