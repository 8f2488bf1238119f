"""Keys are taken out of logs, traces, errors and terminal output, whoever wrote them there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from desktop_app.core import errors
from desktop_app.core.redaction import HIDDEN, never_show, redact
from tests.fakes.key_stores import CANARY, HEAD

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (f"x-api-key: {CANARY}\r\n", f"x-api-key: {HIDDEN}\r\n"),
        (f"{{'key': '{CANARY}'}}", f"{{'key': '{HIDDEN}'}}"),
        (f"the key {CANARY}.", f"the key {HIDDEN}."),
        (f"masked {CANARY[:16]}…", f"masked {HIDDEN}…"),
        ("It usually begins with sk-ant-.", "It usually begins with sk-ant-."),
        ("sk-ant-…", "sk-ant-…"),
        ("embeddings with sk-" + "proj-" + "TEST0000" * 3, f"embeddings with {HIDDEN}"),
        ("plain text", "plain text"),
    ],
)
def test_what_is_shaped_like_a_key_is_taken_out(text: str, clean: str) -> None:
    assert redact(text) == clean


def test_a_key_in_use_is_taken_out_whatever_its_shape_and_spelling() -> None:
    key = 'gateway"token\\0123456789'
    never_show(key)
    for text in (key, repr(key), f"{key[:14]}****", "gateway%22token%5C0123456789", 'gateway\\"token\\\\0123456789'):
        assert "gateway" not in redact(text)


def test_a_short_word_used_as_a_key_does_not_blank_out_sentences() -> None:
    never_show("lm-studio")
    assert redact("lm-studio answers") == "lm-studio answers"


LOGGING = f"""
import io, logging, sys, threading
from desktop_app.core import redaction
redaction.install(); redaction.install()
key = {CANARY!r}
out = io.StringIO()
logging.basicConfig(level=logging.DEBUG, stream=out)
late = logging.StreamHandler(out)
logging.getLogger("httpx2").addHandler(late)
logging.getLogger("httpx2").debug("headers %s", {{"x-api-key": key}})
logging.getLogger("anthropic").info("sent " + key)
logging.getLogger("broken").warning("%d", key)
def fail():
    raise ValueError(f"bad {{key}}") from KeyError(key)
try:
    fail()
except ValueError:
    logging.getLogger("asyncio").exception("failed with %s", key, stack_info=True)
assert out.getvalue().count("[key]") >= 5, out.getvalue()
assert "ValueError: bad [key]" in out.getvalue() and "in fail" in out.getvalue()
sys.stdout.write(out.getvalue())
thread = threading.Thread(target=fail)
thread.start(); thread.join()
class Dying:
    def __del__(self): fail()
Dying()
fail()
"""


def test_logs_and_traces_hold_no_key() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOGGING], cwd=ROOT, capture_output=True, text=True, timeout=15, check=False
    )
    assert done.stderr.count("ValueError: bad [key]") == 3, done.stderr
    assert HEAD not in done.stdout + done.stderr.replace(repr(CANARY), "")


def test_errors_hold_no_key_in_anything_they_carry() -> None:
    error = errors.BadInput(f"typed {CANARY}", what=f"https://{CANARY}", why="url", seconds=3)
    assert HEAD not in f"{error!r} {error} {error.details} {error.params}"
    assert error.params["seconds"] == 3
