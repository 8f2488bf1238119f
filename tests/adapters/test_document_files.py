"""Documents are read as text by what they are; what is hidden, damaged, locked or no file is told, nothing is run."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop_app.adapters.document_files import reader
from desktop_app.adapters.document_files.html_text import html_text
from desktop_app.adapters.document_files.pdf_text import PdfUnusable, pdf_text
from desktop_app.adapters.document_files.reader import DocumentFiles
from desktop_app.core.documents import DocumentText
from desktop_app.core.errors import DocumentUnusable
from tests.fakes.documents import text_pdf

_TEA = "보리차를 아침에 끓인다."


def read(path: Path, seconds: float = 60) -> DocumentText:
    return asyncio.run(DocumentFiles(seconds).read(path))


def refused(path: Path, seconds: float = 60) -> str:
    with pytest.raises(DocumentUnusable) as error:
        read(path, seconds)
    return str(error.value.params["why"])


def test_a_pdf_gives_its_text_page_by_page(tmp_path: Path) -> None:
    file = tmp_path / "차.bin"
    file.write_bytes(text_pdf(["The kettle holds 1.7 litres.", "It is blue."], [], [_TEA]))
    found = read(file)
    assert found.text == f"The kettle holds 1.7 litres.\nIt is blue.\n\f\n\f{_TEA}"
    assert (found.name, found.media_type, found.pages) == ("차.bin", "application/pdf", 3)
    assert (found.place, found.size) == (str(file), file.stat().st_size)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (text_pdf(["secret"], locked=True), "locked"),
        (text_pdf(["cut off"])[:300], "broken"),
        (b"%PDF-1.7 and nothing more", "broken"),
    ],
)
def test_a_pdf_that_cannot_be_read_says_why(data: bytes, why: str) -> None:
    with pytest.raises(PdfUnusable, match=why):
        pdf_text(data)


def test_too_many_pages_and_too_much_text_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop_app.adapters.document_files.pdf_text.MOST_PAGES", 2)
    monkeypatch.setattr("desktop_app.adapters.document_files.pdf_text.MOST_LETTERS", 50)
    with pytest.raises(PdfUnusable, match="pages"):
        pdf_text(text_pdf(["a"], ["b"], ["c"]))
    with pytest.raises(PdfUnusable, match="long"):
        pdf_text(text_pdf(["a" * 60]))


def test_a_pdf_of_pictures_asks_for_text_recognition_and_html_may_be_slow(tmp_path: Path) -> None:
    scan, page = tmp_path / "scan.pdf", tmp_path / "page.html"
    scan.write_bytes(text_pdf([], []))
    page.write_text("<p>hello")
    assert refused(scan) == "no_text"
    assert refused(page, seconds=0.01) == "slow"


def test_html_is_what_a_reader_sees() -> None:
    html = """<!doctype html><title>Tea &amp;
      more</title><style>p { color: red }</style><body onload="run()"><h1>Kettles</h1>
      <p hidden>hidden<p>A <b>blue</b>&nbsp;kettle &lt;1.7&nbsp;l&gt;<script>alert("run")</script>
      <!-- a comment --><div style="DISPLAY : none">styled away<p>deep</div>
      <table><tr><td>one<td>two<tr><td>3<td>4</table><pre>kept
    as it is</pre>line<br>break<ul><li>a<li>b</ul><template>t</template><svg><text>drawn</text></svg>
      <noscript>n</noscript><img src="http://127.0.0.1:1/x.png" alt="x"><iframe src="file:///etc/passwd"></iframe>
      <!-- never closed <p>gone"""
    assert html_text(html).rstrip() == (
        "Tea & more\n\nKettles\n\nA blue\u00a0kettle <1.7\u00a0l> \n\none\ttwo\n3\t4\n\nkept\n    as it is\n\n"
        "line\nbreak\n\na\nb"
    )
    assert html_text("") == html_text("<script>1</script>") == ""
    assert html_text("<b>" * 3_000 + "deep") == "deep"


def test_html_is_told_by_content_or_name_and_may_name_its_letters(tmp_path: Path) -> None:
    for name, data in (
        ("page", "\n<!DOCTYPE html><p>보리차 &amp; 식혜".encode("cp949")),
        ("old.htm", b"<meta charset=iso-8859-1><p>Caf\xe9"),
    ):
        (tmp_path / name).write_bytes(data)
    assert [read(tmp_path / name).text for name in ("page", "old.htm")] == ["보리차 & 식혜", "Café"]
    assert read(tmp_path / "page").media_type == "text/html"


def test_texts_in_several_codings_are_read(tmp_path: Path) -> None:
    file = tmp_path / "note.md"
    for data in (
        f"# 차\r\n\r\n{_TEA}".encode(),
        f"\ufeff# 차\n\n\n\n{_TEA} \n".encode("utf-16"),
        f"# 차\n\n{_TEA}".encode("cp949"),
        unicodedata.normalize("NFD", f"# 차\n\n\0{_TEA}\x1b" + " " * 2_000).encode(),
    ):
        file.write_bytes(data)
        found = read(file)
        assert (found.text, found.media_type, found.pages) == (f"# 차\n\n{_TEA}", "text/markdown", None)
    file = tmp_path / "breaks.txt"
    file.write_text("one\ftwo")
    assert read(file).text == "one\ntwo"


def test_a_decomposed_name_is_shown_composed_and_opened_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / unicodedata.normalize("NFD", "보리차.txt")
    file.write_text(_TEA)
    found = read(file)
    assert found.name == "보리차.txt"
    assert found.place.endswith("/보리차.txt")


def test_what_cannot_be_a_document_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "picture").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9)
    (tmp_path / "blank").write_text(" \u200b\n")
    (tmp_path / "empty").touch()
    (tmp_path / "large").write_text("x" * 2_001)
    (tmp_path / "long").write_text("x" * 1_500)
    monkeypatch.setattr(reader, "MOST_BYTES", 2_500)
    monkeypatch.setattr(reader, "MOST_LETTERS", 1_000)
    os.truncate(tmp_path / "large", 50_000_001)
    found = {name: refused(tmp_path / name) for name in sorted(path.name for path in tmp_path.iterdir())}
    assert found == {
        "blank": "empty",
        "device": "not_a_file",
        "empty": "empty",
        "large": "large",
        "long": "long",
        "picture": "not_text",
        "pipe": "not_a_file",
    }
    assert (refused(tmp_path), refused(tmp_path / "gone")) == ("not_a_file", "unreadable")


def test_a_link_is_read_and_the_process_ends_when_it_is_cancelled(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>hello")
    (tmp_path / "link.html").symlink_to(tmp_path / "a.html")
    assert read(tmp_path / "link.html").place == str(tmp_path / "link.html")

    async def cancelled() -> None:
        task = asyncio.create_task(DocumentFiles().read(tmp_path / "a.html"))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())


def test_html_nested_without_end_is_given_up_within_seconds(tmp_path: Path) -> None:
    (tmp_path / "deep.html").write_text("<div>" * 150_000 + "deep")
    (tmp_path / "wide.html").write_text("<div><p>A <b>blue</b> kettle</p></div>" * 50_000)
    started = time.monotonic()
    assert refused(tmp_path / "deep.html", seconds=30) == "slow"
    assert time.monotonic() - started < 15  # four of the processor; unlimited it takes half a minute and more
    assert read(tmp_path / "wide.html").text.count("kettle") == 50_000


def test_the_process_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    slow = tmp_path / "slow.pdf"
    slow.write_bytes(text_pdf(["x"] * 2_000_000))
    script = f"""import asyncio, pathlib
from desktop_app.adapters.document_files.reader import DocumentFiles
asyncio.run(DocumentFiles().read(pathlib.Path({str(slow)!r})))
"""
    parent = subprocess.Popen([sys.executable, "-c", script])
    try:
        child = first_child(parent.pid)
        until(lambda: ticks(child) > 40)  # it is in the middle of the page, which takes it seconds
    finally:
        parent.kill()
        parent.wait()
    until(lambda: ticks(child) == 0, seconds=1)


def first_child(pid: int) -> int:
    children = Path(f"/proc/{pid}/task/{pid}/children")
    until(lambda: children.read_text().strip() != "")
    return int(children.read_text().split()[0])


def ticks(pid: int) -> int:
    """Hundredths of a second a process has used the processor; 0 once it has ended."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return 0 if after_name[0] == "Z" else int(after_name[11])


def until(true: Callable[[], bool], seconds: float = 4) -> None:
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.01)
