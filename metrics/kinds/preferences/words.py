"""What a side-by-side study says, in sentences that claim no more than its numbers do."""

import math
from functools import lru_cache
from typing import Any

from ireval.planning import detectable_preference, preference_power, topics_for_preference
from judging.models import Comparison, User
from metrics.kinds.preferences.results import Duel, Found
from metrics.kinds.studies import not_people, summary
from metrics.models import Report
from metrics.sentences import as_p, count, percent

ALPHA = 0.05
POWER = 0.8
MOST_TOPICS = 2000


def headline(one: Duel, pairs: int) -> str:
    """Who is preferred, if that can be told by the exact sign test over topics."""
    tests = one["by_topics"]
    won, lost = tests["wins"], tests["losses"]
    if not won + lost:
        return f"Nothing can be told: {every(one['topics'])} as often for {one['first']} as for {one['second']}."
    better, worse = (one["first"], one["second"]) if won >= lost else (one["second"], one["first"])
    on = f"{max(won, lost):,} of {count(won + lost, 'decided topic')}"
    how = f"exact sign test, ties dropped, p {as_p(one['corrected']['topics'])}{holm(pairs)}"
    of = f"n = {count(one['topics'], 'topic')} with {count(one['n'], 'vote')} by {count(one['workers'], 'worker')}"
    if is_told(one):
        return f"Workers prefer {better} to {worse} on {on} ({how}; {of})."
    if won == lost:
        return f"Nothing can be told yet: each is preferred on {won:,} of {count(won + lost, 'decided topic')} ({of})."
    return (
        f"Nothing can be told yet: {better} is preferred to {worse} on {on}, and chance alone often does as much ({how}; {of})."
    )


def is_told(one: Duel) -> bool:
    return one["corrected"]["topics"] < ALPHA


def every(topics: int) -> str:
    return "the only topic has votes" if topics == 1 else f"each of {topics:,} topics has votes"


def holm(pairs: int) -> str:
    return f", corrected for {pairs:,} pairs by Holm" if pairs > 1 else ""


def outlook(one: Duel, pairs: int) -> str:
    """How many topics it would take, and what these can show; nothing where a difference is told."""
    if is_told(one):
        return workers_too(one, pairs)
    tests, alpha = one["by_topics"], ALPHA / max(1, pairs)
    ties, fewest = tests["ties"] / one["topics"], math.ceil(math.log2(2 / alpha))
    if tests["wins"] + tests["losses"] < fewest:
        return f"It takes at least {fewest} decided topics, all of them for the same system, to show a preference."
    return " ".join(filter(None, [needed(tests, ties, alpha), detectable(one["topics"], ties, alpha), convention(pairs)]))


def needed(tests: dict[str, Any], ties: float, alpha: float) -> str:
    most, decided = max(tests["wins"], tests["losses"]), tests["wins"] + tests["losses"]
    if 2 * most == decided:
        return "No number of topics would show a preference that is not there."
    topics = topics_needed(most / decided, ties, alpha)
    about = f"about {count(topics, 'topic')}" if topics else f"more than {MOST_TOPICS:,} topics"
    return f"If people prefer it on {percent(most / decided)} of decided topics, showing that takes {about}."


@lru_cache
def topics_needed(share: float, ties: float, alpha: float) -> int | None:
    """None for so many that the exact number says nothing to anybody, and would take long to find."""
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


def workers_too(one: Duel, pairs: int) -> str:
    """The sign test takes the workers for given; the score's p allows for others."""
    score = one["score"]
    if score["undefined"]:
        return f"Whether other workers would agree cannot be told: {score['undefined']}."
    p = one["corrected"]["score"]
    if p < ALPHA:
        return f"Other workers and other topics would probably say the same (score against ½: p {as_p(p)}{holm(pairs)})."
    return (
        f"This takes the workers for given: with others it might be different (score against ½, robust to topics and workers: "
        f"p {as_p(p)}{holm(pairs)})."
    )


def best_of(ladder: list[dict[str, Any]], found: list[Duel]) -> str:
    """Who leads many systems, and how many pairs are told apart."""
    if groups(ladder) > 1:
        said = f"{groups(ladder)} groups of systems were never compared with each other: each has a ladder of its own."
    else:
        first = [one for one in ladder if one["rank"] == 1]
        names = " and ".join(one["system"] for one in first)
        last = max(one["rank_high"] for one in first)
        said = f"{names} {'leads' if len(first) == 1 else 'lead'} the {len(ladder)} systems" + (
            ", and no other can be first." if last == 1 else f", and may in truth have any rank up to {last}."
        )
    told = sum(map(is_told, found)) or "None"
    apart = f"{told} of {count(len(found), 'pair')} can be told apart by exact sign tests over topics{holm(len(found))}, p < .05."
    return f"{said} {apart} Ranks allow for other workers, which these tests do not."


def groups(ladder: list[dict[str, Any]]) -> int:
    return max((one["component"] for one in ladder), default=0)


