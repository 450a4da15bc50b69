"""The figure of an answer: each value and interval stands where its numbers say."""

import math
import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from metrics.figures.intervals import EDGE, GLANCE, MOST, MOST_AT_A_GLANCE, WIDTH, Intervals, Mark, Scale, around, glance, track

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=20), NUMBERS)
def test_all_that_is_shown_lies_inside_and_in_order(rows, even):
    marks = [Mark(str(place), value, min(ends), max(ends), "") for place, (value, *ends) in enumerate(rows)]
    figure = around("Difference", marks, even=even)
    assert [mark.label for mark in figure.marks] == [str(place) for place in range(min(len(rows), MOST))]
    shown = sorted({number for mark in figure.marks for number in mark[1:4]} | {even})
    places = [figure.scale.place(number) for number in shown]
    assert places == sorted(places)
    assert places[0] >= EDGE and places[-1] <= WIDTH - EDGE


def test_a_mark_its_interval_and_no_difference_stand_where_their_numbers_are():
    svg = track(0.5, 0.25, 0.75, "a: half", Scale(0.0, 1.0, (0.1,)))
    left, right = place_of(0.25), place_of(0.75)
    assert f'class="reach" x1="{left}" x2="{right}"' in svg
    assert f'<circle cx="{place_of(0.5)}"' in svg
    assert f'class="even" x1="{place_of(0.1)}"' in svg


def place_of(share):
    return round(EDGE + (WIDTH - 2 * EDGE) * share, 1)


def test_without_an_interval_only_the_mark_is_drawn():
    svg = track(0.5, math.nan, math.nan, "a", Scale(0.0, 1.0))
    assert len(set(re.search(r'class="reach" x1="(.*?)" x2="(.*?)"', svg).groups())) == 1


def test_endless_intervals_end_where_the_figure_does():
    figure = around("Share", [Mark("a", 0.5, -math.inf, math.inf, "")], even=0.4)
    svg = track(*figure.marks[0][1:4], "a", figure.scale)
    assert f'x1="{float(EDGE)}" x2="{float(WIDTH - EDGE)}"' in svg


def test_names_are_escaped():
    assert "<b>" not in track(0.5, 0.4, 0.6, "<b>", Scale(0.0, 1.0))


def test_at_a_glance_marks_stand_in_their_places_one_below_the_other_and_words_are_in_its_title():
    marks = [Mark("a", 0.5, 0.25, 0.75, "half"), Mark("<b>", 1.0, math.nan, math.nan, "all")]
    svg = ElementTree.fromstring(glance(Intervals("Share", marks, Scale(0.0, 1.0, (0.5,)))))
    assert svg.findtext("title") == "Share. a: half; <b>: all"
    first, second = svg.iter("circle")
    assert [float(first.get("cx")), float(second.get("cx"))] == [GLANCE / 2, GLANCE - EDGE]
    assert 0 < float(first.get("cy")) < float(second.get("cy")) < float(svg.get("height"))
    assert [line.get("x1") for line in svg.iter("line") if line.get("class") == "even"] == [str(GLANCE / 2)]
    reach = [line for line in svg.iter("line") if line.get("class") == "reach"]
    assert [float(line.get("x2")) - float(line.get("x1")) for line in reach] == [(GLANCE - 2 * EDGE) / 2, 0]


def test_at_a_glance_one_without_a_value_leaves_a_gap():
    marks = [Mark("a", math.nan, math.nan, math.nan, "–"), Mark("b", 0.5, 0.5, 0.5, "half")]
    both, second = (glance(Intervals("Share", shown, Scale(0.0, 1.0))) for shown in (marks, marks[1:]))
    assert both.count("<circle") == second.count("<circle") == 1
    places = [float(re.search(r'cy="(.*?)"', svg)[1]) for svg in (both, second)]
    assert places[0] > places[1]
    assert "a: –; b: half" in both


def test_at_a_glance_are_no_more_than_a_few():
    figure = around("Share", [Mark(str(place), place, place, place, "") for place in range(MOST)])
    assert glance(figure).count("<circle") == MOST_AT_A_GLANCE
    assert f"{MOST_AT_A_GLANCE - 1}: ; …</title>" in glance(figure)


def test_without_a_value_there_is_no_figure():
    assert around("Share", [Mark("a", math.nan, math.nan, math.nan, "")]) is None
    assert around("Share", []) is None


def test_an_end_beside_a_line_is_not_named():
    near, far = Scale(-0.01, 0.2, (0.0,), width=440), Scale(-0.2, 0.2, (0.0,), width=440)
    assert [near.named(value) for value, _ in near.ticks()] == ["0.2", "0"]
    assert [far.named(value) for value, _ in far.ticks()] == ["−0.2", "0.2", "0"]
