"""What must survive does, whatever the summary says: exact values, standing rules, the last question, open requests."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.core.compaction.carried import standing_rules
from desktop_app.core.compaction.compaction import Compaction, Strategy
from desktop_app.core.compaction.memo import memo_block_text
from desktop_app.core.request import Request
from tests.end_to_end.compaction_stage import (
    LARGE,
    fold,
    in_house,
    last_chat,
    message_of,
    messages_of,
    talk_of,
    written,
)
from tests.fakes.house import House
from tests.fakes.simulator import RunningSimulator

NEEDLES = (
    "/srv/프로젝트/예산 2025/최종.xlsx",
    r"C:\Users\test\Desktop\plan-v3.docx",
    "INV-2025-00417",
    "TCK-88213",
    "3f2b9c1e-7a54-4d0c-9b8e-2f6d1a7c5e90",
    "9f8e7d6c5b4a",
    "https://example.com/q?id=42&lang=ko#top",
    "192.0.2.55:8443",
    "₩12,345,670",
    "0.00037",
    "v2.4.7-hotfix",
    "2025-11-03 14:30 KST",
    "ORDER_STATUS_PENDING",
    "git checkout feature/nfd-검색",
    "test+user@example.com",
)
RULE = "앞으로 모든 답변은 한국어로, 표 없이 써 주세요."
QUESTION = "INV-2025-00417 의 금액이 얼마였죠?"
TASK = "첫 작업으로 보고서 초안을 처음부터 끝까지 다시 써 주세요."
DONE = "첫 작업은 끝났으니 다시 하지 마세요."
LATER = ("EMP-20931", "10.0.7.14:5432", "/var/log/청구/11월.log")
WORST = {"action": "memo", "mode": "worst", "count": 0}
SUMMARISING = (Strategy.MEMO, Strategy.RUNNING, Strategy.TIERS)
CALM = "배경을 조금 더 말씀드리면 항구의 날씨는 좋았고 배들이 하나씩 들어왔습니다. " * 6


def needle_chat() -> list[str]:
    """A rule, a task, fifteen values in messages of their own, and the last question."""
    texts = [RULE, "알겠습니다.", TASK, "보고서 초안을 다 썼습니다."]
    for number, needle in enumerate(NEEDLES, 1):
        texts += [f"메모 {number}: {needle} 를 확인해 줘. {CALM}", f"확인했습니다. {CALM}"]
    return [*texts, DONE, "네.", QUESTION, "잠시만 기다려 주세요."]


def summary_of(request: Request) -> str:
    """The text that stands in place of the past."""
    return str(request.messages[0].blocks[0]["text"])


def check(request: Request, made: Compaction, *values: str) -> None:
    """Every value, the rule and the last question, each byte for byte; none of it a turn of the person."""
    text = summary_of(request)
    assert text == memo_block_text(made.summary)
    assert [value for value in values if value not in text] == []
    assert f"- {RULE}" in text.split("\n")
    said = [str(block.get("text")) for message in request.messages for block in message.blocks]
    assert not any(text == TASK for text in said) and said[-1] != DONE


@pytest.mark.parametrize("strategy", SUMMARISING)
def test_all_survives_three_of_the_worst_summaries(
    tmp_path: Path, simulator: RunningSimulator, strategy: Strategy
) -> None:
    simulator.control(WORST)

    async def test(house: House) -> None:
        talk = await written(house, *needle_chat())
        first = await fold(house, talk, strategy)
        assert first.folded == len(needle_chat()) - 2 and first.saved > 0.5
        await talk_of(house, "감사합니다", talk=talk)
        request = await last_chat(house, talk)
        check(request, first, *NEEDLES)
        assert QUESTION in messages_of(request)
        for number, value in enumerate(LATER):
            await talk_of(house, f"새 메모 {number}: {value} 도 적어 둡시다. {CALM}", "감사합니다", talk=talk)
            made = await fold(house, talk, strategy)
            await talk_of(house, "네", talk=talk)
            check(await last_chat(house, talk), made, *NEEDLES, *LATER[: number + 1])
        assert made.base_id is not None

    in_house(tmp_path, simulator, test, **LARGE, fold_by="separate", memory=False)


@pytest.mark.parametrize("strategy", [Strategy.MEMO, Strategy.WINDOW])
def test_the_last_question_stands_word_for_word_where_it_folds(
    tmp_path: Path, simulator: RunningSimulator, strategy: Strategy
) -> None:
    simulator.control(WORST)

    async def test(house: House) -> None:
        store = house.services.store
        talk = await written(house, *needle_chat()[:-1])  # the question is not answered, the answer would be large
        parent = (await house.path(talk))[-1].id
        await store.add_message(message_of(talk, parent, "금액을 정리하면 다음과 같습니다. " * 600, person=False))
        made = await fold(house, talk, strategy)
        assert made.folded == len(needle_chat())
        assert QUESTION in made.summary and RULE in made.summary
        await talk_of(house, "감사합니다", talk=talk)
        request = await last_chat(house, talk)
        assert QUESTION in summary_of(request)
        if strategy is not Strategy.WINDOW:
            check(request, made, *NEEDLES)
        else:
            texts = {message.id: message.text for message in await house.path(talk)}
            for needle in NEEDLES:
                found = await house.services.archive.search("demo", needle, talk)
                assert any(needle in texts[hit.message_id] for hit in found.messages), needle

    in_house(tmp_path, simulator, test, **{**LARGE, "fold_tokens": 10_000}, fold_by="separate", memory=False)


def test_rules_are_the_persons_words_only() -> None:
    quoted = message_of("c", None, f"> {RULE}\n\nEr schrieb das.", person=True)
    model = message_of("c", None, RULE, person=False)
    assert standing_rules([quoted, model]) == ()
    assert standing_rules([message_of("c", None, RULE, person=True)]) == (RULE,)
