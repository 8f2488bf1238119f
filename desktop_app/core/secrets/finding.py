"""Finds secrets in a text by our own formats; the detector of the adapters adds those of its library."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from desktop_app.core.secrets.folding import Folded, folded, without_breaks
from desktop_app.core.secrets.iban import ibans
from desktop_app.core.secrets.kinds import Secret, SecretKind, apart
from desktop_app.core.secrets.labelled import Found, is_placeholder, labelled
from desktop_app.core.secrets.masking import masks_in
from desktop_app.core.secrets.numbers import is_card_number, is_resident_number
from desktop_app.core.secrets.shapes import ADDRESS, AUTHORIZATION, BEARER, JWT, PRIVATE_KEY, PROVIDER_KEY

_DIGITS = re.compile(r"(?<![0-9A-Za-z_.-])\d(?:[ -]?\d){12,18}(?![0-9A-Za-z_-])")
_RESIDENT = re.compile(r"\d{6}(?: ?- ?)?\d{7}")
_CARD = re.compile(r"\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1?\d{1,3})?|\d{4}([ -])\d{6}\2\d{4,5}")
_WORD = re.compile(r"[A-Za-z]?[a-z]*|[A-Z]+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\s*[=:]")


def find_secrets(text: str) -> tuple[Secret, ...]:
    """The secrets of a text, in order and apart; what is masked already is none."""
    if len(text) < 4:
        return ()
    given = folded(text)
    found = [
        *_spans(given, _shaped(given.text)),
        *_spans(given, labelled(given.text)),
        *_spans(given, _numbers(given.text)),
    ]
    if "\n" in given.text:
        found += _wrapped(given)
    return unmasked(text, found)


def holds_key(text: str) -> bool:
    """Whether something in it has the very shape of a key, a token or a private key; quick for long texts as well."""
    return any(shape.search(text) for shape in (PROVIDER_KEY, JWT, PRIVATE_KEY))


def unmasked(text: str, secrets: list[Secret]) -> tuple[Secret, ...]:
    """Those that are not masked already, in order and apart."""
    masks = masks_in(text) if secrets else []
    return apart(one for one in secrets if not any(start <= one.start and one.end <= end for start, end in masks))


def _spans(given: Folded, found: Iterator[Found]) -> list[Secret]:
    return [Secret(*given.span(start, end), kind) for start, end, kind in found]


def _shaped(text: str) -> Iterator[Found]:
    for found in PRIVATE_KEY.finditer(text):
        yield *found.span(), SecretKind.PRIVATE_KEY
    for found in PROVIDER_KEY.finditer(text):
        yield *found.span(), SecretKind.API_KEY
    for found in JWT.finditer(text):
        yield *found.span(), SecretKind.TOKEN
    for pattern in (AUTHORIZATION, BEARER):
        for found in pattern.finditer(text):
            name = found.lastgroup or "under"
            if not is_placeholder(found[name]):
                yield *found.span(name), SecretKind.TOKEN
    for found in ADDRESS.finditer(text):
        if not is_placeholder(found["password"]):
            yield *found.span("password"), SecretKind.PASSWORD


def _numbers(text: str) -> Iterator[Found]:
    """Numbers that are known by their own check digits."""
    for found in _DIGITS.finditer(text):
        digits = "".join(filter(str.isdigit, found[0]))
        if _RESIDENT.fullmatch(found[0]) and is_resident_number(digits):
            yield *found.span(), SecretKind.RESIDENT_NUMBER
        elif _CARD.fullmatch(found[0]) and is_card_number(digits):
            yield *found.span(), SecretKind.CARD_NUMBER
    for start, end in ibans(text):
        yield start, end, SecretKind.ACCOUNT_NUMBER


def _wrapped(given: Folded) -> list[Secret]:
    """Keys that go on in the next line."""
    joined, joints = without_breaks(given)
    secrets = []
    for pattern, kind in ((PROVIDER_KEY, SecretKind.API_KEY), (JWT, SecretKind.TOKEN)) if joints else ():
        for found in pattern.finditer(joined.text):
            start, end = found.span()
            end = _end_of_wrapped(joined.text, end, [place for place in joints if start < place < end])
            if any(start < place < end for place in joints):
                secrets.append(Secret(*joined.span(start, end), kind))
    return secrets


def _end_of_wrapped(text: str, end: int, joints: Sequence[int]) -> int:
    """Where a key ends that seems to go on over these joints (in order): the next line may be something else."""
    for place in joints:
        # Cut out, for what stands before a key keeps it from being one.
        if PROVIDER_KEY.match(text[place:]) or _NAME.match(text, place):
            end = place
            break
    for place in reversed(joints):
        # A plain word that begins a line is most likely no part of it.
        if place < end and _WORD.fullmatch(text, place, end):
            end = place
    return end
