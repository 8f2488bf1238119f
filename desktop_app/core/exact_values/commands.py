"""Finds command lines and queries inside sentences."""

from __future__ import annotations

from collections.abc import Iterator

from desktop_app.core.exact_values.kinds import Span, ValueKind
from desktop_app.core.exact_values.particles import without_particle
from desktop_app.core.lazy_pattern import lazy_pattern

_WITH_SUBCOMMAND_TEXT = (
    "git gh docker docker-compose podman kubectl helm npm npx pnpm yarn pip pip3 pipx uv poetry conda cargo "
    "rustup go brew apt apt-get dnf yum pacman systemctl journalctl terraform ansible aws gcloud az heroku "
    "flyctl firebase flutter dotnet mvn gradle make bazel composer gem bundle rails alembic django-admin "
    "ollama claude tmux launchctl winget choco snap"
)
_WITH_SUBCOMMAND = _WITH_SUBCOMMAND_TEXT.split()
_WITH_ARGUMENTS_TEXT = (
    "python python3 node deno bun ruby php java javac gcc clang cmake pytest ruff mypy black curl wget ssh "
    "scp rsync sftp ls cd cp mv rm mkdir rmdir touch chmod chown ln cat tail head less grep rg sed awk find "
    "xargs tar zip unzip sudo kill ps df du psql mysql sqlite3 redis-cli mongosh mongodump pg_dump "
    "pg_restore ffmpeg openssl nslookup dig ping traceroute netstat export source echo crontab nohup screen "
    "vim nano code open tee diff patch uvicorn gunicorn celery streamlit jupyter"
)
_WITH_ARGUMENTS = _WITH_ARGUMENTS_TEXT.split()
_TOOLS = dict.fromkeys(_WITH_SUBCOMMAND, True) | dict.fromkeys(_WITH_ARGUMENTS, False)
_SUBCOMMANDS_TEXT = (
    "add am apply archive attach auth bisect blame branch build bump bundle cache checkout cherry-pick chat "
    "ci clean clone commit compact compose config cordon cp create daemon-reload db delete deploy describe "
    "destroy diff disable down drain enable env exec export fetch fix fmt get grep help history image images "
    "import info init inspect install kill lint list load log login logout logs ls merge migrate model mv "
    "network new pack plan port pr prune ps publish pull push rebase reflog release reload remote remove "
    "rename reset restart restore revert rm rmi rollout run s3 save scale search serve set show shell stash "
    "start stats status stop submodule switch sync tag test top uninstall up update upgrade upgrade version "
    "view volume watch worktree write"
)
_SUBCOMMANDS = frozenset(_SUBCOMMANDS_TEXT.split())
_ENGLISH_TEXT = (
    "a after again all also an and any are as at be because before but by can command does for from had has "
    "have he if in into is it its not now of on once or our out over so than that the then there they this "
    "to until was we were when where which while will with you your first fails failed instead works every "
    "each"
)
_ENGLISH = frozenset(_ENGLISH_TEXT.split())
_WITH_TARGET = frozenset(("push", "pull", "fetch", "cp", "exec", "rename", "remote", "get", "describe", "delete"))
_BARE = lazy_pattern(r"[a-z][\w-]*$|[A-Z]{2,}$")
_NUMBER = lazy_pattern(r"\d[\d.]*$")
_TELLING = lazy_pattern(r"[./_:=@~$*\d\\{}<>|&-]")
_TOKEN = lazy_pattern(r" ((?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[^\s\"'가-힣`“”‘’「」][^\s\"'`“”‘’「」]{0,200}))+")
_QUERY = lazy_pattern(
    r"(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE (?:TABLE|INDEX|VIEW|DATABASE)|ALTER TABLE|DROP TABLE|TRUNCATE)"
    r"(?=\s)(?:'[^'\n]{0,120}'|\"[^\"\n]{0,120}\"|[^'\"\n;`가-힣]){3,400}"
)
_QUERY_WORDS = frozenset(("SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "ALTER", "DROP", "TRUNCATE"))
_FIRST_WORDS = _QUERY_WORDS | _TOOLS.keys()
_QUERY_BODY = lazy_pattern(r"\b(?:FROM|INTO|SET|WHERE|TABLE|INDEX|VIEW|DATABASE|ADD|VALUES)\b")
_SENTENCE_END = lazy_pattern(r"[.!?](?=\s[A-Z가-힣]|\s*$)")
_CUT = ".,;:!?)]*"


def commands(text: str) -> Iterator[Span]:
    """Command lines and queries."""
    words = _FIRST_WORDS.intersection(text.split())
    for name in sorted(words - _QUERY_WORDS):
        start = text.find(name + " ")
        while start >= 0:
            place = start + len(name)
            if not (start and (text[start - 1].isalnum() or text[start - 1] in "._/\\-")):
                end = _command_end(text, place, _TOOLS[name])
                if end > place:
                    yield start, end, ValueKind.COMMAND
            start = text.find(name + " ", place)
    if not words.isdisjoint(_QUERY_WORDS):
        for found in _QUERY.finditer(text):
            stop = _SENTENCE_END.search(text, found.start(), found.end())
            query = text[found.start() : stop.start() if stop else found.end()].rstrip(" \t.,:!?")
            if _QUERY_BODY.search(query):
                yield found.start(), found.start() + len(query), ValueKind.COMMAND


def _command_end(text: str, place: int, subcommand: bool) -> int:
    """Where the command that begins before `place` ends; `place` where nothing makes it one.

    A bare word is an argument behind the subcommand or a flag, and where only Korean goes on: else it is prose.
    """
    end, telling, bare = place, False, 0
    first = True
    while found := _TOKEN.match(text, place):
        token = found[0][1:]
        word = token.rstrip(_CUT) or token
        if _BARE.match(word):
            known = subcommand and first and word in _SUBCOMMANDS
            if not known and (word in _ENGLISH or not bare):
                break
            telling = telling or known
            bare = (2 if word in _WITH_TARGET else 1) if known else bare - 1
        elif (
            _TELLING.search(word)
            and not (first and _NUMBER.match(word))
            and not (first and subcommand and not token.startswith("-"))
        ):
            telling = True
            bare = int(token.startswith("-") or token in ("|", "&&", "||"))
        elif not first and token[:1] in "\"'":
            bare = 0
        else:
            break
        place = end = found.end()
        first = False
        if token[-1:] in ".,;!?)" and token not in ("..", "."):
            break
    if not telling:
        return -1
    body = text[max(end - 200, 0) : end]
    trimmed = body.rstrip(_CUT) if not body.endswith((" .", "/.", " ..")) else body
    if "가" <= trimmed[-1:] <= "힣":
        trimmed = without_particle(trimmed)
    return end - len(body) + len(trimmed)
