"""Text of a model is data: shown, never loaded, opened only after the person has seen where it leads."""

from __future__ import annotations

import builtins
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QDesktopServices, QFont, QGuiApplication, QTextDocument
from pytestqt.qtbot import QtBot

from desktop_app.ui.chat.flow_text import FlowText
from desktop_app.ui.chat.link_question import LinkQuestion, ask_to_open
from desktop_app.ui.chat.link_targets import may_open
from desktop_app.ui.chat.markdown_view import MarkdownView
from desktop_app.ui.chat.plain_view import FOLD_LIMIT, PlainView
from desktop_app.ui.chat.safe_document import SafeDocument
from desktop_app.ui.chat.visible_text import visible
from desktop_app.ui.language import Language
from desktop_app.ui.palette import DARK, LIGHT
from desktop_app.ui.theme import Theme

ATTACK = Path(__file__).with_name("data") / "render_attack.md"


class Listener:
    """A web server that counts who comes."""

    def __init__(self) -> None:
        self.visits = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(0.05)
        self.port = self._socket.getsockname()[1]
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                connection, _ = self._socket.accept()
            except TimeoutError:
                continue
            self.visits += 1
            connection.close()

    def close(self) -> None:
        self._closing.set()
        self._thread.join()
        self._socket.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    listener = Listener()
    yield listener
    listener.close()


@pytest.fixture
def view(qtbot: QtBot, theme: Theme, language: Language) -> MarkdownView:
    view = MarkdownView(theme, language)
    qtbot.addWidget(view)
    view.set_width(640)
    view.show()
    return view


