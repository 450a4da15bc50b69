"""Drafts of experiments: made, changed, copied, deleted. What has started is never changed."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from ireval.behaviour import BadMetric, definition_of
from judging.audit import Deed, note, quoted
from judging.collections.storage import NameTaken
from judging.errors import BadFields, Impossible
from judging.models import Arm, Experiment, Group, Site, User

MOST_ARMS = 10
MOST_METRICS = 30
MOST_SEGMENTS, LONGEST_SEGMENT = 10, 60
# What records call the arm of a merged list.
INTERLEAVED = "interleaved"
COPIED = (
    "hypothesis", "kind", "method", "depth", "unit", "traffic", "group",
    "metrics", "segments", "looks", "planned", "alpha", "before_days",
)  # fmt: skip


class Deleted(Impossible):
    """Somebody deleted the draft meanwhile."""

    def __init__(self) -> None:
        super().__init__(_("This experiment has been deleted meanwhile."))


class NotADraft(Impossible):
    """The experiment has started: what its users were given is settled."""

    def __init__(self) -> None:
        super().__init__(_("This experiment has started, so nothing about it can be changed. Copy it as a new draft instead."))


@transaction.atomic
def create(site: Site, *, by: User, arms: Sequence[Arm], group: str = "", **settings: Any) -> Experiment:
    """A draft. `arms` are not saved yet; `group` is the name of a group, which is made if the site has none such."""
    return save_draft(Experiment(site=site, created_by=by), arms, group, settings)


@transaction.atomic
def change(experiment: Experiment, *, arms: Sequence[Arm] | None = None, group: str | None = None, **settings: Any) -> Experiment:
    """Change a draft: the settings that are named, all arms if any are given."""
    return save_draft(draft(experiment), arms, group, settings)


@transaction.atomic
def copy(experiment: Experiment, *, by: User) -> Experiment:
    """A new draft like it, with a lot of its own: nobody is in the same arm because they were before."""
    made = Experiment(site=experiment.site, created_by=by, name=free_name(experiment))
    arms = [Arm(name=a.name, weight=a.weight, is_control=a.is_control, ranker=a.ranker, run=a.run) for a in experiment.arms.all()]
    return save_draft(made, arms, None, {name: getattr(experiment, name) for name in COPIED})


@transaction.atomic
def delete(experiment: Experiment, *, by: User) -> None:
    """Forget a draft. What has started stays: records name it."""
    experiment = draft(experiment)
    note(Deed.DELETED, f"experiment {quoted(experiment)}, a draft", by, site=experiment.site)
    experiment.delete()


def draft(experiment: Experiment) -> Experiment:
    """The draft as it stands, locked: saved beside a start, it would turn back into a draft."""
    locked = Experiment.objects.select_for_update(of=("self",)).select_related("site", "group").filter(pk=experiment.pk).first()
    if locked is None:
        raise Deleted
    if locked.state != Experiment.State.DRAFT:
        raise NotADraft
    return locked


def save_draft(experiment: Experiment, arms: Sequence[Arm] | None, group: str | None, settings: dict[str, Any]) -> Experiment:
    for name, value in settings.items():
        setattr(experiment, name, value)
    if group is not None:
        experiment.group = group_named(experiment.site, group)
    check_metrics(experiment.metrics)
    check_segments(experiment.segments)
    check_arms(experiment, list(experiment.arms.all()) if arms is None else arms)
    save(experiment)
    if arms is not None:
        experiment.arms.all().delete()
        for arm in arms:
            arm.experiment = experiment
        Arm.objects.bulk_create(arms)
    return experiment


def save(experiment: Experiment) -> None:
    """Two may ask for the same name at once, so only the database can tell."""
    try:
        with transaction.atomic():
            experiment.save()
    except IntegrityError:
        taken = _("This site already has an experiment “%(name)s”. Choose another name: records know it by that.")
        raise NameTaken(taken % {"name": experiment}) from None


def group_named(site: Site, name: str) -> Group | None:
    return Group.objects.get_or_create(site=site, name=name)[0] if name else None


def check_arms(experiment: Experiment, arms: Sequence[Arm]) -> None:
    """What can be said of arms already while they are drafted; a start asks for more."""
    if len(arms) > MOST_ARMS:
        many = _("There are %(n)s arms; an experiment has %(most)s at most.")
        raise BadFields(arms=many % {"n": len(arms), "most": MOST_ARMS})
    names = Counter(arm.name.lower() for arm in arms)
    if twice := next((name for name, count in names.items() if count > 1), None):
        raise BadFields(arms=_("Two arms are called %(name)s. Records tell arms apart by their names.") % {"name": twice})
    if sum(arm.is_control for arm in arms) > 1:
        raise BadFields(arms=_("There are two controls. All other arms are compared with one."))
    if bad := next((arm for arm in arms if not 0 < arm.weight < math.inf), None):
        weighs = _("Arm %(name)s weighs %(weight)s; expected a number above 0.")
        raise BadFields(arms=weighs % {"name": bad.name, "weight": f"{bad.weight:g}"})
    if experiment.interleaves and INTERLEAVED in names:
        merged = _("An arm cannot be called %(name)s: that is what records call the merged list.")
        raise BadFields(arms=merged % {"name": INTERLEAVED})
    if foreign := next((arm for arm in arms if arm.run and arm.run.collection_id != experiment.site.collection_id), None):
        elsewhere = _("The run of arm %(name)s is not of the collection that this site searches.")
        raise BadFields(arms=elsewhere % {"name": foreign.name})


def check_segments(segments: Any) -> None:
    if not isinstance(segments, list) or not all(isinstance(name, str) and 0 < len(name) <= LONGEST_SEGMENT for name in segments):
        expected = _("Expected names of query_attributes, of %(most)s characters at most.")
        raise BadFields(segments=expected % {"most": LONGEST_SEGMENT})
    if len(segments) > MOST_SEGMENTS:
        many = _("There are %(n)s segments; expected %(most)s at most.")
        raise BadFields(segments=many % {"n": len(segments), "most": MOST_SEGMENTS})


def check_metrics(names: Any) -> None:
    if not isinstance(names, list) or len(names) > MOST_METRICS:
        raise BadFields(metrics=_("Expected a list of metrics, %(most)s at most.") % {"most": MOST_METRICS})
    try:
        for name in names:
            definition_of(name)
    except BadMetric as error:
        raise BadFields(metrics=str(error)) from None


def free_name(experiment: Experiment) -> str:
    """The name with the first number that is not taken: ranking-2."""
    taken = set(Experiment.objects.filter(site=experiment.site).values_list("name", flat=True))
    stem, _, number = experiment.name.rpartition("-")
    stem = stem if stem and number.isdecimal() else experiment.name
    return next(name for name in (f"{stem[:54]}-{count}" for count in range(2, len(taken) + 3)) if name not in taken)
