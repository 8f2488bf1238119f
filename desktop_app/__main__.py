"""Starts Mnemoscope: the window or a command, whichever the arguments ask for."""

from __future__ import annotations

import sys

from desktop_app.core import redaction


def main() -> int:
    """The entry point of `mnemoscope` and of `python -m desktop_app`; returns the exit code."""
    redaction.install()
    if sys.argv[1:2] == ["simulator"]:
        # The child process of the simulated assistant starts without the libraries of the rest.
        from desktop_app.simulator.__main__ import main as simulate

        return simulate(sys.argv[2:])
    if sys.argv[1:] == ["endpoints"]:
        # The child process of the window that holds its connections.
        from desktop_app.adapters.endpoint_process.host import main as hold_endpoints

        return hold_endpoints()
    if sys.argv[1:2] == ["document-text"]:
        # The child process that parses a document.
        from desktop_app.adapters.document_files.parsing import main as parse_document

        return parse_document(sys.argv[2:])
    from desktop_app.cli import main as run_command

    return run_command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
