"""People who come from a marketplace: recognised by a keyed hash, sent back with a code, erased when they ask."""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID, uuid4

from django.core.signing import BadSignature, TimestampSigner
from django.db import IntegrityError, transaction
from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone
from django.utils.crypto import salted_hmac

from judging import server_keys
from judging.audit import Deed, note
from judging.database import traces
from judging.errors import Refusal
from judging.models import Arrival, Channel, Study, User, Worker
from judging.recruiting import invites
from judging.recruiting.channels import CODES, Completion, completion, parameters_of
from judging.work import assignment, enquiries

Outcome = Arrival.Outcome
WELL_FORMED = re.compile(r"[A-Za-z0-9_-]{1,64}")
STANDING = Q(worker__judgements__revised_by__isnull=True)
# What we found out ourselves says more than that the submission was given back afterwards, as the codes tell people to.
STAYS = [Outcome.NO_CONSENT, Outcome.SCREENED_OUT, Outcome.FAILED_CHECK]
BY_THE_MARKETPLACE = [Outcome.RETURNED, Outcome.TIMED_OUT, Outcome.REJECTED]
OVER = [Outcome.SCREENED_OUT, Outcome.FAILED_CHECK, *BY_THE_MARKETPLACE]
READMISSION = TimestampSigner(salt="readmission")
READMITS_FOR = 7 * 24 * 3600  # seconds


class ArrivalRefused(Refusal):
    """Nobody can come in by this address. The page says why: `why` is the reason's name in its address."""

    why: str


class NotWellFormed(ArrivalRefused):
    """The address lacks an id, or has one that no marketplace gives."""

    status, why = 400, "by-hand"


class OthersSubmission(ArrivalRefused):
    """The submission belongs to another participant."""

    status, why = 409, "others"


class BegunElsewhere(ArrivalRefused):
    """The participant has a worker already, and nothing proves that this is the same person."""

    status, why = 409, "elsewhere"


@dataclass(frozen=True)
class Claim:
    """Who somebody says they are on the marketplace, and what they are paid for.

    `signed`: how much of it the marketplace has signed, up to who they are. `key`: what their worker will be known by; only the
    browser that made the claim can have it.
    """

    participant: str
    submission: str
    their_study: str = ""
    signed: Literal["", "submission", "participant"] = ""
    key: str = field(default_factory=lambda: str(uuid4()))


def read_claim(channel: Channel, parameters: Mapping[str, list[str]]) -> Claim:
    """The ids that the marketplace has written into the address, each there once."""
    participant, their_study, submission = (parameters.get(name, []) for name in parameters_of(channel))
    if len(participant) != 1 or len(submission) != 1 or len(their_study) > 1:
        raise NotWellFormed
    ids = [*participant, *submission, *their_study]
    if not all(WELL_FORMED.fullmatch(text) for text in ids):
        raise NotWellFormed
    return Claim(participant[0], submission[0], "".join(their_study))


def participant_hash(channel: Channel, participant: str) -> str:
    """A hash that is the same for both channels of a study and another in every study: nobody is followed from study to study."""
    return keyed_hash("participant", channel, participant)


def submission_hash(channel: Channel, submission: str) -> str:
    return keyed_hash("submission", channel, submission)


def keyed_hash(what: str, channel: Channel, text: str, key: bytes | None = None) -> str:
    salt = f"judging.recruiting.arrivals.{what}"
    return salted_hmac(salt, f"{channel.study_id}:{channel.source}:{text}", secret=key, algorithm="sha256").hexdigest()


def renew_hashes(what: str, channel: Channel, text: str) -> None:
    """Know by the server's key who came when it had another one."""
    for former in server_keys.all_keys()[1:]:
        known = Arrival.objects.filter(**{f"{what}_hash": keyed_hash(what, channel, text, former)})
        known.update(**{f"{what}_hash": keyed_hash(what, channel, text)})


