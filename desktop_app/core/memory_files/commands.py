"""The six commands of the memory tool over the facts of a profile: each tells something, or says what would change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from desktop_app.core.conversation import is_blank
from desktop_app.core.errors import BadInput
from desktop_app.core.facts import MOST_VALUE_LETTERS, Fact, clean_value, same_key
from desktop_app.core.memory_files import texts
from desktop_app.core.memory_files.arguments import number_in, range_of, text_in
from desktop_app.core.memory_files.names import fact_at, path_key
from desktop_app.core.memory_files.outcomes import Delete, Move, Outcome, Rename, Told, Write
from desktop_app.core.memory_files.paths import ROOT, FileRefused, Parts, parts_of, shown, text_of
from desktop_app.core.memory_files.tree import Tree, tree_of

MOST_FILES = 10_000
"""Facts a profile may have before no more files are created."""


def carry_out(facts: Sequence[Fact], arguments: Mapping[str, object], taken: Collection[str] = ()) -> Outcome:
    """What comes of a call of the tool; raises FileRefused with the text for the model, and nothing else.

    `facts` are those the call may see; `taken` are keys (`same_key`) no new fact may have, for others have them.
    """
    return Commands(tree_of(facts), taken).carry_out(arguments)


class Commands:
    """The commands on one tree."""

    def __init__(self, tree: Tree, taken: Collection[str] = ()) -> None:
        self._tree = tree
        self._owners: dict[str, str] = dict.fromkeys(taken, "")
        self._owners |= {same_key(fact.key): fact.id for fact in tree.files.values()}

    def carry_out(self, arguments: Mapping[str, object]) -> Outcome:
        """Runs the command a call names."""
        commands: dict[object, Callable[[Mapping[str, object]], Outcome]] = {
            "view": self._view,
            "create": self._create,
            "str_replace": self._str_replace,
            "insert": self._insert,
            "delete": self._delete,
            "rename": self._rename,
        }
        name = arguments.get("command")
        if not isinstance(name, str) or name not in commands:
            raise FileRefused(
                f"There is no command {shown(str(name))}; the commands are: {', '.join(map(str, commands))}."
            )
        return commands[name](arguments)

    # -- reading --------------------------------------------------------------------------------

    def _view(self, arguments: Mapping[str, object]) -> Outcome:
        parts = parts_of(text_in(arguments, "path"))
        if self._tree.is_folder(parts):
            return Told(self._tree.listing(parts))
        fact = self._file(parts)
        first, last = range_of(arguments.get("view_range"))
        lines = texts.numbered(fact.value, first, last)
        return Told(f"Here's the content of {text_of(parts)} with line numbers:\n{lines}", fact)

    # -- writing --------------------------------------------------------------------------------

    def _create(self, arguments: Mapping[str, object]) -> Outcome:
        parts, text = parts_of(text_in(arguments, "path")), text_in(arguments, "file_text")
        path = text_of(parts)
        self._check_free(parts, f"File {path} already exists")
        if len(self._tree.files) >= MOST_FILES:
            raise FileRefused(f"There are {MOST_FILES:,} memory files already: delete or merge some of them first.")
        key, category = self._named(parts)
        return Write(path, key, category, _value(text), f"File created successfully at: {path}")

    def _str_replace(self, arguments: Mapping[str, object]) -> Outcome:
        parts = parts_of(text_in(arguments, "path"))
        old, new = text_in(arguments, "old_str"), text_in(arguments, "new_str")
        fact, path = self._file(parts), text_of(parts)
        edited, line = texts.replaced(fact.value, old, new, path)
        value = _value(edited)
        line -= edited[: len(edited) - len(edited.lstrip())].count("\n")
        snippet = texts.around(value, max(1, line))
        told = (
            f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
        )
        return _changed(fact, path, value, told)

    def _insert(self, arguments: Mapping[str, object]) -> Outcome:
        parts, line = parts_of(text_in(arguments, "path")), number_in(arguments, "insert_line")
        added = text_in(arguments, "insert_text")
        fact, path = self._file(parts), text_of(parts)
        value = _value(texts.inserted(fact.value, line, added))
        return _changed(fact, path, value, f"The file {path} has been edited.")

    def _delete(self, arguments: Mapping[str, object]) -> Outcome:
        parts = parts_of(text_in(arguments, "path"))
        if not parts:
            raise FileRefused(f"Cannot delete the {ROOT} directory itself")
        found, path = self._tree.below(parts), text_of(parts)
        if not found:
            raise FileRefused(f"The path {path} does not exist")
        return Delete(path, tuple(fact for _, fact in found), f"Successfully deleted {path}")

    def _rename(self, arguments: Mapping[str, object]) -> Outcome:
        old, new = parts_of(text_in(arguments, "old_path")), parts_of(text_in(arguments, "new_path"))
        if not old:
            raise FileRefused(f"Cannot rename the {ROOT} directory itself")
        found, path = self._tree.below(old), text_of(new)
        if not found:
            raise FileRefused(f"The path {text_of(old)} does not exist")
        if new[: len(old)] == old and new != old:
            raise FileRefused(f"Cannot rename {text_of(old)} to a path inside itself")
        self._check_free(new, f"The destination {path} already exists", of=found[0][1] if len(found) == 1 else None)
        moves = []
        for parts, fact in found:
            target = (*new, *parts[len(old) :])
            key, category = self._named(target, fact)
            moves.append(Move(fact, key, category, text_of(target)))
        return Rename(text_of(old), tuple(moves), f"Successfully renamed {text_of(old)} to {path}")

    # -- inside ---------------------------------------------------------------------------------

    def _file(self, parts: Parts) -> Fact:
        """The fact at a path; raises FileRefused."""
        if fact := self._tree.files.get(parts):
            return fact
        if self._tree.is_folder(parts):
            raise FileRefused(f"The path {text_of(parts)} is not a file.")
        raise FileRefused(f"The path {text_of(parts)} does not exist. Please provide a valid path.")

    def _check_free(self, parts: Parts, refusal: str, of: Fact | None = None) -> None:
        """That a file can come to be here: nothing stands there, however it is written, and no file is in the way.

        The fact `of` may stand there: its name is to be written otherwise.
        """
        if self._tree.exists(parts):
            raise FileRefused(refusal)
        for depth in range(1, len(parts)):
            if parts[:depth] in self._tree.files:
                raise FileRefused(f"The path {text_of(parts[:depth])} is not a directory.")
        alike = same_key(text_of(parts))
        for there, fact in self._tree.files.items():
            if same_key(text_of(there)) == alike and fact is not of:
                raise FileRefused(refusal)

    def _named(self, parts: Parts, fact: Fact | None = None) -> tuple[str, str]:
        """Key and category of the fact that will stand at a path, none of them another fact's key."""
        key, category = fact_at(parts)
        if self._may_have(key, fact):
            return key, category
        # Another folder holds a file of this name: the whole path tells them apart.
        whole = path_key(parts)
        if self._may_have(whole, fact):
            return whole, ""
        raise FileRefused(f"File {text_of(parts)} already exists")

    def _may_have(self, key: str, fact: Fact | None) -> bool:
        """Whether a new fact, or this one, may have a key."""
        owner = self._owners.get(same_key(key))
        return owner is None or (fact is not None and owner == fact.id)


def _changed(fact: Fact, path: str, value: str, told: str) -> Outcome:
    """The text of a fact becomes another one; nothing is written where it stays the same."""
    return Told(told, fact) if value == fact.value else Write(path, fact.key, fact.category, value, told, fact)


def _value(text: str) -> str:
    """The text of a file as the value of a fact; raises FileRefused for one that cannot be kept."""
    if is_blank(text):
        raise FileRefused("The file would hold no text. A memory file is one fact: delete it when it is not needed.")
    if len(text.strip()) > MOST_VALUE_LETTERS:
        raise FileRefused(
            f"The text has {len(text.strip()):,} characters; a memory file may have at most {MOST_VALUE_LETTERS:,}. "
            "Split it: one file for each lesson."
        )
    try:
        return clean_value(text)
    except BadInput as error:
        raise FileRefused("The text cannot be kept.") from error
