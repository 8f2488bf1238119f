"""What tells a fact: statements and exact values by themselves, common words only with the key, sources always."""

from __future__ import annotations

import pytest

from desktop_app.core.fact_traces import FactTraces
from desktop_app.core.facts import FactSource
from tests.unit.fact_samples import fact
from tests.unit.message_samples import path_of, user


def tells(key: str, value: str, said: str) -> bool:
    """Whether a message of its own tells a fact that comes from nowhere."""
    return FactTraces([fact(1, key, value)]).tells(user(said), 0, len(said))


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("boathouse key", "hangs behind the blue shutter", "It hangs behind the blue shutter, as ever."),
        ("열쇠", "파란 덧문 뒤에 있다", "창고 열쇠는 파란 덧문 뒤에 있다고 했어"),
        ("鍵", "青い鎧戸の後ろに掛けてある", "あれは青い鎧戸の後ろに掛けてあるよ"),
        ("locker", "7731", "Try 7731."),
        ("account", "302-1234-5678-11", "Send it to 302-1234-5678-11 today."),
        ("plumber", "Mr. Choi, call 010-5521-8834", "The number was 010-5521-8834."),
        ("birthday", "1984-03-09", "Born on 1984-03-09."),
        ("project", "/home/jane/quay", "cd /home/jane/quay"),
        ("home city", "Seoul", "My home is Seoul."),
        ("사는 곳", "서울", "서울은 내가 사는 도시야"),
        ("children", "3", "We have 3 children."),
        ("year I moved", "2019", "I moved in 2019."),
        ("locker", "number is 7731", "The locker, that is 7731."),
    ],
)
def test_what_says_a_fact_tells_it(key: str, value: str, said: str) -> None:
    assert tells(key, value, said)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("home city", "Seoul", "Our trip to Seoul takes four days."),
        ("사는 곳", "서울", "서울 여행 계획을 세우자"),
        ("사는 곳", "서울특별시", "서울특별시 지하철 요금은 얼마야?"),
        ("employer", "New York City", "We fly to New York City in May."),
        ("children", "3", "The 3 trains are late."),
        ("year I moved", "2019", "The contract of 2019 is void."),
        ("meeting", "15:00", "The ferry leaves at 15:00."),
        ("locker", "7731", "Try 77310 or 7 731."),
        ("boathouse key", "hangs behind the blue shutter", "The boathouse has a blue shutter."),
    ],
)
def test_what_only_shares_a_common_value_tells_nothing(key: str, value: str, said: str) -> None:
    assert not tells(key, value, said)


def test_the_source_tells_in_its_span_and_so_do_the_answers_to_it() -> None:
    text = "I love tea. " * 30 + "We call the dog Rex."
    start = text.index("We call")
    source = FactSource("m0", "c", start=start, end=len(text))
    traces = FactTraces([fact(1, "pet", "Rex", source=source)])
    message, answer, later = path_of(user(text), user("A fine name."), user("A fine name."))
    assert traces.sources == ["m0"]
    assert not traces.tells(message, 0, 100)
    assert traces.tells(message, start - 20, len(text))
    assert traces.tells(answer, 0, 5)
    assert not traces.tells(later, 0, 5)
