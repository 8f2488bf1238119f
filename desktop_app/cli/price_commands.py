"""The commands under `mnemoscope prices`: what holds, a price of one's own, and back to the built-in one."""

from __future__ import annotations

from typing import Annotated

import typer

from desktop_app.cli.groups import PLAIN
from desktop_app.cli.options import RunOptions, takes_run_options

prices = typer.Typer(name="prices", invoke_without_command=True, **PLAIN)
_MODEL = typer.Argument(metavar="MODEL", help="The id of the model.")
_HOST = typer.Option("--host", metavar="HOST", help="Where it is asked: host or base URL; Anthropic by default.")


def _amount(name: str, what: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(name, metavar="USD", help=f"USD per million {what}.")
    return option


@prices.callback()
@takes_run_options
def list_prices(run: RunOptions, context: typer.Context) -> int:
    """List the prices in use, USD per million tokens. Your own are marked."""
    from desktop_app.cli import price_list

    return 0 if context.invoked_subcommand is not None else price_list.show(run)


@prices.command("list")
@takes_run_options
def list_all(run: RunOptions) -> int:
    """List the prices in use, USD per million tokens. Your own are marked."""
    from desktop_app.cli import price_list

    return price_list.show(run)


@prices.command("set")
@takes_run_options
def set_price(
    run: RunOptions,
    of: Annotated[str, _MODEL],
    uncached: Annotated[str, _amount("--input", "uncached input tokens")],
    output: Annotated[str, _amount("--output", "output tokens")],
    write_5m: Annotated[str, _amount("--write-5m", "tokens written to the five-minute cache")],
    write_1h: Annotated[str, _amount("--write-1h", "tokens written to the one-hour cache")],
    read: Annotated[str, _amount("--read", "tokens read from the cache")],
    since: Annotated[str, typer.Option("--from", metavar="DATE", help="The first day (UTC) it holds.")] = "",
    above: Annotated[
        str, typer.Option("--above", metavar="N", help="It holds for requests of more than N input tokens.")
    ] = "",
    host: Annotated[str, _HOST] = "",
) -> int:
    """Set a price of your own for MODEL; it takes the place of the built-in prices of that model.

    With --from or --above the other prices of the model stay beside it.
    """
    from desktop_app.cli import price_list

    fields = {
        "model": of, "input": uncached, "output": output, "write_5m": write_5m, "write_1h": write_1h,
        "read": read, "from": since, "above": above, "host": host,
    }  # fmt: skip
    return price_list.put(run, fields)


@prices.command()
@takes_run_options
def reset(run: RunOptions, of: Annotated[str, _MODEL], host: Annotated[str, _HOST] = "") -> int:
    """Take your own prices of MODEL back; the built-in ones hold again, if there are any."""
    from desktop_app.cli import price_list

    return price_list.reset(run, of, host)
