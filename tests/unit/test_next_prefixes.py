"""What of the cache the next request on a path begins with: other versions, memos, refusals and open turns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from desktop_app.core.cache.forecast import PointPart
from desktop_app.core.cache.next_prefixes import warm_prefixes
from desktop_app.core.cache.prediction import WarmPoint, stops_of
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.context import plan_context
from desktop_app.core.context_budget import make_budget
from desktop_app.core.conversation import Message
from desktop_app.core.models import Features
from desktop_app.core.prompt import Choices, build_request
from desktop_app.core.request import Request
from desktop_app.core.token_estimate import TokenEstimator
from tests.unit.fact_samples import START
from tests.unit.message_samples import EPOCH, call, path_of, reply, result, results, thinking, user

QUESTION = user("What is 1+1?")
CALL, ANSWER = reply(thinking("Count."), call("a", expression="1+1"), stop_reason="tool_use"), results(result("a"))
LONG = path_of(QUESTION, CALL, ANSWER)


def sent(path: list[Message], memo: Compaction | None = None) -> tuple[Request, dict[str, WarmPoint]]:
    """The request that answers a path, and every place of it kept in the cache."""
    plan = plan_context(path, EPOCH, memo)
    request = build_request(plan, Choices(16_000), Features())
    budget = make_budget(plan, TokenEstimator(), {}, reserve=1, window=None)
    stops = stops_of(request, plan, budget, request.prefix_digests(EPOCH.endpoint), EPOCH.endpoint)
    until = START + timedelta(minutes=5)
    return request, {one.point.digest: WarmPoint(one.point.digest, one.point.tokens, "5m", until) for one in stops}


def found(before: list[Message], path: Sequence[Message], memo: Compaction | None = None) -> list[int]:
    """The numbers of messages behind which the next request on a path finds something of the earlier one."""
    request, warm = sent(before)
    places = warm_prefixes(request, path, EPOCH, memo, warm)
    assert all(point.tokens > 0 and stop.point.digest == point.digest for stop, point in places)
    assert [stop.point.part for stop, _ in places[:2]] == [PointPart.FIXED, PointPart.HEAD]
    return [stop.point.place for stop, _ in places[2:]]


def test_a_path_that_goes_on_finds_all() -> None:
    assert found(LONG, path_of(*LONG, reply("2"))) == [1, 2, 3]


def test_an_answer_of_another_version_finds_what_stands_before_it() -> None:
    assert found(LONG, path_of(QUESTION, reply("Two."))) == [1]


def test_another_question_finds_what_stands_before_the_messages() -> None:
    assert found(LONG, path_of(user("What is 2+2?"), reply("4"))) == []
    assert found(LONG, []) == []


def test_a_call_without_its_result_is_found_and_the_result_is_not() -> None:
    assert found(LONG, path_of(QUESTION, CALL)) == [1, 2]


def test_a_turn_that_was_refused_is_not_sent_again() -> None:
    first = [QUESTION, reply("2")]
    refused = path_of(*first, user("Something forbidden."), reply("No.", stop_reason="refusal"))
    assert found(refused[:3], refused) == [1, 2]


def test_a_memo_made_since_leaves_only_what_stands_before_the_messages() -> None:
    path = path_of(QUESTION, reply("2"), user("And 2+2?"), reply("4"))
    assert found(path[:3], path, memo_until(path[1])) == []


def test_the_memo_is_found_where_the_message_behind_it_is_another() -> None:
    first = [QUESTION, reply("2")]
    path, edited = path_of(*first, user("And 2+2?")), path_of(*first, user("And 3+3?"), reply("6"))
    request, warm = sent(path, memo_until(path[1]))
    places = warm_prefixes(request, edited, EPOCH, memo_until(edited[1]), warm)
    assert [stop.point.part for stop, _ in places] == [PointPart.FIXED, PointPart.HEAD, PointPart.MEMO]


def memo_until(message: Message) -> Compaction:
    """A memo of all down to a message."""
    return Compaction("k", "c", message.id, "They count.", 1, 0, 0, START, EPOCH.model, 1.0, "r")
