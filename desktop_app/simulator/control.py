"""The simulator's own endpoints under /_simulator: scenario, features, clock, log, reset."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .features import changed
from .scenario import ScenarioError
from .service import Simulator


def control_routes(simulator: Simulator) -> list[Route]:
    """Routes that change or show the state of one simulator; none needs a key."""

    async def scenario(request: Request) -> Response:
        given = await _json(request)
        try:
            if isinstance(given, dict) and given.get("replace"):
                simulator.scenario.clear()
            waiting = simulator.scenario.push(given)
        except ScenarioError as error:
            return JSONResponse({"error": str(error)}, 400)
        return JSONResponse({"waiting": waiting})

    async def clock(request: Request) -> Response:
        if not simulator.settings.clock_control:
            return JSONResponse({"error": "start the simulator with --clock-control to move its clock"}, 403)
        given = await _json(request)
        seconds = given.get("advance") if isinstance(given, dict) else None
        if not isinstance(seconds, int | float) or isinstance(seconds, bool) or seconds < 0:
            return JSONResponse({"error": 'give {"advance": SECONDS}'}, 400)
        simulator.clock.advance(float(seconds))
        simulator.state.save()
        return JSONResponse({"now": simulator.clock.now()})

    async def features(request: Request) -> Response:
        given = await _json(request)
        try:
            simulator.features = changed(simulator.features, given)
        except ValueError as error:
            return JSONResponse({"error": str(error)}, 400)
        now = simulator.features
        return JSONResponse({"without": sorted(now.without), "least_trigger": now.least_trigger})

    async def log(_: Request) -> Response:
        return JSONResponse({"requests": simulator.recorder.as_json(), "waiting": len(simulator.scenario.steps)})

    async def reset(_: Request) -> Response:
        simulator.reset()
        return JSONResponse({"reset": True})

    return [
        Route("/_simulator/scenario", scenario, methods=["POST"]),
        Route("/_simulator/features", features, methods=["POST"]),
        Route("/_simulator/clock", clock, methods=["POST"]),
        Route("/_simulator/log", log, methods=["GET"]),
        Route("/_simulator/reset", reset, methods=["POST"]),
    ]


async def _json(request: Request) -> Any:
    try:
        return json.loads(await request.body())
    except ValueError:
        return None
