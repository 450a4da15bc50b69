"""Sections of the report's page, ready for its templates."""

from django.core.paginator import Paginator
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from ireval.measures.precision import ELEVEN_POINTS
from judging.models import Qrels, Topic
from metrics.figures.bars import Bar, bars
from metrics.figures.charts import MOST_TOLD_APART, Curve, precision_recall
from metrics.kinds.runs.choice import Choice
from metrics.kinds.runs.results import Outcome, outcomes, values_of_runs
from metrics.kinds.runs.tables import best_at_the_top, chosen_order, headings, in_order, lines, topic_lines
from metrics.kinds.runs.values import JUDGED, bounds, main_measure, ranking_measures
from metrics.models import Report

TOPICS_A_PAGE = 50


def means(query: QueryDict, report: Report, qrels: Qrels) -> dict:
    """The table of the runs under one of the qrels, with the mean of each measure; the share judged comes last."""
    measures = [name for name in report.spec["measures"] if name != JUDGED]
    labels = {"run": _("Run")} | {name: name for name in measures} | {"topics": _("Topics"), "judged": JUDGED}
    order = chosen_order(query, "sort", labels, default=best_at_the_top(main_measure(report)))
    runs = outcomes(report, qrels.pk)
    return {
        "qrels": qrels,
        "anchor": f"means-{qrels.pk}",
        "headings": headings(query, "sort", labels, order, f"means-{qrels.pk}"),
        "lines": lines(runs, measures, order, ranking_measures(measures)),
    }


def charts(choice: Choice, *, leads: bool = True) -> dict:
    """The figures of the report's page; with `leads` their bars lead to what they show."""
    told_apart = choice.shown[:MOST_TOLD_APART]
    others = [outcome for outcome in choice.outcomes if outcome not in told_apart]
    drawn = [bar(outcome, choice.measure, leads=leads) for outcome in choice.outcomes if has_mean(outcome, choice.measure)]
    return {
        "bar_lines": lines(choice.outcomes, [choice.measure], best_at_the_top(choice.measure), []),
        "levels": ELEVEN_POINTS,
        "most": MOST_TOLD_APART,
        "told_apart": len(told_apart),
        "others": len(others),
        "precision_recall": precision_recall(curves(told_apart, leads=leads), curves(others, leads=leads)),
        "bars": bars(drawn, bounds(choice.measure)),
    }


def curves(runs: list[Outcome], *, leads: bool) -> list[Curve]:
    return [
        Curve(run.name, [value or 0 for value in run.precisions], address=address_of(run, leads=leads))
        for run in runs
        if run.topics
    ]


def has_mean(outcome: Outcome, measure: str) -> bool:
    return outcome.means[measure].mean is not None


def bar(outcome: Outcome, measure: str, *, leads: bool) -> Bar:
    estimate = outcome.means[measure]
    return Bar(outcome.name, estimate.mean or 0, estimate.low, estimate.high, address_of(outcome, leads=leads))


def address_of(outcome: Outcome, *, leads: bool) -> str:
    return reverse("run", args=[outcome.run]) if leads else ""


def topics(query: QueryDict, report: Report, choice: Choice) -> dict:
    """The table of topics with the chosen measure of each run shown, one page of topics."""
    values = values_of_runs(report, qrels=choice.qrels, runs=choice.runs, measure=choice.measure)
    over_runs = {"mean": _("Mean"), "spread": _("Range")} if len(choice.shown) > 1 else {}
    labels = {"topic": _("Topic")} | over_runs | {str(outcome.run): outcome.name for outcome in choice.shown}
    order = chosen_order(query, "order", labels, default="topic")
    frame = in_order(values.frame, order)
    page = Paginator(range(frame.height), TOPICS_A_PAGE).get_page(query.get("page"))
    rows = frame.slice(max(page.start_index() - 1, 0), TOPICS_A_PAGE)
    named = Topic.objects.filter(collection=report.subject, number__in=rows["topic"].to_list())
    by_number = {topic.number: topic for topic in named.only("number", "title")}
    return {
        "headings": headings(query, "order", labels, order, "topics"),
        "lines": [
            (by_number.get(line.topic), line) for line in topic_lines(rows, choice.runs, values.without_ranking, choice.measure)
        ],
        "page": page,
    }
