import csv
import io
import json
from uuid import uuid4

import polars as pl
import pytest

from judging.models import Item
from judging.work.answers import Answer, record_judgement
from judging.work.assignment import next_slots


@pytest.fixture
def judged(running, make_worker):
    """Worker 1 judged everything, changed the first answer, and put a formula into a note; worker 2 judged one item."""
    worker, other = make_worker(running), make_worker(running)
    items = list(Item.objects.filter(study=running).order_by("position"))
    for item in items:
        record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=1, comment="=1+1"))
    record_judgement(worker=worker, item=items[0], answer=Answer(key=uuid4(), cannot_judge="language"))
    record_judgement(worker=other, item=next_slots(other)[0].item, answer=Answer(key=uuid4(), grade=3, milliseconds=1234))
    return worker, other


@pytest.fixture
def address(running):
    return f"/api/v1/studies/{running.pk}/judgements/"


def test_what_stands(rita, address, judged):
    page = rita.get(address).json()
    assert page["count"] == 7
    revised = [row for row in page["results"] if row["revises"]]
    assert [(row["grade"], row["cannot_judge"], row["worker"]) for row in revised] == [(None, "language", str(judged[0]))]
    last = page["results"][-1]
    assert (last["grade"], last["milliseconds"], last["surplus"], last["simulated"]) == (3, 1234, False, False)


def test_filters(rita, address, judged):
    worker, other = judged

    def count(**query):
        return rita.get(address, query).json()["count"]

    assert count(worker=str(worker)) == 6
    assert count(worker=other.pk) == 1
    assert count(worker="nobody") == 0
    assert count(worker="²") == 0
    assert count(topic="1") + count(topic="2") == 7
    assert count(docno="d1") >= 1
    assert count(grade=3) == 1
    assert count(history="true") == 8
    assert count(page_size=3) == 7


def test_files(rita, address, judged, tmp_path):
    def download(form):
        response = rita.get(f"{address}download/?format={form}")
        assert response.status_code == 200
        assert response["Content-Disposition"] == f'attachment; filename="bird-study-judgements.{form}"'
        return response.getvalue()

    rows = list(csv.DictReader(io.StringIO(download("csv").decode())))
    assert len(rows) == 7
    assert all(not row["comment"].startswith("=") for row in rows), "no spreadsheet takes a worker's note for a formula"
    parsed = [json.loads(line) for line in download("jsonl").splitlines()]
    assert [row["docno"] for row in parsed] == [row["docno"] for row in rows]
    (tmp_path / "j.parquet").write_bytes(download("parquet"))
    assert pl.read_parquet(tmp_path / "j.parquet")["worker"].to_list() == [row["worker"] for row in rows]
    assert rita.get(f"{address}download/?format=trec").status_code == 400


def test_workers_are_numbers_with_counts(rita, running, judged):
    worker, other = judged
    rows = rita.get(f"/api/v1/studies/{running.pk}/workers/").json()["results"]
    assert [(row["name"], row["judged"], row["cannot_judge"], row["surplus"]) for row in rows] == [
        (str(worker), 6, 1, 0),
        (str(other), 1, 0, 0),
    ]
    assert rita.get(f"/api/v1/studies/{running.pk}/workers/{worker.pk}/").json()["has_account"] is False


def test_judgements_are_append_only_here_too(rita, address, judged):
    row = rita.get(address).json()["results"][0]["id"]
    for verb in (rita.put, rita.patch, rita.delete):
        assert verb(f"{address}{row}/").status_code == 404
        assert verb(address).status_code == 405
    assert rita.post(address, {}).status_code == 405


@pytest.mark.parametrize("part", ["judgements/", "judgements/download/", "workers/", "invites/"])
def test_a_stranger_sees_nothing(sid, wim, running, judged, part):
    for client in (sid, wim):
        assert client.get(f"/api/v1/studies/{running.pk}/{part}").status_code == 404
