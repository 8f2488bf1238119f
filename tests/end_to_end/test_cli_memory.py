"""Facts, foldings and profiles by command: what is told, what is kept, and what never crosses a profile."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.fakes.command_line import CommandLine
from tests.fakes.forty_turns import INSTRUCTIONS
from tests.fakes.house import open_house
from tests.fakes.simulator import RunningSimulator


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    with RunningSimulator() as running:
        yield running


@pytest.fixture
def cli(simulator: RunningSimulator, tmp_path: Path) -> CommandLine:
    simulator.reset()
    return CommandLine(tmp_path / "data", simulator.url)


def test_a_fact_is_kept_changed_pinned_deleted_and_brought_back(cli: CommandLine) -> None:
    assert cli.run("facts", "list").out == "There are no facts here yet.\n"
    assert cli.run("facts", "add", "커피 취향", "진하게", "--category", "taste").out == "Kept: 커피 취향: 진하게\n"
    assert cli.run("facts", "edit", "커피 취향", "연하게").out == "Changed: 커피 취향: 연하게\n"
    assert cli.run("facts", "pin", "커피 취향").out == "커피 취향 is pinned.\n"
    (fact,) = cli.run("facts", "list", "--json").json
    assert (fact["value"], fact["pinned"], fact["category"], fact["origin"]) == ("연하게", True, "taste", "you")
    listed = cli.run("facts").out
    assert listed.startswith(fact["id"][:8])
    assert "◆" in listed
    deleted = cli.run("facts", "delete", fact["id"][:8]).out
    restore = f"mnemoscope --data-dir {cli.data_dir} --profile default facts restore {fact['id'][:8]}"
    assert deleted.splitlines() == [
        f"커피 취향 was deleted. To bring it back: {restore}",
        "Its text stands in 0 messages of your conversations.",
    ]
    assert cli.run("facts", "list", "--json").json == []
    assert [one["id"] for one in cli.run("facts", "list", "--deleted", "--json").json] == [fact["id"]]
    assert cli.run("facts", "delete", "커피 취향").code == 1
    assert cli.run("facts", "undo").out == "Taken back: 커피 취향 is again: 연하게\n"
    actions = [change["action"] for change in cli.run("facts", "history", "커피 취향", "--json").json]
    assert actions == ["added", "edited", "pinned", "deleted", "undone"]
    assert "연하게" in cli.run("facts", "show", "커피 취향").out


def test_the_history_tells_a_change_of_expiry_and_of_scope(cli: CommandLine) -> None:
    conversation = cli.run("chat", "My trip begins on Monday.").conversation
    cli.run("facts", "add", "seat", "12A")
    for words in (("expire", "seat", "2099-12-31"), ("expire", "seat", "--off"), ("scope", "seat", conversation)):
        assert cli.run("facts", *words).code == 0
    cli.run("facts", "scope", "seat", "--off")
    title = cli.run("conversations", "--json").json[0]["title"]
    told = [re.split(r"\s{2,}", line)[2:] for line in cli.run("facts", "history", "seat").out.splitlines()]
    assert told == [
        ["added", "12A"],
        ["changed", "holds until 2100-01-01 00:00"],
        ["changed", "no longer ends"],
        ["changed", f"holds only in “{title}”"],
        ["changed", "holds everywhere"],
    ]
    changed = [change["changed"] for change in cli.run("facts", "history", "seat", "--json").json]
    assert changed[3:] == [{"scope": ["", conversation]}, {"scope": [conversation, ""]}]


def test_the_history_tells_whose_a_value_is(cli: CommandLine) -> None:
    cli.run("chat", "Remember that my bicycle is green.")
    (waiting,) = cli.run("facts", "pending", "--json").json
    cli.run("facts", "approve", waiting["id"], "--value", "dark green")
    (fact,) = cli.run("facts", "--json").json
    assert (fact["origin"], fact["source"]) == ("you", None)
    assert "→ dark green; now from you" in cli.run("facts", "history", fact["id"]).out
    cli.run("facts", "undo")
    (again,) = cli.run("facts", "pending", "--json").json
    assert (again["origin"], again["source"]) == ("assistant", waiting["source"])


def test_what_the_assistant_did_is_taken_back_by_its_key_only(cli: CommandLine) -> None:
    cli.run("facts", "add", "city", "Seoul")
    cli.run("chat", "Remember that my locker code is 7731.", "--allow-memory")
    (locker,) = [fact for fact in cli.run("facts", "list", "--json").json if "7731" in fact["value"]]
    assert cli.run("facts", "undo").out == "Taken back: city is not kept any more.\n"
    assert cli.run("facts", "undo").out == "There is no change to take back.\n"
    assert cli.run("facts", "undo", locker["key"]).out == f"Taken back: {locker['key']} is not kept any more.\n"
    assert cli.run("facts", "undo", locker["id"]).out == "There is no change to take back.\n"
    assert cli.run("facts", "undo", "nothing like it").code == 1
    assert cli.run("facts", "list", "--json").json == []


def test_a_deletion_of_long_ago_is_undone_alone(cli: CommandLine) -> None:
    cli.run("facts", "add", "locker", "7731")
    cli.run("facts", "delete", "locker")
    cli.run("facts", "add", "other", "later")
    assert cli.run("facts", "restore", "locker").out == "Back again: locker: 7731\n"
    assert sorted(fact["key"] for fact in cli.run("facts", "list", "--json").json) == ["locker", "other"]
    cli.run("facts", "delete", "locker")
    cli.run("facts", "add", "locker", "8842")
    assert "another fact has this key now. Bring it back under another one: --key NEWKEY." in (
        cli.run("facts", "restore", "locker").line
    )
    assert "has this key now" in cli.run("facts", "restore", "locker", "--key", "other").line
    assert cli.run("facts", "restore", "locker", "--key", "old locker").out == "Back again: old locker: 7731\n"
    assert sorted(fact["value"] for fact in cli.run("facts", "list", "--json").json) == ["7731", "8842", "later"]
    assert cli.run("facts", "undo").code == 0
    assert [fact["key"] for fact in cli.run("facts", "list", "--deleted", "--json").json] == ["locker"]


def test_the_price_of_a_change_is_told_instead_of_the_change(cli: CommandLine) -> None:
    cli.run("facts", "add", "locker", "7731")
    assert cli.run("facts", "delete", "locker", "--price").out == (
        "Deleting: nothing of this conversation is in the cache any more, so nothing is lost.\n"
    )
    assert "nothing is written anew now" in cli.run("facts", "add", "tea", "green", "--price").out
    assert "Pinning: nothing is written anew now." in cli.run("facts", "pin", "locker", "--price").out
    assert "Unpinning: nothing" in cli.run("facts", "pin", "locker", "--off", "--price").out
    edited = cli.run("facts", "edit", "locker", "8842", "--price", "--json").json
    assert edited["act"] == "fact_edited"
    assert edited["now"] == {"tokens": 0, "usd": None}
    assert edited["later"]["when"] == "next_message"
    assert edited["later"]["tokens"] > 20
    assert [(fact["key"], fact["value"]) for fact in cli.run("facts", "--json").json] == [("locker", "7731")]
    assert cli.run("facts", "delete", "nothing", "--price").code == 1


def test_a_deletion_tells_what_it_writes_anew(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def talk() -> None:
        values = {"plain_endpoint": False, "instructions": INSTRUCTIONS * 12}
        async with open_house(tmp_path / "data", simulator.url, simulated=False, **values) as house:
            await house.services.memory.add("locker", "7731")
            conversation = await house.ask("My bicycle is locked at the station, rack 14.")
            await house.ask("write 90 words about snow", conversation)

    simulator.reset()
    asyncio.run(talk())
    cli = CommandLine(tmp_path / "data", simulator.url)
    told = cli.run("facts", "delete", "locker", "--price", "--lang", "ko").out
    assert re.fullmatch(r"삭제: ≈\s\d{3}토큰을 캐시에서 읽지 않고 새로 씁니다.\n", told)
    deleted = cli.run("facts", "delete", "locker")
    assert deleted.out.startswith("locker was deleted.")
    assert re.fullmatch(
        r"Deleting: ≈\s\d{3} tokens are written anew instead of being read from the cache.\n", deleted.err
    )


def test_two_letters_are_no_id(cli: CommandLine) -> None:
    for number in range(40):
        cli.run("facts", "add", f"key {number}", "x")
    (fact, *_) = cli.run("facts", "list", "--json").json
    assert cli.run("facts", "delete", fact["id"][:2]).code == 1
    assert len(cli.run("facts", "list", "--json").json) == 40


def test_undo_goes_back_step_by_step_to_nothing(cli: CommandLine) -> None:
    cli.run("facts", "add", "k", "one")
    cli.run("facts", "add", "k", "two")
    assert cli.run("facts", "undo").out == "Taken back: k is again: one\n"
    assert cli.run("facts", "undo").out == "Taken back: k is not kept any more.\n"
    assert cli.run("facts", "undo").out == "There is no change to take back.\n"


@pytest.mark.parametrize(
    ("arguments", "begins"),
    [
        (("facts", "show", "nothing"), "There is no fact “nothing” in this profile."),
        (("facts", "edit", "nothing", "x"), "There is no"),
        (("facts", "add", " ", "x"), "“ ” cannot be used: a fact needs a key"),
        (("facts", "add", "k", "\u200b"), "“\u200b” cannot be used: a fact needs a value"),
        (("facts", "add", "k", "v" * 9_000), "“vvv"),
        (("facts", "approve", "nothing"), "There is no"),
        (("profiles", "use", "nothing"), "“nothing” cannot be used: there is no such profile"),
        (("profiles", "add", "DEMO"), "“DEMO” cannot be used: there is a profile of this name"),
        (("facts", "restore", "nothing"), "There is no fact “nothing” in this profile."),
        (("compact",), "Not found: the conversation."),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(cli: CommandLine, arguments: tuple[str, ...], begins: str) -> None:
    ended = cli.run(*arguments)
    assert ended.code == 1
    assert ended.line.startswith(begins)


def test_what_the_assistant_wants_to_keep_waits_where_nobody_can_be_asked(cli: CommandLine) -> None:
    said = cli.run("chat", "Remember that my bicycle is green.")
    assert said.code == 0
    assert "1 proposed fact waits for your approval" in said.err
    assert cli.run("facts", "list", "--json").json == []
    (waiting,) = cli.run("facts", "list", "--pending", "--json").json
    assert "green" in waiting["value"]
    assert waiting["source"]["conversation"] == said.conversation
    assert cli.run("facts", "approve", waiting["key"]).out.startswith("Kept: ")
    assert [fact["key"] for fact in cli.run("facts", "list", "--json").json] == [waiting["key"]]
    assert "green" in cli.run("chat", "What colour is my bicycle?").out


def test_allowed_beforehand_it_is_kept_and_denied_it_is_gone(cli: CommandLine) -> None:
    cli.run("chat", "Remember that my bicycle is green.", "--allow-memory")
    (fact,) = cli.run("facts", "list", "--json").json
    assert (fact["origin"], fact["state"]) == ("assistant", "active")
    cli.run("chat", "Remember that my umbrella is blue.")
    (waiting,) = cli.run("facts", "list", "--pending", "--json").json
    assert cli.run("facts", "deny", waiting["id"]).out == "umbrella: the proposal was refused.\n"
    assert cli.run("facts", "list", "--pending", "--json").json == []
    assert len(cli.run("facts", "list", "--json").json) == 1
    assert cli.run("facts", "list", "--deleted", "--json").json == []
    assert [one["id"] for one in cli.run("facts", "list", "--state", "denied", "--json").json] == [waiting["id"]]
    history = cli.run("facts", "history", waiting["id"]).out.splitlines()
    assert re.search(r"you +refused +", history[-1])
    assert "was refused" in cli.run("facts", "approve", "umbrella").line
    assert "was refused" in cli.run("facts", "edit", "umbrella", "red").line
    assert cli.run("facts", "restore", "umbrella").out.startswith("umbrella waits for your approval again")


def test_a_search_finds_by_the_words_of_both_languages(cli: CommandLine) -> None:
    cli.run("facts", "add", "보험 증권", "KX-20418, 책상 둘째 서랍")
    cli.run("facts", "add", "plumber", "after 18:00, not on Mondays")
    assert [one["key"] for one in cli.run("facts", "list", "--search", "증권", "--json").json][:1] == ["보험 증권"]
    assert [one["key"] for one in cli.run("facts", "list", "--search", "KX-20418", "--json").json][:1] == ["보험 증권"]
    assert cli.run("facts", "list", "--search", '"*(', "--json").json == []


def test_no_command_shows_a_fact_of_another_profile(cli: CommandLine) -> None:
    assert cli.run("profiles", "add", "work").out == "The profile work was made.\n"
    cli.run("facts", "add", "coffee", "CANARY dark roast")
    (fact,) = cli.run("facts", "list", "--json").json
    cli.run("--profile", "work", "facts", "add", "tea", "green")
    seen = []
    for name in ("coffee", fact["id"], fact["id"][:8]):
        seen += [
            cli.run("--profile", "work", "facts", *command)
            for command in (
                ("list",), ("list", "--search", "CANARY dark roast"), ("list", "--deleted"), ("list", "--pending"),
                ("show", name), ("edit", name, "x"), ("pin", name), ("delete", name), ("history", name),
                ("accept", name), ("deny", name),
            )
        ]  # fmt: skip
    seen += [
        cli.run("--profile", "work", *command) for command in (("chat", "What is my coffee?"), ("context",), ("cache",))
    ]
    seen += [cli.run("--profile", "work", "request"), cli.run("--profile", "work", "facts", "undo")]
    seen.append(cli.run("--profile", "work", "facts", "undo"))
    assert not [ended for ended in seen if "CANARY" in ended.out + ended.err]
    (unchanged,) = cli.run("facts", "list", "--json").json
    assert unchanged == fact


def test_profiles_are_listed_and_the_one_in_use_is_kept(cli: CommandLine) -> None:
    cli.run("profiles", "add", "work")
    assert cli.run("profiles", "use", "work").out == "work is in use now.\n"
    names = [(one["name"], one["in_use"]) for one in cli.run("profiles", "--json").json]
    assert names == [("default", False), ("work", True), ("demo", False)]
    assert "* work" in cli.run("profiles").out.replace("*  ", "* ")


def test_the_past_is_folded_and_unfolded(cli: CommandLine) -> None:
    first = cli.run("chat", "The backups go to /srv/backup/nas-7 each night.")
    talk = first.conversation
    for text in ("write 300 words about harbours", "write 300 words about rivers", "Thank you."):
        cli.run("chat", text, "--conversation", talk)
    settings = cli.data_dir / "settings.json"
    settings.write_text('{"profiles": {"default": {"fold_tokens": 1000, "fold_keep": 200}}}')
    plan = cli.run("compact", "--dry-run", "--json").json
    assert plan["messages"] >= 2
    folded = cli.run("compact", "--focus", "the backups", "--json").json
    assert folded["messages"] == plan["messages"]
    assert folded["after"] < folded["before"]
    assert "/srv/backup/nas-7" in folded["summary"]
    rows = {row["segment"]: row["tokens"] for row in cli.run("context", "--json").json["rows"]}
    assert rows["summary"] > 0
    assert "/srv/backup/nas-7" in cli.run("chat", "Where do the backups go?", "--conversation", talk).out
    cli.run("facts", "add", "backups", "/srv/backup/nas-7")
    shown = cli.run("facts", "show", "backups", "--json").json
    assert (shown["messages"] >= 1, shown["conversations"], shown["summaries"]) == (True, 1, 1)
    told = "It also stands in 1 summary of what was folded; undo that folding to take it out."
    assert told in cli.run("facts", "show", "backups").out
    assert told in cli.run("facts", "delete", "backups").out
    assert "was taken back" in cli.run("compact", "--undo").out or "were taken back" in cli.run("compact", "--undo").out
    assert cli.run("compact", "--undo").out == "There is no folding to take back.\n"


def test_a_fact_rests_expires_and_holds_in_one_conversation(cli: CommandLine) -> None:
    cli.run("facts", "add", "room", "3A")
    assert cli.run("facts", "pause", "room").out.startswith("room is paused")
    assert cli.run("facts", "--json").json == []
    assert cli.run("facts", "resume", "room").out == "room is used again: 3A\n"
    assert cli.run("facts", "archive", "room").out.startswith("room was archived. To bring it back: mnemoscope ")
    assert [fact["key"] for fact in cli.run("facts", "list", "--state", "archived", "--json").json] == ["room"]
    assert cli.run("facts", "restore", "room").out == "Back again: room: 3A\n"
    assert "“room” cannot be used: this fact is in use" in cli.run("facts", "resume", "room").line
    assert cli.run("facts", "expire", "room", "2999-12-31").out.startswith("room holds until 3000-01-01 00:00")
    assert "it would be over already" in cli.run("facts", "expire", "room", "2020-01-01").line
    assert "a day is written like" in cli.run("facts", "expire", "room", "tomorrow").line
    for far in ("9999-12-31", "9999-12-31T23:59", "9999-01-01T00:00+14:00", "9500-06-01"):
        assert "a fact expires by the year 9000" in cli.run("facts", "expire", "room", far).line
    assert "Holds until 3000-01-01 00:00." in cli.run("facts", "show", "room").out
    assert cli.run("facts", "expire", "room", "--off").out == "room holds for good.\n"
    assert cli.run("facts", "expire", "room").code == 2
    here = cli.run("chat", "Good morning.").conversation
    assert cli.run("facts", "scope", "room", here).out == "room holds in “Good morning.” only.\n"
    assert cli.run("facts", "scope", "room", "nothing").line.startswith("Not found")
    assert cli.run("facts", "show", "room", "--json").json["scope"] == here
    assert "3A" not in cli.run("chat", "What is my room?").out
    assert "3A" in cli.run("chat", "What is my room?", "--conversation", here).out
    assert cli.run("facts", "scope", "room", "--off").out.startswith("room holds in every conversation")


def test_facts_give_their_place_and_become_one(cli: CommandLine) -> None:
    for key, value in (("drink", "coffee"), ("tea", "green tea"), ("음료", "녹차")):
        cli.run("facts", "add", key, value)
    assert cli.run("facts", "supersede", "drink", "tea").out.startswith("tea took the place of drink.")
    assert "tea took its place on 2" in cli.run("facts", "show", "drink").out
    assert cli.run("facts", "merge", "tea", "음료", "--value", "green tea, 녹차").out == (
        "One fact now: tea: green tea, 녹차\n"
    )
    assert [(fact["key"], fact["state"]) for fact in cli.run("facts", "--json").json] == [("tea", "active")]
    cli.run("facts", "pin", "tea")
    cli.run("facts", "add", "water", "still")
    refused = cli.run("facts", "supersede", "tea", "water")
    assert (
        refused.code == 1 and "“tea” cannot be used: it is pinned" in refused.line and "--even-pinned" in refused.line
    )
    assert cli.run("facts", "supersede", "tea", "water", "--even-pinned").code == 0
    history = cli.run("facts", "history", "tea").out
    assert [line.split()[2] for line in history.splitlines()] == ["you"] * 4
    assert cli.run("facts", "undo").out == "Taken back: tea is again: green tea, 녹차\n"
    again = cli.run("facts", "add", "drink", "coffee")
    assert again.out == "Back again: drink: coffee\n"
    assert cli.run("facts", "add", "drink", " coffee ").out == "Kept already: drink: coffee\n"
    assert "Told again in the same words 1 time." in cli.run("facts", "show", "drink").out


def test_what_waits_is_shown_with_its_source_and_approved_in_place_of_another(cli: CommandLine) -> None:
    assert cli.run("facts", "pending").out == "Nothing waits for your approval.\n"
    cli.run("facts", "add", "cycle", "red")
    cli.run("chat", "Remember that my bicycle is green.")
    told = cli.run("facts", "pending").out
    assert "Remember that my bicycle is green." in told and "from Claude" in told
    (waiting,) = cli.run("facts", "pending", "--json").json
    assert waiting["relations"] == [] or waiting["relations"][0]["fact"]["key"] == "cycle"
    assert cli.run("facts", "approve", waiting["id"], "--as", "cycle").line.startswith("“cycle” cannot be used")
    assert cli.run("facts", "approve", waiting["id"], "--as", "x", "--replace", "cycle").code == 2
    kept = cli.run("facts", "approve", waiting["id"][:8], "--replace", "cycle", "--value", "green now")
    assert kept.out == f"Kept: {waiting['key']}: green now\n"
    assert [fact["value"] for fact in cli.run("facts", "--json").json] == ["green now"]
    assert cli.run("facts", "undo").code == 0
    assert [fact["value"] for fact in cli.run("facts", "--json").json] == ["red"]
    assert cli.run("facts", "approve", waiting["id"], "--as", "my bicycle").out.startswith("Kept: my bicycle: ")
    assert sorted(fact["key"] for fact in cli.run("facts", "--json").json) == ["cycle", "my bicycle"]


def test_both_languages_tell_it(cli: CommandLine) -> None:
    assert cli.run("--lang", "ko", "facts").out == "여기에는 아직 사실이 없습니다.\n"
    assert cli.run("--lang", "ko", "facts", "add", "k", "v").out == "보관했습니다. k: v\n"
    assert cli.run("--lang", "ko", "facts", "delete", "k").out.startswith("k: 삭제했습니다.")


def test_a_secret_is_masked_and_told_so_unless_it_is_to_be_kept(cli: CommandLine) -> None:
    kept = cli.run("facts", "add", "wifi password", "hunter2-FAKE").out
    assert kept == "Kept: wifi password: ⟨password⟩\nMasked: password. To keep it as it is, say --keep-secrets.\n"
    added = cli.run("facts", "edit", "wifi password", "비밀번호: 가짜비번1234!", "--json").json
    assert (added["fact"]["value"], added["masked"]) == ("비밀번호: ⟨비밀번호⟩", ["password"])
    files = [path for path in cli.data_dir.rglob("*") if path.is_file()]
    assert [path for path in files if b"hunter2" in path.read_bytes() or "가짜비번".encode() in path.read_bytes()] == []
    as_it_is = cli.run("facts", "add", "vault", "password=hunter3-FAKE", "--keep-secrets").out
    assert as_it_is == "Kept: vault: password=hunter3-FAKE\n"
    assert "hunter3-FAKE" in cli.run("facts", "show", "vault").out
    assert cli.run("facts", "show", "vault", "--json").json["keeps_secrets"] is True
    assert cli.run("facts", "mask", "vault").out == "Changed: vault: password=⟨password⟩\n"
    assert "hunter3" not in cli.run("facts", "history", "vault", "--json").out
    assert cli.run("facts", "suspected").out == "No fact holds a secret that should be masked.\n"


def test_secrets_of_older_days_are_listed_and_masked_for_good(cli: CommandLine) -> None:
    cli.run("facts", "add", "old", "harmless")
    with closing(sqlite3.connect(cli.data_dir / "mnemoscope.db")) as connection, connection:
        connection.execute("UPDATE fact SET value = 'password=hunter2-FAKE', checked_by = 0")
    listed = cli.run("facts", "suspected").out
    assert "password=⟨password⟩" in listed and "hunter2" not in listed
    assert "In 1 fact a secret is kept." in listed
    assert "1 fact was masked for good" in cli.run("facts", "suspected", "--mask").out
    with closing(sqlite3.connect(cli.data_dir / "mnemoscope.db")) as connection:
        assert connection.execute("SELECT value FROM fact").fetchall() == [("password=⟨password⟩",)]
