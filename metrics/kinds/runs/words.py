"""The results of a report on runs in words: its main result, and cautions."""

from collections.abc import Sequence

from ireval import parse_measures
from ireval.significance.intervals import ENOUGH_TOPICS
from judging.models import Qrels, User
from metrics.kinds.runs.results import Estimate, Outcome, best_first, outcomes, sign_of
from metrics.kinds.runs.rules import rules_of
from metrics.kinds.runs.tables import number
from metrics.kinds.runs.values import main_measure
from metrics.models import Report

# Below this share, the grades that unjudged documents would get can easily decide a comparison.
ENOUGH_JUDGED = 0.6


def headline(runs: Sequence[Outcome], measure: str, qrels: str = "") -> str:
    """Say which run is highest by a measure; whether it is better than others, differences.in_words says.

    `qrels` is the name of the qrels where the report has others as well.
    """
    under = f" under “{qrels}”" if qrels else ""
    first, *others = best_first(runs, measure)
    top = first.means[measure]
    if top.mean is None:
        return f"No topic of these runs is in {f'“{qrels}”' if qrels else 'the qrels'}, so there is nothing to average."
    reached = f"{number(top.mean)}{interval(top)}, {counted(first.topics)}"
    if not others:
        return f"{first.name} reaches {measure} {reached}{under}."
    best = "lowest" if sign_of(measure) < 0 else "highest"
    equals = [run.name for run in others if number(run.means[measure].mean) == number(top.mean)]
    if equals:
        return f"{listed([first.name, *equals])} share the {best} {measure}{under}: {number(top.mean)}."
    return f"{first.name} has the {best} {measure}{under}: {reached}."


def sentence(report: Report, user: User) -> str:
    """Say which run is best under the first of the qrels."""
    qrels, *others = report.spec["qrels"]
    return headline(outcomes(report, qrels["id"]), main_measure(report), qrels["name"] if others else "")


def listed(names: Sequence[str]) -> str:
    """
    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"]), listed(["a", "b", "c", "d"])
    ('a', 'a and b', 'a, b and c', 'a, b and 2 others')
    """
    if len(names) > 3:
        return f"{names[0]}, {names[1]} and {len(names) - 2} others"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def interval(estimate: Estimate) -> str:
    return "" if estimate.low is None else f" (95 % interval {number(estimate.low)} to {number(estimate.high)})"


def counted(topics: int) -> str:
    return "1 topic" if topics == 1 else f"{topics:,} topics"


def cautions(report: Report, graded: Sequence[Qrels]) -> list[str]:
    """What a reader could get wrong, one sentence each."""
    sentences, condensed = [], rules_of(report.spec)["judged_only"]
    for qrels in graded:
        runs = outcomes(report, qrels.pk)
        sentences += [about_sparse(qrels, condensed=condensed), about_simulated(qrels)]
        sentences += [about_intents(qrels, report.spec["measures"]), about_judged(qrels, runs, condensed=condensed)]
        sentences += [about_topics(qrels, runs), about_few(qrels, runs)]
    return [sentence for sentence in sentences if sentence]


def about_intents(qrels: Qrels, measures: Sequence[str]) -> str:
    """Warn of measures by intent under qrels without subtopics.

    They are computed all the same: the value is defined, and other qrels of the report may have subtopics.
    """
    blind = [str(measure) for measure in parse_measures(measures) if measure.kind.by_intent]
    if not blind or qrels.recipe.get("subtopics"):
        return ""
    see = "sees" if len(blind) == 1 else "see"
    return f"“{qrels}” names no subtopics: {listed(blind)} {see} one intent a topic there, which says nothing about diversity."


def about_sparse(qrels: Qrels, *, condensed: bool = False) -> str:
    if not qrels.sparse:
        return ""
    how = "is left out" if condensed else "counts as not relevant"
    return f"“{qrels}” is sparse: a relevant document may be missing from it and {how} here, for every run."


def about_simulated(qrels: Qrels) -> str:
    if not qrels.simulated_judgements:
        return ""
    if machine := qrels.recipe.get("machine"):
        return f"“{qrels}”: the machine judge {machine} gave all of its grades, and no person did."
    made = qrels.recipe.get("judgements")
    of_all = f"{qrels.simulated_judgements:,} of {made:,}" if made else f"{qrels.simulated_judgements:,}"
    return f"“{qrels}”: {of_all} judgements are simulated, made by a program and not by people."


def about_judged(qrels: Qrels, runs: Sequence[Outcome], *, condensed: bool = False) -> str:
    low = [run for run in runs if run.judged is not None and run.judged < ENOUGH_JUDGED]
    if not low or qrels.sparse:
        return ""
    least = min(low, key=lambda run: run.judged or 0)
    others = {1: "", 2: "; 1 other run is"}.get(len(low), f"; {len(low) - 1} other runs are")
    more = f"{others} below {percent(ENOUGH_JUDGED)} too" if others else ""
    how = "are left out and the others moved up" if condensed else "count as not relevant"
    return (
        f"Under “{qrels}” only {percent(least.judged)} of {least.name}'s first ten documents are judged{more}. "
        f"Unjudged documents {how}."
    )


def about_topics(qrels: Qrels, runs: Sequence[Outcome]) -> str:
    least, most = min(run.topics for run in runs), max(run.topics for run in runs)
    if least == most:
        return ""
    return (
        f"Under “{qrels}” the runs are averaged over different topics ({least:,} to {most:,}): compare them topic by topic, or "
        "count all topics of the qrels."
    )


def about_few(qrels: Qrels, runs: Sequence[Outcome]) -> str:
    least, most = min(run.topics for run in runs), max(run.topics for run in runs)
    if least >= ENOUGH_TOPICS or most == 0:
        return ""
    few = "1 topic counts" if most == 1 else f"{least} topics count"
    if least != most:
        few = f"{least} to {most} topics count"
    return f"Under “{qrels}” only {few}: intervals of means may be too narrow, {ENOUGH_TOPICS} are needed."


def percent(share: float | None) -> str:
    """
    >>> percent(0.3149)
    '31 %'
    """
    return "–" if share is None else f"{share * 100:.0f} %"
