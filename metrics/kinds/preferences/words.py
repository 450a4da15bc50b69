"""The results of a side-by-side study in words that claim no more than its numbers do."""

import math
from functools import lru_cache
from typing import Any

from ireval.planning import detectable_preference, preference_power, topics_for_preference
from judging.models import Comparison, User
from metrics.kinds.preferences.results import Duel, PreferenceResults
from metrics.kinds.studies import not_people, summary
from metrics.models import Report
from metrics.sentences import as_p, count, percent

ALPHA = 0.05
POWER = 0.8
MOST_TOPICS = 2000


def headline(duel: Duel, pairs: int) -> str:
    """Say which system is preferred, if the exact sign test over topics can tell."""
    tests = duel["by_topics"]
    won, lost = tests["wins"], tests["losses"]
    if not won + lost:
        return f"Nothing can be told: {every(duel['topics'])} as often for {duel['first']} as for {duel['second']}."
    better, worse = (duel["first"], duel["second"]) if won >= lost else (duel["second"], duel["first"])
    on = f"{max(won, lost):,} of {count(won + lost, 'decided topic')}"
    how = f"exact sign test, ties dropped, p {as_p(duel['corrected']['topics'])}{holm(pairs)}"
    of = f"n = {count(duel['topics'], 'topic')} with {count(duel['n'], 'vote')} by {count(duel['workers'], 'worker')}"
    if is_told(duel):
        return f"Workers prefer {better} to {worse} on {on} ({how}; {of})."
    if won == lost:
        return f"Nothing can be told yet: each is preferred on {won:,} of {count(won + lost, 'decided topic')} ({of})."
    return (
        f"Nothing can be told yet: {better} is preferred to {worse} on {on}, and chance alone often does as much ({how}; {of})."
    )


def is_told(duel: Duel) -> bool:
    return duel["corrected"]["topics"] < ALPHA


def every(topics: int) -> str:
    return "the only topic has votes" if topics == 1 else f"each of {topics:,} topics has votes"


def holm(pairs: int) -> str:
    return f", corrected for {pairs:,} pairs by Holm" if pairs > 1 else ""


def outlook(duel: Duel, pairs: int) -> str:
    """Say how many topics it would take and what these can show; or, of a preference, whether others would share it."""
    if is_told(duel):
        return workers_too(duel, pairs)
    tests, alpha = duel["by_topics"], ALPHA / max(1, pairs)
    ties, fewest = tests["ties"] / duel["topics"], math.ceil(math.log2(2 / alpha))
    if tests["wins"] + tests["losses"] < fewest:
        return f"It takes at least {fewest} decided topics, all of them for the same system, to show a preference."
    return " ".join(filter(None, [needed(tests, ties, alpha), detectable(duel["topics"], ties, alpha), convention(pairs)]))


def needed(tests: dict[str, Any], ties: float, alpha: float) -> str:
    most, decided = max(tests["wins"], tests["losses"]), tests["wins"] + tests["losses"]
    if 2 * most == decided:
        return "No number of topics would show a preference that is not there."
    topics = topics_needed(most / decided, ties, alpha)
    about = f"about {count(topics, 'topic')}" if topics else f"more than {MOST_TOPICS:,} topics"
    return f"If people prefer it on {percent(most / decided)} of decided topics, showing that takes {about}."


@lru_cache
def topics_needed(share: float, ties: float, alpha: float) -> int | None:
    """The number of topics that would show the preference; None above MOST_TOPICS, where it would take long to find."""
    if ties == 1 or preference_power(share, MOST_TOPICS, ties=ties, alpha=alpha) < POWER:
        return None
    return topics_for_preference(share, ties=ties, alpha=alpha, power_wanted=POWER)


@lru_cache
def detectable(topics: int, ties: float, alpha: float) -> str:
    share = math.nan if ties == 1 else detectable_preference(topics, ties=ties, alpha=alpha, power_wanted=POWER)
    if math.isnan(share):
        return f"{count(topics, 'topic').capitalize()} with so many ties cannot show any preference, however strong."
    return f"{count(topics, 'topic').capitalize()} can show one that holds on {percent(share)} of decided topics or more."


def convention(pairs: int) -> str:
    shared = ", shared out among the pairs" if pairs > 1 else ""
    return f"(Sign test that finds it in {percent(POWER)} of studies, α = {ALPHA:g}{shared}, ties as often as here.)"


def workers_too(duel: Duel, pairs: int) -> str:
    """Say whether other workers would agree: the sign test takes these for given, the score's p allows for others."""
    score = duel["score"]
    if score["undefined"]:
        return f"Whether other workers would agree cannot be told: {score['undefined']}."
    p = duel["corrected"]["score"]
    if p < ALPHA:
        return f"Other workers and other topics would probably say the same (score against ½: p {as_p(p)}{holm(pairs)})."
    return (
        f"This takes the workers for given: with others it might be different (score against ½, robust to topics and workers: "
        f"p {as_p(p)}{holm(pairs)})."
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
    told_apart = sum(map(is_told, duels)) or "None"
    pairs = count(len(duels), "pair")
    tests = f"{told_apart} of {pairs} can be told apart by exact sign tests over topics{holm(len(duels))}, p < .05."
    return f"{leaders} {tests} Ranks allow for other workers, which these tests do not."


def groups(ladder: list[dict[str, Any]]) -> int:
    return max((row["component"] for row in ladder), default=0)


def cautions(about: dict[str, Any], comparison: Comparison) -> list[str]:
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
    return sentences


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
    if estimate["p"] < ALPHA:
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
    results = PreferenceResults(steps["pairs"], steps["systems"])
    first = results.first_to_show()
    if first is None:
        return "No answer counts."
    leader = best_of(results.ladder, results.duels) if results.ladder else headline(first, len(results.duels))
    return " ".join(filter(None, [not_people(results.pairs), leader]))
