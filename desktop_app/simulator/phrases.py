"""The assistant's own sentences, English and Korean."""

from __future__ import annotations

import re

EN = {
    "greeting": "Hello! I am the simulated assistant. I answer only from what stands in the request you send.",
    "noted": 'Noted for this conversation: "{quote}"',
    "unknown": "I do not know: nothing in this request tells me that.",
    "no_calculator": "I have no calculator in this request, and I do not calculate by myself.",
    "empty": "I received your message. There is no question in it that I could answer from the request.",
    "nothing_to_continue": "There is nothing to continue: my last answer was complete.",
    "no_tool": "No tool called {name} is offered in this request.",
    "user": 'You said earlier: "{quote}"',
    "assistant": 'I said earlier: "{quote}"',
    "system": 'The system prompt says: "{quote}"',
    "recalled": 'A system message in this conversation says: "{quote}"',
    "tool": 'A result of the tool {tool} says: "{quote}"',
    "document": 'The attached document says: "{quote}"',
    "memory": 'Long-term memory says: "{quote}"',
    "memo": 'The handover memo says: "{quote}"',
    "saved": 'It is in long-term memory now: "{quote}"',
    "save_told": 'The memory answers: "{result}"',
    "not_saved": 'It is not in long-term memory. The tool says: "{result}"',
    "saving_waits": 'It is not in long-term memory yet. The tool says: "{result}"',
    "forgotten": 'It is deleted from long-term memory. The tool says: "{result}"',
    "not_forgotten": 'Nothing was deleted from long-term memory. The tool says: "{result}"',
    "result": "{call} = {result}",
    "tool_result": "The tool {call} returned: {result}",
    "tool_error": "The tool reported an error for {call}: {result}",
    "continued": "The paused turn goes on: the search brought nothing that stands in this request.",
    "think_question": "The user asks “{quote}”. I look for it in the text of this request.",
    "think_found": " A sentence fits.",
    "think_not_found": " Nothing fits well enough.",
    "think_search": " It does not stand here. The tool {tool} is offered, so I search once.",
    "think_memory": "Something is asked about what is to be kept. I answer from what is quoted and from nothing else.",
    "think_memo": "A handover memo is wanted. I fill its sections from the conversation and from nothing else.",
    "memo_user": "The user: {quote}",
    "memo_assistant": "The assistant: {quote}",
    "none": "none",
    "think_call": "The user wants {quote}. The tool {tool} is offered, so I call it.",
    "think_result": "The tool has answered. I report what it returned.",
    "think_plain": "The user writes “{quote}”. A short answer is enough.",
    "think_long": "The user wants a long text. I put together sample text and say that it is sample text.",
}
KO = {
    "greeting": "안녕하세요! 저는 모의 어시스턴트입니다. 보내 주신 요청에 적혀 있는 내용으로만 답합니다.",
    "noted": '이 대화에서 참고하겠습니다: "{quote}"',
    "unknown": "모릅니다. 이 요청에는 그 내용이 적혀 있지 않습니다.",
    "no_calculator": "이 요청에는 계산기 도구가 없으며, 저는 스스로 계산하지 않습니다.",
    "empty": "메시지를 받았습니다. 요청의 내용으로 답할 수 있는 질문은 없습니다.",
    "nothing_to_continue": "이어서 쓸 내용이 없습니다. 앞의 답변은 끝까지 작성되었습니다.",
    "no_tool": "이 요청에는 {name} 도구가 없습니다.",
    "user": '앞서 이렇게 말씀하셨습니다: "{quote}"',
    "assistant": '제가 앞서 이렇게 말했습니다: "{quote}"',
    "system": '시스템 프롬프트에 이렇게 적혀 있습니다: "{quote}"',
    "recalled": '이 대화의 시스템 메시지에 이렇게 적혀 있습니다: "{quote}"',
    "tool": '{tool} 도구의 결과에 이렇게 적혀 있습니다: "{quote}"',
    "document": '첨부한 문서에 이렇게 적혀 있습니다: "{quote}"',
    "memory": '장기 기억에 이렇게 적혀 있습니다: "{quote}"',
    "memo": '인수인계 메모에 이렇게 적혀 있습니다: "{quote}"',
    "saved": '장기 기억에 저장했습니다: "{quote}"',
    "save_told": '기억 도구가 이렇게 답했습니다: "{result}"',
    "not_saved": '장기 기억에 저장하지 않았습니다. 도구의 답입니다: "{result}"',
    "saving_waits": '아직 장기 기억에 저장되지 않았습니다. 도구의 답입니다: "{result}"',
    "forgotten": '장기 기억에서 지웠습니다. 도구의 답입니다: "{result}"',
    "not_forgotten": '장기 기억에서 아무것도 지우지 않았습니다. 도구의 답입니다: "{result}"',
    "result": "{call} = {result}",
    "tool_result": "{call} 도구의 결과입니다: {result}",
    "tool_error": "{call} 처리 중 도구가 오류를 알렸습니다: {result}",
    "continued": "멈췄던 차례를 이어 갑니다. 검색 결과에는 이 요청에 적힌 내용이 없습니다.",
    "think_question": "사용자의 질문은 “{quote}”이다. 요청의 글에서 찾아본다.",
    "think_found": " 맞는 문장이 있다.",
    "think_not_found": " 충분히 맞는 문장이 없다.",
    "think_search": " 여기에는 없다. {tool} 도구가 있으므로 한 번 찾아본다.",
    "think_memory": "기억할 내용에 대한 질문이다. 인용된 글만 보고 답한다.",
    "think_memo": "인수인계 메모를 원한다. 대화의 내용만으로 각 항목을 채운다.",
    "memo_user": "사용자: {quote}",
    "memo_assistant": "어시스턴트: {quote}",
    "none": "없음",
    "think_call": "사용자가 {quote}을(를) 원한다. {tool} 도구가 있으므로 호출한다.",
    "think_result": "도구가 답했다. 돌려받은 결과를 전한다.",
    "think_plain": "사용자의 말은 “{quote}”이다. 짧게 답하면 된다.",
    "think_long": "긴 글을 원한다. 예시 글을 만들고 예시임을 밝힌다.",
}


def say(korean: bool, key: str, **values: str) -> str:
    """One sentence with its values put in."""
    return (KO if korean else EN)[key].format(**values)


_NOT_OWN = ("result", "none", "memo_user", "memo_assistant")  # too general to tell whose words they are
_OWN = re.compile(
    "|".join(
        re.sub(r"\\\{\w+\\\}", ".*?", re.escape(sentence))
        for catalogue in (EN, KO)
        for key, sentence in catalogue.items()
        if key not in _NOT_OWN and not key.startswith("think")
    ),
    re.DOTALL,
)


def is_own(text: str) -> bool:
    """Whether a text is one of these sentences: words that quote, and tell nothing new."""
    return bool(_OWN.match(text))
