"""`mnemoscope prices`: the prices in use as a table or JSON, and the person's own ones."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import note, one_line, table, write, write_json
from desktop_app.cli.sentences import language
from desktop_app.cli.session import make_data_dir
from desktop_app.composition import open_prices, open_settings
from desktop_app.core.money.price_rows import (
    ANY_PROMPT,
    KINDS,
    PRICED_HOST,
    PriceRow,
    host_from,
    model_from,
    plain,
    row_from,
)
from desktop_app.core.words import Words, load_words
from desktop_app.services.prices import PriceService

_MODEL = 60


def show(run: RunOptions) -> int:
    """All rows that hold, the person's own marked."""
    prices, words = _open(run)
    rows = prices.rows()
    if run.as_json:
        write_json({"dated": prices.prices.dated.isoformat(), "prices": [_as_json(row) for row in rows]})
        return 0
    say = words.say
    heads = ("", say("price_list.column.model"), *(say(f"price_list.column.{kind}") for kind in KINDS), "")
    write(table([heads, *(_line(words, row) for row in rows)], "<<>>>>><"))
    write(say("cli.prices.dated", date=prices.prices.dated.isoformat()) + "\n")
    return 0


def put(run: RunOptions, fields: Mapping[str, str]) -> int:
    """Sets a row; raises BadInput for a field that cannot be used, StoreUnavailable."""
    row = row_from(fields)
    prices, words = _open(run)
    prices.put(row)
    return _tell(run, words, "set", row.model, row.host)


def reset(run: RunOptions, model: str, host: str) -> int:
    """Takes the person's rows of a model back; raises BadInput where there are none, StoreUnavailable."""
    prices, words = _open(run)
    model, host = model_from(model), host_from(host)
    prices.reset(model, host)
    known = "reset" if prices.prices.standing(model, host) else "reset_unknown"
    return _tell(run, words, known, model, host)


def _tell(run: RunOptions, words: Words, word: str, model: str, host: str) -> int:
    if run.as_json:
        write_json({"model": model, "host": host, "done": word})
    else:
        write(words.say(f"cli.prices.{word}", model=one_line(model), host=one_line(host)) + "\n")
    return 0


def _line(words: Words, row: PriceRow) -> tuple[str, ...]:
    amounts = (plain(getattr(row.rates, kind)) for kind in KINDS)
    return ("*" if row.own else " ", one_line(row.model, _MODEL), *amounts, _condition(words, row))


def _condition(words: Words, row: PriceRow) -> str:
    """For what the row holds: from which day, for which prompts, where."""
    rates, said = row.rates, []
    if rates.since != date.min:
        said.append(words.say("price_list.from", date=rates.since.isoformat()))
    if rates.above != ANY_PROMPT:
        said.append(words.say("price_list.above", tokens=f"{rates.above:,}"))
    if row.host != PRICED_HOST:
        said.append(row.host)
    return one_line(" · ".join(said))


def _as_json(row: PriceRow) -> dict[str, Any]:
    rates = row.rates
    return {
        "model": row.model,
        "host": row.host,
        **{kind: plain(getattr(rates, kind)) for kind in KINDS},
        "from": None if rates.since == date.min else rates.since.isoformat(),
        "above": None if rates.above == ANY_PROMPT else rates.above,
        "own": row.own,
    }


def _open(run: RunOptions) -> tuple[PriceService, Words]:
    options = run.for_composition()
    make_data_dir(options.data_dir)
    words = load_words(language(open_settings(options).settings.language))
    prices = open_prices(options)
    for notice in prices.take_notices():
        note(words.say(notice.message_id, rows=notice.rows))
    return prices, words
