"""The endpoint in use: which one, with which key, what it offers and what its models can hold."""

from __future__ import annotations

from dataclasses import dataclass, replace

from desktop_app.core import errors
from desktop_app.core.context_editing import CLEAR_THINKING, CLEAR_TOOL_RESULTS, COMPACT
from desktop_app.core.endpoints import Endpoint, EndpointKind, LocalServer, endpoint_for
from desktop_app.core.model_rules import rules_of
from desktop_app.core.models import Features, ModelInfo
from desktop_app.core.ports import Endpoints, ModelEndpoint, SimulatedAssistant
from desktop_app.core.redaction import never_show
from desktop_app.core.settings import DEMO_PROFILE
from desktop_app.services.keys import KeyService
from desktop_app.services.settings import SettingsService

_WITH_BETAS = (EndpointKind.ANTHROPIC, EndpointKind.SIMULATOR)
"""Endpoints that are sent beta headers; what another server would make of one nobody knows."""


@dataclass(frozen=True, slots=True)
class KeyStatus:
    """Where the key of an endpoint comes from: session, keyring, environment, not_needed or missing.

    `store` names the system's key store, empty where none was found; `trouble` is why it could not be asked.
    """

    source: str
    store: str = ""
    trouble: errors.KeyVaultError | None = None


