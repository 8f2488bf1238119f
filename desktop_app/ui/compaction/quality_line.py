"""What the check of a summary says beside its values, in plain words: wording, sections, language, size."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop_app.core.compaction.compaction import Strategy
from desktop_app.core.compaction.memo import HEADINGS, Section
from desktop_app.core.compaction.summary_check import SummaryCheck
from desktop_app.ui.language import Language
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip


class QualityLine(QWidget):
    """One muted line of what is well, one line of warning of what is not."""

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._check: SummaryCheck | None = None
        self._strategy = Strategy.MEMO
        self.good = PlainLabel(tone="muted", wrap=True)
        self.bad = PlainLabel(tone="warning", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(3)
        layout.addWidget(self.bad)
        layout.addWidget(self.good)
        language.changed.connect(self._say)

    def show_check(self, check: SummaryCheck | None, strategy: Strategy) -> None:
        """The findings of a summary; nothing before they are known."""
        self._check, self._strategy = check, strategy
        self.setVisible(check is not None)
        self._say()

    def _say(self) -> None:
        check, say = self._check, self._language.say
        if check is None:
            return
        rouge = self._language.locale.toString(check.rouge, "f", 2)
        good: list[str] = []
        bad: list[str] = []
        if check.grounded:
            good.append(say("compaction.check.grounded", rouge=rouge))
        else:
            bad.append(say("compaction.check.strange", rouge=rouge))
        if self._strategy is Strategy.MEMO:
            missing, whole = check.missing_sections, len(Section)
            names = ", ".join(HEADINGS[self._language.code][one] for one in missing)
            if missing:
                bad.append(say("compaction.check.sections_missing", names=names))
            else:
                good.append(say("compaction.check.sections", n=whole))
        (good if check.right_language else bad).append(
            say(f"compaction.check.{'language' if check.right_language else 'wrong_language'}")
        )
        if not check.shorter:
            bad.append(say("compaction.check.longer"))
        self.good.setText(" · ".join(good))
        self.good.setVisible(bool(good))
        self.bad.setText(" ".join(bad))
        self.bad.setVisible(bool(bad))
        for label in (self.good, self.bad):
            set_tooltip(label, say("compaction.check.hint", rouge=rouge))
