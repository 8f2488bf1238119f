"""What the services need from the outside: Protocols that adapters fulfil."""

from __future__ import annotations

from desktop_app.core.ports.conversations import Branches, ConversationStore
from desktop_app.core.ports.endpoints import Endpoints, ModelEndpoint, SimulatedAssistant
from desktop_app.core.ports.facts import FactSearch, FactStore
from desktop_app.core.ports.files import DocumentReader, FileReader, FileWriter, SecretDetector
from desktop_app.core.ports.recall import (
    DocumentStore,
    Embedder,
    Embedders,
    EmbedderStore,
    ProcessLock,
    SaidStore,
    VectorIndex,
    VectorStore,
)
from desktop_app.core.ports.settings import KeyVault, PriceStore, SettingsStore
from desktop_app.core.ports.tools import Approver, Tool, ToolError

__all__ = [
    "Approver",
    "Branches",
    "ConversationStore",
    "DocumentReader",
    "DocumentStore",
    "Embedder",
    "EmbedderStore",
    "Embedders",
    "Endpoints",
    "FactSearch",
    "FactStore",
    "FileReader",
    "FileWriter",
    "KeyVault",
    "ModelEndpoint",
    "PriceStore",
    "ProcessLock",
    "SaidStore",
    "SecretDetector",
    "SettingsStore",
    "SimulatedAssistant",
    "Tool",
    "ToolError",
    "VectorIndex",
    "VectorStore",
]
