"""The results of a report on runs in words: its main result, and cautions."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ireval import parse_measures
from ireval.significance.intervals import ENOUGH_TOPICS, few_topics
from judging.models import Qrels, User
from judging.text.counts import count
from metrics.kinds.grade_cautions import about_simulated, about_sparse
from metrics.kinds.runs.next_judgements import NextJudgements
from metrics.kinds.runs.results import Estimate, Outcome, best_first, graded_by, outcomes, sign_of
from metrics.kinds.runs.rules import rules_of
from metrics.kinds.runs.tables import number
from metrics.kinds.runs.tags import TagLine
from metrics.kinds.runs.values import main_measure
from metrics.models import Report
from metrics.sentences import listed, percent

# Below this share, the grades that unjudged documents would get can easily decide a comparison.
ENOUGH_JUDGED = 0.6
# A sentence names no more runs than that.
MOST_NAMED = 3


def headline(runs: Sequence[Outcome], measure: str, qrels: str = "") -> str:
    """Say which run is highest by a measure; whether it is better than others, `difference_words` says.

    `qrels` is the name of the qrels where the report has others as well.
    """
    first, *others = best_first(runs, measure)
    top = first.means[measure]
    if top.mean is None:
        return without_topics(qrels)
    value = f"{mean_in_words(top)}, {count(first.topics, 'topic')}"
    reached = {"run": first.name, "measure": measure, "qrels": qrels, "value": value}
    if not others and qrels:
        return _("%(run)s reaches %(measure)s %(value)s under “%(qrels)s”.") % reached
    if not others:
        return _("%(run)s reaches %(measure)s %(value)s.") % reached
    if qrels:
        reached["measure"] = _("%(measure)s under “%(qrels)s”") % reached
    equals = [run.name for run in others if number(run.means[measure].mean) == number(top.mean)]
    if equals:
        reached |= {"runs": listed([first.name, *equals], MOST_NAMED), "value": number(top.mean)}
    return best(is_shared=bool(equals), is_lowest=sign_of(measure) < 0) % reached


def best(*, is_shared: bool, is_lowest: bool) -> str:
    if is_shared and is_lowest:
        return _("%(runs)s share the lowest %(measure)s: %(value)s.")
    if is_shared:
        return _("%(runs)s share the highest %(measure)s: %(value)s.")
    if is_lowest:
        return _("%(run)s has the lowest %(measure)s: %(value)s.")
    return _("%(run)s has the highest %(measure)s: %(value)s.")


def without_topics(qrels: str) -> str:
    if not qrels:
        return _("No topic of these runs is in the qrels, so there is nothing to average.")
    return _("No topic of these runs is in “%(qrels)s”, so there is nothing to average.") % {"qrels": qrels}


def sentence(report: Report, user: User) -> str:
    """Say which run is best under the first of the qrels."""
    qrels, *others = report.spec["qrels"]
    return headline(outcomes(report, qrels["id"]), main_measure(report), qrels["name"] if others else "")


def mean_in_words(estimate: Estimate) -> str:
    """The mean with its interval, if it has one."""
    if estimate.low is None:
        return number(estimate.mean)
    values = {"value": number(estimate.mean), "low": number(estimate.low), "high": number(estimate.high)}
    return _("%(value)s (95 %% interval %(low)s to %(high)s)") % values


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
    return ngettext(
        "“%(qrels)s” names no subtopics: %(measures)s sees one intent a topic there, which says nothing about diversity.",
        "“%(qrels)s” names no subtopics: %(measures)s see one intent a topic there, which says nothing about diversity.",
        len(blind),
    ) % {"qrels": qrels, "measures": listed(blind, MOST_NAMED)}


def about_intents_of(report: Report, qrels: int, measures: Sequence[str]) -> str:
    """Say what of the measures one of the report's qrels lacks."""
    return next(about_intents(version, measures) for version in graded_by(report) if version.pk == qrels)


def about_judged(qrels: Qrels, runs: Sequence[Outcome], *, condensed: bool = False) -> str:
    low = [run for run in runs if run.judged is not None and run.judged < ENOUGH_JUDGED]
    if not low or qrels.sparse:
        return ""
    unjudged = _("Unjudged documents count as not relevant.")
    if condensed:
        unjudged = _("Unjudged documents are left out and the others moved up.")
    return f"{least_judged(qrels, low)} {unjudged}"


