"""Shapes by which a secret is known wherever it stands: keys of the big providers, tokens, private keys, addresses."""

from __future__ import annotations

from desktop_app.core.lazy_pattern import lazy_pattern

_KEYS = (
    *(r"sk-ant-[A-Za-z0-9_-]{12,}", r"sk-(?:proj|svcacct|admin|or-v1|None|lf)-[A-Za-z0-9_-]{16,}"),
    r"sk-(?=[A-Za-z]*\d)[A-Za-z0-9]{20,}",  # OpenAI of old, DeepSeek, and who took after them
    *(r"gh[opsru]_[A-Za-z0-9]{30,}", r"github_pat_[A-Za-z0-9_]{22,}", r"glpat-[A-Za-z0-9_-]{20,}"),
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",  # AWS
    *(r"AIza[A-Za-z0-9_-]{35}", r"GOCSPX-[A-Za-z0-9_-]{20,}", r"ya29\.[A-Za-z0-9_-]{20,}"),  # Google
    *(r"xox[abeoprs]-[A-Za-z0-9-]{10,}", r"xapp-\d-[A-Za-z0-9-]{10,}"),  # Slack
    *(r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}", r"whsec_[A-Za-z0-9+/]{24,}"),  # Stripe
    *(r"hf_[A-Za-z0-9]{30,}", r"gsk_[A-Za-z0-9]{40,}", r"xai-[A-Za-z0-9]{40,}", r"pplx-[A-Za-z0-9]{40,}"),
    *(r"r8_[A-Za-z0-9]{37}", r"pa-[A-Za-z0-9_-]{40,}", r"csk-[a-z0-9]{40,}", r"nvapi-[A-Za-z0-9_-]{40,}"),
    *(
        r"npm_[A-Za-z0-9]{36}",
        r"pypi-[A-Za-z0-9_-]{40,}",
        r"do[opr]_v1_[a-f0-9]{64}",
        r"shp(?:at|ca|pa|ss)_[a-f0-9]{32}",
    ),
    *(r"ntn_[A-Za-z0-9]{40,}", r"lin_api_[A-Za-z0-9]{32,}", r"dapi[a-f0-9]{32}", r"sbp_[a-f0-9]{40}"),
    r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",  # SendGrid
    *(r"AGE-SECRET-KEY-1[A-Z0-9]{50,}", r"\d{8,10}:AA[A-Za-z0-9_-]{33}"),  # age; bots of Telegram
)
PROVIDER_KEY = lazy_pattern(rf"(?<![A-Za-z0-9])(?:{'|'.join(_KEYS)})")
"""A key as a provider of services gives it out."""

JWT = lazy_pattern(r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{5,}={0,2}\.eyJ[A-Za-z0-9_-]{4,}={0,2}\.[A-Za-z0-9_-]*")
PRIVATE_KEY = lazy_pattern(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:(?!-----BEGIN)[\s\S])*?-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----|[\sA-Za-z0-9+/=\\:,.-]*)"
)
"""A PEM block; one whose end is cut off reaches as far as its letters do."""

AUTHORIZATION = lazy_pattern(
    r"(?i:authorization)[\"']?\s*[:=]\s*[\"']?"
    r"(?:(?i:bearer|basic|token|digest|apikey|key)\s+(?P<under>[^\s\"',]{8,})|(?P<bare>(?=[^\s\"',]{0,200}\d)[^\s\"',]{12,}))"
)
BEARER = lazy_pattern(r"(?<![A-Za-z])(?i:bearer)\s+(?P<under>(?=[^\s\"',]*\d)[A-Za-z0-9._~+/=-]{16,})")
ADDRESS = lazy_pattern(r"://[^\s/:@?#\"'<>]{0,200}:(?P<password>[^\s/@\"'<>]{1,200})@(?=[^\s@])")
"""An address with a password in it."""
