"""Numbers with what belongs to them: grouping, decimals, a range, a unit, a currency, Korean powers of ten."""

from __future__ import annotations

import re

from desktop_app.core.exact_values.kinds import ValueKind
from desktop_app.core.lazy_pattern import lazy_pattern

_ONE = r"(?>(?:\d{1,3}(?:,\d{3})++(?!\d)|\d++)(?:\.\d++)?(?:[eE][-+]?\d++(?!\w))?)"
_NUMBER = lazy_pattern(_ONE)
_RANGE = lazy_pattern(rf"{_ONE}(?:(?>[-–~∼]| [–~∼] |\.\.|/| ?[x×] ?|:)(?=\d){_ONE}){{0,5}}+")
_MARKS = frozenset("%‰°℃℉")
_WORD = lazy_pattern(r"[A-Za-zµμ°%‰℃℉][A-Za-z²³]*+(?:/[A-Za-z]{1,2}(?![A-Za-z]))?(?![0-9A-Za-z_])|%")
CURRENCY_SIGNS = "₩$€£¥"
_CURRENCY_CODES_TEXT = "USD EUR KRW JPY GBP CNY CHF CAD AUD SGD HKD TWD INR BTC ETH"
CURRENCY_CODES = frozenset(_CURRENCY_CODES_TEXT.split())
_CURRENCY_WORDS_TEXT = "dollar dollars euro euros cent cents won pound pounds yen yuan bucks"
_CURRENCY_WORDS = frozenset(_CURRENCY_WORDS_TEXT.split())
_KOREAN_CURRENCY = lazy_pattern(r" ?(?:원|달러|유로|엔(?![가-힣]{2})|위안|파운드)")
_BIG = frozenset(["million", "billion", "trillion", "thousand", "bn"])
_BIG_LETTERS = frozenset("kKMB")
_SCALE = lazy_pattern(
    r" ?(?:조|억|천만|백만|십만|만|천)(?: ?\d[\d,]* ?(?:억|천만|백만|십만|만|천|백))*+"
    r"(?: ?\d[\d,]*(?= ?(?:원|달러|유로|엔)))?(?! ?년대)"
)
_EXACT_UNITS_TEXT = (
    "% ‰ ° °C °F ℃ ℉ bps kbps Mbps Gbps B KB kB MB GB TB PB KiB MiB GiB TiB MB/s GB/s Hz kHz MHz GHz km/h "
    "mph m/s rpm fps dpi px pt em rem cal kcal W kW MW kWh Wh Wp mAh mA V mV kV µs μs ms ns mg µg g kg ml mL "
    "L l km cm mm nm µm m m² m³ km² lb lbs oz ft s h d w y x GPa hPa A K G M k B C F D"
)
_EXACT_UNITS = frozenset(_EXACT_UNITS_TEXT.split())
_NOT_APART_TEXT = "x d w y A K G M k B C F D em pt ° s"
_NOT_APART = frozenset(_NOT_APART_TEXT.split())
_WORD_UNITS_TEXT = (
    "bit bits byte bytes sec secs second seconds min mins minute minutes hr hrs hour hours day days week "
    "weeks wk wks month months year years yr yrs decade decades century centuries meter meters metre metres "
    "kilometer kilometers kilometre kilometres centimeter centimeters millimeter millimeters gram grams "
    "kilogram kilograms milligram milligrams kilo kilos liter liters litre litres milliliters mile miles "
    "inch inches foot feet pounds ounce ounces kilobyte kilobytes megabyte megabytes gigabyte gigabytes "
    "terabyte terabytes percent pct degree degrees point points token tokens people person persons user "
    "users time times item items file files page pages line lines row rows column columns turn turns message "
    "messages request requests call calls test tests kid kids child children hundred dozen minute"
)
_WORD_UNITS = frozenset(_WORD_UNITS_TEXT.split())
_KOREAN_UNITS_TEXT = (
    "시간 개월 퍼센트 프로 킬로미터 센티미터 밀리미터 미터 센티 킬로그램 킬로 그램 리터 기가바이트 "
    "메가바이트 테라바이트 기가 메가 테라 바이트 토큰 페이지 학년 단계 가지 마리 인분 호선 글자 단어 개 명 "
    "번 회 차 일 주 달 년 분 초 층 쪽 줄 행 열 권 대 건 장 살 세 도 배 점 위 호 잔 병 평 곳 반 판 편 곡 통 "
    "석 인 박"
)
_KOREAN_UNITS = frozenset(_KOREAN_UNITS_TEXT.split())
_LONGEST_KOREAN_UNIT = max(map(len, _KOREAN_UNITS))


