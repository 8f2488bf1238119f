"""The simulated assistant: it answers from the text of the request and from nothing else.

Text of the request is only ever quoted. What it does is decided by the user's last words alone (and, for the
language, by a standing instruction in the system prompt); orders inside tool results or documents are data.
"""

from __future__ import annotations

import re
from typing import Any

from .arithmetic import expressions
from .calls import call_text, wanted_calls
from .conversation import Turn, last_question, passages, question_of, text_of, turns_of
from .long_answer import code_answer, compose
from .lookup import find
from .models import Model
from .phrases import say
from .reply import Call, Literal, Part, Reply, Thought, Words

_HANGUL = re.compile(r"[가-힣]")
_GREETING = re.compile(
    r"^\s*(?:hi|hello|hey|good (?:morning|evening|afternoon)|안녕\S*|반가\S*)(?: there| claude)?[\s!.,~?]*$|"
    r"\bwho are you\b|(?:넌|너는|당신은)\s*누구",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"^\s*(?:thanks|thank you|ok|okay|great|good|고마\S*|감사\S*|좋아\S*|네|응)[\s!.,~]*$", re.IGNORECASE
)
_CONTINUE = re.compile(r"\b(?:continue|go on|keep going|carry on)\b|계속|이어서|이어\s", re.IGNORECASE)
_PLAIN_CONTINUE = re.compile(r"^\s*(?:please )?(?:continue|go on|계속\S*|이어서)[\s.!…]*$", re.IGNORECASE)
_LONGEST_CONTINUE = 120  # characters of a message that asks for the rest of a cut answer
_LONG = re.compile(
    r"\bwrite\b\D{0,40}?(?P<a>\d[\d,]*)[\s-]*(?P<ua>words?|paragraphs?)|"
    r"(?:\blong answer\b|긴 글|긴 답\S*)(?:\D{0,20}?(?P<b>\d[\d,]*)\s*(?P<ub>words?|paragraphs?|단어|문단)?)?|"
    r"(?P<c>\d[\d,]*)\s*(?P<uc>단어|문단)\D{0,30}(?:써|쓰|작성)",
    re.IGNORECASE,
)
_USUAL_LENGTH = 200  # words
_LONGEST = 100_000  # words
_CODE = re.compile(r"\bshow me (?:some |the )?code\b|코드", re.IGNORECASE)
_STATEMENT = re.compile(
    r"^\s*(?:please )?remember\b|^\s*(?:my|our|i|i'm|we)\b|^[\w\s'’,-]{1,80}\b(?:is|are|was|were|lives?|likes?)\b|"
    r"기억해|^\s*(?:내|제|나는|저는|우리)\s|[가-힣](?:다|야|어|요|해|아)[\s.!]*$",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"[?？]\s*$|^\s*(?:what|when|where|who|whom|whose|which|why|how|do|does|did|is|are|was|were|can|could|tell|list)\b|"
    r"(?:까요?|나요|가요|뭐야|뭐지|언제야|어디야|누구야|얼마야|뭐였지|였지|더라)[\s.?!]*$|"
    r"(?:알려|말해|보여|찾아|설명해|써|해)\s?(?:줘|주세요|줄래)\S*[\s.?!]*$",
    re.IGNORECASE,
)


def answer(body: dict[str, Any], model: Model) -> Reply:
    """What the assistant says to a checked request; the same request always gets the same reply."""
    turns = [turn for turn in turns_of(body["messages"]) if not turn.hidden and turn.role != "system"]
    korean = speaks_korean(body)
    reply = _respond(body, turns, korean)
    if not thinks(body, model):
        reply.parts = [part for part in reply.parts if not isinstance(part, Thought)]
    return reply


def thinks(body: dict[str, Any], model: Model) -> bool:
    """Whether the answer opens with thinking."""
    mode = (body.get("thinking") or {}).get("type")
    return mode in ("adaptive", "enabled") if mode else model.thinks_unasked


def speaks_korean(body: dict[str, Any]) -> bool:
    """The language of the answer: a standing instruction first, then the user's own script."""
    rules = text_of(body.get("system") or "").lower()
    if re.search(
        r"answer (?:only |always )?in korean|reply in korean|(?<!면 )한국어로\s*(?:만\s*)?(?:답|대답|응답|말)", rules
    ):
        return True
    if re.search(
        r"answer (?:only |always )?in english|reply in english|(?<!면 )영어로\s*(?:만\s*)?(?:답|대답|응답|말)", rules
    ):
        return False
    return bool(_HANGUL.search(last_question(body)))


def _respond(body: dict[str, Any], turns: list[Turn], korean: bool) -> Reply:
    last = turns[-1]
    if last.role == "assistant":
        return _after_pause(last, korean)
    asked = last_question(body)
    results = [block for block in last.blocks if block["type"] == "tool_result"]
    if results:
        return _after_results(body, turns, asked, korean)
    if _wants_rest(asked) and (rest := _rest_of_cut_answer(body, turns)) is not None:
        return rest
    return _to_words(body, asked, korean)


def _wants_rest(words: str) -> bool:
    return len(words) <= _LONGEST_CONTINUE and bool(_CONTINUE.search(words))


