"""Attachments in the window: chosen, dropped, pasted, taken away, shown beside the message and in full."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QThreadPool, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.bridge.draft_files import DraftFile
from desktop_app.bridge.entries import Entry, entries_of
from desktop_app.bridge.session_state import Phase, SessionState
from desktop_app.core.attachment_kinds import recognised
from desktop_app.core.attachments import AttachedFile, message_blocks
from desktop_app.core.conversation import Message, Origin, Role
from desktop_app.core.errors import AttachmentUnusable
from desktop_app.ui.chat.attachment_chip import AttachmentChip
from desktop_app.ui.chat.attachment_strip import AttachmentStrip, PictureTile
from desktop_app.ui.chat.attachment_viewer import AttachmentViewer
from desktop_app.ui.chat.composer import Composer
from desktop_app.ui.chat.given_files import local_files
from desktop_app.ui.chat.message_parts import UserText
from desktop_app.ui.chat.message_view import MessageView
from desktop_app.ui.chat.pictures import decoded_picture, encoded_picture
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from tests.fakes.attached import noise_png, pdf, picture

PNG = picture("plan.png", 60)
PDF = recognised("report.pdf", pdf(90))
TEXT = recognised("회의록.txt", "배는 <b>12척</b>\u202e입니다.".encode())
BAD = DraftFile(9, "x.zip", error=AttachmentUnusable(file="x.zip", why="not_text"))


def drafts(*files: AttachedFile) -> tuple[DraftFile, ...]:
    return tuple(DraftFile(number, file.attachment.name, file) for number, file in enumerate(files, 1))


@pytest.fixture
def composer(qtbot: QtBot, theme: Theme, language: Language) -> Composer:
    composer = Composer(theme, language)
    qtbot.addWidget(composer)
    composer.resize(760, 300)
    composer.show()
    composer.focus_text()
    return composer


@pytest.fixture
def sent(composer: Composer) -> list[str]:
    texts: list[str] = []
    composer.submitted.connect(texts.append)
    return texts


@pytest.fixture
def given(composer: Composer) -> list[object]:
    """What the composer asks to be attached."""
    got: list[object] = []
    composer.filesChosen.connect(got.append)
    composer.pictureGiven.connect(lambda name, data: got.append((name, data)))
    return got


def mime(*, paths: list[str] | None = None, text: str = "", raw: bytes = b"", image: QImage | None = None) -> QMimeData:
    data = QMimeData()
    if paths:
        data.setUrls([QUrl(path) if "://" in path else QUrl.fromLocalFile(path) for path in paths])
    if text:
        data.setText(text)
    if raw:
        data.setData("image/png", raw)
    if image is not None:
        data.setImageData(image)
    return data


def drop(target: QWidget, data: QMimeData) -> bool:
    """Whether the drop was taken."""
    buttons, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, buttons, none)
    QApplication.sendEvent(target, enter)
    event = QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, buttons, none)
    QApplication.sendEvent(target, event)
    return enter.isAccepted() and event.isAccepted()


def test_a_chip_shows_name_and_measure_and_its_cross_takes_it_away(qtbot: QtBot, composer: Composer) -> None:
    composer.show_files(drafts(PNG, PDF, TEXT))
    chips = list(composer.attached.chips.values())
    assert [chip.title.whole() for chip in chips] == ["plan.png", "report.pdf", "회의록.txt"]
    assert chips[0].about.whole().startswith("60 × 60 · ") and chips[1].about.whole() == "90 pages · 3 KB"
    assert chips[0].accessibleName().startswith("plan.png, 60 × 60")
    with qtbot.waitSignal(composer.fileRemoved) as removed:
        assert chips[1].cross is not None
        chips[1].cross.click()
    assert removed.args == [2]


def test_the_keyboard_reaches_opens_and_removes(qtbot: QtBot, composer: Composer) -> None:
    composer.show_files(drafts(PNG, PDF))
    first, second = composer.attached.chips.values()
    first.setFocus(Qt.FocusReason.TabFocusReason)
    with qtbot.waitSignal(composer.fileRemoved) as removed:
        QTest.keyClick(first, Qt.Key.Key_Delete)
    assert removed.args == [1]
    composer.show_files(drafts(PNG, PDF)[1:])
    assert second.hasFocus(), "the keyboard stays beside what was taken away"
    QTest.keyClick(second, Qt.Key.Key_Return)
    viewer = composer.findChild(AttachmentViewer)
    assert viewer is not None and viewer.windowTitle() == "report.pdf"
    viewer.close()


def test_an_attachment_alone_can_be_sent(composer: Composer, sent: list[str]) -> None:
    assert not composer.send.isEnabled()
    composer.show_files(drafts(PNG))
    assert composer.send.isEnabled()
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == [""]


def test_nothing_leaves_without_a_file_that_is_still_read_or_unusable(composer: Composer, sent: list[str]) -> None:
    composer.set_text("Look")
    composer.show_files((DraftFile(1, "slow.png"),))
    composer.submit()
    assert sent == [] and "still being read" in composer.hint.text() and composer.hint.isVisible()
    composer.show_files((BAD,))
    composer.submit()
    line = composer.attached.unusable
    assert sent == [] and line.cross.hasFocus()
    assert "x.zip was not attached" in line.words.text()
    composer.show_files(())
    assert not composer.hint.isVisible() and not composer.attached.isVisible()
    composer.submit()
    assert sent == ["Look"]


def test_what_the_model_cannot_read_is_said_before_it_is_sent(composer: Composer, language: Language) -> None:
    composer.attached.show_taken("llama3", images=False, pdfs=False)
    composer.show_files(drafts(TEXT))
    assert not composer.attached.note.isVisible()
    composer.show_files(drafts(TEXT, PNG, PDF))
    assert composer.attached.note.text().splitlines() == [
        "llama3 cannot look at pictures: it is told only their names.",
        "llama3 cannot read PDFs: it is told only their names.",
    ]
    language.use("ko")
    assert composer.attached.note.text().startswith("llama3 모델은 그림을")
    composer.attached.show_taken("m", images=True, pdfs=True)
    assert not composer.attached.note.isVisible()


@pytest.mark.parametrize("where", [lambda composer: composer, lambda composer: composer.edit.viewport()])
def test_dropped_files_are_attached(
    where: Callable[[Composer], QWidget], composer: Composer, given: list[object], tmp_path: Path
) -> None:
    (tmp_path / "a b.png").touch()
    data = mime(paths=[str(tmp_path / "a b.png")], text=str(tmp_path / "a b.png"))
    if where(composer) is composer:
        assert drop(composer, data)
    else:
        composer.edit.insertFromMimeData(data)
    assert given == [[tmp_path / "a b.png"]]
    assert composer.text() == ""


@pytest.mark.parametrize(
    "paths",
    [["http://127.0.0.1:9/x.png"], ["file://server/share/x.png"], ["file:////server/share/x.png"], ["smb://s/x"]],
)
def test_nothing_is_fetched_from_elsewhere(paths: list[str], composer: Composer, given: list[object]) -> None:
    data = mime(paths=paths)
    assert local_files(data) == []
    assert not drop(composer, data)
    composer.edit.insertFromMimeData(data)
    assert given == []


def test_a_picture_from_the_clipboard_is_attached(qtbot: QtBot, composer: Composer, given: list[object]) -> None:
    raw = noise_png(20, 10)
    composer.edit.insertFromMimeData(mime(raw=raw))
    assert given == [("Pasted picture.png", raw)]
    image = QImage(30, 20, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    composer.edit.insertFromMimeData(mime(image=image))
    qtbot.waitUntil(lambda: len(given) == 2, timeout=5_000)
    name, data = given[1]  # type: ignore[misc]
    made = recognised(name, data).attachment
    assert (made.name, made.width, made.height) == ("Pasted picture.png", 30, 20)


def test_words_beside_a_picture_are_pasted_as_words(composer: Composer, given: list[object]) -> None:
    composer.edit.insertFromMimeData(mime(text="a\tb", raw=noise_png(20, 10)))
    assert (composer.text(), given) == ("a\tb", [])


def test_a_waiting_message_tells_its_attachments(composer: Composer) -> None:
    composer.show_state(SessionState(Phase.STREAMING, queued="", queued_files=(PNG, PDF)))
    assert composer.queued.words.whole().endswith("2 attachments")
    composer.show_state(SessionState(Phase.STREAMING, queued="Look", queued_files=(PNG,)))
    assert composer.queued.words.whole().endswith("Look · 1 attachment")


def message(text: str, *files: AttachedFile) -> Entry:
    blocks = message_blocks(text, files)
    return entries_of([Message("m", "c", None, Role.USER, blocks, Origin.TYPED)])[0]


@pytest.fixture
def view(qtbot: QtBot, theme: Theme, language: Language) -> MessageView:
    view = MessageView(theme, language, message("Where do they lie?", PNG, PDF, TEXT))
    qtbot.addWidget(view)
    view.set_width(640)
    view.show()
    return view


def test_a_message_shows_thumbnails_and_chips_and_copies_words_only(qtbot: QtBot, view: MessageView) -> None:
    (strip,) = view.findChildren(AttachmentStrip)
    tile, report, notes = strip.shown
    assert isinstance(tile, PictureTile) and isinstance(report, AttachmentChip) and isinstance(notes, AttachmentChip)
    qtbot.waitUntil(lambda: tile.picture is not None, timeout=5_000)
    assert (tile.width(), tile.height()) == (60, 60)
    assert strip.width() == 640 and notes.mapTo(strip, notes.rect().bottomRight()).y() < strip.height()
    assert view.text() == "Where do they lie?"
    shown = [label.text() for label in view.findChildren(QLabel)]
    assert not [text for text in shown if "[attachment" in text or "iVBOR" in text]


def test_while_it_is_edited_the_attachments_stand_there_and_need_no_words(qtbot: QtBot, view: MessageView) -> None:
    (strip,) = view.findChildren(AttachmentStrip)
    view.begin_edit()
    assert view.editor is not None and strip.isVisible()
    assert not view.findChild(UserText).isVisible()
    view.editor.edit.setPlainText("")
    with qtbot.waitSignal(view.editRequested) as asked:
        view.editor.send.click()
    assert asked.args == ["m", ""]
    assert view.findChild(UserText).isVisible()
    view.set_entry(message("No attachment"))
    view.begin_edit()
    view.editor.edit.setPlainText("")
    assert not view.editor.send.isEnabled()
    view.end_edit()


def test_opening_one_shows_it_in_full_and_as_text(qtbot: QtBot, view: MessageView) -> None:
    (strip,) = view.findChildren(AttachmentStrip)
    for shown in strip.shown:
        QTest.keyClick(shown, Qt.Key.Key_Space)
    picture_of, report, notes = view.findChildren(AttachmentViewer)
    assert picture_of.picture is not None
    qtbot.waitUntil(lambda: picture_of.picture is not None and picture_of.picture.picture is not None, timeout=5_000)
    assert "page by page" in report.note.text()
    assert notes.text is not None
    assert notes.text.toPlainText() == "배는 <b>12척</b>⟨U+202E⟩입니다."
    for viewer in (picture_of, report, notes):
        viewer.close()


def test_a_picture_that_claims_too_much_is_not_unpacked(qtbot: QtBot, theme: Theme, language: Language) -> None:
    bomb = noise_png(8, 8)[:16] + struct.pack(">II", 60_000, 60_000) + noise_png(8, 8)[24:]
    assert decoded_picture(base64.b64encode(bomb).decode(), 200) is None
    lying = b"GIF89a" + struct.pack("<HH", 8, 8) + bytes(3)
    for raw in (b"", b"no picture", lying, noise_png(8, 8)[:60]):
        assert decoded_picture(base64.b64encode(raw).decode(), 200) is None
    assert decoded_picture("not base64!", 200) is None
    data = base64.b64encode(bomb).decode()
    viewer = AttachmentViewer(PNG.attachment, data, theme, language)
    qtbot.addWidget(viewer)
    viewer.show()
    qtbot.waitUntil(viewer.note.isVisible, timeout=5_000)
    assert viewer.note.text() == "This picture cannot be shown."


def test_large_pictures_are_made_small_while_they_are_read() -> None:
    made = decoded_picture(base64.b64encode(noise_png(400, 200)).decode(), 100)
    assert made is not None and (made.width(), made.height()) == (100, 50)


def test_a_pasted_picture_too_large_as_png_becomes_a_jpeg() -> None:
    noise = QImage.fromData(noise_png(1_200, 1_200))
    made = recognised("x", encoded_picture(noise)).attachment
    assert (made.media_type, made.width) == ("image/jpeg", 1_200)
    assert encoded_picture(QImage()) == b""


def test_a_thumbnail_that_is_gone_gets_nothing(qtbot: QtBot, theme: Theme, language: Language) -> None:
    view = MessageView(theme, language, message("", picture(side=300)))
    view.set_width(600)
    view.deleteLater()
    del view
    QThreadPool.globalInstance().waitForDone()
    QTest.qWait(10)


def test_in_a_low_window_a_row_of_chips_stays_in_sight(qtbot: QtBot, composer: Composer) -> None:
    rows = {}
    for height in (480, 700, 1000):
        composer.attached.set_room(height)
        composer.show_files(tuple(DraftFile(n, f"a rather long name {n}.txt", TEXT) for n in range(1, 13)))
        qtbot.wait(1)
        rows[height] = composer.attached._scroll.height()
    chip = composer.attached.chips[1]
    assert chip.height() <= rows[480] < 2 * chip.height() < rows[700] < rows[1000]
    composer.attached.set_room(480)
    last = composer.attached.chips[12]
    assert last.visibleRegion().isEmpty()
    composer.attached.chips[11].setFocus()
    while not last.hasFocus():
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: not last.visibleRegion().isEmpty())


def test_files_that_cannot_be_attached_share_one_line(qtbot: QtBot, composer: Composer, language: Language) -> None:
    other = DraftFile(10, "y.zip", error=AttachmentUnusable(file="y.zip", why="not_text"))
    composer.show_files((BAD, other))
    line = composer.attached.unusable
    assert line.words.text() == "2 files cannot be attached: x.zip, y.zip"
    assert "x.zip was not attached" in line.accessibleDescription()
    composer.submit()
    assert composer.hint.text() == "Remove what cannot be attached, then send."
    with qtbot.waitSignal(composer.unusableRemoved):
        line.cross.click()
    composer.show_files(())
    assert not line.isVisible()
