"""Figures of results by kind of topic."""

from collections import defaultdict
from collections.abc import Sequence

from django.urls import reverse
from django.utils.http import urlencode

from metrics.figures.bars import Bar, whiskers
from metrics.kinds.runs.tags import TagLine

# A higher figure fits no screen. Then the tags with most topics are drawn; the table has all.
MOST_DRAWN = 20


def by_tag(lines: Sequence[TagLine], collection: int | None) -> dict | None:
    """A figure of the first tags by which every name has a number; None where there is none.

    Each tag leads to its topics in the collection of this key.
    """
    names = list(dict.fromkeys(line.name for line in lines))
    by_tag: dict[str, list[TagLine]] = defaultdict(list)
    for line in lines:
        if line.estimate.mean is not None:
            by_tag[line.tag].append(line)
    whole = [tagged for tagged in by_tag.values() if len(tagged) == len(names)][:MOST_DRAWN]
    series = [(name, [bar(tagged[place], collection) for tagged in whole]) for place, name in enumerate(names)]
    return whiskers([tagged[0].tag for tagged in whole], series) if whole else None


def bar(line: TagLine, collection: int | None) -> Bar:
    topics = f"{reverse('topics', args=[collection])}?{urlencode({'tag': line.tag})}"
    return Bar(f"{line.tag}, n = {line.n}", line.estimate.mean or 0, line.estimate.low, line.estimate.high, topics)
