"""Secrets in texts: by our own formats, and by those of a maintained detector (detect-secrets, Bridgecrew's line).

Only its patterns are used, in this process: it verifies nothing over the network, and its guesses by entropy and by
keywords are left out, for they take harmless notes for secrets.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from desktop_app.core.secrets.finding import find_secrets, unmasked
from desktop_app.core.secrets.folding import Folded, folded, without_breaks
from desktop_app.core.secrets.kinds import Secret, SecretKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from detect_secrets.plugins.base import RegexBasedDetector

VERSION = 1
"""Higher with every change of what is found, here, in `core.secrets` or in the library: facts that an earlier version
has looked through are looked through again."""
_SHORTEST = 16
"""No pattern of the library takes fewer characters for a secret; they stand without a blank between them."""
_LONG_WORD = re.compile(rf"[!-~]{{{_SHORTEST}}}")
_REMEMBERED = 2_000
"""Texts whose secrets are remembered: what is recalled and shown comes again and again."""
_LONGEST_REMEMBERED = 1_000
_KINDS = {"JSON Web Token": SecretKind.TOKEN, "Private Key": SecretKind.PRIVATE_KEY}


class SecretDetector:
    """Fulfils `core.ports.SecretDetector`; may be used from any thread."""

    def find(self, text: str) -> tuple[Secret, ...]:
        """The secrets of a text, in order and apart."""
        return _remembered(text) if len(text) <= _LONGEST_REMEMBERED else _found(text)


def _found(text: str) -> tuple[Secret, ...]:
    own, given = find_secrets(text), folded(text)
    if _LONG_WORD.search(given.text) is None and "\n" not in given.text:
        return own
    return unmasked(text, [*own, *_of_library(given)])


_remembered = lru_cache(_REMEMBERED)(_found)


def _of_library(given: Folded) -> Iterator[Secret]:
    """What the library's patterns find, line breaks or not; a secret that stands several times counts each time."""
    for view in (given, without_breaks(given)[0]) if "\n" in given.text else (given,):
        for plugin in _plugins():
            for secret in set(plugin.analyze_string(view.text)):
                at = view.text.find(secret) if len(secret) >= _SHORTEST else -1
                while at >= 0:
                    span = view.span(at, at + len(secret))
                    yield Secret(*span, _KINDS.get(str(plugin.secret_type), SecretKind.API_KEY))
                    at = view.text.find(secret, at + len(secret))


@cache
def _plugins() -> Sequence[RegexBasedDetector]:
    # Imported at the first text: the library brings an HTTP client along, which takes a tenth of a second.
    from detect_secrets.plugins import (
        aws,
        cloudant,
        discord,
        github_token,
        ibm_cloud_iam,
        ibm_cos_hmac,
        jwt,
        mailchimp,
        npm,
        private_key,
        sendgrid,
        slack,
        softlayer,
        square_oauth,
        stripe,
        twilio,
    )

    return (
        aws.AWSKeyDetector(),
        cloudant.CloudantDetector(),
        discord.DiscordBotTokenDetector(),
        github_token.GitHubTokenDetector(),
        ibm_cloud_iam.IbmCloudIamDetector(),
        ibm_cos_hmac.IbmCosHmacDetector(),
        jwt.JwtTokenDetector(),
        mailchimp.MailchimpDetector(),
        npm.NpmDetector(),
        private_key.PrivateKeyDetector(),
        sendgrid.SendGridDetector(),
        slack.SlackDetector(),
        softlayer.SoftlayerDetector(),
        square_oauth.SquareOAuthDetector(),
        stripe.StripeDetector(),
        twilio.TwilioKeyDetector(),
    )
