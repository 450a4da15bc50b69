"""The results of a click report in words."""

from collections.abc import Mapping
from typing import Any

from judging.models import User
from metrics.kinds.clicks.impressions import DEPTH
from metrics.kinds.clicks.results import ClickResults
from metrics.logs.kind import TOO_FEW
from metrics.models import Report
from metrics.sentences import count, percent

# With fewer, intervals of rates of whole impressions hold the truth in less than 93.5 % (docs/explanation/statistics.md).
ENOUGH_USERS = 50


def sentence(report: Report, user: User) -> str:
    """Say how often people click, as far as this reader may see it."""
    return in_one_sentence(ClickResults(report, user))


def in_one_sentence(results: ClickResults) -> str:
    if results.nothing or results.too_few:
        return TOO_FEW if results.too_few else "No search in this time says what it showed."
    users, shown = count(results.result["users"], "user"), count(results.result["impressions"], "impression")
    clicks = results.rates["ctr@10"]
    clicked = f"{percent(clicks['value'])}{interval(clicks)}"
    return f"{clicked} of {shown} to {users} have a click on the first 10 results, {window(results.report)}."


def interval(rate: Mapping[str, Any]) -> str:
    if rate["low"] is None or rate["high"] is None:
        return ""
    return f" (95 % interval {100 * rate['low']:.0f} to {percent(rate['high'])})"


def cautions(results: ClickResults) -> list[str]:
    """What a reader could get wrong."""
    return [text for text in (sampling(results), few_users(results)) if text]


def window(report: Report) -> str:
    """The period that a report covers, in words."""
    spec = report.spec
    if spec["since"] or spec["until"]:
        ends = [("from", spec["since"]), ("until", spec["until"])]
        return " ".join(f"{word} {moment[:10]}" for word, moment in ends if moment)
    return f"of the last {spec['days']} days" if spec["days"] else "of all that is kept"


def sampling(results: ClickResults) -> str:
    """Say how much of a large log was read; empty where all of it was."""
    spec = results.report.spec
    if spec["parts"] == spec["of"]:
        return ""
    return (
        f"Of {spec['asked']:,} searches those of {spec['parts']} in {spec['of']} users were drawn by lot: "
        f"{results.result['counts']['searches']:,}. All numbers here are of these."
    )


def few_users(results: ClickResults) -> str:
    """Say that the intervals of the rates rest on few users; empty where there are enough."""
    users = results.result["users"]
    return f"{users:,} users: these intervals may be too narrow, {ENOUGH_USERS} are needed." if 1 < users < ENOUGH_USERS else ""


def count_rows(results: ClickResults) -> list[tuple[str, str, str]]:
    """Rows of (what was counted, how much of it, what that means)."""
    counts, result = results.result["counts"], results.result
    version = results.report.spec["bots"]["version"]
    programs = f"{counts['programs']:,}" if results.owns or not 0 < counts["programs"] < 10 else "fewer than 10"
    return [
        ("Searches", f"{counts['searches']:,}", f"by {counts['units']:,} clients, with {counts['clicks']:,} clicks on them"),
        ("Programs", programs, f"left out by version {version} of the site’s filter"),
        ("Searches of people", f"{counts['kept']:,}", "what is left"),
        ("Nothing known to be shown", f"{counts['silent']:,}", "no result ids and no impression events: left out"),
        ("Impressions", f"{result['impressions']:,}", f"of {result['queries']:,} queries and {result['users']:,} users"),
        (
            "Clicks elsewhere",
            f"{result['elsewhere']:,}",
            f"of {result['clicks']:,}, on what was not among the first {DEPTH} results shown: no abandonment, and nothing else",
        ),
        ("Showed more", f"{counts['deep']:,}", f"searches with results beyond the {DEPTH} that are read"),
    ]


def foresight(results: ClickResults) -> str:
    """Say which model to believe."""
    if not results.held_out:
        return "There are too few sessions to hold any out, so that nothing says which model to believe."
    best = results.held_out[0]
    decision = best["decision"]
    if decision is not None and decision.outcome == "first":
        return (
            f"The {best['title']} foresees clicks best: {decision.value:.3f} [{decision.low:.3f}, {decision.high:.3f}] more "
            "in log likelihood an impression than click-through rates by rank alone."
        )
    return "No model foresees clicks better than click-through rates by rank alone: take none of them at its word."


def method(results: ClickResults) -> str:
    """The method in words, for whoever cites the numbers."""
    report, level = results.report, f"{100 * results.report.spec['confidence']:g} %"
    return (
        f"{level} intervals: Wilson’s for click-through rates by rank, robust to sessions for what is said of impressions. "
        f"Queries are compared in small letters and with single blanks. Attractiveness has a prior of "
        f"{report.spec['prior']:g} view. Clicks over expected clicks are shrunk. "
        f"Filter of programs, version {report.spec['bots']['version']}; records received by {report.as_of:%Y-%m-%d %H:%M:%S} "
        f"UTC; engine {report.engine_version}."
    )
