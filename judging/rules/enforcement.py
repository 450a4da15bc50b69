"""The enforcement of rules: whom a rule catches by their work, what that costs, and what happens to them."""

import logging
import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import polars as pl
from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone, translation
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from judging.audit import Deed, note
from judging.errors import BadFields
from judging.models import Exclusion, Item, Judgement, Outbox, Rule, Slot, Study, User, Worker
from judging.pay.rates import cost_of
from judging.rules.signals import LEAST_COMMON, signals
from judging.text.library_words import pattern
from judging.work import exclusions

log = logging.getLogger(__name__)

Signal, Standing = Rule.Signal, Worker.Standing
MILDEST_FIRST = [Standing.GOOD, *reversed(exclusions.HARDEST_FIRST)]


@dataclass(frozen=True)
class Wording:
    """How a signal is told: the column that counts what it was seen in, when a rule catches, and what one worker did.

    `when_of` is `when` for a rule that waits for more answers than its threshold, where that is said otherwise.
    """

    of: str
    when: str
    why: str
    is_share: bool = True
    when_of: str = ""


WORDINGS = {
    Signal.GOLD: Wording(
        "gold_answered",
        gettext_noop("fewer than %(threshold)s of at least %(least)s gold items are right"),
        gettext_noop("%(value)s of %(of)s gold items right; %(threshold)s are asked for"),
    ),
    Signal.ATTENTION: Wording(
        "attention_answered",
        gettext_noop("at least %(threshold)s attention checks are failed"),
        gettext_noop("%(value)s of %(of)s attention checks failed"),
        is_share=False,
        when_of=gettext_noop("at least %(threshold)s attention checks of %(least)s or more are failed"),
    ),
    Signal.AGREEMENT: Wording(
        "compared",
        gettext_noop("fewer than %(threshold)s of at least %(least)s grades are what most others say"),
        gettext_noop("%(value)s of %(of)s grades are what most others say; %(threshold)s are asked for"),
    ),
    Signal.SECONDS: Wording(
        "answered",
        gettext_noop("half of %(least)s or more answers take less than %(threshold)s seconds"),
        gettext_noop("a median of %(value)s seconds over %(of)s answers; %(threshold)s are asked for"),
        is_share=False,
    ),
    Signal.HASTY: Wording(
        "answered",
        gettext_noop("at least %(threshold)s of %(least)s or more answers come within %(hasty)s seconds"),
        gettext_noop("%(value)s of %(of)s answers came within %(hasty)s seconds"),
    ),
    Signal.RUN: Wording(
        "answered",
        gettext_noop("at least %(threshold)s answers in a row have the same grade"),
        gettext_noop("%(value)s answers in a row of the same grade, of %(of)s"),
        is_share=False,
        when_of=gettext_noop("at least %(threshold)s answers in a row of %(least)s or more have the same grade"),
    ),
    Signal.COMMONEST: Wording(
        "answered",
        gettext_noop("at least %(threshold)s of %(least)s or more answers have the same grade"),
        gettext_noop("%(value)s of %(of)s answers of the same grade"),
    ),
    Signal.CANNOT: Wording(
        "answered",
        gettext_noop("at least %(threshold)s of %(least)s or more answers are “can’t judge”"),
        gettext_noop("%(value)s of %(of)s answers were “can’t judge”"),
    ),
    Signal.TWIN: Wording(
        "twin_common",
        gettext_noop("another worker gave the same grades on %(least)s or more items, %(threshold)s or more beyond chance"),
        gettext_noop("the same as w%(twin_worker)s on %(twin_same)s of %(of)s items: %(value)s beyond chance"),
    ),
}
TEST_FAILED = gettext_noop("Qualification test: %(right)s of %(answered)s right")  # as work/answers.py keeps it
ACTIONS = {
    Standing.WARNED: gettext_noop("warn"),
    Standing.BLOCKED: gettext_noop("block"),
    Standing.EXCLUDED: gettext_noop("exclude"),
}

