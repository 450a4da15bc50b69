"""Figures of a report's curves, each with a table of the same: precision by recall, gains by rank, and ROC."""

from collections.abc import Sequence
from dataclasses import replace

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ireval.measures.gains import GainModel
from metrics.figures import charts
from metrics.figures.charts import Curve
from metrics.kinds.runs.curves import PRECISION, RunCurves
from metrics.kinds.runs.figures import Figure
from metrics.kinds.runs.words import MOST_NAMED
from metrics.sentences import decimal, in_brackets, listed

# How shares of the ideal are averaged over topics, and what that is at each rank.
AVERAGES = {
    "macro": gettext_lazy("the mean of the topics’ shares of their ideal"),
    "micro": gettext_lazy("mean gain over mean ideal gain"),
}

Table = tuple[Sequence[str], Sequence[tuple[str, Sequence[float | None]]]]


def figures(runs: Sequence[RunCurves], model: GainModel, average: str = "macro") -> list[Figure]:
    """Figures of the runs' curves; `model` is what their gains were discounted by, `average` one of AVERAGES."""
    if not runs:
        return []
    if not curves_named(runs, "nDCG"):
        return [precision(runs)]
    points = curves_named(runs, "ROC")
    return [
        precision(runs),
        gain(runs, "DCG", _("Discounted cumulated gain"), caption_of_dcg(model)),
        gain(runs, "CG", _("Cumulated gain"), caption_of_cg(model)),
        *share(runs, "nDCG", _("Normalised discounted cumulated gain"), average),
        *share(runs, "nCG", _("Normalised cumulated gain"), average),
        *([roc(points)] if has_non_relevant(points) else []),
    ]


def curves_named(runs: Sequence[RunCurves], curve: str) -> list[Curve]:
    """The runs' curves of this name; each leads to its run."""
    return [
        Curve(run.name, run.points[curve][1], run.points[curve][0], reverse("run", args=[run.run]))
        for run in runs
        if curve in run.points
    ]


def precision(runs: Sequence[RunCurves]) -> Figure:
    """Precision by recall, with intervals: as bands where few runs are shown, in the table always."""
    drawn = [replace(curve, ends=run.ends) for run in runs for curve in curves_named([run], PRECISION)]
    caption = _("Precision interpolated at 11 recall levels, mean over topics; of one or two runs with 95 % intervals.")
    title, drawing = _("Precision and recall"), charts.precision_recall(drawn)
    return figure("precision", title, caption, drawing, label=_("Recall"), curves=drawn)


def gain(runs: Sequence[RunCurves], curve: str, title: str, caption: str) -> Figure:
    reached, ideals = curves_named(runs, curve), distinct_ideals(curves_named(runs, f"ideal {curve}"))
    drawn = charts.by_rank(curve, reached, ideals)
    return figure(curve.lower(), title, caption, drawn, label=_("Rank"), curves=[*reached, *ideals])


def share(runs: Sequence[RunCurves], curve: str, title: str, average: str) -> list[Figure]:
    """The figure of a normalised curve, with the areas under it; none for reports that have not kept it."""
    shares = curves_named(runs, curve if average == "macro" else f"{curve} {average}")
    if not shares:
        return []
    areas = [sum(run.values) / len(run.values) for run in shares]
    known = {run.name: run.areas.get(curve, (None, None)) for run in runs} if average == "macro" else {}
    ends = {name: in_brackets(*area, 4, nulls=()) for name, area in known.items()}
    each = [f"{run.name} {decimal(area, 4)} {ends.get(run.name, '')}".strip() for run, area in zip(shares, areas, strict=True)]
    words = {"curve": curve, "average": AVERAGES[average], "areas": " · ".join(each)}
    caption = _("%(curve)s at each rank: %(average)s. Area under the curve: %(areas)s") % words
    if any(ends.values()):
        caption = _("%(curve)s at each rank: %(average)s. Area under the curve (95 %% interval): %(areas)s") % words
    drawn = charts.by_rank(curve, shares, shares=True)
    by_rank = figure(curve.lower(), title, caption, drawn, label=_("Rank"), curves=shares)
    return [replace(by_rank, rows=[*by_rank.rows, (_("Area"), areas)])]


