"""What of a message are the person's own words, sentence by sentence: no quoted, pasted or fenced text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from desktop_app.core.lazy_pattern import lazy_pattern

LONGEST_READ = 16_000
"""Characters up to which a message is read whole."""
_AN_END = 6_000
"""Characters of both ends of a longer one that are read: people frame what they paste, they do not write as much."""

_FENCE = lazy_pattern(r"^[ ]{0,3}(`{3,}|~{3,})[^`\n]*$(?:(?s:.)*?^[ ]{0,3}\1[`~]*[ \t]*$|(?s:.)*\Z)", re.MULTILINE)
_QUOTED_LINE = lazy_pattern(r"^[ \t]*>[^\n]*", re.MULTILINE)
_OPENING_TAG = lazy_pattern(r"<([A-Za-z][\w-]{0,40})(?:\s[^<>\n]{0,200})?>")
_SHORT_MARKUP = 80
"""Characters between tags up to which they only mark up a few of the person's own words."""
_COLON = lazy_pattern(r"[:：](?=\s)")
_ANNOUNCED = lazy_pattern(
    r"\b(?:translat|proofread|rewrit|rephras|paraphras|summari[sz]|quot(?:e|ing)|following (?:text|e-?mail|message|"
    r"page|"
    r"article|sentence|prompt|document)|here(?:'s| is) (?:the|my|a) (?:text|e-?mail|message|page|article|prompt|"
    r"letter))"
    r"|번역|교정|요약|다듬|고쳐|윤문|맞춤법|(?:아래|다음)(?:의|은|는)? ?(?:글|문장|메일|기사|문서|내용|프롬프트)|"
    r"원문|본문|인용",
    re.IGNORECASE,
)
_SETS_RULES = lazy_pattern(
    r"\b(?:rules?|guidelines?|instructions?|always|never|from now on|whenever)\b|규칙|지켜|지킬|때(?:는|에는|마다)|"
    r"항상|매번|앞으로",
    re.IGNORECASE,
)
_ANNOUNCEMENT = 240
_INLINE = lazy_pattern(
    r"`[^`\n]+`|\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|‘[^’\n]{1,400}’(?![A-Za-z])"
    r"|'(?<!\w')[^'\n]{2,400}'(?![A-Za-z0-9])|「[^」\n]{1,400}」|『[^』\n]{1,400}』|«[^»\n]{1,400}»"
)
_STANDS_IN = "\ufffc"

_END = lazy_pattern(r"(?P<stop>[.!?。！？…]+[\"'”’」』)\]]*)|\n\s*")
_ABBREVIATED = lazy_pattern(
    r"\b(?:e\.g|i\.e|etc|vs|cf|no|nr|approx|incl|fig|dr|mr|mrs|ms|prof|st|z\.b|d\.h|[a-z])\.\Z", re.IGNORECASE
)
_LISTED = lazy_pattern(r"[ \t]*(?:[-*•·+]|\d{1,2}[.)]|[①-⑳])[ \t]+")
_NEXT_LINE = lazy_pattern(r"[ \t\r]*\n(?:[ \t\r]*\n)?(?P<item>[^\n]*)")
_LATIN_OPEN = lazy_pattern(
    r"(?:,|\b(?:and|or|but|the|a|an|in|on|at|to|of|for|with|from|by|that|which|when|if|my|your|our|all|every|each|"
    r"any|"
    r"please|always|never|not|now|is|are|be|use|using|only|than|as|into|unless|until|without|before|after|answer|"
    r"reply|respond|write|speak|keep|add|touch|make|give|call))\Z",
    re.IGNORECASE,
)
_KOREAN_OPEN = lazy_pattern(
    r"(?:,|[가-힣](?:은|는|을|를|의|에|에서|에게|으로|로|와|과|도|만|부터|까지|마다|하고|해서|면|며|고|거나))\Z"
)
_WRAPPED = 40
"""Characters of a line from which on a small letter at the beginning of the next one goes on with its sentence."""
_LONGEST_RULE = 2_000


@dataclass(frozen=True, slots=True)
class Sentence:
    """A whole sentence as the person wrote it, and the same with quoted words blanked: what it says of its own."""

    text: str
    said: str

    @property
    def items(self) -> list[Sentence]:
        """The points of the list below a sentence that ends in a colon, each by itself."""
        items = []
        place = self.said.find("\n", max(self.said.find(":\n"), self.said.find("：\n")))
        while place >= 0:
            following = self.said.find("\n", place + 1)
            first, last = _trimmed(self.said, place, len(self.said) if following < 0 else following)
            items.append(Sentence(self.text[first:last], self.said[first:last]))
            place = following
        return items if ":\n" in self.said or "：\n" in self.said else []


def sentences(text: str, places: list[int]) -> Iterator[Sentence]:
    """The sentences of a person's message in which one of these places (ascending) lies, each once.

    A line break ends a sentence unless it plainly goes on; a sentence that ends in a colon has the list below it.
    Sentences of more than 2,000 characters are left out, and so is what does not belong to the person's own words.
    """
    masked = _masked(text)
    done = 0
    for place in places:
        if place < done:
            continue
        for start, end in _spans(masked, _border_before(masked, done, place)):
            if place < end:
                done = end
                first, last = _trimmed(masked, start, end)
                if first < last <= first + _LONGEST_RULE:
                    yield Sentence(text[first:last], masked[first:last])
                break


