"""The two sets of colours, as values: window, text, segments and code, light and dark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from PySide6.QtGui import QColor, QPalette

from desktop_app.core.segment import Segment


@dataclass(frozen=True, slots=True)
class CodeColours:
    """Letters of highlighted code, by what they are."""

    keyword: str
    string: str
    number: str
    comment: str
    name: str
    inserted: str
    deleted: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """Every colour of one theme as `#RRGGBB`.

    `window` behind panels, `surface` behind the chat, `raised` for cards and inputs, `user` behind the person's
    messages, `code` behind code, `track` under bars, `hover` under the pointer, `selected` behind a chosen row,
    `on_accent` for words on the accent. `warning` is for words, `warning_mark` for lines and marks.
    """

    dark: bool
    window: str
    surface: str
    raised: str
    line: str
    text: str
    muted: str
    accent: str
    accent_hover: str
    on_accent: str
    selected: str
    danger: str
    danger_soft: str
    warning: str
    warning_mark: str
    warning_soft: str
    good: str
    user: str
    code: str
    track: str
    hover: str
    highlight: str
    syntax: CodeColours
    segments: Mapping[Segment, str]

    def color(self, name: str) -> QColor:
        """The colour of that name as Qt takes it."""
        return QColor(getattr(self, name))

    def segment(self, segment: Segment) -> QColor:
        """The colour of a segment, the same in bar, rows and history."""
        return QColor(self.segments[segment])


# The hues are those of Okabe and Ito; only lightness moves, until each stands out 3 : 1 from the grounds.
LIGHT = Tokens(
    dark=False,
    window="#F6F6F4",
    surface="#FFFFFF",
    raised="#FFFFFF",
    line="#E2E2DD",
    text="#1F2328",
    muted="#5F6770",
    accent="#2F6DB5",
    accent_hover="#285E9D",
    on_accent="#FFFFFF",
    selected="#E8F0FA",
    danger="#B3261E",
    danger_soft="#FBEAE8",
    warning="#A34A08",
    warning_mark="#D55E00",
    warning_soft="#FBF1E4",
    good="#0B6B4B",
    user="#F1F1EC",
    code="#F7F7F4",
    track="#EBEBE8",
    hover="#ECECE8",
    highlight="#C9DDF5",
    syntax=CodeColours(
        keyword="#8A3FA0",
        string="#0B6B4B",
        number="#A34A08",
        comment="#666E77",
        name="#2F6DB5",
        inserted="#0B6B4B",
        deleted="#B3261E",
    ),
    segments=MappingProxyType(
        {
            Segment.SYSTEM: "#0072B2",
            Segment.TOOLS: "#3495CE",
            Segment.FACTS: "#009E73",
            Segment.RECALLED: "#7F7600",
            Segment.SUMMARY: "#C37F00",
            Segment.MESSAGES: "#878C95",
            Segment.CURRENT: "#B9598E",
        }
    ),
)

DARK = Tokens(
    dark=True,
    window="#1A1B1D",
    surface="#222326",
    raised="#2A2B2F",
    line="#37393E",
    text="#E8E8E5",
    muted="#A0A6AD",
    accent="#82B1EA",
    accent_hover="#9AC1F0",
    on_accent="#16181B",
    selected="#26364A",
    danger="#F2857B",
    danger_soft="#3A2725",
    warning="#F0A06A",
    warning_mark="#E57A2E",
    warning_soft="#382C22",
    good="#5FCBA2",
    user="#2D2E32",
    code="#1B1C1F",
    track="#303238",
    hover="#303136",
    highlight="#34507A",
    syntax=CodeColours(
        keyword="#CF9BE0",
        string="#86CFA9",
        number="#EDB27C",
        comment="#979DA4",
        name="#82B1EA",
        inserted="#5FCBA2",
        deleted="#F2857B",
    ),
    segments=MappingProxyType(
        {
            Segment.SYSTEM: "#2C8FCB",
            Segment.TOOLS: "#62BCEF",
            Segment.FACTS: "#12AC80",
            Segment.RECALLED: "#F0E442",
            Segment.SUMMARY: "#E69F00",
            Segment.MESSAGES: "#8A8F98",
            Segment.CURRENT: "#CF80AC",
        }
    ),
)


def contrast(first: str, second: str) -> float:
    """Contrast of two colours, 1 to 21 (WCAG 2.2, relative luminance)."""
    high, low = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def qt_palette(tokens: Tokens) -> QPalette:
    """The palette every stock widget paints itself with."""
    palette = QPalette()
    role = QPalette.ColorRole
    for target, name in (
        (role.Window, "window"),
        (role.Base, "raised"),
        (role.AlternateBase, "window"),
        (role.Button, "raised"),
        (role.ToolTipBase, "raised"),
        (role.WindowText, "text"),
        (role.Text, "text"),
        (role.ButtonText, "text"),
        (role.ToolTipText, "text"),
        (role.BrightText, "danger"),
        (role.PlaceholderText, "muted"),
        (role.Highlight, "highlight"),
        (role.HighlightedText, "text"),
        (role.Accent, "accent"),
        (role.Link, "accent"),
        (role.LinkVisited, "accent"),
        (role.Light, "hover"),
        (role.Midlight, "line"),
        (role.Mid, "line"),
        (role.Dark, "line"),
        (role.Shadow, "line"),
    ):
        palette.setColor(target, tokens.color(name))
    for target in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        palette.setColor(QPalette.ColorGroup.Disabled, target, tokens.color("muted"))
    return palette
