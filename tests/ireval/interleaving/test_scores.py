"""Credit of many impressions at once: what crediting them one by one gives."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval.interleaving import METHODS, BadInterleaving, Interleaved, credit, interleave, scored
from tests.ireval.interleaving.rankings import rankings

CLICKS = {"impression": pl.Int64, "document": pl.String}
LISTS = st.lists(st.sampled_from("abcdefghi"), unique=True, max_size=7)


def shown_of(impressions: dict[int, Interleaved], systems: int, *, mixed: bool = False) -> pl.DataFrame:
    """As a site would have kept them; in which order rows stand means nothing."""
    rows = [
        (number, rank, document, impression.method, *shares, *depths)
        for number, impression in impressions.items()
        for rank, (document, shares, depths) in enumerate(
            zip(impression.ranking, impression.shares.tolist(), impression.depths, strict=True)
        )
    ]
    numbers = [(f"share_{system}", pl.Float64) for system in range(systems)] + [
        (f"depth_{system}", pl.Int64) for system in range(systems)
    ]
    schema = [("impression", pl.Int64), ("rank", pl.Int64), ("document", pl.String), ("method", pl.String), *numbers]
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame.sample(fraction=1, shuffle=True, seed=1) if mixed else frame


def clicks_of(clicks: dict[int, list[str]]) -> pl.DataFrame:
    return pl.DataFrame(
        [(number, document) for number, all_of in clicks.items() for document in all_of], schema=CLICKS, orient="row"
    )


@st.composite
def impressions(draw):
    """Any methods of any lists, some of them empty or unequally long, with clicks on what was shown and what was not, some
    twice."""
    systems = draw(st.integers(2, 4))
    methods = list(METHODS) if systems == 2 else ["team_draft", "probabilistic"]
    shown, clicks = {}, {}
    for number in draw(st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=5, unique=True)):
        lists = draw(st.lists(LISTS, min_size=systems, max_size=systems))
        shown[number] = interleave(draw(st.sampled_from(methods)), lists, draw(st.integers(1, 8)), draw(st.integers(0, 99)))
        clicks[number] = draw(st.lists(st.sampled_from("abcdefghiz"), max_size=8))
    return systems, shown, clicks


@given(impressions())
def test_every_impression_gets_what_it_would_get_alone(case):
    systems, shown, clicks = case
    table = scored(shown_of(shown, systems, mixed=True), clicks_of(clicks))
    rows = {row[0]: row[1:] for row in table.rows()}
    assert list(rows) == sorted(number for number, impression in shown.items() if len(impression))
    for number, (count, *credits) in rows.items():
        assert credits == pytest.approx(credit(shown[number], clicks[number]).tolist(), abs=1e-12)
        assert count == len({*clicks[number]} & {*shown[number].ranking})


def test_what_filled_the_page_up_is_nobodys_though_it_is_high_in_a_list():
    """The second system begins, and ends at once: what follows is the first's best and nobody's."""
    shown = {seed: interleave("balanced", rankings("ab c"), 3, seed) for seed in range(9)}
    rest = {number: impression for number, impression in shown.items() if impression.ranking == ("c", "a", "b")}
    assert rest, "some seed lets the second begin"
    table = scored(shown_of(rest, 2), clicks_of({number: ["a", "c"] for number in rest}))
    assert set(table.select("credit_0", "credit_1").rows()) == {(0, 1)}
    assert [credit(impression, ["a", "c"]).tolist() for impression in rest.values()] == [[0, 1]] * len(rest)


@pytest.mark.parametrize("method", METHODS)
def test_documents_may_be_numbers_and_methods_categories(method):
    shown = {3: interleave(method, rankings("abc bda"), 3, 5)}
    expected = credit(shown[3], ["b"]).tolist()
    code = pl.col("document").replace_strict(dict(zip("abcd", range(4), strict=True)), return_dtype=pl.Int64)
    frame = shown_of(shown, 2).with_columns(code, pl.col("method").cast(pl.Categorical))
    table = scored(frame, clicks_of({3: ["b"]}).with_columns(code))
    assert table.rows() == [(3, 1, *map(pytest.approx, expected))]


def test_nobody_clicked_and_nothing_was_shown():
    frame = shown_of({1: interleave("balanced", rankings("ab ba"), 2, 0)}, 2)
    assert scored(frame, clicks_of({})).rows() == [(1, 0, 0.0, 0.0)]
    assert scored(frame.head(0), clicks_of({1: ["a"]})).is_empty()


def test_places_in_the_lists():
    shown = interleave("balanced", rankings("abc bda"), 4, 0)
    assert dict(zip(shown.ranking, shown.depths, strict=True)) == {"a": (1, 3), "b": (2, 1), "c": (3, None), "d": (None, 2)}


SHOWN = shown_of({1: interleave("team_draft", rankings("ab ba"), 2, 0)}, 2)


@pytest.mark.parametrize(
    ("shown", "clicks", "why"),
    [
        (SHOWN.drop("rank"), clicks_of({}), "no column rank; expected impression, rank, document, method"),
        (SHOWN, clicks_of({}).drop("document"), "no column document; expected impression, document"),
        (SHOWN, clicks_of({}).with_columns(document=pl.lit(1)), "document is String where shown and Int32 where clicked"),
        (SHOWN.drop("share_1"), clicks_of({}), "found columns of 1 systems; expected share_0, share_1"),
        (SHOWN.with_columns(method=pl.lit("best")), clicks_of({}), "no method best; expected one of team_draft"),
        (SHOWN.with_columns(method=pl.lit("balanced")).drop("depth_1"), clicks_of({}), "needs depth_0 and depth_1"),
        (SHOWN.with_columns(method=pl.lit("balanced"), share_2=0.0), clicks_of({}), "of two systems .* found 3"),
        (pl.concat([SHOWN, SHOWN]), clicks_of({}), "a document is twice in an impression"),
    ],
)
def test_what_does_not_fit_is_refused(shown, clicks, why):
    with pytest.raises(BadInterleaving, match=why):
        scored(shown, clicks)
