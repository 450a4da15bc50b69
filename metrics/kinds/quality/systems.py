"""The effect of a study's labels on its systems, by one measure, as pages and files take it."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from ireval.significance.intervals import Interval, cut_off
from judging.labels.aggregation import MAJORITY, METHOD_CHOICES
from judging.text.library_words import in_reader_language
from metrics.downloads import table
from metrics.figures.bars import Bar, whiskers
from metrics.kinds.runs.results import Estimate
from metrics.kinds.runs.values import bounds
from metrics.kinds.studies import part
from metrics.models import Report

STEP = "effect"
# A smaller share of an interval's width is worth no mention.
NEXT_TO_NOTHING = 0.01


@dataclass(frozen=True)
class System:
    """A run by one measure.

    `alone` is the mean with its interval over topics, `both` over topics and workers, `widening` the share that workers add to
    the width. `judged` is the judged share of the first ten documents, `under` the mean and place under each method of
    aggregation.
    """

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
        """The systems' means and intervals, the best on top."""
        shown = [system for system in self.systems if system.alone.mean is not None]
        series = [(_("Topics alone"), [bar(system, system.alone_shown) for system in shown])]
        if not self.undefined:
            series.append((_("Topics and workers"), [bar(system, system.both_shown) for system in shown]))
        return whiskers([system.name for system in shown], series)

    @property
    def titles(self) -> list[str]:
        return [title_of(method) for method in self.methods]


def title_of(method: str) -> str:
    return _(METHOD_CHOICES[method].title)


def has_effect(report: Report) -> bool:
    """Whether the effect was computed; reports of earlier versions lack it."""
    return STEP in report.spec["steps"]


def effect_of(report: Report, measure: str = "") -> Effect | str:
    """The effect by one measure, by the first if this was not computed; or the reason why there is none."""
    result = part(report, STEP)
    if result["why"]:
        return _(result["why"])
    m = result["measures"].index(measure) if measure in result["measures"] else 0
    systems = [system(result, r, m) for r in range(len(result["runs"]))]
    first = result["methods"].index(MAJORITY)
    return Effect(
        measure=result["measures"][m],
        measures=result["measures"],
        methods=result["methods"],
        systems=sorted(systems, key=lambda system: (system.under[first][1], system.name)),
        alike=alike(result, m),
        **{name: result[name] for name in ("topics", "workers", "resamples", "undefined", "refused")},
    )


def system(result: dict[str, Any], r: int, m: int) -> System:
    mean = result["mean"][r][m]
    return System(
        run=result["runs"][r]["id"],
        name=result["runs"][r]["name"],
        measure=result["measures"][m],
        alone=Estimate(mean, *result["by_topics"][r][m]),
        both=Estimate(mean, *result["by_both"][r][m]),
        widening=result["widening"][r][m],
        judged=result["judged"][r],
        under=[(means[r][m], places[r][m]) for means, places in zip(result["means"], result["place"], strict=True)],
    )


def alike(result: dict[str, Any], m: int) -> list[tuple[str, list[tuple[float | None, int] | None]]]:
    """One row per method of aggregation: its title, and for each method τ between them and the most places that a run loses.

    The diagonal is None.
    """
    tau, drop, size = result["tau"][m], result["drop"][m], range(len(result["methods"]))
    rows = [[None if i == j else (tau[i][j], max(drop[i][j], drop[j][i])) for j in size] for i in size]
    return [(title_of(method), row) for method, row in zip(result["methods"], rows, strict=True)]


def bar(system: System, shown: Estimate) -> Bar:
    return Bar(system.name, shown.mean or 0, shown.low, shown.high, reverse("run", args=[system.run]))


def in_words(effect: Effect) -> list[str]:
    """Say what the labels mean for the systems, one sentence each."""
    return [what_workers_add(effect), *how_orders_differ(effect)]


