"""Cautions for the reader of an A/B report: what could mislead, and what was counted and left out."""

from datetime import timedelta

from django.utils.dateformat import format as date_in_words
from django.utils.translation import gettext as _

from judging.logs import volume
from judging.text.counts import count
from metrics.kinds.ab.results import ABResults, pseudonyms_change
from metrics.kinds.experiments.words import advice_to_stop, identified_by, provenance
from metrics.logs.kind import count_or_few
from metrics.sentences import percent

FEW = 100
# The share of the last day's records whose time is not that of their receipt.
MANY_WRONG_CLOCKS = 0.01
MANY_WITHOUT_ARM = 0.05


def cautions(results: ABResults) -> list[str]:
    """What a reader could get wrong, one sentence each."""
    sentences = [
        few(results),
        ended_early(results),
        advice_to_stop(results),
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
    text = _(
        "Arm %(arm)s has %(users)s: from fewer than %(few)s an arm, intervals and p are rough, and only large differences show."
    )
    return text % {"arm": least, "users": count(results.users(least), "user"), "few": FEW}


def ended_early(results: ABResults) -> str:
    if results.choice.always or not results.has_ended or results.n >= results.experiment.planned:
        return ""
    text = _(
        "It was stopped at %(n)s of %(planned)s users. If that was because of what it showed, its intervals are too narrow: "
        "take the always-valid ones."
    )
    return text % {"n": f"{results.n:,}", "planned": f"{results.experiment.planned:,}"}


def pseudonyms(results: ABResults) -> list[str]:
    experiment = results.experiment
    during = pseudonyms_change(experiment, results.started, results.until)
    sentences = []
    if during:
        text = _(
            "Users got new pseudonyms on %(days)s: who came before and after counts twice, with what they did on either side. "
            "Let experiments end before that, or let the site rotate less often."
        )
        sentences.append(text % {"days": ", ".join(date_in_words(moment, "j F Y") for moment in during)})
    if results.choice.adjust and pseudonyms_change(
        experiment, results.started - timedelta(days=experiment.before_days), results.started
    ):
        sentences.append(
            _("Of part of the time before, users cannot be known again, so that it says less of them than it might.")
        )
    return sentences


def clocks(results: ABResults) -> str:
    if results.has_ended:
        return ""
    skew = volume.skew(results.experiment.site)
    if skew.share <= MANY_WRONG_CLOCKS:
        return ""
    text = _(
        "%(share)s of the last day’s records say a time more than a day from that of their receipt. What happens outside the "
        "experiment’s time, by its sender’s clock, does not count."
    )
    return text % {"share": percent(skew.share, 1)}


def without_arm(results: ABResults) -> str:
    """Say that more searches lack an arm than the experiment's share of traffic explains."""
    counts, out = results.whole.behaviour.counts, 1 - results.experiment.traffic / 100
    if not counts.searches or counts.without_arm / counts.searches <= out + MANY_WITHOUT_ARM:
        return ""
    text = _(
        "%(share)s of searches in its time name no arm of it, and none should, if the whole site is in the experiment: see "
        "whether all pages send the arm."
    )
    if out:
        text = _(
            "%(share)s of searches in its time name no arm of it, and %(expected)s should, if the whole site is in the "
            "experiment: see whether all pages send the arm."
        )
    return text % {"share": percent(counts.without_arm / counts.searches, 1), "expected": percent(out, 1)}


def astray(results: ABResults) -> str:
    counts = results.whole.behaviour.counts
    if not counts.clicks or counts.astray / counts.clicks <= MANY_WITHOUT_ARM:
        return ""
    text = _(
        "%(share)s of clicks belong to no search that was sent, so that they count for none: see whether searches are logged, "
        "and whether clicks carry their query_id."
    )
    return text % {"share": percent(counts.astray / counts.clicks, 1)}


def count_rows(results: ABResults) -> list[tuple[str, str, str]]:
    """Rows of (what was counted, how much of it, what that means)."""
    counts, before = results.whole.behaviour.counts, results.whole.everybody
    version = {"version": results.report.spec["bots"]["version"]}
    came = _("of %(users)s") % {"users": count(before["units"], "user")}
    stayed = _("in the experiment’s time; %(clicks)s of the events are clicks") % {"clicks": f"{counts.clicks:,}"}
    return [
        (_("Users in an arm"), f"{results.n:,}", _("with a search that names it, in the experiment’s time")),
        (_("Users in two arms"), users(results, results.crossed), _("left out of all other numbers")),
        (_("Bots"), users(results, results.whole.bots), _("left out by version %(version)s of the site’s filter") % version),
        (_("Before they were left out"), records(before["searches"], before["events"]), came if results.sees_records else ""),
        (_("After"), records(counts.searches, counts.events), stayed),
        (_("Searches without an arm"), f"{counts.without_arm:,}", _("not part of the experiment")),
        (_("Clicks without a search"), f"{counts.astray:,}", _("their query_id is of no search that was sent")),
        (_("Events without a user"), f"{counts.ownerless:,}", _("they name no user, and neither does their search")),
        (_("Searches sent again"), f"{counts.repeated:,}", _("it counts once")),
    ]


def records(searches: int, events: int) -> str:
    return _("%(searches)s searches, %(events)s events") % {"searches": f"{searches:,}", "events": f"{events:,}"}


def users(results: ABResults, number: int) -> str:
    return count_or_few(number, sees_records=results.sees_records)


def method(results: ABResults) -> str:
    """The method in words, for whoever cites the numbers."""
    experiment, choice = results.experiment, results.choice
    if choice.always:
        text = _("always-valid intervals (asymptotic confidence sequences, narrowest at %(planned)s users)")
        looks = text % {"planned": f"{experiment.planned:,}"}
    else:
        looks = _("Welch’s t test, for one look")
    if choice.adjust:
        text = _("%(looks)s; adjusted by %(days)s days before (CUPED)")
        looks = text % {"looks": looks, "days": experiment.before_days}
    text = _(
        "Users are told apart by %(identifier)s, and are what is independent: metrics per search or session are ratios of sums "
        "over users, by the delta method. Differences by %(looks)s; lifts by Fieller’s theorem."
    )
    sentences = text % {"identifier": identified_by(experiment), "looks": looks}
    return f"{sentences} {provenance(results.report)}"
