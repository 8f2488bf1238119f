"""Conversations from a file of another program, as values, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from desktop_app.core.conversation import Block, Role


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """A message of an export. `source_id` is stable over exports; `created_at` None where unknown."""

    source_id: str
    role: Role
    blocks: tuple[Block, ...]
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ImportedConversation:
    """A conversation of an export: its active path, oldest first."""

    source_id: str
    title: str
    messages: tuple[ImportedMessage, ...]
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did. `skipped` conversations were deleted here before; `warnings` are catalogue ids."""

    conversations_added: int = 0
    conversations_grown: int = 0
    messages_added: int = 0
    unchanged: int = 0
    skipped: int = 0
    warnings: tuple[str, ...] = ()
