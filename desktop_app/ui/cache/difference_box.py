"""A difference in two lines, as it stands in the requests: what was there before and what is there now."""

from __future__ import annotations

from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel

_MOST_LINES = 4
_MARGIN = 10


class CodeLines(PlainLabel):
    """A line of code broken wherever it ends at the edge: what stands in a request has few spaces."""

    def __init__(self, theme: Theme, tone: str, parent: QWidget | None = None) -> None:
        super().__init__(tone=tone, parent=parent)
        self._whole = ""
        self.setMinimumWidth(1)
        keep_font(self, theme, mono=True)

    def show_line(self, mark: str, line: str) -> None:
        """Shows a line behind its mark."""
        self._whole = f"{mark} {line}"
        self._break()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width breaks it elsewhere."""
        super().resizeEvent(event)
        self._break()

    def _break(self) -> None:
        room, metrics = max(self.width(), 80), QFontMetrics(self.font())
        lines: list[str] = []
        rest = self._whole
        while rest and len(lines) < _MOST_LINES:
            end = _fitting(metrics, rest, room)
            lines.append(rest[:end])
            rest = rest[end:]
        if rest:
            lines[-1] = lines[-1][:-1] + "…"
        if (text := "\n".join(lines)) != self.text():
            self.setText(text)


class DifferenceBox(QFrame):
    """`-` and `+` with their lines; one that is not there is left out."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self.setProperty("role", "quote")
        self.before = CodeLines(theme, "danger")
        self.after = CodeLines(theme, "good")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN, 8, _MARGIN, 8)
        layout.setSpacing(2)
        layout.addWidget(self.before)
        layout.addWidget(self.after)

    def show_difference(self, before: str, after: str) -> None:
        """Shows both lines."""
        self.setVisible(bool(before or after))
        for label, mark, line, name in ((self.before, "-", before, "before"), (self.after, "+", after, "after")):
            label.setVisible(bool(line))
            label.show_line(mark, line)
            label.setAccessibleName(self._language.say(f"cache.why.{name}", text=line))


def _fitting(metrics: QFontMetrics, text: str, room: int) -> int:
    """How many characters fit, one at least."""
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if metrics.horizontalAdvance(text[:middle]) <= room:
            low = middle
        else:
            high = middle - 1
    return low
