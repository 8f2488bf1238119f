"""How connections to an endpoint are made: over a proxy or not, with which certificates, and never on to elsewhere."""

from __future__ import annotations

import anthropic
import httpx2

from desktop_app.core.endpoints import Endpoint
from desktop_app.core.errors import NetworkSettingsUnusable


def open_connections(endpoint: Endpoint) -> httpx2.AsyncClient:
    """A client with the SDK's limits and keep-alive; raises NetworkSettingsUnusable.

    A proxy of the environment is used over the internet only: this machine and the network around it
    are seldom reached through one, and over plain http it would read the key. Certificates the
    environment names (SSL_CERT_FILE) hold everywhere. Redirects are not followed: they would carry
    the conversation to an address nobody chose.
    """
    try:
        return anthropic.DefaultAsyncHttpxClient(
            follow_redirects=False,
            trust_env=endpoint.leaves_network,
            verify=httpx2.create_ssl_context(),
        )
    except (ImportError, ValueError, OSError, httpx2.InvalidURL) as error:
        # Neither the URL of a proxy nor what it says may be shown: a password can stand in it.
        raise NetworkSettingsUnusable(type(error).__name__, host=endpoint.host) from error
