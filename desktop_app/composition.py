"""Builds settings, store and services from a data folder: the only place that knows all of them (no Qt)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app.adapters.settings_file import SettingsFile
from desktop_app.core.errors import BadInput
from desktop_app.core.settings import DEFAULT_PROFILE, DEMO_PROFILE
from desktop_app.services.settings import SettingsService

if TYPE_CHECKING:
    from collections.abc import Mapping
    from subprocess import Popen

    from desktop_app.adapters.fact_index.index import FactIndex
    from desktop_app.adapters.store import Store
    from desktop_app.core import ports
    from desktop_app.core.compaction.compaction import Strategy
    from desktop_app.core.settings import ProfileSettings
    from desktop_app.services.all_services import Services
    from desktop_app.services.archive import ArchiveService
    from desktop_app.services.claims import Claims
    from desktop_app.services.compaction.strategies import CompactionStrategy
    from desktop_app.services.documents import DocumentService
    from desktop_app.services.embedders import EmbedderService
    from desktop_app.services.endpoint_access import EndpointAccess
    from desktop_app.services.extraction import ExtractionService
    from desktop_app.services.fact_aging import FactAging
    from desktop_app.services.gate import Gate
    from desktop_app.services.indexing import IndexingService
    from desktop_app.services.keys import KeyService
    from desktop_app.services.memory import MemoryService
    from desktop_app.services.prices import PriceService
    from desktop_app.services.recall import RecallService
    from desktop_app.services.recalling import Recalling
    from desktop_app.services.remembering import Remembering
    from desktop_app.services.sending import Sending
    from desktop_app.services.serving_embedder import ServingEmbedder
    from desktop_app.services.toolbox import Toolbox
    from desktop_app.services.turn_context import TurnContext
    from desktop_app.services.turn_facts import TurnFacts


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line may override for one run; None leaves the setting."""

    data_dir: Path
    profile: str | None = None
    base_url: str | None = None
    model: str | None = None
    language: str | None = None
    database_url: str | None = field(default=None, repr=False)  # may hold a password
    chroma_url: str | None = None
    simulator_arguments: tuple[str, ...] = ()


def default_data_dir() -> Path:
    """Where data lives when nothing else is said."""
    import platformdirs

    return Path(platformdirs.user_data_dir("mnemoscope", appauthor=False))


def open_settings(options: Options) -> SettingsService:
    """Settings with the overrides of this run; needs no heavy library, so the window can show at once."""
    options.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    settings = SettingsService(SettingsFile(options.data_dir))
    if options.profile and options.profile not in {*settings.settings.profiles, DEFAULT_PROFILE, DEMO_PROFILE}:
        raise BadInput(what=options.profile, why="profile_unknown")
    for name in ("profile", "language"):
        if value := getattr(options, name):
            settings.use_for_run(**{name: value})
    if settings.settings.profile == DEMO_PROFILE:
        if options.base_url:
            raise BadInput(what=options.base_url, why="demo_url")
        settings.use_for_run(welcomed=True)  # whoever asks for the Demo has chosen
    for name in ("base_url", "model"):
        if value := getattr(options, name):
            settings.use_in_profile_for_run(**{name: value})
    return settings


def open_prices(options: Options) -> PriceService:
    """The price list with the person's own rows from the data folder; needs no heavy library."""
    from desktop_app.adapters.price_file import PriceFile
    from desktop_app.core.money.pricing import load_prices
    from desktop_app.services.prices import PriceService

    return PriceService(load_prices(), PriceFile(options.data_dir))


def start_connections() -> Popen[bytes]:
    """Starts the process that holds the window's connections; called before anything slow is imported.

    Whoever starts it ends it.
    """
    from desktop_app.adapters.own_process import start_own

    return start_own("endpoints")


def end_connections(process: Popen[bytes]) -> None:
    """Ends it; services that used it have done so when they closed."""
    from desktop_app.adapters.own_process import end_own

    end_own(process)


