"""What services need of files a person names, and of texts with secrets in them."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from desktop_app.core.documents import DocumentText
from desktop_app.core.secrets.kinds import Secret


class FileWriter(Protocol):
    """Writes files the person names."""

    def write_whole(self, path: Path, data: bytes) -> bool:
        """Puts the bytes in place of the file there, whole or not at all; whether there was one.

        A link, a pipe and a device stay what they are. Raises StoreUnavailable with the path.
        """


class FileReader(Protocol):
    """Reads files the person names."""

    def read_whole(self, path: Path, limit: int) -> bytes:
        """The bytes of a file, at most `limit` and one more; raises AttachmentUnusable for what is no plain file."""


class DocumentReader(Protocol):
    """Reads documents the person names as text."""

    async def read(self, path: Path) -> DocumentText:
        """The clean text of a PDF, Markdown, HTML or text file; raises DocumentUnusable. Nothing is fetched or run."""


class SecretDetector(Protocol):
    """Knows secrets and numbers of persons in texts. Never asks the network for anything."""

    def find(self, text: str) -> tuple[Secret, ...]:
        """The secrets of a text, in order and apart; quick, from any thread."""
