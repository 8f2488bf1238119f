"""All services of one data folder, as the front ends use them."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.core.ports import ConversationStore, FileWriter, SecretDetector
from desktop_app.services.archive import ArchiveService
from desktop_app.services.attachments import AttachmentService
from desktop_app.services.cache_history import CacheHistory
from desktop_app.services.cache_reasons import CacheReasons
from desktop_app.services.cache_view import CacheView
from desktop_app.services.chat import ChatService
from desktop_app.services.compaction.reviewing import CompactionReview
from desktop_app.services.compaction.service import CompactionService
from desktop_app.services.context_view import ContextView
from desktop_app.services.documents import DocumentService
from desktop_app.services.embedders import EmbedderService
from desktop_app.services.endpoint_access import EndpointAccess
from desktop_app.services.extraction import ExtractionService
from desktop_app.services.fact_aging import FactAging
from desktop_app.services.gate import Gate
from desktop_app.services.import_file import ImportService
from desktop_app.services.indexing import IndexingService
from desktop_app.services.keys import KeyService
from desktop_app.services.memory import MemoryService
from desktop_app.services.outside_memory import OutsideMemory
from desktop_app.services.price_tags import PriceTagService
from desktop_app.services.prices import PriceService
from desktop_app.services.remembering import Remembering
from desktop_app.services.settings import SettingsService
from desktop_app.services.spending import SpendingService


@dataclass(frozen=True, slots=True)
class Services:
    """Made by the composition; `close` ends everything."""

    settings: SettingsService
    store: ConversationStore
    access: EndpointAccess
    keys: KeyService
    chat: ChatService
    context: ContextView
    memory: MemoryService
    aging: FactAging
    documents: DocumentService
    indexing: IndexingService
    embedders: EmbedderService
    secrets: SecretDetector
    gate: Gate
    remembering: Remembering
    outside: OutsideMemory
    extraction: ExtractionService
    archive: ArchiveService
    compaction: CompactionService
    review: CompactionReview
    cache: CacheView
    reasons: CacheReasons
    cache_history: CacheHistory
    tags: PriceTagService
    prices: PriceService
    spending: SpendingService
    importing: ImportService
    attachments: AttachmentService
    files: FileWriter

    async def close(self) -> None:
        """Ends what runs in the background; closes connections, the simulated assistant, the index and the store."""
        await self.extraction.close()
        await self.access.close()
        await self.embedders.close()
        await self.indexing.close()
        await self.store.close()
