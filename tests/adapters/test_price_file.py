"""The file of the person's own prices: whole or not at all, damaged ones set aside, other processes' rows seen."""

from __future__ import annotations

import stat
import subprocess
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.adapters.price_file import LOST, RESTORED, ROWS, UNREADABLE, PriceFile
from desktop_app.core.errors import StoreUnavailable
from desktop_app.core.money.price_rows import PriceRow, Rates, row_from
from desktop_app.core.money.written_prices import PriceNotice
from desktop_app.core.words import LANGUAGES, load_words

ROOT = Path(__file__).parents[2]
AMOUNTS = {"input": "3", "output": "15", "write_5m": "3.75", "write_1h": "6", "read": "0.30"}


def row(model: str = "claude-test-1", **fields: Any) -> PriceRow:
    return row_from({"model": model, **AMOUNTS, **fields})


LOCAL = row("llama3:8b", host="http://localhost:11434", input="0")
LONG = row("claude-test-1", above="100_000", **{"from": "2026-12-01"})


def saved(folder: Path, *rows: PriceRow) -> PriceFile:
    file = PriceFile(folder)
    assert file.change(lambda _: list(rows)) == list(rows)
    return file


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_without_a_file_there_are_no_own_prices(tmp_path: Path) -> None:
    file = PriceFile(tmp_path)
    assert (file.load(), file.mark()) == (([], []), None)
    assert names(tmp_path) == []


def test_what_is_saved_comes_back_to_the_last_digit(tmp_path: Path) -> None:
    folder = tmp_path / "새 폴더"
    rows = [row(read="0.000000000001"), LONG, LOCAL]
    saved(folder, *rows)
    assert PriceFile(folder).load() == (rows, [])
    assert names(folder) == ["prices.toml", "prices.toml.good", "prices.toml.lock"]
    assert {stat.S_IMODE(entry.stat().st_mode) for entry in folder.iterdir()} == {0o600}
    text = (folder / "prices.toml").read_text("utf-8")
    assert 'read = "0.30"' in text
    assert "from = 2026-12-01\nabove = 100000\n" in text
    assert 'host = "localhost:11434"' in text
    assert text.count("host = ") == 1


def test_a_file_written_by_hand_is_read(tmp_path: Path) -> None:
    """Plain numbers are taken digit by digit, one entry may name several models."""
    (tmp_path / "prices.toml").write_text(
        '\ufeff[[price]]\nmodels = ["a", "b"]\nhost = "https://Gateway.example.com/v1"\n'
        "input = 3\noutput = 0.1\nwrite_5m = 3.75\nwrite_1h = 6\nread = 0.30\n",
        encoding="utf-8",
    )
    rows, notices = PriceFile(tmp_path).load()
    rates = Rates(Decimal(3), Decimal("0.1"), Decimal("3.75"), Decimal(6), Decimal("0.30"))
    assert rows == [PriceRow(model, rates, "gateway.example.com") for model in ("a", "b")]
    assert notices == []


@pytest.mark.parametrize(
    "bad", [b"", b" \r\n", b"\xef\xbb\xbf\n", b"\0\0\0", b"[[price", b"\xff\xfe", b'{"price": []}', b"input = 3e"]
)
def test_a_damaged_file_is_set_aside_and_the_last_good_copy_used(tmp_path: Path, bad: bytes) -> None:
    file = saved(tmp_path, LOCAL)
    file.path.write_bytes(bad)
    assert file.load() == ([LOCAL], [PriceNotice(RESTORED)])
    assert (tmp_path / "prices.toml.bad").read_bytes() == bad
    assert PriceFile(tmp_path).load() == ([LOCAL], [])
    file.path.write_bytes(b"\0" + bad)
    assert saved(tmp_path, LOCAL).load() == ([LOCAL], [])
    assert (tmp_path / "prices.toml.bad.1").read_bytes() == b"\0" + bad


