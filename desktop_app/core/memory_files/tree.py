"""The facts of a profile as a tree of files; folders are there as long as a file is in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from desktop_app.core.facts import Fact
from desktop_app.core.memory_files.names import path_of
from desktop_app.core.memory_files.paths import Parts, text_of

MOST_LISTED = 1_000
"""Lines of a listing."""
_DEPTH = 2
_UNITS = "BKMG"


@dataclass(frozen=True, slots=True)
class Tree:
    """`files` by path, `sizes` of folders and files in bytes, `names` in each folder."""

    files: dict[Parts, Fact]
    sizes: dict[Parts, int]
    names: dict[Parts, set[str]]

    def is_folder(self, parts: Parts) -> bool:
        """Whether a folder is there; the root always is."""
        return not parts or parts in self.names

    def exists(self, parts: Parts) -> bool:
        """Whether anything is there."""
        return parts in self.files or self.is_folder(parts)

    def below(self, parts: Parts) -> list[tuple[Parts, Fact]]:
        """The file of this path, or all files in the folder, in the order of their paths."""
        inside = (found for found in self.files.items() if found[0][: len(parts)] == parts)
        return sorted(inside, key=lambda found: found[0])

    def listing(self, parts: Parts) -> str:
        """What is in a folder, two levels deep, with sizes; names that begin with a dot are left out."""
        path = text_of(parts)
        lines = [f"{_size(self.sizes.get(parts, 0))}\t{path}", *self._lines(parts, path, _DEPTH)]
        more = len(lines) - MOST_LISTED
        if more > 0:
            lines = [*lines[:MOST_LISTED], f"({more:,} more are not listed.)"]
        header = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
        return "\n".join([header, *lines])

    def _lines(self, parts: Parts, path: str, depth: int) -> Iterator[str]:
        for name in sorted(self.names.get(parts, ())):
            if name.startswith("."):
                continue
            inner = (*parts, name)
            folder = inner in self.names
            yield f"{_size(self.sizes[inner])}\t{path}/{name}{'/' if folder else ''}"
            if folder and depth > 1:
                yield from self._lines(inner, f"{path}/{name}", depth - 1)


def tree_of(facts: Sequence[Fact]) -> Tree:
    """Every fact gets a path of its own: where two would share one, the later takes the beginning of its id along."""
    ordered = sorted(facts, key=lambda fact: (fact.created_at, fact.id))
    wanted = [(path_of(fact.key, fact.category), fact) for fact in ordered]
    folders = {parts[:depth] for parts, _ in wanted for depth in range(len(parts))}
    files: dict[Parts, Fact] = {}
    for parts, fact in wanted:
        free = parts
        for letters in (8, len(fact.id)):
            if free in files or free in folders:
                free = _with_id(parts, fact.id[:letters])
        files[free] = fact
    sizes: dict[Parts, int] = defaultdict(int)
    names: dict[Parts, set[str]] = defaultdict(set)
    for parts, fact in files.items():
        size = len(fact.value.encode())
        for depth in range(len(parts) + 1):
            sizes[parts[:depth]] += size
        for depth in range(len(parts)):
            names[parts[:depth]].add(parts[depth])
    return Tree(files, dict(sizes), dict(names))


def _with_id(parts: Parts, letters: str) -> Parts:
    """The path with letters of an id in its name: `~~` comes from no key."""
    stem, dot, ending = parts[-1].rpartition(".")
    name = f"{stem}~~{letters}{dot}{ending}" if stem else f"{parts[-1]}~~{letters}"
    return (*parts[:-1], name)


def _size(count: int) -> str:
    """Bytes as `14B`, `4K`, `1.5K`: steps of 1,024."""
    step = min(max(count.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    size: float = count / 1024**step
    return f"{int(size) if size == int(size) else f'{size:.1f}'}{_UNITS[step]}"