def cautions(about: dict[str, Any], comparison: Comparison) -> list[str]:
    """What a reader could get wrong, one sentence each."""
    found = []
    if comparison.topics == Comparison.Topics.DIFFERENT:
        found.append("The topics are those on which the systems differ most: over all topics the preference is probably weaker.")
    if about["simulated"]:
        found.append(f"{about['simulated']:,} of {about['votes']:,} votes are simulated, made by a program and not by people.")
    if about["workers"] == 1:
        found.append("All votes are one worker’s: they say what this person prefers, and nothing of others.")
    if about["topics"] == 1:
        found.append("All votes are on one topic: they say nothing of others.")
    return found


def of_workers(found: dict[str, Any]) -> list[str]:
    """Side, consistency, learning and what was seen, a sentence each. Reports made before that was measured say nothing of it."""
    if found["side"] is None:
        return []
    looked = [seen(found["seen"])] if found.get("seen") else []
    return [side(found["side"]), consistency(found["consistency"]), *changes(found["learning"]), *looked]


def seen(found: dict[str, Any]) -> str:
    if not found["measured"]:
        return "What was on the workers’ screens was not measured."
    measured = f"the {count(found['measured'], 'vote')} for which it was measured"
    whole = f"Both lists were on the screen before {found['both']:,} of {measured}"
    rest = found["votes"] - found["measured"]
    unknown = f" Of {count(rest, 'vote')} it is not known: the page worked without its script." if rest else ""
    return f"{whole}; the one seen less was there for {found['seconds']:.1f} seconds (median).{unknown}"


def side(found: dict[str, Any]) -> str:
    if not found["decided"]:
        return "No vote decides, so that none favours a side."
    chosen = f"{found['left']:,} of {count(found['decided'], 'decided vote')} chose the left list"
    if found["p"] < ALPHA:
        verdict = f"Workers favour the {'left' if found['share'] > 0.5 else 'right'} side, whichever system is there."
    else:
        verdict = "That they favour a side cannot be told."
    sure = f"{percent(found['share'])}, 95 % interval {ends(found)}; exact p {as_p(found['p'])} that it is half"
    return f"{chosen} ({sure}). {verdict}"


def consistency(found: dict[str, Any]) -> str:
    if not found["n"]:
        return "Nothing was shown again with its sides changed round, so that nobody’s consistency is known."
    stayed, ties = found["same_system"] + found["both_tie"], found["to_tie"] + found["from_tie"]
    kappa = found["kappa"]["value"]
    beyond = "" if kappa is None else f"; Cohen’s κ {kappa:.3f}"
    again = f"Of {count(found['n'], 'answer')} asked for again with the sides changed round, {stayed:,} stayed the same"
    rest = f"{found['same_side']:,} chose the same side and so the other system, {ties:,} came or went to a tie"
    return f"{again} ({percent(found['share'])}, 95 % interval {ends(found)}{beyond}); {rest}."


def changes(found: dict[str, Any]) -> list[str]:
    """From the first half of each worker's votes to the second."""
    agreement, pace = found["agreement"], found["pace"]
    said = []
    if agreement["value"] is not None:
        points = f"{100 * agreement['value']:+.0f} percentage points".replace("-", "−")
        sure = interval(agreement, 100)
        said.append(
            f"From the first half of each worker’s votes to the second, agreement with the others changes by {points}{sure}."
        )
    if pace["value"] is not None:
        said.append(f"A vote of the second half takes {pace['value']:.2f} times as long as one of the first{interval(pace, 1)}.")
    return said


def interval(found: dict[str, Any], times: int) -> str:
    if found["undefined"]:
        return f" (no interval: {found['undefined']})"
    digits = 0 if times == 100 else 2
    low, high = (f"{times * found[end]:.{digits}f}".replace("-", "−") for end in ("low", "high"))
    return f" (95 % interval {low} to {high})"


def ends(found: dict[str, Any]) -> str:
    return f"{100 * found['low']:.0f} to {percent(found['high'])}"


def of_behaviour(one: dict[str, Any], done: str) -> str:
    """Whether the list on which more was done is the one that was preferred."""
    if not one["n"]:
        return f"There is no decided vote of which one list was {done} than the other."
    share = one["share"]
    sure = f"no interval: {share['undefined']}" if share["undefined"] else f"95 % interval {ends(share)}, p {as_p(share['p'])}"
    of = f"{one['preferred']:,} of {count(one['n'], 'decided vote')} in which one was"
    return f"The list that was {done} is the preferred one in {of} ({percent(share['value'])}; {sure})."


def sentence(report: Report, user: User) -> str:
    """Who leads, or which of two is preferred; before it, whether people gave the votes."""
    steps = summary(report)
    found = Found(steps["pairs"], steps["systems"])
    first = found.first_to_show()
    if first is None:
        return "No answer counts."
    told = best_of(found.ladder, found.duels) if found.ladder else headline(first, len(found.duels))
    return " ".join(filter(None, [not_people(found.pairs), told]))
