"""Arithmetic as a tool: exact decimal results of an expression, nothing else."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from decimal import Context, Decimal, DecimalException

from desktop_app.core.conversation import Block
from desktop_app.core.ports import ToolError
from desktop_app.core.settings import ProfileSettings
from desktop_app.core.tool_call import ToolCall

_MOST_LETTERS = 500
_MOST_EXPONENT = 1000
_CONTEXT = Context(prec=34)
_BINARY: dict[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: _CONTEXT.add,
    ast.Sub: _CONTEXT.subtract,
    ast.Mult: _CONTEXT.multiply,
    ast.Div: _CONTEXT.divide,
    ast.FloorDiv: lambda left, right: _floor_divide(left, right)[0],
    ast.Mod: lambda left, right: _floor_divide(left, right)[1],
}
_BY_ZERO = "Division by zero."
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "^": "**"})
# Only commas that group thousands may go: 3,5 is no number here, and must not become 35.
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")


_DEFINITION: Block = {
    "name": "calculator",
    "description": (
        "Evaluates one arithmetic expression exactly and returns the number. Call it when the answer depends on a "
        "calculation with more than two digits; call it once for each expression."
    ),
    "input_schema": {
        "type": "object",
        "properties": {
            "expression": {
                "type": "string",
                "description": "Numbers, + - * / // % ** and parentheses, for example (12.5 + 7) * 3",
            }
        },
        "required": ["expression"],
        "additionalProperties": False,
    },
}


class Calculator:
    """The built-in tool `calculator`."""

    @property
    def definition(self) -> Block:
        """The tool as the API takes it."""
        return _DEFINITION

    @property
    def waits_for_person(self) -> bool:
        """It reckons by itself."""
        return False

    def offered(self, _profile: ProfileSettings) -> bool:
        """Wherever tools are."""
        return True

    async def run(self, arguments: Mapping[str, object], _call: ToolCall) -> str:
        """The result as plain digits; raises ToolError for what is not arithmetic."""
        expression = arguments.get("expression")
        if not isinstance(expression, str) or not expression.strip():
            raise ToolError("The argument `expression` is missing or not a text.")
        return calculate(expression)


def calculate(expression: str) -> str:
    """The exact value of an expression in 34 significant digits; raises ToolError."""
    if len(expression) > _MOST_LETTERS:
        raise ToolError(f"The expression is longer than {_MOST_LETTERS} characters.")
    try:
        source = _GROUPED.sub(lambda number: number[0].replace(",", ""), expression.translate(_SIGNS).strip())
        value = _value(ast.parse(source, mode="eval").body, source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ToolError(f"Not an arithmetic expression: {expression}") from error
    except DecimalException as error:
        raise ToolError(_why(error)) from error
    return _digits(value)


def _value(node: ast.expr, source: str) -> Decimal:
    match node:
        case ast.Constant(value=bool()):
            raise ValueError("not a number")
        case ast.Constant(value=int(number)):
            return Decimal(number)
        case ast.Constant(value=float()):
            # The digits as written: a float would keep 17 of them.
            return Decimal(ast.get_source_segment(source, node) or "")
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _CONTEXT.minus(_value(operand, source))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand, source)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_value(left, source), _value(right, source))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left, source), _value(right, source))
    raise ValueError("not arithmetic")


def _power(base: Decimal, exponent: Decimal) -> Decimal:
    if operator.abs(exponent) > _MOST_EXPONENT:
        raise ToolError(f"The exponent is larger than {_MOST_EXPONENT}.")
    return _CONTEXT.power(base, exponent)


def _digits(value: Decimal) -> str:
    if not value.is_finite():
        raise ToolError("The result is not a finite number.")
    if value == value.to_integral_value() and value.adjusted() < 34:
        return str(value.quantize(Decimal(1), context=Context(prec=40)))
    return str(value.normalize(_CONTEXT))


def _floor_divide(left: Decimal, right: Decimal) -> tuple[Decimal, Decimal]:
    """Quotient rounded down and the remainder that goes with it, which has the sign of the divisor."""
    if not right:
        raise ToolError(_BY_ZERO)
    quotient, rest = _CONTEXT.divide_int(left, right), _CONTEXT.remainder(left, right)
    if rest and (rest < 0) != (right < 0):
        return _CONTEXT.subtract(quotient, Decimal(1)), _CONTEXT.add(rest, right)
    return quotient, rest


def _why(error: DecimalException) -> str:
    name = type(error).__name__
    return _BY_ZERO if "Division" in name else "The result is not a finite number."
