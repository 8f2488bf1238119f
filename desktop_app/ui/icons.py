"""Line icons from the resources, drawn in any colour of the theme."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from desktop_app import assets

SIZE = 16
_SCALES = (1, 2, 3)


@lru_cache(maxsize=512)
def line_icon(name: str, colour: str, disabled: str = "", size: int = SIZE) -> QIcon:
    """The icon `name` (`"copy"` is icons/copy.svg) in `colour`; empty where the resource is absent."""
    icon = QIcon()
    for mode, ink in ((QIcon.Mode.Normal, colour), (QIcon.Mode.Disabled, disabled)):
        if ink:
            renderer = _renderer(name, ink)
            for scale in _SCALES:
                icon.addPixmap(_drawn(renderer, size, scale), mode)
    return icon


def line_pixmap(name: str, colour: str, size: int = SIZE, scale: float = 1.0) -> QPixmap:
    """The icon as a picture of `size` × `size` logical pixels; transparent where the resource is absent."""
    return _drawn(_renderer(name, colour), size, scale)


def _renderer(name: str, colour: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_svg(name).replace("currentColor", colour).encode()))


def _drawn(renderer: QSvgRenderer, size: int, scale: float) -> QPixmap:
    pixmap = QPixmap(round(size * scale), round(size * scale))
    pixmap.fill(Qt.GlobalColor.transparent)
    if renderer.isValid():
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        renderer.render(painter, QRectF(pixmap.rect()))
        painter.end()
    pixmap.setDevicePixelRatio(scale)
    return pixmap


@lru_cache(maxsize=128)
def _svg(name: str) -> str:
    try:
        return assets.read_text(f"icons/{name}.svg").replace('stroke-width="2"', 'stroke-width="1.75"')
    except FileNotFoundError:
        return ""
