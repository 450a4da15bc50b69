"""Results by kind of topic: a report's stored values, put together by the tags that its collection's topics have now."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from ireval import Measure, parse_measure
from ireval.significance import TESTS, compare
from ireval.significance.intervals import ENOUGH_TOPICS, few_topics
from judging.models import Topic
from metrics.figures.bars import Bar, whiskers
from metrics.kinds.runs import tables
from metrics.kinds.runs.choice import Choice
from metrics.kinds.runs.contrasts import frames_of, scores_in
from metrics.kinds.runs.results import Estimate, Outcome, contents
from metrics.kinds.runs.values import estimate, finite
from metrics.kinds.runs.words import MOST_NAMED
from metrics.models import Report
from metrics.sentences import listed

ENOUGH_FOR_DIFFERENCES = TESTS["t"].enough
# A higher figure fits no screen. Then the tags with most topics are drawn; the table has all.
MOST_DRAWN = 20
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


def caution(lines: Sequence[TagLine], enough: int = ENOUGH_TOPICS) -> str:
    """Name the tags over whose topics intervals may be too narrow; empty where there are none."""
    few = dict.fromkeys(line.tag for line in lines if line.estimate.low is not None and few_topics(line.n, enough))
    if not few:
        return ""
    tags = listed([f"“{tag}”" for tag in few], MOST_NAMED)
    return _("%(tags)s: intervals may be too narrow, %(enough)s topics are needed.") % {"tags": tags, "enough": enough}


def drawn(lines: Sequence[TagLine], report: Report) -> dict | None:
    """A figure of the first tags by which every name has a number, each leading to its topics; None where there is none."""
    names = list(dict.fromkeys(line.name for line in lines))
    by_tag: dict[str, list[TagLine]] = defaultdict(list)
    for line in lines:
        if line.estimate.mean is not None:
            by_tag[line.tag].append(line)
    whole = [tagged for tagged in by_tag.values() if len(tagged) == len(names)][:MOST_DRAWN]
    series = [(name, [bar(tagged[place], report) for tagged in whole]) for place, name in enumerate(names)]
    return whiskers([tagged[0].tag for tagged in whole], series) if whole else None


def bar(line: TagLine, report: Report) -> Bar:
    topics = f"{reverse('topics', args=[report.collection_id])}?{urlencode({'tag': line.tag})}"
    return Bar(f"{line.tag}, n = {line.n}", line.estimate.mean or 0, line.estimate.low, line.estimate.high, topics)
