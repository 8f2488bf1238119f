"""Price tags in both languages, word for word."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from desktop_app.core.cache.causes import Cause
from desktop_app.core.cache.culprit import Culprit
from desktop_app.core.money.price_rows import Rates
from desktop_app.core.money.price_tag import (
    Act,
    PriceTag,
    WarmGround,
    begun_anew,
    messages_anew,
    noted,
    other_lifetime,
    other_model,
    pinned,
    said_otherwise,
    shown_otherwise,
    stands_nowhere,
)
from desktop_app.core.money.price_words import miss_sentence, models_foot, sentence, short
from desktop_app.core.words import load_words

EN, KO = load_words("en"), load_words("ko")
SONNET = Rates(*map(Decimal, ("3", "15", "3.75", "6", "0.30")))
WARM = WarmGround(60_000, 4_000, 3_000, 6_000, 2_000, 60_500, 1_900, rates=SONNET)
COLD = replace(WARM, warm=0, head=0, fixed=0)
UNKNOWN = replace(COLD, warm=None, rates=None)
FREE = replace(WARM, rates=None)


@pytest.mark.parametrize(
    ("tag", "english", "korean"),
    [
        (
            noted(Act.FACT_ADDED, WARM, 24),
            "Saving: nothing is written anew now; the change goes with your next message "
            "(24 tokens, ≈\u00a0$0.0001) and moves into the facts block at the next fold.",
            "저장: 지금 새로 쓰는 것은 없으며, 변경은 다음 메시지와 함께 전달되고(24토큰, ≈\u00a0$0.0001) "
            "다음 접기 때 사실 블록에 들어갑니다.",
        ),
        (
            pinned(WARM),
            "Pinning: nothing is written anew now. It moves to its new place at the next fold.",
            "고정: 지금 새로 쓰는 것은 없습니다. 다음 접기 때 새 자리로 옮겨집니다.",
        ),
        (
            begun_anew(Act.FACT_DELETED, WARM, 3_000),
            "Deleting: ≈\u00a055,000 tokens are written anew, ≈\u00a0$0.2072 instead of ≈\u00a0$0.0180.",
            "삭제: ≈\u00a055,000토큰을 새로 써서 ≈\u00a0$0.2072입니다(그대로 두면 ≈\u00a0$0.0180).",
        ),
        (
            stands_nowhere(WARM),
            "Deleting: this conversation was never told of it, so nothing is written anew.",
            "삭제: 이 대화에 알린 적이 없어 새로 쓰는 것이 없습니다.",
        ),
        (
            begun_anew(Act.REBUILD, WARM),
            "Renewing now: ≈\u00a058,000 tokens are written anew, ≈\u00a0$0.2175 instead of ≈\u00a0$0.0180. "
            "At the next fold it costs nothing extra.",
            "지금 새로 적용: ≈\u00a058,000토큰을 새로 써서 ≈\u00a0$0.2175입니다(그대로 두면 ≈\u00a0$0.0180). "
            "다음 접기 때 하면 더 드는 비용이 없습니다.",
        ),
        (
            other_model(FREE, None),
            "Another model: ≈\u00a058,000 tokens are written anew instead of being read from the cache.",
            "모델 변경: ≈\u00a058,000토큰을 캐시에서 읽지 않고 새로 씁니다.",
        ),
        (
            messages_anew(Act.EFFORT, COLD),
            "Another effort: nothing of this conversation is in the cache any more, so nothing is lost.",
            "노력 수준 변경: 이 대화의 내용이 캐시에 보관되어 있지 않아 잃는 것이 없습니다.",
        ),
        *(
            (
                said_otherwise(Act.EFFORT, ground),
                "Naming the model’s usual effort changes nothing: nothing is written anew.",
                "이 모델의 기본 노력 수준은 따로 지정해도 같으므로 새로 쓰는 것이 없습니다.",
            )
            for ground in (WARM, COLD, UNKNOWN)
        ),
        (
            begun_anew(Act.INSTRUCTIONS, UNKNOWN),
            "Other instructions: what is written anew is unknown, because the endpoint reports nothing of a cache.",
            "지침 변경: 서버가 캐시에 대해 알려 주지 않아 얼마나 새로 쓰는지 알 수 없습니다.",
        ),
        (
            shown_otherwise(COLD),
            "Thinking on or off: nothing is written anew now.",
            "생각 설정 변경: 지금 새로 쓰는 것은 없습니다.",
        ),
        (
            other_lifetime(WARM, "1h"),
            "Another cache lifetime: nothing is written anew now. From now on, a write costs 2× the input price "
            "instead of 1.25× and is kept for one hour. "
            "A message like the last one (1,900 tokens) then costs ≈\u00a0$0.0043 more.",
            "캐시 보관 시간 변경: 지금 새로 쓰는 것은 없습니다. 이제부터 캐시 쓰기는 입력 가격의 1.25배가 아니라 "
            "2배이며 1시간 동안 보관됩니다. 지난번과 같은 메시지(1,900토큰)는 ≈\u00a0$0.0043 더 듭니다.",
        ),
        (
            other_lifetime(FREE, "head"),
            "Another cache lifetime: nothing is written anew now. From now on, the beginning is kept for one hour, "
            "messages for five minutes.",
            "캐시 보관 시간 변경: 지금 새로 쓰는 것은 없습니다. 이제부터 앞부분은 1시간, 메시지는 5분 동안 보관합니다.",
        ),
    ],
)
def test_a_tag_in_words(tag: PriceTag, english: str, korean: str) -> None:
    assert sentence(EN, tag) == english
    assert sentence(KO, tag) == korean


def test_unpinning_is_named() -> None:
    assert sentence(EN, pinned(WARM), "fact_unpinned").startswith("Unpinning: nothing is written anew now.")


def test_a_lifetime_taken_back_costs_less() -> None:
    back = other_lifetime(replace(WARM, lifetime="1h"), "5m")
    assert sentence(EN, back).endswith("A message like the last one (1,900 tokens) then costs ≈\u00a0$0.0043 less.")


def test_beside_a_choice_the_price_is_short() -> None:
    assert short(EN, other_model(WARM, SONNET)) == "≈\u00a0$0.2175 · ≈\u00a058,000 tokens"
    assert short(KO, other_model(WARM, SONNET)) == "≈\u00a0$0.2175 · ≈\u00a058,000토큰"
    assert short(EN, other_model(FREE, None)) == "≈\u00a058,000 tokens"
    assert short(EN, other_model(COLD, SONNET)) == ""
    assert models_foot(EN, WARM) == "Written anew by your next message\ninstead of being read for ≈\u00a0$0.0180"
    assert models_foot(EN, FREE) == "Written anew by your next message\ninstead of being read"
    assert models_foot(EN, COLD) == "Nothing of this conversation is in the cache:\nanother model loses nothing"
    assert models_foot(EN, UNKNOWN) == ""


def test_what_a_change_spoils_is_said_before_sending() -> None:
    miss = Culprit(Cause.MODEL, was="a", is_now="b", lost_tokens=61_204, lost_usd=Decimal("0.30"))
    usd = Decimal("0.3134")
    assert miss_sentence(EN, miss, usd) == (
        "Another model: ≈\u00a061,204 tokens are written anew, ≈\u00a0$0.3134 instead of ≈\u00a0$0.0134."
    )
    assert miss_sentence(KO, miss, usd) == (
        "모델 변경: ≈\u00a061,204토큰을 새로 써서 ≈\u00a0$0.3134입니다(그대로 두면 ≈\u00a0$0.0134)."
    )
    assert "instead of being read" in miss_sentence(EN, miss, None)
    assert "$" not in miss_sentence(EN, miss, None)


@pytest.mark.parametrize("cause", list(Cause))
def test_only_what_was_changed_is_said(cause: Cause) -> None:
    said = miss_sentence(KO, Culprit(cause, lost_tokens=5_000, lost_usd=Decimal("0.02")), Decimal("0.03"))
    untouched = {
        *(Cause.NONE, Cause.FIRST, Cause.FOLDED, Cause.EXPIRED, Cause.TOO_SMALL, Cause.LOOK_BACK),
        *(Cause.NOT_STARTED, Cause.UNMARKED, Cause.UNEXPLAINED, Cause.UNREPORTED),
    }
    assert bool(said) is (cause not in untouched)
    assert miss_sentence(KO, Culprit(cause), Decimal("0.03")) == ""
    assert miss_sentence(KO, None, Decimal("0.03")) == ""
