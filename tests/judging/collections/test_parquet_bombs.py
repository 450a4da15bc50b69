"""Small Parquet files that hold more than there is room for: refused, with the reason, by a process that may end."""

import gzip
import resource

import polars as pl
import pytest

from ireval.io import sandbox
from ireval.io.files import BadFile, TooMuch
from ireval.io.runs import read_run
from ireval.io.sandbox import read_apart
from judging.collections import upload_check
from judging.collections.imports import import_qrels, import_run
from judging.collections.uploads import receive_whole
from judging.models import Upload

pytestmark = pytest.mark.one_database

MIB = 2**20


def run_of(rows):
    return pl.select(topic=pl.lit("1"), docno=pl.int_range(rows), score=-pl.int_range(rows).cast(pl.Float64))


@pytest.fixture
def sparse(tmp_path):
    """Five million rows in some kilobytes: one value again and again is written once."""
    path = tmp_path / "bomb.parquet"
    run_of(5_000_000).with_columns(docno=pl.lit("d1"), score=1.0, grade=1).write_parquet(path)
    assert path.stat().st_size < MIB
    return path


@pytest.fixture
def swollen(tmp_path):
    """One text of a megabyte in a dictionary, which 50,000 rows name: 50 GB in half a megabyte."""
    path = tmp_path / "swollen.parquet"
    texts = pl.Series(["x" * 1_000_000]).cast(pl.Categorical).gather([0] * 50_000)
    frame = pl.select(topic=pl.int_range(50_000, dtype=pl.Int32), score=pl.lit(1.0)).with_columns(texts.alias("docno"))
    frame.write_parquet(path, compression="zstd", row_group_size=50_000)
    assert path.stat().st_size < MIB
    return path


@pytest.mark.parametrize("verb", [import_run, import_qrels])
def test_more_rows_than_fit_are_refused_by_the_footer(settings, collection, researcher, sparse, verb):
    settings.RUN_MAX_BYTES = 64 * MIB
    with pytest.raises(BadFile, match="holds 5,000,000 rows; at most 335,544 are accepted, as a row takes 200 bytes"):
        verb(collection, sparse, by=researcher)


def test_texts_that_unpack_to_more_than_the_memory_end_the_process_and_not_ours(settings, collection, researcher, swollen):
    settings.RUN_MAX_BYTES = 64 * MIB
    with pytest.raises(BadFile, match="unpacks to more memory than there is"):
        import_run(collection, swollen, by=researcher)
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 2 * 2**20, "KiB of the process that ended"


@pytest.mark.django_db(transaction=True)
def test_an_upload_says_why_it_failed(settings, collection, researcher, swollen):
    settings.RUN_MAX_BYTES = 64 * MIB
    from django.core.files.base import ContentFile

    file = ContentFile(swollen.read_bytes(), name="swollen.parquet")
    upload = receive_whole(file, collection=collection, kind=Upload.Kind.RUN, by=researcher)
    upload_check.check(str(upload.pk))
    upload.refresh_from_db()
    assert (upload.state, upload.attempts) == (Upload.State.FAILED, 1)
    assert "unpacks to more memory" in upload.problems[0]["message"]
    assert upload.problems[0]["file"] == "swollen.parquet"


def test_what_takes_too_long_is_ended(monkeypatch, tmp_path):
    run_of(10).write_parquet(tmp_path / "run.parquet")
    monkeypatch.setattr(sandbox, "SECONDS", 0.05)
    with pytest.raises(TooMuch, match="took more than"):
        read_apart(read_run, tmp_path / "run.parquet", name="run.parquet", max_bytes=64 * MIB)


def test_what_unpacks_to_more_than_a_file_may_have_is_refused(tmp_path):
    frame = run_of(6000).with_columns(docno=pl.concat_str(pl.lit("d" * 190), pl.col("docno").cast(pl.String)))
    frame.write_parquet(tmp_path / "run.parquet")
    with pytest.raises(TooMuch, match="bytes; 1,200,000 are accepted"):
        read_apart(read_run, tmp_path / "run.parquet", name="run.parquet", max_bytes=1_200_000)


def test_a_good_file_is_read_to_the_same_frame_and_a_bad_one_has_the_same_problems(tmp_path):
    path = tmp_path / "run.parquet"
    run_of(1000).write_parquet(path)
    here = read_run(path, name="run.parquet")
    there = read_apart(read_run, path, name="run.parquet", max_bytes=64 * MIB)
    assert there.schema == here.schema
    assert there.equals(here)
    run_of(3).with_columns(docno=pl.lit("d1")).write_parquet(path)
    with pytest.raises(BadFile) as here_too:
        read_run(path, name="run.parquet")
    with pytest.raises(BadFile) as there_too:
        read_apart(read_run, path, name="run.parquet", max_bytes=64 * MIB)
    assert there_too.value.problems == here_too.value.problems


def test_more_columns_than_any_table_has_are_refused(collection, researcher, tmp_path):
    frame = run_of(1).with_columns(**{f"column{number}": pl.lit(1) for number in range(1000)})
    frame.write_parquet(tmp_path / "wide.parquet")
    with pytest.raises(BadFile, match="has 1,003 columns; at most 1,000 are accepted"):
        import_run(collection, tmp_path / "wide.parquet", by=researcher)


def test_parquet_within_gzip_and_gzip_within_gzip_are_no_text(collection, researcher, sparse, tmp_path):
    for content in (sparse.read_bytes(), gzip.compress(b"1 Q0 d1 1 1 t\n")):
        (tmp_path / "nested.gz").write_bytes(gzip.compress(content))
        with pytest.raises(BadFile, match="binary file"):
            import_run(collection, tmp_path / "nested.gz", by=researcher)


@pytest.mark.parametrize(("verb", "line"), [(import_run, "1 Q0 d{} 1 1 t"), (import_qrels, "1 0 d{} 1")])
def test_rows_of_a_text_are_counted_too(settings, collection, researcher, tmp_path, verb, line):
    settings.RUN_MAX_BYTES = 2 * MIB
    (tmp_path / "long.txt").write_text("\n".join(line.format(number) for number in range(20_000)))
    with pytest.raises(BadFile, match="rows; at most 10,485 are accepted"):
        verb(collection, tmp_path / "long.txt", by=researcher)
