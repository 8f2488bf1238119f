"""Who may write a summary and for how much: a fork that reads the conversation's cache, or a call of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

from desktop_app.core.cache.forecast import LONGEST
from desktop_app.core.cache.prediction import predict, prefix_tokens
from desktop_app.core.compaction.boundary import Boundary, is_open
from desktop_app.core.compaction.compaction import SERVER_STRATEGIES, Strategy, WrittenBy
from desktop_app.core.compaction.plan import Way
from desktop_app.core.compaction.summary_request import summariser_system
from desktop_app.core.conversation import Epoch, now
from desktop_app.core.endpoints import Endpoint, EndpointKind
from desktop_app.core.errors import AppError, ModelUnknown, SummaryModelUnknown
from desktop_app.core.models import CHEAP_MODEL, ModelInfo
from desktop_app.core.money.price_rows import PRICED_HOST
from desktop_app.core.ports import ConversationStore
from desktop_app.core.prompt import Choices
from desktop_app.core.tool_results import unsent_letters
from desktop_app.core.usage import Usage
from desktop_app.services.aside import question
from desktop_app.services.compaction.asking import MOST_SUMMARY, with_room
from desktop_app.services.compaction.fill import ContextFill
from desktop_app.services.endpoint_access import EndpointAccess
from desktop_app.services.prices import PriceService
from desktop_app.services.settings import SettingsService
from desktop_app.services.turn_context import TurnContext, TurnSetting

USUAL_SUMMARY = 1_000
"""Tokens a summary is taken to have before it is written."""
_FRAME = 900
"""Tokens of our prompts and of what quoting adds."""
_UNTOLD_WINDOW = 32_000
"""Tokens a summariser of unknown window is taken to hold."""
_LETTERS_A_TOKEN = 3
_MARGIN = 80
"""Percent of the room of a request that is filled by estimate."""


@dataclass(frozen=True, slots=True)
class Separate:
    """What a call of its own is sent with, and the tokens of quoted conversation it has room for.

    `fault` is why it cannot be sent at all; the setting then only serves to count.
    """

    setting: TurnSetting
    room: int
    fault: SummaryModelUnknown | None = None


class Ways:
    """Compares the ways for one compaction; sends nothing."""

    def __init__(
        self,
        store: ConversationStore,
        access: EndpointAccess,
        context: TurnContext,
        settings: SettingsService,
        prices: PriceService,
    ) -> None:
        self._store = store
        self._access = access
        self._context = context
        self._settings = settings
        self._prices = prices

    async def of(self, fill: ContextFill, boundary: Boundary, wanted: WrittenBy | None = None) -> tuple[Way, ...]:
        """The ways of a strategy that asks a model, the one to take first; none where nobody writes.

        `wanted` (or the profile's choice) is taken first where it is possible, else the cheaper one. Raises
        SummaryModelUnknown where only the model of the settings could write, and the endpoint does not know it.
        """
        if fill.strategy is Strategy.WINDOW:
            return ()
        if fill.strategy in (Strategy.SERVER, Strategy.SERVER_NOW):
            return (await self._server(fill, boundary),)
        apart = await self.separate(fill)
        separate = self._separate_way(fill, boundary, apart)
        fork = None if fill.strategy is Strategy.TIERS else await self._fork_way(fill)
        if apart.fault is not None:
            if fork is None or not fork.possible:
                raise apart.fault
            return (replace(fork, reason="compaction.way.only"), separate)
        if fork is None:
            return (replace(separate, reason="compaction.way.only"),)
        if not fork.possible:
            return (replace(separate, reason="compaction.way.only"), fork)
        chosen = wanted or _chosen(self._settings.profile.fold_by)
        if chosen is not None:
            first, second = (fork, separate) if chosen is WrittenBy.FORK else (separate, fork)
            return (replace(first, reason="compaction.way.chosen"), second)
        at_list = self._at_list_price(fork, separate)
        first, second = (separate, fork) if at_list else (fork, separate)
        return (replace(first, reason=_why_first(first, second)), second)

    async def first(
        self, fill: ContextFill, boundary: Boundary, apart: Separate, wanted: WrittenBy | None = None
    ) -> Way | None:
        """The way to take, None where nobody writes. What can be told without it costs no look at the whole request:
        that nothing else than a call of its own was chosen, or that no request may have left anything warm."""
        summed = fill.strategy not in (Strategy.WINDOW, *SERVER_STRATEGIES)
        chosen = wanted or _chosen(self._settings.profile.fold_by)
        if summed and apart.fault is None and (chosen is WrittenBy.SEPARATE or await self._is_cold(fill.setting)):
            return self._separate_way(fill, boundary, apart)
        return next(iter(await self.of(fill, boundary, wanted)), None)

    async def _is_cold(self, setting: TurnSetting) -> bool:
        """Whether no request of the time the longest cache lives was for the model of a conversation."""
        recent = await self._store.requests_since(now() - LONGEST)
        return setting.features.caching and all(one.model != setting.model.id for one in recent)

    async def separate(self, fill: ContextFill) -> Separate:
        """What a call of its own is sent with: a cheap model of the same endpoint, no tools, no cache, no thinking."""
        setting = fill.setting
        fault: SummaryModelUnknown | None = None
        try:
            model = await self._summariser(setting)
        except SummaryModelUnknown as error:
            model, fault = setting.model, error
        features = await self._access.features(model)
        limit = min(MOST_SUMMARY, model.output_limit or MOST_SUMMARY)
        if model.window is not None:
            limit = min(limit, max(256, model.window // 4))
        system = summariser_system(fill.language)
        epoch = Epoch(0, model.id, system, endpoint=setting.endpoint.identity, facts_upto=-1)
        choices = Choices(limit, show_thinking=False, continues=False)
        plain = replace(features, thinking=False, effort=False, caching=False, tools=False)
        apart = replace(setting, model=model, features=plain, epoch=epoch, choices=choices, compaction=None)
        window = model.window or _UNTOLD_WINDOW
        return Separate(apart, max(500, (window - limit - _FRAME) * _MARGIN // 100), fault)

    async def _summariser(self, setting: TurnSetting) -> ModelInfo:
        chosen = self._settings.profile.fold_model
        house = setting.endpoint.kind in (EndpointKind.ANTHROPIC, EndpointKind.SIMULATOR)
        name = chosen or (CHEAP_MODEL if house else setting.model.id)
        if name == setting.model.id:
            return setting.model
        try:
            return await self._access.model(name)
        except ModelUnknown as error:
            if chosen:
                raise SummaryModelUnknown(error.details, model=name) from error
            return setting.model
        except AppError:
            if chosen:
                raise
            return setting.model  # an account without the cheap one

    async def _fork_way(self, fill: ContextFill) -> Way:
        setting = with_room(fill.setting)
        way = Way(WrittenBy.FORK, setting.model.id, fill.used.tokens)
        if is_open(fill.path):
            return replace(way, possible=False, reason="compaction.way.open_turn")
        asked = question(fill.path[-1].conversation_id, fill.path[-1].id, ("…",), setting.epoch.number)
        prepared = await self._context.prepare(fill.path[-1].conversation_id, [*fill.path, asked], setting)
        window, total = setting.model.window, prepared.budget.total.tokens + _FRAME
        way = replace(way, tokens=total)
        if window is not None and total + setting.choices.max_tokens > window:
            return replace(way, possible=False, reason="compaction.way.too_large")
        endpoint, moment = setting.endpoint, now()
        recent = await self._store.requests_since(moment - LONGEST)
        stops = prepared.stops(endpoint.identity)
        forecast = predict(prepared.request, stops, recent, moment, host=endpoint.host)
        read = forecast.read or 0
        way = replace(way, read=read, cost=self._cost(endpoint, setting.model.id, total, read))
        if setting.features.caching and read <= prefix_tokens(prepared.plan, prepared.budget)[0]:
            # None of the messages is warm: the whole would be paid for at the full rate.
            return replace(way, possible=False, reason="compaction.way.cold")
        return way

    def _separate_way(self, fill: ContextFill, boundary: Boundary, apart: Separate) -> Way:
        base = fill.setting.compaction
        # Results of tools are quoted whole, however they are sent.
        start = boundary.place - len(boundary.folded)
        limit = fill.setting.epoch.result_limit
        unsent = sum(unsent_letters(message.blocks, limit) for message in fill.path[start : boundary.place])
        tokens = boundary.folded_tokens + (base.summary_tokens if base else 0) + unsent // _LETTERS_A_TOKEN
        parts = -(-tokens // apart.room)
        total = tokens + parts * _FRAME + (parts * USUAL_SUMMARY if parts > 1 else 0)
        model = apart.setting.model.id
        by = WrittenBy.PIECES if parts > 1 else WrittenBy.SEPARATE
        if apart.fault is not None:
            unknown = str(apart.fault.params["model"])
            return Way(WrittenBy.SEPARATE, unknown, total, possible=False, reason="compaction.way.no_model")
        return Way(by, model, total, 0, self._cost(fill.setting.endpoint, model, total, 0, parts))

    async def _server(self, fill: ContextFill, boundary: Boundary) -> Way:
        setting, total = fill.setting, boundary.folded_tokens
        cost = self._cost(setting.endpoint, setting.model.id, total, 0)
        return Way(WrittenBy.SERVER, setting.model.id, total, 0, cost, reason="compaction.way.only")

    def _at_list_price(self, fork: Way, separate: Way) -> bool:
        """Whether the call of its own is the cheaper one; where nothing has a price here, by Anthropic's list."""
        costs = (separate.cost, fork.cost)
        if None in costs:
            costs = (
                self._usd(separate.model, separate.tokens, 0, PRICED_HOST),
                self._usd(fork.model, fork.tokens, fork.read, PRICED_HOST),
            )
        if costs[0] is None or costs[1] is None:
            return separate.tokens < fork.tokens - fork.read
        return costs[0] < costs[1]

    def _cost(self, endpoint: Endpoint, model: str, tokens: int, read: int, parts: int = 1) -> Decimal | None:
        if endpoint.kind is EndpointKind.SIMULATOR:
            return None
        return self._usd(model, tokens, read, endpoint.host, parts)

    def _usd(self, model: str, tokens: int, read: int, host: str, parts: int = 1) -> Decimal | None:
        usage = Usage(uncached=tokens - read, read=read, output=USUAL_SUMMARY * parts)
        cost = self._prices.prices.cost(model, usage, now(), host=host)
        return cost.total if cost else None


def _why_first(first: Way, second: Way) -> str:
    """What may be said for the way that was put first: nothing of prices where none is known."""
    if first.cost is not None and second.cost is not None:
        return "compaction.way.cheaper"
    return "compaction.way.fewer" if first.tokens - first.read < second.tokens - second.read else ""


def _chosen(fold_by: str) -> WrittenBy | None:
    return None if fold_by == "auto" else WrittenBy(fold_by)
