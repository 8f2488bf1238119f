"""Sending, answering again, editing and continuing: every way a turn begins, one turn at a time in a conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from desktop_app.core import errors, turn_events
from desktop_app.core.attachments import AttachedFile, attached_of, check_size, message_blocks
from desktop_app.core.branching import Branching, Version, end_of_turn, version_of
from desktop_app.core.compaction.compaction import Compaction, CompactionCause
from desktop_app.core.compaction.plan import FoldOrder
from desktop_app.core.conversation import (
    Block,
    Conversation,
    Message,
    Origin,
    Role,
    new_id,
    title_from,
)
from desktop_app.core.endpoints import EndpointKind
from desktop_app.core.ports import ConversationStore
from desktop_app.services.claims import Claims
from desktop_app.services.compaction.reviewing import CompactionReview
from desktop_app.services.compaction.service import CompactionService
from desktop_app.services.compaction.turn_past import TurnPast
from desktop_app.services.endpoint_access import EndpointAccess
from desktop_app.services.extraction import ExtractionService
from desktop_app.services.reply_writing import Emit
from desktop_app.services.sending import Sending
from desktop_app.services.settings import SettingsService
from desktop_app.services.toolbox import Toolbox
from desktop_app.services.turn import Turn, TurnControl
from desktop_app.services.turn_context import TurnContext


@dataclass(slots=True)
class ChatService:
    """Runs turns. Each method returns when its turn is over; its events went to `emit` before."""

    store: ConversationStore
    access: EndpointAccess
    context: TurnContext
    settings: SettingsService
    toolbox: Toolbox
    compaction: CompactionService
    review: CompactionReview
    sending: Sending
    claims: Claims
    extraction: ExtractionService

    async def new_conversation(self, first_text: str, attachments: Sequence[AttachedFile] = ()) -> Conversation:
        """A conversation titled by the first line of its first message, or by what is attached to it."""
        endpoint = await self.access.endpoint()
        simulated = endpoint.kind is EndpointKind.SIMULATOR
        title = title_from(first_text) or title_from(", ".join(file.attachment.name for file in attachments))
        return await self.store.create_conversation(self.settings.settings.profile, title, simulated)

    async def send(
        self,
        conversation_id: str,
        text: str,
        emit: Emit,
        control: TurnControl,
        origin: Origin = Origin.TYPED,
        attachments: Sequence[AttachedFile] = (),
    ) -> None:
        """Stores the person's message at the head and answers it; with something attached it needs no text.

        Raises NothingToSend, AttachmentUnusable, Busy, NotFound.
        """
        blocks = message_blocks(text, attachments)
        if not blocks:
            raise errors.NothingToSend()
        async with self.claims.alone(conversation_id):
            conversation = await self.store.conversation(conversation_id)
            question = _typed(conversation_id, conversation.head_id, blocks, origin)
            await self._ask(question, emit, control)

    async def edit(
        self,
        message_id: str,
        text: str,
        emit: Emit,
        control: TurnControl,
        attachments: Sequence[AttachedFile] = (),
    ) -> None:
        """Sends a changed text in place of an earlier message, what was attached to it and `attachments` with it.

        The earlier message stays as another branch. Raises as `send` does.
        """
        earlier = await self.store.message(message_id)
        blocks = (*attached_of(earlier.blocks), *message_blocks(text, attachments))
        if not blocks:
            raise errors.NothingToSend()
        check_size(blocks)
        async with self.claims.alone(earlier.conversation_id):
            question = _typed(earlier.conversation_id, earlier.parent_id, blocks, earlier.origin)
            await self._ask(question, emit, control)

    async def answer_again(self, message_id: str, emit: Emit, control: TurnControl) -> None:
        """Answers anew the user message whose turn holds `message_id` (or is it).

        The answer there is stays in use until the new one begins to arrive.
        """
        message = await self.store.message(message_id)
        async with self.claims.alone(message.conversation_id):
            while not message.opens_turn and message.parent_id is not None:
                message = await self.store.message(message.parent_id)
            emit(turn_events.TurnOpened(message.conversation_id, message.id, message))
            await self._answer(message, emit, control)

    async def fold(self, conversation_id: str, order: FoldOrder, emit: Emit, control: TurnControl) -> None:
        """Compacts the past of a conversation by hand; raises NothingToFold, StrategyNotOffered, Busy, NotFound.

        What else goes wrong is told as FoldingFailed.
        """
        async with self.claims.alone(conversation_id):
            await self.compaction.plan(conversation_id, order.strategy)  # what cannot be is told before anything begins
            await self._fold(conversation_id, order, emit, control)

    async def fold_again(self, compaction_id: str, emit: Emit, control: TurnControl) -> None:
        """Another proposal in place of one, naming what it lost; raises ProposalOutdated, Busy, NotFound."""
        conversation_id = (await self.store.compaction(compaction_id)).conversation_id
        async with self.claims.alone(conversation_id):
            try:
                await self.compaction.again(compaction_id, emit, control.hurry)
            except (errors.NotFound, errors.ProposalOutdated):
                raise
            except errors.AppError:
                return  # told as an event

    async def commit_fold(self, compaction_id: str) -> Compaction:
        """Puts a proposal to use; raises ProposalOutdated, Busy, NotFound."""
        async with self.claims.alone((await self.store.compaction(compaction_id)).conversation_id):
            return await self.review.commit(compaction_id)

    async def reject_fold(self, compaction_id: str) -> Compaction:
        """Leaves a proposal aside; raises ProposalOutdated, Busy, NotFound."""
        async with self.claims.alone((await self.store.compaction(compaction_id)).conversation_id):
            return await self.review.reject(compaction_id)

    async def revise_fold(self, compaction_id: str, text: str) -> Compaction:
        """The person's own text of a summary; raises NotEditable, BadInput, Busy, NotFound."""
        async with self.claims.alone((await self.store.compaction(compaction_id)).conversation_id):
            return await self.review.revise(compaction_id, text)

    async def put_back(self, compaction_id: str, values: Sequence[str]) -> Compaction:
        """Values a summary lost, word for word behind it; raises NotEditable, Busy, NotFound."""
        async with self.claims.alone((await self.store.compaction(compaction_id)).conversation_id):
            return await self.review.put_back(compaction_id, values)

    async def undo_fold(self, conversation_id: str, compaction_id: str | None = None) -> list[Compaction]:
        """Takes compactions of the path back, the newest or one and all newer ones; none where nothing is in use.

        Raises Busy, NotFound.
        """
        async with self.claims.alone(conversation_id):
            return await self.review.undo(conversation_id, compaction_id)

    async def _fold(self, conversation_id: str, order: FoldOrder, emit: Emit, control: TurnControl) -> None:
        try:
            await self.compaction.fold(conversation_id, order, emit, control.hurry)
        except errors.AppError:
            return  # told as an event; the history is as it was
        except Exception:
            if order.cause is CompactionCause.BY_HAND:
                raise
            return  # told as an event: a fault of ours costs the compaction, never the answer before it

    async def _fold_if_due(self, conversation_id: str, emit: Emit, control: TurnControl) -> None:
        """Compacts after an answer where the profile wants that and the threshold is passed."""
        if not self.settings.profile.fold_automatically:
            return
        try:
            conversation = await self.store.conversation(conversation_id)
            if conversation.profile != self.settings.settings.profile:
                return  # another profile is in use meanwhile
            due = await self.compaction.is_due(conversation_id)
        except errors.AppError:
            return  # the answer is whole; whether to fold is asked again after the next one
        if due:
            await self._fold(conversation_id, FoldOrder(CompactionCause.AUTOMATIC), emit, control)

    def _past(self, conversation_id: str, emit: Emit, control: TurnControl) -> TurnPast:
        """What this turn may do to its past."""
        profile = self.settings.profile
        automatic = profile.fold_automatically and not profile.fold_review
        return TurnPast(self.compaction, conversation_id, emit, control.hurry, automatic=automatic)

    async def _ask(self, question: Message, emit: Emit, control: TurnControl) -> None:
        """Stores a message of the person and answers it; a stop in between neither loses it nor goes unheard."""
        storing = asyncio.ensure_future(self.store.add_message(question))
        try:
            stored = await asyncio.shield(storing)
        except asyncio.CancelledError:
            stored = await storing
            ids = (stored.conversation_id, stored.id)
            emit(turn_events.TurnOpened(*ids, stored))
            emit(turn_events.TurnStopped(*ids))
            raise
        emit(turn_events.TurnOpened(stored.conversation_id, stored.id, stored))
        await self._answer(stored, emit, control)

    async def _answer(self, question: Message, emit: Emit, control: TurnControl) -> None:
        past = self._past(question.conversation_id, emit, control)
        turn = Turn(self.store, self.access, self.context, self.toolbox, self.sending, question, emit, control, past)
        try:
            await turn.run()
        except asyncio.CancelledError:
            emit(turn_events.TurnStopped(*turn.ids))
            raise
        except errors.AppError as error:
            emit(turn_events.TurnFailed(*turn.ids, error))
            return
        except Exception as error:
            emit(turn_events.TurnFailed(*turn.ids, errors.Unexpected(f"{type(error).__name__}: {error}")))
            raise
        self.extraction.begin(*turn.ids, emit)
        if not past.used:
            await self._fold_if_due(question.conversation_id, emit, control)

    async def choose_branch(self, message_id: str, step: int) -> None:
        """Makes the sibling `step` places away the path in use, down to its newest leaf; raises Busy."""
        message = await self.store.message(message_id)
        async with self.claims.alone(message.conversation_id):
            for branch in await self.store.branches(message.conversation_id):
                if branch.message_id == message_id:
                    place = (branch.siblings.index(message_id) + step) % len(branch.siblings)
                    tip = await self.store.tip_below(branch.siblings[place])
                    await self.store.move_head(message.conversation_id, tip)
                    return

    async def branch_at(self, conversation_id: str, where: str | int) -> Branching | None:
        """Ends the path in use behind a turn: its number on the path (from 1), or the id of a message in it.

        What follows is kept as another version. A message that is not on the path brings its own path into use.
        None where the path ends there already; raises Busy, NotFound.
        """
        async with self.claims.alone(conversation_id):
            before = (await self.store.conversation(conversation_id)).head_id
            path = await self.store.path(conversation_id)
            if isinstance(where, str) and all(message.id != where for message in path):
                path = await self.store.path_to(await self.store.tip_below(where))
            end = end_of_turn(path, where)
            if end is None or before is None:
                raise errors.NotFound(what=f"turn {where}" if isinstance(where, int) else "message")
            if end.message_id == before:
                return None
            await self.store.move_head(conversation_id, end.message_id)
            return Branching(conversation_id, end.turn, end.message_id, before, end.following)

    async def undo_branch(self, branching: Branching) -> bool:
        """Moves the end of the path back; False, and nothing changed, where something was written since.

        Raises Busy, NotFound.
        """
        async with self.claims.alone(branching.conversation_id):
            now = await self.store.conversation(branching.conversation_id)
            if now.head_id != branching.head_id:
                return False
            await self.store.move_head(branching.conversation_id, branching.before_id)
            return True

    async def resume(self, conversation_id: str) -> Branching | None:
        """Brings the newest messages behind the end of the path into use again; None where there are none.

        Raises Busy, NotFound.
        """
        async with self.claims.alone(conversation_id):
            head = (await self.store.conversation(conversation_id)).head_id
            if head is None or (tip := await self.store.tip_below(head)) == head:
                return None
            return await self._moved(conversation_id, head, tip)

    async def versions(self, conversation_id: str) -> list[Version]:
        """Where the conversation ends: the path in use first, then the other versions, newest first.

        A path that was cut short is one of its own beside what was kept of it. Raises NotFound.
        """
        used = await self.store.path_ids(conversation_id)
        ends = dict.fromkeys((*used[-1:], *await self.store.tips(conversation_id)))
        return [version_of(await self.store.path_to(end), used) for end in ends]

    async def use_version(self, conversation_id: str, head_id: str) -> Branching | None:
        """Brings another version into use; None where it is already. Raises Busy, NotFound."""
        async with self.claims.alone(conversation_id):
            head = (await self.store.conversation(conversation_id)).head_id
            if head is None or head_id not in (head, *await self.store.tips(conversation_id)):
                raise errors.NotFound(what="version")
            return await self._moved(conversation_id, head, head_id) if head_id != head else None

    async def _moved(self, conversation_id: str, before: str, to: str) -> Branching:
        await self.store.move_head(conversation_id, to)
        path = await self.store.path(conversation_id)
        return Branching(conversation_id, sum(1 for message in path if message.opens_turn), to, before, 0)


def _typed(conversation_id: str, parent_id: str | None, blocks: tuple[Block, ...], origin: Origin) -> Message:
    return Message(
        id=new_id(),
        conversation_id=conversation_id,
        parent_id=parent_id,
        role=Role.USER,
        blocks=blocks,
        origin=origin,
    )
