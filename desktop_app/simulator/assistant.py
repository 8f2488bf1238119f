"""The simulated assistant: it answers from the text of the request and from nothing else.

Text of the request is only ever quoted. What it does is decided by the user's last words alone (and, for the
language, by a standing instruction in the system prompt); orders inside tool results or documents are data.
"""

from __future__ import annotations

import json
import re
from typing import Any

from .arithmetic import expressions
from .calls import call_text, search_call, wanted_calls
from .comparing import compare
from .conversation import Block, Turn, asks_for_memo, last_question, question_of, task_asked, text_of, turns_of
from .intents import CODE, GREETING, PLAIN_CONTINUE, THANKS, is_question, is_statement, wanted_length, wants_rest
from .learning import learn
from .long_answer import code_answer, compose
from .lookup import find
from .memo import write_memo
from .memory_files import next_call, writes
from .models import Model
from .modes import Modes
from .passages import FORGET, MEMORY, SAVE, SEARCH, facts_in, passages
from .phrases import say
from .remembering import tellings
from .reply import Call, Literal, Part, Reply, Thought, Words
from .structured import constrained, schema_of
from .task_modes import BLANK, INVALID

_HANGUL = re.compile(r"[가-힣]")
USUAL = Modes()


def answer(body: dict[str, Any], model: Model, modes: Modes = USUAL) -> Reply:
    """What the assistant says to a checked request; the same request always gets the same reply.

    `modes` is how it answers what is no conversation.
    """
    turns = [turn for turn in turns_of(body["messages"]) if not turn.hidden and turn.role != "system"]
    korean = speaks_korean(body)
    asked = question_of(turns[-1]) if turns[-1].role == "user" else ""
    if asks_for_memo(asked):
        reply = write_memo(body, turns, modes.memo)
    elif (task := task_asked(asked)) is not None:
        reply = _about_memory(task, turns, modes, constrains=schema_of(body) is not None)
    else:
        reply = _respond(body, turns, korean)
    if not thinks(body, model):
        reply.parts = [part for part in reply.parts if not isinstance(part, Thought)]
    schema = schema_of(body)
    return reply if schema is None else constrained(reply, schema)