def _border_before(masked: str, start: int, place: int) -> int:
    """The beginning of the last line before `place` that no sentence reaches into from above."""
    line = masked.rfind("\n", start, place)
    while line > start:
        if masked[line - 1] in "\n.!?。！？…":
            return line + 1
        line = masked.rfind("\n", start, line)
    return start


def read_parts(text: str) -> list[tuple[int, int]]:
    """Where a message is read: all of it, or both ends of a long one."""
    if len(text) <= LONGEST_READ:
        return [(0, len(text))]
    return [(0, _AN_END), (len(text) - _AN_END, len(text))]


def _masked(text: str) -> str:
    """The text, equally long, without what is not the person's own: line breaks for blocks, signs for quoted words."""
    if "```" in text or "~~~" in text:
        text = _FENCE.sub(_blanked, text)
    if ">" in text:
        text = _QUOTED_LINE.sub(_blanked, text)
    if len(text) > LONGEST_READ:
        head, tail = _whole_sentences(text)
        text = text[:head] + "\n" * (tail - head) + text[tail:]
    text = _without_material(_without_markup(text))
    return _INLINE.sub(lambda found: _STANDS_IN * len(found[0]), text)


def _whole_sentences(text: str) -> tuple[int, int]:
    """Where the head of a long message ends and its tail begins: what is cut through there is no whole sentence."""
    tail = len(text) - _AN_END
    lines, stops = text.rfind("\n", 0, _AN_END), text.rfind(". ", 0, _AN_END)
    ends = [place for place in (text.find("\n", tail), text.find(". ", tail)) if place >= 0]
    return max(lines, stops, -1) + 1, min(ends, default=len(text) - 1) + 1


def _without_markup(text: str) -> str:
    """The text without what stands between tags: a pasted page or document."""
    kept, place = [], 0
    closed: dict[str, bool] = {}
    for opening in _OPENING_TAG.finditer(text) if "</" in text else ():
        tag = opening[1]
        if opening.start() < place or not closed.get(tag, True):
            continue
        end = text.find(f"</{tag}>", opening.end())
        closed[tag] = end >= 0
        if end - opening.end() > _SHORT_MARKUP:
            end += len(tag) + 3
            kept += [text[place : opening.start()], "\n" * (end - opening.start())]
            place = end
    return "".join([*kept, text[place:]])


def _without_material(text: str) -> str:
    """The text down to a line that announces another one (to be translated, say): all behind its colon is that."""
    for colon in _COLON.finditer(text):
        line = text[max(text.rfind("\n", 0, colon.start()) + 1, colon.start() - _ANNOUNCEMENT) : colon.start()]
        if _ANNOUNCED.search(line) and not _SETS_RULES.search(line):
            return text[: colon.end()] + "\n" * (len(text) - colon.end())
    return text


def _blanked(found: re.Match[str]) -> str:
    return "\n" * len(found[0])


def _spans(masked: str, start: int) -> Iterator[tuple[int, int]]:
    """Where the sentences from `start` on begin and end, white space and list marks around them included."""
    for found in _END.finditer(masked, start):
        if found.start() < start or not _ends_here(masked, start, found):
            continue
        end = found.end("stop") if found["stop"] else found.start()
        if masked[start:end].rstrip().endswith((":", "：")):
            end = _list_end(masked, end)
        yield start, end
        start = max(end, found.end())
    yield start, len(masked)


def _ends_here(masked: str, start: int, found: re.Match[str]) -> bool:
    if found["stop"]:
        return _closes(masked, start, found)
    before, rest = masked[start : found.start()].rstrip(), masked[found.end() : found.end() + 60]
    if not before or not rest or found[0].count("\n") > 1 or _LISTED.match(masked, found.end()):
        return True
    line = before[before.rfind("\n") + 1 :]
    if _KOREAN_OPEN.search(line):
        return False
    goes_on = rest[0].isascii() and rest[0].islower()
    return not (goes_on and line[-1] not in ":;" and (len(line) >= _WRAPPED or _LATIN_OPEN.search(line)))


def _closes(masked: str, start: int, found: re.Match[str]) -> bool:
    """Whether the stop is the end of a sentence: not one in a number, a name of a file or an abbreviation."""
    end = found.end()
    if masked[end - 1] in "。！？":
        return True
    after, before = masked[end : end + 1], masked[found.start() - 1 : found.start()]
    if after and not after.isspace() and not ("가" <= before <= "힣" and "가" <= after <= "힣"):
        return False
    if masked[start : end - 1].strip().isdecimal():
        return False  # the number of a point
    return _ABBREVIATED.search(masked[max(start, end - 12) : end]) is None


def _list_end(masked: str, end: int) -> int:
    """The end of the list that follows a colon, as far as it fits a rule; `end` where none follows."""
    begin, place = end, end
    while True:
        line = _NEXT_LINE.match(masked, place)
        if line is None or not _LISTED.match(line["item"]) or line.end() - begin > _LONGEST_RULE - 300:
            return end
        place = line.end()
        end = line.start("item") + len(line["item"].rstrip())


def _trimmed(masked: str, start: int, end: int) -> tuple[int, int]:
    """Without white space and list marks at its ends."""
    while start < end:
        if masked[start].isspace():  # first, for a list mark is looked for behind all blanks
            start += 1
        elif mark := _LISTED.match(masked, start, end):
            start = mark.end()
        else:
            break
    while end > start and masked[end - 1].isspace():
        end -= 1
    return start, end
