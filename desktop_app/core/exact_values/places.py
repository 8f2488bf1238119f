"""Finds where things are: paths, file names, URLs, e-mail addresses, hosts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from desktop_app.core.exact_values.kinds import Span, ValueKind
from desktop_app.core.exact_values.particles import without_particle
from desktop_app.core.lazy_pattern import lazy_pattern

_FILE_ENDS = (
    "txt|md|rst|csv|tsv|json|jsonl|xml|ya?ml|toml|ini|cfg|conf|env|log|lock|py|pyi|ipynb|js|mjs|jsx|ts|tsx|vue|css|scss|html?|"
    "java|kt|swift|go|rs|c|h|cpp|hpp|cs|rb|php|sh|bash|zsh|ps1|bat|sql|db|sqlite3?|parquet|docx?|xlsx?|pptx?|pdf|hwpx?|odt|"
    "ods|rtf|png|jpe?g|gif|webp|svg|bmp|heic|mp3|mp4|m4a|wav|flac|mov|avi|mkv|zip|tar|gz|tgz|bz2|xz|7z|rar|iso|exe|dll|"
    "so|dmg|deb|rpm|whl|jar|apk|pem|key|crt|bak|tmp|dat|bin|pkl|npy|pt|onnx|safetensors"
)
_DOMAIN_ENDS = "com|net|org|io|dev|kr|ai|app|edu|gov|jp|cn|uk|de|fr|eu|info|local|internal|test|example|cloud|xyz"
_DOTTED = lazy_pattern(
    rf"\.(?:(?P<file>{_FILE_ENDS})|(?P<host>{_DOMAIN_ENDS}))(?P<port>:\d{{2,5}})?(?![A-Za-z0-9_])(?!\.[A-Za-z0-9])"
)
_WORD = lazy_pattern(r"[/\\@]\S*")
_MAIL = lazy_pattern(r"@(?<=[A-Za-z0-9._%+-]@)(?=[A-Za-z0-9][A-Za-z0-9-]*+\.)")
_EMAIL_END = lazy_pattern(r"[A-Za-z0-9](?:[A-Za-z0-9-]*+\.)*+[A-Za-z0-9-]*+")
_IN_MAILBOX = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-")
_SCHEME = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]{0,15}$")
_URL_END = lazy_pattern(r"[^\s<>\"'`|\\^{}「」『』《》“”‘’…。、，]{1,4000}")
_HANGUL_END = lazy_pattern(r"[가-힣]+$")

_SIGN = r"[^\s/\\<>\"'`|?:;,(){}\[\]“”‘’「」『』《》…。]"
_PART = rf"(?:{_SIGN}|\([^\s()/\\]{{1,60}}\)|\[[\w.-]{{1,60}}\])++"
_POSIX_REST = rf"{_PART}(?:/{_PART})*+/?"
_WINDOWS_REST = rf"{_PART}(?:[\\/]{_PART})*+[\\/]?"
_PATH = lazy_pattern(
    rf"(?<![\w<>/\\.~:])(?P<windows>[A-Za-z]:[\\/](?!/)|\\\\(?=\w))(?:{_WINDOWS_REST})?"
    rf"|(?<![\w<>/\\.~)\]])(?P<posix>~[\w-]{{0,40}}/|\.\.?[/\\]|/(?=[\w.~@*-]))(?:{_POSIX_REST})?"
    rf"|(?<![\w/\\.@+~-])(?P<relative>[\w.@+-]{{1,120}}+/){_POSIX_REST}"
)
_ENDING = lazy_pattern(r"\.[A-Za-z][A-Za-z0-9]{0,9}$")
_BEFORE_HANGUL = lazy_pattern(r"\.[A-Za-z][A-Za-z0-9]{0,9}(?=[가-힣]+$)")
_POSIX_WORD = r"(?:\d[\w.()-]{0,60}+|[A-Z][\w.()-]{0,60}+|[가-힣][\w.()-]{0,60}+)"
_WINDOWS_WORD = rf"(?![A-Za-z]:)(?:{_SIGN}|[()\[\]]){{1,60}}+"
_POSIX_MORE = lazy_pattern(rf"((?: {_POSIX_WORD}){{1,3}}?)(?:/{_POSIX_REST}|(?=[\s,)]|$))")
_WINDOWS_MORE = lazy_pattern(rf"((?: {_WINDOWS_WORD}){{1,4}}?)(?:\\{_WINDOWS_REST}|(?=[\s,)]|$))")
_CUT = ".,;:!?*'\"~"


def places(text: str) -> Iterator[Span]:
    """Paths, URLs and e-mail addresses of a text whose signs are plain, then bare file and host names."""
    done = barren = 0
    addressed = "@" in text or "://" in text
    for word in _WORD.finditer(text):
        first, end = word.span()
        if end <= done:
            continue
        start = max(_word_start(text, first), done)
        for span in _addresses(text, start, end) if addressed else ():
            start = done = span[1]
            yield span
        while start < end and (found := _PATH.search(text, start, end)):
            stop = found.end()
            if stop >= barren and text[stop : stop + 1] == " ":
                stop, barren = _over_spaces(text, found)
            last = _path_end(text, found, stop)
            if last > found.start():
                yield found.start(), last, ValueKind.PATH
            start = done = max(found.end(), last)
    yield from _dotted(text)


def _word_start(text: str, first: int) -> int:
    if first and text[first - 1] in " \n\t":
        return first
    lowest = max(first - 200, 0)
    return max(
        text.rfind(" ", lowest, first) + 1,
        text.rfind("\n", lowest, first) + 1,
        text.rfind("\t", lowest, first) + 1,
        lowest,
    )


def _addresses(text: str, start: int, end: int) -> Iterator[Span]:
    """URLs and e-mail addresses of a word."""
    at = text.find("://", start, end)
    while at >= 0:
        scheme = _SCHEME.search(text, max(at - 16, start), at)
        rest = _URL_END.match(text, at + 3) if scheme else None
        stop = _url_end(text, at + 3, rest.end()) if rest else at + 3
        if scheme and stop > at + 3:
            yield scheme.start(), stop, ValueKind.URL
            start = stop
        at = text.find("://", max(stop, at + 3), end)
    sign = _MAIL.search(text, start, end)
    while sign is not None:
        at = sign.start()
        if (mail := _email(text, start, at)) is not None:
            yield mail
            start = mail[1]
        sign = _MAIL.search(text, max(start, at + 1), end)


def _email(text: str, lowest: int, at: int) -> Span | None:
    host = _EMAIL_END.match(text, at + 1)
    if host is None or "." not in host[0].rstrip(".-"):
        return None
    start = at
    while start > max(lowest, at - 64) and text[start - 1] in _IN_MAILBOX:
        start -= 1
    while start < at and text[start] in ".-+":
        start += 1
    return (start, at + 1 + len(host[0].rstrip(".-")), ValueKind.EMAIL) if start < at else None


def _url_end(text: str, start: int, stop: int) -> int:
    """The end without closing brackets it did not open, sentence signs and particles."""
    url = text[start:stop]
    for opening, closing in ("()", "[]"):
        if closing in url:
            depth = 0
            for place, char in enumerate(url):
                depth += (char == opening) - (char == closing)
                if depth < 0:
                    url = url[:place]
                    break
    url = url.rstrip(_CUT)
    if _HANGUL_END.search(url[-24:]):
        url = without_particle(url)
    return start + len(url.rstrip(_CUT))


def _path_end(text: str, found: re.Match[str], stop: int) -> int:
    """The end of a path that goes to `stop` at most; where it begins if it is none."""
    start = found.start()
    path = text[start:stop].rstrip(_CUT)
    if "가" <= path[-1:] <= "힣":
        ending = _BEFORE_HANGUL.search(path[-40:])
        path = path[: len(path) - len(path[-40:]) + ending.end()] if ending else without_particle(path)
    return start + len(path) if _is_path(path, found) else start


def _over_spaces(text: str, found: re.Match[str]) -> tuple[int, int]:
    """The end of a path, over single spaces while whole words lead on to a separator and at last to a file's ending;
    and how far no such ending stands."""
    windows, start, stop = found.lastgroup == "windows", found.start(), found.end()
    if _ENDING.search(text, max(start, stop - 11), stop):
        return stop, stop
    more, last = _WINDOWS_MORE if windows else _POSIX_MORE, stop
    for _ in range(6):
        goes_on = more.match(text, last)
        if goes_on is None or not (windows or all(without_particle(word) == word for word in goes_on[1].split())):
            return stop, last
        last = goes_on.end()
        piece = text[stop:last].rstrip(_CUT)
        if _ENDING.search(piece) or _BEFORE_HANGUL.search(piece):
            return last, last
        if text[last : last + 1] != " ":
            break
    return stop, last


def _is_path(path: str, found: re.Match[str]) -> bool:
    kind = found.lastgroup
    if kind == "relative":
        last = path.rsplit("/", 1)[-1]
        return (_ENDING.search(last) is not None and not last.startswith(".")) or (
            path.startswith((".", "@")) and "." in last
        )
    if kind == "posix":
        return len(path.strip("/.~")) >= 2 or (path.startswith("~") and len(path) > 2)
    return len(path) >= 3


def _dotted(text: str) -> Iterator[Span]:
    for found in _DOTTED.finditer(text):
        start = found.start()
        file = found["file"] is not None
        if file and found["port"]:
            continue
        lowest = max(start - 120, 0)
        while start > lowest and (_in_file(text[start - 1]) if file else text[start - 1] in _IN_HOST):
            start -= 1
        while start < found.start() and text[start] in "-.":
            start += 1
        if start == found.start() or (start and text[start - 1] in "/\\@:~"):
            continue
        yield start, found.end(), ValueKind.PATH if file else ValueKind.HOST


_IN_HOST = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-")


def _in_file(char: str) -> bool:
    return char.isalnum() or char in "._-+"
