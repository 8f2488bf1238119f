"""The text of a PDF by PDFium, page by page in the order of its content. Nothing in it is run or fetched."""

from __future__ import annotations

from desktop_app.core.documents import MOST_LETTERS, MOST_PAGES, PAGE_BREAK


class PdfUnusable(Exception):
    """No text comes of it; the text is the reason: `locked`, `broken`, `pages`, `long`."""


def pdf_text(data: bytes) -> tuple[str, int]:
    """All text and the number of pages; each page but the first begins with a page break. Raises PdfUnusable."""
    import pypdfium2
    from pypdfium2 import PdfiumError, raw

    try:
        document = pypdfium2.PdfDocument(data)
    except PdfiumError as error:
        locked = error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)
        raise PdfUnusable("locked" if locked else "broken") from error
    if len(document) > MOST_PAGES:
        raise PdfUnusable("pages")
    texts, letters = [], 0
    for number in range(len(document)):
        texts.append(_page_text(document, number))
        letters += len(texts[-1])
        if letters > MOST_LETTERS:
            raise PdfUnusable("long")
    return f"\n{PAGE_BREAK}".join(texts), len(texts)


def _page_text(document: object, number: int) -> str:
    """The text of a page, blank for one that cannot be read: the others may be."""
    from pypdfium2 import PdfiumError

    try:
        page = document[number]  # type: ignore[index]
        found = page.get_textpage()
        text: str = found.get_text_range()
        found.close()
        page.close()
    except PdfiumError:
        return ""
    return text.replace(PAGE_BREAK, "\n")
