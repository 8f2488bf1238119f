"""Both palettes can be read, and everything follows a switch while the window is open."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontInfo, QFontMetrics, QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.core.segment import Segment
from desktop_app.ui.icons import line_pixmap
from desktop_app.ui.palette import DARK, LIGHT, Tokens, contrast
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton, TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel

BACKGROUNDS = ("window", "surface", "raised", "user", "code", "selected", "hover")


def test_contrast_of_known_pairs() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_words_can_be_read_on_every_background(tokens: Tokens) -> None:
    pairs = [(word, ground) for word in ("text", "muted") for ground in BACKGROUNDS]
    pairs += [
        (word, ground) for word in ("accent", "danger", "warning", "good") for ground in ("window", "surface", "raised")
    ]
    pairs += [("on_accent", "accent"), ("on_accent", "accent_hover"), ("text", "danger_soft"), ("text", "warning_soft")]
    pairs += [("text", "highlight"), ("accent", "selected"), ("warning", "warning_soft"), ("accent", "user")]
    weak = {(a, b): contrast(getattr(tokens, a), getattr(tokens, b)) for a, b in pairs}
    assert {pair: value for pair, value in weak.items() if value < 4.5} == {}


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_code_can_be_read(tokens: Tokens) -> None:
    for name in tokens.syntax.__slots__:
        assert contrast(getattr(tokens.syntax, name), tokens.code) >= 4.5, name


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_every_segment_has_its_own_colour_that_stands_out(tokens: Tokens) -> None:
    assert set(tokens.segments) == set(Segment)
    assert len(set(tokens.segments.values())) == len(Segment)
    for segment, colour in tokens.segments.items():
        for ground in (tokens.surface, tokens.window):
            assert contrast(colour, ground) >= 3.0, segment


def test_palette_and_stock_widgets_follow(qtbot: QtBot, theme: Theme, qapp: QApplication) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(80, 40)
    window.show()
    assert window.grab().toImage().pixelColor(5, 5) == QColor(LIGHT.window)
    with qtbot.waitSignal(theme.changed):
        theme.apply("dark")
    assert window.grab().toImage().pixelColor(5, 5) == QColor(DARK.window)
    assert qapp.palette().text().color() == QColor(DARK.text)


def test_system_without_an_answer_is_light(theme: Theme) -> None:
    theme.apply("dark")
    theme.apply("system")
    assert theme.tokens is LIGHT


def test_the_system_is_followed_only_when_asked(theme: Theme, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theme, "_system_scheme", lambda: Qt.ColorScheme.Dark)
    theme._on_system_scheme()
    assert theme.tokens is LIGHT
    theme.apply("system")
    assert theme.tokens is DARK


def test_icons_take_the_colour_of_the_theme(qtbot: QtBot, theme: Theme) -> None:
    button = IconButton(theme, "copy", "Copy")
    qtbot.addWidget(button)
    light = _ink(button.icon().pixmap(16, 16).toImage())
    theme.apply("dark")
    dark = _ink(button.icon().pixmap(16, 16).toImage())
    assert _near(light, QColor(LIGHT.muted))
    assert _near(dark, QColor(DARK.muted))
    assert line_pixmap("no-such-icon", "#000000").toImage().pixelColor(8, 8).alpha() == 0


def test_figures_have_one_width_and_hangul_has_glyphs(theme: Theme) -> None:
    metrics = QFontMetrics(theme.panel_font())
    assert len({metrics.horizontalAdvance(digit * 10) for digit in "0123456789"}) == 1
    assert QFontInfo(theme.chat_font()).family() == "Pretendard"
    assert metrics.inFontUcs4(ord("한"))
    assert QFontInfo(theme.mono_font()).fixedPitch()
    theme.use_system_font(True)
    assert QFontInfo(theme.chat_font()).family() != "Pretendard"


def test_labels_and_tool_tips_read_no_markup(qtbot: QtBot, theme: Theme) -> None:
    label = PlainLabel("<b>bold</b> & more")
    button = IconButton(theme, "copy", "<img src='file:///etc/hostname'>")
    words = TextButton("Save & <i>close</i>")
    for widget in (label, button, words):
        qtbot.addWidget(widget)
    assert label.textFormat() is Qt.TextFormat.PlainText
    assert "&lt;img" in button.toolTip()
    assert words.text() == "Save && <i>close</i>"
    assert words.accessibleName() == "Save & <i>close</i>"


def _ink(image: QImage) -> QColor:
    """The colour of the most opaque pixel."""
    pixels = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    return max(pixels, key=QColor.alpha)


def _near(first: QColor, second: QColor) -> bool:
    pairs = zip(first.getRgb()[:3], second.getRgb()[:3], strict=True)
    return all(abs(one - other) <= 6 for one, other in pairs)