# Starting points; docs/how-to/quality-rules.md tells how many honest workers each of them catches.
SUGGESTED = (
    {"signal": Signal.GOLD, "threshold": 0.4, "least": 10, "action": Standing.EXCLUDED},
    {"signal": Signal.ATTENTION, "threshold": 2, "least": 2, "action": Standing.EXCLUDED},
    {"signal": Signal.SECONDS, "threshold": 3, "least": 20, "action": Standing.WARNED},
    {"signal": Signal.RUN, "threshold": 25, "least": 25, "action": Standing.WARNED},
    {"signal": Signal.TWIN, "threshold": 0.65, "least": 20, "action": Standing.BLOCKED},
)
# Who presses one side or the other is right on half of the gold.
SUGGESTED_FOR_PAIRS = {"signal": Signal.GOLD, "threshold": 0.7, "least": 10, "action": Standing.EXCLUDED}


def suggested(study: Study) -> list[dict[str, Any]]:
    if not study.compares:
        return list(SUGGESTED)
    return [SUGGESTED_FOR_PAIRS, *(settings for settings in SUGGESTED if settings["signal"] not in Rule.OF_CHECKS)]


def check(rule: Rule) -> None:
    """Refuse a rule that would catch everybody or nobody."""
    if rule.signal not in Rule.signals_for(rule.study):
        raise BadFields(signal=_("Side-by-side studies have no attention checks."))
    if not math.isfinite(rule.threshold):
        raise BadFields(threshold=_("The threshold is a number."))
    if WORDINGS[Signal(rule.signal)].is_share and not 0 < rule.threshold <= 1:
        raise BadFields(threshold=_("This threshold is a share: above 0, and 1 at most. 0.6 is 60 %."))
    if rule.signal == Signal.SECONDS and not rule.threshold > 0:
        raise BadFields(threshold=_("The threshold is a number of seconds above 0."))
    if rule.signal in (Signal.ATTENTION, Signal.RUN) and not (rule.threshold >= 1 and rule.threshold % 1 == 0):
        raise BadFields(threshold=_("This threshold is a whole number, 1 at least."))
    if rule.signal == Signal.TWIN and rule.least < LEAST_COMMON:
        too_few = _("Two workers are compared from %(least)s items on that both graded: fewer are the same by chance.")
        raise BadFields(least=too_few % {"least": LEAST_COMMON})


def rule_sentence(rule: Rule) -> str:
    """The rule as a sentence."""
    wording = WORDINGS[Signal(rule.signal)]
    when = (rule.least > rule.threshold and wording.when_of) or wording.when
    return _("When %(condition)s: %(action)s") % {
        "condition": _(when) % sentence_values(rule),
        "action": _(ACTIONS[Standing(rule.action)]),
    }


def kept_sentence(rule: Rule) -> str:
    """The rule as a sentence for the audit, in the language of all that is stored."""
    with translation.override(settings.LANGUAGE_CODE):
        return rule_sentence(rule)


def settings_of(rule: Rule) -> dict[str, Any]:
    return {name: getattr(rule, name) for name in ("signal", "threshold", "least", "action")}


def sentence_values(rule: Rule, **values: Any) -> dict[str, Any]:
    """The rule's numbers as they stand in a sentence, shares as percentages."""
    share = WORDINGS[Signal(rule.signal)].is_share
    texts = {name: f"{100 * number:.0f} %" if share else f"{number:.3g}" for name, number in values.items()}
    threshold = f"{100 * rule.threshold:g} %" if share else f"{rule.threshold:g}"
    return {"threshold": threshold, "least": rule.least, "hasty": f"{rule.study.least_seconds:g}", **texts}


@dataclass(frozen=True)
class Violation:
    worker: int
    value: float
    of: int
    why: str


