"""One line that says as much as there is room for: the first of several wordings that fits."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from desktop_app.ui.widgets.plain_label import ElidedLabel, set_tooltip


class FittingLabel(ElidedLabel):
    """Shows the longest of its wordings; the first of them stands in the tool tip where another is shown."""

    def __init__(self, *, tone: str = "", right: bool = False, parent: QWidget | None = None) -> None:
        self._wordings: tuple[str, ...] = ("",)
        super().__init__(tone=tone, parent=parent)
        if right:
            self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def choose_from(self, *wordings: str) -> None:
        """The same in fewer and fewer words."""
        self._wordings = wordings or ("",)
        self._choose()

    def resizeEvent(self, event: object) -> None:
        """Other words for another width."""
        super().resizeEvent(event)
        self._choose()

    def _choose(self) -> None:
        metrics, room = self.fontMetrics(), self.width()
        # Two pixels more than its advance, or eliding takes the last letters all the same.
        fitting = (one for one in self._wordings if metrics.horizontalAdvance(one) + 2 <= room)
        self.set_whole(next(fitting, self._wordings[-1]))
        self.setAccessibleName(self._wordings[0])
        if self.text() != self._wordings[0]:
            set_tooltip(self, self._wordings[0])