class EndpointAccess:
    """Opens the profile's endpoint when needed, with the key of the session, the key store or the environment."""

    def __init__(
        self,
        settings: SettingsService,
        endpoints: Endpoints,
        simulated: SimulatedAssistant,
        environment_key: str | None = None,
        keys: KeyService | None = None,
    ) -> None:
        self._settings = settings
        self._endpoints = endpoints
        self._simulated = simulated
        self._environment_key = environment_key
        if environment_key:
            never_show(environment_key)
        self._keys = keys if keys is not None else KeyService()
        self._open: ModelEndpoint | None = None
        self._retired: list[ModelEndpoint] = []
        self._moves = 0
        self._models: dict[str, ModelInfo] = {}
        self._without_counting: set[str] = set()

    def __repr__(self) -> str:
        return "EndpointAccess()"

    @property
    def environment_key_exists(self) -> bool:
        """Whether the environment held a key when the program began (used only if opted in)."""
        return self._environment_key is not None

    async def endpoint(self) -> Endpoint:
        """The endpoint of the profile in use; starts the simulated assistant for the Demo profile."""
        if self._settings.settings.profile == DEMO_PROFILE:
            return Endpoint(EndpointKind.SIMULATOR, await self._simulated.url())
        return endpoint_for(self._settings.profile.base_url)

    async def key_status(self, endpoint: Endpoint) -> KeyStatus:
        """Where the key for it comes from, and what the system's key store says; asks it where it was not asked."""
        source, _ = await self._key(endpoint)
        if endpoint.kind is EndpointKind.SIMULATOR:
            return KeyStatus(source)
        return KeyStatus(source, await self._keys.store(), self._keys.trouble)

    def use_key(self, endpoint: Endpoint, text: str) -> None:
        """Holds a key for this endpoint until the program ends; raises BadInput for a text no key can be."""
        self._keys.hold(endpoint.url, text)
        self.reset()

    async def keep_key(self, endpoint: Endpoint) -> None:
        """Moves the key of the session into the system's key store. Raises KeyVaultError; the session has it still."""
        await self._keys.keep(endpoint.url)

    async def forget_key(self, endpoint: Endpoint) -> bool:
        """Drops the key in use, from memory or from the key store; whether there was one. Raises KeyVaultError."""
        there = await self._keys.forget(endpoint.url)
        self.reset()
        return there

    async def retry_keys(self) -> None:
        """Asks the key store anew, whatever it answered before."""
        await self._keys.retry()
        self.reset()

    async def key_moved(self, endpoint: Endpoint) -> bool:
        """Asks the key store again where a key is missing or was refused; whether it has another now, or none."""
        if endpoint.kind is EndpointKind.SIMULATOR or not await self._keys.reread(endpoint.url):
            return False
        self.reset()
        return True

    async def client(self) -> ModelEndpoint:
        """A client for the endpoint in use; raises NoKey, KeyRefused, BadInput or ServerFailed."""
        while True:
            endpoint = await self.endpoint()
            if self._open is not None and self._open.endpoint != endpoint:
                self.reset()
            if self._open is not None:
                return self._open
            moves = self._moves
            _, key = await self._key(endpoint)
            if self._moves != moves:
                continue  # a key was entered while the key store was asked
            if key is None and endpoint.needs_key and not isinstance(self._keys.trouble, errors.NoKeyVault | None):
                raise errors.KeyOutOfReach() from self._keys.trouble
            opened = await self._endpoints.open(endpoint, key)
            if self._open is None and self._moves == moves:
                self._open = opened
            else:
                await opened.close()  # endpoint or key changed, or another call was quicker

    async def _key(self, endpoint: Endpoint) -> tuple[str, str | None]:
        """Where the key comes from, and the key itself."""
        if endpoint.kind is EndpointKind.SIMULATOR:
            return "not_needed", "simulated"
        if key := self._keys.of_session(endpoint.url):
            return "session", key
        if key := await self._keys.kept(endpoint.url):
            return "keyring", key
        if not endpoint.needs_key:
            return "not_needed", None
        if self._settings.profile.environment_key and self._environment_key:
            return "environment", self._environment_key
        return "missing", None

    async def models(self) -> list[ModelInfo]:
        """The models of the endpoint; remembered for their limits. A refused key is read from the key store again."""
        client = await self.client()
        moves = self._moves
        try:
            found = await client.models()
        except errors.KeyRefused:
            if not await self.key_moved(client.endpoint):
                raise
            return await self.models()
        if self._moves == moves:
            self._models.update({model.id: model for model in found})
        return found

    @property
    def known_models(self) -> tuple[str, ...]:
        """The ids of the models the endpoint in use was heard of; asks nobody."""
        return tuple(self._models)

    async def model(self, model_id: str) -> ModelInfo:
        """A model's limits from the Models API; unknown ones fall back to what the profile says of the window."""
        known = self._models.get(model_id)
        if known is None:
            client = await self.client()
            moves = self._moves
            known = await _ask(client, model_id)
            if self._moves == moves:
                # What the endpoint before said holds for nobody else.
                self._models[model_id] = known
        if known.window is None and self._settings.profile.window:
            return replace(known, window=self._settings.profile.window)
        return known

    async def features(self, model: ModelInfo) -> Features:
        """What may be asked of the endpoint with this model."""
        endpoint, profile = await self.endpoint(), self._settings.profile
        counting = endpoint.url not in self._without_counting
        attachable = {"images": model.image_input is True, "pdfs": model.pdf_input is True}
        if self._is_plain(endpoint):
            return Features(
                counting=counting, thinking=False, effort=False, caching=False, tools=profile.use_tools, **attachable
            )
        own = endpoint.kind in _WITH_BETAS
        return Features(
            counting=counting,
            thinking=model.takes_thinking,
            effort=model.takes_effort(profile.effort),
            tools=profile.use_tools,
            memory_files=self._settings.settings.takes_memory_files(),
            server_compaction=own and COMPACT in model.edits,
            server_compaction_now=own and model.compacts,
            clear_tool_results=own and CLEAR_TOOL_RESULTS in model.edits,
            clear_thinking=own and CLEAR_THINKING in model.edits,
            block_binding=own and model.takes_thinking and rules_of(model.id).bound_thinking,
            structured=model.structured,
            **attachable,
        )

    async def missing_features(self, model: ModelInfo) -> tuple[str, ...]:
        """Names of what is switched off because the endpoint or the model lacks it."""
        features, plain = await self.features(model), self._is_plain(await self.endpoint())
        there = {
            "thinking": features.thinking,
            # Where the model offers other levels than the chosen one, its own is shown as the choice.
            "effort": not plain and model.takes_effort(""),
            "caching": features.caching,
            "counting": features.counting,
            "window": model.window is not None,
        }
        return tuple(name for name, is_there in there.items() if not is_there)

    def _is_plain(self, endpoint: Endpoint) -> bool:
        return endpoint.kind is EndpointKind.CUSTOM and self._settings.profile.plain_endpoint

    def counting_failed(self, endpoint: Endpoint, error: errors.EndpointError) -> None:
        """Remembers that a server has no count_tokens, so that it is not asked again."""
        lacking = errors.ModelUnknown, errors.InvalidRequest, errors.ServerFailed, errors.NotMessagesApi
        if endpoint.kind is EndpointKind.CUSTOM and isinstance(error, lacking):
            self._without_counting.add(endpoint.url)

    async def find_local(self) -> list[LocalServer]:
        """Servers of the Messages API on loopback."""
        return await self._endpoints.find_local()

    def reset(self) -> None:
        """The endpoint or its key changed: the next call opens it anew. Answers under way keep the old one."""
        if self._open is not None:
            self._retired.append(self._open)
        self._open = None
        self._moves += 1
        self._models.clear()

    async def close(self) -> None:
        """Closes connections and the simulated assistant."""
        self.reset()
        while self._retired:
            await self._retired.pop().close()
        await self._endpoints.close()
        await self._simulated.close()


async def _ask(client: ModelEndpoint, model_id: str) -> ModelInfo:
    try:
        return await client.model(model_id)
    except (errors.ModelUnknown, errors.InvalidRequest, errors.ServerFailed, errors.NotMessagesApi):
        if client.endpoint.kind is EndpointKind.CUSTOM:
            return ModelInfo(model_id, model_id, confirmed=False)
        raise
