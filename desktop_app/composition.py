"""Builds settings, store and services from a data folder: the only place that knows all of them (no Qt)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app.adapters.settings_file import SettingsFile
from desktop_app.core.errors import BadInput
from desktop_app.core.settings import DEFAULT_PROFILE, DEMO_PROFILE
from desktop_app.services.settings import SettingsService

if TYPE_CHECKING:
    from subprocess import Popen

    from desktop_app.core import ports
    from desktop_app.core.settings import ProfileSettings
    from desktop_app.services.all_services import Services


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line may override for one run; None leaves the setting."""

    data_dir: Path
    profile: str | None = None
    base_url: str | None = None
    model: str | None = None
    language: str | None = None
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
    from desktop_app.adapters.claude.environment import take_environment_key
    from desktop_app.adapters.claude.opening import Endpoints
    from desktop_app.adapters.claude_export import read_export
    from desktop_app.adapters.embedding.sentence_encoder import SentenceEncoder
    from desktop_app.adapters.endpoint_process.process import EndpointProcess
    from desktop_app.adapters.fact_index.index import FactIndex
    from desktop_app.adapters.key_vault import KeyringVault
    from desktop_app.adapters.simulator_process import SimulatorProcess
    from desktop_app.adapters.store import Store
    from desktop_app.core.calculator import Calculator
    from desktop_app.core.pricing import load_prices
    from desktop_app.services.all_services import Services
    from desktop_app.services.cache_view import CacheView
    from desktop_app.services.chat import ChatService
    from desktop_app.services.claims import Claims
    from desktop_app.services.compaction import CompactionService
    from desktop_app.services.context_view import ContextView
    from desktop_app.services.endpoint_access import EndpointAccess
    from desktop_app.services.gate import Gate
    from desktop_app.services.import_file import ImportService
    from desktop_app.services.indexing import IndexingService
    from desktop_app.services.keys import KeyService
    from desktop_app.services.memory import MemoryService
    from desktop_app.services.memory_tools import SaveMemory, SearchMemory
    from desktop_app.services.recall import RecallService
    from desktop_app.services.toolbox import Toolbox
    from desktop_app.services.turn_context import TurnContext
    from desktop_app.services.turn_facts import TurnFacts

    endpoints = EndpointProcess(connections) if connections is not None else Endpoints()
    environment_key = take_environment_key()
    store = Store.open(options.data_dir)
    if simulated is None:
        simulated = SimulatorProcess(options.data_dir / "simulator.json", options.simulator_arguments)
    keys = KeyService(vault if vault is not None else KeyringVault())
    access = EndpointAccess(settings, endpoints, simulated, environment_key, keys)
    gate = Gate(settings)
    encoder = SentenceEncoder()
    index = FactIndex(options.data_dir, store.vectors, encoder.name)
    indexing = IndexingService(store.vectors, encoder, index)
    search = RecallService(store.facts, encoder, index, indexing)

    def settings_now(profile: str) -> ProfileSettings:
        return settings.settings.of(profile)

    toolbox = Toolbox([Calculator(), SaveMemory(store.facts, gate), SearchMemory(store.facts, search)], settings_now)
    context = TurnContext(store, access, settings, toolbox, TurnFacts(store.facts, search))
    claims = Claims(store, settings)
    compaction = CompactionService(store, access, context, settings)
    return Services(
        settings=settings,
        store=store,
        access=access,
        keys=keys,
        chat=ChatService(store, access, context, settings, toolbox, compaction, claims),
        context=ContextView(store, context),
        memory=MemoryService(store.facts, search, store, settings, context, claims),
        indexing=indexing,
        gate=gate,
        compaction=compaction,
        cache=CacheView(store, load_prices()),
        importing=ImportService(store, read_export),
    )
