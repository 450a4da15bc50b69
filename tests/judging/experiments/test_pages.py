"""The pages: who sees what, rows of arms without a script, the planner, starting and stopping."""

import pytest

from judging.experiments import drafts, lifecycle
from judging.logs import keys
from judging.logs.intake import receive
from judging.models import Experiment, Site
from tests.judging.logs.sent import query

pytestmark = pytest.mark.django_db
WRITTEN = {
    "name": "new-ranking",
    "hypothesis": "Fresh is better.",
    "arm": ["control", "new"],
    "weight": ["1", "3"],
    "ranker": ["", ""],
    "control": "0",
    "unit": "client",
    "traffic": "40",
    "group": "rankings",
    "decides": "ctr",
    "others": ["clicks", "ctr"],
    "events": "conversion: purchase\n\n value : add to cart ",
    "looks": "always_valid",
    "planned": "9000",
    "alpha": "0.05",
    "before_days": "7",
    "segments": "device, country",
}
INTERLEAVING = {name: value for name, value in WRITTEN.items() if name not in {"decides", "others", "events", "before_days"}} | {
    "method": "team_draft",
    "depth": "10",
}


@pytest.fixture
def rita(client, researcher):
    client.force_login(researcher)
    return client


@pytest.fixture
def new(site):
    return f"/sites/{site.pk}/experiments/new/"


def text_of(response):
    return " ".join(response.content.decode().split())


def test_a_draft_is_kept_as_it_was_written(rita, new, site):
    response = rita.post(new, WRITTEN)
    made = Experiment.objects.get()
    assert response["Location"] == f"/experiments/{made.pk}/"
    assert (made.site, made.kind, made.state, made.traffic, made.group.name) == (site, "ab", "draft", 40, "rankings")
    assert made.metrics == ["ctr", "clicks", "conversion:purchase", "value:add to cart"]
    assert (made.segments, made.looks, made.planned, made.before_days) == (["device", "country"], "always_valid", 9000, 7)
    arms = made.arms.values_list("name", "weight", "is_control")
    assert list(arms) == [("control", 1, True), ("new", 3, False)]


def test_editing_shows_it_and_changes_it(rita, new):
    rita.post(new, WRITTEN)
    address = f"/experiments/{Experiment.objects.get().pk}/edit/"
    page = text_of(rita.get(address))
    assert 'value="rankings"' in page
    assert "conversion: purchase value: add to cart</textarea>" in page
    rita.post(address, WRITTEN | {"decides": "event", "group": "", "arm": ["old", "new"], "traffic": "50"})
    changed = Experiment.objects.get()
    assert changed.metrics[0] == "conversion:purchase"
    assert (changed.group, changed.traffic, [arm.name for arm in changed.arms.all()]) == (None, 50, ["old", "new"])


FOLDED = '<details class="group">'


@pytest.mark.parametrize("kind", ["ab", "interleaving"])
def test_what_few_change_is_folded_away_while_it_is_as_usual(rita, new, kind):
    address = f"{new}?kind={kind}"
    assert FOLDED in text_of(rita.get(address))
    usual = WRITTEN | INTERLEAVING | {"group": "", "events": "", "before_days": "14", "segments": "", "do": "add"}
    assert FOLDED in text_of(rita.post(address, usual))
    of_kind = {"ab": [{"events": "x"}, {"before_days": "0"}], "interleaving": [{"method": "probabilistic"}, {"depth": "20"}]}
    for change in ({"group": "rankings"}, {"alpha": "0.01"}, {"segments": "device"}, *of_kind[kind]):
        assert FOLDED not in text_of(rita.post(address, usual | change)), change
    assert FOLDED not in text_of(rita.post(address, usual | {"alpha": "2", "do": "plan"})), "where the planner found the mistake"


def test_editing_unfolds_what_is_not_as_usual(rita, new):
    rita.post(new, WRITTEN)
    assert FOLDED not in text_of(rita.get(f"/experiments/{Experiment.objects.get().pk}/edit/"))


def test_before_any_search_has_come_starting_says_that_nothing_would_be_counted(rita, new):
    rita.post(new, WRITTEN)
    experiment = Experiment.objects.get()
    start = f"/experiments/{experiment.pk}/start/"
    assert "This site</a> has sent no search yet: nothing would be counted." in text_of(rita.get(start))
    receive(experiment.site, [query()])
    assert "has sent no search yet" not in text_of(rita.get(start))


def test_metrics_and_arms_are_named_in_the_readers_language(rita, new):
    rita.post(new, WRITTEN)
    german = {"Accept-Language": "de"}
    page = text_of(rita.get(f"/experiments/{Experiment.objects.get().pk}/start/", headers=german))
    assert "bekommen 40 % der Nutzer, von denen niemand in einem anderen Experiment von „rankings“ ist, " in page
    assert "control (25 %) oder new (75 %)." in page
    assert "ctr@3: Der Anteil der Suchen mit einem Klick auf eines der ersten 3 Ergebnisse." in text_of(
        rita.get(new, headers=german)
    )