def number_end(text: str, start: int) -> tuple[int, ValueKind]:
    """Where a number that begins with the digit at `start` ends, and whether it is an amount of money."""
    found = _RANGE.match(text, start)
    return _with_unit(text, found.end() if found else start + 1)


def money_end(text: str, start: int) -> int:
    """Where an amount ends whose digits begin at `start`, behind the sign of its currency."""
    end = _core(text, start)
    if (more := _SCALE.match(text, end)) is not None:
        return more.end()
    word = _WORD.match(text, end + (text[end : end + 1] == " "))
    if word is not None and (word[0].lower() in _BIG or (word[0] in _BIG_LETTERS and word.start() == end)):
        return word.end()
    return end


def _core(text: str, start: int) -> int:
    found = _NUMBER.match(text, start)
    return found.end() if found else start + 1


def _with_unit(text: str, end: int) -> tuple[int, ValueKind]:
    apart = text[end : end + 1] in (" ", "-")
    char = text[end + apart : end + apart + 1]
    if "가" <= char <= "힣":
        return _korean_unit(text, end, text[end] == " ")
    if char in CURRENCY_SIGNS and char and text[end] != "-" and not text[end + apart + 1 : end + apart + 2].isdigit():
        return end + apart + 1, ValueKind.AMOUNT
    if not (char.isalpha() or char in _MARKS) or not char:
        return end, ValueKind.NUMBER
    word = _WORD.match(text, end + apart)
    if word is None:
        return end, ValueKind.NUMBER
    return _latin_unit(text, end, word)


def _latin_unit(text: str, end: int, word: re.Match[str]) -> tuple[int, ValueKind]:
    name, apart, hyphen = word[0], word.start() > end, text[end] == "-"
    lower = name.lower()
    if name in CURRENCY_CODES or lower in _CURRENCY_WORDS:
        return word.end(), ValueKind.AMOUNT
    if (lower in _BIG and not hyphen) or (name in _BIG_LETTERS and not apart):
        money = _WORD.match(text, word.end() + 1) if text[word.end() : word.end() + 1] == " " else None
        if money is not None and (money[0] in CURRENCY_CODES or money[0].lower() in _CURRENCY_WORDS):
            return money.end(), ValueKind.AMOUNT
        return word.end(), ValueKind.NUMBER
    if lower in _WORD_UNITS or (name in _EXACT_UNITS and not hyphen and not (apart and name in _NOT_APART)):
        if apart and text[word.end() : word.end() + 1] in ("'", "’") and len(name) == 1:
            return end, ValueKind.NUMBER
        stop = word.end()
        return (stop + 4 if text.startswith("-old", stop) else stop), ValueKind.NUMBER
    return end, ValueKind.NUMBER


def _korean_unit(text: str, end: int, apart: bool) -> tuple[int, ValueKind]:
    more = _SCALE.match(text, end)
    if more is not None and not (apart and text[more.end() : more.end() + 1] > "가"):
        end, apart = more.end(), text[more.end() : more.end() + 1] == " "
    if (money := _KOREAN_CURRENCY.match(text, end)) is not None:
        return money.end(), ValueKind.AMOUNT
    first = end + apart
    for size in range(_LONGEST_KOREAN_UNIT, 0, -1):
        unit = text[first : first + size]
        if len(unit) == size and unit in _KOREAN_UNITS:
            if apart and size == 1 and "가" <= text[first + 1 : first + 2] <= "힣" and not _may_follow(text, first + 1):
                break
            return first + size, ValueKind.NUMBER
    return end, ValueKind.NUMBER


_FOLLOWING = lazy_pattern(
    r"(?:이상|이하|미만|이나|이고|정도|가량|쯤|씩|째|마다|까지|부터|에서|으로|이|가|을|를|은|는|의|에|도|만|와|과|로|간|짜리|입니다)"
)


def _may_follow(text: str, at: int) -> bool:
    """Whether what stands behind one syllable apart from the number may follow a unit: 3 개를, but not 3 개발."""
    return _FOLLOWING.match(text, at) is not None