def violations_of(rule: Rule, frame: pl.DataFrame) -> list[Violation]:
    """Whom the rule catches by their signals, whether or not anything has followed from it."""
    wording = WORDINGS[Signal(rule.signal)]
    value = pl.col(rule.signal)
    is_bad = value < rule.threshold if rule.signal in Rule.LOW_IS_BAD else value >= rule.threshold
    rows = frame.filter(is_bad & (pl.col(wording.of) >= rule.least))
    return [violation_of(rule, wording, row) for row in rows.iter_rows(named=True)]


def kept_violations(rule: Rule, frame: pl.DataFrame) -> list[Violation]:
    """Whom the rule catches, with the reasons as exclusions keep them."""
    with translation.override(settings.LANGUAGE_CODE):
        return violations_of(rule, frame)


def violation_of(rule: Rule, wording: Wording, row: dict[str, Any]) -> Violation:
    value, of = row[rule.signal], row[wording.of]
    why = _(wording.why) % {**row, **sentence_values(rule, value=value), "of": of}
    return Violation(row["worker"], value, of, capfirst(why))


def reason_of(exclusion: Exclusion) -> str:
    """Why, in the reader's language: reasons of rules and tests are kept in English. What a person wrote stays as it is."""
    if exclusion.by_id:
        return exclusion.reason
    why = WORDINGS[Signal(exclusion.rule.signal)].why if exclusion.rule else TEST_FAILED
    blanks = re.fullmatch(pattern(why), exclusion.reason, re.IGNORECASE)
    return capfirst(_(why) % blanks.groupdict()) if blanks else exclusion.reason


@dataclass(frozen=True)
class RulePreview:
    """What making a rule would do: to whom, and what would have to be judged again."""

    caught: list[Violation]
    already: list[tuple[Violation, str]]
    workers: int
    votes: int
    items: int
    ordered: int
    cost: Decimal


def preview(study: Study, rule: Rule) -> RulePreview:
    """Changes nothing. `already` are those whom the rule catches, too, but who stand as badly already."""
    frame = signals(study)
    standings = dict(study.workers.values_list("id", "standing"))
    violations = violations_of(rule, frame)
    new = [violation for violation in violations if is_milder(standings[violation.worker], rule.action)]
    lost = [violation.worker for violation in new] if rule.action == Standing.EXCLUDED else []
    votes, items, ordered = set_aside(study, lost) if lost else (0, 0, 0)
    return RulePreview(
        caught=new,
        already=[(violation, standings[violation.worker]) for violation in violations if violation not in new],
        workers=frame.height,
        votes=votes,
        items=items,
        ordered=ordered,
        cost=cost_of(study, ordered),
    )


def is_milder(standing: str, action: str) -> bool:
    return MILDEST_FIRST.index(Standing(standing)) < MILDEST_FIRST.index(Standing(action))


def set_aside(study: Study, workers: list[int]) -> tuple[int, int, int]:
    """How many votes these workers have, on how many items, and how many judgements would be ordered anew without them."""
    judged = Q(judged_at__isnull=False) & ~Q(worker__standing=Standing.EXCLUDED)
    slots = Slot.objects.filter(study=study, number__isnull=False).order_by().values("item", "item__wanted", "item__role")
    counted = slots.annotate(
        lost=Count("id", filter=judged & Q(worker__in=workers)),
        kept=Count("id", filter=judged & ~Q(worker__in=workers)),
        open=Count("id", filter=Q(judged_at__isnull=True)),
    )
    rows = list(counted.filter(lost__gt=0))
    work = [row for row in rows if row["item__role"] == Item.Role.WORK]
    ordered = sum(max(row["item__wanted"] - row["kept"] - row["open"], 0) for row in work)
    return sum(row["lost"] for row in rows), len(rows), ordered


def make(rule: Rule, *, by: User) -> Rule:
    """Let the rule hold from now on, and act at once. An equal rule that holds already stays the only one."""
    check(rule)
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=rule.study_id)
        same = active(rule.study).filter(**settings_of(rule))
        if existing := same.first():
            return existing
        rule.created_by = by
        rule.save()
        note(Deed.RULED, f"made: {kept_sentence(rule)}", by, rule.study)
        ask(rule.study)
    return rule


