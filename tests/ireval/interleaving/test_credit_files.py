"""Files of interleaved systems' credit: every way in which they come, and what is said of those that are wrong."""

import gzip
from importlib.util import find_spec

import polars as pl
import pytest

from ireval import BadFile, to_pandas
from ireval.experiments import BadExperiment
from ireval.interleaving import Credits, compare_interleaved, credit_table, credits_of, read_credits
from tests.ireval.builders import write

LINES = ["user,query,old,new,note", "u1,cats,1,0,1", "u2,big dogs,0,2.5,2", "u1,cats,0,0,3"]


def seen(impressions):
    return (
        impressions.user.to_list(),
        impressions.query.to_list(),
        {name: credit.tolist() for name, credit in impressions.credit.items()},
    )


EXPECTED = (["u1", "u2", "u1"], ["cats", "big dogs", "cats"], {"new": [0, 2.5, 0], "old": [1, 0, 0]})


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_columns_by_their_header(tmp_path, separator):
    path = write(tmp_path / "credit", *(line.replace(",", separator) for line in LINES))
    assert seen(read_credits(path, systems=["new", "old"])) == EXPECTED
    assert read_credits(path).systems == ("old", "new", "note")


def test_parquet_and_compressed(tmp_path):
    (tmp_path / "credit").write_bytes(gzip.compress("\n".join(LINES).encode()))
    frame = pl.read_csv(write(tmp_path / "plain", *LINES))
    frame.with_columns(pl.col("user").cast(pl.Categorical)).write_parquet(tmp_path / "parquet")
    for name in ("credit", "parquet"):
        assert seen(read_credits(tmp_path / name, systems=["new", "old"])) == EXPECTED


def test_users_may_be_numbers():
    frame = pl.DataFrame({"user": [7, 8], "query": ["a", "b"], "x": [1, 0], "y": [0.5, 1]})
    assert seen(credits_of(frame)) == (["7", "8"], ["a", "b"], {"x": [1, 0], "y": [0.5, 1]})


@pytest.mark.parametrize(
    ("lines", "complaints"),
    [
        ([], ["is empty; expected a header: user, query and the systems"]),
        (["user,x,y"], ["line 1: has columns user, x, y; expected user, query and the credit of each system"]),
        (["user,query,x"], ["line 1: expected the credit of two systems or more, found 1"]),
        (["user,query,x,x"], ["line 1: column x is there twice"]),
        (["user,query,x,y"], ["there are no rows"]),
        (["user,query,x,y", "u,q,1", ",q,1,-2", "u,,one,", "u,q,1,nan"], [
            "line 2: expected 4 columns, found 3",
            "line 3: column y is below 0",
            "line 3: has no user",
            "line 4: column x is \"one\"; expected a number",
            "line 4: column y is empty; expected a number",
            "line 4: has no query",
            "line 5: column y is \"nan\"; expected a number",
        ]),
    ],
)  # fmt: skip
def test_mistakes_name_their_lines(tmp_path, lines, complaints):
    with pytest.raises(BadFile) as error:
        read_credits(write(tmp_path / "credit", *lines))
    marks = [", " if complaint.startswith("line") else ": " for complaint in complaints]
    assert str(error.value).splitlines() == [
        f"credit{mark}{complaint}" for mark, complaint in zip(marks, complaints, strict=True)
    ]


FRAME = pl.DataFrame({"user": ["u"], "query": ["q"], "x": [1], "y": [0]})


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        (FRAME.drop("query"), "has columns user, x, y; expected user, query and the credit of each system"),
        (FRAME.with_columns(user=pl.lit(None)), "row 1: column user has an empty cell: fill it in"),
        (FRAME.with_columns(x=pl.lit(-1)), "row 1: column x is -1; expected a number from 0"),
        (FRAME.with_columns(x=pl.lit(None)), "row 1: column x is empty; expected a number"),
        (FRAME.with_columns(x=pl.Series([[1]])), r"column x is of type List\(Int64\); expected text or numbers"),
        (FRAME.head(0), "there are no rows"),
    ],
)
def test_mistakes_in_parquet(tmp_path, frame, complaint):
    frame.write_parquet(tmp_path / "credit")
    with pytest.raises(BadFile, match=f"^credit: {complaint}"):
        read_credits(tmp_path / "credit")


def test_damaged_and_oversized_parquet(tmp_path):
    FRAME.write_parquet(tmp_path / "credit")
    (tmp_path / "cut").write_bytes((tmp_path / "credit").read_bytes()[:40])
    with pytest.raises(BadFile, match="cut: the Parquet file is damaged"):
        read_credits(tmp_path / "cut")
    with pytest.raises(BadFile, match="credit: holds more rows than 4 bytes"):
        read_credits(tmp_path / "credit", max_bytes=4)


def test_a_system_that_is_not_there():
    with pytest.raises(BadExperiment, match="there is no system z; expected some of x, y"):
        credits_of(FRAME, ["x", "z"])


def test_credits_come_from_any_frame():
    assert seen(credits_of(FRAME.lazy())) == seen(credits_of(FRAME))
    if find_spec("pandas") is not None:
        assert seen(credits_of(to_pandas(FRAME))) == seen(credits_of(FRAME))


def test_a_user_and_a_query_are_never_missing():
    users = ["u", None, "w"]
    for names in (users, pl.Series(users)):
        with pytest.raises(BadExperiment, match=r"^row 2: the user is empty; expected an id: fill it in"):
            compare_interleaved(Credits(names, ["a", "b", "a"], {"x": [1, 0, 2], "y": [0, 1, 0]}))
    with pytest.raises(BadExperiment, match=r"^user is 'uvw', of type str; expected one user per impression$"):
        compare_interleaved(Credits("uvw", ["a", "b", "a"], {"x": [1, 0, 2], "y": [0, 1, 0]}))


@pytest.mark.parametrize(
    ("names", "systems", "complaint"),
    [
        ((0, 1), None, "a system is 0, of type int; expected its name: write numbers as text"),
        (("x", "y"), [0, 1], "a system is 0, of type int"),
        (("x", "y"), [["x"], ["y"]], r"a system is \['x'\], of type list"),
        (("x", "y"), ["", "y"], "there is no system ''; expected some of x, y"),
    ],
)
def test_systems_have_names(names, systems, complaint):
    with pytest.raises(BadExperiment, match=f"^{complaint}"):
        compare_interleaved(Credits(["u"], ["q"], {name: [1] for name in names}), systems=systems)


def test_queries_may_be_numbers_and_text():
    table = credit_table(Credits(["u", "v"], [3, "x"], {"old": [1, 0], "new": [0, 1]}))
    assert table["query"].to_list() == ["3", "x"]