def _about_memory(task: str, turns: list[Turn], modes: Modes, *, constrains: bool) -> Reply:
    """The answer to a request about long-term memory: JSON, or what the mode makes of it."""
    mode = modes.extraction if task == "extraction" else modes.judging
    found: dict[str, Any] = learn(turns, mode) if task == "extraction" else compare(turns, mode, modes.verdicts)
    text = "\n\n" if mode == BLANK else json.dumps(found, ensure_ascii=False)
    if mode == INVALID:
        text = text[: len(text) // 2]
    # What keeps to a schema can only be less than that where it was cut.
    ends = "max_tokens" if constrains and mode in (BLANK, INVALID) else "end_turn"
    return Reply([Thought(say(False, "think_memory")), Words(text)], ends)


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
    if wants_rest(asked) and (rest := _rest_of_cut_answer(body, turns)) is not None:
        return rest
    return _to_words(body, asked, korean)


def _to_words(body: dict[str, Any], asked: str, korean: bool) -> Reply:
    quote = _shorten(asked)
    plain = Thought(say(korean, "think_plain", quote=quote))
    if not asked:
        return Reply([plain, Words(say(korean, "empty"))])
    if GREETING.match(asked):
        return Reply([plain, Words(say(korean, "greeting"))])
    if THANKS.match(asked):
        return Reply([plain, Words(say(korean, "empty"))])
    if (calls := wanted_calls(body, asked, done=0)) is not None:
        return _calling(calls, korean)
    if writes(body, asked) and (call := next_call(body, asked, [], {})):
        return _calling([call], korean)
    if expressions(asked):
        return Reply([plain, Words(say(korean, "no_calculator"))])
    if length := wanted_length(asked):
        return Reply([Thought(say(korean, "think_long")), Words(compose(asked, length, korean))])
    if CODE.search(asked):
        return Reply([plain, Words(code_answer(korean))])
    if is_statement(asked) or tellings(asked):
        return Reply([plain, Words(say(korean, "noted", quote=quote))])
    return _look_up(body, asked, korean)


def _look_up(body: dict[str, Any], asked: str, korean: bool, *, searched: bool = False) -> Reply:
    """The sentence of the request that answers; a search in memory, once, for a question without one."""
    thought = say(korean, "think_question", quote=_shorten(asked))
    found = find(asked, passages(body))
    if found is not None:
        quote = _shorten(found.sentence, 400)
        text = say(korean, found.passage.origin, quote=quote, tool=found.passage.tool)
        return Reply([Thought(thought + say(korean, "think_found")), Words(text)])
    search = None
    if is_question(asked) and not searched:
        search = search_call(body, asked) or next_call(body, asked, [], {})
    if search is not None:
        thought += say(korean, "think_search", tool=search.name)
        return Reply([Thought(thought), search], stop_reason="tool_use")
    return Reply([Thought(thought + say(korean, "think_not_found")), Words(say(korean, "unknown"))])


def _shorten(text: str, most: int = 160) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _calling(calls: list[Call], korean: bool) -> Reply:
    quote = ", ".join(dict.fromkeys(map(call_text, calls)))
    thought = Thought(say(korean, "think_call", quote=_shorten(quote), tool=calls[0].name))
    parts: list[Part] = [thought, *calls]
    return Reply(parts, stop_reason="tool_use")


def _after_results(body: dict[str, Any], turns: list[Turn], asked: str, korean: bool) -> Reply:
    new_words = question_of(turns[-1])
    loop = turns[-2:] if new_words else turns[_last_words(turns[:-1]) + 1 :]
    made = [block for turn in loop if turn.role == "assistant" for block in turn.blocks if block["type"] == "tool_use"]
    answers = [block for turn in loop if turn.role == "user" for block in turn.blocks]
    results = {block["tool_use_id"]: block for block in answers if block["type"] == "tool_result"}
    if new_words and not wants_rest(new_words):
        return _with_new_words(body, made, results, asked, korean)
    words = _words_before(turns) if new_words else asked
    more = wanted_calls(body, words, done=len(made))
    if more is not None:
        return _calling(more, korean)
    of_words = wanted_calls(body, words, done=0)
    if of_words is None and made and made[-1]["name"] == MEMORY:
        if (call := next_call(body, words, made, results)) is not None:
            return _calling([call], korean)
        if writes(body, words):
            made = made[-1:]
        else:
            return _look_up(body, words, korean, searched=True)
    failed = any(block.get("is_error") for block in results.values())
    if made[-1:] and made[-1]["name"] == SEARCH and not failed and of_words is None:
        return _look_up(body, words, korean, searched=True)
    lines = _reports(made, results, korean)
    return Reply([Thought(say(korean, "think_result")), Words("\n\n".join(lines))])


def _with_new_words(
    body: dict[str, Any], made: list[Block], results: dict[str, Block], asked: str, korean: bool
) -> Reply:
    """The answer to words that came together with results; results that are no errors are reported first."""
    good = {name: block for name, block in results.items() if not block.get("is_error")}
    reply = _to_words(body, asked, korean)
    if good and reply.stop_reason != "tool_use":
        said = "".join(part.text for part in reply.parts if isinstance(part, Words))
        text = "\n\n".join([*_reports(made, good, korean), said])
        reply.parts = [*(part for part in reply.parts if not isinstance(part, Words)), Words(text)]
    return reply


def _reports(made: list[Block], results: dict[str, Block], korean: bool) -> list[str]:
    lines = [_report(call, results[call["id"]], korean) for call in made if call["id"] in results]
    return list(dict.fromkeys(lines))


def _last_words(turns: list[Turn]) -> int:
    return max((n for n, turn in enumerate(turns) if turn.role == "user" and question_of(turn)), default=-1)


def _words_before(turns: list[Turn]) -> str:
    before = [question_of(turn) for turn in turns[:-1] if turn.role == "user"]
    return next((words for words in reversed(before) if words), "")


def _report(call: dict[str, Any], result: dict[str, Any], korean: bool) -> str:
    text = text_of(result).strip() or "(empty)"
    name = SEARCH if call["name"] == SEARCH else call_text(Call(call["name"], call["input"]))
    if call["name"] == SAVE:
        return _report_saved(text, bool(result.get("is_error")), korean)
    if call["name"] in (FORGET, MEMORY):
        return _report_memory(call["input"], text, bool(result.get("is_error")), korean)
    if result.get("is_error"):
        return say(korean, "tool_error", call=name, result=text)
    calculated = "calculator" in call["name"].lower() and name != call["name"]
    return say(
        korean, "result" if calculated else "tool_result", call=name if calculated else call["name"], result=text
    )


def _report_saved(text: str, failed: bool, korean: bool) -> str:
    """What became of a fact: kept as the result says it, waiting, or not kept."""
    if failed:
        waits = re.search(r"\bwait|\bpending\b|대기|기다", text, re.IGNORECASE)
        return say(korean, "saving_waits" if waits else "not_saved", result=text)
    kept = [f"{key}: {value}" for key, value in facts_in(text)]
    return say(korean, "saved", quote=_shorten("; ".join(kept), 400)) if kept else say(korean, "save_told", result=text)


def _report_memory(given: dict[str, Any], text: str, failed: bool, korean: bool) -> str:
    """What became of a fact that was to be deleted, or of a file."""
    command = given.get("command", "delete")
    if failed:
        return say(korean, "not_forgotten", result=text) if command == "delete" else _report_saved(text, True, korean)
    if command == "delete":
        return say(korean, "forgotten", result=text)
    value = given.get("file_text", given.get("new_str"))
    return say(korean, "saved", quote=_shorten(value, 400)) if value else say(korean, "save_told", result=text)


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
    while start > 1 and wants_rest(question_of(turns[start])):
        said = "".join(block["text"] for block in turns[start - 1].blocks if block["type"] == "text") + said
        start -= 2
    asked = {**body, "messages": [{"role": turn.role, "content": turn.blocks} for turn in turns[: start + 1]]}
    korean = speaks_korean(asked)
    if wants_rest(question_of(turns[start])):
        # Nothing was asked before that could have been cut.
        plain = PLAIN_CONTINUE.match(question_of(turns[-1])) is not None
        return Reply([Words(say(korean, "nothing_to_continue"))]) if plain else None
    whole = _respond(asked, turns[: start + 1], korean)
    full = "".join(part.text for part in whole.parts if isinstance(part, Words))
    for beginning in (said, said.rstrip()):
        rest = full[len(beginning) :]
        if beginning and full.startswith(beginning) and rest.strip():
            return Reply([Thought(say(korean, "think_long")), Words(rest)])
    if PLAIN_CONTINUE.match(question_of(turns[-1])):
        return Reply([Words(say(korean, "nothing_to_continue"))])
    return None
