"""The results of a side-by-side study in words that claim no more than its numbers do."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ireval.planning import Target
from ireval.significance import Decision
from ireval.significance.students_t import quantile
from judging.models import Comparison, User
from judging.text.counts import count
from judging.text.library_words import in_reader_language, target_in_words
from metrics.kinds.margins import Matters
from metrics.kinds.preferences.measure_agreement import MeasureComparison
from metrics.kinds.preferences.results import Duel, PreferenceResults, with_decisions
from metrics.kinds.studies import not_people, summary
from metrics.models import Report
from metrics.sentences import as_p, decimal, listed, percent, percents, signed

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
    outcome, pair = duel["decision"].outcome, {"first": duel["first"], "second": duel["second"]}
    if outcome == "unknown":
        why = in_reader_language(duel["decision"].undefined)
        return _("Nothing can be told of %(first)s and %(second)s: %(why)s.") % {**pair, "why": why}
    if outcome == "none":
        return _("No preference between %(first)s and %(second)s was found.") % pair
    worse = "second" if outcome == "first" else "first"
    return _("Workers prefer %(better)s to %(worse)s.") % {"better": pair[outcome], "worse": pair[worse]}


def numbers(duel: Duel) -> str:
    """The numbers that the decision rests on."""
    decision = duel["decision"]
    values = {"system": duel["first"], "share": percent(decision.value), "counted": counted(duel)}
    if decision.undefined:
        return _("%(system)s gets %(share)s of the votes, a tie being half a vote; n = %(counted)s.") % values
    text = _("%(system)s gets %(share)s of the votes, a tie being half a vote (%(sure)s); n = %(counted)s.")
    return text % {**values, "sure": interval_and_p(decision)}


def counted(duel: Duel) -> str:
    counts = {
        "votes": count(duel["n"], "vote"),
        "topics": count(duel["topics"], "topic"),
        "workers": count(duel["workers"], "worker"),
    }
    return _("%(votes)s on %(topics)s by %(workers)s") % counts


def interval_and_p(decision: Decision) -> str:
    """The interval of a decision, and its p."""
    interval = between(100 * decision.level, decision.low, decision.high)
    if decision.questions > 1:
        text = _("%(interval)s, p %(p)s, corrected for %(pairs)s pairs by Holm")
        return text % {"interval": interval, "p": as_p(decision.p), "pairs": f"{decision.questions:,}"}
    return _("%(interval)s, p %(p)s") % {"interval": interval, "p": as_p(decision.p)}


def between(level: float, low: float, high: float) -> str:
    """The ends of an interval of a share; the level in percent."""
    text = _("%(level)s %% interval %(low)s to %(high)s")
    low_end, high_end = percents([low, high])
    return text % {"level": f"{level:.3g}", "low": low_end.removesuffix(" %"), "high": high_end}


def outlook(duel: Duel, matters: Matters) -> str:
    """Say what others would prefer; of a pair that is not decided also how many topics and workers that would take."""
    decision = duel["decision"]
    if decision.outcome == "unknown":
        return _("It takes votes that differ, on two topics and by two workers at least.")
    if decision.is_told:
        return _("That holds for other topics and other workers of the same kind.")
    return " ".join(filter(None, [needed(duel, matters), detectable(duel)]))


def needed(duel: Duel, matters: Matters) -> str:
    """How many votes tell a preference that matters, as a verdict counts them; topics and workers come in proportion."""
    decision = duel["decision"]
    target = Target(matters.difference, "share of votes", decision.alpha, max(1, decision.questions))
    votes = target.needed(duel["score"]["error"], duel["n"])
    if votes is None:
        return ""
    values = {"votes": count(votes, "vote"), "difference": f"{target_in_words(target)}{matters.source}"}
    if votes <= duel["n"]:
        return _("It takes about %(votes)s, topics and workers in proportion, to tell %(difference)s.") % values
    text = _("It takes about %(votes)s (%(more)s more), topics and workers in proportion, to tell %(difference)s.")
    return text % {**values, "more": f"{votes - duel['n']:,}"}


def detectable(duel: Duel) -> str:
    share = 0.5 + errors(duel["decision"], duel["score"]["freedom"]) * duel["score"]["error"]
    these = {"topics": count(duel["topics"], "topic"), "workers": count(duel["workers"], "worker")}
    if share >= 1:
        return _("%(topics)s and %(workers)s like these can show no preference, however strong.") % these
    text = _("%(topics)s and %(workers)s like these can show a preference of %(share)s of the votes or more.")
    return text % {**these, "share": percent(share)}


def errors(decision: Decision, freedom: float) -> float:
    """How many standard errors a preference must be from ½ to be found with the power."""
    return quantile(freedom, decision.level) + quantile(freedom, 2 * POWER - 1)


def these_workers(duel: Duel, pairs: int) -> str:
    """Answer another question: whether the same workers would prefer it on other topics."""
    tests = duel["by_topics"]
    decided = count(tests["wins"] + tests["losses"], "topic")
    values = {"system": duel["first"], "wins": f"{tests['wins']:,}", "topics": decided, "p": as_p(duel["corrected"]["topics"])}
    if pairs > 1:
        text = _(
            "Another question is what these very workers would say on other topics. %(system)s wins %(wins)s of %(topics)s that "
            "are no tie: exact sign test, p %(p)s, corrected for %(pairs)s pairs by Holm."
        )
        return text % {**values, "pairs": f"{pairs:,}"}
    text = _(
        "Another question is what these very workers would say on other topics. %(system)s wins %(wins)s of %(topics)s that "
        "are no tie: exact sign test, p %(p)s."
    )
    return text % values


def best_of(ladder: list[dict[str, Any]], duels: list[Duel]) -> str:
    """Say who leads many systems, and how many pairs are told apart."""
    return " ".join(filter(None, [leaders(ladder), lead(ladder), apart(duels)]))


def leaders(ladder: list[dict[str, Any]]) -> str:
    if groups(ladder) > 1:
        text = _("%(n)s groups of systems were never compared with each other: each has a ladder of its own.")
        return text % {"n": groups(ladder)}
    first = [row for row in ladder if row["rank"] == 1]
    last = max(row["rank_high"] for row in first)
    values = {"names": listed([row["system"] for row in first]), "systems": len(ladder), "last": last}
    if last == 1:
        text = ngettext(
            "%(names)s leads the %(systems)s systems, and no other can be first.",
            "%(names)s lead the %(systems)s systems, and no other can be first.",
            len(first),
        )
        return text % values
    text = ngettext(
        "%(names)s leads the %(systems)s systems, and may in truth have any rank up to %(last)s.",
        "%(names)s lead the %(systems)s systems, and may in truth have any rank up to %(last)s.",
        len(first),
    )
    return text % values


def apart(duels: list[Duel]) -> str:
    counts = {"pairs": count(len(duels), "pair"), "votes": count(sum(duel["n"] for duel in duels), "vote")}
    told_apart = sum(duel["decision"].is_told for duel in duels)
    if not told_apart:
        return _("None of %(pairs)s can be told apart; n = %(votes)s.") % counts
    return _("%(n)s of %(pairs)s can be told apart; n = %(votes)s.") % {**counts, "n": told_apart}


def lead(ladder: list[dict[str, Any]]) -> str:
    """How the first does against an average system; empty where that has no interval, or there are groups of systems."""
    best = ladder[0]
    if groups(ladder) > 1 or best.get("average_low") is None:
        return ""
    interval = between(95, best["average_low"], best["average_high"])
    text = _("Against an average one %(system)s gets %(share)s (%(interval)s).")
    return text % {"system": best["system"], "share": percent(best["against_average"]), "interval": interval}


def groups(ladder: list[dict[str, Any]]) -> int:
    return max((row["component"] for row in ladder), default=0)


def cautions(about: dict[str, Any], trust: dict[str, Any], comparison: Comparison) -> list[str]:
    """What a reader could get wrong, one sentence each."""
    sentences = []
    if comparison.topics == Comparison.Topics.DIFFERENT:
        sentences.append(
            _("The topics are those on which the systems differ most: over all topics the preference is probably weaker.")
        )
    if simulated := not_people(about):
        sentences.append(simulated)
    if about["workers"] == 1:
        sentences.append(_("All votes are one worker’s: they say what this person prefers, and nothing of others."))
    if about["topics"] == 1:
        sentences.append(_("All votes are on one topic: they say nothing of others."))
    if 1 < about["workers"] < ENOUGH_WORKERS:
        text = _("Only %(n)s workers voted: others may see it differently, and the interval is wide to allow for that.")
        sentences.append(text % {"n": about["workers"]})
    return sentences + doubts(trust)


def doubts(trust: dict[str, Any]) -> list[str]:
    """Reasons why the votes may not be what workers think, one sentence each."""
    if trust["side"] is None:
        return []
    sides, repeats, seconds = trust["side"], trust["consistency"], trust["seconds"]
    alpha = next((row for row in trust["agreement"] if row["name"] == "alpha-ordinal"), {"low": None})
    chance = decimal(alpha.get("value") or 0, 2)
    left = sides["share"]
    chosen = (0.0, "left") if left is None else max((left, "left"), (1 - left, "right"))
    of_a_side = {
        "left": _("%(share)s of decided votes chose the left list, whichever system was there."),
        "right": _("%(share)s of decided votes chose the right list, whichever system was there."),
    }
    reasons = [
        (sides["p"] < 0.05 and chosen[0] >= A_SIDE, of_a_side[chosen[1]] % {"share": percent(chosen[0])}),
        (
            repeats["n"] >= A_FEW and repeats["share"] < CONSISTENT,
            _("Only %(share)s of %(n)s answers stayed the same when the sides were swapped.")
            % {"share": percent(repeats["share"] or 0), "n": f"{repeats['n']:,}"},
        ),
        (
            alpha["low"] is not None and alpha["low"] <= 0,
            _("Whether workers agree with each other more than by chance is not known: α = %(alpha)s.") % {"alpha": chance},
        ),
        (
            seconds is not None and seconds < TOO_FAST,
            _("Half of the votes took less than %(seconds)s seconds: too fast to read.") % {"seconds": decimal(seconds, 1)},
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
        return _("What was on the workers’ screens was not measured.")
    text = _(
        "Both lists were on the screen before %(both)s of the %(measured)s for which it was measured; the one seen less was "
        "there for %(seconds)s seconds (median)."
    )
    both, measured = f"{times['both']:,}", count(times["measured"], "vote")
    seen = text % {"both": both, "measured": measured, "seconds": decimal(times["seconds"], 1)}
    if not (rest := times["votes"] - times["measured"]):
        return seen
    unknown = _("Of %(votes)s it is not known: the page worked without its script.") % {"votes": count(rest, "vote")}
    return f"{seen} {unknown}"


def side(estimate: dict[str, Any]) -> str:
    if not estimate["decided"]:
        return _("No vote decides, so that none favours a side.")
    text = _("%(n)s of %(votes)s chose the left list (%(share)s, %(interval)s; exact p %(p)s that it is half).")
    chosen = text % {
        "n": f"{estimate['left']:,}",
        "votes": count(estimate["decided"], "decided vote"),
        "share": percent(estimate["share"]),
        "interval": interval_of(estimate),
        "p": as_p(estimate["p"]),
    }
    if estimate["p"] >= 0.05:
        verdict = _("That they favour a side cannot be told.")
    elif estimate["share"] > 0.5:
        verdict = _("Workers favour the left side, whichever system is there.")
    else:
        verdict = _("Workers favour the right side, whichever system is there.")
    return f"{chosen} {verdict}"


def consistency(repeats: dict[str, Any]) -> str:
    if not repeats["n"]:
        return _("Nothing was shown again with its sides swapped, so that nobody’s consistency is known.")
    stayed, ties = repeats["same_system"] + repeats["both_tie"], repeats["to_tie"] + repeats["from_tie"]
    kappa = repeats["kappa"]["value"]
    certain = interval_of(repeats)
    if kappa is not None:
        certain = _("%(interval)s; Cohen’s κ %(kappa)s") % {"interval": certain, "kappa": decimal(kappa)}
    text = _(
        "Of %(answers)s asked for again with the sides swapped, %(stayed)s stayed the same (%(share)s, %(certain)s); "
        "%(same_side)s chose the same side and so the other system, %(ties)s came or went to a tie."
    )
    return text % {
        "answers": count(repeats["n"], "answer"),
        "stayed": f"{stayed:,}",
        "share": percent(repeats["share"]),
        "certain": certain,
        "same_side": f"{repeats['same_side']:,}",
        "ties": f"{ties:,}",
    }


def changes(learning: dict[str, Any]) -> list[str]:
    """Say what changes from the first half of each worker's votes to the second."""
    agreement, pace = learning["agreement"], learning["pace"]
    sentences = []
    if agreement["value"] is not None:
        text = _(
            "From the first half of each worker’s votes to the second, agreement with the others changes by %(points)s "
            "percentage points (%(interval)s)."
        )
        points = signed(100 * agreement["value"], 0)
        sentences.append(text % {"points": points, "interval": interval(agreement, 100)})
    if pace["value"] is not None:
        text = _("A vote of the second half takes %(times)s times as long as one of the first (%(interval)s).")
        sentences.append(text % {"times": decimal(pace["value"], 2), "interval": interval(pace, 1)})
    return sentences


