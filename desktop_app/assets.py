"""Reads the files of resources/ (icons, fonts, messages, prompts), from a wheel or a checkout.

Names are relative to resources/ and use "/": `read_text("icons/menu.svg")`. A name that is not there raises
FileNotFoundError: a fault of the build, not something the user can act on.
"""

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path


def read_text(name: str) -> str:
    """The UTF-8 text of one resource."""
    return read_bytes(name).decode("utf-8")


def read_bytes(name: str) -> bytes:
    """The content of one resource, such as a font for QFontDatabase.addApplicationFontFromData."""
    return (_root() / name).read_bytes()


def names(folder: str) -> list[str]:
    """The sorted names of the files in one folder, without it: `names("icons")[0] == "arrow-down.svg"`."""
    return sorted(entry.name for entry in (_root() / folder).iterdir() if entry.is_file())


@cache
def _root() -> Traversable:
    # A wheel carries resources/ inside the package; a checkout (also one installed with -e) has it beside.
    packaged = resources.files("desktop_app") / "resources"
    return packaged if packaged.is_dir() else Path(__file__).parents[1] / "resources"