def find(channel: Channel, claim: Claim, *, here: Worker | None) -> Arrival | None:
    """The participant, locked, if they were here before; `here` is the worker that the browser is.

    Refuses a submission that is somebody else's, and whoever cannot prove that they are the participant's worker.
    """
    renew_hashes("participant", channel, claim.participant)
    renew_hashes("submission", channel, claim.submission)
    person = participant_hash(channel, claim.participant)
    others = Arrival.objects.filter(submission_hash=submission_hash(channel, claim.submission))
    if others.exclude(participant_hash=person).exists():
        raise OthersSubmission
    arrivals = Arrival.objects.filter(participant_hash=person)
    # Locked before it is read: a row that was waited for would come with the worker that it had then.
    arrivals.select_for_update().first()
    arrival = arrivals.select_related("worker__study", "channel").first()
    if arrival and arrival.worker and not (arrival.worker == here or is_proved(arrival, channel, claim)):
        raise BegunElsewhere
    return arrival


def is_proved(arrival: Arrival, channel: Channel, claim: Claim) -> bool:
    """Whether the claim shows that it comes from the arrival's person, or from the browser that consented."""
    if claim.signed == "participant" or (arrival.worker and str(arrival.worker.key) == claim.key):
        return True
    return claim.signed == "submission" and arrival.submission_hash == submission_hash(channel, claim.submission)


def recognise(channel: Channel, claim: Claim, *, here: Worker | None = None) -> Arrival | None:
    """The worker that the participant already is: in another tab, by a signed link, or with a new submission."""
    try:
        with transaction.atomic():
            arrival = find(channel, claim, here=here)
            return come_again(arrival, channel, claim) if arrival and arrival.worker_id else None
    except IntegrityError:  # another participant has just come with the submission
        raise OthersSubmission from None


def come_again(arrival: Arrival, channel: Channel, claim: Claim) -> Arrival:
    """A new submission opens what the marketplace had closed; what we found out about the worker stays."""
    if arrival.submission_hash != submission_hash(channel, claim.submission):
        lasting = arrival.outcome in STAYS
        arrival.rewarded += arrival.outcome == Outcome.COMPLETED  # the marketplace pays for each submission
        begin(arrival, channel, claim, Outcome(arrival.outcome) if lasting else Outcome.WORKING)
    return arrival


def consent(channel: Channel, claim: Claim, *, here: Worker | None = None) -> Arrival:
    """The participant agreed to take part: they become a worker, or stay the one they are."""
    try:
        with transaction.atomic():
            arrival = register(channel, claim, here=here)
            if arrival.worker_id:
                return come_again(arrival, channel, claim)
            arrival.participant, arrival.worker = claim.participant, invites.join(channel.study, key=UUID(claim.key))
            return begin(arrival, channel, claim, Outcome.WORKING)
    except IntegrityError:  # another participant has just come with the submission
        raise OthersSubmission from None


def decline(channel: Channel, claim: Claim, *, here: Worker | None = None) -> Arrival:
    """The participant did not agree. Kept is only what the marketplace must be told about: the submission, not the person."""
    try:
        with transaction.atomic():
            arrival = register(channel, claim, here=here)
            return arrival if arrival.worker_id else begin(arrival, channel, claim, Outcome.NO_CONSENT)
    except IntegrityError:
        raise OthersSubmission from None


def register(channel: Channel, claim: Claim, *, here: Worker | None) -> Arrival:
    """The participant's row, locked. Of those who come at once the first makes it, and the others wait."""
    renew_hashes("participant", channel, claim.participant)  # before a second row is made for them
    row = Arrival(channel=channel, participant_hash=participant_hash(channel, claim.participant))
    row.submission_hash, row.submission = submission_hash(channel, claim.submission), claim.submission
    row.outcome, row.ended = Outcome.NO_CONSENT, timezone.now()  # until they consent
    Arrival.objects.bulk_create([row], ignore_conflicts=True)
    arrival = find(channel, claim, here=here)
    if arrival is None:
        raise OthersSubmission
    return arrival


