"""The results of a side-by-side study in words that claim no more than its numbers do."""

from typing import Any

from ireval.planning import Target
from ireval.significance import Decision
from ireval.significance.students_t import quantile
from judging.models import Comparison, User
from metrics.kinds.matters import Matters
from metrics.kinds.preferences.results import Duel, PreferenceResults, with_decisions
from metrics.kinds.studies import not_people, summary
from metrics.models import Report
from metrics.sentences import as_p, count, percent

POWER = 0.8
# With fewer workers intervals are wider than they would have to be (docs/explanation/statistics.md).
ENOUGH_WORKERS = 10
# The share of a side that readers should know of, and the share of repeats that should stay the same if there are a few.
A_SIDE = 0.6
CONSISTENT = 0.75
A_FEW = 10
# The seconds in which nobody looks at two lists.
TOO_FAST = 3


def headline(duel: Duel) -> str:
    """Say who is preferred, as the pair's decision has it."""
    outcome, names = duel["decision"].outcome, (duel["first"], duel["second"])
    if outcome == "unknown":
        return f"Nothing can be told of {names[0]} and {names[1]}: {duel['decision'].undefined}."
    if outcome == "none":
        return f"No preference between {names[0]} and {names[1]} was found."
    better, worse = names if outcome == "first" else names[::-1]
    return f"Workers prefer {better} to {worse}."


def numbers(duel: Duel) -> str:
    """The numbers that the decision rests on."""
    decision = duel["decision"]
    sure = "" if decision.undefined else f" ({interval_of(decision)}, p {as_p(decision.p)}{corrected(decision)})"
    of = f"n = {count(duel['n'], 'vote')} on {count(duel['topics'], 'topic')} by {count(duel['workers'], 'worker')}"
    return f"{duel['first']} gets {percent(decision.value)} of the votes, a tie being half a vote{sure}; {of}."


def interval_of(decision: Decision) -> str:
    return f"{100 * decision.level:.3g} % interval {100 * decision.low:.0f} to {percent(decision.high)}"


def corrected(decision: Decision) -> str:
    return f", corrected for {decision.questions:,} pairs by Holm" if decision.questions > 1 else ""


def outlook(duel: Duel, matters: Matters) -> str:
    """Say what others would prefer; of a pair that is not decided also how many topics and workers that would take."""
    decision = duel["decision"]
    if decision.outcome == "unknown":
        return "It takes votes that differ, on two topics and by two workers at least."
    if decision.is_told:
        return "That holds for other topics and other workers of the same kind."
    return " ".join(filter(None, [needed(duel, matters), detectable(duel)]))


def needed(duel: Duel, matters: Matters) -> str:
    """How many votes tell a preference that matters, as a verdict counts them; topics and workers come in proportion."""
    decision = duel["decision"]
    target = Target(matters.difference, "share of votes", decision.alpha, max(1, decision.questions))
    votes = target.needed(duel["score"]["error"], duel["n"])
    if votes is None:
        return ""
    more = f" ({votes - duel['n']:,} more)" if votes > duel["n"] else ""
    return f"It takes about {count(votes, 'vote')}{more}, topics and workers in proportion, to tell {target}{matters.source}."


def detectable(duel: Duel) -> str:
    share = 0.5 + errors(duel["decision"], duel["score"]["freedom"]) * duel["score"]["error"]
    able = f"show a preference of {percent(share)} of the votes or more" if share < 1 else "show no preference, however strong"
    return f"{count(duel['topics'], 'topic').capitalize()} and {count(duel['workers'], 'worker')} like these can {able}."


def errors(decision: Decision, freedom: float) -> float:
    """How many standard errors a preference must be from ½ to be found with the power."""
    return quantile(freedom, decision.level) + quantile(freedom, 2 * POWER - 1)


def these_workers(duel: Duel, pairs: int) -> str:
    """Answer another question: whether the same workers would prefer it on other topics."""
    tests = duel["by_topics"]
    decided = count(tests["wins"] + tests["losses"], "topic")
    holm = f", corrected for {pairs:,} pairs by Holm" if pairs > 1 else ""
    return (
        f"Another question is what these very workers would say on other topics. {duel['first']} wins {tests['wins']:,} of "
        f"{decided} that are no tie: exact sign test, p {as_p(duel['corrected']['topics'])}{holm}."
    )


