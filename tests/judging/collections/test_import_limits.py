"""What an import may take of the server: memory, and the time for which others wait."""

import gzip
import json
from pathlib import Path

import pytest

from ireval.io.files import BadFile
from judging.collections.imports import check_documents, import_qrels, import_results, import_run
from judging.collections.imports.outcome import insert_whole
from judging.collections.storage import qrels_frame, run_frame, store_qrels
from judging.models import Collection

LINES = [
    (import_run, "1 Q0 d{} 1 1 t\n"),
    (import_qrels, "1 0 d{} 1\n"),
    (import_results, '{{"topic": "1", "rank": {}, "title": "Owls"}}\n'),
]


def test_runs_are_not_read_while_others_wait(researcher, tmp_path):
    collection = Collection.objects.create(name="Empty", owner=researcher)
    (tmp_path / "a.run").write_text("1 Q0 d1 1 3 a\n1 Q0 d2 2 2 a\n2 Q0 d2 1 1 a\n")
    run = import_run(collection, tmp_path / "a.run", by=researcher).kept
    (tmp_path / "d.jsonl").write_text('{"_id": "d1", "text": "Gulls"}\n')
    insert = check_documents(collection, tmp_path / "d.jsonl", by=researcher)
    Path(run.file.path).unlink()
    insert_whole(insert)
    run.refresh_from_db()
    assert run.unknown_documents == 2


def test_a_run_that_came_between_check_and_insert_is_counted_too(researcher, tmp_path):
    collection = Collection.objects.create(name="Empty", owner=researcher)
    (tmp_path / "d.jsonl").write_text('{"_id": "d1", "text": "Gulls"}\n')
    insert = check_documents(collection, tmp_path / "d.jsonl", by=researcher)
    (tmp_path / "a.run").write_text("1 Q0 d1 1 3 a\n1 Q0 d2 2 2 a\n")
    run = import_run(collection, tmp_path / "a.run", by=researcher).kept
    insert_whole(insert)
    run.refresh_from_db()
    assert run.unknown_documents == 1


@pytest.mark.parametrize(("verb", "line"), LINES)
@pytest.mark.parametrize(("pack", "says"), [(bytes, "may have 100 "), (gzip.compress, "unpacks to more than 100 bytes")])
def test_what_is_read_whole_has_a_limit_of_its_own(settings, collection, researcher, tmp_path, verb, line, pack, says):
    settings.RUN_MAX_BYTES = 100
    path = tmp_path / "file.txt"
    path.write_bytes(pack("".join(line.format(number) for number in range(1, 7)).encode() + b"\n" * 100))
    with pytest.raises(BadFile, match=says):
        verb(collection, path, by=researcher)


WIDE = [f"column{number}" for number in range(1001)]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("wide.csv", ",".join(["topic", "rank", "title", *WIDE]), "has 1,004 columns; at most 1,000 are accepted"),
        (
            "wide.jsonl",
            json.dumps({"topic": "1", "rank": 1, "title": "x"} | dict.fromkeys(WIDE, 1)),
            "has 1,004 keys; at most 1,000",
        ),
    ],
)
def test_tables_wider_than_any_are_refused(collection, researcher, tmp_path, name, text, says):
    (tmp_path / name).write_text(text + "\n")
    with pytest.raises(BadFile, match=says):
        import_results(collection, tmp_path / name, by=researcher)


def test_files_are_found_in_a_folder_with_brackets_in_its_name(settings, tmp_path, collection, runs, researcher):
    frame = run_frame(runs[0]).select("topic", "docno", grade=1)
    settings.MEDIA_ROOT = tmp_path / "data [2]"
    assert qrels_frame(store_qrels(frame, collection=collection, name="gold", by=researcher)).height == frame.height
