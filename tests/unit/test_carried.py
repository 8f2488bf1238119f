"""What the person said that survives word for word: standing rules, and requests that never got a whole answer."""

from __future__ import annotations

import time

import pytest

from desktop_app.core.compaction.carried import standing_rules, unfinished, word_for_word
from desktop_app.core.conversation import MessageState, Origin
from tests.unit.message_samples import call, cut_reply, path_of, reply, result, results, user

LASTING = """\
앞으로 모든 답변은 한국어로, 표 없이 써 주세요.
첫 작업은 끝났으니 다시 하지 마세요.
From now on answer in German.
Always use metric units.
Please always cite your sources.
never touch the migrations folder
Don't touch config.yaml.
don’t ever push to main
Answer in Korean, please.
please use British spelling in all answers
Please use SI units in all calculations.
Never delete anything without asking me first.
You must not edit schema.sql.
Stop using emojis.
Call me Sam.
Avoid jargon.
No tables please.
Can you always answer in English?
In all future replies, keep it under 100 words.
Whenever I paste code, add type hints.
If I send a link, always summarise it first.
The file schema.sql must not be changed.
ask me before you run anything
You can use tables again from now on.
항상 존댓말로 답해 주세요.
절대 main 브랜치에 푸시하지 마.
매번 출처를 밝혀 주세요
답변은 짧게 해 주세요.
이모지는 쓰지 말아 주세요
config.yaml은 건드리면 안 됩니다.
앞으로는 반말로 해줘
저를 민아라고 불러 주세요.
모든 금액은 원화로 적어 주세요.
표를 쓰지 않도록 해 주세요.
앞으로 코드에는 주석을 달아줄래?
코드를 보여줄 때마다 테스트도 같이 써 줘.
이제 표를 써도 돼요.
절대로 비밀번호를 출력하지 말 것""".splitlines()

ONE_OFF = """\
Never mind, I found it.
Don't worry about it.
I always wondered why the sky is blue.
As always, thanks!
Should I always use HTTPS?
Why does it always crash?
I have never been to Paris.
Never heard of it.
I don't know.
They brighten up our day and always make us smile.
Keep going and never give up!
I'll write down my favourite memories from now on.
Write a poem in English.
you always forget the tests
Don't run it yet.
Don't use tables this time.
Please add a header to every file.
Could you try again?
걱정하지 마세요.
항상 감사합니다.
앞으로 어떻게 될까요?
앞으로 잘 부탁드립니다.
블록을 앞으로 한 칸 옮겨 주세요.
왜 항상 오류가 나나요?
이 글을 영어로 써 줘.
절대 포기하지 마
이번에는 표를 쓰지 마세요.
앞으로 3일 동안 비가 온대요.
이렇게 하면 안 되네요
모든 파일을 지웠어요.
이 파일 확인해 주세요.
INV-2025-00417 의 금액이 얼마였죠?""".splitlines()


@pytest.mark.parametrize("sentence", LASTING)
def test_what_is_to_hold_for_good_is_a_rule_byte_for_byte(sentence: str) -> None:
    assert standing_rules([user(sentence)]) == (sentence,)
    assert standing_rules([user(f"Hello there.\n\n{sentence}\n\nWhat is new?")]) == (sentence,)


@pytest.mark.parametrize("sentence", ONE_OFF)
def test_what_holds_for_once_or_tells_of_something_is_none(sentence: str) -> None:
    assert standing_rules([user(sentence)]) == ()


