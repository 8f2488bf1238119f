"""Reads Claude's data export: `conversations.json`, alone or inside a zip file that is never unpacked to disk."""

from __future__ import annotations

import json
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn

from desktop_app.core.conversation import Block, Role, is_blank, now, text_block, to_json, well_formed
from desktop_app.core.errors import ImportRefused
from desktop_app.core.importing import ImportedConversation, ImportedMessage

MAX_BYTES = 256 * 1024 * 1024
"""Most bytes of JSON that are read into memory."""
_BOMB_BYTES, _BOMB_RATIO = 16 * 1024 * 1024, 100
_SHARD = re.compile(r"conversations(-\d+)?\.json$", re.IGNORECASE)
_ROLES = {"human": Role.USER, "user": Role.USER, "assistant": Role.ASSISTANT}
# What zipfile raises for files that are cut, altered or packed in a way it does not know.
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    RuntimeError,
    ValueError,
    OverflowError,
)
_MILLISECONDS_FROM = 1e11
_TITLE_LIMIT = 500


def read_export(path: Path) -> tuple[list[ImportedConversation], list[str]]:
    """The conversations of an export in their order, and warnings (catalogue ids) about what was odd in it.

    Raises ImportRefused; `why` is an id below `errors.import_why`.
    """
    reader = _Reader()
    try:
        documents = list(_documents(path))
        conversations = [found for document in documents for found in reader.conversations(document)]
    except _Unusable as error:
        raise ImportRefused(error.details, file=path.name, why=error.why) from error
    if not conversations and not reader.warnings:
        raise ImportRefused(file=path.name, why="no_conversations")
    return _without_repeats(conversations), sorted(reader.warnings)


class _Unusable(Exception):
    def __init__(self, why: str, details: object = "") -> None:
        super().__init__(why)
        self.why = why
        self.details = str(details)


def _documents(path: Path) -> Iterator[Any]:
    """The parsed JSON documents that may hold conversations."""
    try:
        if path.stat().st_size == 0:
            _refuse("empty_file")
        with path.open("rb") as file:
            zipped = file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")
        if not zipped:
            if path.stat().st_size > MAX_BYTES:
                _refuse("too_large")
            yield _parsed(path.read_bytes())
            return
        with zipfile.ZipFile(path) as archive:
            yield from map(_parsed, _members(archive))
    except _ZIP_ERRORS as error:
        raise _Unusable("damaged_zip", error) from error
    except OSError as error:
        raise _Unusable("unreadable", error) from error


def _members(archive: zipfile.ZipFile) -> Iterator[bytes]:
    """The bytes of the conversation files; names only select, they are never used as paths."""
    infos = [info for info in archive.infolist() if not info.is_dir() and not _is_clutter(info.filename)]
    named = [info for info in infos if info.filename.lower().endswith(".json")]
    chosen = [info for info in named if _SHARD.search(info.filename)] or named
    if not chosen:
        nested = any(info.filename.lower().endswith(".zip") for info in infos)
        _refuse("nested_zip" if nested else "no_conversations")
    if any(info.flag_bits & 1 for info in chosen):
        _refuse("encrypted_zip")
    if sum(info.file_size for info in chosen) > MAX_BYTES or any(map(_is_bomb, chosen)):
        _refuse("too_large")
    # zipfile reads no more than the size a member claims, so the check above holds.
    yield from (archive.read(info) for info in chosen)


def _is_clutter(name: str) -> bool:
    parts = re.split(r"[/\\]", name)
    return "__MACOSX" in parts or parts[-1].startswith("._")


def _is_bomb(info: zipfile.ZipInfo) -> bool:
    return info.file_size > _BOMB_BYTES and info.file_size > _BOMB_RATIO * max(1, info.compress_size)


def _parsed(data: bytes) -> Any:
    if not data.strip():
        _refuse("empty_file")
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _Unusable("not_json", error) from error


def _refuse(why: str) -> NoReturn:
    raise _Unusable(why)


