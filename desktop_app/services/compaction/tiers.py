"""Tiers: the past as episodes cut at topic shifts, the oldest melted into one paragraph (B5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from desktop_app.core import errors
from desktop_app.core.compaction import episodes
from desktop_app.core.compaction.boundary import turns_of
from desktop_app.core.compaction.compaction import Strategy, WrittenBy
from desktop_app.core.compaction.pieces import cut_pieces
from desktop_app.core.compaction.quoting import quoted_conversation, quoted_part
from desktop_app.core.compaction.summary_request import join_prompt, summary_prompt
from desktop_app.core.conversation import is_blank
from desktop_app.core.errors import EmbedderUnavailable
from desktop_app.core.ports import Embedder
from desktop_app.services.compaction.strategies import Draft, Work, ask_apart, said


@dataclass(frozen=True, slots=True)
class Tiers:
    """Episodes cut at topic shifts, each told in at most three sentences; earlier ones stay as they are, and the
    oldest melt into one paragraph when all together grow beyond their budget (B5)."""

    embedder: Embedder

    async def draft(self, work: Work) -> Draft:
        """See CompactionStrategy."""
        earlier = episodes.parse_episodes(work.leaving.base_body)
        found = await self._episodes(work)
        written: dict[int, str] = {}
        model = ""
        batches = self._batches(work, found)
        for batch in batches:
            told, model = await self._told(work, batch)
            written |= told
        body = episodes.with_new(earlier, found, written, work.language)
        if work.tokens_of(body) > episodes.most_tokens(work.fill.threshold):
            body = await self._melted(work, body)
        return Draft(body, WrittenBy.PIECES if len(batches) > 1 else WrittenBy.SEPARATE, model)

    async def _episodes(self, work: Work) -> list[episodes.Episode]:
        """Where the folded turns are cut, as message numbers of the path."""
        turns = turns_of(work.folded)
        vectors = None
        texts = [" ".join(message.text for message in work.folded[start:end])[:2_000] for start, end in turns]
        if all(not is_blank(text) for text in texts):
            try:
                vectors = [_floats(vector) for vector in await self.embedder.embed(texts)]
            except EmbedderUnavailable:
                vectors = None  # fixed blocks instead
        first = work.leaving.first_number
        numbered = [(first + start, first + end - 1) for start, end in turns]
        known = episodes.last_number(episodes.parse_episodes(work.leaving.base_body))
        return [
            episodes.Episode(known + place, numbered[start][0], numbered[end - 1][1])
            for place, (start, end) in enumerate(episodes.cut_episodes(turns, vectors), 1)
        ]

    def _batches(self, work: Work, found: Sequence[episodes.Episode]) -> list[list[tuple[episodes.Episode, list[str]]]]:
        """Episodes with their quoted messages, as many to a request as fit; one larger than the room is a batch of
        several requests by itself."""
        quoted = work.leaving.quoted
        batches: list[list[tuple[episodes.Episode, list[str]]]] = []
        filled = 0
        for episode in found:
            parts = quoted[episode.first - work.leaving.first_number : episode.last - work.leaving.first_number + 1]
            tokens = sum(map(work.tokens_of, parts))
            if not batches or filled + tokens > work.separate.room:
                batches.append([])
                filled = 0
            batches[-1].append((episode, parts))
            filled += tokens
        return batches

    async def _told(
        self, work: Work, batch: Sequence[tuple[episodes.Episode, list[str]]]
    ) -> tuple[Mapping[int, str], str]:
        """What the model tells of each episode; one retry for those it left out."""
        told: dict[int, str] = {}
        model = ""
        for _ in range(2):
            open_ones = [(episode, parts) for episode, parts in batch if episode.number not in told]
            if not open_ones:
                break
            flat = [part for _, parts in open_ones for part in parts]
            prompt = summary_prompt(
                Strategy.TIERS,
                work.language,
                focus=work.order.focus,
                missing_values=work.missing,
                episodes=[episode for episode, _ in open_ones],
            )
            for piece in _in_pieces(work, flat):
                answer = await ask_apart(work, quoted_conversation(piece), prompt)
                model = answer.record.answered_by or answer.record.model
                for episode in episodes.parse_episodes(said(answer)):
                    if not is_blank(episode.text):
                        before = told.get(episode.number)
                        told[episode.number] = f"{before} {episode.text}" if before else episode.text
        missing = [episode for episode, _ in batch if episode.number not in told]
        if missing:
            raise errors.MemoUnusable(
                missing=", ".join(episodes.heading_of(episode, work.language).lstrip("# ") for episode in missing)
            )
        return told, model

    async def _melted(self, work: Work, body: str) -> str:
        """The oldest episodes as one paragraph, the rest as it is."""
        oldest, rest = episodes.oldest_part(body, episodes.most_tokens(work.fill.threshold), work.tokens_of)
        if not oldest:
            return body
        prompt = join_prompt(Strategy.RUNNING, work.language, missing_values=work.missing)
        pieces = cut_pieces([quoted_part(1, oldest)], work.separate.room, work.tokens_of)
        told = [said(await ask_apart(work, quoted_conversation(piece), prompt)) for piece in pieces]
        return episodes.melted(" ".join(told), rest, work.language)


def _in_pieces(work: Work, parts: list[str]) -> list[list[str]]:
    """Quoted messages in groups that fit a request; nothing is looked at closer where all of them fit one."""
    fits = sum(map(work.tokens_of, parts)) <= work.separate.room
    return [parts] if fits else cut_pieces(parts, work.separate.room, work.tokens_of)


def _floats(vector: bytes) -> Sequence[float]:
    return memoryview(vector).cast("f").tolist()