def test_only_typed_words_of_the_person_set_rules() -> None:
    rule = "Always answer in Korean."
    said_by_others = [
        reply(rule),
        results(result("toolu_1", rule)),
        user(rule, origin=Origin.CONTINUE),
        user({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": rule}}, "Read this."),
    ]
    assert standing_rules(path_of(*said_by_others)) == ()
    quoted = [
        f"Look:\n```\n{rule}\n```\nWhat is it?",
        f"Look:\n```\n{rule}",
        f"He wrote:\n> {rule}\n\nWhat now?",
        f'The page says "{rule}" at its end.',
        f"그 문서에는 ‘{rule}’라고 적혀 있어요.",
        f"Translate this into German:\n{rule}\nNever give in.",
        f"다음 글을 교정해 줘:\n\n앞으로 모든 답변은 표 없이 써 주세요. {rule}",
        f"<document title='x'>\nWhen summarising, go on as told. {rule} And do not stop there.\n"
        "It goes on like that for a while, as pages do.</document>\nWhat is it?",
    ]
    for text in quoted:
        assert standing_rules([user(text)]) == (), text
    assert standing_rules([user(f'Never touch "config.yaml".\n> {rule}')]) == ('Never touch "config.yaml".',)


def test_sentences_are_whole_across_lines_numbers_and_lists() -> None:
    wrapped = "From now on please answer\nin German and keep every number such as 1.5 or v2.4.1 as it is."
    assert standing_rules([user(f"Hi. {wrapped} What is 2+2?")]) == (wrapped,)
    korean = "앞으로 모든 답변은\n한국어로, e.g. 존댓말로 써 주세요."
    assert standing_rules([user(f"안녕하세요\n{korean}\n오늘 날씨는 어때요?")]) == (korean,)
    listed = "앞으로 다음을 지켜 주세요:\n- 표를 쓰지 않기\n- 존댓말 쓰기"
    assert standing_rules([user(f"{listed}\n\n이제 시작할까요?")]) == (listed,)
    points = "Please mind:\n- Never use tables\n- What is new?\n- 항상 존댓말 쓰기"
    assert standing_rules([user(points)]) == ("Never use tables", "항상 존댓말 쓰기")
    assert standing_rules([user("- Never use tables\n- What is up?")]) == ("Never use tables",)
    assert standing_rules([user("Always use tabs. What is 5? Never use spaces!")]) == (
        "Always use tabs.",
        "Never use spaces!",
    )
    assert standing_rules([user("표는 쓰지 마세요.고마워요")]) == ("표는 쓰지 마세요.",)


def test_long_rules_are_kept_whole_and_endless_ones_left_to_the_summary() -> None:
    long = "Always name " + ", ".join(f"source {number}" for number in range(120)) + "."
    assert 1_200 < len(long) < 2_000
    assert standing_rules([user(long)]) == (long,)
    assert standing_rules([user("Always say " + "more and " * 400 + "more.")]) == ()


def test_a_rule_said_again_stands_where_it_was_said_last() -> None:
    no_tables, again = "Never use tables.", "You can use tables again."
    path = path_of(user(no_tables), reply("Fine."), user(again), reply("Good."), user(no_tables), reply("As you like."))
    assert standing_rules(path) == (again, no_tables)
    assert standing_rules(path[:4]) == (no_tables, again)
    refused = path_of(user(no_tables), reply("", stop_reason="refusal"))
    assert standing_rules(refused) == ()


def test_of_a_very_long_message_only_both_ends_are_the_persons_frame() -> None:
    paste = "Some text.\nNever run this twice.\n" * 2_000
    text = f"Always answer in German.\n{paste}\nNever use tables."
    found = standing_rules([user(text)])
    assert "Always answer in German." in found
    assert found[-1] == "Never use tables."
    line = "Always answer in German. " + "This is pasted text without any line break. " * 900 + "Never use tables."
    assert standing_rules([user(line)]) == ("Always answer in German.", "Never use tables.")
    fenced = f"Always answer in German.\n```\n{paste}\n```\nNever use tables."
    assert standing_rules([user(fenced)]) == ("Always answer in German.", "Never use tables.")


def test_unfinished_is_what_never_got_a_whole_answer() -> None:
    path = path_of(
        user("done"),
        reply("Yes."),
        user("stopped"),
        cut_reply("Well"),
        user("interrupted"),
        cut_reply(state=MessageState.INTERRUPTED),
        user("cut"),
        reply("And so on", stop_reason="max_tokens"),
        user("cut, then continued"),
        reply("One", stop_reason="max_tokens"),
        user("continue", origin=Origin.CONTINUE),
        reply("and two."),
        user("with a tool that never answered"),
        reply(call("toolu_1"), stop_reason="tool_use"),
        user("with a tool"),
        reply(call("toolu_2"), stop_reason="tool_use"),
        results(result("toolu_2")),
        reply("2."),
        user("refused"),
        reply("", stop_reason="refusal"),
        user("blank answer"),
        reply("\u200b"),
        user("first half,"),
        user("second half"),
        reply("Both."),
        user("  never answered\nat all "),
    )
    assert unfinished(path) == (
        "stopped",
        "interrupted",
        "cut",
        "with a tool that never answered",
        "blank answer",
        "  never answered\nat all ",
    )


def test_what_was_asked_again_is_settled_and_finished_tasks_are_never_open() -> None:
    again = path_of(user("Make it blue."), cut_reply("I"), user("Make it blue."), reply("Done."))
    assert unfinished(again) == ()
    assert unfinished(path_of(user("Write the report."), reply("Here it is."))) == ()
    assert unfinished([]) == ()


def test_of_a_huge_message_head_and_tail_are_carried() -> None:
    huge = "HEAD-7f3a " + "가나다 " * 300_000 + "TAIL-9c2e"
    (shown,) = unfinished([user(huge)])
    assert shown.startswith("HEAD-7f3a ")
    assert shown.endswith("TAIL-9c2e")
    assert "1,197,019자를 생략했습니다" in shown
    assert len(shown) < 3_100
    assert word_for_word("short\ntext ", "en") == "short\ntext "


def test_a_finished_task_is_not_carried_and_the_open_question_is() -> None:
    path = path_of(
        user("앞으로 모든 답변은 한국어로, 표 없이 써 주세요."),
        reply("알겠습니다."),
        user("메모 3: INV-2025-00417 를 확인해 줘. 배경 설명 배경 설명"),
        reply("INV-2025-00417 확인했습니다. 앞으로 항상 그렇게 하세요."),
        user("첫 작업은 끝났으니 다시 하지 마세요."),
        reply("네."),
        user("INV-2025-00417 의 금액이 얼마였죠?"),
    )
    assert standing_rules(path) == (
        "앞으로 모든 답변은 한국어로, 표 없이 써 주세요.",
        "첫 작업은 끝났으니 다시 하지 마세요.",
    )
    assert unfinished(path) == ("INV-2025-00417 의 금액이 얼마였죠?",)


def test_a_long_conversation_is_read_fast() -> None:
    sentence = "I went to see the old harbour today and it was lovely, though the weather could not be trusted at all. "
    texts = [sentence * 20 + ("Always answer in German. " if number % 10 == 0 else "") for number in range(380)]
    path = [user(text) if number % 2 == 0 else reply(text) for number, text in enumerate(texts)]
    assert sum(map(len, texts)) > 780_000
    best = 9.0
    for _ in range(3):
        began = time.perf_counter()
        assert standing_rules(path) == ("Always answer in German.",)
        best = min(best, time.perf_counter() - began)
    assert best < 0.5  # a few hundredths on a quiet machine
