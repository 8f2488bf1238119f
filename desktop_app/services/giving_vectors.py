"""Makes the vectors of texts and keeps them; a text a model cannot take does not hold up the others."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.core.errors import EmbedderRefused, EmbedderUnfit
from desktop_app.core.ports import Embedder, VectorStore
from desktop_app.core.vectors import ItemVector, Unembedded, embedder_of

_PLAIN = "memory"


async def give_vectors(
    vectors: VectorStore, embedder: Embedder, lacking: Sequence[Unembedded], *, owe: bool = True
) -> None:
    """Embeds texts and keeps their vectors under the name of whoever made them.

    Where it fails for one text alone, that is set aside: it is found by its words, and tried again later. Raises
    EmbedderUnavailable where the embedder fails for any text, StoreUnavailable.
    """
    try:
        made = await embedder.embed([one.text for one in lacking])
    except (EmbedderRefused, EmbedderUnfit, ValueError):
        if len(lacking) > 1:
            for one in lacking:
                await give_vectors(vectors, embedder, [one], owe=owe)
            return
        await embedder.embed([_PLAIN])  # whoever fails here too is not at odds with the text
        await vectors.set_aside(embedder.name, lacking[0])
        return
    kept = [ItemVector(one.item_id, one.revision, vector, one.kind) for one, vector in zip(lacking, made, strict=True)]
    await vectors.put(embedder_of(made[0], embedder.name), kept, owe=owe)