def open_services(
    options: Options,
    settings: SettingsService,
    *,
    connections: Popen[bytes] | None = None,
    simulated: ports.SimulatedAssistant | None = None,
    vault: ports.KeyVault | None = None,
) -> Services:
    """Opens the store and wires the services; imports the heavy libraries, so call it off the GUI thread.

    `connections` is the process that holds them (without one they are held here), `simulated` stands in
    for the simulator's process, `vault` for the system's key store.
    Raises StoreUnavailable or StoreTooNew.
    """
    from desktop_app.adapters.attached_files import AttachedFiles
    from desktop_app.adapters.claude_export import read_export
    from desktop_app.adapters.kept_file import WholeFiles
    from desktop_app.adapters.key_vault import KeyringVault
    from desktop_app.adapters.secret_detector import SecretDetector
    from desktop_app.adapters.store import Store
    from desktop_app.services.all_services import Services
    from desktop_app.services.archive import ArchiveService
    from desktop_app.services.attachments import AttachmentService
    from desktop_app.services.cache_history import CacheHistory
    from desktop_app.services.cache_reasons import CacheReasons
    from desktop_app.services.cache_view import CacheView
    from desktop_app.services.chat import ChatService
    from desktop_app.services.claims import Claims
    from desktop_app.services.compaction.reviewing import CompactionReview
    from desktop_app.services.compaction.service import CompactionService
    from desktop_app.services.context_view import ContextView
    from desktop_app.services.gate import Gate
    from desktop_app.services.import_file import ImportService
    from desktop_app.services.keys import KeyService
    from desktop_app.services.memory_file_tool import MemoryFiles
    from desktop_app.services.memory_tools import SaveMemory
    from desktop_app.services.outside_memory import OutsideMemory
    from desktop_app.services.price_tags import PriceTagService
    from desktop_app.services.sending import Sending
    from desktop_app.services.spending import SpendingService
    from desktop_app.services.turn_context import TurnContext
    from desktop_app.services.turn_facts import TurnFacts

    store = Store.open(options.data_dir, options.database_url)
    keys = KeyService(vault if vault is not None else KeyringVault())
    access = _open_access(options, settings, keys, connections, simulated)
    embedder, index, indexing, embedders = _open_embedder(options, store, settings, keys)
    secrets = SecretDetector()
    search, recalling = _open_search(store, embedder, index, indexing, secrets)
    gate = Gate(settings, secrets)

    archive = ArchiveService(store, search)
    toolbox = _open_toolbox(store, search, archive, gate, settings)
    turn_facts = TurnFacts(store.facts, store.said, recalling, secrets)
    context = TurnContext(store, access, settings, toolbox, turn_facts)
    claims = Claims(store, settings)
    memory, aging = _open_memory(store, search, settings, context, claims, recalling, turn_facts)
    prices = open_prices(options)
    files = WholeFiles()
    sending = Sending(store, access, context)
    remembering, extraction = _open_writing(store, access, context, sending, settings, search, gate, prices)
    for tool in (SaveMemory(remembering), MemoryFiles(store.facts, store, gate, remembering)):
        toolbox.put(tool)
    cache = CacheView(store, prices)
    review = CompactionReview(store, context, settings, prices)
    compaction = CompactionService(store, access, context, sending, settings, prices, _strategies(embedder), review)
    return Services(
        settings=settings,
        store=store,
        access=access,
        keys=keys,
        chat=ChatService(store, access, context, settings, toolbox, compaction, review, sending, claims, extraction),
        context=ContextView(store, context),
        memory=memory,
        aging=aging,
        documents=_open_documents(settings, store, secrets),
        indexing=indexing,
        embedders=embedders,
        secrets=secrets,
        gate=gate,
        remembering=remembering,
        outside=OutsideMemory(store.facts, recalling, remembering, gate, settings),
        extraction=extraction,
        archive=archive,
        compaction=compaction,
        review=review,
        cache=cache,
        reasons=CacheReasons(store, cache),
        cache_history=CacheHistory(store, context, prices),
        tags=PriceTagService(store, store.facts, cache, access, context, settings),
        prices=prices,
        spending=SpendingService(store, settings, prices, files),
        importing=ImportService(store, read_export),
        attachments=AttachmentService(AttachedFiles()),
        files=files,
    )


def _open_toolbox(
    store: Store, search: RecallService, archive: ArchiveService, gate: Gate, settings: SettingsService
) -> Toolbox:
    """The tools the model may be offered that ask no model themselves."""
    from desktop_app.core.calculator import Calculator
    from desktop_app.services.archive_tools import ReadToolResult, SearchConversation
    from desktop_app.services.attachment_tool import ReadAttachment
    from desktop_app.services.forget_tool import ForgetMemory
    from desktop_app.services.memory_tools import SearchMemory
    from desktop_app.services.toolbox import Toolbox

    def settings_now(profile: str) -> ProfileSettings:
        return settings.settings.offering(profile)

    tools: list[ports.Tool] = [
        *(Calculator(), ReadAttachment(store), ReadToolResult(archive)),
        *(SearchConversation(archive, store, settings_now), SearchMemory(store.facts, search)),
        ForgetMemory(store.facts, search, store, gate),
    ]
    return Toolbox(tools, settings_now)


def _open_access(
    options: Options,
    settings: SettingsService,
    keys: KeyService,
    connections: Popen[bytes] | None,
    simulated: ports.SimulatedAssistant | None,
) -> EndpointAccess:
    """Where requests go; the key in the environment is taken out of it."""
    from desktop_app.adapters.claude.environment import take_environment_key
    from desktop_app.adapters.claude.opening import Endpoints
    from desktop_app.adapters.endpoint_process.process import EndpointProcess
    from desktop_app.adapters.simulator_process import SimulatorProcess
    from desktop_app.services.endpoint_access import EndpointAccess

    endpoints = EndpointProcess(connections) if connections is not None else Endpoints()
    if simulated is None:
        simulated = SimulatorProcess(options.data_dir / "simulator.json", options.simulator_arguments)
    return EndpointAccess(settings, endpoints, simulated, take_environment_key(), keys)