def best_of(ladder: list[dict[str, Any]], duels: list[Duel]) -> str:
    """Say who leads many systems, and how many pairs are told apart."""
    if groups(ladder) > 1:
        leaders = f"{groups(ladder)} groups of systems were never compared with each other: each has a ladder of its own."
    else:
        first = [row for row in ladder if row["rank"] == 1]
        names = " and ".join(row["system"] for row in first)
        last = max(row["rank_high"] for row in first)
        leaders = f"{names} {'leads' if len(first) == 1 else 'lead'} the {len(ladder)} systems" + (
            ", and no other can be first." if last == 1 else f", and may in truth have any rank up to {last}."
        )
    told_apart = sum(duel["decision"].is_told for duel in duels) or "None"
    votes = count(sum(duel["n"] for duel in duels), "vote")
    apart = f"{told_apart} of {count(len(duels), 'pair')} can be told apart; n = {votes}."
    return " ".join(filter(None, [leaders, lead(ladder), apart]))


def lead(ladder: list[dict[str, Any]]) -> str:
    """How the first does against an average system; empty where that has no interval, or there are groups of systems."""
    best = ladder[0]
    if groups(ladder) > 1 or best.get("average_low") is None:
        return ""
    sure = f"95 % interval {100 * best['average_low']:.0f} to {percent(best['average_high'])}"
    return f"Against an average one {best['system']} gets {percent(best['against_average'])} ({sure})."


def groups(ladder: list[dict[str, Any]]) -> int:
    return max((row["component"] for row in ladder), default=0)


def cautions(about: dict[str, Any], trust: dict[str, Any], comparison: Comparison) -> list[str]:
    """What a reader could get wrong, one sentence each."""
    sentences = []
    if comparison.topics == Comparison.Topics.DIFFERENT:
        sentences.append(
            "The topics are those on which the systems differ most: over all topics the preference is probably weaker."
        )
    if about["simulated"]:
        sentences.append(
            f"{about['simulated']:,} of {about['votes']:,} votes are simulated, made by a program and not by people."
        )
    if about["workers"] == 1:
        sentences.append("All votes are one worker’s: they say what this person prefers, and nothing of others.")
    if about["topics"] == 1:
        sentences.append("All votes are on one topic: they say nothing of others.")
    if 1 < about["workers"] < ENOUGH_WORKERS:
        sentences.append(
            f"Only {about['workers']} workers voted: others may see it differently, and the interval is wide to allow for that."
        )
    return sentences + doubts(trust)


def doubts(trust: dict[str, Any]) -> list[str]:
    """Reasons why the votes may not be what workers think, one sentence each."""
    if trust["side"] is None:
        return []
    sides, repeats, seconds = trust["side"], trust["consistency"], trust["seconds"]
    alpha = next((row for row in trust["agreement"] if row["name"] == "alpha-ordinal"), {"low": None})
    chance = f"{alpha.get('value') or 0:.2f}".replace("-", "−")
    chosen = max((sides["share"] or 0, "left"), (1 - (sides["share"] or 1), "right"))
    reasons = [
        (
            sides["p"] < 0.05 and chosen[0] >= A_SIDE,
            f"{percent(chosen[0])} of decided votes chose the {chosen[1]} list, whichever system was there.",
        ),
        (
            repeats["n"] >= A_FEW and repeats["share"] < CONSISTENT,
            f"Only {percent(repeats['share'] or 0)} of {repeats['n']:,} answers stayed the same when the sides changed round.",
        ),
        (
            alpha["low"] is not None and alpha["low"] <= 0,
            f"Whether workers agree with each other more than by chance is not known: α = {chance}.",
        ),
        (
            seconds is not None and seconds < TOO_FAST,
            f"Half of the votes took less than {seconds or 0:.1f} seconds: too fast to read.",
        ),
    ]
    return [sentence for holds, sentence in reasons if holds]


def worker_sentences(trust: dict[str, Any]) -> list[str]:
    """One sentence each about side, consistency, learning and screen times; reports of earlier versions lack the last."""
    if trust["side"] is None:
        return []
    looked = [screen_times(trust["seen"])] if trust.get("seen") else []
    return [side(trust["side"]), consistency(trust["consistency"]), *changes(trust["learning"]), *looked]


