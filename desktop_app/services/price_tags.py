"""What an act would write anew in a conversation's cache: read once from what was sent, then answered for every act."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from desktop_app.core.cache.causes import SentRequest
from desktop_app.core.cache.forecast import PointPart
from desktop_app.core.cache.left import last_on_path
from desktop_app.core.cache.next_prefixes import warm_prefixes
from desktop_app.core.cache.prediction import cached_tokens, warm_points
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.context import memo_in_use, unfolded
from desktop_app.core.context_editing import FILES_TOOL, MEMORY_TOOLS
from desktop_app.core.conversation import Epoch, Message, now, text_block
from desktop_app.core.endpoints import Endpoint, EndpointKind
from desktop_app.core.fact_notes import FactNote, NoteKind, notes_text
from desktop_app.core.facts import Fact
from desktop_app.core.facts_told import told_revisions
from desktop_app.core.models import same_effort
from desktop_app.core.money import price_tag
from desktop_app.core.money.price_rows import Rates
from desktop_app.core.money.price_tag import Act, PriceTag, WarmGround
from desktop_app.core.money.pricing import PriceList
from desktop_app.core.ports import ConversationStore, FactStore
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.rule_case import THINKING
from desktop_app.core.segment import Segment
from desktop_app.core.settings import MEMORY_FILES, OWN_MEMORY, ProfileSettings
from desktop_app.core.token_estimate import TokenEstimator, block_features
from desktop_app.services.cache_view import CacheView
from desktop_app.services.endpoint_access import EndpointAccess
from desktop_app.services.other_models import OtherModel, other_models
from desktop_app.services.settings import SettingsService
from desktop_app.services.turn_context import TurnContext

_FRONT = (Segment.TOOLS, Segment.SYSTEM, Segment.FACTS, Segment.SUMMARY)
_NEW = (Segment.CURRENT, Segment.RECALLED)


@dataclass(frozen=True, slots=True)
class WarmPart:
    """A prefix of the next request that lies in the cache until a moment, in tokens."""

    part: PointPart
    tokens: int
    until: datetime


@dataclass(frozen=True, slots=True)
class SentWith:
    """The settings a conversation was last sent with. `show_thinking` is None where no thinking was asked for,
    `memory_tool` where none was offered."""

    model: str
    effort: str
    show_thinking: bool | None
    use_tools: bool
    instructions: str
    memory: bool
    memory_tool: str | None
    cache_lifetime: str


@dataclass(frozen=True, slots=True)
class ConversationTags:
    """The price tags of one conversation. `sent` is None where nothing was sent in the last hour.

    `block` are the facts in its facts block, `noted` those told beside messages, `changed` those that would make a
    block of today another one (ids). `models` are those it was not last sent to. `switched` are the tokens that go
    where tools or memory are switched off, or memory is reached with another tool.
    """

    prices: PriceList
    host: str
    base: WarmGround = field(default_factory=WarmGround)
    parts: tuple[WarmPart, ...] = ()
    sent: SentWith | None = None
    begun: bool = False
    block: frozenset[str] = frozenset()
    noted: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    models: Mapping[str, OtherModel] = field(default_factory=dict)
    switched: Mapping[Act, int] = field(default_factory=dict)
    estimator: TokenEstimator = field(default_factory=TokenEstimator)

    def ground(self, at: datetime) -> WarmGround:
        """What lies in the cache at a moment."""
        warm = {part.part: part.tokens for part in self.parts if part.until > at}
        if not warm:
            return replace(self.base, thinking=0)
        return replace(
            self.base,
            warm=max(warm.values()),
            head=warm.get(PointPart.HEAD, 0),
            fixed=warm.get(PointPart.FIXED, 0),
            thinking=self.base.thinking if PointPart.MESSAGES in warm else 0,
        )

    def next_end(self, at: datetime) -> datetime | None:
        """When the next part of it is forgotten; None where nothing is warm."""
        return min((part.until for part in self.parts if part.until > at), default=None)

    def noted_fact(self, act: Act, key: str, value: str, at: datetime) -> PriceTag:
        """A fact that is added or edited, with the key and value it will have."""
        kind = NoteKind.ADDED if act is Act.FACT_ADDED else NoteKind.EDITED
        note = FactNote("", 0, kind, f'- "{key}": "{value}"')
        features = block_features(text_block(notes_text([note])), "message")
        return price_tag.noted(act, self.ground(at), round(self.estimator.estimate(features).tokens))

    def pinned_fact(self, at: datetime) -> PriceTag:
        """A fact that is pinned or unpinned."""
        return price_tag.pinned(self.ground(at))

    def deleted_fact(self, fact_id: str, at: datetime) -> PriceTag:
        """A fact that is deleted: what it costs depends on where it stands."""
        ground = self.ground(at)
        if fact_id in self.block:
            return price_tag.begun_anew(Act.FACT_DELETED, ground, ground.fixed)
        if fact_id in self.noted:
            kept = ground.fixed if self.changed - {fact_id} else ground.head
            return price_tag.begun_anew(Act.FACT_DELETED, ground, kept)
        return price_tag.stands_nowhere(ground)

    def rebuild(self, at: datetime) -> PriceTag:
        """The conversation begins anew with the facts of today."""
        ground = self.ground(at)
        return price_tag.begun_anew(Act.REBUILD, ground, ground.fixed if self.changed else ground.head)

    def setting(self, act: Act, value: str | bool, at: datetime) -> PriceTag | None:
        """Another value of a setting; None where it is the one that was last sent, or nothing was."""
        sent, ground = self.sent, self.ground(at)
        was = getattr(sent, _SETTINGS[act]) if sent else None
        if was is None or was == value:
            return None
        if act is Act.MODEL:
            return self._other_model(str(value), ground, at)
        if act is Act.LIFETIME:
            return price_tag.other_lifetime(ground, str(value))
        if act is Act.THINKING:
            return price_tag.shown_otherwise(ground)
        if act is Act.EFFORT:
            if sent and same_effort(sent.model, sent.effort, str(value)):
                return price_tag.said_otherwise(act, ground)
            return price_tag.messages_anew(act, ground)
        goes = not value or act is Act.MEMORY_TOOL
        return price_tag.begun_anew(act, ground, gone=self.switched.get(act, 0) if goes else 0)

    def _other_model(self, model: str, ground: WarmGround, at: datetime) -> PriceTag:
        rates, known = self._rates_of(model, ground, at), self.models.get(model)
        if known is None:
            return price_tag.other_model(ground, rates)
        return price_tag.other_model(ground, rates, known.tokens, known.read(at))

    def _rates_of(self, model: str, ground: WarmGround, at: datetime) -> Rates | None:
        if ground.rates is None:
            return None
        return self.prices.rates(model, ground.warm or 0, at, host=self.host)


_SETTINGS = {
    Act.MODEL: "model",
    Act.EFFORT: "effort",
    Act.THINKING: "show_thinking",
    Act.TOOLS: "use_tools",
    Act.INSTRUCTIONS: "instructions",
    Act.MEMORY: "memory",
    Act.MEMORY_TOOL: "memory_tool",
    Act.LIFETIME: "cache_lifetime",
}


class PriceTagService:
    """Reads only; nothing here changes a conversation."""

    def __init__(
        self,
        store: ConversationStore,
        facts: FactStore,
        cache: CacheView,
        access: EndpointAccess,
        context: TurnContext,
        settings: SettingsService,
    ) -> None:
        self._store, self._facts, self._cache = store, facts, cache
        self._access, self._context, self._settings = access, context, settings

    async def of(self, conversation_id: str | None) -> ConversationTags:
        """The tags of a conversation, or of one that begins only now; raises NotFound."""
        profile, name = self._settings.profile, self._settings.settings.profile
        endpoint = await self._access.endpoint()
        estimator = await self._context.estimator(endpoint, profile.model)
        tags = ConversationTags(self._cache.prices, endpoint.host, estimator=estimator)
        if conversation_id is None:
            return replace(tags, base=WarmGround(rates=self._rates(endpoint, profile.model, 0)))
        path = await self._store.path(conversation_id)
        epochs = await self._store.epochs(conversation_id)
        tags = replace(tags, begun=any(message.epoch is not None for message in path))
        if not epochs:
            return replace(tags, base=WarmGround(rates=self._rates(endpoint, profile.model, 0)))
        memo = memo_in_use(path, await self._store.compactions(conversation_id))
        facts = await self._facts.facts(name, conversation_id=conversation_id)
        tags = _with_facts(tags, unfolded(path, memo), epochs[-1], facts)
        tags = await self._with_cache(tags, endpoint, path, epochs[-1], memo)
        return replace(tags, parts=()) if _renewed(path, epochs) else tags

    async def _with_cache(
        self,
        tags: ConversationTags,
        endpoint: Endpoint,
        path: Sequence[Message],
        epoch: Epoch,
        memo: Compaction | None,
    ) -> ConversationTags:
        """The same with what the last request of the path left in the cache in the last hour; older ones left nothing.

        Only that counts which the next request on the path still begins with.
        """
        profile, recent = self._settings.profile, await self._cache.recent()
        last = last_on_path(recent, [message.id for message in path])
        if last is None or (endpoint.kind is not EndpointKind.SIMULATOR and last.host != endpoint.host):
            return replace(tags, base=WarmGround(rates=self._rates(endpoint, profile.model, 0)))
        _, request = await self._store.request(last.id)
        tags = replace(tags, estimator=await self._context.estimator(endpoint, last.model))
        sent = _sent_with(last, request, epoch, profile)
        kept = warm_prefixes(request, path, epoch, memo, warm_points(recent, now()))
        reach, total = max((stop.point.place for stop, _ in kept), default=0), last.total.tokens
        base = WarmGround(
            warm=None if cached_tokens(last) is None else 0,
            front=sum(figure.tokens for segment, figure in last.rows if segment in _FRONT),
            thinking=_thinking(request, reach, tags.estimator),
            total=total,
            step=_step(last),
            lifetime=sent.cache_lifetime,
            rates=self._rates(endpoint, last.answered_by or last.model, total),
        )
        rows = {segment: figure.tokens for segment, figure in last.rows}
        rules, reaching = _of_memory(request, epoch, tags.estimator)
        switched = {
            Act.TOOLS: rows.get(Segment.TOOLS, 0) + rules,
            Act.MEMORY: rows.get(Segment.FACTS, 0) + rules + reaching,
            Act.MEMORY_TOOL: rules + reaching,
        }
        parts = tuple(WarmPart(stop.point.part, point.tokens, point.until) for stop, point in kept)
        names = self._settings.profile.model, *self._access.known_models
        models = await other_models(self._context, names, path, SentRequest(last, request), recent)
        return replace(tags, base=base, parts=parts, sent=sent, switched=switched, models=models)

    def _rates(self, endpoint: Endpoint, model: str, prompt: int) -> Rates | None:
        """What tokens cost; nothing has a price at the simulated assistant."""
        if endpoint.kind is EndpointKind.SIMULATOR:
            return None
        return self._cache.prices.rates(model, prompt, now(), host=endpoint.host)


def _renewed(path: Sequence[Message], epochs: Sequence[Epoch]) -> bool:
    """Whether a new epoch waits for the next message already: then nothing of the old one will be read."""
    written = next((message.epoch for message in reversed(path) if message.epoch is not None), None)
    return bool(epochs) and written is not None and written < epochs[-1].number


def _with_facts(
    tags: ConversationTags, path: Sequence[Message], epoch: Epoch, active: Sequence[Fact]
) -> ConversationTags:
    block, told = dict(epoch.fact_revisions), told_revisions(path, epoch)
    today = {fact.id: fact.revision for fact in active}
    gone_or_edited = {fact_id for fact_id, revision in block.items() if today.get(fact_id) != revision}
    added = {fact_id for fact_id, revision in today.items() if fact_id not in block and revision > epoch.facts_upto}
    return replace(
        tags,
        block=frozenset(block),
        noted=frozenset(set(told) - set(block)),
        changed=frozenset(gone_or_edited | added) if epoch.facts_upto >= 0 else frozenset(),
    )


def _sent_with(record: RequestRecord, request: Request, epoch: Epoch, profile: ProfileSettings) -> SentWith:
    thinking, output = request.params.get("thinking"), request.params.get("output_config") or {}
    lifetimes = {point.lifetime for point in record.points}
    lifetime = "head" if len(lifetimes) > 1 else next(iter(lifetimes), profile.cache_lifetime)
    return SentWith(
        model=record.model,
        effort=str(output.get("effort", "")),
        show_thinking=thinking.get("display") != "omitted" if thinking else None,
        use_tools=bool(request.tools),
        instructions=epoch.system,
        memory=epoch.facts_upto >= 0,
        memory_tool=_memory_tool(request),
        cache_lifetime=lifetime,
    )


def _memory_tool(request: Request) -> str | None:
    """The kind of memory tool a request offered; None without one."""
    names = {tool.get("name") for tool in request.tools}
    if FILES_TOOL in names:
        return MEMORY_FILES
    return OWN_MEMORY if not names.isdisjoint(MEMORY_TOOLS) else None


def _of_memory(request: Request, epoch: Epoch, estimator: TokenEstimator) -> tuple[int, int]:
    """Tokens of the rules of memory, and of the tools it is reached with."""
    rules = block_features(text_block(epoch.memory_rules), "system") if epoch.memory_rules else {}
    tools = [block_features(tool, "tool") for tool in request.tools if tool.get("name") in MEMORY_TOOLS]
    reaching = sum(estimator.estimate(features).tokens for features in tools)
    return round(estimator.estimate(rules).tokens), round(reaching)


def _thinking(request: Request, reach: int, estimator: TokenEstimator) -> int:
    """Tokens of thinking in the first messages."""
    blocks = (block for message in request.messages[:reach] for block in message.blocks)
    kept = [block_features(block, "message") for block in blocks if block.get("type") in THINKING]
    return round(sum(estimator.estimate(features).tokens for features in kept))


def _step(record: RequestRecord) -> int:
    """What a message like the last one adds: the answer before it and the message itself."""
    asked = sum(figure.tokens for segment, figure in record.rows if segment in _NEW)
    return asked + ((record.usage.output or 0) if record.usage else 0)
