import json

import polars as pl
import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile

from judging.collections import qrels_cache
from judging.collections.storage import store_qrels
from judging.models import Grade, Qrels

ADDRESS = "/api/v1/qrels/"
TREC = "1 0 d1 3\n1 0 d4 0\n2 0 d3 1\n"


def send(client, collection, content: str = TREC, **fields):
    file = SimpleUploadedFile("official.qrels", content.encode())
    return client.post(ADDRESS, {"collection": collection.pk, "file": file, **fields}, format="multipart")


def test_qrels_come_in_and_a_second_file_is_the_next_version(rita, collection):
    first = send(rita, collection, sparse="true").json()
    assert (first["name"], first["version"], first["rows"], first["sparse"]) == ("official", 1, 3, True)
    assert first["grade_counts"] == {"0": 1, "1": 1, "3": 1}
    second = send(rita, collection, "1 0 d1 2\n").json()
    assert (second["name"], second["version"]) == ("official", 2)
    assert send(rita, collection, "1 0 d1 2\n").status_code == 400, "the same grades again"
    assert Qrels.objects.count() == 2


@pytest.mark.parametrize(
    ("form", "read"),
    [
        ("trec", lambda text: [(line.split()[0], line.split()[2], int(line.split()[3])) for line in text.splitlines()]),
        ("csv", lambda text: [(t, d, int(g)) for t, d, g in (line.split(",") for line in text.splitlines()[1:])]),
        ("jsonl", lambda text: [tuple(json.loads(line).values()) for line in text.splitlines()]),
    ],
    ids=["trec", "csv", "jsonl"],
)
def test_text_formats(rita, collection, form, read):
    made = send(rita, collection).json()
    out = rita.get(f"{ADDRESS}{made['id']}/download/?format={form}").getvalue().decode()
    assert read(out) == [("1", "d1", 3), ("1", "d4", 0), ("2", "d3", 1)]


def test_parquet(rita, collection, tmp_path):
    made = send(rita, collection).json()
    response = rita.get(f"{ADDRESS}{made['id']}/download/?format=parquet")
    assert response["Content-Disposition"] == 'attachment; filename="official-v1.parquet"'
    (tmp_path / "q.parquet").write_bytes(response.getvalue())
    assert pl.read_parquet(tmp_path / "q.parquet").rows() == [("1", "d1", 3), ("1", "d4", 0), ("2", "d3", 1)]


def test_ids_that_trec_cannot_carry_are_said_and_other_formats_work(rita, collection, researcher):
    frame = pl.DataFrame({"topic": ["1"], "docno": ["a b"], "grade": [1]})
    qrels = store_qrels(frame, collection=collection, name="blanks", by=researcher)
    refused = rita.get(f"{ADDRESS}{qrels.pk}/download/?format=trec")
    assert refused.status_code == 409
    assert "'a b'" in refused.json()["detail"]
    assert rita.get(f"{ADDRESS}{qrels.pk}/download/?format=csv").status_code == 200


def test_smart_files_need_their_format(rita, collection):
    hinted = send(rita, collection, "1 1 2\n1 2 -1\n")
    assert hinted.status_code == 400
    assert "SMART" in hinted.json()["problems"][0]["message"]


def test_wrong_options_are_named(rita, collection):
    refused = send(rita, collection, scale="furlongs", format="docx", sparse="perhaps")
    assert refused.status_code == 400
    assert set(refused.json()) == {"scale", "format", "sparse"}


def test_a_studys_qrels_are_its_members_only(rita, sid, collection, study, researcher):
    collection.shared = True
    collection.save()
    frame = pl.DataFrame({"topic": ["1"], "docno": ["d1"], "grade": [1]})
    settled = store_qrels(frame, collection=collection, name="s", by=researcher, study=study)
    assert rita.get(f"{ADDRESS}{settled.pk}/").status_code == 200
    assert sid.get(f"{ADDRESS}{settled.pk}/").status_code == 404
    assert sid.get(f"{ADDRESS}{settled.pk}/download/").status_code == 404
    assert rita.get(ADDRESS, {"study": study.pk}).json()["count"] == 1


def test_deleting(rita, sid, collection, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        kept = Qrels.objects.get(pk=send(rita, collection).json()["id"])
    assert default_storage.exists(qrels_cache.name_of(kept))
    assert sid.delete(f"{ADDRESS}{kept.pk}/").status_code == 404
    with django_capture_on_commit_callbacks(execute=True):
        assert rita.delete(f"{ADDRESS}{kept.pk}/").status_code == 204
    assert not Grade.objects.filter(qrels=kept.pk).exists()
    assert not default_storage.exists(qrels_cache.name_of(kept))
