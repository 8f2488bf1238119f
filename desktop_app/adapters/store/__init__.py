"""SQLite as the truth: conversations, messages, requests; `Store` fulfils `core.ports.ConversationStore`."""

from desktop_app.adapters.store.store import Store

__all__ = ["Store"]
