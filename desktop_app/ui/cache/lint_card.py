"""What in the next request may spoil the cache, each with what to do about it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.core.cache.lint import LintFinding, LintKind, Remedy
from desktop_app.core.segment import Segment
from desktop_app.ui.language import Language
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel

_WORDS = frozenset((LintKind.DATE, LintKind.TIME, LintKind.UUID, LintKind.IDENTIFIER, LintKind.UNSORTED_JSON))
"""Findings in the words of the prefix; the others are settings that differ."""


class LintCard(QFrame):
    """`remedyAsked(LintFinding)` when a button is pressed; hidden while there is nothing to say."""

    remedyAsked = Signal(object)

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._findings: tuple[LintFinding, ...] = ()
        self.setProperty("role", "card")
        self.title = PlainLabel(tone="heading")
        self.lines: list[QWidget] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(14, 12, 14, 12)
        self._layout.setSpacing(8)
        self._layout.addWidget(self.title)

    def show_findings(self, findings: tuple[LintFinding, ...]) -> None:
        """Shows what was found in the next request."""
        if findings != self._findings:
            self._findings = findings
            self.say()
        self.setVisible(bool(findings))

    def say(self) -> None:
        """Everything in the language in use."""
        self.title.setText(self._language.say("cache.lint.title"))
        for line in self.lines:
            self._layout.removeWidget(line)
            line.hide()
            line.deleteLater()
        self.lines = [self._line(finding) for finding in self._findings]
        for line in self.lines:
            self._layout.addWidget(line)

    def _line(self, finding: LintFinding) -> QWidget:
        say = self._language.say
        line = QWidget()
        words = PlainLabel(self._sentence(finding), wrap=True)
        advice = PlainLabel(say(f"cache.lint.{_advice(finding)}"), tone="muted", wrap=True)
        column = QVBoxLayout(line)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(words)
        column.addWidget(advice)
        if finding.remedy is not Remedy.NONE:
            was = finding.was or say("cache.why.not_set")
            button = TextButton(say(f"cache.remedy.{finding.remedy}", was=was), kind="link")
            button.setAccessibleDescription(words.text())
            button.clicked.connect(partial(self.remedyAsked.emit, finding))
            # A link has its focus ring around it: its words stand under those above.
            indented = QHBoxLayout()
            indented.setContentsMargins(-4, 0, 0, 0)
            indented.addWidget(button)
            indented.addStretch()
            column.addLayout(indented)
        return line

    def _sentence(self, finding: LintFinding) -> str:
        say = self._language.say
        nothing = say("cache.why.not_set")
        if finding.segment is Segment.FACTS and finding.name:
            where = say("cache.lint.fact", name=finding.name)
        else:
            where = say(f"cache.lint.in_{Segment.TOOLS if finding.segment is Segment.TOOLS else Segment.SYSTEM}")
            where = f"{where} › {finding.name}" if finding.name else where
        return say(
            f"cache.lint.{finding.kind}",
            where=where,
            quote=finding.quote,
            was=finding.was or nothing,
            is_now=finding.is_now or nothing,
        )


def _advice(finding: LintFinding) -> str:
    return "advice_changes" if finding.kind in _WORDS else "advice_setting"
