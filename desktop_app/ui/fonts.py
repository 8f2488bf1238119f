"""The typefaces: Pretendard from the resources with tabular figures, and the system's monospace with Hangul."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QFont, QFontDatabase, QFontInfo, QGuiApplication

from desktop_app import assets

CHAT = 14.5
PANEL = 12.5
SMALL = 12.0
CODE = 13.0
_FAMILY = "Pretendard"
_MONO = ("DejaVu Sans Mono", "Menlo", "Consolas", "Cascadia Mono", "Liberation Mono", "Noto Sans Mono")
_MONO_HANGUL = ("Noto Sans Mono CJK KR", "D2Coding", "NanumGothicCoding", _FAMILY)


@cache
def bundled_families() -> tuple[str, ...]:
    """Registers the bundled fonts once per process; the families they brought, none where they are absent."""
    try:
        files = [name for name in assets.names("fonts") if name.endswith((".otf", ".ttf"))]
    except FileNotFoundError:
        return ()
    found: dict[str, None] = {}
    for name in files:
        number = QFontDatabase.addApplicationFontFromData(QByteArray(assets.read_bytes(f"fonts/{name}")))
        found.update(dict.fromkeys(QFontDatabase.applicationFontFamilies(number)))
    return tuple(found)


def text_font(size: float, weight: QFont.Weight = QFont.Weight.Normal, *, system: bool = False) -> QFont:
    """The font of words and figures, `size` in pixels (halves allowed); figures all have one width."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    if not system and _FAMILY in bundled_families():
        font.setFamilies([_FAMILY, *font.families()])
    _set_size(font, size)
    font.setWeight(weight)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def mono_font(size: float = CODE) -> QFont:
    """The font of code, `size` in pixels; Hangul falls back to a monospaced or the bundled face."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setFamilies(list(_mono_families()))
    font.setStyleHint(QFont.StyleHint.Monospace)
    _set_size(font, size)
    return font


@cache
def _mono_families() -> tuple[str, ...]:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    bundled_families()
    # An alias such as "monospace" would be passed over for the first real name in the list.
    named = QFontInfo(font).family()
    preferred = [named] if QFontDatabase.isFixedPitch(named) and named not in _MONO_HANGUL else []
    candidates = dict.fromkeys((*preferred, *_MONO, *_MONO_HANGUL))
    return tuple(name for name in candidates if QFontDatabase.hasFamily(name)) or tuple(font.families())


def _set_size(font: QFont, pixels: float) -> None:
    # QFont takes whole pixels only; points may be fractions.
    screen = QGuiApplication.primaryScreen()
    dots = screen.logicalDotsPerInchY() if screen else 96.0
    font.setPointSizeF(pixels * 72.0 / dots)
