"""No end of an interval is printed as the value of no difference unless it is that; numbers below nought have a minus."""

import math
import re
from pathlib import Path

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from ireval.significance import Estimate, decide
from metrics.kinds.ab.lines import Inference
from metrics.kinds.ab.words import as_lift, bare_change, interval
from metrics.kinds.clicks.figures import in_numbers
from metrics.kinds.clicks.words import with_interval
from metrics.kinds.interleaving.words import interval_of, shares_of
from metrics.kinds.preferences.words import interval_and_p
from metrics.kinds.quality.results import Coefficient
from metrics.sentences import signed
from metrics.templatetags import decimals

LITTLE = st.floats(1e-7, 0.4)


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"[-+]?\d+\.?\d*", text.replace("−", "-"))]


@given(LITTLE)
def test_a_little_is_not_nothing(end):
    for print_of in (signed, decimals.signed, as_lift, lambda value: bare_change(value, "share")):
        assert numbers(print_of(end))[0] > 0
        assert numbers(print_of(-end))[0] < 0
    for text in (decimals.between({"low": end, "high": 0.5}), decimals.between({"low": end, "high": 0.9}, 0.5)):
        assert numbers(text)[0] > 0


@given(LITTLE)
def test_a_preference_is_never_told_with_a_half_in_its_interval(above):
    half = 0.5 + above
    low, high = numbers(decimals.between({"low": half, "high": 0.95}, 0.5))
    assert 0.5 < low < high
    decision = decide([Estimate(half + 0.01, 0.001, 50)], against=0.5)[0]._replace(low=half)
    assert numbers(interval_and_p(decision))[1] > 50
    assert numbers(shares_of(decision._replace(low=above, high=0.45))[0])[0] > 50
    assert numbers(interval_of(decision._replace(low=above, high=0.45)))[1] > 0


def test_what_is_certain_enough_has_the_usual_digits():
    shown = Inference(0.0123, 0.0456, 0.01, math.nan, math.nan)
    assert interval(shown, "share") == "+1.23 to +4.56 points"
    assert interval(shown._replace(low=0.000012), "share") == "+0.001 to +4.56 points"
    assert interval(shown._replace(low=0.0), "share") == "+0.00 to +4.56 points"
    assert interval_and_p(decide([Estimate(0.6, 0.02, 50)], against=0.5)[0]) == "95 % interval 56 to 64 %, p < 0.0001"
    assert signed(0.0) == "0.0000"


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        ((0.42, 0.37, 0.47), "42 % (95 % interval 37 to 47 %)"),
        ((0.0003, 0.0001, 0.0006), "0.03 % (95 % interval 0.01 to 0.06 %)"),
        ((0.9997, 0.9994, 0.9999), "99.97 % (95 % interval 99.94 to 99.99 %)"),
        ((0.0, 0.0, 0.03), "0 % (95 % interval 0 to 3 %)"),
        ((0.42, None, None), "42 %"),
    ],
)
def test_rare_clicks_are_not_none(rate, words):
    assert with_interval(dict(zip(("value", "low", "high"), rate, strict=True))) == words
    if rate[1] is not None:
        assert numbers(in_numbers(*rate)) == [number for number in numbers(words) if number != 95]


def test_agreement_below_chance_has_a_minus_and_no_hyphen():
    below = Coefficient("kappa", "Cohen’s kappa", -0.1, -0.3, -0.05, items=9, labels=18, undefined="", left_out=0)
    assert decimals.decimal(below.value) == "−0.100"
    assert decimals.between(below) == "[−0.300, −0.050]"


def test_numbers_of_reports_are_formatted_by_one_library_of_filters():
    """Django's own filter writes hyphens for minus signs, and rounds halves away from zero, as no file does."""
    templates = list((Path(settings.BASE_DIR) / "templates" / "metrics").rglob("*.html"))
    assert templates
    assert [path.name for path in templates if "floatformat" in path.read_text()] == []