def test_an_interleaving(rita, new):
    assert rita.post(new + "?kind=interleaving", INTERLEAVING | {"method": "probabilistic", "weight": []}).status_code == 302
    made = Experiment.objects.get()
    assert (made.kind, made.method, made.depth) == ("interleaving", "probabilistic", 10)
    assert [arm.weight for arm in made.arms.all()] == [1, 1]


def test_rows_come_and_go_without_a_script_and_nothing_written_is_lost(rita, new):
    more = rita.post(new, WRITTEN | {"do": "add", "name": "half way"})
    page = text_of(more)
    assert more.status_code == 200
    assert page.count('name="arm"') == 3
    assert "Fresh is better." in page and 'value="half way"' in page and 'value="device, country"' in page
    assert "please put this right" not in page
    fewer = text_of(rita.post(new, WRITTEN | {"do": "remove-0", "control": "1"}))
    assert fewer.count('name="arm"') == 1
    assert 'value="new"' in fewer and 'name="control" value="0" checked' in fewer
    assert not Experiment.objects.exists()


def test_empty_rows_are_no_arms(rita, new):
    rita.post(new, WRITTEN | {"arm": ["control", "", "new"], "weight": ["", "", "2"], "ranker": ["", "", ""]})
    assert list(Experiment.objects.get().arms.values_list("name", "weight")) == [("control", 1), ("new", 2)]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"arm": ["new", "NEW"]}, "Two arms are called new"),
        ({"arm": ["a b", "c"]}, "Row 1: a name has letters"),
        ({"weight": ["1", "much"]}, "Row 2: the weight is a number"),
        ({"weight": ["1", "-1"]}, "weighs -1"),
        ({"name": "two words"}, "Letters without accents, digits, - and _ only."),
        ({"traffic": "101"}, "less than or equal to 100"),
        ({"events": "sales: purchase"}, "there is no metric sales:purchase"),
        ({"decides": "event", "events": " "}, "Write the event that decides"),
        ({"segments": "x" * 61}, "60 characters at most"),
        ({"control": "²"}, ""),
    ],
)
def test_what_is_wrong_is_said_and_what_was_written_stays(rita, new, wrong, says):
    response = rita.post(new, WRITTEN | wrong)
    if not says:
        assert response.status_code == 302
        return
    page = text_of(response)
    assert (response.status_code, says in page) == (422, True)
    assert "Fresh is better." in page
    assert not Experiment.objects.exists()


def test_a_name_that_is_taken_is_said(rita, new):
    rita.post(new, WRITTEN)
    response = rita.post(new, WRITTEN)
    assert (response.status_code, "already has an experiment" in text_of(response)) == (422, True)


def test_the_planner_fills_in_how_many(rita, new):
    page = text_of(
        rita.post(new, WRITTEN | {"do": "plan", "lift": "10", "ctr": "30", "users_a_day": "1000", "weight": ["1", "1"]})
    )
    assert "you need <b>7,525 users</b>; at 1,000 users per day, 40 % of them in it, that takes 19 days" in page
    assert 'name="planned" value="7525"' in page
    assert "Fresh is better." in page
    lists = {"lift": "5", "ctr": "50", "do": "plan"}
    page = text_of(rita.post(new + "?kind=interleaving", INTERLEAVING | lists))
    assert "To find a Δ of 5 points where 50 % of searches get a click you need 1,566 searches" in page


@pytest.mark.parametrize(
    "fields", [{"lift": ""}, {"lift": "5", "ctr": ""}, {"lift": "500", "ctr": "50"}, {"lift": "x", "ctr": "9"}]
)
def test_what_cannot_be_planned_is_said(rita, new, fields):
    assert "No plan" in text_of(rita.post(new, WRITTEN | {"do": "plan"} | fields))


def test_a_plan_says_what_is_wrong_with_what_it_needs(rita, new):
    page = text_of(rita.post(new, WRITTEN | {"do": "plan", "lift": "5", "ctr": "30", "arm": ["new", "new"], "traffic": "0"}))
    assert "Ensure this value is greater than or equal to 1. Arms: Two arms are called new." in page


def test_starting_and_stopping(rita, draft):
    address = f"/experiments/{draft().pk}/"
    assert "are given control (50 %) or new (50 %)" in text_of(rita.get(address + "start/"))
    assert "It is running" in text_of(rita.post(address + "start/", follow=True))
    assert "for good" in text_of(rita.get(address + "stop/"))
    assert "Stopped" in text_of(rita.post(address + "stop/", follow=True))
    assert "It was not running" in text_of(rita.post(address + "stop/", follow=True))
    assert "started already" in text_of(rita.post(address + "start/", follow=True))


