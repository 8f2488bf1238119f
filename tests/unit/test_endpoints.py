"""Addresses as people type them become base URLs, or are refused with their reason."""

from __future__ import annotations

import pytest

from desktop_app.core.endpoints import ANTHROPIC_URL, Endpoint, EndpointKind, clean_url, endpoint_for
from desktop_app.core.errors import BadInput


@pytest.mark.parametrize(
    ("typed", "clean"),
    [
        ("https://api.anthropic.com", "https://api.anthropic.com"),
        ("https://api.anthropic.com/", "https://api.anthropic.com"),
        ("https://api.anthropic.com/v1", "https://api.anthropic.com"),
        ("https://api.anthropic.com/v1/", "https://api.anthropic.com"),
        ("https://api.anthropic.com/v1/messages", "https://api.anthropic.com"),
        ("https://API.Anthropic.com:443/v1/messages/", "https://api.anthropic.com"),
        ("api.anthropic.com", "https://api.anthropic.com"),
        ("  https://proxy.example/llm/v1  ", "https://proxy.example/llm"),
        ("https://proxy.example/v1beta", "https://proxy.example/v1beta"),
        ("https://proxy.example:8443", "https://proxy.example:8443"),
        ("localhost:11434", "http://localhost:11434"),
        ("localhost", "http://localhost"),
        ("127.0.0.1:8080/v1", "http://127.0.0.1:8080"),
        ("http://127.0.0.1:80/", "http://127.0.0.1"),
        ("http://[::1]:1234/v1", "http://[::1]:1234"),
        ("[::1]:1234", "http://[::1]:1234"),
        ("[::1]", "http://[::1]"),
        ("HTTP://LOCALHOST:1234", "http://localhost:1234"),
        ("http://192.168.0.7:8080", "http://192.168.0.7:8080"),
        ("http://10.1.2.3", "http://10.1.2.3"),
        ("http://nas:8080", "http://nas:8080"),
        ("http://studio.local:1234", "http://studio.local:1234"),
        ("https://서버.example", "https://서버.example"),
        ("https://proxy.example/경로/v1", "https://proxy.example/경로"),
    ],
)
def test_addresses_that_can_be_used(typed: str, clean: str) -> None:
    assert clean_url(typed) == clean
    assert clean_url(clean) == clean


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("", "url"),
        ("   ", "url"),
        ("https://", "url"),
        ("https:///v1", "url"),
        ("hello world", "url"),
        ("http://local host:80", "url"),
        ("http://local\thost", "url"),
        ("http://localhost:99999", "url"),
        ("http://localhost:abc", "url"),
        ("ftp://example.com", "url"),
        ("file:///etc/passwd", "url"),
        ("javascript://x", "url"),
        ("https://user:pass@example.com", "url"),
        ("https://:pass@example.com", "url"),
        ("user@localhost:1234", "url"),
        ("https://example.com/?key=1", "url"),
        ("http://[::1", "url"),
        ("::1", "url"),
        ("http://api.anthropic.com", "url_plain_http"),
        ("http://example.com:8080", "url_plain_http"),
        ("http://8.8.8.8", "url_plain_http"),
        ("http://[2001:4860:4860::8888]", "url_plain_http"),
        ("http://localhost.example.com", "url_plain_http"),
    ],
)
def test_addresses_that_cannot(typed: str, why: str) -> None:
    with pytest.raises(BadInput) as caught:
        clean_url(typed)
    assert caught.value.params["why"] == why
    assert caught.value.params["what"] == typed
    assert caught.value.message_id == "errors.bad_input"


@pytest.mark.parametrize(
    ("typed", "endpoint", "host", "needs_key"),
    [
        ("api.anthropic.com/v1", Endpoint(EndpointKind.ANTHROPIC, ANTHROPIC_URL), "api.anthropic.com", True),
        ("https://api.anthropic.com:443", Endpoint(EndpointKind.ANTHROPIC, ANTHROPIC_URL), "api.anthropic.com", True),
        ("localhost:11434", Endpoint(EndpointKind.CUSTOM, "http://localhost:11434"), "localhost:11434", False),
        ("https://api.anthropic.com.a.example",
         Endpoint(EndpointKind.CUSTOM, "https://api.anthropic.com.a.example"), "api.anthropic.com.a.example", False),
        ("https://api.anthropic.com:8443",
         Endpoint(EndpointKind.CUSTOM, "https://api.anthropic.com:8443"), "api.anthropic.com:8443", False),
    ],
)  # fmt: skip
def test_only_anthropic_itself_is_anthropic(typed: str, endpoint: Endpoint, host: str, needs_key: bool) -> None:
    found = endpoint_for(typed)
    assert found == endpoint
    assert (found.host, found.needs_key) == (host, needs_key)
