"""A request's body, its bytes and the digests its prefixes are known by."""

from __future__ import annotations

from dataclasses import replace

from desktop_app.core.context_editing import clear_tool_results, compact_at
from desktop_app.core.conversation import text_block, to_json
from desktop_app.core.request import Mark, Request, RequestMessage
from tests.unit.message_samples import TOOLS, fixed_path, request_for


def small(**changes: object) -> Request:
    params = {"max_tokens": 100, "model": "m", "stream": True}
    messages = (RequestMessage("user", (text_block("a"), text_block("값"))),)
    return replace(Request(params, (), (), messages), **changes)  # type: ignore[arg-type]


def test_bytes_of_a_small_request() -> None:
    assert small().body_bytes().decode() == (
        '{"max_tokens":100,"messages":[{"role":"user","content":[{"type":"text","text":"a"},'
        '{"type":"text","text":"값"}]}],"model":"m","stream":true}'
    )


def test_fields_stand_in_the_order_of_the_wire_whatever_the_order_of_the_parameters() -> None:
    request = small(params={"stream": True, "thinking": {"type": "adaptive"}, "model": "m", "max_tokens": 1})
    assert list(request.body()) == ["max_tokens", "messages", "model", "thinking", "stream"]


def test_what_the_api_does_to_the_context_stands_where_the_sdk_writes_it() -> None:
    given = ("context_management", "stream", "diagnostics", "output_config", "compaction", "model", "max_tokens")
    request = small(params=dict.fromkeys(given, 1))
    assert list(request.body()) == [
        "max_tokens", "messages", "model", "compaction", "output_config", "context_management", "diagnostics", "stream",
    ]  # fmt: skip


def test_marks_are_written_into_copies() -> None:
    tools, system = TOOLS[:1], (text_block("s"),)
    marks = (Mark("tools", 0, "1h"), Mark("system", 0, "1h"), Mark(0, 1))
    request = small(tools=tools, system=system, marks=marks)
    body = request.body()
    assert body["tools"][0]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    assert body["system"][0]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    assert [block.get("cache_control") for block in body["messages"][0]["content"]] == [
        None,
        {"type": "ephemeral", "ttl": "5m"},
    ]
    assert "cache_control" not in to_json([list(tools), list(system), request.messages[0].as_json()])


def test_digests_name_every_prefix_and_pass_over_the_marks() -> None:
    request = request_for(fixed_path())
    digests = request.prefix_digests()
    assert len(set(digests)) == len(request.messages) == 7
    assert replace(request, marks=()).prefix_digests() == digests
    shorter = replace(request, messages=request.messages[:3])
    assert shorter.prefix_digests() == digests[:3]


def test_digests_change_with_whatever_the_count_depends_on() -> None:
    request = request_for(fixed_path())
    same = replace(request, params={**request.params, "max_tokens": 1, "stream": False})
    assert same.prefix_digests() == request.prefix_digests()
    others = [
        replace(request, params={**request.params, "model": "other"}),
        replace(request, params={**request.params, "thinking": {"type": "disabled"}}),
        replace(request, params={**request.params, "output_config": {"effort": "low"}}),
        replace(request, tools=request.tools[:1]),
        replace(request, tools=request.tools[::-1]),
        replace(request, system=()),
    ]
    for other in others:
        assert not set(other.prefix_digests()) & set(request.prefix_digests())


def test_blocks_come_in_the_order_of_the_prefix() -> None:
    request = request_for(fixed_path())
    parts = [part for part, _ in request.blocks()]
    assert parts == ["tools", "tools", "system", 0, 1, 1, 2, 3, 4, 4, 5, 5, 5, 5, 6, 6]
    assert (request.model, request.max_tokens) == ("claude-sonnet-5-5", 16_000)


def test_the_usual_effort_of_a_model_is_the_same_written_out() -> None:
    def digests(model: str, config: dict[str, object] | None) -> list[str]:
        more = {"output_config": config} if config is not None else {}
        return small(params={"max_tokens": 100, "model": model, **more}).prefix_digests()

    for model, usual, other in (
        ("claude-opus-5-5", "medium", "high"),
        ("claude-sonnet-5-5", "high", "medium"),
        ("claude-haiku-5-5-20261028", "medium", "low"),
    ):
        assert digests(model, {"effort": usual}) == digests(model, None)
        assert digests(model, {"effort": other}) != digests(model, None)
        form = {"format": {"type": "text"}}
        assert digests(model, {"effort": usual, **form}) == digests(model, form) != digests(model, None)
    assert digests("m", {"effort": "high"}) != digests("m", None)


def test_a_prefix_is_named_by_what_is_cleared_of_it_and_not_by_what_would_be_compacted() -> None:
    def digests(*edits: dict[str, object], **more: object) -> list[str]:
        changes = {"context_management": {"edits": list(edits)}} if edits else {}
        return small(params={"max_tokens": 100, "model": "m", **changes, **more}).prefix_digests()

    plain = digests()
    assert digests(compact_at(60_000)) == digests(compaction={"type": "summarize"}) == plain
    cleared = digests(clear_tool_results(30_000, 9_000))
    assert cleared != plain
    assert digests(clear_tool_results(30_000, 9_000), compact_at(60_000)) == cleared
    assert digests(clear_tool_results(40_000, 9_000)) != cleared
