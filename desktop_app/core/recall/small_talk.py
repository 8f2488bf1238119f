"""Messages for which nothing is recalled: greetings, thanks and the like say nothing to look for."""

from __future__ import annotations

import re
import unicodedata

from desktop_app.core.lazy_pattern import lazy_pattern

_TALK = lazy_pattern(
    r"(?:hi|hiya|hello|hey|yo|good (?:morning|evening|afternoon|night)|"
    r"(?:many )?thanks?(?: you)?(?: (?:so|very) much| a (?:lot|ton|bunch|million))?|thx|cheers|"
    r"ok(?:ay)?|alright|all right|yes|yeah|yep|yup|no|nope|nah|sure|right|exactly|great|nice|cool|perfect|awesome|"
    r"got it|i see|understood|sounds good|good job|well done|no problem|never ?mind|lol|(?:ha){2,}|"
    r"please|continue|go on|bye|goodbye|see you(?: later)?|"
    r"안녕(?:하세요|하십니까|히 계세요)?|반가워요?|반갑습니다|"
    r"고마워요?|고마웠어요?|고맙습니다|감사(?:해요?|합니다|드려요|드립니다)?|"
    r"수고(?:해요?|했어요?|하세요|하셨(?:어요|습니다)|하십시오)|잘했어요?|"
    r"네+|넵+|넹|예+|응+|ㅇㅇ|ㅇㅋ|ㄴㄴ|ㄱㅅ|오케이|(?:하하|헤헤|히히)+|"
    r"아니(?:요|오|야)?|괜찮아요?|좋아요?|좋네요?|맞아요?|맞습니다|그렇(?:구나|군요?)|"
    r"알겠(?:어요?|습니다)|알았어요?|그래요?|계속(?:해 ?줘|하세요)?|잘 ?(?:가|자)요?)"
    r"(?: (?:there|claude|again|everyone))?(?= |$)",
    re.IGNORECASE,
)
# Laughter and tears stand behind words as well.
_SIGNS = lazy_pattern(r"[\s!.,?~…^:;()ㅋㅎㅠㅜ]+")
_LONGEST = 60


def is_small_talk(text: str) -> bool:
    """Whether a message is nothing but greetings, thanks, laughter, a yes or a no."""
    if len(text) > _LONGEST:
        return False
    left = _SIGNS.sub(" ", unicodedata.normalize("NFC", text)).strip()
    while left:
        found = _TALK.match(left)
        if found is None:
            return False
        left = left[found.end() :].strip()
    return True
