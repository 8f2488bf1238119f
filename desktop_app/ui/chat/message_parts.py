"""The content of one message as widgets, one for each part, kept and changed in place while it arrives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop_app.bridge.entries import AttachmentPart, Entry, OtherPart, Part, TextPart, ThinkingPart, ToolPart
from desktop_app.core.conversation import MessageState, Role, is_blank
from desktop_app.ui.chat.attachment_strip import AttachmentStrip
from desktop_app.ui.chat.flow_text import FlowText
from desktop_app.ui.chat.markdown_view import MarkdownView
from desktop_app.ui.chat.plain_view import PlainView
from desktop_app.ui.chat.thinking_view import ThinkingView
from desktop_app.ui.chat.tool_view import ToolView
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel

USER_PAD = 14


class UserText(QFrame):
    """A person's words on their tinted block, word for word; a long text can be unfolded."""

    heightChanged = Signal()

    def __init__(self, theme: Theme, language: Language, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._text = text
        self.setProperty("role", "user")
        self.view = PlainView(theme, language)
        self._more: TextButton | None = None
        layout = self._layout = QVBoxLayout(self)
        layout.setContentsMargins(USER_PAD, 11, USER_PAD, 7)
        layout.setSpacing(4)
        layout.addWidget(self.view)
        self.view.heightChanged.connect(self.heightChanged)
        language.changed.connect(self._retranslate)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        """Another text."""
        self._text = text
        self.view.set_text(text)
        self._retranslate()

    def set_width(self, width: int) -> None:
        """The width of the block in pixels."""
        self.setFixedWidth(width)
        self.view.set_width(width - 2 * USER_PAD)

    @property
    def more(self) -> TextButton:
        """The button that unfolds, or says how much is not shown."""
        if self._more is None:
            self._more = TextButton(kind="link")
            self._more.clicked.connect(self._unfold)
            self._layout.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)
        return self._more

    def _unfold(self) -> None:
        self.view.set_unfolded(self.view.folded)
        self._retranslate()
        self.heightChanged.emit()

    def _retranslate(self) -> None:
        say, number = self._language.say, self._language.number
        folded = self.view.folded
        hidden = self.view.hidden_characters()
        if not folded and not hidden:
            if self._more is not None:
                self._more.hide()
            return
        self.more.show()
        if folded:
            self.more.set_words(say("chat.show_all", count=number(len(self._text))))
        else:
            self.more.set_words(say("markdown.cut", count=number(hidden)))
        self.more.setEnabled(folded)


@dataclass(frozen=True, slots=True)
class _Attached:
    """Attachments that follow one another: they stand beside each other."""

    index: int
    parts: tuple[AttachmentPart, ...]


_Shown = TextPart | ThinkingPart | ToolPart | OtherPart | _Attached


