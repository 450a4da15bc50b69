"""Files of labels: every way in which they come, and what is said of those that are wrong."""

import gzip
import lzma

import numpy as np
import polars as pl
import pytest
from hypothesis import given

from ireval import BadInput, aggregate, agreement_of, cohen_kappa, worker_table
from ireval.io.files import BadFile, IgnoredInput
from ireval.io.zst import zstd
from ireval.labels import BadLabels, gold_of, labels_of, read_gold, read_labels
from tests.ireval.builders import write
from tests.ireval.label_builders import any_labels, frame_of, labels_from

KEEP = ": keep one of them, or say repeats first or last"
ROWS = [("d1", "ann", "0"), ("d1", "bob", "2"), ("d2", "ann", "10")]


def read(path):
    return frame_of(read_labels(path)).rows()


@pytest.mark.parametrize("separator", [",", ";", "\t", " ", "   "])
@pytest.mark.parametrize("header", [True, False])
def test_three_columns_with_and_without_header(tmp_path, separator, header):
    lines = [separator.join(row) for row in ([("item", "worker", "label")] if header else []) + ROWS]
    assert read(write(tmp_path / "labels", *lines)) == ROWS


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, zstd.compress])
def test_compressed_files_are_read_as_they_are(tmp_path, compress):
    path = tmp_path / "labels"
    path.write_bytes(compress("".join(",".join(row) + "\n" for row in ROWS).encode()))
    assert read(path) == ROWS


def test_parquet_with_numbers(tmp_path):
    frame = pl.DataFrame({"task": [1, 1, 2], "worker": ["ann", "bob", "ann"], "label": [0.0, 2.0, 10.0], "more": [1, 2, 3]})
    frame.write_parquet(tmp_path / "labels.parquet")
    assert read(tmp_path / "labels.parquet") == [("1", "ann", "0"), ("1", "bob", "2"), ("2", "ann", "10")]


