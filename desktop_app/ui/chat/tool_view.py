"""A tool call as a compact card: its name, what it was asked, what came of it; all of it plain text."""

from __future__ import annotations

import json

from PySide6.QtWidgets import QWidget

from desktop_app.bridge.entries import ToolPart
from desktop_app.bridge.visible_text import visible_line
from desktop_app.ui.chat.folding_card import FoldingCard
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import PlainLabel

_HEAD = 160


class ToolView(FoldingCard):
    """Shows one call; `set_part` when its result is there."""

    def __init__(self, theme: Theme, language: Language, part: ToolPart, parent: QWidget | None = None) -> None:
        super().__init__(theme, language, "wrench", parent)
        self._part = part
        self._asked = PlainLabel(tone="muted")
        self.inside.addWidget(self._asked)
        self._arguments = self.section(mono=True)
        self._came = PlainLabel(tone="muted")
        self.inside.addWidget(self._came)
        self._result = self.section(mono=True)
        self.set_part(part)

    @property
    def part(self) -> ToolPart:
        """What is shown."""
        return self._part

    def set_part(self, part: ToolPart) -> None:
        """The call as it stands now."""
        self._part = part
        self._arguments.set_text(_readable(part.arguments))
        self._result.set_text(part.result or "")
        self._result.setVisible(part.result is not None)
        self.retranslate()

    def retranslate(self) -> None:
        """Says its words anew."""
        super().retranslate()
        part, say = self._part, self._language.say
        name, arguments = visible_line(part.name, 60), visible_line(_brief(part.arguments), _HEAD)
        if part.result is None:
            words = say("chat.tool_running", name=name, arguments=arguments)
        elif part.is_error:
            words = say("chat.tool_failed", name=name, result=visible_line(part.result, _HEAD))
        else:
            words = say("chat.tool_done", name=name, arguments=arguments, result=visible_line(part.result, _HEAD))
        self.head.set_whole(words)
        self.head.set_tone("danger" if part.is_error else "muted")
        self.setAccessibleName(words)
        self._asked.setText(say("chat.tool_arguments"))
        self._came.setText(say("chat.tool_error" if part.is_error else "chat.tool_result"))
        self._came.setVisible(part.result is not None)


def _brief(arguments: str) -> str:
    """The values of a call in one line."""
    try:
        values = json.loads(arguments)
    except ValueError:
        return arguments
    if isinstance(values, dict):
        return ", ".join(
            value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in values.values()
        )
    return arguments


def _readable(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False, indent=2)
    except ValueError:
        return arguments
