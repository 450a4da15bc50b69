"""The same numbers by their definitions, one record after the other, in plain Python."""

from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from ireval.behaviour import BehaviourRules
from ireval.experiments import Observed, experiment_from
from tests.ireval.behaviour.builders import ARMS, SECOND, START, STOP, Event, Search

RULES = BehaviourRules()
CLICKS = ("click", "click_through")


class Impression(NamedTuple):
    unit: int
    time: int
    query: int | None
    arms: frozenset[int]
    text: int | None
    session: int | None
    segment: int | None


def impressions_of(searches: list[Search]) -> list[Impression]:
    groups: dict[tuple, list[Search]] = defaultdict(list)
    for number, one in enumerate(searches):
        groups[one.unit, one.query, number if one.query is None else None].append(one)
    return [
        Impression(
            unit,
            min(one.time for one in group),
            query,
            frozenset(one.arm for one in group if one.arm is not None),
            *(first(group, field) for field in ("text", "session", "segment")),
        )
        for (unit, query, _), group in groups.items()
    ]


def first(group: list, field: str):
    """What the first that says anything says."""
    named = sorted((one.time, getattr(one, field)) for one in group if getattr(one, field) is not None)
    return named[0][1] if named else None


def events_with_units(events: list[Event], impressions: list[Impression]) -> list[Event]:
    found = []
    for event in events:
        asked = sorted((one.time, one.unit) for one in impressions if one.query == event.query and event.query is not None)
        if event.unit is not None:
            found.append(event)
        elif asked:
            found.append(event._replace(unit=asked[0][1]))
    return found


def sessions_of(records: list[Any], gap: float) -> dict[int, object]:
    """Of one unit's records: the session of each, by its id()."""
    order = sorted(records, key=lambda one: (one.time, one.session is None, one.session or 0))
    visits: list[list[Any]] = []
    for record in order:
        if not visits or record.time - visits[-1][-1].time >= gap:
            visits.append([])
        visits[-1].append(record)
    found: dict[int, object] = {}
    for number, visit in enumerate(visits):
        for place, record in enumerate(visit):
            before = [one.session for one in visit[: place + 1] if one.session is not None]
            after = [one.session for one in visit[place:] if one.session is not None]
            found[id(record)] = ("given", before[-1]) if before else ("given", after[0]) if after else ("visit", number)
    return found