def what_workers_add(effect: Effect) -> str:
    if effect.undefined:
        reason = {"reason": in_reader_language(effect.undefined)}
        return _("What the workers add to the uncertainty cannot be told: %(reason)s.") % reason
    shares = sorted(system.widening for system in effect.systems if system.widening is not None)
    if not shares:
        return _("Every topic has the same value, so that the intervals have no width.")
    middle = median(shares)
    if middle < NEXT_TO_NOTHING:  # below 0 by the chance of resampling alone
        return _("That others might have judged adds next to nothing to the width of the intervals.")
    shown = {"share": middle, "least": shares[0], "most": shares[-1]}
    width = {name: f"{round(100 * share)}".replace("-", "−") for name, share in shown.items()}
    return (width_added() if len(shares) == 1 else widths_added()) % width


def width_added() -> str:
    return _(
        "Workers add %(share)s %% to the width of the interval: so much less sure are the means if others might have judged."
    )


def widths_added() -> str:
    return _(
        "Workers add %(share)s %% to the width of the interval (%(least)s to %(most)s %%, by system): so much less sure are the "
        "means if others might have judged."
    )


def how_orders_differ(effect: Effect) -> list[str]:
    if len(effect.systems) < 2:
        return []
    first = effect.methods.index(MAJORITY)
    usual = places(effect, first)
    sentences = [how_it_differs(effect, usual, s) for s in range(len(effect.methods)) if places(effect, s) != usual]
    return sentences or [_("Every way to settle puts the systems in the same order.")]


def how_it_differs(effect: Effect, usual: Sequence[int], s: int) -> str:
    title, now = title_of(effect.methods[s]), places(effect, s)
    best = [place for place, was in enumerate(usual) if was <= 2]
    if [usual[place] for place in best] == [1, 2] and [now[place] for place in best] == [2, 1]:
        two = dict(zip(("first", "second"), (effect.systems[place].name for place in best), strict=True))
        text = _("%(method)s: the two best by majority, “%(first)s” and “%(second)s”, change places.")
        return text % {"method": title, **two}
    lost = [after - before for before, after in zip(usual, now, strict=True)]
    worst = lost.index(max(lost))
    if lost[worst] <= 0:
        return _("%(method)s: systems that tie by majority are told apart, or the other way round.") % {"method": title}
    fall = {"method": title, "system": effect.systems[worst].name, "before": usual[worst], "after": now[worst]}
    return _("%(method)s: “%(system)s” falls from place %(before)s by majority to %(after)s.") % fall


def places(effect: Effect, s: int) -> list[int]:
    return [system.under[s][1] for system in effect.systems]


def systems_csv(report: Report) -> str:
    """One row per run and measure: everything on the page."""
    first = effect_of(report) if has_effect(report) else ""
    if isinstance(first, str):
        return table(["run", "measure"], [])
    head = ["run", "measure", "mean", "low_topics", "high_topics", "low_both", "high_both", "widening", "judged@10"]
    head += [f"{what} {method}" for method in first.methods for what in ("mean", "place")]
    effects = [effect for measure in first.measures if isinstance(effect := effect_of(report, measure), Effect)]
    return table(head, [row(system) for effect in effects for system in effect.systems])


def row(system: System) -> list[Any]:
    alone, both = system.alone_shown, system.both_shown
    ends = [alone.mean, alone.low, alone.high, both.low, both.high]
    under = [number for pair in system.under for number in pair]
    return [system.name, system.measure, *ends, system.widening, system.judged, *under]


def within_bounds(estimate: Estimate, measure: str) -> Estimate:
    """The estimate as pages and files show it: its interval is cut off at the measure's lowest and highest value.

    The bootstrap's interval is moved onto the mean, and few topics may move it out of the range. The mean is never moved.
    """
    limits = bounds(measure)
    if limits is None or estimate.mean is None or estimate.low is None or estimate.high is None:
        return estimate
    return Estimate(*cut_off(Interval(estimate.mean, estimate.low, estimate.high), limits))