def in_words_of(model: GainModel) -> str:
    """The gains and the discount of cumulated gain, for a caption.

    >>> in_words_of(GainModel()), in_words_of(GainModel("jk"))
    ('Grades over log₂(rank + 1)', 'Grades over log₂ rank from rank 2 on')
    """
    gains = _("2 to the grade minus 1") if model.dcg == "exp-log2" and not model.gains else of_grades(model)
    if model.dcg != "jk":
        return _("%(gains)s over log₂(rank + 1)") % {"gains": gains}
    base = str(model.base).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
    return _("%(gains)s over log%(base)s rank from rank %(from)s on") % {"gains": gains, "base": base, "from": model.base}


def of_grades(model: GainModel) -> str:
    return _("Gains of the question") if model.gains else _("Grades")


def caption_of_dcg(model: GainModel) -> str:
    text = _("%(gains)s, summed up to each rank, mean over topics; dashed the ideal order of all judged documents.")
    return text % {"gains": in_words_of(model)}


def caption_of_cg(model: GainModel) -> str:
    text = _("%(gains)s summed up to each rank, mean over topics; dashed the ideal order of all judged documents.")
    return text % {"gains": of_grades(model)}


def distinct_ideals(ideals: Sequence[Curve]) -> list[Curve]:
    """One curve for each different ideal: runs averaged over the same topics share it."""
    alike: dict[tuple[float, ...], list[str]] = {}
    for ideal in ideals:
        alike.setdefault(tuple(round(value, 9) for value in ideal.values), []).append(ideal.name)
    names = [_("Ideal")] if len(alike) == 1 else [ideal_for(runs) for runs in alike.values()]
    return [Curve(name, values, ideals[0].places) for name, values in zip(names, alike, strict=True)]


def ideal_for(runs: Sequence[str]) -> str:
    return _("Ideal for %(runs)s") % {"runs": listed(runs, MOST_NAMED)}


def figure(key: str, title: str, caption: str, drawn: dict, *, label: str, curves: Sequence[Curve]) -> Figure:
    """A figure of curves over the same places; its table has their names at the head, each leading where its curve does."""
    leads = {curve.name: curve.address for curve in curves if curve.address}
    return Figure(key, title, caption, drawn, *by_place(label, curves), head_addresses=leads)


def by_place(label: str, curves: Sequence[Curve]) -> Table:
    """The table's heads and rows: one row per rank or recall level, one column per curve and two for its intervals."""
    places = curves[0].places if curves else []
    heads = [label, *(head for curve in curves for head in (curve.name, *([_("low"), _("high")] if curve.ends else [])))]
    rows = [(f"{place:g}", [number for curve in curves for number in numbers(curve, row)]) for row, place in enumerate(places)]
    return heads, rows


def numbers(curve: Curve, place: int) -> list[float | None]:
    return [curve.values[place], *(curve.ends[place] if curve.ends else [])]


def has_non_relevant(curves: Sequence[Curve]) -> bool:
    return any(0 < place < 1 for curve in curves for place in curve.places)


def roc(curves: Sequence[Curve]) -> Figure:
    caption = _(
        "How much of the documents judged relevant, and of those judged not relevant, each run has found by the same rank; "
        "mean over topics. Unjudged documents are passed over; the line after a ranking’s end is drawn as if the rest came last."
    )
    points = [(curve, point) for curve in curves for point in zip(curve.places, curve.values, strict=True)]
    heads, rows = [_("Run"), _("Non-relevant found"), _("Relevant found")], [(curve.name, point) for curve, point in points]
    return Figure("roc", "ROC", caption, charts.roc(curves), heads, rows, [curve.address for curve, _ in points])
