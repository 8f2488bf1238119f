"""How the fate of a value looks: letters, ground and outline, none of them by colour alone."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt

from desktop_app.core.compaction.value_check import Fate


@dataclass(frozen=True, slots=True)
class FateLook:
    """`words` on `ground` as `#RRGGBB`; `outline` is how the edge is drawn, `radius` in pixels how round it is."""

    words: str
    ground: str
    outline: Qt.PenStyle
    radius: float


_SHAPES = {
    Fate.KEPT: (Qt.PenStyle.NoPen, 5.0),
    Fate.REWORDED: (Qt.PenStyle.DotLine, 5.0),
    Fate.LOST: (Qt.PenStyle.SolidLine, 2.0),
    Fate.INVENTED: (Qt.PenStyle.DashLine, 10.0),
}
_LIGHT = {
    Fate.KEPT: ("#0B6B4B", "#E3F4EC"),
    Fate.REWORDED: ("#7A5200", "#FBF0D9"),
    Fate.LOST: ("#B3261E", "#FBE4E1"),
    Fate.INVENTED: ("#6E2F86", "#EFE3F3"),
}
_DARK = {
    Fate.KEPT: ("#6FD8B2", "#17382D"),
    Fate.REWORDED: ("#E8C069", "#41351B"),
    Fate.LOST: ("#F59A91", "#462523"),
    Fate.INVENTED: ("#D7A6EA", "#38273F"),
}


def fate_look(fate: Fate, *, dark: bool) -> FateLook:
    """The look of a fate in the light or the dark theme."""
    return FateLook(*(_DARK if dark else _LIGHT)[fate], *_SHAPES[fate])
