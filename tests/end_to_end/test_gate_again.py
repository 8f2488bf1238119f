"""The gate when something is done again: each answer is asked about, and what is allowed by rule has its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from desktop_app.core.conversation import Role
from desktop_app.core.facts import FactState
from desktop_app.core.gate import DENIED, Answer, Proposal, Verdict
from desktop_app.services.turn import TurnControl
from tests.end_to_end.memory_stage import Person, in_house, kept
from tests.fakes.house import House
from tests.fakes.simulator import RunningSimulator

TOLD = "Remember that my bicycle is green."
CALLS: dict[str, tuple[str, dict[str, str]]] = {
    "own": ("save_memory", {"key": "bicycle", "value": "red"}),
    "files": ("memory", {"command": "create", "path": "/memories/bicycle.md", "file_text": "red"}),
}


def saying(*answers: bool) -> Person:
    """A person who answers in this order; another question is an error."""
    left = iter(answers)

    def act(proposal: Proposal) -> Verdict:
        return Verdict(Answer.ALLOWED, proposal.draft) if next(left) else DENIED

    return Person(act)


@pytest.mark.parametrize("kind", CALLS)
def test_each_answer_given_again_is_asked_about_and_a_yes_counts_once(
    tmp_path: Path, simulator: RunningSimulator, kind: str
) -> None:
    name, arguments = CALLS[kind]
    call: dict[str, Any] = {"type": "tool_use", "id": "toolu_same", "name": name, "input": arguments}

    async def test(house: House) -> None:
        house.services.gate.approver = person = saying(False, False, True)
        simulator.control({"action": "reply", "content": [call], "match": {"task": "none"}})
        talk = await house.ask("I have a bicycle.")
        question = (await house.path(talk))[0]
        assert question.role is Role.USER
        for yes in (False, True):
            assert await kept(house, *FactState) == {}
            simulator.control({"action": "reply", "content": [call], "match": {"task": "none"}})
            await house.services.chat.answer_again(question.id, house.events.append, TurnControl())
            assert (await kept(house) == {"bicycle": "red"}) is yes
        assert len(person.asked) == 3, "also where the endpoint gives the call the same id"

    in_house(tmp_path, simulator, test, memory_tool=kind)


def test_saving_by_itself_holds_in_its_profile_only_and_until_it_is_taken_back(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        house.services.gate.approver = person = saying(False, False)
        settings = house.services.settings
        await house.ask(TOLD)
        assert (await kept(house), person.asked) == ({"bicycle": "green"}, [])
        settings.use_profile(settings.add_profile("work"))
        settings.use_in_profile(base_url=simulator.url, extract="off")
        await house.ask(TOLD)
        assert (await kept(house, *FactState), len(person.asked)) == ({}, 1), "the other profile asks"
        settings.use_profile("demo")
        settings.use_in_profile(gate="ask")
        await house.ask("Remember that my umbrella is black.")
        assert (await kept(house), len(person.asked)) == ({"bicycle": "green"}, 2), "taken back, it asks at once"

    in_house(tmp_path, simulator, test, gate="auto")
