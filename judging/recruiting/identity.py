"""A visitor's identity to a study: signed cookies for workers without an account, signed offers for the items they were shown."""

import hashlib
import json
import secrets
import time
import uuid
from dataclasses import astuple, dataclass
from typing import Any

from django.conf import settings
from django.core import signing
from django.db import connection
from django.http import HttpRequest, HttpResponse

from judging.database.rows import Columns, adapted_value, read
from judging.models import Arrival, Channel, Invite, Study, Worker
from judging.recruiting.arrivals import Claim
from judging.work.tickets import item_of, ticket

INVITE_COOKIE = "invite"
CLAIM_COOKIE = "arrival"
DAY = 24 * 3600
YEAR = 365 * DAY


def worker_cookie(study_id: int) -> str:
    return f"worker-{study_id}"


def browser_cookie(study_id: int) -> str:
    """The name of the cookie with a browser's random name, which stays when another person uses it. It opens nothing.

    The script keeps it with answers that could not be sent: they are their worker's even after all cookies are lost.
    """
    return f"browser-{study_id}"


def remember_worker(request: HttpRequest, response: HttpResponse, worker: Worker) -> None:
    set_signed(response, worker_cookie(worker.study_id), str(worker.key))
    name = browser_cookie(worker.study_id)
    value = request.COOKIES.get(name) or secrets.token_urlsafe(16)
    response.set_cookie(name, value, max_age=YEAR, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE)


WORKER = Columns(Worker, "worker", "id study key user start standing machine")
FOR_WORKERS = (
    "id collection name kind state instructions scale questions translations lease_minutes pool_counts"
    " overlap most_overlap certainty most_judgements gold_every pass_mark"
    " pay_an_hour pay_a_judgement currency seconds_a_judgement"
)
STUDY = Columns(Study, "study", FOR_WORKERS)
ARRIVAL = Columns(Arrival, "arrival", "id channel outcome")
HAS_REPLY = (
    "EXISTS (SELECT 1 FROM judging_enquiry enquiry WHERE enquiry.worker_id = worker.id"
    " AND enquiry.replied IS NOT NULL AND enquiry.read IS NULL)"
)
FIND_WORKER = f"""
SELECT {WORKER}, {STUDY}, {HAS_REPLY}, {ARRIVAL} FROM judging_worker worker JOIN judging_study study ON study.id = worker.study_id
LEFT JOIN judging_arrival arrival ON arrival.worker_id = worker.id
WHERE worker.study_id = %s AND worker."""  # noqa: S608  columns of ours
INVITE = Columns(Invite, "invite", "id study")
INVITING = Columns(Study, "study", f"{FOR_WORKERS} consent pay_screened_out")
FIND_INVITE = f"""
SELECT {INVITE}, {INVITING} FROM judging_invite invite JOIN judging_study study ON study.id = invite.study_id
WHERE invite.id = %s AND invite.revoked IS NULL AND study.state <> %s"""  # noqa: S608  columns of ours


def worker_of(request: HttpRequest, study_id: int) -> Worker | None:
    """The worker that this browser is in the study: by its cookie, else by the account that is signed in.

    A cookie of a worker with an account counts only while that account is signed in: computers are shared.
    """
    key = read_signed(request, worker_cookie(study_id))
    worker = find_worker(study_id, "key", uuid.UUID(key)) if key else None
    if worker is None or worker.user_id not in (None, signed_in(request)):
        user = signed_in(request)
        worker = find_worker(study_id, "user_id", user) if user else None
    if worker:
        worker.browser = request.COOKIES.get(browser_cookie(study_id), "")
    return worker


def find_worker(study_id: int, column: str, value: Any) -> Worker | None:
    cursor = connection.cursor()
    cursor.execute(f"{FIND_WORKER}{column} = %s", [study_id, adapted_value(Worker, column.removesuffix("_id"), value)])
    row = cursor.fetchone()
    if row is None:
        return None
    worker, study = read(row, WORKER, STUDY)
    worker.study = study
    *_, has_reply = row[: -len(ARRIVAL)]
    worker.has_reply = bool(has_reply)
    came = row[-len(ARRIVAL) :]
    worker._state.fields_cache["arrival"] = ARRIVAL.read(came) if came[0] is not None else None  # asked for without a query
    return worker