def test_a_damaged_file_without_a_good_copy_leaves_the_built_in_prices(tmp_path: Path) -> None:
    for name in ("prices.toml", "prices.toml.good"):
        (tmp_path / name).write_bytes(b"[[")
    assert PriceFile(tmp_path).load() == ([], [PriceNotice(LOST)])
    assert (tmp_path / "prices.toml.bad").read_bytes() == b"[["


@pytest.mark.parametrize(
    "change",
    ['input = "-1"', "input = nan", "input = 1e99999999", "input = inf",
     'input = "1e3"', 'input = "x"', "input = true", 'input = "1000001"', "models = []",
     'models = "a"', 'models = [""]', "models = [3]", 'from = "2026-01-01"', "from = 2026-01-01T00:00:00Z",
     "above = -5", "above = true", 'host = "a b"', "host = 3"],
)  # fmt: skip
def test_a_row_that_cannot_be_used_is_left_out_and_the_file_kept(tmp_path: Path, change: str) -> None:
    file = saved(tmp_path, LOCAL)
    name = change.partition(" ")[0]
    values = {"models": '["bad"]', **{kind: f'"{amount}"' for kind, amount in AMOUNTS.items()}}
    lines = [f"{key} = {value}" for key, value in values.items() if key != name]
    broken = file.path.read_bytes() + "\n".join(["\n[[price]]", *lines, change, ""]).encode()
    file.path.write_bytes(broken)
    models = '#2 ""' if change == 'models = [""]' else "#2"
    named = f"{models}: models" if name == "models" else f"#2 bad: {name}"
    for _ in range(2):
        assert file.load() == ([LOCAL], [PriceNotice(ROWS, named)])
    assert names(tmp_path) == ["prices.toml", "prices.toml.bad", "prices.toml.good", "prices.toml.lock"]
    assert (tmp_path / "prices.toml.bad").read_bytes() == broken
    file.change(lambda rows: [*rows, LONG])
    assert file.load() == ([LOCAL, LONG], [])


ROW = "models = ['mine']\n" + "".join(f"{kind} = '{amount}'\n" for kind, amount in AMOUNTS.items())


@pytest.mark.parametrize(
    ("text", "models", "named"),
    [
        (f"[[prices]]\n{ROW}", [], "prices"),
        (f"[[price]]\n{ROW}[[Price]]\n{ROW}", ["mine"], "Price"),
        (f"[[price]]\n{ROW}Host = 'localhost'\n", [], "#1 mine: Host"),
        (f"[[price]]\n{ROW}[[price]]\n{ROW}Host = 'x'\nuntil = 2\nread_1h = 3\nfirm = 1\n", ["mine"],
         "#2 mine: Host, until, read_1h, …"),
        (f"[[price]]\n{ROW.replace('output', 'Output')}", [], "#1 mine: output, Output"),
        (f"[price]\n{ROW}", [], "price"),
        ("price = [1, 2]", [], "#1; #2"),
        ("price = 5", [], "price"),
        ("price = [[{input = 3}]]", [], "#1"),
        ("price = [{}, {models = ['a', 3, 'b\\\\']}]", [],
         "#1: models, input, write_5m, …; #2 a, b\\\\: models, input, write_5m, …"),
        (ROW, [], "models; input; output; write_5m; write_1h; …"),
        (f"dated = 2026-11-30\n[[price]]\n{ROW}", ["mine"], ""),
    ],
)  # fmt: skip
def test_whatever_cannot_be_used_is_named_and_holds_nowhere(
    tmp_path: Path, text: str, models: list[str], named: str
) -> None:
    file = PriceFile(tmp_path)
    file.path.write_text(text, "utf-8")
    rows, notices = file.load()
    assert [one.model for one in rows] == models
    assert notices == ([PriceNotice(ROWS, named)] if named else [])
    assert (tmp_path / "prices.toml.bad").exists() is bool(named)


