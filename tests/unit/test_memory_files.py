"""Facts as files: every command against the texts of the SDK's own tool, paths that lead out, names that come back."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from anthropic.tools import BetaLocalFilesystemMemoryTool, ToolError
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.core.facts import Fact, clean_key
from desktop_app.core.memory_files import commands
from desktop_app.core.memory_files.commands import carry_out
from desktop_app.core.memory_files.names import fact_at, path_of
from desktop_app.core.memory_files.outcomes import Delete, Rename, Told, Write
from desktop_app.core.memory_files.paths import FileRefused, parts_of, text_of
from desktop_app.core.memory_files.tree import tree_of
from tests.unit.fact_samples import fact

FACTS = (
    fact(1, "coffee", "dark roast\nno sugar", category="taste"),
    fact(2, "backup_path", "/srv/backup/nas-7"),
    fact(3, "차", "녹차를 좋아한다", category="taste"),
    fact(4, "/memories/plans/2026/spring.txt", "sow the beans"),
)
ATTACKS = (
    "/memories/../x",
    "/memories/..",
    "/memories/%2e%2e/x",
    "/memories/%252e%252e%252fx",
    "/memories/a\\..\\..\\x",
    "/memories/a/../../etc/passwd",
    "/memories/..%2fx",
    "/memories/．．/x",
    "/memories/‥/x",
    "/memories/a／..／x",
    "/memories/ .. /x",
    "C:\\x",
    "/etc/passwd",
    "memories/x",
    "/memoriesX/y",
    "//memories/x",
    "",
    "/memories/a\0b",
    "/memories/" + "x" * 5_000,
    "file:///memories/x",
)
OF_COMMAND: Mapping[str, dict[str, Any]] = {
    "view": {},
    "create": {"file_text": "text"},
    "str_replace": {"old_str": "a", "new_str": "b"},
    "insert": {"insert_line": 0, "insert_text": "text"},
    "delete": {},
    "rename": {"new_path": "/memories/new.md"},
}


def call(command: str, path: str, **more: Any) -> dict[str, Any]:
    return {"command": command, "old_path" if command == "rename" else "path": path, **more}


def refusal(facts: tuple[Fact, ...], arguments: Mapping[str, object]) -> str:
    with pytest.raises(FileRefused) as caught:
        carry_out(facts, arguments)
    return str(caught.value)


def written(arguments: Mapping[str, object], facts: tuple[Fact, ...] = FACTS) -> Write:
    outcome = carry_out(facts, arguments)
    assert isinstance(outcome, Write)
    return outcome


# -- paths ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ATTACKS)
@pytest.mark.parametrize("command", OF_COMMAND)
def test_no_command_takes_a_path_that_leads_out(command: str, path: str, tmp_path: Path) -> None:
    (tmp_path / "beside").write_text("x")
    told = refusal(FACTS, call(command, path, **OF_COMMAND[command]))
    assert told.startswith(("Path ", "The path is too long"))
    assert len(told) < 400
    other = refusal(FACTS, {"command": "rename", "old_path": "/memories/taste", "new_path": path})
    assert other == told
    assert [entry.name for entry in tmp_path.iterdir()] == ["beside"]


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/memoriesX/y", "Path must start with /memories, got: /memoriesX/y"),
        ("/memories/../x", "Path /memories/../x would escape /memories directory"),
    ],
)
def test_refused_paths_are_told_in_the_words_of_the_reference(path: str, told: str) -> None:
    assert refusal(FACTS, call("view", path)) == told


@pytest.mark.parametrize("path", ["/memories", "/memories/", "/memories//", "/memories/."])
def test_the_root_can_be_seen_and_neither_deleted_nor_renamed(path: str) -> None:
    assert isinstance(carry_out(FACTS, call("view", path)), Told)
    assert refusal(FACTS, call("delete", path)) == "Cannot delete the /memories directory itself"
    renamed = refusal(FACTS, call("rename", path, new_path="/memories/x"))
    assert renamed == "Cannot rename the /memories directory itself"
    assert refusal(FACTS, call("create", path, file_text="x")) == "File /memories already exists"
    assert refusal(FACTS, call("str_replace", path, old_str="a", new_str="b")) == "The path /memories is not a file."


def test_a_decomposed_name_is_the_composed_one() -> None:
    decomposed = unicodedata.normalize("NFD", "/memories/taste/차.md")
    outcome = carry_out(FACTS, call("view", decomposed))
    assert isinstance(outcome, Told)
    assert outcome.fact == FACTS[2]


TEXTS = st.text(
    st.one_of(st.sampled_from("/\\.%~…‥／．\u200d\u0301\u202eéA가2e"), st.characters()), min_size=1, max_size=12
)


@settings(max_examples=120, deadline=None)
@given(key=TEXTS, category=st.one_of(st.just(""), TEXTS))
def test_every_key_and_category_has_a_path_that_can_be_asked_for(key: str, category: str) -> None:
    try:
        key = clean_key(key)
    except commands.BadInput:
        return
    parts = path_of(key, category)
    assert parts_of(text_of(parts)) == parts
    back, folder = fact_at(parts)
    assert path_of(back, folder) == parts
    if not category:
        assert back == key


def test_two_facts_never_share_a_path() -> None:
    facts = (
        fact(1, "x", category="a"),
        fact(2, "/memories/a/x.md"),
        fact(3, "/memories/a"),
        fact(4, "x.md", category="b.md"),
        fact(5, "b"),
        fact(6, "a/x"),
        fact(7, "../up", category=".."),
    )
    tree = tree_of(facts)
    assert len(tree.files) == len(facts)
    assert not set(tree.files) & set(tree.names)
    for parts, there in tree.files.items():
        outcome = carry_out(facts, call("view", text_of(parts)))
        assert isinstance(outcome, Told)
        assert outcome.fact == there


# -- texts, beside the SDK's tool ------------------------------------------------------------------


@pytest.fixture
def reference(tmp_path: Path) -> BetaLocalFilesystemMemoryTool:
    """The SDK's tool over the same files on a disk."""
    tool = BetaLocalFilesystemMemoryTool(str(tmp_path))
    for parts, there in tree_of(FACTS).files.items():
        tool.call({"command": "create", "path": text_of(parts), "file_text": there.value})
    return tool


