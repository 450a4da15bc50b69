"""Channels, by which a marketplace sends people to a study and gets them back: the address for its form, and the codes to
leave by."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from cryptography.fernet import InvalidToken, MultiFernet
from django.db import transaction
from django.utils.translation import gettext as _

from judging import server_keys
from judging.audit import Deed, note
from judging.errors import BadFields
from judging.models import Arrival, Channel, Study, User
from judging.recruiting.invites import called, fresh_token, token_hash

PROLIFIC, CONNECT = Channel.Source.PROLIFIC, Channel.Source.CONNECT
PARAMETERS = ["participant_parameter", "study_parameter", "session_parameter"]
NAMES: dict[str, list[str]] = {
    PROLIFIC: ["PROLIFIC_PID", "STUDY_ID", "SESSION_ID"],
    CONNECT: ["participantId", "projectId", "assignmentId"],
}
PLACEHOLDERS: dict[str, list[str]] = {PROLIFIC: ["{{%PROLIFIC_PID%}}", "{{%STUDY_ID%}}", "{{%SESSION_ID%}}"]}
SIGN_LINKS = [PROLIFIC]
COMPLETION = {PROLIFIC: "https://app.prolific.com/submissions/complete?cc="}
HOSTS: dict[str, tuple[str, ...]] = {PROLIFIC: ("prolific.com", "prolific.co"), CONNECT: ("cloudresearch.com",)}
CODES = {
    Arrival.Outcome.COMPLETED: "completed_code",
    Arrival.Outcome.SCREENED_OUT: "screened_out_code",
    Arrival.Outcome.NO_CONSENT: "no_consent_code",
    Arrival.Outcome.FAILED_CHECK: "failed_check_code",
}


@dataclass(frozen=True)
class Completion:
    """How somebody goes back to the marketplace: by an address, by a code to paste there, or by both. Neither: by returning."""

    marketplace: str
    outcome: str
    code: str = ""
    url: str = ""


@transaction.atomic
def add_channel(study: Study, *, by: User, source: str, webhook_secret: str = "", **fields) -> Channel:
    """Links are to be signed wherever the marketplace can, unless `fields` say otherwise."""
    fields.setdefault("signed_links", source in SIGN_LINKS)
    channel = settle(Channel(study=study, created_by=by, source=source, **fresh_token()), webhook_secret=webhook_secret, **fields)
    note(Deed.INVITED, called(channel), by, study)
    return channel


@transaction.atomic
def change_channel(channel: Channel, *, by: User | None = None, webhook_secret: str = "", **fields) -> Channel:
    """Change what is given. Its row is locked: a channel that is revoked meanwhile must stay so."""
    locked = Channel.objects.select_for_update(of=("self",)).select_related("study").get(pk=channel.pk)
    before = {name: getattr(locked, name) for name in fields}
    settle(locked, webhook_secret=webhook_secret, **fields)
    changed = [name.replace("_", " ") for name in fields if getattr(locked, name) != before[name]]
    changed += ["webhook secret"] if webhook_secret else []
    if changed:
        note(Deed.CHANGED, f"{called(locked)}: {', '.join(changed)}", by, locked.study)
    return locked


def settle(channel: Channel, *, webhook_secret: str, **fields) -> Channel:
    """Names that are left out are the marketplace's own; a secret that is left out stays."""
    for name, value in fields.items():
        setattr(channel, name, value)
    for name, usual in zip(PARAMETERS, NAMES[channel.source], strict=True):
        setattr(channel, name, getattr(channel, name) or usual)
    if webhook_secret:
        channel.webhook_secret = sealer().encrypt(webhook_secret.encode()).decode()
    channel.save()
    return channel


def find_channel(token: str) -> Channel | None:
    """The channel of an address, also a revoked one: who came by it before is still let in."""
    channels = Channel.objects.select_related("study").exclude(study__state=Study.State.DRAFT)
    return channels.filter(token_hash=token_hash(token)).first()


