"""Prepares the request of a turn: epoch, plan, request, rules, and the budget computed from that very request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from desktop_app.core.cache.prediction import Stop, stops_of
from desktop_app.core.compaction import trigger
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.context import ContextPlan, memo_in_use, plan_context, unfolded
from desktop_app.core.context_budget import Budget, make_budget, span_features
from desktop_app.core.context_editing import Wishes, edits_for
from desktop_app.core.conversation import Epoch, Message, new_id, now
from desktop_app.core.endpoints import Endpoint
from desktop_app.core.errors import EndpointError, ProfileChanged
from desktop_app.core.fact_notes import MessageNotes
from desktop_app.core.media_limit import over_body_limit, taken_media
from desktop_app.core.memory_rules import memory_rules
from desktop_app.core.models import Features, ModelInfo
from desktop_app.core.ports import ConversationStore
from desktop_app.core.prompt import Choices, build_request
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestPurpose, RequestRecord, rows_of, spans_of
from desktop_app.core.settings import OWN_MEMORY, ProfileInUse
from desktop_app.core.token_estimate import TokenEstimator
from desktop_app.core.tool_results import USUAL_LIMIT
from desktop_app.core.usage import Figure, Known
from desktop_app.services.endpoint_access import EndpointAccess
from desktop_app.services.settings import SettingsService
from desktop_app.services.toolbox import Toolbox
from desktop_app.services.turn_facts import TurnFacts

LEAST_RESERVE = 256
"""An output reserve below this many tokens is no answer: the request is refused instead."""
_MARGIN = 0.1
"""How near to the window an estimate must be before the turn waits for an exact count."""


@dataclass(frozen=True, slots=True)
class TurnSetting:
    """What holds for a whole turn, read once at its start."""

    endpoint: Endpoint
    model: ModelInfo
    features: Features
    epoch: Epoch
    choices: Choices
    profile: ProfileInUse
    compaction: Compaction | None = None
    """The compaction in use on the path."""
    open_turn: str | None = None
    """The message that opened a turn inside which the past was compacted: thinking from there on is still sent."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request ready to leave, the plan it was written from, its digests and its budget."""

    plan: ContextPlan
    request: Request
    digests: tuple[str, ...]
    known: dict[int, Figure]
    budget: Budget
    counted: int | None = None
    """Input tokens by count_tokens, where that was asked for this very request and no attempt has told it yet."""
    left_out: tuple[str, ...] = ()
    """Names of attachments of earlier turns that are only named, for the request would be too large with them."""

    def stops(self, endpoint: str) -> tuple[Stop, ...]:
        """The places it may be read or kept down to, at the endpoint of this identity."""
        return stops_of(self.request, self.plan, self.budget, self.digests, endpoint)

    @property
    def near_limit(self) -> bool:
        """Whether the estimate is too close to the window to trust: the input alone, or with the reserve."""
        window, total = self.budget.window, self.budget.total
        if window is None or total.known is not Known.ESTIMATED:
            return False
        with_reserve = total.tokens + self.budget.reserve
        return total.tokens > window * (1 - _MARGIN) or abs(with_reserve - window) <= window * _MARGIN


def record_of(
    prepared: Prepared,
    setting: TurnSetting,
    ids: tuple[str, str],
    turn: int,
    number: int,
    purpose: RequestPurpose = RequestPurpose.CHAT,
) -> RequestRecord:
    """What is known of a request as it is about to leave; `ids` are conversation and turn, `number` its round."""
    budget = prepared.budget
    return RequestRecord(
        id=new_id(),
        conversation_id=ids[0],
        turn_id=ids[1],
        turn=turn,
        round=number,
        sent_at=now(),
        host=setting.endpoint.host,
        model=setting.model.id,
        digest=prepared.digests[-1],
        reserve=budget.reserve,
        window=budget.window,
        estimated=budget.estimated_total,
        rows=rows_of(budget),
        spans=spans_of(prepared.plan),
        counted=prepared.counted,
        purpose=purpose,
    )