def interval(estimate: dict[str, Any], times: int) -> str:
    if estimate["undefined"]:
        return _("no interval: %(why)s") % {"why": in_reader_language(estimate["undefined"])}
    digits = 0 if times == 100 else 2
    low, high = (decimal(times * estimate[end], digits) for end in ("low", "high"))
    return _("%(level)s %% interval %(low)s to %(high)s") % {"level": 95, "low": low, "high": high}


def interval_of(estimate: dict[str, Any]) -> str:
    return between(95, estimate["low"], estimate["high"])


def behaviour_sentence(row: dict[str, Any], done: str) -> str:
    """Say how often the list on which more was done is the preferred one."""
    if not row["n"]:
        return _("There is no decided vote of which one list was %(done)s than the other.") % {"done": done}
    share = row["share"]
    certain = (
        _("no interval: %(why)s") % {"why": in_reader_language(share["undefined"])}
        if share["undefined"]
        else _("%(interval)s, p %(p)s") % {"interval": interval_of(share), "p": as_p(share["p"])}
    )
    text = _("The list that was %(done)s is the preferred one in %(n)s of %(votes)s in which one was (%(share)s; %(certain)s).")
    return text % {
        "done": done,
        "n": f"{row['preferred']:,}",
        "votes": count(row["n"], "decided vote"),
        "share": percent(share["value"]),
        "certain": certain,
    }


