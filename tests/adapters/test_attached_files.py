"""Only plain files are read, and no more of them than can be used; nothing waits for what has no end."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest

from desktop_app.adapters.attached_files import AttachedFiles
from desktop_app.adapters.store import Store
from desktop_app.core.attachments import message_blocks
from desktop_app.core.conversation import Message, Origin, Role
from desktop_app.core.errors import AttachmentUnusable
from desktop_app.services.attachments import AttachmentService
from tests.fakes.attached import noise_png, picture


def refused(path: Path) -> str:
    with pytest.raises(AttachmentUnusable) as error:
        AttachedFiles().read_whole(path, 100)
    return str(error.value.params["why"])


def test_a_file_is_read_up_to_one_byte_more_than_the_limit(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(bytes(range(200)))
    assert AttachedFiles().read_whole(file, 500) == bytes(range(200))
    assert AttachedFiles().read_whole(file, 9) == bytes(range(10))
    link = tmp_path / "link"
    link.symlink_to(file)
    assert AttachedFiles().read_whole(link, 500) == bytes(range(200))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system")
def test_what_is_no_plain_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to_device").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for name in ("pipe", "to_device", "socket", "."):
            assert refused(tmp_path / name) == "not_a_file"
    assert refused(Path("/dev/zero")) == "not_a_file"


def test_what_is_not_there_or_not_to_be_read_says_so(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for path in (tmp_path / "gone.png", tmp_path / "loop", Path("a\0b")):
        assert refused(path) == "unreadable"


def test_the_service_names_the_file_without_its_folder(tmp_path: Path) -> None:
    file = tmp_path / "harbour plan.png"
    file.write_bytes(noise_png(30, 20))
    made = asyncio.run(AttachmentService(AttachedFiles()).from_file(file))
    assert (made.attachment.name, made.attachment.measure) == ("harbour plan.png", "30×20")
    assert asyncio.run(AttachmentService(AttachedFiles()).from_bytes("a.png", noise_png(30, 20))).data == made.data


def test_the_list_of_conversations_shows_names_never_base64(tmp_path: Path) -> None:
    async def test() -> None:
        store = Store.open(tmp_path)
        try:
            talk = await store.create_conversation("p", "t", False)
            shown = []
            for number, text in enumerate(("", "Where?")):
                parent = None if number == 0 else "m0"
                blocks = message_blocks(text, [picture("harbour.png", 20)])
                await store.add_message(Message(f"m{number}", talk.id, parent, Role.USER, blocks, Origin.TYPED))
                shown.append((await store.conversation(talk.id)).excerpt)
            assert shown == ["harbour.png", "Where?"]
        finally:
            await store.close()

    asyncio.run(test())
