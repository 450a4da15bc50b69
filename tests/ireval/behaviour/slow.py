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
    for number, search in enumerate(searches):
        groups[search.unit, search.query, number if search.query is None else None].append(search)
    return [
        Impression(
            unit,
            min(search.time for search in group),
            query,
            frozenset(search.arm for search in group if search.arm is not None),
            *(first(group, field) for field in ("text", "session", "segment")),
        )
        for (unit, query, _), group in groups.items()
    ]


def first(group: list, field: str):
    """What the first that says anything says."""
    named = sorted((record.time, getattr(record, field)) for record in group if getattr(record, field) is not None)
    return named[0][1] if named else None


def events_with_units(events: list[Event], impressions: list[Impression]) -> list[Event]:
    with_units = []
    for event in events:
        owners = sorted(
            (impression.time, impression.unit)
            for impression in impressions
            if impression.query == event.query and event.query is not None
        )
        if event.unit is not None:
            with_units.append(event)
        elif owners:
            with_units.append(event._replace(unit=owners[0][1]))
    return with_units


def sessions_of(records: list[Any], gap: float) -> dict[int, object]:
    """Of one unit's records: the session of each, by its id()."""
    order = sorted(records, key=lambda record: (record.time, record.session is None, record.session or 0))
    visits: list[list[Any]] = []
    for record in order:
        if not visits or record.time - visits[-1][-1].time >= gap:
            visits.append([])
        visits[-1].append(record)
    sessions: dict[int, object] = {}
    for number, visit in enumerate(visits):
        for place, record in enumerate(visit):
            before = [earlier.session for earlier in visit[: place + 1] if earlier.session is not None]
            after = [later.session for later in visit[place:] if later.session is not None]
            sessions[id(record)] = ("given", before[-1]) if before else ("given", after[0]) if after else ("visit", number)
    return sessions


class Slow:
    """What one unit did in the records given."""

    def __init__(self, impressions: list[Impression], events: list[Event], counted: list[Impression], rules: BehaviourRules):
        self.all, self.events, self.counted, self.rules = impressions, events, counted, rules
        self.session = sessions_of([*impressions, *events], rules.session_gap * SECOND)

    def clicks(self, search: Impression) -> list[Event]:
        clicks = [
            event for event in self.events if event.action in CLICKS and event.query == search.query and search.query is not None
        ]
        return sorted(clicks, key=lambda event: (event.time, rank_of(event) or np.inf))

    def is_long(self, click: Event) -> bool:
        records: list[Any] = [*self.all, *self.events]
        together = (record for record in records if self.session[id(record)] == self.session[id(click)])
        return not any(0 < record.time - click.time < self.rules.long_click * SECOND for record in together)

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
        groups: dict[object, list[Impression]] = defaultdict(list)
        for search in sorted(self.counted, key=lambda impression: impression.time):
            groups[self.session[id(search)]].append(search)
        return groups

    def succeeded(self, session: object, searches: list[Impression]) -> bool:
        return any(map(self.has_long, searches)) or any(
            event.action == "success" and self.session[id(event)] == session and event.time >= searches[0].time
            for event in self.events
        )

    def value(self, metric, since, until, look):
        """Of what counts before `look`."""
        word, _, argument = metric.replace("@", "@:").partition(":")
        counted = [search for search in self.counted if search.time < look]
        done = [event for event in self.events if since <= event.time < min(until, look) and event.action == argument]
        sessions = {name: group for name, group in self.sessions().items() if group[0].time < look}
        clicks = [self.clicks(search) for search in counted]
        ranks = [[rank_of(click) for click in group if rank_of(click)] for group in clicks]
        waits = [(group[0].time - search.time) / SECOND for search, group in zip(counted, clicks, strict=True) if group]
        return {
            "searches": (len(counted), None),
            "sessions": (len(sessions), None),
            "ctr": (sum(map(bool, clicks)), len(counted)),
            "ctr@": (sum(any(rank <= int(argument) for rank in group) for group in ranks) if "@" in word else 0, len(counted)),
            "clicks": (sum(map(len, clicks)), len(counted)),
            "abandonment": (sum(not group for group in clicks), len(counted)),
            "first-click-rr": (sum(1 / group[0] for group in ranks if group), sum(map(bool, ranks))),
            "seconds": (sum(wait for wait in waits if wait >= 0), sum(wait >= 0 for wait in waits)),
            "long-clicks": (sum(map(self.has_long, counted)), len(counted)),
            "reformulation": (sum(map(self.is_reformulated, counted)), len(counted)),
            "successful-sessions": (sum(self.succeeded(*session) for session in sessions.items()), len(sessions)),
            "conversion": (float(bool(done)), None),
            "count": (len(done), None),
            "value": (sum(event.value for event in done if event.value is not None and abs(event.value) <= 1e15), None),
        }[word]


def rank_of(click: Event) -> int | None:
    return click.rank if click.rank is not None and click.rank >= 1 else None


def in_window(impression: Impression) -> bool:
    return bool(impression.arms) and START <= impression.time < STOP


def experiment_by_hand(searches, events, metrics, *, look=STOP, before=False, segment=None):
    """The experiment of those units whose first search was before `look`."""
    impressions = impressions_of(searches)
    owned = events_with_units(events, impressions)
    rows = []
    for unit in sorted({record.unit for record in impressions if in_window(record)}):
        shown = [record for record in impressions if record.unit == unit and in_window(record)]
        arms = frozenset().union(*(record.arms for record in shown))
        since = min(record.time for record in shown)
        named = first(shown, "segment")
        if len(arms) > 1 or since >= look or (segment is not None and named != segment):
            continue
        theirs = [record for record in impressions if record.unit == unit], [record for record in owned if record.unit == unit]
        during = Slow(*([record for record in group if record.time >= START] for group in theirs), shown, RULES)
        past = [[record for record in group if record.time < START] for group in theirs]
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