def sentence(report: Report, user: User) -> str:
    """Say who leads, or which of two is preferred; before it, whether votes are simulated."""
    results = results_of(report)
    simulated = not_people(results.pairs) if results.duels else ""
    return " ".join(filter(None, [simulated, in_one_sentence(results)]))


def results_of(report: Report) -> PreferenceResults:
    steps = summary(report)
    return PreferenceResults(with_decisions(steps["pairs"]), steps["systems"])


def in_one_sentence(results: PreferenceResults) -> str:
    """Who leads, or which of two is preferred."""
    first = results.first_to_show()
    if first is None:
        return _("No answer counts.")
    return best_of(results.ladder, results.duels) if results.ladder else f"{headline(first)} {numbers(first)}"


def agreement_with_measure(comparison: MeasureComparison, first: str, second: str) -> str:
    share, decided = comparison.agreement.share, comparison.agreement.decided
    if not decided:
        text = _("There is no topic on which both workers and %(measure)s decide between %(first)s and %(second)s.")
        return text % {"measure": comparison.measure, "first": first, "second": second}
    text = _(
        "On %(n)s of %(topics)s where both decide, workers and %(measure)s prefer the same system (%(share)s, 95 %% interval "
        "%(low)s to %(high)s)."
    )
    low, high = percents([share.low, share.high])
    sentence = text % {
        "n": f"{comparison.agreement.agreeing:,}",
        "topics": count(decided, "topic"),
        "measure": comparison.measure,
        "share": percent(share.mean),
        "low": low.removesuffix(" %"),
        "high": high,
    }
    return f"{sentence} {beside_chance(share)}"


def beside_chance(share: Any) -> str:
    if share.low > 0.5:
        return _("So it agrees with people more often than chance would.")
    if share.high < 0.5:
        return _("So it contradicts people more often than chance would.")
    return _("Chance alone could do as much: whether it agrees with people cannot be told yet.")