def _open_writing(
    store: Store,
    access: EndpointAccess,
    context: TurnContext,
    sending: Sending,
    settings: SettingsService,
    search: ports.FactSearch,
    gate: Gate,
    prices: PriceService,
) -> tuple[Remembering, ExtractionService]:
    """The way into long-term memory for what the person did not type there, and what looks for facts in exchanges."""
    from desktop_app.services.aside import Aside
    from desktop_app.services.extraction import ExtractionService
    from desktop_app.services.judging import Judging
    from desktop_app.services.remembering import Remembering

    aside = Aside(store, access, context, sending, settings)
    remembering = Remembering(store.facts, Judging(store.facts, search, aside), gate)
    return remembering, ExtractionService(store, store.facts, settings, access, aside, remembering, gate, prices)


def _open_memory(
    store: Store,
    search: ports.FactSearch,
    settings: SettingsService,
    context: TurnContext,
    claims: Claims,
    recalling: Recalling,
    turn_facts: TurnFacts,
) -> tuple[MemoryService, FactAging]:
    """Facts as the person curates them, and as they put themselves away."""
    from desktop_app.services.fact_aging import FactAging
    from desktop_app.services.memory import MemoryService

    memory = MemoryService(store.facts, search, store, settings, context, claims, recalling, turn_facts)
    return memory, FactAging(store.facts, settings)


def _strategies(embedder: ports.Embedder) -> Mapping[Strategy, CompactionStrategy]:
    """How the past may be compacted by us; the API's way at a threshold comes with its answers."""
    from desktop_app.core.compaction.compaction import Strategy
    from desktop_app.core.compaction.window_note import window_note
    from desktop_app.services.compaction.strategies import MEMO_FORM, RUNNING_FORM, OnDemand, OneSummary, Window
    from desktop_app.services.compaction.tiers import Tiers

    return {
        Strategy.MEMO: OneSummary(MEMO_FORM),
        Strategy.RUNNING: OneSummary(RUNNING_FORM),
        Strategy.TIERS: Tiers(embedder),
        Strategy.WINDOW: Window(window_note),
        Strategy.SERVER_NOW: OnDemand(),
    }


def _open_documents(settings: SettingsService, store: Store, secrets: ports.SecretDetector) -> DocumentService:
    from desktop_app.adapters.document_files.reader import DocumentFiles
    from desktop_app.services.documents import DocumentService

    return DocumentService(store.documents, DocumentFiles(), settings, secrets)


def _index(options: Options, store: Store, embedder: str) -> FactIndex:
    """Where vectors are found: a server, nowhere but in the database where others share that, else a folder."""
    from desktop_app.adapters.fact_index.index import FactIndex
    from desktop_app.adapters.fact_index.scanning import ScanningIndex
    from desktop_app.adapters.fact_index.server import ServerIndex

    if options.chroma_url:
        return ServerIndex(options.data_dir, options.chroma_url, store.mark, store.vectors, embedder)
    kind = ScanningIndex if options.database_url else FactIndex
    return kind(options.data_dir, store.vectors, embedder)


def _open_embedder(
    options: Options, store: Store, settings: SettingsService, keys: KeyService
) -> tuple[ServingEmbedder, FactIndex, IndexingService, EmbedderService]:
    """What makes vectors, the index over them, and what keeps both in step with the wishes of the person."""
    from desktop_app.adapters.embedding.opening import EmbedderOpener
    from desktop_app.adapters.embedding.sentence_encoder import SentenceEncoder
    from desktop_app.adapters.file_lock import FileLock
    from desktop_app.services.embedders import EmbedderService
    from desktop_app.services.indexing import IndexingService
    from desktop_app.services.serving_embedder import ServingEmbedder

    async def key_of(name: str) -> str | None:
        return keys.of_session(name) or await keys.kept(name)

    opener = EmbedderOpener(key_of)
    known = store.embedders.serving_at_start()
    serving = ServingEmbedder(SentenceEncoder() if known is None else opener.open(known))
    index = _index(options, store, serving.name)
    indexing = IndexingService(store.vectors, serving, index)
    lock = FileLock(options.data_dir / "embedding.lock")
    change = EmbedderService(settings, opener, store.embedders, store.vectors, serving, index, indexing, lock)
    return serving, index, indexing, change


def _open_search(
    store: Store,
    embedder: ports.Embedder,
    index: FactIndex,
    indexing: IndexingService,
    secrets: ports.SecretDetector,
) -> tuple[RecallService, Recalling]:
    """Finding facts, what was said and documents by words and meaning."""
    from desktop_app.services.passage_search import PassageSearch
    from desktop_app.services.question_vectors import QuestionVectors
    from desktop_app.services.recall import RecallService
    from desktop_app.services.recalling import Recalling

    vectors = QuestionVectors(embedder, indexing)
    search = RecallService(store.facts, embedder, index, vectors)
    passages = PassageSearch(store.said, store.documents, embedder, index, vectors, secrets)
    recalling = Recalling(search, passages, store.facts, store.said, store.documents, embedder, index, vectors, secrets)
    return search, recalling
