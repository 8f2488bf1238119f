"""Every setting with its default, its range and what it is for; stored by an adapter, shown on one page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from desktop_app.core.cache.forecast import LIFETIMES
from desktop_app.core.compaction.compaction import Strategy, WrittenBy
from desktop_app.core.embedders import EmbedderKind
from desktop_app.core.endpoints import ANTHROPIC_URL, EndpointKind, endpoint_for
from desktop_app.core.errors import BadInput
from desktop_app.core.models import DEFAULT_MODEL, EFFORTS

DEFAULT_PROFILE = "default"
DEMO_PROFILE = "demo"
OWN_MEMORY, MEMORY_FILES = "own", "files"
"""The two kinds of memory tool: the app's own three, or the one of type `memory_20250818`."""
_ANTHROPIC_MODELS = "claude-"


@dataclass(frozen=True, slots=True)
class ProfileSettings:
    """What holds for one profile."""

    base_url: str = ANTHROPIC_URL
    """Base URL of the Messages API."""
    model: str = DEFAULT_MODEL
    """Id of the model new turns are sent to."""
    instructions: str = ""
    """System prompt, word for word."""
    effort: str = ""
    """Effort asked of the model; empty leaves the model's own default."""
    output_limit: int = 16_000
    """Output reserve: most tokens of one reply."""
    show_thinking: bool = True
    """Whether summarised thinking is asked for and shown."""
    use_tools: bool = True
    """Whether built-in tools are offered to the model."""
    window: int = 0
    """Context window in tokens for endpoints that do not tell it; 0 is unknown."""
    environment_key: bool = False
    """Whether the key may be read from ANTHROPIC_API_KEY (sent to api.anthropic.com only)."""
    plain_endpoint: bool = True
    """For servers other than Anthropic's: send no thinking, effort or cache fields."""
    memory: bool = True
    """Whether facts are put into prompts, recalled and saved; off is paused."""
    gate: str = "ask"
    """Before the assistant saves a fact: ask, auto (only the person's own words of this turn), off (never offered)."""
    memory_tool: str = OWN_MEMORY
    """What the assistant reaches memory with: own (save, search, forget) or files (the API's memory tool)."""
    extract: str = "auto"
    """Whether exchanges are looked through for facts: on, off, auto (on where a cheap model of the house can do it)."""
    extract_model: str = ""
    """Model that finds and compares facts; empty is the cheapest at Anthropic's, elsewhere that of the chat."""
    facts_budget: int = 4_000
    """Most tokens of the facts block; beyond it the rest is recalled message by message."""
    recall_budget: int = 1_500
    """Most tokens of what is recalled beside one message: facts that are not in the block, passages of earlier
    conversations and of documents, as they are sent; 0 recalls nothing."""
    archive_after_days: int = 90
    """Days after which a fact that nobody used is archived, pinned ones and those in every prompt never; 0 is never."""
    fold_automatically: bool = True
    """Whether the past is folded into a memo by itself when it is due."""
    fold_share: int = 75
    """Percent of the window at which folding is due."""
    fold_tokens: int = 150_000
    """Tokens at which folding is due, whatever the window; the smaller of the two holds."""
    fold_keep: int = 20_000
    """Tokens at the end that stay word for word (never more than 30 % of the threshold)."""
    fold_strategy: str = "memo"
    """How the past is compacted: memo, running, tiers, window, server, server_now."""
    fold_by: str = "auto"
    """Who writes a summary: fork (the conversation's own prefix), separate (a model of its own), auto (the cheaper)."""
    fold_model: str = ""
    """Model of the separate call; empty is the cheapest of the house at Anthropic's, elsewhere that of the chat."""
    fold_review: bool = False
    """Whether an automatic compaction waits for the person before it is put to use."""
    fold_messages: int = 20
    """Messages a sliding window keeps at most."""
    clear_tool_results: bool = False
    """Whether the API is asked to leave out old tool results (context editing)."""
    clear_thinking: bool = False
    """Whether the API is asked to leave out old thinking (context editing)."""
    cache_lifetime: str = "5m"
    """How long prefixes are kept in the cache: 5m, 1h, or head (1 h for all before the messages, 5 m behind)."""


