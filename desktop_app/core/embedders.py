"""Which model turns texts into vectors: the kinds there are, what was chosen, what is known of one that was tried."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

from desktop_app.core.endpoints import clean_url, is_loopback

if TYPE_CHECKING:
    # The settings know the kinds of embedders, and the window knows the settings before anything is shown.
    from desktop_app.core.passages import PassageKind
    from desktop_app.core.recall.values import Neighbours, Spread
    from desktop_app.core.settings import Settings

KeyOf = Callable[[str], Awaitable[str | None]]
"""The key kept under a name; None where there is none."""


class EmbedderKind(StrEnum):
    """Where vectors come from; `NONE` finds by words alone."""

    USE = "use"
    E5 = "e5"
    OLLAMA = "ollama"
    OPENAI = "openai"
    VOYAGE = "voyage"
    NONE = "none"


SERVERS: Mapping[EmbedderKind, tuple[str, str]] = {
    EmbedderKind.OLLAMA: ("http://127.0.0.1:11434", "bge-m3"),
    EmbedderKind.OPENAI: ("https://api.openai.com", "text-embedding-3-small"),
    EmbedderKind.VOYAGE: ("https://api.voyageai.com", "voyage-3.5"),
}
"""The kinds that ask a server over HTTP, with the usual base URL and model of each."""


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """A kind, and for one of `SERVERS` the base URL (without `/v1`) and the model."""

    kind: EmbedderKind
    url: str = ""
    model: str = ""

    @property
    def asks_server(self) -> bool:
        """Whether texts are sent over HTTP."""
        return self.kind in SERVERS

    @property
    def host(self) -> str:
        """Host and port of the server."""
        return urlsplit(self.url).netloc

    @property
    def leaves_machine(self) -> bool:
        """Whether what is to be found leaves this machine."""
        return self.asks_server and not is_loopback(urlsplit(self.url).hostname or "")

    @property
    def key_name(self) -> str:
        """What its key is called in the key store; never that of the endpoint of the chat."""
        return f"embedder {self.url}"


def embedder_choice(kind: str, url: str = "", model: str = "") -> EmbedderChoice:
    """A choice with what the kind is usually used with where nothing is said; raises BadInput for a URL of no use.

    URL and model of a kind that asks no server are left out: they may be those of a server chosen before.
    """
    known = EmbedderKind(kind)
    if known not in SERVERS:
        return EmbedderChoice(known)
    usual_url, usual_model = SERVERS[known]
    return EmbedderChoice(known, clean_url(url.strip() or usual_url), model.strip() or usual_model)


def chosen_embedder(settings: Settings) -> EmbedderChoice:
    """What the person chose; raises BadInput where the URL kept is of no use."""
    return embedder_choice(settings.embedder, settings.embedder_url, settings.embedder_model)


@dataclass(frozen=True, slots=True)
class KnownEmbedder:
    """An embedder there are vectors of, or are to be; `serving` is the one that is searched with.

    `name` holds model, version and dimension: vectors of one name can be compared, no others. `unrelated` says how
    close texts lie that have nothing to do with each other, `korean` whether it tells Korean texts apart.
    """

    name: str
    dimension: int
    choice: EmbedderChoice
    unrelated: Spread
    korean: bool
    serving: bool = False


@dataclass(frozen=True, slots=True)
class EmbeddedCount:
    """How many items of a kind there are to be found, how many have a vector, how many could not get one."""

    total: int = 0
    done: int = 0
    failed: int = 0


Counts: TypeAlias = "Mapping[PassageKind, EmbeddedCount]"


def trusted(near: Neighbours, korean: bool) -> Neighbours:
    """What an embedder says of a question; of texts that hold Hangul nothing where it cannot tell Korean apart."""
    if korean:
        return near
    cosines = {item: close for item, close in near.cosines.items() if item not in near.hangul}
    spreads = {False: near.spreads[False]} if False in near.spreads else {}
    return replace(near, cosines=cosines, hangul=frozenset(), spreads=spreads)
