"""What a change since the last message costs the next one, said before it is sent."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop_app.bridge.cache_models import Forecast
from desktop_app.core.money.price_words import miss_sentence
from desktop_app.ui.fonts import SMALL
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import PlainLabel


class SpoiltLine(PlainLabel):
    """A sentence where the next message will not read what the last one left; not there otherwise."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(tone="warning", wrap=True, parent=parent)
        self._theme, self._language = theme, language
        self._forecast: Forecast | None = None
        theme.changed.connect(self._refont)
        language.changed.connect(self._say)
        self._refont()
        self.hide()

    def set_forecast(self, forecast: Forecast | None) -> None:
        """The next request, with what stands in the way of the cache."""
        self._forecast = forecast
        self._say()

    def _say(self) -> None:
        miss, usd = (self._forecast.miss, self._forecast.usd) if self._forecast is not None else (None, None)
        text = miss_sentence(self._language.words, miss, usd)
        self.setText(text)
        self.setVisible(bool(text))

    def _refont(self) -> None:
        self.setFont(self._theme.panel_font(size=SMALL))