def said(facts: tuple[Fact, ...], arguments: Mapping[str, object]) -> str:
    try:
        outcome = carry_out(facts, arguments)
    except FileRefused as error:
        return str(error)
    return outcome.text if isinstance(outcome, Told) else outcome.told


COFFEE = "/memories/taste/coffee.md"


@pytest.mark.parametrize(
    "arguments",
    [
        call("view", COFFEE),
        call("view", COFFEE, view_range=[2, -1]),
        call("view", COFFEE, view_range=[1, 1]),
        call("view", COFFEE, view_range=[7, 9]),
        call("view", COFFEE, view_range=[1]),
        call("view", "/memories/none.md"),
        call("view", "/etc"),
        call("create", "/memories/new.md", file_text="new"),
        call("create", "/memories/a/b/c.json", file_text="{}"),
        call("create", COFFEE, file_text="new"),
        call("create", "/memories/taste", file_text="new"),
        call("str_replace", COFFEE, old_str="no sugar", new_str="sugar\nand milk"),
        call("str_replace", COFFEE, old_str="milk", new_str="x"),
        call("str_replace", COFFEE, old_str="o", new_str="x"),
        call("str_replace", "/memories/none.md", old_str="o", new_str="x"),
        call("str_replace", "/memories/taste", old_str="o", new_str="x"),
        call("insert", COFFEE, insert_line=0, insert_text="first\n"),
        call("insert", COFFEE, insert_line=2, insert_text="last"),
        call("insert", COFFEE, insert_line=3, insert_text="out"),
        call("insert", COFFEE, insert_line=-1, insert_text="out"),
        call("insert", "/memories/taste", insert_line=0, insert_text="x"),
        call("delete", COFFEE),
        call("delete", "/memories/taste"),
        call("delete", "/memories/none.md"),
        call("rename", COFFEE, new_path="/memories/drinks/coffee.md"),
        call("rename", "/memories/taste", new_path="/memories/drinks"),
        call("rename", COFFEE, new_path="/memories/backup_path.md"),
        call("rename", "/memories/none.md", new_path="/memories/x.md"),
    ],
    ids=lambda arguments: "-".join(map(str, list(arguments.values())[:3])),
)
def test_it_says_what_the_reference_says(arguments: dict[str, Any], reference: BetaLocalFilesystemMemoryTool) -> None:
    try:
        expected = str(reference.call(dict(arguments)))
    except ToolError as error:
        expected = str(error)
    assert said(FACTS, arguments) == expected


def test_a_listing_has_two_levels_and_sizes_in_bytes() -> None:
    facts = (
        *FACTS,
        fact(5, "/memories/.hidden", "never shown"),
        fact(6, "/memories/a/b/c/d.txt", "x" * 1_536),
        fact(7, ".dots", "y"),
    )
    told = carry_out(facts, call("view", "/memories/"))
    assert isinstance(told, Told)
    assert told.text.split("\n") == [
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:",
        f"{_sum(facts)}\t/memories",
        "1.5K\t/memories/a/",
        "1.5K\t/memories/a/b/",
        "17B\t/memories/backup_path.md",
        "13B\t/memories/plans/",
        "13B\t/memories/plans/2026/",
        "41B\t/memories/taste/",
        "19B\t/memories/taste/coffee.md",
        "22B\t/memories/taste/차.md",
        "1B\t/memories/~2Edots.md",
    ]
    empty = carry_out((), call("view", "/memories"))
    assert isinstance(empty, Told)
    assert empty.text.endswith("\n0B\t/memories")


def _sum(facts: tuple[Fact, ...]) -> str:
    return f"{sum(len(one.value.encode()) for one in facts) / 1024:.1f}K"


# -- what would change --------------------------------------------------------------------------------


