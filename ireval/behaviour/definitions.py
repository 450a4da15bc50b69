"""Metrics of users' behaviour: each defined once, in words and as the amounts that add up to it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ireval.behaviour.part import Amounts, Part, changes
from ireval.io.arguments import require_type
from ireval.io.files import BadInput
from ireval.translatable import gettext_noop

Better = Literal["up", "down", "unknown"]


class BadMetric(BadInput):
    """A name that no metric has, or a bad argument in it."""


@dataclass(frozen=True)
class Definition:
    """A metric: the mean of a unit's `numerator`, or a ratio of it to the `denominator` ("" for a mean).

    `better` is the direction that is better, `measured_in` the unit of measurement. `amounts` takes a Part and the argument
    behind the name's mark, such as the 5 of ctr@5.
    """

    name: str
    sentence: str
    numerator: str
    denominator: str
    better: Better
    measured_in: str
    amounts: Callable[[Part, str], Amounts]
    argument: str = ""

    def of(self, part: Part) -> Amounts:
        """The metric's amounts in a part of a log."""
        return self.amounts(part, self.argument)


def shares(values: Callable[[Part], np.ndarray]) -> Callable[[Part, str], Amounts]:
    return lambda part, _: part.of_impressions(values(part))


def top_clicks(part: Part, k: str) -> Amounts:
    rank = part.clicks.rank
    return part.of_impressions(part.share((rank > 0) & (rank <= int(k))))


def first_seconds(part: Part, _: str) -> Amounts:
    timed = ~np.isnan(part.seconds)
    return part.of_impressions(np.where(timed, part.seconds, 0), timed.astype(np.float64))


def conversions(part: Part, action: str) -> Amounts:
    amounts, first = part.of_events(action)
    return amounts._replace(values=first.astype(np.float64))


def occurrences(part: Part, action: str) -> Amounts:
    amounts, _ = part.of_events(action)
    return amounts._replace(values=(~changes(amounts.unit)).astype(np.float64))


SEARCH, CLICKED = "searches", "searches with a click"
DEFINITIONS = (
    Definition(
        "searches",
        gettext_noop("How many searches a user makes."),
        "searches",
        "",
        "unknown",
        "searches",
        lambda part, _: part.of_impressions(None)._replace(per=None),
    ),
    Definition(
        "sessions",
        gettext_noop("In how many sessions a user searches."),
        "sessions with a search",
        "",
        "up",
        "sessions",
        lambda part, _: part.of_sessions(np.ones(len(part.sessions[0])))._replace(per=None),
    ),
    Definition(
        "ctr",
        gettext_noop("The share of searches with a click."),
        CLICKED,
        SEARCH,
        "up",
        "share",
        shares(lambda part: np.minimum(part.clicked, 1)),
    ),
    Definition(
        "ctr@k",
        gettext_noop("The share of searches with a click on one of the first k results."),
        "searches with a click on the first k",
        SEARCH,
        "up",
        "share",
        top_clicks,
    ),
    Definition(
        "clicks",
        gettext_noop("How many clicks there are a search, repeated ones included."),
        "clicks",
        SEARCH,
        "unknown",
        "clicks",
        shares(lambda part: part.clicked),
    ),
    Definition(
        "first-click-rr",
        gettext_noop("1 / rank of the result clicked first, of searches with a click."),
        "reciprocal ranks of first clicks",
        CLICKED,
        "up",
        "1 / rank",
        lambda part, _: part.of_impressions(part.reciprocal, (part.reciprocal > 0).astype(np.float64)),
    ),
    Definition(
        "abandonment",
        gettext_noop("The share of searches without any click."),
        "searches without a click",
        SEARCH,
        "down",
        "share",
        shares(lambda part: (part.clicked == 0).astype(np.float64)),
    ),
    Definition(
        "seconds",
        gettext_noop("Seconds from a search to its first click, of searches with a click."),
        "seconds to first clicks",
        CLICKED,
        "down",
        "seconds",
        first_seconds,
    ),
    Definition(
        "long-clicks",
        gettext_noop("The share of searches with a click after which nothing happened for a while."),
        "searches with a long click",
        SEARCH,
        "up",
        "share",
        shares(lambda part: part.long),
    ),
    Definition(
        "reformulation",
        gettext_noop("The share of searches that the user soon followed by asking something else."),
        "searches soon followed by another one",
        SEARCH,
        "down",
        "share",
        shares(lambda part: part.reformulated),
    ),
    Definition(
        "successful-sessions",
        gettext_noop("The share of sessions with a long click, or with an event that says success."),
        "sessions with success",
        "sessions with a search",
        "up",
        "share",
        lambda part, _: part.of_sessions(part.succeeded),
    ),
    Definition(
        "conversion:action",
        gettext_noop("The share of users who did it, once or more."),
        "1 for who did it",
        "",
        "up",
        "share",
        conversions,
    ),
    Definition(
        "count:action",
        gettext_noop("How often a user did it."),
        "events",
        "",
        "up",
        "events",
        occurrences,
    ),
    Definition(
        "value:action",
        gettext_noop("What a user's events of this kind were worth, summed up."),
        "values of events",
        "",
        "up",
        "value",
        lambda part, action: part.of_events(action)[0],
    ),
)
DEFAULT_METRICS = ("ctr", "first-click-rr", "abandonment", "long-clicks", "reformulation", "successful-sessions")


def definition_of(name: str) -> Definition:
    """The metric called `name`: ctr@5 is ctr@k with k = 5, value:purchase the sum of values of events called purchase.

    BadMetric for any other name, and for a k that is no whole number from 1 to 9999.

    >>> definition_of("ctr@5").sentence
    'The share of searches with a click on one of the first 5 results.'
    """
    require_type("the name of a metric", name, str, "text", BadMetric)
    for definition in DEFINITIONS:
        start, mark, _ = definition.name.partition("@" if "@" in definition.name else ":")
        argument = name[len(start) + 1 :]
        if name == start and not mark:
            return definition
        if mark and name.startswith(start + mark) and argument and (mark == ":" or is_rank(argument)):
            k = argument if mark == "@" else "k"
            sentence, numerator = (text.replace("first k", f"first {k}") for text in (definition.sentence, definition.numerator))
            return replace(definition, name=name, argument=argument, sentence=sentence, numerator=numerator)
    raise BadMetric(f"there is no metric {name}; expected one of {', '.join(metric.name for metric in DEFINITIONS)}")


def is_rank(text: str) -> bool:
    return text.isascii() and text.isdigit() and not text.startswith("0") and len(text) < 5
