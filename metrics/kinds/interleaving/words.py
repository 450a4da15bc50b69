"""The results of interleaving in words that claim no more than its numbers do."""

import math

from ireval.planning import Target, detectable_delta
from ireval.significance import Decision
from judging.logs.privacy import K
from judging.models import User
from metrics.kinds.ab.cautions import identified_by, provenance
from metrics.kinds.ab.words import POWER, Conclusion, hasty, in_full, percent
from metrics.kinds.interleaving.duels import Duel, InterleavingResults
from metrics.kinds.matters import Matters
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


def headline(results: InterleavingResults) -> list[Conclusion]:
    if not results.may_be_read:
        return [too_early(results)]
    if len(results.arms) > 2:
        return [leader(results)]
    return [preferred(results.duels[0], results)]


def sentence(report: Report, user: User) -> str:
    """The result in one sentence as this reader may see it."""
    results = InterleavingResults(report, user, {})
    if results.nothing or results.too_few:
        return results.nothing or TOO_FEW
    return in_full(headline(results))


def too_early(results: InterleavingResults) -> Conclusion:
    if results.choice.always:
        return hasty(results)
    return Conclusion(
        "early",
        f"Not yet: {results.users:,} of {count(results.experiment.planned, 'user')} have come and clicked.",
        "This experiment is to be read once, when all have come or it has ended: looking early at such an interval is not "
        "honest, since whoever stops when it pleases finds preferences that are not there. Always-valid intervals may be looked "
        "at at any time; they are wider.",
    )


def preferred(duel: Duel, results: InterleavingResults) -> Conclusion:
    decision = duel.decision
    if decision.outcome == "unknown":
        why = decision.undefined or "there are too few votes"
        return Conclusion("unknown", f"Nothing can be told of {duel.first} and {duel.second}: {why}.", numbers(duel, results))
    if decision.is_told:
        better, worse = duel.winner_and_loser
        judged = "better" if better == duel.first else "worse"
        return Conclusion(judged, f"Users prefer {better} to {worse}.", numbers(duel, results), in_short(duel))
    level = percent(decision.level)
    ends = f"between {percent(0.5 + decision.low)} and {percent(0.5 + decision.high)}"
    excluded = f"With {level} confidence {duel.first} gets {ends} of the votes; stronger preferences are excluded."
    result = f"No preference between {duel.first} and {duel.second} was found."
    return Conclusion("none", result, f"{excluded} {numbers(duel, results)}", in_short(duel))


def in_short(duel: Duel) -> str:
    what = "of the credit" if duel.analysis["by"] == "credit" else "of votes"
    low, high = (percent(0.5 + end) for end in (duel.decision.low, duel.decision.high))
    sure = f"{percent(duel.decision.level)} interval {low.removesuffix(' %')} to {high}"
    users = count(duel.users, "user")
    return f"{duel.first} gets {percent(0.5 + duel.delta)} {what} ({sure}), n = {duel.analysis['n']:,} impressions by {users}."


def numbers(duel: Duel, results: InterleavingResults) -> str:
    what = "of the credit" if duel.analysis["by"] == "credit" else "of votes, ties as halves"
    ends = "no interval" if math.isnan(duel.decision.low) else interval_of(duel.decision)
    votes = f"{duel.analysis['wins']:,} won, {duel.analysis['ties']:,} tied, {duel.analysis['losses']:,} lost"
    return (
        f"Δ = {signed(duel.delta)} ({ends}): {duel.first} gets {percent(0.5 + duel.delta)} {what}; {votes} of "
        f"{count(duel.analysis['n'], 'impression')} with credit, by {count(duel.users, 'user')}."
    )


def leader(results: InterleavingResults) -> Conclusion:
    first = [standing for standing in results.standings if standing.rank == 1]
    names = " and ".join(standing.arm for standing in first)
    last = max(standing.high for standing in first)
    apart = sum(duel.decision.is_told for duel in results.duels) or "None"
    sure = "and no other can be first" if last == 1 else f"and may in truth have any rank up to {last}"
    return Conclusion(
        "better" if last == 1 else "none",
        f"{names} {'leads' if len(first) == 1 else 'lead'} the {len(results.arms)} arms, {sure}.",
        f"{apart} of {count(len(results.duels), 'pair')} can be told apart "
        f"(p corrected by Holm, below {results.experiment.alpha:g}); "
        f"{count(results.counts['kept'], 'list')} shown, to {count(results.users, 'user')} who clicked.",
        f"Mean Δ {signed(first[0].delta)}; {apart} of {count(len(results.duels), 'pair')} told apart; "
        f"n = {count(results.counts['kept'], 'list')}, {count(results.users, 'user')}.",
    )


