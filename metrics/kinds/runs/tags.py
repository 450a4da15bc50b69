"""Results by kind of topic: a report's stored values, put together by the tags that its collection's topics have now."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl
from django.utils.translation import gettext as _

from ireval import Measure, parse_measure
from ireval.significance import TESTS, compare
from judging.models import Topic
from metrics.kinds.runs import tables
from metrics.kinds.runs.choice import Choice
from metrics.kinds.runs.contrasts import frames_of, scores_in
from metrics.kinds.runs.results import Estimate, Outcome, contents
from metrics.kinds.runs.values import estimate, finite
from metrics.models import Report

ENOUGH_FOR_DIFFERENCES = TESTS["t"].enough
TopicsByTag = dict[str, list[str]]


@dataclass(frozen=True)
class TagLine:
    """A number over the `n` topics of a tag that count: the mean of a run by name, or the difference of two."""

    tag: str
    name: str
    n: int
    estimate: Estimate

    @property
    def number(self) -> str:
        return tables.number(self.estimate.mean)

    @property
    def interval(self) -> str:
        return tables.interval(self.estimate) or "–"


def topics_by_tag(report: Report) -> TopicsByTag:
    """The numbers of each tag's topics in the report's collection, the tag of most topics first."""
    numbers = defaultdict(list)
    tagged = Topic.objects.filter(collection=report.collection_id).exclude(tags=[]).order_by("id")
    for number, tags in tagged.values_list("number", "tags"):
        for tag in tags:
            numbers[tag].append(number)
    return dict(sorted(numbers.items(), key=lambda entry: (-len(entry[1]), entry[0])))


def means(choice: Choice, tags: TopicsByTag) -> list[TagLine]:
    """One line per tag and run shown, tags together. A tag is left out if none of the runs counts a topic of it."""
    measure = parse_measure(choice.measure)
    frames = frames_of(contents(choice.report, qrels=choice.qrels, runs=choice.runs), measure)
    lines = []
    for tag, topics in tags.items():
        of_tag = [mean(tag, run.name, on_topics(topics, frames[run.run]), measure) for run in choice.shown]
        if any(line.n for line in of_tag):
            lines += of_tag
    return lines


def mean(tag: str, name: str, values: pl.DataFrame, measure: Measure) -> TagLine:
    numbers = estimate(values, measure) if len(values) else (None, None, None)
    return TagLine(tag, name, len(values), Estimate(*numbers))


def on_topics(topics: Sequence[str], values: pl.DataFrame) -> pl.DataFrame:
    return values.filter(pl.col("topic").is_in(topics))


def differences(choice: Choice, first: Outcome, second: Outcome, tags: TopicsByTag) -> list[TagLine]:
    """One line per tag: the first run's mean less the second's over the topics that both count, with Student's interval."""
    measure = parse_measure(choice.measure)
    frames = frames_of(contents(choice.report, qrels=choice.qrels, runs=[first.run, second.run]), measure)
    lines = []
    for tag, topics in tags.items():
        scores = scores_in({run.run: on_topics(topics, frames[run.run]) for run in (first, second)}, measure)
        if len(scores.systems) == 2 and scores.topics:
            result = compare(replace(scores, largest_difference=measure.kind.largest_difference), "t", correction="none")
            numbers = (finite(float(column[0])) for column in (result.difference, result.low, result.high))
            lines.append(
                TagLine(
                    tag,
                    _("%(first)s minus %(second)s") % {"first": first.name, "second": second.name},
                    len(scores.topics),
                    Estimate(*numbers),
                )
            )
    return lines