def _to_words(body: dict[str, Any], asked: str, korean: bool) -> Reply:
    quote = _shorten(asked)
    plain = Thought(say(korean, "think_plain", quote=quote))
    if not asked:
        return Reply([plain, Words(say(korean, "empty"))])
    if _GREETING.match(asked):
        return Reply([plain, Words(say(korean, "greeting"))])
    if _THANKS.match(asked):
        return Reply([plain, Words(say(korean, "empty"))])
    if (calls := wanted_calls(body, asked, done=0)) is not None:
        return _calling(calls, korean)
    if expressions(asked):
        return Reply([plain, Words(say(korean, "no_calculator"))])
    if wanted := _LONG.search(asked):
        return Reply([Thought(say(korean, "think_long")), Words(compose(asked, _size(wanted), korean))])
    if _CODE.search(asked):
        return Reply([plain, Words(code_answer(korean))])
    if _STATEMENT.search(asked) and not _QUESTION.search(asked):
        return Reply([plain, Words(say(korean, "noted", quote=quote))])
    return _look_up(body, asked, korean)


def _size(wanted: re.Match[str]) -> int:
    given = next((wanted[name] for name in "abc" if wanted[name]), str(_USUAL_LENGTH))
    unit = next((wanted[name] for name in ("ua", "ub", "uc") if wanted[name]), "").lower()
    return min(int(given.replace(",", "")) * (50 if unit in ("paragraph", "paragraphs", "문단") else 1), _LONGEST)


def _look_up(body: dict[str, Any], asked: str, korean: bool) -> Reply:
    thought = say(korean, "think_question", quote=_shorten(asked))
    found = find(asked, passages(body))
    if found is None:
        return Reply([Thought(thought + say(korean, "think_not_found")), Words(say(korean, "unknown"))])
    quote = _shorten(found.sentence, 400)
    text = say(korean, found.passage.origin, quote=quote, tool=found.passage.tool)
    return Reply([Thought(thought + say(korean, "think_found")), Words(text)])


def _shorten(text: str, most: int = 160) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _calling(calls: list[Call], korean: bool) -> Reply:
    quote = ", ".join(dict.fromkeys(map(call_text, calls)))
    thought = Thought(say(korean, "think_call", quote=_shorten(quote), tool=calls[0].name))
    parts: list[Part] = [thought, *calls]
    return Reply(parts, stop_reason="tool_use")


def _after_results(body: dict[str, Any], turns: list[Turn], asked: str, korean: bool) -> Reply:
    first = _last_words(turns[:-1] if not question_of(turns[-1]) else turns)
    new_words = question_of(turns[-1])
    loop = turns[first + 1 :] if not new_words else turns[-2:]
    made = [block for turn in loop if turn.role == "assistant" for block in turn.blocks if block["type"] == "tool_use"]
    words = asked if not new_words else _words_before(turns)
    more = wanted_calls(body, words, done=len(made))
    if more is not None:
        return _calling(more, korean)
    results = {
        block["tool_use_id"]: block
        for turn in loop
        if turn.role == "user"
        for block in turn.blocks
        if block["type"] == "tool_result"
    }
    lines = [_report(call, results[call["id"]], korean) for call in made if call["id"] in results]
    return Reply([Thought(say(korean, "think_result")), Words("\n\n".join(dict.fromkeys(lines)))])


def _last_words(turns: list[Turn]) -> int:
    return max((n for n, turn in enumerate(turns) if turn.role == "user" and question_of(turn)), default=-1)


def _words_before(turns: list[Turn]) -> str:
    before = [question_of(turn) for turn in turns[:-1] if turn.role == "user"]
    return next((words for words in reversed(before) if words), "")


def _report(call: dict[str, Any], result: dict[str, Any], korean: bool) -> str:
    text = text_of(result).strip() or "(empty)"
    name = call_text(Call(call["name"], call["input"]))
    if result.get("is_error"):
        return say(korean, "tool_error", call=name, result=text)
    calculated = "calculator" in call["name"].lower() and name != call["name"]
    return say(
        korean, "result" if calculated else "tool_result", call=name if calculated else call["name"], result=text
    )


# ---- going on --------------------------------------------------------------------------------------------------


def _after_pause(last: Turn, korean: bool) -> Reply:
    """The end of a paused turn, or the rest of a prefilled one."""
    open_calls = [block for block in last.blocks if block["type"] == "server_tool_use"]
    parts: list[Part] = []
    if open_calls:
        call = open_calls[-1]["id"]
        parts.append(Literal({"type": "web_search_tool_result", "tool_use_id": call, "content": []}))
    return Reply([*parts, Words(say(korean, "continued"))])


def _rest_of_cut_answer(body: dict[str, Any], turns: list[Turn]) -> Reply | None:
    """What is missing of the last answer, made again from the request that led to it; None where it was whole."""
    said = ""
    start = len(turns) - 1
    while start > 1 and _wants_rest(question_of(turns[start])):
        said = "".join(block["text"] for block in turns[start - 1].blocks if block["type"] == "text") + said
        start -= 2
    asked = {**body, "messages": [{"role": turn.role, "content": turn.blocks} for turn in turns[: start + 1]]}
    korean = speaks_korean(asked)
    whole = _respond(asked, turns[: start + 1], korean)
    full = "".join(part.text for part in whole.parts if isinstance(part, Words))
    for beginning in (said, said.rstrip()):
        rest = full[len(beginning) :]
        if beginning and full.startswith(beginning) and rest.strip():
            return Reply([Thought(say(korean, "think_long")), Words(rest)])
    if _PLAIN_CONTINUE.match(question_of(turns[-1])):
        return Reply([Words(say(korean, "nothing_to_continue"))])
    return None
