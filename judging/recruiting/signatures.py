"""A marketplace's signatures: of links, by its published keys, and of messages, by a secret that both sides know."""

import base64
import hashlib
import hmac
import json
import logging
import time
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from urllib.parse import urlsplit

import jwt
from django.conf import settings
from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from jwt.types import Options

from judging.errors import BadFields, Unacceptable
from judging.models import Channel, Notice
from judging.recruiting import arrivals
from judging.recruiting.arrivals import ArrivalRefused, Claim, Outcome
from judging.recruiting.channels import PROLIFIC, parts_of, webhook_secret_of

TOKEN_PARAMETER = "prolific_token"  # noqa: S105  its name
KEYS_URL = "https://api.prolific.com/.well-known/study/jwks.json"
LONGEST_TOKEN = 8192
MOST_KEYS_BYTES = 100_000
KEYS_KEPT = 12 * 3600
FETCH_AGAIN = 60  # seconds, after fetching failed or brought no key of that name
CLOCK_SKEW = 300
STATUSES = {"RETURNED": Outcome.RETURNED, "TIMED-OUT": Outcome.TIMED_OUT, "REJECTED": Outcome.REJECTED}

log = logging.getLogger(__name__)


class NotSigned(ArrivalRefused):
    """The link is not one that the marketplace has made in the last minutes for this submission."""

    status, why = 403, "not-signed"


class NoKeys(ArrivalRefused):
    """The marketplace's keys are not at hand, so that nobody's signature can be checked."""

    status, why = 503, "no-keys"


class Forged(Unacceptable):
    """The message is not the marketplace's, or too old."""


def check_link(channel: Channel, claim: Claim, tokens: list[str]) -> Claim:
    """The claim, with what of it is signed. Refuses a link that was not signed for this submission and this site."""
    if len(tokens) != 1 or len(tokens[0]) > LONGEST_TOKEN:
        raise NotSigned
    try:
        name = jwt.get_unverified_header(tokens[0]).get("kid")
        options: Options = {"require": ["exp", "sub"], "verify_aud": False}
        claims = jwt.decode(tokens[0], key_named(channel, name), algorithms=["RS256"], options=options, leeway=10)
    except (jwt.InvalidTokenError, jwt.InvalidKeyError):
        raise NotSigned from None
    if not (claims["sub"] == claim.submission and is_for_us(claims) and names_nobody_else(channel, claims, claim)):
        raise NotSigned
    return replace(claim, signed="participant" if participants_named(channel, claims) else "submission")


def is_for_us(claims: dict) -> bool:
    """Whether the token's audience, where it names one, is this site: another site's must not open ours."""
    audience = claims.get("aud")
    if audience is None or not settings.PUBLIC_URL:
        return True
    ours = urlsplit(settings.PUBLIC_URL).hostname
    named = audience if isinstance(audience, list) else [audience]
    return any(isinstance(name, str) and ours == (parts_of(name).hostname or name.partition(":")[0]) for name in named)


def names_nobody_else(channel: Channel, claims: dict, claim: Claim) -> bool:
    """The token's own copy of the address's ids, where it carries one, must be the ids that came."""
    return all(named == claim.participant for named in participants_named(channel, claims))


def participants_named(channel: Channel, claims: dict) -> list:
    """Whom the token was made for, as often as it says so."""
    copy = claims.get("prolific")
    names = [channel.participant_parameter, "PROLIFIC_PID", "participant_id"]
    return [copy[name] for name in names if name in copy] if isinstance(copy, dict) else []


def key_named(channel: Channel, name: str | None) -> jwt.PyJWK:
    key = choose(channel.keys or published_keys(), name)
    if key is None and not channel.keys:
        key = choose(published_keys(again=True), name)  # they change from time to time
    if key is None:
        raise NotSigned
    return key


def choose(keys: dict, name: str | None) -> jwt.PyJWK | None:
    """The key of that name; a token that names none is checked by the only key."""
    try:
        rsa_keys = [key for key in jwt.PyJWKSet.from_dict(keys).keys if key.key_type == "RSA"]
    except (jwt.PyJWTError, AttributeError, TypeError):
        return None
    named = [key for key in rsa_keys if key.key_id == name] if name else rsa_keys
    return named[0] if len(named) == 1 else None


def published_keys(*, again: bool = False) -> dict:
    """The marketplace's keys, fetched once and kept. They are asked for once a minute at most, whoever forges what."""
    kept = cache.get("prolific-keys")
    if (kept is None or again) and cache.add("prolific-keys-asked", True, FETCH_AGAIN):
        kept = fetch_keys() or kept
        cache.set("prolific-keys", kept, KEYS_KEPT)
    if kept is None:
        raise NoKeys
    return kept


def fetch_keys() -> dict | None:
    try:
        with urllib.request.urlopen(KEYS_URL, timeout=5) as answer:
            keys = json.loads(answer.read(MOST_KEYS_BYTES))
    except (OSError, ValueError) as error:
        log.warning("The keys at %s could not be fetched: %s", KEYS_URL, error)
        return None
    return keys if isinstance(keys, dict) else None


def receive_message(channel: Channel, headers: Mapping[str, str], body: bytes) -> bool:
    """Act on a message about a submission, once. Whether it changed anything; unknown ones do nothing."""
    signature = check_message(channel, headers, body)
    outcome, submission = read_message(body)
    event = headers.get("X-Event-ID", "")
    if channel.source != PROLIFIC or outcome is None or not submission:
        return False
    try:
        with transaction.atomic():
            if not arrivals.ended_by_marketplace(channel, submission, outcome):
                return False
            Notice.objects.create(channel=channel, event=digest(event or signature), signature=digest(signature))
            return True
    except IntegrityError:  # heard before, so that it is undone
        return False


def check_message(channel: Channel, headers: Mapping[str, str], body: bytes) -> str:
    """The message's signature, if it is the marketplace's and of these minutes."""
    secret, timestamp = webhook_secret_of(channel), headers.get("X-Prolific-Request-Timestamp", "")
    if secret is None or not is_recent(timestamp):
        raise Forged
    expected = base64.b64encode(hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest())
    signature = headers.get("X-Prolific-Request-Signature", "")
    if not hmac.compare_digest(expected, signature.encode()):
        raise Forged
    return signature


def is_recent(timestamp: str) -> bool:
    whole = timestamp.partition(".")[0]
    return whole.isascii() and whole.isdecimal() and len(whole) < 12 and abs(time.time() - int(whole)) <= CLOCK_SKEW


def read_message(body: bytes) -> tuple[Outcome | None, str]:
    """What became of which submission; nothing where the message is about something else."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None, ""
    if not isinstance(message, dict) or message.get("event_type") != "submission.status.change":
        return None, ""
    status, submission = message.get("status"), message.get("resource_id")
    if not isinstance(status, str) or not isinstance(submission, str) or not submission.isascii():
        return None, ""
    return STATUSES.get(status.upper().replace(" ", "-").replace("_", "-")), submission


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def refuse_bad_keys(keys: object) -> None:
    """Refuse pasted keys that sign nothing; none are none."""
    with suppress(jwt.PyJWTError, AttributeError, TypeError, ValueError):
        if keys is None or any(key.key_type == "RSA" for key in jwt.PyJWKSet.from_dict(keys).keys):  # type: ignore[arg-type]
            return
    raise BadFields(keys=_('Paste the whole JWKS, {"keys": [{"kty": "RSA", …}]}, with at least one RSA key.'))
