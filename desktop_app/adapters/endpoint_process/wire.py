"""The values of `core.ports.Endpoints` as plain JSON and back."""

from __future__ import annotations

from typing import Any, TypeVar, get_args

from pydantic import TypeAdapter

from desktop_app.adapters.endpoint_process.lines import Line
from desktop_app.core import errors
from desktop_app.core.endpoints import Endpoint, LocalServer
from desktop_app.core.models import ModelInfo
from desktop_app.core.request import Request
from desktop_app.core.stream import StreamEvent

T = TypeVar("T")
_KINDS: dict[str, TypeAdapter[Any]] = {
    kind.__name__: TypeAdapter(kind) for kind in (Endpoint, LocalServer, ModelInfo, Request, *get_args(StreamEvent))
}


def plain(value: object) -> Line:
    """One of the values as JSON, its kind beside it."""
    kind = type(value).__name__
    fields: dict[str, Any] = _KINDS[kind].dump_python(value)
    for name, field in fields.items():
        if isinstance(field, frozenset):
            fields[name] = sorted(field)
    return {"kind": kind, "fields": fields}


def value(line: Line, kind: type[T]) -> T:
    """The value again; raises ValueError for anything that is none of this kind."""
    found = _KINDS[line["kind"]].validate_python(line["fields"])
    if not isinstance(found, kind):
        raise ValueError(f"{line['kind']} is no {kind.__name__}")
    return found


def event(line: Line) -> StreamEvent:
    """An event of an answer."""
    found: StreamEvent = _KINDS[line["kind"]].validate_python(line["fields"])
    return found


def plain_error(error: Exception) -> Line:
    """An error with all the person is told of it; a fault of the program becomes Unexpected."""
    if not isinstance(error, errors.AppError):
        return {"kind": "Unexpected", "details": f"{type(error).__name__}: {error}", "params": {}}
    waiting = error.retry_after if isinstance(error, errors.EndpointError) else None
    params = {**error.params, **({"retry_after": waiting} if waiting is not None else {})}
    return {"kind": type(error).__name__, "details": error.details, "params": params}


def error(line: Line) -> errors.AppError:
    """The error again."""
    kind = getattr(errors, line["kind"])
    made: errors.AppError = kind(line["details"], **line["params"])
    return made
