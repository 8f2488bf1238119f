"""`mnemoscope import`: an export file into the profile, and what became of it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import note, write, write_json
from desktop_app.cli.session import open_session

_COUNTS = ("conversations_added", "conversations_grown", "messages_added", "unchanged", "skipped")


async def import_file(run: RunOptions, file: Path) -> int:
    """Raises ImportRefused with nothing kept when the file cannot be used."""
    async with open_session(run) as session:
        report = await session.services.importing.import_file(file, session.profile)
        say = session.words.say
        if run.as_json:
            write_json(asdict(report))
            return 0
        counts = {name: getattr(report, name) for name in _COUNTS}
        lines = [say(f"cli.import.{name}", n=count) for name, count in counts.items() if count]
        write("\n".join(lines or [say("cli.import.nothing")]) + "\n")
        for warning in report.warnings:
            note(say(warning))
    return 0