def outlook(duel: Duel, results: InterleavingResults, matters: Matters) -> str:
    """Say which preference these impressions could have shown, and how many impressions it takes to tell one that matters."""
    n = duel.analysis["n"]
    effect, ties = duel.analysis["design_effect"], duel.analysis["ties"] / n if n else 1.0
    if duel.analysis["by"] == "credit" or not effect or ties >= 1:
        return ""
    design = {"ties": ties, "design_effect": effect, "alpha": results.experiment.alpha, "comparisons": len(results.duels)}
    least = detectable_delta(n, power_wanted=POWER, **design)
    able = f"can show a Δ of {least:.3f} or more" if not math.isnan(least) else "cannot show any preference"
    text = f"{count(n, 'impression')} with credit, as alike within users as here, {able} in {percent(POWER)} of experiments."
    target = Target(matters.difference, "Δ of interleaving", results.experiment.alpha, len(results.duels))
    if needed := target.needed(duel.analysis["score"]["error"] or 0, n):
        text += f" It takes about {count(needed, 'impression')} to tell {target}{matters.source}."
    return text


def cautions(results: InterleavingResults) -> list[str]:
    planned, whole = results.experiment.planned, results.result["whole"]
    sentences = []
    queries = max(duel.analysis["queries"] for duel in results.duels)
    if min(results.users, queries) < FEW:
        noun = "query" if queries == 1 else "queries"
        sentences.append(
            f"{count(results.users, 'user')} clicked, after {queries:,} different {noun}: intervals rest on how these differ, "
            f"which fewer than {FEW} hardly tell. Always-valid ones are too narrow then."
        )
    if not results.choice.always and results.has_ended and results.users < planned:
        sentences.append(
            f"It was stopped at {results.users:,} of {planned:,} users. If that was because of what it showed, its interval is "
            "too narrow: take the always-valid one."
        )
    if whole["without_credit"] > whole["impressions"] / 2:
        share = percent(whole["without_credit"] / whole["impressions"])
        sentences.append(f"{share} of lists gave no arm any credit and say nothing: nobody clicked, or what both show alike.")
    return sentences


def count_rows(results: InterleavingResults) -> list[tuple[str, str, str]]:
    counts, whole = results.counts, results.result["whole"]
    version = results.report.spec["bots"]["version"]
    few = f"fewer than {K}" if 0 < counts["bots"] < K and not results.sees_records else f"{counts['bots']:,}"
    users = f"to {count(counts['units'], 'user')}, " if results.sees_records else ""
    return [
        ("Lists shown", f"{counts['impressions']:,}", f"{users}before programs were left out"),
        ("Programs", few, f"left out by version {version} of the site’s filter"),
        ("Lists counted", f"{counts['kept']:,}", f"with {count(counts['clicks'], 'click')}"),
        ("Without credit", f"{whole['without_credit']:,}", "nobody clicked on what an arm had brought"),
    ]


def method(results: InterleavingResults) -> str:
    experiment = results.experiment
    by = (
        "the arm’s part of all credit, by the delta method"
        if experiment.method == experiment.Method.PROBABILISTIC
        else "1 for an impression that an arm wins, ½ for a tie"
    )
    looks = (
        f"always-valid intervals (narrowest at {experiment.planned:,} votes)"
        if results.choice.always
        else "intervals by Student’s t, for one look"
    )
    return (
        f"{experiment.get_method_display()} interleaving, {experiment.depth} deep. Score: {by}; Δ is the score less ½. Errors "
        f"are robust to users ({identified_by(experiment)}) and queries; {looks}. "
        f"{provenance(results.report)}"
    )


def interval_of(decision: Decision) -> str:
    return f"{percent(decision.level)} interval {signed(decision.low)} to {signed(decision.high)}, p {as_p(decision.p)}"


def signed(value: float) -> str:
    return f"{round(value, 3) + 0.0:+.3f}".replace("-", "−")  # no −0.000
