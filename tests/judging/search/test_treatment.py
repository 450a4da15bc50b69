"""Experiments on the search page: arms choose the ranker or are merged, and the log says what each visitor got."""

import itertools

import pytest

from judging.experiments import drafts, lifecycle
from judging.models import Arm, Query
from judging.search.rankers import RANKERS
from judging.search.ranking import search
from judging.search.visits import CLIENT, SESSION

pytestmark = pytest.mark.django_db(transaction=True)

ADDRESS = "/search/birds/"


@pytest.fixture
def start(site, researcher):
    def begin(name, arms, **settings):
        made = drafts.create(
            site,
            by=researcher,
            name=name,
            arms=[Arm(name=arm, is_control=number == 0, **what) for number, (arm, what) in enumerate(arms.items())],
            **settings,
        )
        lifecycle.start(made, by=researcher)
        return made

    return begin


WORDS, TITLE = {"ranker": "bm25-words"}, {"ranker": "bm25-title"}


def visit(client, visitor, query):
    client.cookies.clear()
    client.cookies[CLIENT], client.cookies[SESSION] = visitor, "s1"
    response = client.get(ADDRESS, {"q": query})
    return [result["docno"] for result in response.context["results"]]


def test_each_visitor_gets_their_arms_ranker_every_time(client, site, start, collection):
    start("titles", {"now": WORDS, "new": TITLE})
    for visitor in map(str, range(12)):
        first = visit(client, visitor, "owl voles")
        (arm,) = Query.objects.latest("received").arms.values()
        assert first == search(collection, RANKERS["bm25-words" if arm == "now" else "bm25-title"], "owl voles")
        assert visit(client, visitor, "owl voles") == first
    assert {arm for query in Query.objects.all() for arm in query.arms.values()} == {"now", "new"}
    assert Query.objects.count() == 12


def test_lists_are_merged_and_the_log_says_whose_each_result_is(client, site, start, collection):
    start("merged", {"now": WORDS, "new": TITLE}, kind="interleaving", depth=3)
    shown = visit(client, "c1", "barn owl voles")
    query = Query.objects.get()
    attributes = query.raw["query_attributes"]
    assert query.arms == {"merged": "interleaved"}
    assert query.hits == shown
    merged = attributes["interleaving"]
    assert (merged["arms"], merged["method"]) == (["now", "new"], "team_draft")
    assert len(merged["shares"]) == len(merged["places"]) == min(3, len(shown))
    lists = [search(collection, RANKERS[name], "barn owl voles") for name in ("bm25-words", "bm25-title")]
    assert merged["places"] == [
        [ranking.index(docno) + 1 if docno in ranking else None for ranking in lists] for docno in shown[: len(merged["places"])]
    ]
    assert visit(client, "c1", "barn owl voles") == shown
    assert Query.objects.count() == 1


def test_below_the_merged_list_comes_the_rest_of_the_controls(client, site, start, collection):
    start("merged", {"now": WORDS, "new": TITLE}, kind="interleaving", depth=1)
    shown = visit(client, "c1", "owls swallows")
    assert sorted(shown) == sorted(search(collection, RANKERS["bm25-words"], "owls swallows"))
    assert len(Query.objects.get().raw["query_attributes"]["interleaving"]["shares"]) == 1


def test_the_newest_that_says_how_to_search_decides_and_others_are_named(client, site, start):
    start("colour", {"blue": {}, "red": {}})
    start("older", {"a": WORDS, "b": TITLE})
    start("newer", {"a": TITLE, "b": TITLE})
    visit(client, "c1", "owls")
    assert set(Query.objects.get().arms) == {"colour", "newer"}


def test_who_is_not_in_the_newest_is_in_the_next(client, site, start):
    start("all", {"a": WORDS, "b": TITLE})
    start("few", {"a": WORDS, "b": TITLE}, traffic=1)
    for visitor in range(20):
        visit(client, f"c{visitor}", "owls")
    names = list(itertools.chain.from_iterable(query.arms for query in Query.objects.all()))
    assert len(names) == 20
    assert names.count("all") >= 17


def test_a_group_has_nobody_in_two(client, site, start):
    start("one", {"a": WORDS, "b": TITLE}, group="ranking", traffic=50)
    start("two", {"a": WORDS, "b": TITLE}, group="ranking", traffic=50, kind="interleaving")
    for visitor in range(20):
        visit(client, f"c{visitor}", "owls")
    arms = [query.arms for query in Query.objects.all()]
    assert {len(names) for names in arms} == {1}
    assert {name for names in arms for name in names} == {"one", "two"}


def test_runs_are_compared_by_the_queries_that_all_of_them_know(client, site, start, runs):
    start("runs", {"alpha": {"run": runs[0]}, "words": WORDS})
    known = [visit(client, f"c{visitor}", "DIET of owls") for visitor in range(12)]
    unknown = visit(client, "c1", "owls")
    by_query = {query.text: query.arms for query in Query.objects.all()}
    assert {tuple(docnos) for docnos in known} == {("d1", "d2", "d4"), ("d1", "d2")}
    assert set(by_query["DIET of owls"]) == {"runs"}
    assert by_query["owls"] == {}
    assert unknown == ["d1"]


def test_who_wants_no_log_is_in_no_experiment(client, site, start):
    start("merged", {"now": WORDS, "new": TITLE}, kind="interleaving")
    response = client.get(ADDRESS, {"q": "owls"}, headers={"sec-gpc": "1"})
    assert [result["docno"] for result in response.context["results"]] == ["d1"]
    assert not Query.objects.exists()


def test_a_new_arm_makes_a_new_search(client, site, start, researcher):
    visit(client, "c1", "owls")
    begun = start("titles", {"now": WORDS, "new": TITLE})
    visit(client, "c1", "owls")
    lifecycle.stop(begun, by=researcher)
    visit(client, "c1", "owls")
    assert [bool(query.arms) for query in Query.objects.order_by("received")] == [False, True]
