"""What A/B tests and interleaving say alike: conclusions, how long it has run, and how the numbers came about."""

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _

from judging.models import Experiment
from judging.text.counts import count
from metrics.kinds.experiments.results import ExperimentResults
from metrics.models import Report

POWER = 0.8


class Conclusion(NamedTuple):
    """A sentence about one arm, the numbers that it rests on, and in short the difference, its interval and n.

    `judged` is better, worse, higher, lower, none, unknown or early.
    """

    judged: str
    result: str
    numbers: str = ""
    in_short: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, [self.result, self.in_short]))


def in_full(conclusions: Sequence[Conclusion]) -> str:
    """What is concluded, each with how much, its interval and n."""
    return " ".join(map(str, conclusions))


def hasty_conclusion(results: ExperimentResults) -> Conclusion:
    return Conclusion(
        "early",
        _("Not yet: it has run for %(duration)s.") % {"duration": duration(results)},
        _(
            "Intervals that may be looked at at any time are read from the first day on: the users of some hours are not those "
            "of a week."
        ),
    )


def duration(results: ExperimentResults) -> str:
    days = results.days_run
    if days >= 1.5:
        return count(round(days), "day")
    return count(round(24 * days), "hour") if days >= 1 / 24 else count(max(1, round(24 * 60 * days)), "minute")


def advice_to_stop(results: ExperimentResults) -> str:
    if results.choice.always or results.has_ended or results.reached < results.experiment.planned:
        return ""
    return _("The planned users have come: stop it and read it once. Each further look is a chance for a false alarm.")


def identified_by(experiment: Experiment) -> str:
    return "client_id" if experiment.unit == Experiment.Unit.CLIENT else "user_id"


def provenance(report: Report) -> str:
    assert report.experiment
    text = _("α = %(alpha)s. Bot filter, version %(version)s; records received by %(received)s UTC; engine %(engine)s.")
    return text % {
        "alpha": f"{report.experiment.alpha:g}",
        "version": report.spec["bots"]["version"],
        "received": f"{report.as_of:%Y-%m-%d %H:%M:%S}",
        "engine": report.engine_version,
    }
