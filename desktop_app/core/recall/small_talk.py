"""Messages that say nothing: greetings and thanks give nothing to look for, "I do not know" nothing to tell."""

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
_SENTENCE_ENDS = lazy_pattern(r"(?<=[.!?。])\s+|\n+")
_UNKNOWING = lazy_pattern(
    r"(?:(?:i['’]m |i am )?(?:very |so )?(?:sorry|afraid)[,.!:;]?(?: that)?(?: but)? *|unfortunately,? *|"
    r"i apologi[sz]e[,.]? *)*"
    r"(?:i (?:really |still |just )?(?:(?:do not|don['’]t|cannot|can['’]t|could not|couldn['’]t) (?:\w+ )?"
    r"(?:know|remember|recall|find|tell|have (?:any |that |this |the |enough )?"
    r"(?:access|information|memory|record|details?|data))|"
    r"have no (?:idea|information|memory|record)|am not sure)\b|i['’]m not sure\b|no idea\b)[^,;]*(?:, sorry\.?)?|"
    r"(?:i['’]m |i am )?(?:very |so )?sorry[.!]?|"
    r"[^,]{0,40}(?:모릅니다|모르겠(?:습니다|어요?|네요)|몰라요?|기억(?:이|은|에)? ?(?:나지 않|안 나|없)\S*|"
    r"(?:알|찾을) 수(?:가|는)? 없\S*|찾지 못했\S*|(?:적혀|나와|들어) 있지 않\S*|"
    r"(?:정보|기록|내용)(?:가|이|은|는)? 없(?:습니다|어요?|네요))[.!]?|"
    r"(?:죄송|미안)\S*[.!]?",
    re.IGNORECASE,
)
_ASKS_BACK = lazy_pattern(
    r".*[?？]|(?:please|could you|can you|would you|if you|let me know|feel free)\b.*|"
    r".*(?:주세요|주시면 \S.*|주십시오|줄래요?)[.!]?",
    re.IGNORECASE,
)
_TELLS_ON = lazy_pattern(
    r"\b(?:however|except|although|though|only)\b|\bbut\b(?! *i (?:do|can|could|am|have))|지만|는데|다만|고[, ]",
    re.IGNORECASE,
)
_LONGEST_UNKNOWING = 300


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


def tells_nothing(reply: str) -> bool:
    """Whether an answer is nothing but not knowing, with or without asking back: it would be told as if it knew."""
    if len(reply) > _LONGEST_UNKNOWING:
        return False
    sentences = [one for one in _SENTENCE_ENDS.split(unicodedata.normalize("NFC", reply).strip()) if one]
    unknowing = [one for one in sentences if _UNKNOWING.fullmatch(one) and not _TELLS_ON.search(one)]
    return bool(unknowing) and all(one in unknowing or _ASKS_BACK.fullmatch(one) for one in sentences)
