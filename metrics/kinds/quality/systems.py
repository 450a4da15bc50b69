"""What a study's labels mean for its systems, one measure at a time, as pages and files take it."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from judging.labels.aggregation import DEFAULT_METHOD, METHOD_CHOICES
from metrics.downloads import table
from metrics.figures.charts import Bar, whiskers
from metrics.kinds.runs.results import Estimate
from metrics.kinds.runs.values import within_bounds
from metrics.kinds.studies import part
from metrics.models import Report

STEP = "effect"
# Less than this share of an interval's width is nothing.
NEXT_TO_NOTHING = 0.01


@dataclass(frozen=True)
class System:
    """A run by one measure: its mean with the interval by topics alone and by topics and workers, by what share the workers widen
    it, how much of its first ten is judged, and its mean and place under each way to settle."""

    run: int
    name: str
    measure: str
    alone: Estimate
    both: Estimate
    widening: float | None
    judged: float | None
    under: list[tuple[float | None, int]]

    @property
    def alone_shown(self) -> Estimate:
        return within_bounds(self.alone, self.measure)

    @property
    def both_shown(self) -> Estimate:
        return within_bounds(self.both, self.measure)


@dataclass(frozen=True)
class Effect:
    measure: str
    measures: list[str]
    methods: list[str]
    systems: list[System]
    alike: list[tuple[str, list[tuple[float | None, int] | None]]]
    topics: int
    workers: int
    resamples: int
    undefined: str
    refused: dict[str, str]

    @property
    def figure(self) -> dict:
        """The best on top."""
        shown = [one for one in self.systems if one.alone.mean is not None]
        series = [("Topics alone", [bar(one.name, one.alone_shown) for one in shown])]
        if not self.undefined:
            series.append(("Topics and workers", [bar(one.name, one.both_shown) for one in shown]))
        return whiskers([one.name for one in shown], series)

    @property
    def titles(self) -> list[str]:
        return [METHOD_CHOICES[method].title for method in self.methods]


def has_effect(report: Report) -> bool:
    """Whether it was computed: reports of earlier times lack it."""
    return STEP in report.spec["steps"]


def effect_of(report: Report, measure: str = "") -> Effect | str:
    """By one measure, the first if it is none of those computed; or why there is nothing to see."""
    found = part(report, STEP)
    if found["why"]:
        return str(found["why"])
    m = found["measures"].index(measure) if measure in found["measures"] else 0
    systems = [system(found, r, m) for r in range(len(found["runs"]))]
    first = found["methods"].index(DEFAULT_METHOD)
    return Effect(
        measure=found["measures"][m],
        measures=found["measures"],
        methods=found["methods"],
        systems=sorted(systems, key=lambda one: (one.under[first][1], one.name)),
        alike=alike(found, m),
        **{name: found[name] for name in ("topics", "workers", "resamples", "undefined", "refused")},
    )


def system(found: dict[str, Any], r: int, m: int) -> System:
    mean = found["mean"][r][m]
    return System(
        run=found["runs"][r]["id"],
        name=found["runs"][r]["name"],
        measure=found["measures"][m],
        alone=Estimate(mean, *found["by_topics"][r][m]),
        both=Estimate(mean, *found["by_both"][r][m]),
        widening=found["widening"][r][m],
        judged=found["judged"][r],
        under=[(means[r][m], places[r][m]) for means, places in zip(found["means"], found["place"], strict=True)],
    )


def alike(found: dict[str, Any], m: int) -> list[tuple[str, list[tuple[float | None, int] | None]]]:
    """One row per way to settle: τ with every other, and the places that a run loses at most between the two; None with
    itself."""
    tau, drop, size = found["tau"][m], found["drop"][m], range(len(found["methods"]))
    rows = [[None if i == j else (tau[i][j], max(drop[i][j], drop[j][i])) for j in size] for i in size]
    return [(METHOD_CHOICES[method].title, row) for method, row in zip(found["methods"], rows, strict=True)]


def bar(name: str, shown: Estimate) -> Bar:
    return Bar(name, shown.mean or 0, shown.low, shown.high)


def in_words(effect: Effect) -> list[str]:
    """What a reader should take away."""
    return [what_workers_add(effect), *how_orders_differ(effect)]


def what_workers_add(effect: Effect) -> str:
    if effect.undefined:
        return f"What the workers add to the uncertainty cannot be told: {effect.undefined}."
    shares = sorted(one.widening for one in effect.systems if one.widening is not None)
    if not shares:
        return "Every topic has the same value, so that the intervals have no width."
    middle = median(shares)
    if abs(middle) < NEXT_TO_NOTHING:
        return "That others might have judged adds next to nothing to the width of the intervals."
    verb = f"add {100 * middle:.0f} % to" if middle > 0 else f"take {-100 * middle:.0f} % from"
    spread = f" ({100 * shares[0]:.0f} to {100 * shares[-1]:.0f} %, by system)" if len(shares) > 1 else ""
    return f"Workers {verb} the width of the interval{spread}: so much less sure are the means if others might have judged."


def how_orders_differ(effect: Effect) -> list[str]:
    if len(effect.systems) < 2:
        return []
    first = effect.methods.index(DEFAULT_METHOD)
    usual = places(effect, first)
    said = [how_it_differs(effect, usual, s) for s in range(len(effect.methods)) if places(effect, s) != usual]
    return said or ["Every way to settle puts the systems in the same order."]


def how_it_differs(effect: Effect, usual: Sequence[int], s: int) -> str:
    title, now = METHOD_CHOICES[effect.methods[s]].title, places(effect, s)
    best = [place for place, was in enumerate(usual) if was <= 2]
    if [usual[one] for one in best] == [1, 2] and [now[one] for one in best] == [2, 1]:
        return f"{title}: the two best by majority, {named(effect, best[0])} and {named(effect, best[1])}, change places."
    lost = [after - before for before, after in zip(usual, now, strict=True)]
    worst = lost.index(max(lost))
    if lost[worst] <= 0:
        return f"{title}: systems that tie by majority are told apart, or the other way round."
    return f"{title}: {named(effect, worst)} falls from place {usual[worst]} by majority to {now[worst]}."


def places(effect: Effect, s: int) -> list[int]:
    return [one.under[s][1] for one in effect.systems]


def named(effect: Effect, place: int) -> str:
    return f"“{effect.systems[place].name}”"


def systems_csv(report: Report) -> str:
    """One row per run and measure: everything on the page."""
    found = effect_of(report) if has_effect(report) else ""
    if isinstance(found, str):
        return table(["run", "measure"], [])
    head = ["run", "measure", "mean", "low_topics", "high_topics", "low_both", "high_both", "widening", "judged@10"]
    head += [f"{what} {method}" for method in found.methods for what in ("mean", "place")]
    every = [one for measure in found.measures if isinstance(one := effect_of(report, measure), Effect)]
    return table(head, [row(system, one.measure) for one in every for system in one.systems])


def row(one: System, measure: str) -> list[Any]:
    ends = [one.alone.mean, one.alone.low, one.alone.high, one.both.low, one.both.high]
    return [one.name, measure, *ends, one.widening, one.judged, *(number for pair in one.under for number in pair)]
