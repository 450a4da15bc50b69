"""The parts of a report's page, ready for its templates."""

from django.core.paginator import Paginator
from django.http import QueryDict

from judging.models import Qrels, Topic
from metrics.figures.charts import MOST_TOLD_APART, RECALL_LEVELS, Bar, Curve, bars, precision_recall
from metrics.kinds.runs.choice import Choice
from metrics.kinds.runs.results import Outcome, outcomes, values_of_runs
from metrics.kinds.runs.tables import best_at_the_top, headings, in_order, lines, order_asked, topic_lines
from metrics.kinds.runs.values import JUDGED, bounds, main_measure, ranking_measures, within_bounds
from metrics.models import Report

TOPICS_A_PAGE = 50


def means(query: QueryDict, report: Report, qrels: Qrels) -> dict:
    """The runs under one of the qrels, with the mean of each measure. How far to trust them comes after."""
    measures = [name for name in report.spec["measures"] if name != JUDGED]
    labels = {"run": "Run"} | {name: name for name in measures} | {"topics": "Topics", "judged": JUDGED}
    order = order_asked(query, "sort", labels, default=best_at_the_top(main_measure(report)))
    found = outcomes(report, qrels.pk)
    return {
        "qrels": qrels,
        "anchor": f"means-{qrels.pk}",
        "headings": headings(query, "sort", labels, order, f"means-{qrels.pk}"),
        "lines": lines(found, measures, order, ranking_measures(measures)),
    }


def charts(choice: Choice) -> dict:
    told_apart = choice.shown[:MOST_TOLD_APART]
    others = [one for one in choice.outcomes if one not in told_apart]
    drawn = [bar(one, choice.measure) for one in choice.outcomes if has_mean(one, choice.measure)]
    return {
        "bar_lines": lines(choice.outcomes, [choice.measure], best_at_the_top(choice.measure), []),
        "levels": RECALL_LEVELS,
        "most": MOST_TOLD_APART,
        "told_apart": len(told_apart),
        "others": len(others),
        "precision_recall": precision_recall(curves(told_apart), curves(others)),
        "bars": bars(drawn, bounds(choice.measure)),
    }


def curves(found: list[Outcome]) -> list[Curve]:
    return [Curve(one.name, [value or 0 for value in one.precisions]) for one in found if one.topics]


def has_mean(one: Outcome, measure: str) -> bool:
    return one.means[measure].mean is not None


def bar(one: Outcome, measure: str) -> Bar:
    estimate = within_bounds(one.means[measure], measure)
    return Bar(one.name, estimate.mean or 0, estimate.low, estimate.high)


def topics(query: QueryDict, report: Report, choice: Choice) -> dict:
    """Topic by topic, the chosen measure of the runs shown; a page of topics at a time."""
    found = values_of_runs(report, qrels=choice.qrels, runs=choice.runs, measure=choice.measure)
    over_runs = {"mean": "Mean", "spread": "Range"} if len(choice.shown) > 1 else {}
    labels = {"topic": "Topic"} | over_runs | {str(one.run): one.name for one in choice.shown}
    order = order_asked(query, "order", labels, default="topic")
    frame = in_order(found.frame, order)
    page = Paginator(range(frame.height), TOPICS_A_PAGE).get_page(query.get("page"))
    rows = frame.slice(max(page.start_index() - 1, 0), TOPICS_A_PAGE)
    named = Topic.objects.filter(collection=report.subject, number__in=rows["topic"].to_list())
    by_number = {topic.number: topic for topic in named.only("number", "title")}
    return {
        "headings": headings(query, "order", labels, order, "topics"),
        "lines": [
            (by_number.get(line.topic), line) for line in topic_lines(rows, choice.runs, found.without_ranking, choice.measure)
        ],
        "page": page,
    }