def test_windows_lines_a_byte_order_mark_blank_lines_and_quotes(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_bytes(b'\xef\xbb\xbfworker,label,item\r\n"ann",0, d1 \r\n\r\nbob,2,"d1"\r\n"ann",10,d2')
    assert read(path) == ROWS


def test_comments_between_columns_of_text(tmp_path):
    lines = ["# item worker label", "  d1   ann 0", "# late:", "d1 bob 2", "", "d2 ann\t10 "]
    assert read(write(tmp_path / "labels", *lines)) == ROWS


def test_other_columns_do_not_matter(tmp_path):
    path = write(tmp_path / "labels.csv", "id,annotator,question,seconds,answer", "1,ann,d1,4,0", "2,bob,d1,,2", "3,ann,d2,5,10")
    assert read(path) == ROWS


def test_judgements_as_they_are_exported(tmp_path):
    """An item is a topic's document, and a worker who could not judge gave no label."""
    lines = ["topic,docno,worker,grade,cannot_judge", "7,d1,w1,2,", "7,d1,w2,,broken", "8,d1,w1,0,"]
    assert read(write(tmp_path / "judgements.csv", *lines)) == [("7 d1", "w1", "2"), ("8 d1", "w1", "0")]
    pl.read_csv(tmp_path / "judgements.csv").write_parquet(tmp_path / "judgements.parquet")
    assert read(tmp_path / "judgements.parquet") == [("7 d1", "w1", "2"), ("8 d1", "w1", "0")]


def test_documents_keep_their_topics(tmp_path):
    lines = ["topic,docno,worker,grade", "7,d1,w1,2", "8,d1,w1,0", "7,d2,w2,1", "7,d1,w2,1"]
    path = write(tmp_path / "judgements.csv", *lines)
    pl.read_csv(path).write_parquet(tmp_path / "judgements.parquet")
    for labels in (read_labels(path), read_labels(tmp_path / "judgements.parquet")):
        assert (labels.items, labels.topic.tolist()) == (("7 d1", "8 d1", "7 d2"), [0, 1, 0])
        assert labels.covering(["9"]).topic is labels.topic
    assert read_gold(write(tmp_path / "gold.csv", "topic,docno,grade", "7,d1,2")).rows() == [("7 d1", "2")]
    assert read_labels(write(tmp_path / "labels.csv", *(",".join(row) for row in ROWS))).topic is None


def test_an_item_is_of_one_topic():
    frame = pl.DataFrame({"item": ["d1", "d2", "d1"], "worker": ["ann", "ann", "bob"], "label": [0, 1, 1], "topic": [1, 2, 2]})
    with pytest.raises(BadLabels, match="row 3: column topic has 2 for item d1, which is of topic 1 above"):
        labels_of(frame)
    with pytest.raises(BadLabels, match="column topic has an empty cell"):
        labels_of(frame.with_columns(topic=pl.lit(None, pl.Int64)))


@pytest.mark.parametrize(
    ("lines", "problems"),
    [
        (["d1,ann,0", "d1,bob"], ["line 2: expected 3 columns, found 2"]),
        (["d1,ann,0", "d1,bob,1,x"], ["line 2: expected 3 columns, found 4"]),
        (["d1 ann 0", "d1 bob 1 x", "d2"], ["line 2: expected 3 columns, found 4", "line 3: expected 3 columns, found 1"]),
        (["d1,a,0", "", "d2,a,0", "d1,a,1"], ["line 4: worker a labels item d1 again; the first time is on line 1" + KEEP]),
        (["d1,ann,0", "d1,,1", "d1,bob,"], ["line 2: has no worker", "line 3: has no label"]),
        (["item,worker,label", "d1,ann,0", ",ann,0"], ["line 3: has no item"]),
        (
            ["topic,docno,worker,grade", "7,d1,w1,2", "8,d1,w1,2", "7,d1,w1,0"],
            ["line 4: worker w1 labels item 7 d1 again; the first time is on line 2" + KEEP],
        ),
        (
            ["item,worker,colour", "d1,ann,0"],
            ["line 1: has columns item, worker, colour; expected also label (or relevance, rel, label, …)"],
        ),
        (["d1,ann"], ["line 1: expected 3 columns (item worker label), or a header that names them; found 2"]),
        (["item,worker,label"], ["holds no labels"]),
        ([], ["is empty; expected 3 columns (item worker label), or a header that names them"]),
        (['item,worker,label', 'd1,"ann,0'], ["line 2: is not CSV (unexpected end of data)"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(tmp_path, lines, problems):
    with pytest.raises(BadFile) as raised:
        read_labels(write(tmp_path / "labels.csv", *lines))
    messages = [str(problem).removeprefix("labels.csv") for problem in raised.value.problems]
    assert [text.lstrip(",: ") for text in messages] == problems


def test_binary_and_latin_1_files_are_no_labels(tmp_path):
    path = tmp_path / "labels"
    path.write_bytes(b"d1 ann 0\nd\0 ann 1\n")
    with pytest.raises(BadFile, match="binary"):
        read_labels(path)
    path.write_bytes(b"d1,ann,0\nd2,J\xf6rg,1\n")
    with pytest.raises(BadFile, match="line 2: byte 0xf6 in column 5 is not UTF-8"):
        read_labels(path)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"item": ["a", "a"], "worker": ["x", "x"], "label": [0, 1]}, "has a row with the same item and worker as another"),
        ({"item": ["a", None], "worker": ["x", "y"], "label": [0, 1]}, "column item is empty in 1 of 2 rows"),
        ({"item": ["a"], "worker": ["x"], "label": [[0]]}, "column label is of type List"),
        ({"item": ["a"], "worker": ["x"]}, "expected also label"),
        ({"item": [], "worker": [], "label": []}, "holds no labels"),
    ],
)
def test_parquet_files_that_are_wrong(tmp_path, frame, message):
    pl.DataFrame(frame).write_parquet(tmp_path / "labels.parquet")
    with pytest.raises(BadFile, match=message):
        read_labels(tmp_path / "labels.parquet")


def test_real_files_with_repeated_labels_are_refused(shared_data):
    with pytest.raises(BadFile, match=r"line 16868: worker worker_947 labels .* the first time is on line 1725"):
        read_labels(shared_data / "crowd_trec11_vuurens" / "otherparticipantsvotes.gz")


def test_the_first_or_the_last_of_repeated_labels_counts(tmp_path):
    rows = [("d1", "ann", "0"), ("d2", "ann", "1"), ("d1", "ann", "2"), ("d1", "bob", "0"), ("d1", "ann", "1")]
    text = write(tmp_path / "labels.csv", "item,worker,label", *map(",".join, rows))
    parquet = tmp_path / "labels.parquet"
    pl.DataFrame(rows, schema=["item", "worker", "label"], orient="row").write_parquet(parquet)
    kept = {"first": [rows[0], rows[1], rows[3]], "last": [rows[1], rows[3], rows[4]]}
    for path in (text, parquet):
        for repeats, expected in kept.items():
            with pytest.warns(IgnoredInput, match=f"{path.name}: 2 rows left out that repeat item and worker; the {repeats} of"):
                assert frame_of(read_labels(path, repeats=repeats)).rows() == expected


def test_many_repeats_are_one_problem(tmp_path):
    path = write(tmp_path / "labels.csv", "item,worker,label", *["d,ann,1"] * 300)
    with pytest.raises(BadFile) as raised:
        read_labels(path)
    first = "labels.csv, line 3: worker ann labels item d again; the first time is on line 2 (and so do 298 more rows)"
    assert list(map(str, raised.value.problems)) == [first + KEEP]


def test_real_repeats_are_as_many_as_their_source_says(shared_data):
    path = shared_data / "crowd_trec_rf10" / "trec-rf10-data.txt.gz"
    with pytest.raises(BadFile, match=r"\(and so do 1,569 more rows\)"):
        read_labels(path)
    with pytest.warns(IgnoredInput, match="1,570 rows left out"):
        labels = read_labels(path, repeats="first")
    assert (len(labels), len(labels.items), len(labels.workers)) == (98_453 - 1_570, 20_232, 766)


def test_ratings_of_films_are_labels(tmp_path):
    lines = ["userId,movieId,rating,timestamp", "1,31,2.5,1260759144", "2,31,4,835355493"]
    assert read(write(tmp_path / "ratings.csv", *lines)) == [("31", "1", "2.5"), ("31", "2", "4")]


@given(any_labels())
def test_what_was_labelled_comes_back(labels):
    again = labels_of(frame_of(labels), values=labels.values)
    assert (again.item == labels.item).all() and (again.worker == labels.worker).all() and (again.label == labels.label).all()


def test_numbers_are_ordered_by_size_and_words_only_by_whoever_says_so(tmp_path):
    assert labels_from("10 9 -1").values == ("-1", "9", "10")
    words = frame_of(labels_from("low high"))
    assert (labels_of(words).values, labels_of(words).ordered) == (("high", "low"), False)
    assert labels_of(words, values=["low", "mid", "high"]).label.tolist() == [0, 2]
    with pytest.raises(BadLabels, match="the label high is none of low, mid"):
        labels_of(words, values=["low", "mid"])


def test_one_value_has_one_name():
    with pytest.raises(BadLabels, match="the label 1 is written in more than one way"):
        labels_from("1 01")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "there are no labels"),
        (
            [("a", "x", "1"), ("a", "x", "0")],
            "row 2: columns item and worker have worker x label item a again; row 1 has it",
        ),
        ([("a", None, "1")], "column worker has an empty cell"),
    ],
)
def test_frames_that_are_no_labels(rows, message):
    schema = {"item": pl.String, "worker": pl.String, "label": pl.String}
    with pytest.raises(BadLabels, match=message):
        labels_of(pl.DataFrame(rows, schema=schema, orient="row"))