def test_what_is_unfinished_says_what_is_missing(rita, draft):
    address = f"/experiments/{draft(arms=('control',)).pk}/"
    assert "It cannot start yet" in text_of(rita.get(address))
    assert "two arms or more" in text_of(rita.get(address + "start/"))
    assert "two arms or more" in text_of(rita.post(address + "start/", follow=True))


def test_what_has_started_is_neither_edited_nor_deleted_but_copied(rita, draft, researcher):
    made = draft()
    lifecycle.start(made, by=researcher)
    for page in ("edit", "delete"):
        assert "Copy it as a new draft" in text_of(rita.post(f"/experiments/{made.pk}/{page}/", WRITTEN, follow=True))
    response = rita.post(f"/experiments/{made.pk}/copy/")
    copy = Experiment.objects.get(name="new-ranking-2")
    assert response["Location"] == f"/experiments/{copy.pk}/edit/"
    rita.post(f"/experiments/{copy.pk}/delete/")
    assert list(Experiment.objects.all()) == [made]


def test_the_page_shows_what_came_and_how_to_send(rita, draft, site, researcher):
    key = keys.key_text(keys.make(site, by=researcher))
    made = draft(group="rankings", traffic=30)
    lifecycle.start(made, by=researcher)
    arms = [{"experiments": {"new-ranking": arm}} for arm in ("control", "new", "new")]
    receive(site, [query(n, client_id=f"c{n}", query_attributes=arm) for n, arm in enumerate(arms)])
    page = text_of(rita.get(f"/experiments/{made.pk}/"))
    assert '<th scope="row">new</th><td class="num">2</td><td class="num">2</td>' in page
    assert key in page and made.salt in page and "range(0, 30)" in page
    assert f'href="/experiments/{made.pk}/report/"' in page


def test_readers_see_no_keys_no_buttons_and_no_few(client, draft, site, researcher, stranger):
    key = keys.key_text(keys.make(site, by=researcher))
    made = draft()
    lifecycle.start(made, by=researcher)
    receive(site, [query(n, client_id=f"c{n}", query_attributes={"experiment": "new-ranking", "arm": "new"}) for n in range(9)])
    site.readers.add(stranger)
    client.force_login(stranger)
    page = text_of(client.get(f"/experiments/{made.pk}/"))
    assert "of fewer than ten" in page and "searches received while it ran" not in page
    assert key not in page and "Stop…" not in page
    for address in ("edit/", "start/", "stop/", "delete/"):
        assert client.get(f"/experiments/{made.pk}/{address}").status_code == 404
    assert client.get(f"/sites/{site.pk}/experiments/").status_code == 200
    assert client.get(f"/sites/{site.pk}/experiments/new/").status_code == 404
    receive(site, [query(9, client_id="c9", query_attributes={"experiment": "new-ranking", "arm": "new"})])
    assert '<td class="num">10</td>' in text_of(client.get(f"/experiments/{made.pk}/"))


def test_lists_and_their_empty_states(rita, client, site, draft, stranger):
    assert "New experiment on Bird shop" in text_of(rita.get("/experiments/"))
    assert "No experiment yet" in text_of(rita.get(f"/sites/{site.pk}/experiments/"))
    draft()
    for address in ("/experiments/", f"/sites/{site.pk}/experiments/"):
        assert "new-ranking" in text_of(rita.get(address))
    client.force_login(stranger)
    page = text_of(client.get("/experiments/"))
    assert "First, a site" in page and "new-ranking" not in page


def test_on_a_search_page_of_ours_arms_say_how_they_rank(rita, new, site, collection, runs):
    Site.objects.filter(pk=site.pk).update(collection=collection, has_page=True)
    page = text_of(rita.get(new))
    assert "Ranked by" in page and "bm25-words" in page
    rita.post(new, WRITTEN | {"ranker": ["bm25-words", f"run:{runs[0].pk}"]})
    arms = Experiment.objects.get().arms.all()
    assert [(arm.ranker, arm.run) for arm in arms] == [("bm25-words", None), ("", runs[0])]
    page = text_of(rita.get(f"/experiments/{Experiment.objects.get().pk}/edit/"))
    assert f'<option value="run:{runs[0].pk}" selected>' in page


def test_a_draft_that_another_tab_started_is_not_saved_over(rita, draft, researcher, monkeypatch):
    made = draft()
    usual = drafts.change

    def change(*what, **how):
        lifecycle.start(Experiment.objects.get(pk=made.pk), by=researcher)
        return usual(*what, **how)

    monkeypatch.setattr(drafts, "change", change)
    response = rita.post(f"/experiments/{made.pk}/edit/", WRITTEN)
    assert (response.status_code, "has started" in text_of(response)) == (422, True)
    assert Experiment.objects.get().traffic == 100
