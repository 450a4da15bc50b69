"""What interleaving found, in words that claim no more than its numbers do."""

import math

from ireval.planning import detectable_delta, impressions_needed
from judging.logs.privacy import K
from judging.models import User
from metrics.kinds.ab.cautions import identified_by, provenance
from metrics.kinds.ab.words import POWER, Said, percent
from metrics.kinds.interleaving.duels import Duel, Lists
from metrics.logs.kind import TOO_FEW
from metrics.models import Report
from metrics.sentences import as_p, count

FEW = 30
ASSUMES = (
    "Users do not know which arm a result is from, and both arms’ results get an equal chance: that is what merging is for.",
    "A click is taken for approval. Where an arm has more that tempts and less that helps, it wins all the same.",
    "What a user’s votes have in common, and those of a query, is allowed for: intervals and p are clustered by both.",
    "It says which arm’s results people click on when both are in one list, and not how far a metric of whole pages would move.",
)


def headline(found: Lists) -> list[Said]:
    if not found.may_be_read:
        return [too_early(found)]
    if len(found.arms) > 2:
        return [leader(found)]
    return [preferred(found.duels[0], found)]


def sentence(report: Report, user: User) -> str:
    """What it found as this reader may see it."""
    found = Lists(report, user, {})
    if found.nothing or found.too_few:
        return found.nothing or TOO_FEW
    return " ".join(said.result for said in headline(found))


def too_early(found: Lists) -> Said:
    return Said(
        "early",
        f"Not yet: {found.users:,} of {count(found.experiment.planned, 'user')} have come and clicked.",
        "This experiment is to be read once, when all have come or it has ended: looking early at such an interval is not "
        "honest, since whoever stops when it pleases finds preferences that are not there. Always-valid intervals may be looked "
        "at at any time; they are wider.",
    )


def preferred(one: Duel, found: Lists) -> Said:
    if one.low is None or one.high is None:
        why = one.undefined or "there are too few votes"
        return Said("unknown", f"Nothing can be told of {one.first} and {one.second}: {why}.", numbers(one, found))
    if one.low > 0:
        return Said("better", f"Users prefer {one.first} to {one.second}.", numbers(one, found))
    if one.high < 0:
        return Said("worse", f"Users prefer {one.second} to {one.first}.", numbers(one, found))
    level = percent(1 - found.experiment.alpha)
    ends = f"between {percent(0.5 + one.low)} and {percent(0.5 + one.high)}"
    excluded = f"With {level} confidence {one.first} gets {ends} of the votes; stronger preferences are excluded."
    result = f"No preference between {one.first} and {one.second} was found."
    return Said("none", result, f"{excluded} {numbers(one, found)}")


def numbers(one: Duel, found: Lists) -> str:
    what = "of the credit" if one.found["by"] == "credit" else "of votes, ties as halves"
    ends = f"{percent(1 - found.experiment.alpha)} interval {ends_of(one)}, p {p_of(one.shown_p)}"
    votes = f"{one.found['wins']:,} won, {one.found['ties']:,} tied, {one.found['losses']:,} lost"
    return (
        f"Δ = {signed(one.delta)} ({ends}): {one.first} gets {percent(0.5 + one.delta)} {what}; {votes} of "
        f"{count(one.found['n'], 'impression')} with credit, by {count(one.users, 'user')}."
    )


def leader(found: Lists) -> Said:
    first = [one for one in found.standings if one.rank == 1]
    names = " and ".join(one.arm for one in first)
    last = max(one.high for one in first)
    told = sum(one.is_told(found.experiment.alpha) for one in found.duels) or "None"
    sure = "and no other can be first" if last == 1 else f"and may in truth have any rank up to {last}"
    return Said(
        "better" if last == 1 else "none",
        f"{names} {'leads' if len(first) == 1 else 'lead'} the {len(found.arms)} arms, {sure}.",
        f"{told} of {count(len(found.duels), 'pair')} can be told apart (p corrected by Holm, below {found.experiment.alpha:g}); "
        f"{count(found.counts['kept'], 'list')} shown, to {count(found.users, 'user')} who clicked.",
    )


