"""Episodes: cut where the topic shifts and never inside a turn, told under headings, the oldest melted into one."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.core.compaction.episodes import (
    Episode,
    ToldEpisode,
    cut_episodes,
    episodes_text,
    heading_of,
    last_number,
    melted,
    most_tokens,
    oldest_part,
    parse_episodes,
    with_new,
)


def turns(count: int) -> list[tuple[int, int]]:
    return [(2 * place, 2 * place + 2) for place in range(count)]


def topics(*sizes: int, seed: int = 3) -> list[list[float]]:
    """Vectors of so many turns about one topic after the other, each a little off its topic."""
    chance = random.Random(seed)
    vectors = []
    for topic, size in enumerate(sizes):
        axes = [1.0 if axis == topic else 0.0 for axis in range(len(sizes) + 2)]
        vectors += [[axis + chance.uniform(-0.15, 0.15) for axis in axes] for _ in range(size)]
    return vectors


def test_cuts_fall_where_the_topic_shifts() -> None:
    assert cut_episodes(turns(22), topics(5, 9, 8)) == [(0, 5), (5, 14), (14, 22)]
    assert cut_episodes(turns(30), topics(12, 4, 14)) == [(0, 12), (12, 16), (16, 30)]


def test_without_vectors_blocks_have_ten_turns_and_a_small_rest_goes_along() -> None:
    assert cut_episodes(turns(23), None) == [(0, 10), (10, 20), (20, 23)]
    assert cut_episodes(turns(22), None) == [(0, 10), (10, 22)]
    assert cut_episodes(turns(2), None) == [(0, 2)]
    assert cut_episodes([], None) == []
    assert cut_episodes(turns(20), [[1.0, 0.0]] * 20) == [(0, 10), (10, 20)]
    assert cut_episodes(turns(20), [[0.0, 0.0]] * 20) == [(0, 10), (10, 20)]
    assert cut_episodes(turns(1), [[1.0]]) == [(0, 1)]


def test_a_long_topic_is_cut_all_the_same_and_a_short_one_is_not_alone() -> None:
    long = cut_episodes(turns(40), topics(40))
    assert all(3 <= end - start <= 15 for start, end in long)
    short = cut_episodes(turns(16), topics(7, 1, 8))
    assert all(end - start >= 3 for start, end in short)
    assert len(short) == 2


def test_as_many_vectors_as_turns_are_needed() -> None:
    with pytest.raises(ValueError, match="2 vectors for 3 turns"):
        cut_episodes(turns(3), [[1.0], [1.0]])


@given(st.lists(st.lists(st.floats(-1, 1), min_size=3, max_size=3), max_size=60))
def test_episodes_are_all_turns_in_order_and_of_fair_size(vectors: list[list[float]]) -> None:
    found = cut_episodes(turns(len(vectors)), vectors)
    assert [start for start, _ in found[:1]] == ([0] if vectors else [])
    assert all(one[1] == other[0] for one, other in pairwise(found))
    assert not vectors or found[-1][1] == len(vectors)
    assert all(end - start <= 15 for start, end in found)
    assert len(found) < 2 or all(end - start >= 3 for start, end in found)


def test_new_episodes_stand_behind_the_earlier_ones_which_keep_their_bytes() -> None:
    first = with_new([], [Episode(1, 1, 20), Episode(2, 21, 33)], {1: " Tea was chosen. ", 2: "- INV-1 is open"}, "en")
    assert first == "## Episode 1 (messages 1-20)\nTea was chosen.\n\n## Episode 2 (messages 21-33)\n- INV-1 is open"
    second = with_new(parse_episodes(first), [Episode(3, 34, 50)], {3: "끝났습니다."}, "ko")
    assert second == first + "\n\n## 에피소드 3 (메시지 34-50)\n끝났습니다."
    assert [(one.number, one.first, one.last) for one in parse_episodes(second)] == [
        (1, 1, 20),
        (2, 21, 33),
        (3, 34, 50),
    ]
    assert last_number(parse_episodes(second)) == 3
    assert last_number([]) == 0


def test_answers_are_read_as_models_write_them() -> None:
    answer = (
        "Here they are:\n\n# **Episode 4 (messages 51–60):**\r\nDone.\n### 에피소드 5 (메시지 61 - 70)\n\n"
        "Open: a.\n## Notes\nb\n## Episode x\nno heading"
    )
    told = parse_episodes(answer)
    assert [(one.number, one.text) for one in told[1:]] == [
        (4, "Done."),
        (5, "Open: a.\n## Notes\nb\n## Episode x\nno heading"),
    ]
    assert told[0] == ToldEpisode(0, 0, 0, "Here they are:")


def test_a_summary_of_another_kind_stays_in_front() -> None:
    memo = "## Goal\nTea.\n\n## Facts\nINV-1"
    body = with_new(parse_episodes(memo), [Episode(1, 9, 20)], {1: "Poured."}, "en")
    assert body == memo + "\n\n## Episode 1 (messages 9-20)\nPoured."
    assert episodes_text(parse_episodes(body)) == body


_LINES = st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1, max_size=20).filter(
    lambda line: line.strip() != "" and not line.lstrip().startswith("#")
)


@given(st.lists(_LINES, min_size=1, max_size=6), st.sampled_from(("en", "ko")))
def test_what_was_written_comes_back_to_the_byte(texts: list[str], language: str) -> None:
    told = [
        ToldEpisode(
            number,
            10 * number,
            10 * number + 9,
            text,
            heading_of(Episode(number, 10 * number, 10 * number + 9), language),
        )
        for number, text in enumerate(texts)
    ]
    assert parse_episodes(episodes_text(told)) == told


def words(text: str) -> int:
    return len(text.split())


def test_the_oldest_melt_into_one_paragraph_and_the_rest_keeps_its_bytes() -> None:
    found = [Episode(number, 20 * number - 19, 20 * number) for number in range(1, 11)]
    body = with_new([], found, {number: f"Story {number}. " + "word " * 74 + "end." for number in range(1, 11)}, "en")
    assert oldest_part(body, 5_000, words) == ("", body)
    oldest, rest = oldest_part(body, 800, words)
    assert f"{oldest}\n\n{rest}" == body
    assert 300 < words(rest) <= 400
    assert [one.number for one in parse_episodes(rest)] == [7, 8, 9, 10]
    again = melted(" All went well. ", rest, "en")
    assert again == f"## Earlier (messages 1-120)\nAll went well.\n\n{rest}"
    assert parse_episodes(again)[0] == ToldEpisode(0, 1, 120, "All went well.", "## Earlier (messages 1-120)")
    assert last_number(parse_episodes(again)) == 10
    assert melted("다 됐습니다.", rest, "ko").startswith("## 그 이전 (메시지 1-120)\n다 됐습니다.")


def test_what_cannot_become_smaller_does_not_melt_again() -> None:
    alone = with_new([], [Episode(1, 1, 20)], {1: "word " * 900}, "en")
    assert oldest_part(alone, 800, words) == ("", alone)
    newest_is_large = melted("Short.", with_new([], [Episode(9, 101, 120)], {9: "word " * 900}, "en"), "en")
    assert oldest_part(newest_is_large, 800, words) == ("", newest_is_large)


def test_the_budget_grows_with_the_threshold_within_limits() -> None:
    assert [most_tokens(threshold) for threshold in (5_000, 50_000, 150_000)] == [800, 2_000, 4_000]