class Slow:
    """What one unit did in the records given."""

    def __init__(self, impressions: list[Impression], events: list[Event], counted: list[Impression], rules: BehaviourRules):
        self.all, self.events, self.counted, self.rules = impressions, events, counted, rules
        self.session = sessions_of([*impressions, *events], rules.session_gap * SECOND)

    def clicks(self, search: Impression) -> list[Event]:
        found = [one for one in self.events if one.action in CLICKS and one.query == search.query and search.query is not None]
        return sorted(found, key=lambda one: (one.time, rank_of(one) or np.inf))

    def is_long(self, click: Event) -> bool:
        records: list[Any] = [*self.all, *self.events]
        together = (one for one in records if self.session[id(one)] == self.session[id(click)])
        return not any(0 < one.time - click.time < self.rules.long_click * SECOND for one in together)

    def has_long(self, search: Impression) -> bool:
        return any(self.is_long(click) for click in self.clicks(search))

    def is_reformulated(self, search: Impression) -> bool:
        return any(
            0 < other.time - search.time <= self.rules.reformulation * SECOND
            and (other.text or 0) != (search.text or 0)
            and self.session[id(other)] == self.session[id(search)]
            for other in self.all
        )

    def sessions(self) -> dict[object, list[Impression]]:
        found: dict[object, list[Impression]] = defaultdict(list)
        for search in sorted(self.counted, key=lambda one: one.time):
            found[self.session[id(search)]].append(search)
        return found

    def succeeded(self, session: object, searches: list[Impression]) -> bool:
        return any(map(self.has_long, searches)) or any(
            one.action == "success" and self.session[id(one)] == session and one.time >= searches[0].time for one in self.events
        )

    def value(self, metric, since, until, look):
        """Of what counts before `look`."""
        word, _, argument = metric.replace("@", "@:").partition(":")
        counted = [one for one in self.counted if one.time < look]
        done = [one for one in self.events if since <= one.time < min(until, look) and one.action == argument]
        sessions = {name: group for name, group in self.sessions().items() if group[0].time < look}
        clicks = [self.clicks(one) for one in counted]
        ranks = [[rank_of(click) for click in group if rank_of(click)] for group in clicks]
        waits = [(group[0].time - one.time) / SECOND for one, group in zip(counted, clicks, strict=True) if group]
        return {
            "searches": (len(counted), None),
            "sessions": (len(sessions), None),
            "ctr": (sum(map(bool, clicks)), len(counted)),
            "ctr@": (sum(any(rank <= int(argument) for rank in group) for group in ranks) if "@" in word else 0, len(counted)),
            "clicks": (sum(map(len, clicks)), len(counted)),
            "abandonment": (sum(not group for group in clicks), len(counted)),
            "first-click-rr": (sum(1 / group[0] for group in ranks if group), sum(map(bool, ranks))),
            "seconds": (sum(one for one in waits if one >= 0), sum(one >= 0 for one in waits)),
            "long-clicks": (sum(map(self.has_long, counted)), len(counted)),
            "reformulation": (sum(map(self.is_reformulated, counted)), len(counted)),
            "successful-sessions": (sum(self.succeeded(*one) for one in sessions.items()), len(sessions)),
            "conversion": (float(bool(done)), None),
            "count": (len(done), None),
            "value": (sum(one.value for one in done if one.value is not None and abs(one.value) <= 1e15), None),
        }[word]


def rank_of(click: Event) -> int | None:
    return click.rank if click.rank is not None and click.rank >= 1 else None


def in_window(one: Impression) -> bool:
    return bool(one.arms) and START <= one.time < STOP


def experiment_by_hand(searches, events, metrics, *, look=STOP, before=False, segment=None):
    """The experiment of those units whose first search was before `look`."""
    impressions = impressions_of(searches)
    owned = events_with_units(events, impressions)
    rows = []
    for unit in sorted({one.unit for one in impressions if in_window(one)}):
        shown = [one for one in impressions if one.unit == unit and in_window(one)]
        arms = frozenset().union(*(one.arms for one in shown))
        since = min(one.time for one in shown)
        named = first(shown, "segment")
        if len(arms) > 1 or since >= look or (segment is not None and named != segment):
            continue
        theirs = [one for one in impressions if one.unit == unit], [one for one in owned if one.unit == unit]
        during = Slow(*([one for one in group if one.time >= START] for group in theirs), shown, RULES)
        past = [[one for one in group if one.time < START] for group in theirs]
        earlier = Slow(*past, past[0], RULES)
        values = {name: during.value(name, since, STOP, look) for name in metrics}
        was = {name: earlier.value(name, -np.inf, START, np.inf) if before else () for name in metrics}
        rows.append((next(iter(arms)), {name: (*values[name], *was[name]) for name in metrics}))
    observed = {
        name: Observed(*(column_of([values[name] for _, values in rows], place) for place in range(4))) for name in metrics
    }
    return experiment_from([arm for arm, _ in rows], ARMS, shaped(observed, metrics, before))


def column_of(rows: list[tuple], place: int):
    column = [row[place] for row in rows if place < len(row)]
    return None if not column or column[0] is None else np.array(column, float)


def shaped(observed: dict[str, Observed], metrics: list[str], before: bool) -> dict[str, Observed]:
    """Also without any unit as many columns as with."""
    if next(iter(observed.values())).values is not None:
        return observed
    means = ("searches", "sessions", "conversion", "count", "value")
    none = np.zeros(0)
    return {
        name: Observed(none, per, none if before else None, per if before else None)
        for name in metrics
        for per in [None if name.partition(":")[0] in means else none]
    }
