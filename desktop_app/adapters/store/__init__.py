"""SQLite as the truth: conversations, requests, long-term facts; `Store` fulfils `core.ports.ConversationStore`."""

from desktop_app.adapters.store.store import Store

__all__ = ["Store"]
