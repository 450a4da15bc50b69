import csv
import gzip
import io
import json

import polars as pl
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from judging.collections.imports import import_results
from judging.models import Run

ADDRESS = "/api/v1/runs/"
TREC = "1 Q0 d1 1 9.5 x\n1 Q0 d2 2 8 x\n2 Q0 d3 1 7.25 x\n"


def send(client, collection, content: bytes | str = TREC, filename="bm25.txt", **fields):
    file = SimpleUploadedFile(filename, content.encode() if isinstance(content, str) else content)
    return client.post(ADDRESS, {"collection": collection.pk, "file": file, **fields}, format="multipart")


@pytest.mark.parametrize("packed", [str.encode, lambda text: gzip.compress(text.encode())], ids=["plain", "gz"])
def test_a_run_comes_in_and_goes_out_as_it_was(rita, collection, packed):
    made = send(rita, collection, packed(TREC))
    assert made.status_code == 201, made.content
    facts = made.json()
    assert (facts["name"], facts["rows"], facts["topic_count"], facts["depth"]) == ("bm25", 3, 2, 2)
    out = rita.get(f"{ADDRESS}{facts['id']}/download/")
    assert out["Content-Type"].startswith("text/plain")
    assert out["Content-Disposition"] == 'attachment; filename="bm25.txt"'
    rows = [line.split() for line in out.getvalue().decode().splitlines()]
    assert [(row[0], row[2], row[3], float(row[4]), row[5]) for row in rows] == [
        ("1", "d1", "1", 9.5, "x"),
        ("1", "d2", "2", 8.0, "x"),
        ("2", "d3", "1", 7.25, "x"),
    ]


def test_the_stored_file_is_what_parquet_gives(rita, collection, tmp_path):
    run = Run.objects.get(pk=send(rita, collection, name="mine").json()["id"])
    out = rita.get(f"{ADDRESS}{run.pk}/download/?format=parquet").getvalue()
    with run.file.open("rb") as stored:
        assert out == stored.read()
    (tmp_path / "run.parquet").write_bytes(out)
    assert pl.read_parquet(tmp_path / "run.parquet")["docno"].to_list() == ["d1", "d2", "d3"]


def test_result_lists_go_out_as_they_came(rita, collection, researcher, tmp_path, runs):
    path = tmp_path / "site.csv"
    path.write_text("topic,rank,title,url,snippet\n1,1,Owls,https://x.org,\n")
    run = import_results(collection, path, by=researcher).kept
    assert rita.get(f"{ADDRESS}{run.pk}/").json()["shown"] is True
    out = rita.get(f"{ADDRESS}{run.pk}/download/?format=csv")
    assert out["Content-Disposition"] == 'attachment; filename="site.csv"'
    assert list(csv.DictReader(io.StringIO(out.getvalue().decode()))) == [
        {"topic": "1", "rank": "1", "docno": "https://x.org", "title": "Owls", "url": "https://x.org", "snippet": ""}
    ]
    lines = rita.get(f"{ADDRESS}{run.pk}/download/?format=jsonl").getvalue().decode()
    assert json.loads(lines)["rank"] == 1

    assert rita.get(f"{ADDRESS}{runs[0].pk}/").json()["shown"] is False
    refused = rita.get(f"{ADDRESS}{runs[0].pk}/download/?format=csv")
    assert (refused.status_code, "Take another format" in refused.json()["detail"]) == (409, True)


def test_what_a_client_accepts_is_no_reason_to_refuse_a_file(rita, runs):
    response = rita.get(f"{ADDRESS}{runs[0].pk}/download/", HTTP_ACCEPT="text/plain")
    assert response.status_code == 200


def test_large_runs_go_out_in_portions(rita, runs, monkeypatch):
    whole = rita.get(f"{ADDRESS}{runs[0].pk}/download/").getvalue()
    monkeypatch.setattr("judging.collections.downloads.ROWS_A_PORTION", 2)
    in_portions = rita.get(f"{ADDRESS}{runs[0].pk}/download/")
    chunks = list(in_portions.streaming_content)
    assert len(chunks) == 3
    assert b"".join(chunks) == whole


