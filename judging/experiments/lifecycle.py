"""The start and the stop of experiments. In between nothing about them changes, or the same user would be in two arms."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from judging.audit import Deed, note, quoted
from judging.errors import Impossible
from judging.experiments.arms import PARTS, forget
from judging.logs.records import MOST_ARMS as MOST_AT_ONCE
from judging.models import Allotment, Experiment, Group, User

State = Experiment.State


class CannotStart(Impossible):
    """Why an experiment cannot start as it is; the text says what to change."""


def start(experiment: Experiment, *, by: User | None) -> None:
    """Let units in from now on; other processes know within a few seconds."""
    settle(experiment, by=by)
    forget(experiment.site)


@transaction.atomic
def settle(experiment: Experiment, *, by: User | None) -> None:
    Experiment.objects.select_for_update(no_key=True).get(pk=experiment.pk)
    experiment.refresh_from_db()  # another tab may have changed the draft since this page showed it
    if experiment.state != State.DRAFT:
        raise CannotStart(_("This experiment has started already."))
    if why := why_not(experiment):
        raise CannotStart(why)
    if experiment.group:
        allot(experiment, experiment.group)
    experiment.state, experiment.started = State.RUNNING, timezone.now()
    experiment.save(update_fields=["state", "started"])
    arms = ", ".join(f"{arm.name} ({arm.weight:g})" for arm in experiment.arms.all())
    note(Deed.LAUNCHED, f"experiment {quoted(experiment)}: {arms}; {experiment.traffic} % of users", by, site=experiment.site)


def why_not(experiment: Experiment) -> str:
    """What is missing, or nothing."""
    arms = list(experiment.arms.all())
    controls = sum(arm.is_control for arm in arms)
    if len(arms) < 2:
        return _("An experiment needs two arms or more: what you have now, and what you want to try.")
    if controls != 1:
        return _("Say which arm is the control: the others are compared with it.")
    if experiment.interleaves and experiment.method == Experiment.Method.BALANCED and len(arms) > 2:
        return _("Balanced interleaving is of two arms. Team draft takes more.")
    if not experiment.interleaves and not experiment.metrics:
        return _("Choose at least one metric: the first one decides.")
    running = Experiment.objects.filter(site=experiment.site, state=State.RUNNING).count()
    if running >= MOST_AT_ONCE:
        most = _("%(n)s experiments are running on this site, and a record can name no more. Stop one first.")
        return most % {"n": MOST_AT_ONCE}
    return ""


def allot(experiment: Experiment, group: Group) -> None:
    """Give it as many parts of its group as its traffic is percent: the first that nobody has."""
    Group.objects.select_for_update(no_key=True).get(pk=group.pk)  # of two starts at once the second sees what the first took
    taken = set(group.allotments.values_list("part", flat=True))
    free = [part for part in range(PARTS) if part not in taken]
    if len(free) < experiment.traffic:
        others = ", ".join(group.experiments.filter(state=State.RUNNING).values_list("name", flat=True))
        left = _(
            "The group “%(group)s” has %(free)s %% of its users left, and this experiment wants %(wanted)s %%. "
            "Running in it: %(others)s. Stop one of them, or take less traffic."
        )
        raise CannotStart(left % {"group": group, "free": len(free), "wanted": experiment.traffic, "others": others})
    Allotment.objects.bulk_create(Allotment(group=group, part=part, experiment=experiment) for part in free[: experiment.traffic])


def stop(experiment: Experiment, *, by: User | None) -> bool:
    """Let nobody in any more, for good; its part of a group is free again. False if it was not running."""
    stopped = end(experiment, by=by)
    forget(experiment.site)
    return stopped


@transaction.atomic
def end(experiment: Experiment, *, by: User | None) -> bool:
    locked = Experiment.objects.select_for_update(no_key=True).get(pk=experiment.pk)
    if locked.state != State.RUNNING or locked.started is None:
        return False
    experiment.state = locked.state = State.STOPPED
    experiment.stopped = locked.stopped = max(timezone.now(), locked.started)  # by the clocks of two machines, perhaps
    locked.save(update_fields=["state", "stopped"])
    locked.allotments.all().delete()
    note(Deed.CLOSED, f"experiment {quoted(locked)}", by, site=locked.site)
    return True