def test_gold_is_found_by_item(tmp_path):
    labels = labels_from("0 1 2", "0 1 1")
    gold = read_gold(write(tmp_path / "gold.csv", "item,label", "i02,2", "elsewhere,0", "i00,0"))
    assert gold_of(gold, labels).tolist() == [0, -1, 2]
    with pytest.raises(BadFile, match=r"line 3: item i1 has a gold label again; the first time is on line 2: keep one of them$"):
        read_gold(write(tmp_path / "gold.csv", "item,label", "i1,2", "i1,1"))


def test_gold_may_stretch_the_scale_of_numbers_only():
    labels = labels_from("0 1")
    wider = labels.covering(["3", "0"])
    assert (wider.values, frame_of(wider).rows()) == (("0", "1", "3"), frame_of(labels).rows())
    in_order = labels_of(frame_of(labels_from("low high")), values=["low", "high"])
    with pytest.raises(BadLabels, match="mid is none of the labels low, high"):
        in_order.covering(["mid"])


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([0, None, 1], "^a value of the scale is None, of type NoneType; expected text or a number: leave it out$"),
        ([0, float("nan")], "^a value of the scale is nan"),
        ("012", "^the values are '012', of type str; expected the scale, a list from the lowest to the highest$"),
        (5, "^the values are 5, of type int; expected the scale"),
    ],
)
def test_a_scale_holds_values(values, reason):
    with pytest.raises(BadLabels, match=reason):
        labels_of(frame_of(labels_from("0 1")), values=values)