def signed_in(request: HttpRequest) -> int | None:
    """The account's key; asks the database only where there is a session."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return None
    return request.user.pk if request.user.is_authenticated else None


def remember_invite(response: HttpResponse, link: Invite) -> None:
    set_signed(response, INVITE_COOKIE, str(link.pk))


def invite_of(request: HttpRequest) -> Invite | None:
    """The link that this browser came by, with its study, if it is not revoked and the study is launched."""
    pk = read_signed(request, INVITE_COOKIE)
    if not pk:
        return None
    cursor = connection.cursor()
    cursor.execute(FIND_INVITE, [int(pk), Study.State.DRAFT])
    row = cursor.fetchone()
    if row is None:
        return None
    invite, invite.study = read(row, INVITE, INVITING)
    return invite


def remember_claim(response: HttpResponse, channel: Channel, claim: Claim) -> None:
    """Keep in a cookie who somebody is on a marketplace. Nothing of it is stored here until they have agreed to take part."""
    carried = json.dumps([channel.pk, *astuple(claim)])
    set_signed(response, CLAIM_COOKIE, carried, keep=DAY)


def claim_of(request: HttpRequest) -> tuple[Channel, Claim] | None:
    carried = read_signed(request, CLAIM_COOKIE, kept=DAY)
    if not carried:
        return None
    pk, *claim = json.loads(carried)
    channel = Channel.objects.select_related("study").filter(pk=pk).first()
    return (channel, Claim(*claim)) if channel else None


def forget_claim(response: HttpResponse) -> None:
    response.delete_cookie(CLAIM_COOKIE, samesite="Lax")


def set_signed(response: HttpResponse, name: str, value: str, *, keep: int = YEAR) -> None:
    response.set_signed_cookie(
        name, value, salt=name, max_age=keep, httponly=True, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE
    )


def read_signed(request: HttpRequest, name: str, *, kept: int = YEAR) -> str | None:
    return request.get_signed_cookie(name, default=None, salt=name, max_age=kept)


@dataclass(frozen=True)
class Offer:
    """Proof that the server showed an item to a worker, and when: an answer is taken only with it."""

    item_id: int
    age_ms: int
    swapped: bool = False
    expired: bool = False


SIGNER = signing.TimestampSigner(salt="offer")
SWAPPED = "*"
HOLDS_FOR = 30 * DAY  # after the lease: browsers keep answers while they are offline


def offer(worker: Worker, item_id: int, *, swapped: bool = False) -> str:
    """`swapped`: of two lists the second one is shown on the left. Which is the second is chance, so this tells nothing."""
    return SIGNER.sign(f"{worker.pk}-{ticket(worker, item_id)}{SWAPPED if swapped else ''}.{mark_of(worker.browser)}")


def offered_to(text: str) -> int | None:
    """The key of the worker whom an offer was made to, if it is one of ours."""
    try:
        return int(SIGNER.unsign(text).split("-", 1)[0])
    except (signing.BadSignature, ValueError):
        return None


def read_offer(text: str, worker: Worker) -> Offer | None:
    """The offer, if it is one of ours to this worker."""
    try:
        worker_id, name = SIGNER.unsign(text).partition(".")[0].split("-", 1)
    except (signing.BadSignature, ValueError):
        return None
    item = item_of(worker, name.removesuffix(SWAPPED)) if worker_id == str(worker.pk) else None
    if item is None:
        return None
    age, holds_for = age_ms(text), HOLDS_FOR + 60 * worker.study.lease_minutes
    return Offer(item, age, name.endswith(SWAPPED), expired=age > 1000 * holds_for)


def was_shown_in(browser: str, text: str) -> bool:
    """Whether an offer was made to whoever was the worker of this browser then."""
    return bool(browser) and SIGNER.unsign(text).partition(".")[2] == mark_of(browser)


def mark_of(browser: str) -> str:
    """What offers carry of the browser's name, which nobody can guess from it."""
    return hashlib.blake2b(browser.encode(), digest_size=12).hexdigest() if browser else ""


def age_ms(text: str) -> int:
    shown = signing.b62_decode(text.rsplit(":", 2)[1])
    return max(int((time.time() - shown) * 1000), 0)