def least_judged(qrels: Qrels, low: Sequence[Outcome]) -> str:
    """Which run has the fewest of its first documents judged, and how many others have too few."""
    least = min(low, key=lambda run: run.judged or 0)
    words = {"qrels": qrels, "share": percent(least.judged), "run": least.name}
    if len(low) == 1:
        return _("Under “%(qrels)s” only %(share)s of %(run)s's first ten documents are judged.") % words
    return ngettext(
        "Under “%(qrels)s” only %(share)s of %(run)s's first ten documents are judged; %(n)s other run is below %(enough)s too.",
        "Under “%(qrels)s” only %(share)s of %(run)s's first ten documents are judged; "
        "%(n)s other runs are below %(enough)s too.",
        len(low) - 1,
    ) % {**words, "n": len(low) - 1, "enough": percent(ENOUGH_JUDGED)}


def topics_in_words(runs: Sequence[Outcome]) -> str:
    """How many topics the runs are averaged over."""
    least, most = min(run.topics for run in runs), max(run.topics for run in runs)
    if least == most:
        return count(most, "topic")
    return _("%(least)s to %(most)s topics") % {"least": f"{least:,}", "most": f"{most:,}"}


def about_topics(qrels: Qrels, runs: Sequence[Outcome]) -> str:
    least, most = min(run.topics for run in runs), max(run.topics for run in runs)
    if least == most:
        return ""
    return _(
        "Under “%(qrels)s” the runs are averaged over different topics (%(least)s to %(most)s): compare them topic by topic, or "
        "count all topics of the qrels."
    ) % {"qrels": qrels, "least": f"{least:,}", "most": f"{most:,}"}


def about_few(qrels: Qrels, runs: Sequence[Outcome]) -> str:
    least, most = min(run.topics for run in runs), max(run.topics for run in runs)
    if least >= ENOUGH_TOPICS or most == 0:
        return ""
    words = {"qrels": qrels, "least": least, "most": most, "enough": ENOUGH_TOPICS}
    if least != most:
        return (
            _(
                "Under “%(qrels)s” only %(least)s to %(most)s topics count: intervals of means may be too narrow, "
                "%(enough)s are needed."
            )
            % words
        )
    return (
        ngettext(
            "Under “%(qrels)s” only %(most)s topic counts: intervals of means may be too narrow, %(enough)s are needed.",
            "Under “%(qrels)s” only %(most)s topics count: intervals of means may be too narrow, %(enough)s are needed.",
            most,
        )
        % words
    )


def what_is_open(result: NextJudgements) -> str:
    """Whether any judgement that remains can change an order, in at most 25 words.

    A name of a run counts as one word.
    """
    unjudged = ngettext(
        "%(n)s of %(pool)s pooled documents is unjudged.", "%(n)s of %(pool)s pooled documents are unjudged.", result.unjudged
    )
    return f"{what_can_change(result)} {unjudged % {'n': f'{result.unjudged:,}', 'pool': f'{result.pool_size:,}'}}"


def what_can_change(result: NextJudgements) -> str:
    bounds, is_one = result.bounds, len(result.bounds.pairs) == 1
    words = {"measure": result.measure, "n": f"{result.open_orders:,}", "orders": f"{len(bounds.pairs):,}"}
    if not result.open_orders and is_one:
        words["order"] = bounds.certain_orders[0]
        return _("No judgement that remains can change the order by %(measure)s: %(order)s.") % words
    if not result.open_orders:
        return _("No judgement that remains can change the order by %(measure)s.") % words
    if is_one and bounds.exact:
        return _("Judgements that remain can still change the order by %(measure)s.") % words
    if is_one:
        return _("Judgements that remain may still change the order by %(measure)s.") % words
    if bounds.exact:
        return _("Judgements that remain can still change %(n)s of %(orders)s orders by %(measure)s.") % words
    return _("Judgements that remain may still change %(n)s of %(orders)s orders by %(measure)s.") % words


def tag_caution(lines: Sequence[TagLine], enough: int = ENOUGH_TOPICS) -> str:
    """Name the tags over whose topics intervals may be too narrow; empty where there are none."""
    few = dict.fromkeys(line.tag for line in lines if line.estimate.low is not None and few_topics(line.n, enough))
    if not few:
        return ""
    tags = listed([f"“{tag}”" for tag in few], MOST_NAMED)
    return _("%(tags)s: intervals may be too narrow, %(enough)s topics are needed.") % {"tags": tags, "enough": enough}