def test_labels_and_gold_come_as_dictionaries():
    labels = labels_of({1: {"ann": 0, "bob": 0.5}, 2: {"ann": True}})
    assert (labels.items, labels.workers, labels.values) == (("1", "2"), ("ann", "bob"), ("0", "0.5", "1"))
    assert labels_of({"d1": {"ann": "yes"}, "d2": {"ann": "no"}}).values == ("no", "yes")
    assert gold_of({2: 0.5, 3: 0}, labels).tolist() == [-1, 1]
    for labelled, message in (
        ({"d1": {"ann": None}}, r"^row 1, \['d1'\]\['ann'\]: column label has an empty cell: fill it in"),
        ({"d1": {"ann": [1]}}, r"^row 1, \['d1'\]\['ann'\]: column label is \[1\], of type list; expected text or numbers: conv"),
        ({"d1": 1}, r"^labels: row 1, \['d1'\]: is 1, of type int; expected {worker: label}$"),
    ):
        with pytest.raises(BadInput, match=message):
            labels_of(labelled)
    with pytest.raises(BadLabels, match=r"^row 2, \[2\]: column label has an empty cell: fill it in"):
        gold_of({1: 0.5, 2: None}, labels)


def test_verbs_take_a_frame_and_gold_as_a_frame():
    labels, gold = labels_from("0 1 1", "0 1 0"), pl.DataFrame({"item": ["i00", "i02"], "label": ["0", "1"]})
    frame = frame_of(labels)
    assert aggregate(frame, "majority").frame().equals(aggregate(labels, "majority").frame())
    assert agreement_of(frame) == agreement_of(labels_of(frame))
    assert cohen_kappa(frame) == cohen_kappa(labels_of(frame))
    by_frame, by_codes = (worker_table(labels_of(frame), golds) for golds in (gold, gold_of(gold, labels_of(frame))))
    assert by_frame.equals(by_codes)


@pytest.mark.parametrize("gold", [np.array([0, 1]), np.array([0, 1, 7]), np.array([0.5, 1, 1]), [0, None, 1], 5])
def test_gold_is_a_code_for_each_item(gold):
    labels = labels_from("0 1 1", "0 1 0")
    for function in (worker_table, lambda labels, gold: aggregate(labels, "majority", gold)):
        with pytest.raises(BadLabels, match=r"^gold is .*; expected "):
            function(labels, gold)


def test_a_frame_may_have_the_usual_names_of_columns(tmp_path):
    frame = pl.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"], "assessor": ["ann", "ann"], "relevance": [0, 2]})
    frame.write_csv(tmp_path / "labels.csv")
    for source in (frame, tmp_path / "labels.csv"):
        labels = labels_of(source)
        assert (labels.items, labels.workers, labels.values) == (("1 a", "1 b"), ("ann",), ("0", "2"))
        assert labels.topic is not None and labels.topic.tolist() == [0, 0]
    with pytest.raises(BadLabels, match=r"^row 2: the label 2 is none of 0, 1$"):
        labels_of(frame, values=[0, 1])


def test_a_frame_of_gold_names_an_item_as_its_file_does(tmp_path):
    frame = pl.DataFrame({"topic": ["1", "2"], "docno": ["a", "b"], "worker": ["x", "y"], "grade": [0, 1]})
    labels, gold = labels_of(frame), frame.drop("worker")
    gold.write_csv(tmp_path / "gold.csv")
    gold.write_parquet(tmp_path / "gold.parquet")
    for source in (gold, tmp_path / "gold.csv", tmp_path / "gold.parquet"):
        assert gold_of(source, labels).tolist() == [0, 1]
    assert gold_of(gold.drop("topic"), labels_of(frame.drop("topic"))).tolist() == [0, 1]


def test_a_frame_names_its_items_as_a_parquet_file_does(tmp_path):
    frame = pl.DataFrame({"topic": [1.0, 2.0], "docno": [7.0, 8.0], "worker": ["x", "y"], "grade": [0, 1]})
    frame.write_parquet(tmp_path / "labels.parquet")
    for source in (frame, tmp_path / "labels.parquet"):
        assert labels_of(source).items == ("1 7", "2 8")


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (
            pl.Series("docno", ["a", 2], dtype=pl.Object),
            "^row 2: column docno is 2, of type int; expected text alone, or numbers ",
        ),
        (pl.Series("docno", [["a"], ["b"]]), "^row 1: column docno is .*; expected text or numbers: convert the column$"),
        (pl.Series("docno", ["a", ""]), "^row 2: column docno has an empty cell: fill it in, or leave the row out$"),
        (pl.Series("topic", ["1", None]), "^row 2: column topic has an empty cell: fill it in, or leave the row out$"),
        (pl.Series("topic", [1.0, float("nan")]), "^row 2: column topic is nan: fill it in, or leave the row out$"),
    ],
)
def test_what_is_wrong_in_a_frame_is_named_by_its_own_column(column, message):
    frame = pl.DataFrame({"topic": ["1", "2"], "docno": ["a", "b"], "worker": ["x", "y"], "grade": [0, 1]})
    with pytest.raises(BadLabels, match=message):
        labels_of(frame.with_columns(column))
    with pytest.raises(BadLabels, match=message):
        gold_of(frame.with_columns(column).drop("worker"), labels_of(frame))