def outlook(one: Duel, found: Lists) -> str:
    """Which preference so many impressions could have shown, and how many the one that was found would take."""
    n = one.found["n"]
    effect, ties = one.found["design_effect"], one.found["ties"] / n if n else 1.0
    if one.found["by"] == "credit" or not effect or ties >= 1:
        return ""
    how = {"ties": ties, "design_effect": effect, "alpha": found.experiment.alpha, "comparisons": len(found.duels)}
    least = detectable_delta(n, power_wanted=POWER, **how)
    able = f"can show a Δ of {least:.3f} or more" if not math.isnan(least) else "cannot show any preference"
    said = f"{count(n, 'impression')} with credit, as alike within users as here, {able} in {percent(POWER)} of experiments."
    if 0 < abs(one.delta) < (1 - ties) / 2:
        needed = impressions_needed(one.delta, power_wanted=POWER, **how)
        said += f" A Δ of {abs(one.delta):.3f}, as found here, takes {count(needed, 'impression')}."
    return said


def cautions(found: Lists) -> list[str]:
    planned, whole = found.experiment.planned, found.result["whole"]
    said = []
    queries = max(one.found["queries"] for one in found.duels)
    if min(found.users, queries) < FEW:
        asked = "query" if queries == 1 else "queries"
        said.append(
            f"{count(found.users, 'user')} clicked, after {queries:,} different {asked}: intervals rest on how these differ, "
            f"which fewer than {FEW} hardly tell. Always-valid ones are too narrow then."
        )
    if not found.choice.always and found.has_ended and found.users < planned:
        said.append(
            f"It was stopped at {found.users:,} of {planned:,} users. If that was because of what it showed, its interval is too "
            "narrow: take the always-valid one."
        )
    if whole["without_credit"] > whole["impressions"] / 2:
        share = percent(whole["without_credit"] / whole["impressions"])
        said.append(f"{share} of lists gave no arm any credit and say nothing: nobody clicked, or what both show alike.")
    return said


def counted(found: Lists) -> list[tuple[str, str, str]]:
    counts, whole = found.counts, found.result["whole"]
    version = found.report.spec["bots"]["version"]
    few = f"fewer than {K}" if 0 < counts["bots"] < K and not found.sees_records else f"{counts['bots']:,}"
    users = f"to {count(counts['units'], 'user')}, " if found.sees_records else ""
    return [
        ("Lists shown", f"{counts['impressions']:,}", f"{users}before programs were left out"),
        ("Programs", few, f"left out by version {version} of the site’s filter"),
        ("Lists counted", f"{counts['kept']:,}", f"with {count(counts['clicks'], 'click')}"),
        ("Without credit", f"{whole['without_credit']:,}", "nobody clicked on what an arm had brought"),
    ]


def method(found: Lists) -> str:
    experiment = found.experiment
    by = (
        "the arm’s part of all credit, by the delta method (Hofmann et al. 2011)"
        if experiment.method == experiment.Method.PROBABILISTIC
        else "1 for an impression that an arm wins, ½ for a tie (Chapelle et al. 2012)"
    )
    looks = (
        f"always-valid intervals (Waudby-Smith et al. 2024, narrowest at {experiment.planned:,} votes)"
        if found.choice.always
        else "intervals by Student’s t, for one look"
    )
    return (
        f"{experiment.get_method_display()} interleaving, {experiment.depth} deep. Score: {by}; Δ is the score less ½. Errors "
        f"are robust to users ({identified_by(experiment)}) and queries (Cameron, Gelbach and Miller 2011); {looks}. "
        f"{provenance(found.report)}"
    )


def ends_of(one: Duel) -> str:
    return "unknown" if one.low is None or one.high is None else f"{signed(one.low)} to {signed(one.high)}"


def signed(value: float) -> str:
    return f"{round(value, 3) + 0.0:+.3f}".replace("-", "−")  # no −0.000


def p_of(p: float | None) -> str:
    return "unknown" if p is None else as_p(p)