def ask(study: Study) -> None:
    """Have Celery apply the study's rules now, whether or not it runs."""
    Outbox.objects.post_anew("judging.tasks.apply_rules", study=study.pk)


def end(rule: Rule, *, by: User) -> None:
    """Let the rule catch nobody any more. Whom it has caught stays so until somebody takes that back."""
    with transaction.atomic():
        if Rule.objects.filter(pk=rule.pk, ended__isnull=True).update(ended=timezone.now()):
            note(Deed.RULED, f"ended: {kept_sentence(rule)}", by, rule.study)


def copy(source: Study, study: Study, *, by: User) -> int:
    """Let the rules of another study hold in this one, too. Returns how many are new."""
    before = active(study).count()
    with transaction.atomic():
        for rule in active(source).filter(signal__in=Rule.signals_for(study)):
            make(Rule(study=study, **settings_of(rule)), by=by)
    return active(study).count() - before


def active(study: Study) -> QuerySet[Rule]:
    return Rule.objects.filter(study=study, ended__isnull=True).select_related("study")


def apply(study: Study) -> list[Exclusion]:
    """Do what the rules say to whomever they catch now, the hardest first: nobody is warned who is about to be excluded."""
    rules = sorted(active(study), key=lambda rule: exclusions.HARDEST_FIRST.index(Standing(rule.action)))
    if not rules:
        return []
    frame = signals(study)
    standings = dict(study.workers.values_list("id", "standing"))
    done = set(Exclusion.objects.filter(rule__in=rules).values_list("rule", "worker"))
    made = []
    for rule in rules:
        for violation in kept_violations(rule, frame):
            if (rule.pk, violation.worker) in done or not is_milder(standings[violation.worker], rule.action):
                continue
            if exclusion := act(rule, violation):
                standings[violation.worker] = exclusion.standing
                made.append(exclusion)
    return made


@transaction.atomic
def act(rule: Rule, violation: Violation) -> Exclusion | None:
    """Looks again once the worker is held: another process, or a researcher, may have been here in between."""
    worker = exclusions.locked_worker(Worker(pk=violation.worker))
    stands = Rule.objects.filter(pk=rule.pk, ended__isnull=True).exists()
    if not stands or not is_milder(worker.standing, rule.action) or worker.exclusions.filter(rule=rule).exists():
        return None
    return exclusions.exclude(worker, reason=violation.why, standing=Standing(rule.action), rule=rule)


Seen = tuple[int | None, int]
seen: dict[int, Seen] = {}  # of each study, up to which judgement and rule this process has looked


def newest_judgement() -> Subquery:
    """The key of a study's newest judgement: unlike its time, it grows even where the clock was put back.

    Asked worker by worker, which an index answers. All judgements of a study would be read for their greatest key.
    """
    newest = Judgement.objects.filter(worker=OuterRef("pk")).order_by("-id").values("id")[:1]
    workers = Worker.objects.filter(study=OuterRef("pk")).annotate(newest=Subquery(newest))
    return Subquery(workers.order_by(F("newest").desc(nulls_last=True)).values("newest")[:1])


def sweep() -> None:
    """Apply the rules of running studies that have new judgements or rules; what has not changed costs one query for all."""
    ruled = Study.objects.filter(state=Study.State.RUNNING, rules__ended__isnull=True).annotate(newest=Max("rules"))
    for study in ruled.filter(newest__isnull=False).annotate(latest=newest_judgement()):
        now: Seen = (study.latest, study.newest)
        if seen.get(study.pk) == now:
            continue
        try:
            apply(study)
            seen[study.pk] = now
        except Exception:  # the other studies' rules hold all the same; this one's are tried again in a minute
            log.exception("The rules of study %s could not be applied", study.pk)
