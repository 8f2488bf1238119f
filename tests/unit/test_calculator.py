"""The calculator answers arithmetic exactly and refuses everything else, without ever running it."""

from __future__ import annotations

import asyncio
import builtins

import pytest

from desktop_app.core.calculator import Calculator, calculate
from desktop_app.core.ports import ToolError
from desktop_app.core.tool_call import ToolCall

CALL = ToolCall("default", "c", "m", "t")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1+1", "2"),
        ("(12.5 + 7) * 3", "58.5"),
        ("0.1 + 0.2", "0.3"),
        ("1/3", "0.3333333333333333333333333333333333"),
        ("2**100", "1267650600228229401496703205376"),
        ("2^10", "1024"),
        ("12 × 34 − 8 ÷ 2", "404"),
        ("7 // 2", "3"),
        ("7 % 3", "1"),
        ("-2 ** 2", "-4"),
        ("+5 - -5", "10"),
        ("1,234,567.5 + 0.5", "1234568"),
        ("1_000 * 2", "2000"),
        ("0x10", "16"),
        ("1e3", "1000"),
        ("4 * 0.25", "1"),
        ("100 * 1.10", "110"),
        ("9007199254740993.5 - 9007199254740993", "0.5"),
        ("1.00000000000000000001 * 2", "2.00000000000000000002"),
        ("-1234567890123456789012345678901234", "-1234567890123456789012345678901234"),
        ("1e400", "1E+400"),
        ("10 ** -3", "0.001"),
        ("  3 + 4  ", "7"),
    ],
)
def test_results(expression: str, value: str) -> None:
    assert calculate(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        "x", "abs(1)", "__import__('os')", "open", "1 if 1 else 2", "[1]", "(1, 2)", "'a'", "'a' * 3", "1j", "True",
        "None", "1 < 2", "1 and 2", "~1", "1 << 2", "1 @ 2", "lambda: 1", "f'{1}'", "(x := 1)", "1; 2", "1 +", "", ")",
        "3,5", "1,0000", "1\n+2", "1\x00", "½", "١", "…", "1..real", "(1).real",
    ],
)  # fmt: skip
def test_what_is_not_arithmetic_is_refused(expression: str) -> None:
    with pytest.raises(ToolError, match="Not an arithmetic expression"):
        calculate(expression)


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("1/0", "Division by zero"),
        ("7 // 0", "Division by zero"),
        ("0/0", "not a finite number"),
        ("(-8) ** 0.5", "not a finite number"),
        ("9 ** 9 ** 9", "exponent is larger than 1000"),
        ("2 ** -1001", "exponent is larger than 1000"),
        ("1" * 501, "longer than 500"),
    ],
)
def test_what_has_no_result_says_why(expression: str, why: str) -> None:
    with pytest.raises(ToolError, match=why):
        calculate(expression)


@pytest.mark.parametrize(
    "expression", ["(" * 249 + "1" + ")" * 249, "-" * 499 + "1", "(9**1000)**1000", "1+" * 249 + "1"]
)
def test_long_nests_end_in_a_result_or_a_refusal(expression: str) -> None:
    try:
        assert calculate(expression)
    except ToolError:
        return


def test_names_are_never_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[object] = []
    monkeypatch.setattr(builtins, "eval", called.append)
    monkeypatch.setattr(builtins, "exec", called.append)
    monkeypatch.setattr(builtins, "planted", called.append, raising=False)
    for expression in ("planted(1)", "planted", "1 + planted", "eval('1')"):
        with pytest.raises(ToolError):
            calculate(expression)
    assert calculate("1+1") == "2"
    assert called == []


def test_as_a_tool() -> None:
    tool = Calculator()
    assert tool.definition["name"] == "calculator"
    assert tool.definition["input_schema"]["required"] == ["expression"]
    assert asyncio.run(tool.run({"expression": "2*21", "other": 1}, CALL)) == "42"


@pytest.mark.parametrize("arguments", [{}, {"expression": None}, {"expression": 5}, {"expression": "  "}, {"x": "1"}])
def test_a_call_without_expression_is_told_so(arguments: dict[str, object]) -> None:
    with pytest.raises(ToolError, match="missing or not a text"):
        asyncio.run(Calculator().run(arguments, CALL))


@pytest.mark.parametrize(
    ("expression", "value"), [("-7 % 3", "2"), ("7 % -3", "-2"), ("-7 // 2", "-4"), ("7 // 2", "3"), ("-6 // 3", "-2")]
)
def test_whole_division_rounds_down_and_the_remainder_follows(expression: str, value: str) -> None:
    assert calculate(expression) == value


@pytest.mark.parametrize("expression", ["7 % 0", "7 // 0", "7 / 0", "0 % 0"])
def test_division_by_zero_is_said(expression: str) -> None:
    with pytest.raises(ToolError):
        calculate(expression)