ODD = st.sampled_from(
    ["1", "-1", "0", "1e400", "-inf", "nan", "9" * 300, "true", "''", "'x'", '"\\u0000\\u202e"', "[]", "[1, 2]",
     "['a', ['b']]",
     "[{a = 1}]", "{}", "{price = [3]}", "2026-12-01", "2026-12-01T00:00:00Z", "07:30:00", "0001-01-01", "9999-12-31",
     "'[::1'", "'//'", "'http://a b'", "'http://x:99999999'", "'\u0661'", "'" + "m" * 100_000 + "'",
     "[" * 200 + "]" * 200]
)  # fmt: skip
FIELD = st.sampled_from(["models", "host", "from", "above", *AMOUNTS, "Host", '""', '"a\\nb"'])


@settings(max_examples=30, derandomize=True, database=None, deadline=None)
@given(st.lists(st.dictionaries(FIELD, ODD, max_size=9), max_size=4), st.booleans(), ODD)
def test_no_content_of_the_file_is_a_fault(entries: list[dict[str, str]], usual: bool, value: str) -> None:
    usable = {"models": "['mine']", **{kind: f"'{amount}'" for kind, amount in AMOUNTS.items()}}
    text = "".join(
        "[[price]]\n" + "".join(f"{name} = {odd}\n" for name, odd in ({**usable, **entry} if usual else entry).items())
        for entry in entries
    )
    for content in (text, f"price = {value}\n", f"price = [{value}, {value}]\n", f"[price]\nx = {value}\n"):
        with TemporaryDirectory() as folder:
            file = PriceFile(Path(folder))
            file.path.write_text(content, "utf-8")
            rows, notices = file.load()
            for notice in notices:
                assert load_words("ko").say(notice.message_id, rows=notice.rows).isprintable()
            # What was taken is what is written and read again.
            file.change(lambda _, rows=rows: rows)
            assert file.load() == (rows, [])


def test_what_cannot_be_read_or_written_is_said_and_kept(tmp_path: Path) -> None:
    file = PriceFile(tmp_path)
    file.path.mkdir()
    assert file.load() == ([], [PriceNotice(UNREADABLE)])
    with pytest.raises(StoreUnavailable) as caught:
        file.change(lambda rows: [*rows, LOCAL])
    assert caught.value.params == {"path": str(file.path)}
    assert names(tmp_path) == ["prices.toml", "prices.toml.lock"]


def test_the_mark_differs_after_every_write_of_anyone(tmp_path: Path) -> None:
    mine, other = PriceFile(tmp_path), PriceFile(tmp_path)
    marks = [mine.mark()]
    for rows in ([LOCAL], [LONG], [LOCAL], []):
        other.change(lambda _, rows=rows: rows)
        marks.append(mine.mark())
    assert len(set(marks)) == 5
    assert mine.load() == ([], [])


ADDER = """
import sys
from pathlib import Path
from desktop_app.adapters.price_file import PriceFile
from tests.adapters.test_price_file import row
for number in range(20):
    PriceFile(Path(sys.argv[1])).change(lambda rows: [*rows, row(f"{sys.argv[2]}-{number}")])
"""


def test_rows_written_by_several_processes_at_once_are_all_there(tmp_path: Path) -> None:
    started = [subprocess.Popen([sys.executable, "-c", ADDER, tmp_path, name], cwd=ROOT) for name in ("a", "b")]
    assert [one.wait(15) for one in started] == [0, 0]
    rows, notices = PriceFile(tmp_path).load()
    assert sorted(one.model for one in rows) == sorted(f"{name}-{number}" for name in "ab" for number in range(20))
    assert notices == []


def test_every_notice_has_its_words() -> None:
    for language in LANGUAGES:
        for notice in (RESTORED, LOST, ROWS, UNREADABLE):
            assert load_words(language).say(notice, rows="#1")


def test_a_day_and_a_length_are_what_tells_rows_apart() -> None:
    assert LONG.place == ("api.anthropic.com", "claude-test-1", date(2026, 12, 1), 100_000)
    assert row(input="9").place == row().place != LONG.place
