"""What survives five compactions by our strategies and by three common ones, the summariser at its worst."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from desktop_app.core.compaction.compaction import Strategy
from desktop_app.core.errors import AppError
from tests.benchmarks.compaction_baselines import BASELINES
from tests.benchmarks.compaction_chats import Chat, chat_of, locomo
from tests.benchmarks.compaction_figures import cost_share, likeness, own_work
from tests.benchmarks.compaction_ours import OURS, PROFILE, OurTalk, imported, share_in_archive
from tests.benchmarks.compaction_rounds import HEADER, Row, play
from tests.benchmarks.report import Figure, Report
from tests.fakes.house import open_house
from tests.fakes.simulator import RunningSimulator

SHARED = Path(__file__).parents[3] / "shared"
CASES = Path(os.environ.get("COMPACTION_CASES", SHARED / "cases" / "files"))
TALKS = Path(os.environ.get("LOCOMO_FILE", SHARED / "data" / "locomo" / "locomo-1to5.json"))
FOLDED, SAVED, EXAMPLES = 80, 75, 5
IN_ARCHIVE = 0
"""In place of a round."""


def chats(report: Report) -> list[Chat]:
    """The chats that are at hand."""
    found = []
    if (needle := CASES / "needle_chat.json").is_file():
        found.append(chat_of(needle, CASES / "needle_chat.must_keep.txt"))
    if (long := CASES / "long_chat_2000.json").is_file():
        found.append(chat_of(long))
    if len(found) < 2:
        report.skipped.append(f"needle_chat or long_chat_2000: not at {CASES}; COMPACTION_CASES names another folder")
    return [*found, *talks(report)]


def talks(report: Report) -> list[Chat]:
    """LoCoMo's talks where they are at hand."""
    if TALKS.is_file():
        return locomo(TALKS)
    report.skipped.append(f"LoCoMo: not at {TALKS}; LOCOMO_FILE names another file")
    return []


async def ours(chat: Chat, strategy: Strategy, simulator: RunningSimulator, folder: Path) -> Row:
    """One of our strategies on one chat."""
    row = Row(strategy.value, chat.name)
    async with open_house(folder / "data", simulator.url, **PROFILE) as house:
        talk = OurTalk(house, await imported(house, chat, folder), strategy, simulator)
        try:
            judge = await play(talk, chat, row, folder.parent / "log")
        except AppError as error:
            row.fault = f"{type(error).__name__} in round {len(row.folds) + 1}"
            return row
        if strategy is Strategy.WINDOW:
            row.found, missing = await share_in_archive(house, talk.talk, judge.named, judge.values)
            if missing:
                row.lost[IN_ARCHIVE] = missing
    return row


async def baseline(chat: Chat, name: str, simulator: RunningSimulator, folder: Path) -> Row:
    """One of the common ways on one chat."""
    row = Row(name, chat.name, ours=False)
    await play(BASELINES[name](simulator, chat), chat, row, folder.parent / "log")
    return row


async def play_all(found: Sequence[Chat], ways: Sequence[str]) -> list[Row]:
    """Every way on every chat; says on the way what it did."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        log = Path(name) / "log"
        with RunningSimulator("--memo", "worst", record=log) as simulator:
            for chat, way in product(found, ways):
                simulator.reset()
                folder = Path(name) / f"{len(rows)}"
                folder.mkdir()
                began = time.monotonic()
                rows.append(await play_one(chat, way, simulator, folder))
                print(f"{way}, {chat.name}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
                for file in log.glob("*.json"):
                    file.unlink()
    return rows


async def play_one(chat: Chat, way: str, simulator: RunningSimulator, folder: Path) -> Row:
    """One way on one chat."""
    if way in BASELINES:
        return await baseline(chat, way, simulator, folder)
    return await ours(chat, Strategy(way), simulator, folder)


def figures_of(rows: Sequence[Row]) -> list[Figure]:
    """The least of all rows of ours against the targets; of the baselines only how much they fold."""
    whole = [row for row in rows if not row.fault]
    own = [row for row in whole if row.ours]
    folded = [one.folded for row in whole for one in row.folds]
    kept = [share for row in own if row.strategy != Strategy.WINDOW for share in row.kept]
    found = [row.found for row in own if row.found is not None]
    rounds = sum(len(row.folds) for row in own)
    of_all = [one.saved_of_all for row in own for one in row.folds if one.saved_of_all is not None]
    figures = [Figure("runs that failed", len(rows) - len(whole), 0)]
    figures += [Figure("least folded", _least(folded), FOLDED, " %", at_least=True)] if rows else []
    figures += [Figure("least kept", _least(kept), 100, " %", at_least=True)] if kept else []
    figures += [Figure("least found in the archive (window)", _least(found), 100, " %", at_least=True)] if found else []
    if own:
        figures += [
            Figure("requests without a rule", rounds - sum(row.rules for row in own), 0),
            Figure("requests without the last question", rounds - sum(row.questions for row in own), 0),
            Figure("least saved", _least([one.saved for row in own for one in row.folds]), SAVED, " %", at_least=True),
            Figure("least saved of all messages it stands for", _least(of_all), unit=" %"),
        ]
    return figures


def _least(shares: Sequence[float]) -> float:
    """The least of them in percent; 0 where there is none."""
    return 100 * min(shares, default=0.0)


def tell_lost(rows: Sequence[Row]) -> None:
    """Examples of what was not there: in a request after a summary of ours, in the archive after a window."""
    for row in rows:
        for number, lost in row.lost.items():
            if row.ours and (row.strategy == Strategy.WINDOW) == (number == IN_ARCHIVE):
                where = "archive" if number == IN_ARCHIVE else f"round {number}"
                print(f"lost: {row.strategy}, {row.chat}, {where}: {len(lost)}, as {' | '.join(lost[:EXAMPLES])}")


async def measure(arguments: argparse.Namespace) -> Report:
    """The table, then the other figures unless a chat of one's own is judged."""
    report = Report("compaction", HEADER)
    found = [chat_of(arguments.chat, arguments.keep, arguments.rule)] if arguments.chat else chats(report)
    rows = await play_all(found, arguments.only or [*(one.value for one in OURS), *BASELINES])
    tell_lost(rows)
    report.rows = [row.cells() for row in rows]
    report.figures = figures_of(rows)
    if arguments.chat is None and not arguments.only:
        talks_of_two = [chat for chat in found if chat.name.startswith("locomo")]
        report.figures += [*await cost_share(), *await own_work(), *await likeness(talks_of_two)]
    return report


def read_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chat", type=Path, metavar="FILE", help="an export whose first conversation is judged alone")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="the values that must survive, one a line")
    parser.add_argument("--rule", help="the standing rule in that chat (the person's first message)")
    parser.add_argument("--only", action="append", metavar="STRATEGY", help="a strategy to run alone; may come again")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser.parse_args()


if __name__ == "__main__":
    given = read_arguments()
    sys.exit(asyncio.run(measure(given)).finish(given.json))
