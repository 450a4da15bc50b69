"""A report's page on its results by kind of topic, as tags say it."""

from django.http import HttpResponse, QueryDict
from django.shortcuts import render

from judging.requests import SignedIn
from metrics.figures.charts import MOST_TOLD_APART
from metrics.kinds.runs import tag_figures, tags
from metrics.kinds.runs.choice import Choice
from metrics.kinds.runs.differences import measures_of
from metrics.kinds.runs.words import about_intents_of, tag_caution
from metrics.models import Report
from metrics.views.report_pages import page_of_a_report


@page_of_a_report
def report_tags(request: SignedIn, report: Report) -> HttpResponse:
    choice = Choice.read(request.GET, report)
    by_tag = tags.topics_by_tag(report)
    means = tags.means(choice, by_tag)
    told_apart = {run.name for run in choice.shown[:MOST_TOLD_APART]}
    context = {
        "report": report,
        "choice": choice,
        "most": MOST_TOLD_APART,
        "means": means,
        "means_figure": tag_figures.by_tag([line for line in means if line.name in told_apart], report.collection_id),
        "caution": " ".join(filter(None, [tag_caution(means), about_intents_of(report, choice.qrels, [choice.measure])])),
    }
    if means and len(choice.compared) > 1 and choice.measure in measures_of(report):
        context |= duel(request.GET, choice, by_tag)
    return render(request, "metrics/report_tags.html", context)


def duel(query: QueryDict, choice: Choice, by_tag: tags.TopicsByTag) -> dict[str, object]:
    """The differences of the two runs that the address names, else of the best shown."""
    first, second = choice.compared_pair(query)
    differences = tags.differences(choice, first, second, by_tag)
    return {
        "compared": choice.compared,
        "first": first,
        "second": second,
        "differences": differences,
        "differences_figure": tag_figures.by_tag(differences, choice.report.collection_id),
        "differences_caution": tag_caution(differences, tags.ENOUGH_FOR_DIFFERENCES),
    }