class _Reader:
    """Turns documents into values and gathers what was odd."""

    def __init__(self) -> None:
        self.warnings: set[str] = set()
        self._latest = now() + timedelta(days=1)

    def conversations(self, document: Any) -> Iterator[ImportedConversation]:
        """Those of one document; other documents of an export (users, projects) hold none."""
        items = document if isinstance(document, list) else [document]
        for item in items:
            if not isinstance(item, Mapping):
                continue
            if "mapping" in item:
                _refuse("chatgpt")
            if "chat_messages" in item:
                if item["chat_messages"] == []:
                    self._warn("empty_conversation")
                else:
                    yield self._conversation(item)

    def _conversation(self, item: Mapping[str, Any]) -> ImportedConversation:
        listed = item["chat_messages"]
        if not isinstance(listed, list):
            _refuse("broken_conversation")
        messages = tuple(self._message(place, message) for place, message in enumerate(listed))
        source_id = item.get("uuid")
        if not isinstance(source_id, str) or not source_id:
            first = to_json([item.get("created_at"), messages[0].role.value, list(messages[0].blocks)])
            source_id = sha256(first.encode()).hexdigest()
        title = item.get("name")
        return ImportedConversation(
            source_id=source_id,
            title=" ".join(self._mended(title).split()) if isinstance(title, str) else "",
            messages=messages,
            created_at=self._time(item.get("created_at")),
        )

    def _message(self, place: int, item: Any) -> ImportedMessage:
        role = _ROLES.get(str(item.get("sender"))) if isinstance(item, Mapping) else None
        if role is None:
            _refuse("broken_conversation")
        source_id = item.get("uuid")
        return ImportedMessage(
            source_id=source_id if isinstance(source_id, str) and source_id else f"message {place}",
            role=role,
            blocks=(*self._texts(item), *self._attachments(item, role)),
            created_at=self._time(item.get("created_at")),
        )

    def _texts(self, item: Mapping[str, Any]) -> list[Block]:
        """Its text blocks; older exports have the text beside the content only."""
        content = item.get("content")
        parts = content if isinstance(content, list) else []
        texts = []
        for part in parts:
            if isinstance(part, Mapping) and part.get("type") == "text" and isinstance(part.get("text"), str):
                texts.append(text_block(self._mended(part["text"])))
            else:
                self._warn("content_left_out")
        plain = item.get("text")
        if not texts and isinstance(plain, str):
            texts.append(text_block(self._mended(plain)))
        return texts

    def _attachments(self, item: Mapping[str, Any], role: Role) -> list[Block]:
        """Attached texts as documents; the export holds nothing but the names of other files."""
        documents = []
        attached = item.get("attachments")
        for part in attached if isinstance(attached, list) else []:
            text = part.get("extracted_content") if isinstance(part, Mapping) else None
            if isinstance(text, str) and not is_blank(text) and role is Role.USER:
                documents.append(self._document(part.get("file_name"), text))
            else:
                self._warn("content_left_out")
        if item.get("files"):
            self._warn("content_left_out")
        return documents

    def _document(self, name: object, text: str) -> Block:
        source = {"type": "text", "media_type": "text/plain", "data": self._mended(text)}
        block: Block = {"type": "document", "source": source}
        if isinstance(name, str) and not is_blank(name):
            block["title"] = self._mended(name)[:_TITLE_LIMIT]
        return block

    def _time(self, value: object) -> datetime | None:
        """ISO text (UTC where it names no zone), or seconds or milliseconds since 1970; None where unknown."""
        moment = None
        try:
            if isinstance(value, str):
                moment = datetime.fromisoformat(value)
            elif isinstance(value, int | float) and not isinstance(value, bool):
                seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
                moment = datetime.fromtimestamp(seconds, UTC)
            if moment is not None and moment.tzinfo is None:
                self._warn("time_without_zone")
                moment = moment.replace(tzinfo=UTC)
            moment = moment.astimezone(UTC) if moment else None
        except (ValueError, OverflowError, OSError):
            moment = None
        if moment is None:
            self._warn("time_unknown")
        elif moment > self._latest or moment.year == 1970:
            self._warn("time_odd")
        return moment

    def _mended(self, text: str) -> str:
        """The text as it can be stored."""
        mended = well_formed(text)
        if mended != text:
            self._warn("broken_letters")
        return mended

    def _warn(self, word: str) -> None:
        self.warnings.add(f"import_warning.{word}")


def _without_repeats(conversations: list[ImportedConversation]) -> list[ImportedConversation]:
    """One of each; of several with one id the longest."""
    kept: dict[str, ImportedConversation] = {}
    for found in conversations:
        other = kept.get(found.source_id)
        if other is None or len(found.messages) > len(other.messages):
            kept[found.source_id] = found
    return list(kept.values())