def test_a_new_file_becomes_a_fact() -> None:
    assert written(call("create", "/memories/work/server.md", file_text=" nas-7\n")) == Write(
        "/memories/work/server.md", "server", "work", "nas-7", "File created successfully at: /memories/work/server.md"
    )
    elsewhere = written(call("create", "/memories/work/2026/notes.txt", file_text="x"))
    assert (elsewhere.key, elsewhere.category) == ("/memories/work/2026/notes.txt", "")
    # A file of this name stands in another folder: the key of that fact is never taken.
    beside = written(call("create", "/memories/work/coffee.md", file_text="in the kitchen"))
    assert (beside.key, beside.category) == ("/memories/work/coffee.md", "")
    hidden = carry_out(FACTS, call("create", "/memories/server.md", file_text="x"), taken=("server",))
    assert isinstance(hidden, Write)
    assert hidden.key == "/memories/server.md"


def test_a_name_that_differs_in_case_only_is_there_already() -> None:
    told = refusal(FACTS, call("create", "/memories/taste/Coffee.md", file_text="x"))
    assert told == "File /memories/taste/Coffee.md already exists"
    renamed = carry_out(FACTS, call("rename", COFFEE, new_path="/memories/taste/Coffee.md"))
    assert isinstance(renamed, Rename)
    assert [(move.fact.id, move.key, move.category) for move in renamed.moves] == [("f1", "Coffee", "taste")]


def test_an_edit_keeps_the_fact_it_changes() -> None:
    edit = written(call("str_replace", COFFEE, old_str="no sugar", new_str="sugar"))
    assert (edit.before, edit.key, edit.category, edit.value) == (FACTS[0], "coffee", "taste", "dark roast\nsugar")
    put = written(call("insert", COFFEE, insert_line=1, insert_text="milk"))
    assert put.value == "dark roast\nmilk\nno sugar"
    same = carry_out(FACTS, call("str_replace", COFFEE, old_str="sugar", new_str="sugar"))
    assert isinstance(same, Told)


def test_a_folder_goes_or_moves_with_all_its_files() -> None:
    gone = carry_out(FACTS, call("delete", "/memories/taste/"))
    assert isinstance(gone, Delete)
    assert [one.id for one in gone.facts] == ["f1", "f3"]
    moved = carry_out(FACTS, call("rename", "/memories/taste", new_path="/memories/likes/mine"))
    assert isinstance(moved, Rename)
    assert [(move.fact.id, move.key) for move in moved.moves] == [
        ("f1", "/memories/likes/mine/coffee.md"),
        ("f3", "/memories/likes/mine/차.md"),
    ]
    home = carry_out(FACTS, call("rename", "/memories/taste", new_path="/memories/likes"))
    assert isinstance(home, Rename)
    assert [(move.key, move.category) for move in home.moves] == [("coffee", "likes"), ("차", "likes")]
    into = refusal(FACTS, call("rename", "/memories/taste", new_path="/memories/taste/deep"))
    assert into == "Cannot rename /memories/taste to a path inside itself"


def test_what_a_name_decodes_to_is_the_key() -> None:
    odd = fact(1, "a/b: 100%", "x", category="~ me")
    parts = path_of(odd.key, odd.category)
    assert text_of(parts) == "/memories/~7E me/a~2Fb: 100~25.md"
    assert fact_at(parts) == (odd.key, odd.category)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x" * 50_000_000, "The text has 50,000,000 characters; a memory file may have at most 8,000."),
        (" \u200b\n", "The file would hold no text."),
    ],
    ids=["50 MB", "blank"],
)
def test_sizes_have_limits(text: str, told: str) -> None:
    assert refusal(FACTS, call("create", "/memories/big.md", file_text=text)).startswith(told)


def test_names_and_files_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "cannot be a memory file" in refusal(FACTS, call("create", f"/memories/{'k' * 121}.md", file_text="x"))
    monkeypatch.setattr(commands, "MOST_FILES", len(FACTS))
    assert refusal(FACTS, call("create", "/memories/x.md", file_text="x")).startswith(
        "There are 4 memory files already"
    )


@pytest.mark.parametrize("command", OF_COMMAND)
def test_a_missing_or_wrong_argument_is_named(command: str) -> None:
    whole = call(command, COFFEE, **OF_COMMAND[command])
    for name in whole.keys() - {"command"}:
        for wrong in ({}, {name: None}, {name: ["/memories"]}, {name: True}):
            arguments = {key: value for key, value in whole.items() if key != name} | wrong
            if command == "create":
                arguments |= {} if name == "path" else {"path": "/memories/new.md"}
            assert f"The argument `{name}` is missing" in refusal(FACTS, arguments)


@pytest.mark.parametrize("command", [None, "", "VIEW", "clear_all_memory", ["view"], {"a": 1}])
def test_an_unknown_command_gets_the_names_of_those_there_are(command: object) -> None:
    told = refusal(FACTS, {"command": command, "path": "/memories"})
    assert told.endswith("view, create, str_replace, insert, delete, rename.")


def test_a_range_of_other_things_than_numbers_is_refused() -> None:
    assert refusal(FACTS, call("view", COFFEE, view_range=["1", "2"])) == "`view_range` must hold two whole numbers."
