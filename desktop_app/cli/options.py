"""Options every command takes, before or after its name: declared once, merged into one value."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from desktop_app.adapters.own_process import DATABASE_URL
from desktop_app.cli.failures import guarded

if TYPE_CHECKING:
    from desktop_app.composition import Options

_KEYWORD = inspect.Parameter.KEYWORD_ONLY


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What holds for one run. Each field is an option, as Typer reads it; None leaves the setting."""

    data_dir: Annotated[Path | None, typer.Option("--data-dir", metavar="DIR", help="Folder the data lives in.")] = None
    profile: Annotated[str | None, typer.Option("--profile", help="Profile to use; demo needs no key.")] = None
    base_url: Annotated[str | None, typer.Option("--base-url", metavar="URL", help="Where requests go.")] = None
    model: Annotated[str | None, typer.Option("--model", metavar="ID", help="Model to send to.")] = None
    lang: Annotated[Literal["en", "ko"] | None, typer.Option("--lang", help="Language of messages.")] = None
    database_url: Annotated[
        str | None,
        typer.Option("--database-url", metavar="URL", help="PostgreSQL instead of the file in the data folder."),
    ] = None
    chroma_url: Annotated[
        str | None, typer.Option("--chroma-url", metavar="URL", help="Chroma server instead of the index folder.")
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False

    def with_later(self, later: RunOptions) -> RunOptions:
        """These options with those given further right, which win."""
        return RunOptions(**{part.name: getattr(later, part.name) or getattr(self, part.name) for part in fields(self)})

    def for_composition(self) -> Options:
        """The same as the composition takes them."""
        from desktop_app.composition import Options, default_data_dir

        folder = self.data_dir.expanduser() if self.data_dir else default_data_dir()
        # The environment keeps a password out of the list of processes.
        database = self.database_url or os.environ.get(DATABASE_URL) or None
        return Options(folder, self.profile, self.base_url, self.model, self.lang, database, self.chroma_url)


def takes_run_options(command: Callable[..., int]) -> Callable[..., int]:
    """A Typer command out of a function whose first parameter is `run: RunOptions`.

    The options appear in the help of every command, and those given before its name are merged in.
    """
    shared = get_type_hints(RunOptions, include_extras=True)
    own = get_type_hints(command, include_extras=True)
    del own["run"], own["return"]
    defaults = {name: part.default for name, part in inspect.signature(command).parameters.items()}
    defaults |= {part.name: part.default for part in fields(RunOptions)}
    hints: dict[str, Any] = {"context": typer.Context, **own, **shared}

    @wraps(command)
    def merged(**values: Any) -> int:
        context = values.pop("context")
        given = RunOptions(**{name: values.pop(name) for name in shared})
        context.obj = (context.obj or RunOptions()).with_later(given)
        if "context" in own:
            values["context"] = context
        return guarded(context.obj, lambda: command(context.obj, **values))

    merged.__annotations__ = hints
    merged.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(name, _KEYWORD, annotation=hint, default=defaults.get(name, inspect.Parameter.empty))
            for name, hint in hints.items()
        ]
    )
    return merged
