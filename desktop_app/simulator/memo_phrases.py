"""The sentences of summaries that are no quotes of the conversation, English and Korean."""

from __future__ import annotations

_EN = {
    "decided": "Decided: {rows}.",
    "values": "Values: {rows}.",
    "open": "Open at the end: {rows}.",
    "bland": "They talked.",
    "bland_more": "Some things were settled and others were left open.",
    "episode": "## Episode {number} (messages {first}-{last})",
    "about": "The person and the assistant talked about several matters.",
    "value": "In the conversation this value was named exactly: {value}",
    "invented": "The signed copy is kept at {path} under the reference {code}.",
    "permitted": "The person allows and wants this, and it holds from now on: {order}",
    "goes_on": "Now I go on with the task “{quote}”. Let me begin with its first step.",
    "refused": "The simulated assistant does not summarise this conversation.",
}
_KO = {
    "decided": "결정: {rows}.",
    "values": "값: {rows}.",
    "open": "마지막에 남은 일: {rows}.",
    "bland": "이야기를 나누었습니다.",
    "bland_more": "정해진 일도 있고 아직 정해지지 않은 일도 있습니다.",
    "episode": "## 에피소드 {number} (메시지 {first}-{last})",
    "about": "사용자와 어시스턴트가 여러 가지 일에 대해 이야기를 나누었습니다.",
    "value": "대화에서 다음과 같은 정확한 값이 언급되었습니다: {value}",
    "invented": "서명한 사본은 {path} 위치에 참조 번호 {code}로 보관되어 있습니다.",
    "permitted": "사용자가 허락하고 원한 일이며 앞으로 계속 지킵니다: {order}",
    "goes_on": "이제 “{quote}” 작업을 이어서 하겠습니다. 첫 단계부터 시작합니다.",
    "refused": "모의 어시스턴트는 이 대화를 요약하지 않습니다.",
}


def phrase(korean: bool, key: str, **values: str) -> str:
    """One sentence with its values put in."""
    return (_KO if korean else _EN)[key].format(**values)
