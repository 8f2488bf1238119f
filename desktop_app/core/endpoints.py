"""Where requests go: Anthropic, another server of the Messages API, or the simulated assistant."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from desktop_app.core.errors import BadInput

ANTHROPIC_URL = "https://api.anthropic.com"
_USUAL_PORTS = {"https": 443, "http": 80}
_ADDRESS = re.compile(r"[.:]")


class EndpointKind(StrEnum):
    """The three kinds of endpoint."""

    ANTHROPIC = "anthropic"
    CUSTOM = "custom"
    SIMULATOR = "simulator"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A kind and its base URL, without `/v1` and without a trailing slash."""

    kind: EndpointKind
    url: str

    @property
    def host(self) -> str:
        """Host and port for the status bar."""
        return urlsplit(self.url).netloc

    @property
    def identity(self) -> str:
        """What names it over time: the simulated assistant has another port at each start."""
        return self.kind.value if self.kind is EndpointKind.SIMULATOR else self.url

    @property
    def leaves_network(self) -> bool:
        """Whether it is reached over the internet: with encryption, outside this machine and the network around it."""
        parts = urlsplit(self.url)
        host = parts.hostname or ""
        return parts.scheme == "https" and not is_loopback(host) and not _is_private(host)

    @property
    def needs_key(self) -> bool:
        """Whether a request without a key is pointless."""
        return self.kind is EndpointKind.ANTHROPIC


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server of the Messages API found on loopback: product name, base URL, model ids it lists."""

    name: str
    url: str
    models: tuple[str, ...] = ()


def endpoint_for(url: str) -> Endpoint:
    """The endpoint behind a base URL a person typed; raises BadInput for one that cannot be used."""
    clean = clean_url(url)
    kind = EndpointKind.ANTHROPIC if clean == ANTHROPIC_URL else EndpointKind.CUSTOM
    return Endpoint(kind, clean)


def clean_url(url: str) -> str:
    """The base URL as the SDK wants it: scheme and host, no `/v1`, `/v1/messages` or slash at the end."""
    text = url.strip()
    try:
        if "://" not in text:
            if not _ADDRESS.search(text) and not is_loopback(text):
                raise BadInput(what=url, why="url")  # any word would be a host
            text = ("http://" if is_loopback(urlsplit(f"//{text}").hostname or "") else "https://") + text
        parts = urlsplit(text)
        port = None if parts.port == _USUAL_PORTS.get(parts.scheme) else parts.port
    except ValueError as error:
        raise BadInput(str(error), what=url, why="url") from error
    host = parts.hostname or ""
    unreadable = parts.scheme not in _USUAL_PORTS or not host or any(char.isspace() for char in text)
    if unreadable or "@" in parts.netloc or parts.query:
        raise BadInput(what=url, why="url")
    if parts.scheme == "http" and not is_loopback(host) and not _is_private(host):
        raise BadInput(what=url, why="url_plain_http")
    path = parts.path.rstrip("/")
    for ending in ("/v1/messages", "/v1"):
        if path.endswith(ending):
            path = path[: -len(ending)]
            break
    shown_host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown_host}{f':{port}' if port else ''}{path.rstrip('/')}"


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine itself."""
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _is_private(host: str) -> bool:
    """Addresses and names that do not leave the home or office network."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".lan", ".internal", ".home.arpa"))
