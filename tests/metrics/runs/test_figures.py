"""Figures as data: every line told apart by more than colour, nothing in them that the page's scheme decides."""

import json
import math
import re

import pytest
from django.template.loader import render_to_string

from metrics.figures.bars import Bar, bars, histogram
from metrics.figures.charts import (
    DASHES,
    ELEVEN_POINTS,
    MOST_MARKERS,
    MOST_TOLD_APART,
    SYMBOLS,
    Curve,
    by_rank,
    precision_recall,
    roc,
)
from metrics.kinds.runs.figures import Figure
from metrics.kinds.runs.tables import number


def test_no_two_lines_share_dash_or_marker():
    figure = precision_recall([Curve(f"run {number}", [0.5] * 11) for number in range(MOST_TOLD_APART)])
    assert len({trace["line"]["dash"] for trace in figure["data"]}) == MOST_TOLD_APART == len(set(DASHES))
    assert len({trace["marker"]["symbol"] for trace in figure["data"]}) == MOST_TOLD_APART == len(set(SYMBOLS))


def test_the_others_lie_behind_and_out_of_the_legend():
    figure = precision_recall([Curve("first", [1.0] * 11)], [Curve("other", [0.1] * 11)])
    other, first = figure["data"]
    assert (first["name"], first["x"], first["y"]) == ("first", list(ELEVEN_POINTS), [1.0] * 11)
    assert (other["name"], other["showlegend"], other["meta"]["tone"]) == ("other", False, None)


def test_a_hundred_ranks_have_a_dozen_markers_and_an_ideal_without_any():
    ranks = range(1, 101)
    ideal, line = by_rank("CG", [Curve("a", [0.5] * 100, ranks)], [Curve("Ideal", [1.0] * 100, ranks)])["data"]
    assert line["marker"]["maxdisplayed"] == MOST_MARKERS
    assert (ideal["mode"], ideal["line"]["dash"], ideal["meta"]["tone"]) == ("lines", "dash", "baseline")


def test_a_histogram_points_up_for_the_first_and_down_for_the_second():
    up, down = histogram("a", "b", {"1": "1 owls", "2": "2", "3": "3"}, [0.5, 0.0, -0.25])["data"]
    assert (up["name"], up["y"]) == ("a better", [0.5, None, None])
    assert (down["name"], down["y"]) == ("b better", [None, None, -0.25])


def test_whiskers_reach_to_the_ends_of_the_interval():
    (trace,) = bars([Bar("a", 0.5, 0.25, 1.0), Bar("one topic", 0.25, None, None)])["data"]
    assert trace["x"] == [0.5, 0.25]
    assert (trace["error_x"]["array"], trace["error_x"]["arrayminus"]) == ([0.5, 0], [0.25, 0])
    assert trace["customdata"] == [["a", " (0.2500 to 1.0000)"], ["one topic", ""]]


def test_bars_of_runs_whose_short_names_agree_stay_apart():
    names = ["a-very-long-name-1-of-a-system", "a-very-long-name-2-of-a-system"]
    figure = bars([Bar(name, 0.5, 0.4, 0.6) for name in names])
    assert figure["layout"]["yaxis"]["ticktext"] == ["a-very-lon…-a-system"] * 2
    assert figure["data"][0]["y"] == [0, 1]
    assert [name for name, _ in figure["data"][0]["customdata"]] == names


@pytest.mark.parametrize(
    "figure",
    [
        precision_recall([Curve("a", [0.0] * 11)]),
        by_rank("DCG", [Curve("a", [0.5], [1])], [Curve("Ideal", [1.0], [1])]),
        roc([Curve("a", [0, 1], [0, 1])]),
        histogram("a", "b", {"1": "1"}, [0.5]),
        bars([Bar("a", 0.1, 0.0, 0.2)]),
        bars([]),
    ],
)
def test_a_figure_is_plain_json_without_colours(figure):
    assert "color" not in json.dumps(figure)


@pytest.mark.parametrize(
    ("limits", "high", "axis"),
    [
        ((0, 1), 1.0, [0, 1]),
        ((0, 1), 0.5, [0, 0.525]),
        ((0, 1), 0.0, [0, 1]),
        (None, 9.0, None),
        ((-math.inf, math.inf), 9.0, None),
        ((0, math.inf), 0.0, None),
        ((0, math.inf), 2.0, [0, 2.1]),
    ],
)
def test_the_axis_ends_where_the_measure_does(limits, high, axis):
    layout = bars([Bar("a", high / 2, 0.0, high)], limits)["layout"]
    assert layout["xaxis"].get("range") == (axis and pytest.approx(axis))


def test_a_figures_table_rounds_as_the_means_do():
    figure = Figure("values", "Values", "By topic", bars([]), ["Topic", "a", "b"], [("1", (0.53125, None))])
    shown = render_to_string("metrics/_figure.html", {"figure": figure})
    assert re.findall(r'<td class="num">(.*?)</td>', shown) == [number(0.53125), "–"] == ["0.5312", "–"]