def screen_times(times: dict[str, Any]) -> str:
    if not times["measured"]:
        return "What was on the workers’ screens was not measured."
    measured = f"the {count(times['measured'], 'vote')} for which it was measured"
    whole = f"Both lists were on the screen before {times['both']:,} of {measured}"
    rest = times["votes"] - times["measured"]
    unknown = f" Of {count(rest, 'vote')} it is not known: the page worked without its script." if rest else ""
    return f"{whole}; the one seen less was there for {times['seconds']:.1f} seconds (median).{unknown}"


def side(estimate: dict[str, Any]) -> str:
    if not estimate["decided"]:
        return "No vote decides, so that none favours a side."
    chosen = f"{estimate['left']:,} of {count(estimate['decided'], 'decided vote')} chose the left list"
    if estimate["p"] < 0.05:
        verdict = f"Workers favour the {'left' if estimate['share'] > 0.5 else 'right'} side, whichever system is there."
    else:
        verdict = "That they favour a side cannot be told."
    sure = f"{percent(estimate['share'])}, 95 % interval {ends(estimate)}; exact p {as_p(estimate['p'])} that it is half"
    return f"{chosen} ({sure}). {verdict}"


def consistency(repeats: dict[str, Any]) -> str:
    if not repeats["n"]:
        return "Nothing was shown again with its sides changed round, so that nobody’s consistency is known."
    stayed, ties = repeats["same_system"] + repeats["both_tie"], repeats["to_tie"] + repeats["from_tie"]
    kappa = repeats["kappa"]["value"]
    beyond = "" if kappa is None else f"; Cohen’s κ {kappa:.3f}"
    again = f"Of {count(repeats['n'], 'answer')} asked for again with the sides changed round, {stayed:,} stayed the same"
    rest = f"{repeats['same_side']:,} chose the same side and so the other system, {ties:,} came or went to a tie"
    return f"{again} ({percent(repeats['share'])}, 95 % interval {ends(repeats)}{beyond}); {rest}."


def changes(learning: dict[str, Any]) -> list[str]:
    """Say what changes from the first half of each worker's votes to the second."""
    agreement, pace = learning["agreement"], learning["pace"]
    sentences = []
    if agreement["value"] is not None:
        points = f"{100 * agreement['value']:+.0f} percentage points".replace("-", "−")
        sure = interval(agreement, 100)
        sentences.append(
            f"From the first half of each worker’s votes to the second, agreement with the others changes by {points}{sure}."
        )
    if pace["value"] is not None:
        sentences.append(
            f"A vote of the second half takes {pace['value']:.2f} times as long as one of the first{interval(pace, 1)}."
        )
    return sentences


def interval(estimate: dict[str, Any], times: int) -> str:
    if estimate["undefined"]:
        return f" (no interval: {estimate['undefined']})"
    digits = 0 if times == 100 else 2
    low, high = (f"{times * estimate[end]:.{digits}f}".replace("-", "−") for end in ("low", "high"))
    return f" (95 % interval {low} to {high})"


def ends(estimate: dict[str, Any]) -> str:
    return f"{100 * estimate['low']:.0f} to {percent(estimate['high'])}"


def behaviour_sentence(row: dict[str, Any], done: str) -> str:
    """Say how often the list on which more was done is the preferred one."""
    if not row["n"]:
        return f"There is no decided vote of which one list was {done} than the other."
    share = row["share"]
    sure = f"no interval: {share['undefined']}" if share["undefined"] else f"95 % interval {ends(share)}, p {as_p(share['p'])}"
    of = f"{row['preferred']:,} of {count(row['n'], 'decided vote')} in which one was"
    return f"The list that was {done} is the preferred one in {of} ({percent(share['value'])}; {sure})."


def sentence(report: Report, user: User) -> str:
    """Say who leads, or which of two is preferred; before it, whether votes are simulated."""
    steps = summary(report)
    results = PreferenceResults(with_decisions(steps["pairs"]), steps["systems"])
    simulated = not_people(results.pairs) if results.duels else ""
    return " ".join(filter(None, [simulated, in_one_sentence(results)]))


def in_one_sentence(results: PreferenceResults) -> str:
    """Who leads, or which of two is preferred."""
    first = results.first_to_show()
    if first is None:
        return "No answer counts."
    return best_of(results.ladder, results.duels) if results.ladder else f"{headline(first)} {numbers(first)}"