def test_an_attack_loads_and_opens_nothing(
    view: MarkdownView, qtbot: QtBot, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    opened: list[str] = []
    real_open = builtins.open
    monkeypatch.setattr(SafeDocument, "loadResource", lambda self, kind, name: asked.append(name))
    monkeypatch.setattr(FlowText, "loadResource", lambda self, kind, name: asked.append(name))
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    monkeypatch.setattr(
        builtins, "open", lambda file, *rest, **named: opened.append(str(file)) or real_open(file, *rest, **named)
    )
    text = ATTACK.read_text("utf-8").replace("PORT", str(listener.port))
    opened.clear()
    view.set_markdown(text)
    for start in range(0, len(text), 9):
        view.append(text[start : start + 9])
    view.finish()
    view.grab()
    qtbot.wait(150)
    assert (listener.visits, asked, opened) == (0, [], [])


def test_an_attack_is_shown_as_text(view: MarkdownView) -> None:
    view.set_markdown(ATTACK.read_text("utf-8").replace("PORT", "9"))
    shown = view.toPlainText()
    assert "[image: x — 127.0.0.1]" in shown
    assert '<img src="http://127.0.0.1:9/b.png">' in shown
    assert "<style>*{font-size:90px}</style><h1>big</h1>" in shown
    assert "bad (javascript:alert(1))" in shown
    assert "file (file:///etc/passwd)" in shown
    targets = _links(view.document())
    assert targets["good"] == "https://example.com"
    assert targets["https://bank.example"] == "http://evil.invalid"
    assert not {"bad", "file", "unc", "cmd"} & targets.keys()
    assert all(may_open(target) for target in targets.values())
    assert _weights(view.document())["굵게"] == QFont.Weight.Bold


@pytest.mark.parametrize(
    ("text", "bold"),
    [
        ("한글 **굵게**처리", "굵게"),
        ("**마크다운(Markdown)**을 씁니다", "마크다운(Markdown)"),
        ("이 **“말”**은", "“말”"),
        ("때는**[강조]**한다", "[강조]"),
        ("これは**「重要」**です。", "「重要」"),
        ("这是**我想做的事。**所以继续。", "我想做的事。"),
        ("a **b** c", "b"),
    ],
)
def test_emphasis_beside_hangul(view: MarkdownView, text: str, bold: str) -> None:
    view.set_markdown(text)
    assert "*" not in view.toPlainText()
    assert _weights(view.document())[bold] == QFont.Weight.Bold


@pytest.mark.parametrize("text", ["2 ** 3 ** 4", "a * b * c", "snake_case_name", 'x**"y"**z', "** 한글 **"])
def test_marks_that_are_none_stay(view: MarkdownView, text: str) -> None:
    view.set_markdown(text)
    assert view.toPlainText() == text


@pytest.mark.parametrize(
    ("target", "opens"),
    [
        ("https://example.com/a?b=1", True),
        ("http://127.0.0.1:8/", True),
        ("mailto:a@example.com", True),
        ("HTTPS://EXAMPLE.com", True),
        ("https://", False),
        ("javascript:alert(1)", False),
        ("file:///etc/passwd", False),
        ("//host/share", False),
        ("\\\\host\\share", False),
        ("data:text/html,x", False),
        ("ms-settings:", False),
        ("https:\n//example.com", False),
        ("http://[", False),
    ],
)
def test_what_may_be_opened(target: str, opens: bool) -> None:
    assert may_open(target) is opens


def test_a_link_shows_its_true_target_before_it_opens(
    view: MarkdownView, qtbot: QtBot, language: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    question = ask_to_open(language, "http://evil.invalid/?q=<b>%20", view)
    assert isinstance(question, LinkQuestion)
    assert question.informativeText() == "http://evil.invalid/?q=<b>%20"
    assert question.defaultButton() is question.cancel_button
    question.cancel_button.click()
    assert opened == []
    question = ask_to_open(language, "http://evil.invalid/", view)
    assert question is not None
    question.open_button.click()
    assert opened == ["http://evil.invalid/"]
    assert ask_to_open(language, "file:///etc/passwd", view) is None


def test_activating_a_link_only_asks(view: MarkdownView, qtbot: QtBot) -> None:
    view.set_markdown("[here](https://example.com/a%20b) and https://example.org/x.")
    with qtbot.waitSignal(view.targetChosen) as chosen:
        view.anchorClicked.emit(QUrl("https://example.com/a%20b"))
    assert chosen.args == ["https://example.com/a%20b"]
    assert _links(view.document())["https://example.org/x"] == "https://example.org/x"


def test_hidden_signs_are_shown() -> None:
    assert visible("safe \u202etxt.exe") == "safe ⟨U+202E⟩txt.exe"
    assert visible("hi\U000e0073\U000e0061") == "hi⟨U+E0073⟩⟨U+E0061⟩"
    wales = "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"
    assert visible(f"{wales} 👨‍👩‍👧‍👦 می‌خواهم") == f"{wales} 👨‍👩‍👧‍👦 می‌خواهم"
    assert visible("a\x1b[31m\tb\u2028c") == "a⟨U+001B⟩[31m\tb\nc"


def test_a_code_block_is_copied_word_for_word(view: MarkdownView) -> None:
    code = "def f():\n\treturn '\u202e한글'  # <b>"
    view.set_markdown(f"Text\n\n```python\n{code}\n```\n\n```\nsecond\n```")
    first, second = view.code_buttons()
    assert first.accessibleName() == "Copy code"
    first.click()
    assert QGuiApplication.clipboard().text() == code
    second.click()
    assert QGuiApplication.clipboard().text() == "second"
    assert first.y() < second.y()
    assert first.geometry().right() <= view.width()
    view._copied.stop()
    view._end_copied()


def test_code_is_coloured_and_follows_the_theme(view: MarkdownView, theme: Theme, qtbot: QtBot) -> None:
    view.set_markdown("```python\nimport os\n```")
    assert _colours(view.document())["import"] == LIGHT.syntax.keyword.lower()
    theme.apply("dark")
    view.grab()
    qtbot.waitUntil(lambda: _colours(view.document()).get("import") == DARK.syntax.keyword.lower())


def test_a_long_text_arrives_in_slices_and_whole(view: MarkdownView, qtbot: QtBot) -> None:
    text = "".join(f"Paragraph {number} with **bold** text.\n\n" for number in range(1200))
    view.set_markdown(text)
    assert view.markdown == text
    qtbot.waitUntil(lambda: view.toPlainText().endswith("Paragraph 1199 with bold text."))
    assert view.document().blockCount() == 1200


def test_words_of_ours_follow_the_language(view: MarkdownView, language: Language, qtbot: QtBot) -> None:
    view.set_markdown("![plan](https://example.com/p.png)\n\n```\nx\n```")
    assert "[image: plan — example.com]" in view.toPlainText()
    language.use("ko")
    view.grab()
    qtbot.waitUntil(lambda: "[그림: plan — example.com]" in view.toPlainText())
    assert view.code_buttons()[0].accessibleName() == "코드 복사"


def test_a_huge_table_stays_within_the_column(view: MarkdownView) -> None:
    view.set_markdown("| a | b |\n|---|---|\n" + f"| {'wide ' * 60} | x |\n" * 5)
    assert view.document().size().width() <= 640
    view.set_markdown("| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 2000)
    assert "1 | 2" in view.toPlainText()


def test_selection_copies_letters_only(view: MarkdownView) -> None:
    view.set_markdown("**bold** and `code`")
    view.selectAll()
    data = view.createMimeDataFromSelection()
    assert isinstance(data, QMimeData)
    assert (data.text(), data.hasHtml()) == ("bold and code", False)


def test_a_persons_text_is_not_markdown(qtbot: QtBot, theme: Theme, language: Language) -> None:
    view = PlainView(theme, language)
    qtbot.addWidget(view)
    view.set_width(600)
    view.set_text("**not bold** <b>x</b>\n  kept  spaces\n\n# no heading")
    assert view.toPlainText() == "**not bold** <b>x</b>\n  kept  spaces\n\n# no heading"
    view.set_text("y" * (FOLD_LIMIT + 1))
    assert view.folded
    assert len(view.toPlainText()) < FOLD_LIMIT
    view.set_unfolded(True)
    assert view.toPlainText().replace("\n", "") == "y" * (FOLD_LIMIT + 1)


def _fragments(document: QTextDocument) -> Iterator[Any]:
    block = document.begin()
    while block.isValid():
        at = block.begin()
        while not at.atEnd():
            yield at.fragment()
            at += 1
        block = block.next()


def _links(document: QTextDocument) -> dict[str, str]:
    found: dict[str, str] = {}
    for fragment in _fragments(document):
        if fragment.charFormat().isAnchor():
            found[fragment.text()] = fragment.charFormat().anchorHref()
    return found


def _weights(document: QTextDocument) -> dict[str, int]:
    return {fragment.text(): fragment.charFormat().fontWeight() for fragment in _fragments(document)}


def _colours(document: QTextDocument) -> dict[str, str]:
    return {part.text().strip(): part.charFormat().foreground().color().name() for part in _fragments(document)}