def parameters_of(channel: Channel) -> list[str]:
    return [getattr(channel, name) for name in PARAMETERS]


def with_placeholders(channel: Channel, address: str) -> str:
    """The address as the marketplace's form wants it. Connect adds its parameters by itself."""
    placeholders = PLACEHOLDERS.get(channel.source)
    if not placeholders:
        return address
    pairs = zip(parameters_of(channel), placeholders, strict=True)
    return f"{address}?{'&'.join(f'{name}={placeholder}' for name, placeholder in pairs)}"


def as_it_arrives(channel: Channel, address: str) -> str:
    """The address with made-up ids, as it will be opened."""
    return f"{address}?{urlencode(dict(zip(parameters_of(channel), ['a1b2c3', 'd4e5f6', '7a8b9c'], strict=True)))}"


def completion(channel: Channel, outcome: str) -> Completion:
    """The address to which somebody with this outcome is sent, and the code in case that fails."""
    name = channel.get_source_display()
    label = str(Arrival.Outcome(outcome).label)
    code = getattr(channel, CODES[outcome]) if outcome in CODES else ""  # type: ignore[index]  # its values are texts
    if not code:
        return Completion(name, label)
    if code.startswith("https://"):
        return Completion(name, label, url=code)
    start = COMPLETION.get(channel.source)  # type: ignore[call-overload]
    return Completion(name, label, code=code, url=start + quote(code) if start else "")


def completions(channel: Channel) -> list[Completion]:
    return [completion(channel, outcome) for outcome in CODES]


NOWHERE = urlsplit("")


def parts_of(address: str) -> SplitResult:
    """The parts of an address, all empty where it is none: strangers write what Python refuses to split ("https://[")."""
    try:
        return urlsplit(address)
    except ValueError:
        return NOWHERE


def check(source: str, fields: Mapping[str, Any]) -> None:
    """Refuse settings that a channel of this marketplace cannot have."""
    codes = {name: why for name in CODES.values() if (why := why_no_code(source, fields.get(name) or ""))}
    names = [fields.get(name) or usual for name, usual in zip(PARAMETERS, NAMES[source], strict=True)]
    alike = {"participant_parameter": _("The three parameters need three names.")} if len(set(names)) < len(names) else {}
    unsigned = _("%(marketplace)s does not sign links.") % {"marketplace": Channel.Source(source).label}
    signs = {"signed_links": unsigned} if fields.get("signed_links") and source not in SIGN_LINKS else {}
    if wrong := codes | alike | signs:
        raise BadFields(**wrong)


def why_no_code(source: str, code: str) -> str | None:
    """What is wrong with a code as it was typed: it must be one, or an address of the marketplace that it belongs to."""
    if not code or re.fullmatch(r"[A-Za-z0-9_-]{1,100}", code):
        return None
    hosts = HOSTS[source]
    parts = parts_of(code) if code.isascii() and code.isprintable() else NOWHERE
    at_marketplace = any(parts.hostname == host or (parts.hostname or "").endswith(f".{host}") for host in hosts)
    if parts.scheme == "https" and at_marketplace and not parts.username and code.startswith("https://"):
        return None
    lies_elsewhere = _(
        "Give the code alone (letters, digits, hyphens), or an address that begins with https:// and lies at %(host)s."
    )
    return lies_elsewhere % {"host": hosts[0]}


def sealer() -> MultiFernet:
    """Encrypts what has to be read again, so that a copy of the database alone does not give it away."""
    return server_keys.sealer("webhook")


def webhook_secret_of(channel: Channel) -> str | None:
    """The webhook's secret; None where there is none, or the server's own secret has changed since it was pasted."""
    if not channel.webhook_secret:
        return None
    try:
        return sealer().decrypt(channel.webhook_secret.encode()).decode()
    except InvalidToken:
        return None
