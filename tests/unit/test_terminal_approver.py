"""The question at the terminal: what would go, or be named otherwise, is shown whole; only a yes allows it."""

from __future__ import annotations

import asyncio
import io
from dataclasses import replace

import pytest

from desktop_app.cli.terminal_approver import TerminalApprover
from desktop_app.core.facts import FactDraft
from desktop_app.core.gate import Answer, Proposal, deletion
from desktop_app.core.tool_call import ToolCall
from desktop_app.core.words import load_words
from tests.unit.fact_samples import fact

CALL = ToolCall("default", "c", "m", "t1", "Away with it.")
COFFEE = fact(1, "coffee", "dark\x1b[2J roast", category="taste")


@pytest.mark.parametrize(("typed", "answer"), [("y\n", Answer.ALLOWED), ("e\n", Answer.DENIED), ("", Answer.DENIED)])
def test_a_deletion_is_asked_without_editing(
    typed: str, answer: Answer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    asking = TerminalApprover(load_words("en")).ask(deletion(CALL, [COFFEE, fact(2, "tea", "green")], "/memories/x/"))
    assert asyncio.run(asking).answer is answer
    shown = capsys.readouterr().err
    assert "wants to delete from memory: /memories/x/" in shown
    assert "deleted: tea: green" in shown
    assert "\x1b" not in shown
    assert "[e]dit" not in shown


def test_a_new_name_is_shown_beside_the_old_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("예\n"))
    moved = FactDraft("커피", COFFEE.value, "taste")
    proposal = replace(Proposal(CALL, FactDraft("/memories/taste/coffee.md", "")), moves=((COFFEE, moved),))
    assert asyncio.run(TerminalApprover(load_words("ko")).ask(proposal)).answer is Answer.ALLOWED
    shown = capsys.readouterr().err
    assert "지금 이름: taste / coffee" in shown
    assert "바꿀 이름: taste / 커피" in shown
