"""A dialog that is never smaller than what it has to show."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QDialog


class GrowingDialog(QDialog):
    """Grows when its content does: lines of wrapped text count in no minimum size."""

    def event(self, event: QEvent) -> bool:
        """Takes the height its layout asks for in the present width."""
        if event.type() is QEvent.Type.LayoutRequest and (layout := self.layout()) is not None:
            wanted = layout.totalHeightForWidth(self.width())
            if wanted > self.height():
                self.resize(self.width(), wanted)
        return super().event(event)
