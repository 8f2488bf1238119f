"""Messages for which nothing is recalled: greetings, thanks and the like say nothing to look for."""

from __future__ import annotations

import re

_TALK = re.compile(
    r"(?:hi|hello|hey|yo|good (?:morning|evening|afternoon|night)|thanks?(?: you)?(?: (?:so|very) much)?|thx|"
    r"ok(?:ay)?|yes|yeah|yep|no|nope|sure|great|nice|cool|please|continue|go on|bye|goodbye|"
    r"안녕(?:하세요|하십니까|히 계세요)?|반가워요?|반갑습니다|고마워요?|고맙습니다|감사(?:해요?|합니다)|"
    r"네|예|응|아니(?:요|오)?|좋아요?|알겠(?:어요?|습니다)|그래요?|계속(?:해 ?줘|하세요)?|잘 ?가요?)"
    r"(?: (?:there|claude|again|everyone))?",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"[\s!.,?~…^]+")
_LONGEST = 60


def is_small_talk(text: str) -> bool:
    """Whether a message is nothing but greetings, thanks, a yes or a no."""
    if len(text) > _LONGEST:
        return False
    left = _SIGNS.sub(" ", text).strip()
    while left:
        found = _TALK.match(left)
        if found is None or (found.end() < len(left) and left[found.end()] != " "):
            return False
        left = left[found.end() :].strip()
    return True