def begin(arrival: Arrival, channel: Channel, claim: Claim, outcome: Outcome) -> Arrival:
    arrival.channel, arrival.submission_hash = channel, submission_hash(channel, claim.submission)
    arrival.submission, arrival.their_study = claim.submission, claim.their_study
    arrival.outcome, arrival.ended = outcome, None if outcome == Outcome.WORKING else timezone.now()
    arrival.save()
    return arrival


@transaction.atomic
def make_readmission(arrival: Arrival, *, by: User) -> str:
    """The token of a link that lets the participant in again, once, in whichever browser. It replaces the one before."""
    token = READMISSION.sign(secrets.token_urlsafe(invites.TOKEN_BYTES))
    Arrival.objects.filter(pk=arrival.pk).update(readmission=invites.token_hash(token))
    note(Deed.INVITED, f"link that lets {arrival.worker} in again, once", by, arrival.channel.study)
    return token


def find_readmission(token: str) -> Arrival | None:
    """The participant whom a link lets in again, if it is unused and of this week."""
    try:
        READMISSION.unsign(token, max_age=READMITS_FOR)
    except BadSignature:
        return None
    return Arrival.objects.select_related("worker__study", "channel").filter(readmission=invites.token_hash(token)).first()


def use_readmission(arrival: Arrival) -> bool:
    """Whether this is the one time that the link lets in."""
    return bool(Arrival.objects.filter(pk=arrival.pk, readmission=arrival.readmission).update(readmission=""))


def ended_by_marketplace(channel: Channel, submission: str, outcome: str) -> bool:
    """The marketplace says how a submission ended: nobody waits for its worker. Whether it is one of ours."""
    renew_hashes("submission", channel, submission)
    ours = Arrival.objects.filter(channel__study=channel.study_id, submission_hash=submission_hash(channel, submission))
    arrival = ours.select_related("worker").first()
    if arrival is None or arrival.worker is None:  # who did not consent holds nothing
        return False
    with transaction.atomic():
        assignment.give_back(arrival.worker)
        replaced = ours if outcome == Outcome.REJECTED else ours.exclude(outcome__in=STAYS)
        replaced.update(outcome=outcome, ended=timezone.now())
    return True


def is_over(worker: Worker) -> bool:
    """Whether the worker gets nothing more, for a reason that stands with their arrival. Costs no query after `worker_of`."""
    arrival = getattr(worker, "arrival", None)
    return arrival is not None and arrival.outcome in OVER


def way_back(arrival: Arrival) -> Completion:
    return completion(arrival.channel, arrival.outcome)


def erase(arrival: Arrival, *, by: User | None = None) -> None:
    """Forget who a participant is. Judgements stay with a worker whom neither we nor their own browser can find again."""
    with transaction.atomic():
        if arrival.worker:
            assignment.give_back(arrival.worker)
            enquiries.forget(arrival.worker)
            Worker.objects.filter(pk=arrival.worker.pk).update(key=uuid4())
        erased = Arrival.objects.filter(pk=arrival.pk, erased__isnull=True).update(
            participant="",
            submission="",
            their_study="",
            readmission="",
            participant_hash=secrets.token_hex(32),
            submission_hash=secrets.token_hex(32),
            erased=timezone.now(),
        )
        if erased:
            transaction.on_commit(traces.wipe, robust=True)
            who = arrival.worker or "somebody who declined"
            note(Deed.ERASED, f"{who}, from {arrival.channel.get_source_display()}", by, arrival.channel.study)


def arrivals_of(study: Study) -> QuerySet[Arrival]:
    """The arrivals with the number of each one's judgements, and how long these took."""
    return (
        Arrival.objects.filter(channel__study=study)
        .select_related("channel", "worker")
        .annotate(
            judgements=Count("worker__judgements", filter=STANDING),
            milliseconds=Sum("worker__judgements__milliseconds", filter=STANDING, default=0),
        )
        .order_by("id")
    )


def code_of(arrival: Arrival) -> str:
    return getattr(arrival.channel, CODES[arrival.outcome]) if arrival.outcome in CODES else ""  # type: ignore[index]