@dataclass(frozen=True, slots=True)
class ProfileInUse:
    """A profile by its name, with the settings it had when something began that must not change under way."""

    name: str
    settings: ProfileSettings


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for the whole application."""

    language: str = "system"
    """Interface language: system, en or ko."""
    theme: str = "system"
    """system, light or dark."""
    system_font: bool = False
    """Use the system's font instead of the bundled one."""
    profile: str = DEFAULT_PROFILE
    """The profile in use."""
    welcomed: bool = False
    """Whether the first-run page was answered."""
    monthly_budget: str = ""
    """USD a month all profiles together may cost before the person is warned; empty for none."""
    embedder: str = "use"
    """What finds by meaning: use or e5 on this machine, ollama, openai or voyage on a server; none: words alone."""
    embedder_url: str = ""
    """Base URL of the embedding server; empty is the usual one of its kind."""
    embedder_model: str = ""
    """Model of the embedding server; empty is the usual one of its kind."""
    embedder_paused: bool = False
    """Whether a change of the embedder waits for the person to let it go on."""
    budget_warned: str = ""
    """The month and the percent of the budget a warning was last given for, as `2026-11 80`."""
    profiles: Mapping[str, ProfileSettings] = field(default_factory=lambda: {DEFAULT_PROFILE: ProfileSettings()})
    """Settings by profile."""

    def of(self, profile: str | None = None) -> ProfileSettings:
        """The settings of a profile, the one in use by default.

        A new profile begins as the person's own; Demo has defaults that suit the simulated assistant.
        """
        name = profile or self.profile
        if name in self.profiles:
            return self.profiles[name]
        return ProfileSettings() if name == DEMO_PROFILE else self.profiles.get(DEFAULT_PROFILE, ProfileSettings())

    def takes_memory_files(self, profile: str | None = None) -> bool:
        """Whether a profile sends to a server that knows the type of the API's memory tool: not to a plain one."""
        name, settings = profile or self.profile, self.of(profile)
        return name == DEMO_PROFILE or not settings.plain_endpoint or _is_anthropic(settings.base_url)

    def offering(self, profile: str | None = None) -> ProfileSettings:
        """The settings of a profile with the memory tool it can offer where it sends to."""
        settings = self.of(profile)
        return settings if self.takes_memory_files(profile) else replace(settings, memory_tool=OWN_MEMORY)

    def with_profile(self, name: str, **changes: Any) -> Settings:
        """A copy in which a profile has these values."""
        return replace(self, profiles={**self.profiles, name: replace(self.of(name), **changes)})


def endpoint_changes(profile: ProfileSettings, url: str) -> dict[str, str]:
    """What changes in a profile that sends to `url` from now on: Anthropic knows no model of another server."""
    if _is_anthropic(url) and not profile.model.startswith(_ANTHROPIC_MODELS):
        return {"base_url": url, "model": DEFAULT_MODEL}
    return {"base_url": url}


def _is_anthropic(url: str) -> bool:
    try:
        return endpoint_for(url).kind is EndpointKind.ANTHROPIC
    except BadInput:
        return False


CHOICES: Mapping[str, tuple[str, ...]] = {
    "language": ("system", "en", "ko"),
    "theme": ("system", "light", "dark"),
    "embedder": tuple(kind.value for kind in EmbedderKind),
    "effort": ("", *EFFORTS),
    "gate": ("ask", "auto", "off"),
    "memory_tool": (OWN_MEMORY, MEMORY_FILES),
    "extract": ("auto", "on", "off"),
    "cache_lifetime": LIFETIMES,
    "fold_strategy": tuple(strategy.value for strategy in Strategy),
    "fold_by": ("auto", WrittenBy.FORK.value, WrittenBy.SEPARATE.value),
}
RANGES: Mapping[str, tuple[int, int]] = {
    "output_limit": (1, 1_000_000),
    "window": (0, 100_000_000),
    "facts_budget": (0, 100_000),
    "recall_budget": (0, 50_000),
    "archive_after_days": (0, 3_650),
    "fold_share": (10, 95),
    "fold_tokens": (1_000, 10_000_000),
    "fold_keep": (0, 1_000_000),
    "fold_messages": (1, 1_000),
}


def settings_from(data: object) -> tuple[Settings, list[str]]:
    """Settings from parsed JSON, field by field; names of fields that were unusable and took their default."""
    bad: list[str] = []
    if not isinstance(data, Mapping):
        return Settings(), ["settings"]
    values = _fields_from(Settings, data, bad, skip=("profiles",))
    profiles = {DEFAULT_PROFILE: ProfileSettings()}
    stored = data.get("profiles", {})
    if isinstance(stored, Mapping):
        for name, part in stored.items():
            if isinstance(part, Mapping):
                profiles[str(name)] = ProfileSettings(**_fields_from(ProfileSettings, part, bad))
            else:
                bad.append(f"profiles.{name}")
    else:
        bad.append("profiles")
    return Settings(**values, profiles=profiles), bad


def settings_to(settings: Settings) -> dict[str, Any]:
    """The settings as JSON values."""
    app = {part.name: getattr(settings, part.name) for part in fields(settings) if part.name != "profiles"}
    profiles = {
        name: {part.name: getattr(profile, part.name) for part in fields(profile)}
        for name, profile in settings.profiles.items()
    }
    return {**app, "profiles": profiles}


def is_valid(name: str, value: object, default: object) -> bool:
    """Whether a value has the type of its default and lies in its choices or range."""
    if type(value) is not type(default):
        return False
    if name in CHOICES:
        return value in CHOICES[name]
    if name in RANGES and isinstance(value, int):
        low, high = RANGES[name]
        return low <= value <= high
    return name != "profile" or bool(str(value).strip())


def _fields_from(
    kind: type[Settings | ProfileSettings],
    data: Mapping[str, Any],
    bad: list[str],
    skip: tuple[str, ...] = (),
) -> dict[str, Any]:
    defaults = kind()
    values: dict[str, Any] = {}
    for part in fields(kind):
        if part.name in skip or part.name not in data:
            continue
        if is_valid(part.name, data[part.name], getattr(defaults, part.name)):
            values[part.name] = data[part.name]
        else:
            bad.append(part.name)
    return values
