"""Cautions for the reader of an A/B report: what could mislead, and what was counted and left out."""

from datetime import timedelta

from judging.logs import volume
from judging.logs.privacy import K
from judging.models import Experiment
from metrics.kinds.ab.effects import ABResults, pseudonyms_change
from metrics.kinds.ab.results import ExperimentResults
from metrics.kinds.ab.words import percent
from metrics.models import Report
from metrics.sentences import count

FEW = 100
# The share of the last day's records whose time is not that of their receipt.
MANY_WRONG_CLOCKS = 0.01
MANY_WITHOUT_ARM = 0.05


def cautions(results: ABResults) -> list[str]:
    """What a reader could get wrong, one sentence each."""
    sentences = [
        few(results),
        ended_early(results),
        goes_on(results),
        *pseudonyms(results),
        clocks(results),
        without_arm(results),
        astray(results),
    ]
    return [sentence for sentence in sentences if sentence]


def few(results: ABResults) -> str:
    least = min(results.arms, key=results.users)
    if results.users(least) >= FEW:
        return ""
    return (
        f"Arm {least} has {count(results.users(least), 'user')}: from fewer than {FEW} an arm, intervals and p are rough, and "
        "only large differences show."
    )


def ended_early(results: ABResults) -> str:
    if results.choice.always or not results.has_ended or results.n >= results.experiment.planned:
        return ""
    return (
        f"It was stopped at {results.n:,} of {results.experiment.planned:,} users. If that was because of what it showed, its "
        "intervals are too narrow: take the always-valid ones."
    )


def goes_on(results: ExperimentResults) -> str:
    if results.choice.always or results.has_ended or results.reached < results.experiment.planned:
        return ""
    return "The planned users have come: stop it and read it once. Each further look is a chance for a false alarm."


def pseudonyms(results: ABResults) -> list[str]:
    experiment = results.experiment
    during = pseudonyms_change(experiment, results.started, results.until)
    sentences = []
    if during:
        days = ", ".join(f"{moment:%-d %B %Y}" for moment in during)
        sentences.append(
            f"Users got new pseudonyms on {days}: who came before and after counts twice, with what they did on either side. Let "
            "experiments end before that, or let the site rotate less often."
        )
    if results.choice.adjust and pseudonyms_change(
        experiment, results.started - timedelta(days=experiment.before_days), results.started
    ):
        sentences.append("Of part of the time before, users cannot be known again, so that it says less of them than it might.")
    return sentences


def clocks(results: ABResults) -> str:
    if results.has_ended:
        return ""
    skew = volume.skew(results.experiment.site)
    if skew.share <= MANY_WRONG_CLOCKS:
        return ""
    return (
        f"{percent(skew.share)} of the last day’s records say a time more than a day from that of their receipt. What happens "
        "outside the experiment’s time, by its sender’s clock, does not count."
    )


def without_arm(results: ABResults) -> str:
    """Say that more searches lack an arm than the experiment's share of traffic explains."""
    counts, out = results.whole.behaviour.counts, 1 - results.experiment.traffic / 100
    if not counts.searches or counts.without_arm / counts.searches <= out + MANY_WITHOUT_ARM:
        return ""
    should = f"and {percent(out)} should" if out else "and none should"
    return (
        f"{percent(counts.without_arm / counts.searches)} of searches in its time name no arm of it, {should}, if the whole site "
        "is in the experiment: see whether all pages send the arm."
    )


def astray(results: ABResults) -> str:
    counts = results.whole.behaviour.counts
    if not counts.clicks or counts.astray / counts.clicks <= MANY_WITHOUT_ARM:
        return ""
    return (
        f"{percent(counts.astray / counts.clicks)} of clicks belong to no search that was sent, so that they count for none: see "
        "whether searches are logged, and whether clicks carry their query_id."
    )


def count_rows(results: ABResults) -> list[tuple[str, str, str]]:
    """Rows of (what was counted, how much of it, what that means)."""
    counts, before = results.whole.behaviour.counts, results.whole.everybody
    version = results.report.spec["bots"]["version"]
    return [
        ("Users in an arm", f"{results.n:,}", "with a search that names it, in the experiment’s time"),
        ("Users in two arms", users(results, results.crossed), "left out of all other numbers"),
        ("Programs", users(results, results.whole.bots), f"left out by version {version} of the site’s filter"),
        (
            "Before they were left out",
            f"{before['searches']:,} searches, {before['events']:,} events",
            f"of {count(before['units'], 'user')}" if results.sees_records else "",
        ),
        (
            "After",
            f"{counts.searches:,} searches, {counts.events:,} events",
            f"in the experiment’s time; {counts.clicks:,} of the events are clicks",
        ),
        ("Searches without an arm", f"{counts.without_arm:,}", "not part of the experiment"),
        ("Clicks without a search", f"{counts.astray:,}", "their query_id is of no search that was sent"),
        ("Events of nobody", f"{counts.ownerless:,}", "they name no user, and neither does their search"),
        ("Records of a search again", f"{counts.repeated:,}", "it counts once"),
    ]


def users(results: ABResults, number: int) -> str:
    return f"fewer than {K}" if 0 < number < K and not results.sees_records else f"{number:,}"


def method(results: ABResults) -> str:
    """The method in words, for whoever cites the numbers."""
    experiment, choice = results.experiment, results.choice
    looks = (
        f"always-valid intervals (asymptotic confidence sequences, narrowest at {experiment.planned:,} users)"
        if choice.always
        else "Welch’s t test, for one look"
    )
    before = f"; adjusted by {experiment.before_days} days before (CUPED)" if choice.adjust else ""
    return (
        f"Users are told apart by {identified_by(experiment)}, and are what is independent: metrics per search or session are "
        f"ratios of sums over users, by the delta method. Differences by {looks}{before}; lifts by Fieller’s "
        f"theorem. {provenance(results.report)}"
    )


def identified_by(experiment: Experiment) -> str:
    return "client_id" if experiment.unit == Experiment.Unit.CLIENT else "user_id"


def provenance(report: Report) -> str:
    assert report.experiment
    return (
        f"α = {report.experiment.alpha:g}. Filter of programs, version {report.spec['bots']['version']}; records received by "
        f"{report.as_of:%Y-%m-%d %H:%M:%S} UTC; engine {report.engine_version}."
    )
