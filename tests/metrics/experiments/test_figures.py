"""What is drawn of an experiment: nothing that JSON or a colour-blind reader could not take."""

import json

import pytest

from metrics.figures.times import Moment, daily, over_time
from metrics.kinds.ab import figures
from metrics.kinds.ab.results import ABResults

MOMENTS = [
    Moment("2026-11-01", 0.5, (-9.0, 10.0), (-99.0, 100.0)),
    Moment("2026-11-02", 0.3, (float("nan"), float("nan")), (float("nan"), float("nan"))),
    Moment("2026-11-03", 0.2, (0.1, 0.3), (-0.1, 0.5)),
    Moment("2026-11-04", 0.2, (0.15, 0.25), (0.0, 0.4)),
]


def test_what_is_unknown_is_a_gap():
    drawn = over_time("Δ", MOMENTS, always=False)
    assert json.loads(json.dumps(drawn, allow_nan=False))
    assert [trace["y"][1] for trace in drawn["data"] if len(trace["y"]) == 4] == [None, None, None, None, 0.3]


def test_early_ends_that_lie_far_out_are_cut_off_and_zero_is_in_view():
    low, high = over_time("Δ", MOMENTS, always=False)["layout"]["yaxis"]["range"]
    assert -0.2 < low < -0.1 < 0.5 < high < 0.6
    low, _ = over_time("Δ", [Moment("2026-11-01", 5.0, (4.0, 6.0), (3.0, 7.0))] * 3, always=False)["layout"]["yaxis"]["range"]
    assert low < 0


def test_the_method_that_was_chosen_is_solid():
    dashes = [
        {trace["name"]: trace["line"].get("dash") for trace in over_time("Δ", MOMENTS, always=always)["data"]}
        for always in (False, True)
    ]
    assert [(style["Interval for one look"], style["Interval for any time"]) for style in dashes] == [
        ("solid", "dot"),
        ("dot", "solid"),
    ]


def test_arms_are_told_apart_without_colours():
    drawn = daily(["2026-11-01", "2026-11-02"], {"control": [3, None], "new": [2, 1]}, "New users")
    looks = [(trace["line"]["dash"], trace["marker"]["symbol"]) for trace in drawn["data"]]
    assert len(set(looks)) == 2
    assert drawn["data"][0]["y"] == [3, None]


@pytest.mark.django_db
def test_each_look_has_its_row(report, researcher):
    results = ABResults(report, researcher, {})
    (figure,) = figures.looks(results)
    assert [n for _, n, _ in figure["rows"]] == [int(look.n.sum()) for look in results.whole.looks.values()]
    _, n, values = figure["rows"][-1]
    assert n == 120
    assert values[0] == pytest.approx(100 * results.deciding[0].effect.difference)


@pytest.mark.django_db
def test_a_look_leads_to_its_row(client, report, researcher):
    (figure,) = figures.looks(ABResults(report, researcher, {}))
    rows = [f"#{figure['key']}-{place}" for place in range(len(figure["rows"]))]
    for trace in figure["drawn"]["data"][1:]:
        assert trace["meta"]["addresses"] == rows
    client.force_login(researcher)
    page = client.get(f"/experiments/{report.experiment_id}/report/").content.decode()
    assert all(f'<tr id="{row[1:]}">' in page for row in rows)


@pytest.mark.django_db
def test_a_day_leads_its_owner_to_its_searches_and_a_reader_nowhere(client, report, researcher, reader):
    mine, theirs = (figures.users(ABResults(report, user, {}))["data"][0] for user in (researcher, reader))
    assert mine["meta"]["addresses"] == [f"/sites/{report.subject.site_id}/records/?kind=queries&day={day}" for day in mine["x"]]
    assert not any(theirs["meta"]["addresses"])
    for user, link in ((researcher, mine["meta"]["addresses"][0]), (reader, "")):
        client.force_login(user)
        page = client.get(f"/experiments/{report.experiment_id}/report/").content.decode().replace("&amp;", "&")
        assert (link in page) if link else "/records/" not in page


def test_the_two_ends_of_an_interval_say_which_they_are():
    texts = {trace["text"][0] for trace in over_time("Δ", MOMENTS, always=False)["data"] if "text" in trace}
    assert texts == {", lower end", ", upper end"}
