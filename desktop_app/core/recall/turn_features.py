"""What a turn is like, whatever is asked: how long, how much of it asks, whether it tells a time, a number, a name."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from desktop_app.core.lazy_pattern import lazy_pattern
from desktop_app.core.recall.asking import sentences

# Only whether one stands there is asked, so that none begins with a run: it would be read from each of its letters.
_TIMES = lazy_pattern(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|weeks?|weekends?|months?|years?|since|recently"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|january|february|march|april|may|june|july|august|september|october|november|december|\d{4})\b"
    r"|어제|그제|그저께|엊그제|오늘|내일|모레|지난|저번|다음|이번|작년|재작년|올해|내년|주말|요즘|최근"
    r"|[월화수목금토일]요일|\d\s*(?:년|월|일|주|달|개월|시)|(?:며칠|몇\s*(?:주|달|년))\s*전",
    re.IGNORECASE,
)
_NUMBERS = lazy_pattern(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|few|couple|once|twice|dozen|hundred|several|many)\b"
    r"|(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|몇|여러)\s?(?:개|명|번|시간|마리|달|살|잔|권|대|곳|분|주|가지|사람)",
    re.IGNORECASE,
)
_NAME = lazy_pattern(r"(?<=[a-z,;:'’\"] )[A-Z][a-z]+")
# What a place or a person is told with in Korean, which has no capital letters.
_KOREAN_NAME = lazy_pattern(r"[가-힣]{2}(?:에서|에게|한테|씨|님|이랑|시에|동에|역에|으로\s(?:갔|이사|여행))")
# The name of who speaks, as transcripts write it.
_SPEAKER = lazy_pattern(r"^([^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,2}):\s")
_WORD = lazy_pattern(r"\w+(?:['’]\w+)*")


@dataclass(frozen=True, slots=True)
class TurnFeatures:
    """`length` is ln(1 + words) / 3, `asked` the share of its words in sentences that ask;
    `speaker` is the name a transcript writes before what was said, or empty."""

    length: float
    speaker: str
    asks: bool
    ends_asking: bool
    asked: float
    tells_time: bool
    tells_number: bool
    tells_name: bool


@lru_cache(maxsize=65_536)
def turn_features(text: str) -> TurnFeatures:
    """The features of what a turn says."""
    named = _SPEAKER.match(text)
    said = text[named.end() :] if named else text
    parts = [(len(_WORD.findall(sentence)), asks) for sentence, asks in sentences(_without_note(said))]
    words = sum(count for count, _ in parts)
    asked = sum(count for count, asks in parts if asks)
    return TurnFeatures(
        speaker=named[1] if named else "",
        length=math.log(1 + words) / 3,
        asks=any(asks for _, asks in parts),
        ends_asking=bool(parts) and parts[-1][1],
        asked=asked / words if words else 0.0,
        tells_time=bool(_TIMES.search(said)),
        tells_number=bool(_NUMBERS.search(said)),
        tells_name=bool(_NAME.search(said) or _KOREAN_NAME.search(said)),
    )


def _without_note(said: str) -> str:
    """What was said, without what an export puts behind it in brackets for a picture: that says nothing of how it was
    meant."""
    bare = said.rstrip()
    start = bare.find("[", bare.rfind("]", 0, -1) + 1) if bare.endswith("]") else -1
    return said[:start].rstrip() if start >= 0 else said
