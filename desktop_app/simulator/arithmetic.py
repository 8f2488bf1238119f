"""Arithmetic expressions in a sentence: found, not evaluated (that is the tool's work)."""

from __future__ import annotations

import re

_RUN = re.compile(r"[(\d.][\d\s().+\-*/×÷^%]*[\d)]")
_OPERATION = re.compile(r"[\d)]\s*(?:\*\*|[+*/×÷^%\-−])\s*[\d(.\-]")
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|(?<!\d)\d+(?:-\d+){2,}|\d{1,2}/\d{1,2}/\d{2,4}")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_INTENT = re.compile(
    r"\bcalculat|\bcomput|\bwhat(?:'s| is)\b|\bhow much\b|\bsolve\b|\bevaluate\b|"
    r"=\s*\??\s*$|계산|얼마|몇|더하|곱하|나누",
    re.IGNORECASE,
)


def expressions(text: str) -> list[str]:
    """The expressions a message asks to calculate, in order, each once; [] where it asks for none."""
    plain = _DATE.sub(" ", _THOUSANDS.sub("", text))
    found = [run.strip() for run in _RUN.findall(plain)]
    found = [run.replace("×", "*").replace("÷", "/").replace("−", "-") for run in found if _OPERATION.search(run)]
    bare = bool(found) and not re.search(r"[A-Za-z가-힣]", plain)
    return list(dict.fromkeys(found)) if found and (bare or _INTENT.search(text)) else []
