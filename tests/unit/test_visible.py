"""One table of characters nobody sees: what is blank, named and turned around agrees everywhere."""

from __future__ import annotations

from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.conversation import is_blank
from desktop_app.core.visible import FILLERS, JOINING, NAMES, TURNING
from desktop_app.ui.chat.visible_text import visible


def test_what_cannot_be_seen_is_blank_and_written_out_on_a_line() -> None:
    for char in (*NAMES, *FILLERS):
        assert is_blank(char), hex(ord(char))
        assert visible_line(f"a{char}b") == f"a⟨{NAMES.get(char, f'U+{ord(char):04X}')}⟩b"
    assert visible_line("a\u2800b") == "a⟨U+2800⟩b"
    assert visible_line("".join(JOINING)) == "".join(JOINING)


def test_what_turns_a_text_around_is_written_out_in_answers() -> None:
    for char in TURNING:
        assert visible(f"a{char}b") == f"a⟨U+{ord(char):04X}⟩b"
    assert visible("a\u200d\u2800b") == "a\u200d\u2800b"
