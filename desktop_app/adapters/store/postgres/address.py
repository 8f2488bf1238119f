"""The address of a PostgreSQL database as the person gives it, and as it may be shown: without a password."""

from __future__ import annotations

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from desktop_app.core.errors import BadInput
from desktop_app.core.redaction import never_show

DRIVER = "postgresql+psycopg"
_NAMES = (DRIVER, "postgresql", "postgres")
_SECRET = ("password", "sslpassword", "passfile")
"""What may stand behind the question mark and is nobody's to see."""


def address_of(given: str) -> URL:
    """The address as the driver takes it; raises BadInput. Its password is taken out of all logs from now on."""
    try:
        url = make_url(given.strip())
    except (ArgumentError, ValueError):
        # What stands behind a colon may be a password.
        raise BadInput(what=given.strip().partition(":")[0], why="database_url") from None
    if url.drivername not in _NAMES:
        raise BadInput(what=url.drivername, why="database_url")
    if url.password:
        never_show(url.password)
    return url.set(drivername=DRIVER)


def shown(url: URL) -> str:
    """The address without anything secret."""
    bare = URL.create(url.drivername, url.username, None, url.host, url.port, url.database, url.query)
    return bare.difference_update_query(_SECRET).render_as_string()