class TurnContext:
    """Plans and budgets requests; keeps an estimator per model, calibrated by every exact total."""

    def __init__(
        self,
        store: ConversationStore,
        access: EndpointAccess,
        settings: SettingsService,
        toolbox: Toolbox,
        facts: TurnFacts,
    ) -> None:
        self._store = store
        self._access = access
        self._settings = settings
        self._toolbox = toolbox
        self._facts = facts
        self._estimators: dict[str, TokenEstimator] = {}
        self._learned: set[str] = set()

    async def setting(
        self, conversation_id: str | None, path: Sequence[Message], *, store_epoch: bool, rebuild: bool = False
    ) -> TurnSetting:
        """The endpoint, model and prefix of the next turn on `path`; a changed prefix begins a new epoch.

        So does `rebuild`. Raises EndpointError when the endpoint cannot be asked for the model's limits,
        ProfileChanged for a conversation of another profile than the one in use.
        """
        profile = await self._profile_of(conversation_id)
        model = await self._access.model(profile.settings.model)
        return await self._setting_with(profile, model, conversation_id, path, store_epoch=store_epoch, rebuild=rebuild)

    async def setting_for_preview(
        self, conversation_id: str | None, path: Sequence[Message], other_model: str = ""
    ) -> TurnSetting:
        """The same for looking ahead: without an answer from the endpoint the limits are simply unknown.

        `other_model` takes the place of the chosen one.
        """
        profile = await self._profile_of(conversation_id)
        name = other_model or profile.settings.model
        profile = replace(profile, settings=replace(profile.settings, model=name))
        try:
            model = await self._access.model(name)
        except EndpointError:
            model = ModelInfo(name, name, window=profile.settings.window or None, confirmed=False)
        return await self._setting_with(profile, model, conversation_id, path, store_epoch=False)

    async def _profile_of(self, conversation_id: str | None) -> ProfileInUse:
        """The profile in use as it is now; raises ProfileChanged when the conversation is of another one."""
        profile = ProfileInUse(self._settings.settings.profile, self._settings.profile)
        if conversation_id and (await self._store.conversation(conversation_id)).profile != profile.name:
            raise ProfileChanged()
        return profile

    async def _setting_with(
        self,
        profile: ProfileInUse,
        model: ModelInfo,
        conversation_id: str | None,
        path: Sequence[Message],
        *,
        store_epoch: bool,
        rebuild: bool = False,
    ) -> TurnSetting:
        chosen = profile.settings
        endpoint = await self._access.endpoint()
        features = await self._access.features(model)
        if self._settings.settings.profile != profile.name:
            raise ProfileChanged()  # endpoint and model may be those of another one
        offering = chosen if features.memory_files else replace(chosen, memory_tool=OWN_MEMORY)
        tools = self._toolbox.definitions(offering) if features.tools else ()
        compactions = await self._store.compactions(conversation_id) if conversation_id else []
        # What another model's server signed is refused by one that does not compact.
        blocks = features.server_compaction or features.server_compaction_now
        memo = memo_in_use(path, compactions, blocks=blocks)
        wanted = Epoch(0, chosen.model, chosen.instructions, tools, endpoint.identity)
        wanted = replace(
            wanted,
            compaction_id=memo.id if memo else None,
            facts_upto=0 if chosen.memory else -1,
            result_limit=_result_limit(memo),
            memory_rules=memory_rules(tools),
        )
        epoch = await self._epoch(profile, conversation_id, unfolded(path, memo), wanted, memo, rebuild=rebuild)
        if store_epoch and conversation_id:
            await self._store.add_epoch(conversation_id, epoch)
        limit = min(chosen.output_limit, model.output_limit or chosen.output_limit)
        choices = Choices(limit, chosen.effort or None, chosen.show_thinking, chosen.cache_lifetime)
        wishes = Wishes(
            trigger.threshold(model.window, chosen.fold_share, chosen.fold_tokens),
            chosen.clear_tool_results,
            chosen.clear_thinking,
        )
        choices = replace(choices, edits=edits_for(wishes))
        return TurnSetting(endpoint, model, features, epoch, choices, profile, memo)

    async def _epoch(
        self,
        profile: ProfileInUse,
        conversation_id: str | None,
        path: Sequence[Message],
        wanted: Epoch,
        memo: Compaction | None,
        *,
        rebuild: bool,
    ) -> Epoch:
        """The last epoch while it fits, else the next one, with the facts of today.

        Under a compaction of the API's own the bytes stay those of the last one.
        """
        epochs = await self._store.epochs(conversation_id) if conversation_id else []
        last = epochs[-1] if epochs else None
        fits = last is not None and last.same_prefix(wanted) and not rebuild
        here = conversation_id or ""
        if last is not None and fits and not await self._facts.is_stale(profile, here, last, path):
            return last
        if last is not None and memo is not None and memo.block is not None and not rebuild:
            moved = replace(last, compaction_id=wanted.compaction_id, result_limit=wanted.result_limit)
            if moved.same_prefix(wanted) and not await self._facts.is_stale(profile, here, last, path):
                return replace(moved, number=len(epochs) + 1)
        estimator = await self._estimator(wanted.endpoint, wanted.model)
        return await self._facts.begin(profile, here, replace(wanted, number=len(epochs) + 1), path, estimator)

    async def is_stale(self, path: Sequence[Message], setting: TurnSetting) -> bool:
        """Whether a request of this setting would hold a fact that was deleted meanwhile."""
        told = unfolded(path, setting.compaction)
        return await self._facts.is_stale(setting.profile, path[-1].conversation_id, setting.epoch, told)

    async def with_notes(self, path: Sequence[Message], setting: TurnSetting) -> MessageNotes | None:
        """What is to be told beside the last message of `path`, a message of the person.

        None when it was told before, and nothing of memory changed since.
        """
        estimator = await self.estimator(setting.endpoint, setting.model.id)
        return await self._facts.notes(setting.profile, unfolded(path, setting.compaction), setting.epoch, estimator)

    async def without_thinking(self, conversation_id: str, setting: TurnSetting) -> TurnSetting:
        """The same in a new epoch, under which no earlier thinking is sent."""
        epochs = await self._store.epochs(conversation_id)
        epoch = replace(setting.epoch, number=len(epochs) + 1)
        await self._store.add_epoch(conversation_id, epoch)
        return replace(setting, epoch=epoch)

    async def with_compaction(self, setting: TurnSetting, compaction: Compaction) -> TurnSetting:
        """The same when a compaction is in use, as the next turn will find it; nothing is stored."""
        epoch = replace(
            setting.epoch,
            number=setting.epoch.number + 1,
            compaction_id=compaction.id,
            result_limit=_result_limit(compaction),
        )
        return replace(setting, epoch=epoch, compaction=compaction)

    async def keep_notes(self, message_id: str, notes: MessageNotes, setting: TurnSetting) -> None:
        """Stores what is told beside a message, and that facts were told."""
        await self._store.add_notes(message_id, notes)
        await self._facts.mark_used(notes, setting.epoch)

    async def prepare(self, conversation_id: str | None, path: Sequence[Message], setting: TurnSetting) -> Prepared:
        """The request that answers the last message of `path`, and its budget."""
        plan = plan_context(path, setting.epoch, setting.compaction, setting.open_turn)
        features = setting.features
        plan = taken_media(plan, images=features.images, pdfs=features.pdfs)
        plan, left = over_body_limit(plan, window=setting.model.window)
        request = build_request(plan, setting.choices, setting.features)
        digests = tuple(request.prefix_digests(setting.endpoint.identity))
        totals = await self._store.known_totals(conversation_id, digests) if conversation_id else {}
        known = {number: totals[digest] for number, digest in enumerate(digests, 1) if digest in totals}
        budget = await self._budget(plan, request, known, setting)
        return Prepared(plan, request, digests, known, budget, left_out=tuple(one.name for one in left))

    async def _budget(
        self, plan: ContextPlan, request: Request, known: dict[int, Figure], setting: TurnSetting
    ) -> Budget:
        estimator = await self.estimator(setting.endpoint, setting.model.id)
        return make_budget(plan, estimator, known, reserve=request.max_tokens, window=setting.model.window)

    async def exact(self, prepared: Prepared, total: Figure, setting: TurnSetting, *, learn: bool = True) -> Prepared:
        """The same request with its total counted or measured; with `learn` the estimator learns from it once."""
        known = {**prepared.known, len(prepared.plan.messages): total}
        digest = prepared.digests[-1]
        if learn and digest not in self._learned:
            self._learned.add(digest)
            await self._learn(prepared, total.tokens, setting)
        budget = await self._budget(prepared.plan, prepared.request, known, setting)
        budget = replace(budget, estimated_total=prepared.budget.estimated_total)
        return replace(prepared, known=known, budget=budget)

    async def _learn(self, prepared: Prepared, total: int, setting: TurnSetting) -> None:
        """From the difference to the longest known prefix, or from the whole where there is none."""
        before = max((n for n in prepared.known if n < len(prepared.plan.messages)), default=0)
        difference = total - (prepared.known[before].tokens if before else 0)
        if difference <= 0:
            return
        estimator = await self.estimator(setting.endpoint, setting.model.id)
        estimator.learn(span_features(prepared.plan, before), difference)
        key = _model_key(setting.endpoint.identity, setting.model.id)
        await self._store.save_calibration(key, estimator.calibration)

    async def estimator(self, endpoint: Endpoint, model: str) -> TokenEstimator:
        """The estimator of a model, with what was learned in earlier runs."""
        return await self._estimator(endpoint.identity, model)

    async def _estimator(self, endpoint: str, model: str) -> TokenEstimator:
        key = _model_key(endpoint, model)
        if key not in self._estimators:
            self._estimators[key] = TokenEstimator(await self._store.calibration(key))
        return self._estimators[key]

    def fitted(self, prepared: Prepared) -> Prepared | None:
        """The request with its output reserve cut to what the window leaves; None when nothing sensible is left."""
        budget, free, reserve = prepared.budget, prepared.budget.free, prepared.budget.reserve
        if free is None or free >= 0:
            return prepared
        left = reserve + free
        least = min(LEAST_RESERVE, reserve)
        if left < least:
            guess = budget.total.known is Known.ESTIMATED and budget.total.tokens <= (budget.window or 0) * (
                1 + _MARGIN
            )
            if not guess:
                return None
            left = least  # where nobody counts, the endpoint decides about a close call
        request = replace(prepared.request, params={**prepared.request.params, "max_tokens": left})
        return replace(prepared, request=request, budget=replace(prepared.budget, reserve=left))


def _result_limit(compaction: Compaction | None) -> int:
    """Characters of a tool result that are sent."""
    narrowed = compaction.result_limit if compaction else None
    return USUAL_LIMIT if narrowed is None else narrowed


def _model_key(endpoint: str, model: str) -> str:
    return f"{endpoint} {model}"