class MessageParts(QWidget):
    """Shows the parts of an entry.

    Signals:
        targetChosen(str): a link was activated.
        heightChanged(): it needs another height.
    """

    targetChosen = Signal(str)
    heightChanged = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._width = 0
        self._muted = False
        self._shown: dict[tuple[str, int], QWidget] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(9)
        self._cut: PlainLabel | None = None

    def show_entry(self, entry: Entry) -> None:
        """Brings the widgets in line with an entry; what has not changed is not touched."""
        streaming = entry.state is MessageState.STREAMING
        if streaming and len(entry.parts) < len(self._shown):
            return  # the stored entry lags behind what has already arrived
        wanted = [(_key(part), part) for part in _together(entry.parts) if _has_look(part, entry.role)]
        for key in [key for key in self._shown if key not in dict(wanted)]:
            self._drop(key)
        for place, (key, part) in enumerate(wanted):
            widget = self._shown.get(key)
            if widget is None:
                self._add(key, self._make(part, entry.role, streaming=streaming), place)
            else:
                self._update(widget, part, streaming=streaming)
        self.set_caret(streaming)
        self._say_cut()

    def set_edited(self, edited: bool) -> None:
        """While a message is edited only what is attached to it stands there: it goes with the new words."""
        for widget in self._shown.values():
            widget.setVisible(not edited or isinstance(widget, AttachmentStrip))
        kept = any(isinstance(widget, AttachmentStrip) for widget in self._shown.values())
        self.setVisible(not edited or kept)

    def set_muted(self, muted: bool) -> None:
        """Whether the words step back, for they are not sent any more."""
        if muted != self._muted:
            self._muted = muted
            for widget in self._shown.values():
                self._mute(widget)

    def append_text(self, index: int, text: str) -> None:
        """A piece of answer text that just arrived."""
        key = ("text", index)
        if key not in self._shown:
            self._add(key, self._markdown(), len(self._shown))
            self._end_thinking()
        view = self._shown[key]
        if isinstance(view, MarkdownView):
            view.append(text)
        self.set_caret(True)

    def append_thinking(self, index: int, text: str) -> None:
        """A piece of thinking that just arrived."""
        key = ("thinking", index)
        if key not in self._shown:
            self._add(key, self._thinking(), len(self._shown))
        view = self._shown[key]
        if isinstance(view, ThinkingView):
            view.append(text)

    def set_caret(self, shown: bool) -> None:
        """Marks the end of the last text as still growing, or not."""
        views = [widget for widget in self._shown.values() if isinstance(widget, MarkdownView)]
        for view in views:
            view.set_caret(shown and view is views[-1])

    def set_width(self, width: int) -> None:
        """The width of the column in pixels."""
        self._width = width
        for widget in self._shown.values():
            self._fit(widget)

    def texts(self) -> list[FlowText]:
        """The text widgets, in order."""
        return [widget for widget in self._shown.values() if isinstance(widget, FlowText)]

    def widgets(self) -> list[QWidget]:
        """The widgets of the parts, in order."""
        return list(self._shown.values())

    # -- one part

    def _make(self, part: _Shown, role: Role, *, streaming: bool) -> QWidget:
        match part:
            case TextPart(text=text) if role is Role.USER:
                block = UserText(self._theme, self._language, text)
                block.heightChanged.connect(self.heightChanged)
                return block
            case TextPart(text=text):
                view = self._markdown()
                if streaming:
                    view.append(text)
                else:
                    view.set_markdown(text)
                return view
            case ThinkingPart(text=text):
                thinking = self._thinking()
                thinking.set_text(text, live=streaming)
                return thinking
            case ToolPart():
                tool = ToolView(self._theme, self._language, part)
                tool.heightChanged.connect(self.heightChanged)
                return tool
            case _Attached(parts=parts):
                return AttachmentStrip(self._theme, self._language, parts)
            case OtherPart(kind=kind):
                return PlainLabel(self._language.say("chat.other_part", kind=kind), tone="muted")

    def _update(self, widget: QWidget, part: _Shown, *, streaming: bool) -> None:
        match widget, part:
            case ((MarkdownView(markdown=shown) | ThinkingView(text=shown)), (TextPart() | ThinkingPart())) if (
                streaming and shown.startswith(part.text)
            ):
                pass  # what has arrived is ahead of what is stored
            case MarkdownView(), TextPart(text=text):
                if widget.markdown != text and text.startswith(widget.markdown):
                    widget.append(text[len(widget.markdown) :])
                elif widget.markdown != text:
                    widget.set_markdown(text)
                if not streaming:
                    widget.finish()
            case UserText(), TextPart(text=text):
                widget.set_text(text)
            case ThinkingView(), ThinkingPart(text=text):
                if text != widget.text or not streaming:
                    widget.set_text(text, live=streaming)
            case ToolView(), ToolPart():
                if part != widget.part:
                    widget.set_part(part)
            case _:
                pass

    def _markdown(self) -> MarkdownView:
        view = MarkdownView(self._theme, self._language)
        view.setAccessibleName(self._language.say("chat.answer"))
        view.targetChosen.connect(self.targetChosen)
        view.heightChanged.connect(self.heightChanged)
        return view

    def _thinking(self) -> ThinkingView:
        view = ThinkingView(self._theme, self._language)
        view.heightChanged.connect(self.heightChanged)
        return view

    def _end_thinking(self) -> None:
        for widget in self._shown.values():
            if isinstance(widget, ThinkingView):
                widget.set_text(widget.text, live=False)

    def _add(self, key: tuple[str, int], widget: QWidget, place: int) -> None:
        shown = list(self._shown.items())
        shown.insert(place, (key, widget))
        self._shown = dict(shown)
        if self._muted:
            self._mute(widget)
        self._column.insertWidget(place, widget)
        self._fit(widget)

    def _drop(self, key: tuple[str, int]) -> None:
        widget = self._shown.pop(key)
        self._column.removeWidget(widget)
        widget.hide()
        widget.deleteLater()

    def _fit(self, widget: QWidget) -> None:
        if self._width and isinstance(widget, FlowText | UserText | ThinkingView | ToolView | AttachmentStrip):
            widget.set_width(self._width)

    def _mute(self, widget: QWidget) -> None:
        for text in [widget] if isinstance(widget, FlowText) else widget.findChildren(FlowText):
            text.set_muted(self._muted)

    def _say_cut(self) -> None:
        hidden = sum(widget.hidden_characters for widget in self._shown.values() if isinstance(widget, MarkdownView))
        if hidden and self._cut is None:
            self._cut = PlainLabel(tone="muted", wrap=True)
            self._column.addWidget(self._cut)
        if self._cut is not None:
            self._cut.setVisible(hidden > 0)
            self._cut.setText(self._language.say("markdown.cut", count=self._language.number(hidden)))


def _together(parts: Sequence[Part]) -> Iterator[_Shown]:
    """The parts, attachments that follow one another as one."""
    for attached, run in groupby(parts, lambda part: isinstance(part, AttachmentPart)):
        same = list(run)
        if attached:
            yield _Attached(same[0].index, tuple(part for part in same if isinstance(part, AttachmentPart)))
        else:
            yield from (part for part in same if not isinstance(part, AttachmentPart))


def _key(part: _Shown) -> tuple[str, int]:
    kinds = {TextPart: "text", ThinkingPart: "thinking", ToolPart: "tool", OtherPart: "other", _Attached: "attached"}
    return kinds[type(part)], part.index


def _has_look(part: _Shown, role: Role) -> bool:
    return not isinstance(part, TextPart) or role is Role.USER or not is_blank(part.text)
