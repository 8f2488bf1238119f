"""Facts that are named outright come first: by key, id, path, address, quoted phrase; pinned ones a little up."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from desktop_app.core.facts import Fact, FactOrigin, FactState
from desktop_app.core.recall.exact import named_forms, with_exact
from desktop_app.core.recall.values import Part, Scored

THEN = datetime(2026, 11, 1, tzinfo=UTC)


def fact(name: str, key: str, value: str = "…", pinned: bool = False) -> Fact:
    return Fact(name, "default", key, value, FactState.ACTIVE, FactOrigin.YOU, 1, THEN, THEN, pinned=pinned)


@pytest.mark.parametrize(
    ("question", "forms"),
    [
        ("where is order A-1042-XK?", ("a-1042-xk",)),
        ("주문 A-1042-XK는 어디 있지", ("a-1042-xk",)),
        ("open ~/project/app.toml please", ("~/project/app.toml",)),
        ('who said "never again"?', ("never again",)),
        ("“봄이 오면”을 누가 불렀지", ("봄이 오면",)),
        ("see https://a.example/b?c=1", ("https://a.example/b?c=1",)),
        ("ticket 4711020", ("4711020",)),
        ("MangoNet5G", ("mangonet5g",)),
        ("I don't do follow-ups in 2026", ()),
        ("커피", ()),
        ("티켓A1042는 뭐였지", ("a1042",)),
        ("주문 4711은?", ("4711",)),
        ("주문4711 상태", ("4711",)),
        ("door 2049 and the year 2049", ("2049",)),
        ("what did we do in 2025, and since May 7, 2024?", ()),
        ("2025년에 어디 갔지", ()),
        ("flat 12", ()),
    ],
)
def test_what_a_question_names(question: str, forms: tuple[str, ...]) -> None:
    assert named_forms(question) == forms


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("where is order A-1042-XK?", "order"),
        ("status of a-1042-xk", "order"),
        ("wifi password?", "wifi"),
        ("집 와이파이 비밀번호가 뭐지", "ko"),
        ("editor", "editor"),
        ("the editor of the paper", "near"),
        ("A-1042-X", "near"),
    ],
)
def test_what_is_named_comes_first(question: str, first: str) -> None:
    facts = {
        "near": fact("near", "parcel", "number A-1043-XK came"),
        "order": fact("order", "order number", "A-1042-XK, shipped"),
        "wifi": fact("wifi", "WiFi password", "hunter2"),
        "ko": fact("ko", "와이파이 비밀번호", "망고"),
        "editor": fact("editor", "editor", "Neovim"),
    }
    found = [Scored(name, {Part.MEANING: 5.0 - place}) for place, name in enumerate(facts)]
    ranked = with_exact(question, found, facts)
    assert ranked[0].id == first and len(ranked) == len(facts)
    assert (Part.EXACT in ranked[0].parts) is (first != "near")


def test_a_pinned_fact_goes_before_its_like_and_no_further() -> None:
    facts = {name: fact(name, name, pinned=name == "b") for name in "abc"}
    found = [Scored("c", {Part.WORDS: 3.0}), Scored("a", {Part.WORDS: 1.0}), Scored("b", {Part.WORDS: 1.0})]
    ranked = with_exact("what", found, facts)
    assert [one.id for one in ranked] == ["c", "b", "a"] and ranked[1].parts[Part.PINNED] == 0.25


def test_a_fact_that_has_gone_is_left_out() -> None:
    assert with_exact("what", [Scored("gone", {Part.WORDS: 1.0})], {}) == []
