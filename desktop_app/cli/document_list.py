"""`mnemoscope documents add|list|remove|restore`: what is kept, as words or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from desktop_app.cli.failures import FAILED
from desktop_app.cli.listing import distinct, moment_text
from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import note, one_line, table, write, write_json
from desktop_app.cli.session import Session, open_session
from desktop_app.cli.stopping import told_when_stopped
from desktop_app.core.attachments import size_text
from desktop_app.core.documents import Document
from desktop_app.services.documents import FileDone

_NAME, _PLACE = 60, 80


async def add(run: RunOptions, files: Sequence[Path]) -> int:
    """Adds files, telling each as it is done; 1 where one could not be added."""
    told: list[FileDone] = []

    def tell(one: FileDone) -> None:
        told.append(one)
        _tell(session, one)

    def stopped() -> str:
        kept = sum(one.added is not None for one in told)
        return session.words.say("cli.documents.stopped", n=kept, files=len(files))

    async with open_session(run) as session:
        with told_when_stopped(stopped):
            done = await session.services.documents.add(files, tell)
        if session.as_json:
            write_json([_done_json(session, one) for one in done])
    return FAILED if any(one.error for one in done) else 0


async def show_all(run: RunOptions, *, deleted: bool = False) -> int:
    """The documents of the profile, or those removed of late."""
    async with open_session(run) as session:
        found = await session.services.documents.documents(deleted=deleted)
    if session.as_json:
        write_json([document_json(one) for one in found])
    elif found:
        length = distinct([one.id for one in found])
        write(table([_row(session, one, length) for one in found], "<<>><"))
    else:
        write(session.words.say("cli.documents.none_deleted" if deleted else "cli.documents.none") + "\n")
    return 0


async def remove(run: RunOptions, name: str) -> int:
    """Removes one; raises DocumentNotFound, BadInput."""
    async with open_session(run) as session:
        return _changed(session, await session.services.documents.remove(name), "removed")


async def restore(run: RunOptions, name: str) -> int:
    """Brings a removed one back; raises DocumentNotFound, BadInput."""
    async with open_session(run) as session:
        return _changed(session, await session.services.documents.restore(name), "restored")


def document_json(document: Document) -> dict[str, Any]:
    """All that is known of a document."""
    return {
        "id": document.id,
        "name": document.name,
        "media_type": document.media_type,
        "place": document.place,
        "size": document.size,
        "letters": document.letters,
        "pages": document.pages,
        "passages": document.passages,
        "added_at": document.added_at.isoformat(),
        "deleted_at": document.deleted_at.isoformat() if document.deleted_at else None,
    }


def _tell(session: Session, one: FileDone) -> None:
    if one.error is not None:
        if not session.as_json:  # there it stands in the result
            note(session.words.explain(one.error))
    elif one.added is not None and not session.as_json:
        document = one.added.document
        said = session.words.say(
            f"cli.documents.{one.added.outcome}", name=one_line(document.name, _NAME), n=document.passages
        )
        count = f"[{one.number}/{one.files}] " if one.files > 1 else ""
        write(f"{count}{said}\n")
        if one.secrets:
            kinds = (f"{session.words.say(f'secrets.kind.{kind}')} ({n})" for kind, n in one.secrets.items())
            write(session.words.say("cli.documents.secrets", kinds=", ".join(kinds)) + "\n")


def _done_json(session: Session, one: FileDone) -> dict[str, Any]:
    if one.added is not None:
        secrets = {kind.value: n for kind, n in one.secrets.items()}
        return {
            "outcome": one.added.outcome.value,
            "document": document_json(one.added.document),
            "secrets": secrets,
        }
    return {"outcome": "failed", "file": str(one.path), "error": session.words.explain(one.error) if one.error else ""}


def _changed(session: Session, document: Document, word: str) -> int:
    if session.as_json:
        write_json({"document": document_json(document), "done": word})
    else:
        back = session.command("documents", "restore", document.id[:8])
        write(session.words.say(f"cli.documents.{word}", name=one_line(document.name, _NAME), command=back) + "\n")
    return 0


def _row(session: Session, document: Document, length: int) -> tuple[str, ...]:
    say = session.words.say
    moment = moment_text(session, document.deleted_at or document.added_at)
    passages = say("cli.documents.passages", n=document.passages)
    pages = f" ({say('cli.documents.pages', n=document.pages)})" if document.pages else ""
    name = one_line(document.name, _NAME) + pages
    return document.id[:length], moment, size_text(document.size), passages, name
