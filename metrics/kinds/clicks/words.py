"""The results of a click report in words."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from judging.models import User
from judging.text.counts import count
from judging.text.library_words import in_reader_language
from metrics.kinds.clicks.impressions import DEPTH
from metrics.kinds.clicks.results import ClickResults
from metrics.logs.kind import count_or_few, too_few
from metrics.models import Report
from metrics.sentences import decimal, decimals, percent, percents

# With fewer, intervals of rates of whole impressions hold the truth in less than 93.5 % (docs/explanation/statistics.md).
ENOUGH_USERS = 50


def sentence(report: Report, user: User) -> str:
    """Say how often people click, as far as this reader may see it."""
    return in_one_sentence(ClickResults(report, user))


def in_one_sentence(results: ClickResults) -> str:
    if results.nothing or results.too_few:
        return too_few() if results.too_few else _("No search in this time says what it showed.")
    clicks = results.rates["ctr@10"]
    text = _("%(share)s of %(impressions)s to %(users)s have a click on the first 10 results, %(window)s.")
    return text % {
        "share": with_interval(clicks),
        "impressions": count(results.result["impressions"], "impression"),
        "users": count(results.result["users"], "user"),
        "window": window(results.report),
    }


def with_interval(rate: Mapping[str, Any]) -> str:
    if rate["low"] is None or rate["high"] is None:
        return percent(rate["value"])
    share, low, high = percents([rate["value"], rate["low"], rate["high"]], nulls=(0, 1))
    text = _("%(share)s (95 %% interval %(low)s to %(high)s)")
    return text % {"share": share, "low": low.removesuffix(" %"), "high": high}


def cautions(results: ClickResults) -> list[str]:
    """What a reader could get wrong."""
    return [text for text in (sampling(results), few_users(results)) if text]


def window(report: Report) -> str:
    """The period that a report covers, in words."""
    return of_time(report.spec)


def of_time(period: Mapping[str, Any]) -> str:
    """A period in words, by its number of days or its ends."""
    since, until, days = (period["since"] or "")[:10], (period["until"] or "")[:10], period["days"]
    if since and until:
        return _("from %(since)s until %(until)s") % {"since": since, "until": until}
    if since:
        return _("from %(since)s") % {"since": since}
    if until:
        return _("until %(until)s") % {"until": until}
    return _("of the last %(days)s days") % {"days": days} if days else _("of all that is kept")


def sampling(results: ClickResults) -> str:
    """Say how much of a large log was read; empty where all of it was."""
    spec = results.report.spec
    if spec["parts"] == spec["of"]:
        return ""
    text = _(
        "Of %(asked)s searches those of %(parts)s in %(of)s users were drawn by lot: %(searches)s. All numbers here are of these."
    )
    searches = f"{results.result['counts']['searches']:,}"
    return text % {"asked": f"{spec['asked']:,}", "parts": spec["parts"], "of": spec["of"], "searches": searches}


def few_users(results: ClickResults) -> str:
    """Say that the intervals of the rates rest on few users; empty where there are enough."""
    users = results.result["users"]
    if not 1 < users < ENOUGH_USERS:
        return ""
    text = _("%(users)s users: these intervals may be too narrow, %(needed)s are needed.")
    return text % {"users": f"{users:,}", "needed": ENOUGH_USERS}


def count_rows(results: ClickResults) -> list[tuple[str, str, str]]:
    """Rows of (what was counted, how much of it, what that means)."""
    counts, result = results.result["counts"], results.result
    version = {"version": results.report.spec["bots"]["version"]}
    programs = count_or_few(counts["programs"], sees_records=results.sees_records)
    searchers = _("by %(clients)s clients, with %(clicks)s clicks on them")
    askers = _("of %(queries)s queries and %(users)s users")
    elsewhere = _("of %(clicks)s, on what was not among the first %(depth)s results shown: no abandonment, and nothing else")
    return [
        (
            _("Searches"),
            f"{counts['searches']:,}",
            searchers % {"clients": f"{counts['units']:,}", "clicks": f"{counts['clicks']:,}"},
        ),
        (_("Bots"), programs, _("left out by version %(version)s of the site’s filter") % version),
        (_("Searches of people"), f"{counts['kept']:,}", _("what is left")),
        (
            _("Nothing known to be shown"),
            f"{counts['silent']:,}",
            _("no result ids and no impression events: left out"),
        ),
        (
            _("Impressions"),
            f"{result['impressions']:,}",
            askers % {"queries": f"{result['queries']:,}", "users": f"{result['users']:,}"},
        ),
        (
            _("Clicks elsewhere"),
            f"{result['elsewhere']:,}",
            elsewhere % {"clicks": f"{result['clicks']:,}", "depth": DEPTH},
        ),
        (
            _("Showed more"),
            f"{counts['deep']:,}",
            _("searches with results beyond the %(depth)s that are read") % {"depth": DEPTH},
        ),
    ]


def foresight(results: ClickResults) -> str:
    """Say which model to believe."""
    if not results.held_out:
        return _("There are too few sessions to hold any out, so that nothing says which model to believe.")
    better = [row for row in results.held_out if row["decision"] is not None and row["decision"].outcome == "first"]
    if better:
        decision = better[0]["decision"]
        text = _(
            "The %(model)s foresees clicks better than click-through rates by rank alone: %(gain)s [%(low)s, %(high)s] more in "
            "log likelihood per impression."
        )
        numbers = {"gain": decision.value, "low": decision.low, "high": decision.high}
        shown = {name: decimal(number, decimals([number], 3)) for name, number in numbers.items()}
        return text % {"model": in_reader_language(better[0]["title"]), **shown}
    return _("No model was found to foresee clicks better than click-through rates by rank alone: take none at its word.")


def method(results: ClickResults) -> str:
    """The method in words, for whoever cites the numbers."""
    report = results.report
    text = _(
        "%(level)s intervals: Wilson’s for click-through rates by rank, robust to sessions for what is said of impressions. "
        "Queries are compared in small letters and with single blanks. Attractiveness has a prior of %(prior)s view. Clicks "
        "over expected clicks are shrunk. Bot filter, version %(version)s; records received by %(received)s UTC; engine "
        "%(engine)s."
    )
    return text % {
        "level": f"{100 * report.spec['confidence']:g} %",
        "prior": f"{report.spec['prior']:g}",
        "version": report.spec["bots"]["version"],
        "received": f"{report.as_of:%Y-%m-%d %H:%M:%S}",
        "engine": report.engine_version,
    }
