"""Why a request missed the cache: the right culprit for every kind of change, what it cost, what the API says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from desktop_app.core.cache.causes import Cause, SentRequest
from desktop_app.core.cache.culprit import Agreement, Culprit, agreement, find_culprit, miss_report
from desktop_app.core.cache.diagnosis import CacheDiagnosis, DiagnosisKind
from desktop_app.core.cache.forecast import CacheForecast, CachePoint
from desktop_app.core.cache.miss_words import cause_words, place_words
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.conversation import Epoch, Message, text_block
from desktop_app.core.fact_block import make_block
from desktop_app.core.fact_notes import MessageNotes, NoteKind, note_of
from desktop_app.core.money.pricing import load_prices
from desktop_app.core.prompt import Choices, with_diagnosis
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestPurpose, RequestState
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Usage
from desktop_app.core.words import load_words
from tests.unit.fact_samples import START, fact
from tests.unit.message_samples import EPOCH, PICTURE, TOOLS, path_of, reply, thinking, user
from tests.unit.sent_samples import NOON, sent, with_record

PRICES = load_prices()
WRITTEN = Usage(uncached=5, write_5m=10_000, write_1h=0, read=0, output=100)
MISSED = Usage(uncached=5, write_5m=10_100, write_1h=0, read=0, output=100)
READ = Usage(uncached=5, write_5m=100, write_1h=0, read=10_000, output=100)
FIRST = path_of(user("Where are the backups?"))
SECOND = path_of(user("Where are the backups?"), reply(thinking("Disk."), "On the blue disk."), user("And the keys?"))
THIRD = path_of(*SECOND, reply("In the drawer."), user("Thanks"))
FACTS = [fact(1, "city", "Seoul"), fact(2, "cat", "Mia"), fact(3, "car", "red")]


def with_facts(*facts: Any, **more: Any) -> Epoch:
    return replace(EPOCH, facts=make_block(facts or FACTS, 4_000, len).text, **more)


def noted(path: Sequence[Message], *facts: Any) -> list[Message]:
    """The path with facts told beside its first message."""
    notes = MessageNotes(1, tuple(note_of(one, NoteKind.RECALLED) for one in facts))
    return [replace(path[0], notes=notes), *path[1:]]


def memo(until: str, text: str = "They look for things.") -> Compaction:
    return Compaction("k", "c", until, text, 1, 0, 0, START, EPOCH.model, 1.0, "r")


def found(before: SentRequest, after: SentRequest, **more: Any) -> Culprit:
    return find_culprit(before, after, PRICES, **more)


def after_epoch(old: Epoch, new: Epoch, **record: Any) -> Culprit:
    """The culprit between two requests of one conversation, the later one in another epoch."""
    return found(sent(FIRST, old, usage=WRITTEN), sent(SECOND, new, usage=MISSED, minute=1, **record))


def after_params(params: dict[str, Any], path: Sequence[Message] = SECOND) -> Culprit:
    """The culprit between two requests, the later one with other settings."""
    before, after = sent(FIRST, usage=WRITTEN), sent(path, usage=MISSED, minute=1)
    request = replace(after.request, params={**after.request.params, **params})
    return found(before, replace(after, request=request))


# -- nothing to blame ----------------------------------------------------------------------------


def test_what_was_read_is_no_miss() -> None:
    culprit = found(sent(FIRST, usage=WRITTEN), sent(SECOND, usage=READ, minute=1))
    assert (culprit.cause, culprit.lost_tokens, culprit.also) == (Cause.NONE, 0, ())


def test_a_few_tokens_are_noise_and_the_difference_is_still_named() -> None:
    other = path_of(*SECOND[:-1], user("And the locks?"))
    usage = Usage(uncached=5, write_5m=60, read=10_060, output=1)
    culprit = found(sent(SECOND, usage=MISSED, minute=1), sent(other, usage=usage, minute=2))
    assert (culprit.cause, culprit.also, culprit.lost_tokens) == (Cause.NONE, (Cause.MESSAGE,), 0)
    assert agreement(culprit, CacheDiagnosis(DiagnosisKind.MESSAGES_CHANGED, 40)) is Agreement.AGREES


def test_the_first_request_has_nothing_to_miss() -> None:
    assert find_culprit(None, sent(FIRST, usage=WRITTEN), PRICES) == Culprit(Cause.FIRST, lost_tokens=0)
    failed = sent(FIRST, state=RequestState.FAILED).record
    culprit = find_culprit(None, sent(FIRST, usage=WRITTEN), PRICES, between=[failed])
    assert culprit.cause is Cause.NOT_STARTED


def test_where_nobody_tells_of_a_cache_nothing_is_known_to_be_lost() -> None:
    silent = Usage(uncached=10_000, output=1)
    culprit = found(sent(FIRST, usage=silent), sent(SECOND, usage=silent, minute=1))
    assert (culprit.cause, culprit.lost_tokens, culprit.lost_usd) == (Cause.UNREPORTED, None, None)
    for kind in (DiagnosisKind.NONE, DiagnosisKind.MESSAGES_CHANGED):
        assert agreement(culprit, CacheDiagnosis(kind)) is Agreement.SILENT
    for language, said in (("en", "is unknown"), ("ko", "알 수 없습니다")):
        assert said in cause_words(load_words(language), culprit)
    other = found(sent(FIRST, usage=silent), sent(SECOND, replace(EPOCH, system="New"), usage=silent, minute=1))
    assert (other.cause, other.lost_tokens, other.lost_usd) == (Cause.INSTRUCTIONS, None, None)


# -- settings ------------------------------------------------------------------------------------


def test_another_endpoint() -> None:
    culprit = after_epoch(EPOCH, EPOCH, host="127.0.0.1:8080")
    assert (culprit.cause, culprit.was, culprit.is_now) == (Cause.ENDPOINT, "api.anthropic.com", "127.0.0.1:8080")
    assert culprit.lost_usd is None


def test_the_simulated_assistant_is_the_same_one_at_another_port() -> None:
    before = sent(FIRST, usage=WRITTEN, host="127.0.0.1:43227")
    read = sent(SECOND, usage=READ, minute=1, host="127.0.0.1:41593")
    culprit = found(before, read, simulated=True)
    assert (culprit.cause, culprit.also) == (Cause.NONE, ())
    missed = sent(SECOND, usage=MISSED, minute=1, host="127.0.0.1:41593")
    assert found(before, missed, simulated=True).cause is Cause.UNEXPLAINED
    dear = sent(SECOND, replace(EPOCH, system="New"), usage=MISSED, minute=1)
    culprit = found(sent(FIRST, usage=WRITTEN), dear, simulated=True)
    assert (culprit.cause, culprit.lost_tokens, culprit.lost_usd) == (Cause.INSTRUCTIONS, 10_000, None)


def test_another_model_is_named_with_what_the_lost_tokens_cost() -> None:
    culprit = after_epoch(EPOCH, replace(EPOCH, model="claude-opus-5-5"))
    assert (culprit.cause, culprit.was, culprit.is_now) == (Cause.MODEL, "claude-sonnet-5-5", "claude-opus-5-5")
    assert culprit.lost_tokens == 10_000
    # Opus 5.5 writes at $5 and reads at $0.20 per million.
    assert culprit.lost_usd == Decimal("0.048")


def test_what_was_sent_uncached_costs_the_input_rate() -> None:
    usage = Usage(uncached=4_000, write_5m=2_000, write_1h=4_000, read=0, output=1)
    after = sent(SECOND, replace(EPOCH, system="New"), usage=usage, minute=1)
    # Sonnet 5.5: an hour $4, five minutes $2.50, uncached $2, reading $0.10.
    expected = 4_000 * Decimal("3.9") + 2_000 * Decimal("2.4") + 4_000 * Decimal("1.9")
    assert found(sent(FIRST, usage=WRITTEN), after).lost_usd == expected / 1_000_000


@pytest.mark.parametrize(
    ("params", "cause", "was", "is_now"),
    [
        ({"speed": "fast"}, Cause.SPEED, "standard", "fast"),
        ({"tool_choice": {"type": "any"}}, Cause.TOOL_CHOICE, "auto", "any"),
        ({"tool_choice": {"type": "auto"}}, Cause.UNEXPLAINED, "", ""),
        ({"thinking": {"type": "disabled"}}, Cause.THINKING, "adaptive", "disabled"),
        ({"thinking": {"type": "adaptive", "display": "omitted"}}, Cause.UNEXPLAINED, "", ""),
        ({"output_config": {"effort": "low"}}, Cause.EFFORT, "high", "low"),
        ({"output_config": {"effort": "medium"}}, Cause.EFFORT, "high", "medium"),
        ({"output_config": {}}, Cause.UNEXPLAINED, "", ""),  # high is what this model works with by itself
        (
            {"max_tokens": 5, "stream": False, "stop_sequences": ["x"], "diagnostics": {"previous_message_id": "m"}},
            Cause.UNEXPLAINED,
            "",
            "",
        ),
    ],
)
def test_settings(params: dict[str, Any], cause: Cause, was: str, is_now: str) -> None:
    culprit = after_params(params)
    assert (culprit.cause, culprit.was, culprit.is_now) == (cause, was, is_now)
    if cause is not Cause.UNEXPLAINED:
        assert culprit.difference is not None
        assert (culprit.difference.part, culprit.difference.byte) == ("params", 0)
        assert culprit.difference.after.endswith(is_now)


@pytest.mark.parametrize(
    ("model", "effort", "cause"),
    [
        ("claude-opus-5-5", "medium", Cause.UNEXPLAINED),
        ("claude-opus-5-5", "high", Cause.EFFORT),
        ("claude-opus-4-5-20251101", "high", Cause.UNEXPLAINED),
        ("model-of-a-friend", "high", Cause.EFFORT),
    ],
)
def test_the_usual_effort_written_out_is_no_change(model: str, effort: str, cause: Cause) -> None:
    epoch = replace(EPOCH, model=model)
    before = sent(FIRST, epoch, choices=Choices(16_000), usage=WRITTEN)
    after = sent(SECOND, epoch, choices=Choices(16_000, effort), usage=MISSED, minute=1)
    assert (found(before, after).cause, found(before, after).also) == (cause, ())
    back = sent(SECOND, epoch, choices=Choices(16_000), usage=MISSED, minute=1)
    there = sent(FIRST, epoch, choices=Choices(16_000, effort), usage=WRITTEN)
    assert found(there, back).cause is cause


def test_another_model_with_another_usual_effort_has_changed_the_model_alone() -> None:
    before = sent(FIRST, EPOCH, choices=Choices(16_000), usage=WRITTEN)
    after = sent(SECOND, replace(EPOCH, model="claude-opus-5-5"), choices=Choices(16_000), usage=MISSED, minute=1)
    assert (found(before, after).cause, found(before, after).also) == (Cause.MODEL, ())


def test_images_that_come_or_go_spoil_all_messages() -> None:
    seen = path_of(*SECOND[:-1], user("What is this?", PICTURE))
    culprit = found(sent(FIRST, usage=WRITTEN), sent(seen, usage=MISSED, minute=1))
    assert (culprit.cause, culprit.was, culprit.is_now) == (Cause.IMAGES, "0", "1")
    later = path_of(*seen, reply("A dot."), user("And this?", PICTURE))
    again = found(sent(seen, usage=MISSED), sent(later, usage=MISSED, minute=1))
    assert (again.cause, again.was, again.is_now) == (Cause.IMAGES, "1", "2")
    assert found(sent(seen, usage=WRITTEN), sent(later, usage=READ, minute=1)).cause is Cause.NONE


def test_citing_from_a_document_spoils_what_follows_the_tools() -> None:
    paper = {"type": "document", "source": {"type": "text", "data": "x"}, "citations": {"enabled": True}}
    cited = path_of(*SECOND[:-1], user("Cite it.", paper))
    culprit = found(sent(FIRST, usage=WRITTEN), sent(cited, usage=MISSED, minute=1))
    assert (culprit.cause, culprit.was, culprit.is_now) == (Cause.CITATIONS, "off", "on")


# -- tools ---------------------------------------------------------------------------------------


def tool(name: str) -> dict[str, Any]:
    return {"name": name, "description": "", "input_schema": {"type": "object"}}


def test_a_tool_that_came_or_went_is_named() -> None:
    more = replace(EPOCH, tools=(TOOLS[0], tool("notes"), TOOLS[1]))
    came, went = after_epoch(EPOCH, more), after_epoch(more, EPOCH)
    assert (came.cause, came.name, came.also) == (Cause.TOOL_ADDED, "notes", ())
    assert came.difference is not None
    assert (came.difference.part, came.difference.block, came.difference.before) == ("tools", 1, "")
    assert came.difference.after.startswith('{"name":"notes"')
    assert (went.cause, went.name, went.also) == (Cause.TOOL_REMOVED, "notes", ())


def test_one_tool_for_another_is_both_a_new_and_a_missing_one() -> None:
    culprit = after_epoch(EPOCH, replace(EPOCH, tools=(TOOLS[0], tool("notes"))))
    assert (culprit.cause, culprit.name, culprit.also) == (Cause.TOOL_ADDED, "notes", (Cause.TOOL_REMOVED,))


def test_tools_in_another_order() -> None:
    culprit = after_epoch(EPOCH, replace(EPOCH, tools=TOOLS[::-1]))
    assert (culprit.cause, culprit.name, culprit.also) == (Cause.TOOL_ORDER, "read_file", ())
    assert (culprit.was, culprit.is_now) == ("calculator, read_file", "read_file, calculator")


def test_a_tool_described_in_other_words_or_written_in_another_order_of_keys() -> None:
    for other in ({**TOOLS[1], "description": "Reads a file."}, dict(reversed(TOOLS[1].items()))):
        culprit = after_epoch(EPOCH, replace(EPOCH, tools=(TOOLS[0], other)))
        assert (culprit.cause, culprit.name) == (Cause.TOOL_CHANGED, "read_file")


def test_a_tool_described_in_other_words_since_an_update_is_the_programs_doing() -> None:
    other = replace(EPOCH, tools=(TOOLS[0], {**TOOLS[1], "description": "Reads a file."}))
    before = sent(FIRST, usage=WRITTEN, app_version="1.0")
    culprit = found(before, sent(SECOND, other, usage=MISSED, minute=1, app_version="1.1"))
    assert (culprit.cause, culprit.name, culprit.was, culprit.is_now) == (Cause.APP_VERSION, "read_file", "1.0", "1.1")


def test_other_rules_of_memory_since_an_update_are_the_programs_doing() -> None:
    old, new = (
        replace(EPOCH, memory_rules=f"<memory_rules>\n{text}\n</memory_rules>") for text in ("One note.", "One lesson.")
    )
    for after, cause in (
        (new, Cause.APP_VERSION),
        (replace(EPOCH, memory_rules=""), Cause.APP_VERSION),
        (replace(new, system="Be brief."), Cause.INSTRUCTIONS),
    ):
        before = sent(FIRST, old, usage=WRITTEN, app_version="1.0")
        assert found(before, sent(SECOND, after, usage=MISSED, minute=1, app_version="1.1")).cause is cause


# -- instructions and facts ----------------------------------------------------------------------


def test_the_first_differing_byte_counts_from_the_beginning_of_the_prefix() -> None:
    culprit = after_epoch(EPOCH, replace(EPOCH, system="You are 정확한 비서."))
    assert culprit.cause is Cause.INSTRUCTIONS
    difference = culprit.difference
    assert difference is not None
    assert (difference.part, difference.block, difference.segment) == ("system", 0, Segment.SYSTEM)
    assert (difference.before, difference.after) == ("You are 정확한 도우미.", "You are 정확한 비서.")
    ahead = "".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in TOOLS)
    assert difference.byte == len((ahead + '{"type":"text","text":"You are 정확한 ').encode())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Today is Monday.\nBe brief.", "Today is Tuesday.\nBe brief."),
        ("Date: 2026-11-29", "Date: 2026-11-30"),
        ("It is 14:02 now.", "It is 14:03 now."),
        ("오늘은 2026년 11월 29일입니다.", "오늘은 2026년 11월 30일입니다."),
        ("Session 3f2504e0-4f89-11d3-9a0c-0305e82c3301.", "Session 3f2504e0-4f89-11d3-9a0c-0305e82c3302."),
    ],
)
def test_a_date_a_time_or_a_random_id_in_the_instructions(old: str, new: str) -> None:
    culprit = after_epoch(replace(EPOCH, system=old), replace(EPOCH, system=new))
    assert culprit.cause is Cause.DATE
    assert (culprit.was, culprit.is_now) == (old.split("\n", maxsplit=1)[0], new.split("\n", maxsplit=1)[0])


def test_words_beside_a_date_that_stays_are_the_instructions() -> None:
    old, new = (replace(EPOCH, system=f"2026-11-30. Be {how}.") for how in ("brief", "kind"))
    assert after_epoch(old, new).cause is Cause.INSTRUCTIONS


@pytest.mark.parametrize(
    ("facts", "key", "was", "is_now"),
    [
        ([fact(1, "city", "Busan"), *FACTS[1:]], "city", "Seoul", "Busan"),
        ([FACTS[0], FACTS[2]], "cat", "Mia", ""),
        (FACTS[:2], "car", "red", ""),
        ([*FACTS, fact(4, "dog", 'Rex "the\nDog"')], "dog", "", 'Rex "the\nDog"'),
        ([fact(0, "age", "41"), *FACTS], "age", "", "41"),
    ],
)
def test_the_fact_behind_another_block_is_named(facts: list[Any], key: str, was: str, is_now: str) -> None:
    culprit = after_epoch(with_facts(), with_facts(*facts))
    assert (culprit.cause, culprit.name, culprit.was, culprit.is_now) == (Cause.FACT, key, was, is_now)
    assert culprit.difference is not None
    assert (culprit.difference.segment, culprit.difference.block) == (Segment.FACTS, 1)


@pytest.mark.parametrize(
    ("facts", "name", "en", "ko"),
    [
        (
            [fact(1, "city", "Busan"), FACTS[1]],
            "car, city",
            "Facts in the beginning changed: car (deleted), city (changed).",
            "앞부분의 사실들이 바뀌었습니다: car(삭제됨), city(바뀜).",
        ),
        (
            [FACTS[0], FACTS[2]],
            "cat",
            "A fact in the beginning changed: cat (deleted).",
            "앞부분의 사실이 바뀌었습니다: cat(삭제됨).",
        ),
        (
            [fact(1, "city", "Busan"), *FACTS[1:]],
            "city",
            "A fact in the beginning changed: city.",
            "앞부분의 사실이 바뀌었습니다: city.",
        ),
        (
            [fact(2, "cat", "Mori"), fact(4, "dog", "Rex"), fact(5, "tea", "green")],
            "city, car, cat",
            "Facts in the beginning changed: city (deleted), car (deleted), cat (changed), 2 more.",
            "앞부분의 사실들이 바뀌었습니다: city(삭제됨), car(삭제됨), cat(바뀜), 그 밖에 2개.",
        ),
    ],
)
def test_every_fact_of_a_renewed_block_is_named_the_deleted_first(
    facts: list[Any], name: str, en: str, ko: str
) -> None:
    culprit = after_epoch(with_facts(), with_facts(*facts))
    assert (culprit.cause, culprit.name) == (Cause.FACT, name)
    assert cause_words(load_words("en"), culprit) == en
    assert cause_words(load_words("ko"), culprit) == ko


def test_the_place_of_a_renewed_block_is_that_of_its_first_difference() -> None:
    culprit = after_epoch(with_facts(), with_facts(fact(1, "city", "Busan"), FACTS[1]))
    assert culprit.difference is not None
    assert (culprit.difference.name, culprit.difference.before) == ("city", '- "city": "Seoul"')
    assert "› city, byte 7" in place_words(load_words("en"), culprit, "7")
    assert (culprit.was, culprit.is_now) == ("red", "")


def test_facts_in_another_place_and_a_block_that_came_or_went() -> None:
    order = make_block(FACTS, 4_000, len).text.splitlines()
    turned = replace(EPOCH, facts="\n".join([*order[:2], order[3], order[2], *order[4:]]))
    assert after_epoch(with_facts(), turned).cause is Cause.FACT
    for culprit in (after_epoch(EPOCH, with_facts()), after_epoch(with_facts(), EPOCH)):
        assert (culprit.cause, culprit.name) == (Cause.FACT, "city")


def test_other_words_of_the_program_around_the_facts() -> None:
    old = with_facts()
    culprit = after_epoch(old, replace(old, facts=old.facts.replace("Data, not instructions", "Data only")))
    assert culprit.cause is Cause.APP_VERSION


def test_instructions_and_facts_together_name_both() -> None:
    culprit = after_epoch(with_facts(), with_facts(*FACTS[:2], system="Be kind."))
    assert (culprit.cause, culprit.also) == (Cause.INSTRUCTIONS, (Cause.FACT,))


# -- messages ------------------------------------------------------------------------------------


def test_an_edited_message_is_named_by_its_number() -> None:
    edited = path_of(*SECOND[:2], user("And the spare keys?"), *THIRD[3:])
    culprit = found(sent(THIRD, usage=WRITTEN), sent(edited, usage=MISSED, minute=1))
    assert (culprit.cause, culprit.name) == (Cause.MESSAGE, "3")
    assert culprit.difference is not None
    assert (culprit.difference.before, culprit.difference.after) == ("And the keys?", "And the spare keys?")


def test_a_branch_that_ends_earlier_differs_where_it_ends() -> None:
    culprit = found(sent(THIRD, usage=WRITTEN), sent(SECOND, usage=MISSED, minute=1))
    assert (culprit.cause, culprit.name) == (Cause.MESSAGE, "4")
    assert culprit.difference is not None
    assert (culprit.difference.before, culprit.difference.after) == ("In the drawer.", "")


def test_what_was_told_of_facts_beside_a_message_is_named_by_key() -> None:
    before = sent(noted(SECOND, *FACTS[:2]), usage=WRITTEN)
    changed = found(before, sent(noted(THIRD, fact(1, "city", "Busan"), FACTS[1]), usage=MISSED, minute=1))
    assert (changed.cause, changed.name, changed.was, changed.is_now) == (Cause.NOTE, "city", "Seoul", "Busan")
    gone = found(before, sent(THIRD, usage=MISSED, minute=1))
    assert (gone.cause, gone.name, gone.is_now) == (Cause.NOTE, "city", "")
    one_less = found(before, sent(noted(THIRD, FACTS[0]), usage=MISSED, minute=1))
    assert (one_less.cause, one_less.name, one_less.was) == (Cause.NOTE, "cat", "Mia")


def test_a_memo_that_came_changed_or_went() -> None:
    plain, folded = sent(SECOND, usage=WRITTEN), sent(THIRD, memo=memo("m1"), usage=MISSED, minute=1)
    assert found(plain, folded).cause is Cause.FOLDED
    other = sent(THIRD, memo=memo("m1", "They found them."), usage=MISSED, minute=2)
    assert found(replace(folded, record=replace(folded.record, usage=WRITTEN)), other).cause is Cause.FOLDED
    taken_back = sent(THIRD, usage=MISSED, minute=3)
    assert found(replace(other, record=replace(other.record, usage=WRITTEN)), taken_back).cause is Cause.FOLDED


def test_thinking_that_is_no_longer_sent() -> None:
    culprit = found(sent(SECOND, usage=WRITTEN), sent(THIRD, replace(EPOCH, number=2), usage=MISSED, minute=1))
    assert (culprit.cause, culprit.name, culprit.also) == (Cause.THINKING_LEFT, "2", ())
    edited = path_of(*SECOND[:2], user("And the spare keys?"), *THIRD[3:])
    both = found(sent(THIRD, usage=WRITTEN), sent(edited, replace(EPOCH, number=2), usage=MISSED, minute=1))
    assert (both.cause, both.also) == (Cause.THINKING_LEFT, (Cause.MESSAGE,))


def test_causes_are_told_in_the_order_the_cache_reads() -> None:
    edited = path_of(user("Where is the backup?"), *SECOND[1:])
    other = replace(EPOCH, model="claude-opus-5-5", system="Be kind.", tools=TOOLS[:1])
    after = sent(edited, other, usage=MISSED, minute=90, choices=Choices(16_000, "low"))
    culprit = found(sent(FIRST, usage=WRITTEN), after)
    assert (culprit.cause, *culprit.also) == (
        Cause.MODEL,
        Cause.TOOL_REMOVED,
        Cause.INSTRUCTIONS,
        Cause.EFFORT,
        Cause.MESSAGE,
        Cause.EXPIRED,
    )


# -- nothing differs -----------------------------------------------------------------------------


def test_sent_too_late() -> None:
    culprit = found(sent(FIRST, usage=WRITTEN), sent(SECOND, usage=MISSED, minute=6))
    assert (culprit.cause, culprit.was, culprit.is_now) == (Cause.EXPIRED, "5m", "360")
    assert culprit.lost_tokens == 10_000


def test_an_hour_and_another_request_keep_a_prefix_alive() -> None:
    before, after = sent(FIRST, usage=WRITTEN), sent(SECOND, usage=MISSED, minute=6)
    point = before.record.points[0]
    long = replace(before, record=replace(before.record, points=(replace(point, lifetime="1h"),)))
    assert found(long, after).cause is Cause.UNEXPLAINED
    assert found(long, sent(SECOND, usage=MISSED, minute=61)).was == "1h"
    beside = sent(FIRST, usage=READ, minute=4).record
    assert found(before, after, between=[beside]).cause is Cause.UNEXPLAINED


def test_too_small_to_be_kept() -> None:
    small = Usage(uncached=700, write_5m=0, write_1h=0, read=0, output=1)
    culprit = found(sent(FIRST, usage=small), sent(SECOND, usage=replace(small, uncached=800), minute=1))
    assert (culprit.cause, culprit.is_now, culprit.lost_tokens) == (Cause.TOO_SMALL, "700", 0)


def test_more_than_twenty_blocks_between_the_marks() -> None:
    many = path_of(*SECOND[:-1], user(*(f"part {number}" for number in range(25))))
    after = sent(many, usage=MISSED, minute=1)
    last_only = replace(after.request, marks=after.request.marks[-1:])
    culprit = found(sent(FIRST, usage=WRITTEN), replace(after, request=last_only))
    # The thinking and the text of the answer, and the parts of the question.
    assert (culprit.cause, culprit.was, culprit.is_now) == (Cause.LOOK_BACK, "20", "27")


def test_an_answer_that_never_began_left_nothing() -> None:
    before = sent(FIRST, state=RequestState.FAILED)
    culprit = found(before, sent(SECOND, usage=MISSED, minute=1))
    assert (culprit.cause, culprit.lost_tokens) == (Cause.NOT_STARTED, 0)


def test_a_request_without_marks_leaves_nothing() -> None:
    nothing = Usage(uncached=10_000, write_5m=0, write_1h=0, read=0, output=1)
    before = sent(FIRST, usage=nothing)
    bare = replace(before, request=replace(before.request, marks=()))
    assert found(bare, sent(SECOND, usage=MISSED, minute=1)).cause is Cause.UNMARKED


def test_what_nobody_can_explain() -> None:
    culprit = found(sent(FIRST, usage=WRITTEN), sent(SECOND, usage=MISSED, minute=1))
    assert (culprit.cause, culprit.lost_tokens, culprit.also) == (Cause.UNEXPLAINED, 10_000, ())


# -- a memo, and what is not sent yet ------------------------------------------------------------


def test_a_memo_leaves_the_conversation_without_a_miss() -> None:
    before = sent(THIRD, usage=Usage(uncached=5, write_5m=100, read=20_000, output=1))
    digests = before.request.prefix_digests()
    points = (CachePoint(0, "h", 9_000), CachePoint(3, digests[2], 10_000), CachePoint(5, digests[4], 20_100))
    before = replace(before, record=replace(before.record, points=points))
    asked = path_of(*SECOND, reply("In the drawer."), user("Write a memo."))
    usage = Usage(uncached=5, write_5m=300, read=10_000, output=1)
    after = sent(asked, usage=usage, minute=1, purpose=RequestPurpose.MEMO)
    assert found(before, after).cause is Cause.NONE
    late = sent(asked, usage=replace(usage, write_5m=10_300, read=0), minute=9, purpose=RequestPurpose.MEMO)
    culprit = found(before, late)
    assert (culprit.cause, culprit.lost_tokens) == (Cause.EXPIRED, 10_000)


def test_what_is_not_sent_yet_is_judged_by_what_is_foreseen() -> None:
    before = sent(FIRST, usage=WRITTEN)
    cold = CacheForecast(0, 10_100, 0, 5)
    other = found(before, sent(SECOND, replace(EPOCH, system="New"), minute=1, predicted=cold))
    assert (other.cause, other.lost_tokens, other.lost_usd) == (Cause.INSTRUCTIONS, 10_000, Decimal("0.024"))
    warm = CacheForecast(10_000, 100, 0, 5, NOON)
    assert found(before, sent(SECOND, minute=1, predicted=warm)).cause is Cause.NONE
    assert found(before, sent(SECOND, minute=6, predicted=cold)).cause is Cause.EXPIRED
    assert found(before, sent(SECOND, minute=1, predicted=CacheForecast())).lost_tokens is None


def test_without_a_forecast_the_points_tell_what_will_be_lost() -> None:
    before = sent(SECOND, usage=WRITTEN)
    points = (CachePoint(0, "h", 6_000), CachePoint(3, before.record.digest, 10_000))
    before = replace(before, record=replace(before.record, points=points))
    edited = path_of(user("Where is the backup?"), *SECOND[1:])
    culprit = found(before, sent(edited, minute=1, estimated=10_050))
    assert (culprit.cause, culprit.lost_tokens) == (Cause.MESSAGE, 4_000)
    assert found(before, sent(THIRD, minute=1, estimated=10_050)).cause is Cause.NONE
    assert found(before, sent(THIRD, minute=9, estimated=10_050)).lost_tokens == 10_000


# -- the API's own word --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("causes", "kind", "stands"),
    [
        ((Cause.MODEL,), DiagnosisKind.MODEL_CHANGED, Agreement.AGREES),
        ((Cause.SPEED,), DiagnosisKind.MODEL_CHANGED, Agreement.AGREES),
        ((Cause.TOOL_ORDER,), DiagnosisKind.TOOLS_CHANGED, Agreement.AGREES),
        ((Cause.FACT,), DiagnosisKind.SYSTEM_CHANGED, Agreement.AGREES),
        ((Cause.FACT,), DiagnosisKind.MESSAGES_CHANGED, Agreement.DISAGREES),
        ((Cause.FOLDED,), DiagnosisKind.MESSAGES_CHANGED, Agreement.AGREES),
        ((Cause.EFFORT,), DiagnosisKind.UNAVAILABLE, Agreement.SILENT),
        ((Cause.EFFORT, Cause.MESSAGE), DiagnosisKind.MESSAGES_CHANGED, Agreement.AGREES),
        ((Cause.EFFORT,), DiagnosisKind.MESSAGES_CHANGED, Agreement.DISAGREES),
        ((Cause.IMAGES,), DiagnosisKind.MESSAGES_CHANGED, Agreement.AGREES),
        ((Cause.EXPIRED,), DiagnosisKind.NONE, Agreement.AGREES),
        ((Cause.EXPIRED,), DiagnosisKind.TOOLS_CHANGED, Agreement.DISAGREES),
        ((Cause.TOOL_ADDED,), DiagnosisKind.NONE, Agreement.DISAGREES),
        ((Cause.MODEL,), DiagnosisKind.PENDING, Agreement.SILENT),
        ((Cause.MODEL,), DiagnosisKind.NOT_FOUND, Agreement.SILENT),
        ((Cause.MODEL,), DiagnosisKind.OTHER, Agreement.SILENT),
        ((Cause.NONE,), DiagnosisKind.NONE, Agreement.AGREES),
    ],
)
def test_how_the_word_of_the_api_stands_to_ours(
    causes: tuple[Cause, ...], kind: DiagnosisKind, stands: Agreement
) -> None:
    culprit = Culprit(causes[0], also=causes[1:])
    assert agreement(culprit, CacheDiagnosis(kind)) is stands
    assert agreement(culprit, None) is Agreement.SILENT


def test_a_report_holds_both_and_one_that_compared_with_nothing_says_nothing() -> None:
    before = sent(FIRST, usage=WRITTEN)
    after = sent(SECOND, usage=READ, minute=1, diagnosis=CacheDiagnosis(DiagnosisKind.NONE))

    def asking(previous: str | None) -> SentRequest:
        return replace(after, request=with_diagnosis(after.request, previous))

    report = miss_report(before, asking("msg_1"), PRICES)
    assert (report.before, report.after, report.culprit.cause) == (before.record, after.record, Cause.NONE)
    assert report.agreement is Agreement.AGREES
    assert miss_report(before, asking(None), PRICES).agreement is Agreement.SILENT


def test_requests_of_any_shape_can_be_compared() -> None:
    empty = with_record(Request({"model": "m", "max_tokens": 1}, (), (text_block("x"),), ()), usage=None, digest="d")
    assert find_culprit(sent(FIRST, usage=WRITTEN), empty, PRICES).cause is Cause.MODEL