def test_whole_numbers_have_no_point_beside_others(tmp_path):
    rows = {"item": ["d1", "d1", "d2"], "worker": ["a", "b", "a"], "label": [2, 2.5, 0]}
    frame = pl.DataFrame({**rows, "label": pl.Series([2, 2.5, 0], dtype=pl.Float64)})
    frame.write_parquet(tmp_path / "labels.parquet")
    text = write(tmp_path / "labels.csv", "item,worker,label", "d1,a,2", "d1,b,2.5", "d2,a,0")
    for source in (frame, {"d1": {"a": 2, "b": 2.5}, "d2": {"a": 0}}, tmp_path / "labels.parquet", text):
        for values in (None, [0, 2, 2.5], [0.0, 2.0, 2.5], np.array([0, 2, 2.5]), [0, 2.0, "2.5"]):
            labels = labels_of(source, values=values)
            assert labels.values == ("0", "2", "2.5")
            assert gold_of({"d1": 2}, labels).tolist() == [1, -1]


def test_numbers_of_more_than_64_bits():
    frame = pl.DataFrame({"item": ["d1", "d1"], "worker": ["a", "b"], "label": [2.0**70, 1.0]})
    assert labels_of(frame).numbers.tolist() == [1, 2**70]
    message = r"^row 2, \['d1'\]\['b'\]: column label is 1.*, of type int; expected text alone, or numbers of up to 64 bits: conv"
    for other in (1, 1.5):
        with pytest.raises(BadLabels, match=message):
            labels_of({"d1": {"a": other, "b": 2**130}})
    assert labels_of({1: {"a": 0}, 2**130: {"a": 1}}).items == ("1", str(2**130))


def test_a_label_off_the_scale_is_named_by_its_file(tmp_path):
    """Rows without a label are left out before, so that a row's number would be wrong."""
    frame = pl.DataFrame({"item": ["d1", "d2"], "worker": ["a", "a"], "label": [None, 2]})
    frame.write_csv(tmp_path / "labels.csv")
    frame.write_parquet(tmp_path / "labels.parquet")
    for path in (tmp_path / "labels.csv", tmp_path / "labels.parquet"):
        with pytest.raises(BadLabels, match=rf"^{path.name}: the label 2 is none of 0, 1$"):
            labels_of(path, values=[0, 1])
    gold = write(tmp_path / "gold.csv", "item,label", "d1,", "d2,2")
    with pytest.raises(BadLabels, match=r"^gold.csv: the label 2 is none of 0, 1$"):
        gold_of(gold, labels_from("0 1"))


def test_dictionaries_hold_scalars_of_numpy_and_keys_of_two_types():
    labels = labels_of({1: {"ann": np.int64(0), 7: np.float32(0.5)}, "2": {"ann": np.bool_(True)}})
    assert (labels.items, labels.workers, labels.values) == (("1", "2"), ("ann", "7"), ("0", "0.5", "1"))
    assert gold_of({"2": 1, 1: 0}, labels).tolist() == [0, 2]
    assert gold_of(dict(zip(np.array(["1", "2"]), np.array([0, 1]), strict=True)), labels).tolist() == [0, 2]
    assert labels_of({"d": {"a": np.str_("yes")}}).values == ("yes",)
    for function, message in (
        (lambda: labels_of({"d1": {"a": 1, "b": 2}}, values=[0, 1]), r"^row 2, \['d1'\]\['b'\]: the label 2 is none of 0, 1$"),
        (lambda: labels_of({1: {"a": 0}, "1": {"a": 0}}), r"^row 2, \['1'\]\['a'\]: columns item and worker .*; row 1 has it"),
        (lambda: gold_of({1: 0, "2": 5}, labels), r"^row 2, \['2'\]: the label 5 is none of 0, 0.5, 1$"),
        (lambda: gold_of({1: 0, "1": 1}, labels), r"^row 2, \['1'\]: column item: item 1 has two gold labels"),
    ):
        with pytest.raises(BadLabels, match=message):
            function()