def test_every_problem_is_named_with_its_line_and_nothing_is_stored(rita, collection):
    refused = send(rita, collection, "1 Q0 d1 1 9.5 x\n1 Q0 d2 2\n1 Q0 d4 3 nan x\n")
    assert refused.status_code == 400
    problems = refused.json()["problems"]
    assert [(problem["file"], problem["line"]) for problem in problems] == [("bm25.txt", 2), ("bm25.txt", 3)]
    assert problems[0]["message"].startswith("expected 6 columns")
    assert "bm25.txt, line 2: expected 6 columns" in refused.json()["detail"]
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"\x89PNG\r\n\0\0", "binary"),
        ("1 Q0 dé 1 9 x\n".encode("latin-1"), "UTF-8"),
        (b"9 Q0 d1 1 9 x\n", "none of its topics"),
        (b"1 Q0 zz 1 9 x\n", "none of its documents"),
        (gzip.compress(b"1 Q0 d1 1 9 x\n")[:-6], "damaged"),
        (b"PAR1 and nothing else", "damaged"),
    ],
    ids=["empty", "png", "latin-1", "foreign topics", "foreign documents", "cut gzip", "no parquet"],
)
def test_files_that_are_no_runs(rita, collection, content, message):
    refused = send(rita, collection, content)
    assert refused.status_code == 400
    assert message in refused.content.decode()
    assert not Run.objects.exists()


def test_a_bomb_is_refused_while_it_is_small(rita, collection):
    bomb = gzip.compress(b"1 Q0 d1 1 9 x\n" * (70 * 2**20 // 14), compresslevel=9)
    assert len(bomb) < 2**20
    refused = send(rita, collection, bomb, "bomb.gz")
    assert refused.status_code == 400
    assert "unpacks to more than" in refused.json()["problems"][0]["message"]


def test_a_parquet_bomb_is_refused_by_its_number_of_rows(rita, collection, tmp_path):
    rows = 3_000_000
    frame = pl.select(topic=pl.repeat("1", rows), docno=pl.repeat("d1", rows), score=pl.repeat(1.0, rows))
    frame.write_parquet(tmp_path / "bomb.parquet")
    refused = send(rita, collection, (tmp_path / "bomb.parquet").read_bytes(), "bomb.parquet")
    assert refused.status_code == 400
    assert "holds 3,000,000 rows; one request may bring 2,000,000" in refused.json()["problems"][0]["message"]


def test_too_many_bytes_for_one_request(rita, collection, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    refused = send(rita, collection, TREC * 100)
    assert refused.status_code == 413
    assert "in chunks" in refused.json()["detail"]


def test_a_name_that_is_taken_is_a_conflict(rita, collection):
    assert send(rita, collection).status_code == 201
    refused = send(rita, collection, "1 Q0 d5 1 9 x\n")
    assert refused.status_code == 409
    assert "“bm25”" in refused.json()["detail"]
    assert Run.objects.count() == 1


def test_nobody_adds_to_a_strangers_collection_even_a_shared_one(sid, wim, collection):
    collection.shared = True
    collection.save()
    refused = send(sid, collection)
    assert refused.status_code == 400
    assert "does not exist" in refused.json()["collection"][0]
    assert send(wim, collection).status_code == 403


def test_missing_fields_are_named(rita):
    assert set(rita.post(ADDRESS, {}, format="multipart").json()) == {"collection", "file"}


def test_filters(rita, runs, collection):
    assert [run["name"] for run in rita.get(ADDRESS, {"name": "ALP"}).json()["results"]] == ["alpha"]
    assert rita.get(ADDRESS, {"collection": collection.pk}).json()["count"] == 2
    assert rita.get(ADDRESS, {"collection": collection.pk + 1}).json()["count"] == 0


def test_a_run_is_deleted_with_its_file_by_the_collections_owner_only(rita, sid, runs, django_capture_on_commit_callbacks):
    run = runs[0]
    run.collection.shared = True
    run.collection.save()
    assert sid.delete(f"{ADDRESS}{run.pk}/").status_code == 404
    with django_capture_on_commit_callbacks(execute=True):
        assert rita.delete(f"{ADDRESS}{run.pk}/").status_code == 204
    assert not run.file.storage.exists(run.file.name)


def test_a_run_that_was_judged_stays(rita, running, runs):
    refused = rita.delete(f"{ADDRESS}{runs[0].pk}/")
    assert refused.status_code == 409
    assert "Bird study" in refused.json()["detail"]


def test_an_unknown_format_is_named(rita, runs):
    refused = rita.get(f"{ADDRESS}{runs[0].pk}/download/?format=xlsx")
    assert refused.status_code == 400
    assert "trec, parquet" in refused.json()["format"][0]
