"""What the commands about facts have in common: the fact a word names, and one change told in one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from desktop_app.cli.fact_history import change_json
from desktop_app.cli.fact_list import SHORT_ID, SHORTEST_ID, fact_json, fact_named
from desktop_app.cli.output import one_line, write, write_json
from desktop_app.cli.session import Session
from desktop_app.core.errors import BadInput, FactPinned
from desktop_app.core.facts import GONE, Fact, FactAction, FactChange, FactState, same_key

_VALUE = 200


async def find_in(session: Session, name: str, *states: FactState) -> Fact | None:
    """The fact in one of these states with this key or id: there may be one of the same key in another state."""
    for fact in await session.services.memory.facts(*states):
        if same_key(fact.key) == same_key(name) or _names(name, fact.id):
            return fact
    return None


async def pending_named(session: Session, name: str) -> str:
    """The id of the proposal with this key or id; raises FactNotFound, BadInput for a fact that does not wait."""
    fact = await find_in(session, name, FactState.PENDING)
    if fact is None:
        there = await fact_named(session, name)
        raise BadInput(what=name, why=f"fact_waits_not_{there.state}")
    return fact.id


async def standing_named(session: Session, name: str) -> Fact:
    """The fact with this key or id; raises FactNotFound, BadInput for one that was deleted or denied."""
    fact = await fact_named(session, name)
    if fact.state in GONE:
        raise BadInput(what=name, why=f"fact_is_{fact.state}")
    return fact


@contextmanager
def naming_even_pinned() -> Iterator[None]:
    """Where a pinned fact is in the way, the option that says that it may go is named; raises BadInput."""
    try:
        yield
    except FactPinned as error:
        raise BadInput(what=str(error.params["name"]), why="fact_pinned_option") from None


def tell(session: Session, change: FactChange, more: str = "", word: str = "", **params: str) -> int:
    """One change as a line or as JSON; `word` is its id below `cli.facts`, `more` is told on a line of its own."""
    if session.as_json:
        write_json({**change_json(change), "fact": fact_json(change.after)})
        return 0
    word = word or change.action.value
    if change.action in (FactAction.UNDONE, FactAction.RESTORED):
        word = f"{change.action}_{_STANDS.get(change.after.state, 'kept')}"
    said = session.words.say(
        f"cli.facts.{word}",
        key=one_line(change.after.key),
        value=one_line(change.after.value, _VALUE),
        command=session.command("facts", "restore", change.fact_id[:SHORT_ID]),
        **params,
    )
    # A command stands at the end of its line, to be copied from there.
    write("".join(f"{line}\n" for line in (said, more) if line))
    return 0


_STANDS = {
    FactState.DELETED: "deleted",
    FactState.DENIED: "deleted",
    FactState.PENDING: "pending",
    FactState.PAUSED: "aside",
    FactState.ARCHIVED: "aside",
    FactState.SUPERSEDED: "aside",
}


def _names(given: str, fact_id: str) -> bool:
    """Whether a text is the beginning of an id, and long enough to be meant as one."""
    return len(given) >= SHORTEST_ID and fact_id.startswith(given)
