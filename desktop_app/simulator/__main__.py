"""Command line of the simulator: `python -m desktop_app.simulator --port N ...`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from .app import build_app
from .features import EVERYTHING, LEAST_TRIGGER, changed
from .memo_modes import FAITHFUL, MODES
from .modes import Modes
from .scenario import ScenarioError
from .server import serve
from .service import Settings, Simulator
from .task_modes import RIGHT, TASK_MODES


def main(argv: list[str]) -> int:
    """Run the simulator until it is stopped; 0 for a clean end, 2 where it could not start."""
    options = _parser().parse_args(argv)
    try:
        settings = Settings(
            options.speed,
            options.scenario,
            options.record,
            options.state,
            options.clock_control,
            Modes(options.memo, options.extraction, options.judging),
            changed(EVERYTHING, {"without": options.without, "least_trigger": options.least_trigger}),
        )
        simulator = Simulator(settings)
        if settings.scenario is not None:
            simulator.scenario.push(json.loads(settings.scenario.read_text("utf-8")))
        try:
            serve(build_app(simulator), options.port, options.parent_pid, options.watch_stdin)
        finally:
            _keep_state(simulator)
    except (OSError, OverflowError, ScenarioError, ValueError) as error:
        sys.stderr.write(f"The simulator could not start: {error}\n")
        return 2
    return 0


def _keep_state(simulator: Simulator) -> None:
    try:
        simulator.state.close()
    except OSError as error:
        sys.stderr.write(f"The simulator could not keep its cache: {error}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mnemoscope simulator", description="A stand-in for Anthropic's servers on this computer."
    )
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1; 0 picks a free one")
    parser.add_argument("--scenario", type=Path, help="JSON file with faults and scripted answers")
    parser.add_argument("--record", type=Path, help="folder that gets every request body")
    parser.add_argument("--state", type=Path, help="file that keeps prompt cache and fingerprints between runs")
    parser.add_argument("--speed", type=float, default=80.0, help="tokens per second of streams; 0 = at once")
    parser.add_argument("--clock-control", action="store_true", help="let the control endpoint move the clock")
    parser.add_argument("--memo", choices=MODES, default=FAITHFUL, help="how summaries are written")
    parser.add_argument("--extraction", choices=TASK_MODES, default=RIGHT, help="how extractions are answered")
    parser.add_argument("--judging", choices=TASK_MODES, default=RIGHT, help="how judgements are answered")
    parser.add_argument("--without", action="append", default=[], help="a capability that no model has")
    parser.add_argument(
        "--least-trigger", type=int, default=LEAST_TRIGGER, help="lowest threshold of a compaction, in tokens"
    )
    parser.add_argument("--parent-pid", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--watch-stdin", action="store_true", help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
