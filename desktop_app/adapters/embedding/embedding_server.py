"""Vectors from a server the person chose: in small batches, within time limits, its key from the key store alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import httpx2

from desktop_app.adapters.embedding.local_model import clean_texts, pieces
from desktop_app.adapters.embedding.server_failures import of_failure, of_status
from desktop_app.adapters.embedding.wire import PATHS, TAGS_PATH, NoVectors, body, digest_of, vectors
from desktop_app.adapters.secret_detector import SecretDetector
from desktop_app.core.embedder_trial import FACTS, QUESTIONS, tells_korean_apart, unrelated_of
from desktop_app.core.embedders import EmbedderChoice, EmbedderKind, KeyOf, KnownEmbedder
from desktop_app.core.endpoints import Endpoint, EndpointKind
from desktop_app.core.errors import EmbedderModelUnknown, EmbedderRefused, EmbedderUnfit, EmbedderUnreachable
from desktop_app.core.recall.values import Spread
from desktop_app.core.secrets.fact_text import masked_text

TEXTS_AT_ONCE = 32
_LETTERS_AT_ONCE = 40_000
_LETTERS_READ = 8_000
"""Servers read some thousand tokens of a text; what is longer is found by the words of its end."""
_LARGEST_ANSWER = 32_000_000
QUESTION_SECONDS = 3.0
"""A person waits for the answer."""
PASSAGES_SECONDS = 120.0
"""A server on this machine may have to load its model first."""
TRIAL_SECONDS = 15.0
"""A person waits, and a model may have to be loaded."""
_CONNECT_SECONDS = 5.0
_UNKNOWN_VERSION = "-"
SILENT_SECONDS, _LONGEST_SILENCE = 30.0, 480.0
"""So long a server that could not be reached is not asked again, twice as long each time: every message would wait."""
LEAST_WAITED = 1.0
"""Seconds after which whoever gives up on a server has found it silent."""
_find = SecretDetector().find


class EmbeddingServer:
    """Fulfils `core.ports.Embedder`; all methods raise kinds of EmbedderUnavailable. Redirects are not followed."""

    def __init__(self, known: KnownEmbedder, key_of: KeyOf) -> None:
        self._known = known
        self._requests = _Requests(known.choice, key_of)

    @property
    def name(self) -> str:
        """Kind, host and model, version where the server tells one, dimension."""
        return self._known.name

    @property
    def dimension(self) -> int:
        """As it was found at the first trial."""
        return self._known.dimension

    @property
    def unrelated(self) -> Spread:
        """As it was found at the first trial."""
        return self._known.unrelated

    @property
    def korean(self) -> bool:
        """As it was found at the first trial."""
        return self._known.korean

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[bytes]:
        """A vector for each text, none of them blank; raises EmbedderUnfit where they have another size than known.

        Secrets are masked before they are sent: meaning needs none, and the server is not the one the person talks to.
        """
        found = await self._requests.embed([masked_text(text, _find) for text in texts], asked)
        for vector in found:
            if len(vector) != 4 * self.dimension:
                raise EmbedderUnfit(host=self._known.choice.host, reason=f"{len(vector) // 4} ≠ {self.dimension}")
        return found

    async def close(self) -> None:
        """Closes its connections."""
        await self._requests.close()


async def tried(choice: EmbedderChoice, key_of: KeyOf, known: KnownEmbedder | None = None) -> KnownEmbedder:
    """What a server's model is like, known after a quarter of a minute at most; one that is `known` by the same name
    is not tried again."""
    requests = _Requests(choice, key_of)
    try:
        async with asyncio.timeout(TRIAL_SECONDS):
            version = await requests.version()
            before = f"{choice.kind.value}@{choice.host}/{choice.model}/{version}/"
            if known is not None and known.name == f"{before}{known.dimension}":
                return known
            questions = await requests.embed(QUESTIONS, asked=True, seconds=TRIAL_SECONDS)
            facts = await requests.embed(FACTS, asked=False)
    except TimeoutError as error:
        raise of_failure(error, choice) from error
    finally:
        await requests.close()
    dimension = len(facts[0]) // 4
    spread = await asyncio.to_thread(unrelated_of, questions, facts)
    korean = await asyncio.to_thread(tells_korean_apart, questions, facts)
    return KnownEmbedder(f"{before}{dimension}", dimension, choice, spread, korean)


class _Requests:
    """The connection to one server."""

    def __init__(self, choice: EmbedderChoice, key_of: KeyOf) -> None:
        self._choice = choice
        self._key_of = key_of
        self._client: httpx2.AsyncClient | None = None
        self._silent_until = 0.0
        self._silence = 0.0

    async def embed(self, texts: Sequence[str], asked: bool, seconds: float = 0.0) -> list[bytes]:
        """A vector of length 1 for each text, in batches one after the other, each of which has so many seconds."""
        limit = seconds or (QUESTION_SECONDS if asked else PASSAGES_SECONDS)
        found: list[bytes] = []
        for some in pieces([text[:_LETTERS_READ] for text in clean_texts(texts)], TEXTS_AT_ONCE, _LETTERS_AT_ONCE):
            answer = await self._ask("POST", PATHS[self._choice.kind], body(self._choice, some, asked), limit)
            try:
                found += await asyncio.to_thread(vectors, self._choice, answer, len(some))
            except NoVectors as error:
                raise EmbedderUnfit(str(error), host=self._choice.host, reason=str(error)) from error
        return found

    async def version(self) -> str:
        """What tells one build of a model from another: Ollama's digest; other servers say nothing."""
        if self._choice.kind is not EmbedderKind.OLLAMA:
            return _UNKNOWN_VERSION
        try:
            answer = await self._ask("GET", TAGS_PATH, None, QUESTION_SECONDS)
        except (EmbedderModelUnknown, EmbedderRefused, EmbedderUnfit):  # another server that speaks like Ollama
            return _UNKNOWN_VERSION
        return digest_of(self._choice.model, answer) or _UNKNOWN_VERSION

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _ask(self, method: str, path: str, content: dict[str, Any] | None, seconds: float) -> Any:
        """The answer as JSON; raises a kind of EmbedderUnavailable."""
        choice, now = self._choice, asyncio.get_running_loop().time
        if now() < self._silent_until:
            raise EmbedderUnreachable(host=choice.host)
        started = now()
        try:
            async with asyncio.timeout(seconds):
                client = self._opened()
                key = None if not choice.leaves_machine else await self._key_of(choice.key_name)
                headers = {"authorization": f"Bearer {key}"} if key else {}
                async with client.stream(method, choice.url + path, json=content, headers=headers) as answer:
                    data = await _whole(answer)
        except asyncio.CancelledError:
            if now() - started >= LEAST_WAITED:
                self._is_silent()
            raise
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError, ImportError) as error:
            self._is_silent()
            raise of_failure(error, choice) from error
        self._silence = 0.0
        if answer.status_code != 200:
            raise of_status(answer.status_code, data, choice)
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise EmbedderUnfit(str(error), host=choice.host, reason="JSON") from error

    def _is_silent(self) -> None:
        self._silence = min(2 * self._silence or SILENT_SECONDS, _LONGEST_SILENCE)
        self._silent_until = asyncio.get_running_loop().time() + self._silence

    def _opened(self) -> httpx2.AsyncClient:
        """A proxy of the environment is used over the internet only, as for the endpoint of the chat."""
        if self._client is None:
            self._client = httpx2.AsyncClient(
                follow_redirects=False,
                trust_env=Endpoint(EndpointKind.CUSTOM, self._choice.url).leaves_network,
                verify=httpx2.create_ssl_context(),
                timeout=httpx2.Timeout(PASSAGES_SECONDS, connect=_CONNECT_SECONDS),
            )
        return self._client


async def _whole(answer: httpx2.Response) -> bytes:
    """The answer up to a size no honest one has; raises ValueError beyond it."""
    data = bytearray()
    async for part in answer.aiter_bytes():
        data += part
        if len(data) > _LARGEST_ANSWER:
            raise ValueError("the answer has no end")
    return bytes(data)
