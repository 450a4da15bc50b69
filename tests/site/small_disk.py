"""A disk of its own that runs full, or may not be written to any more, under a site that people use: what each of them is told.

    unshare --mount python -m tests.site.small_disk FOLDER

Says as JSON what answers came meanwhile, what came for the same afterwards, and what is stored at the end.
"""

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

SIZE = "40m"
LITTLE = 2**19  # bytes: room for the note that a task begins, and not for what it imports
DOCUMENTS = 400
LATER = timedelta(minutes=6)  # by then work that died or was put back is taken up again


def main(folder: Path) -> dict[str, Any]:
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "none", folder], check=True)
    os.environ.update(IREVAL_DATA=str(folder), DJANGO_SETTINGS_MODULE="ireval_site.settings", IREVAL_LOG_LEVEL="CRITICAL")
    from django.db import connection

    from benchmarks import world

    visits = Visits(world.prepare_soak(1, 4, 2))
    answers: dict[str, Any] = {}
    visits.ask_for_work()
    with full(folder):
        answers["full"] = visits.answers()
        answers["work on a full disk"] = visits.work()
    with full(folder, but_for=LITTLE):
        answers["work with little room"] = visits.work()
    connection.close()
    with read_only(folder):
        answers["read-only"] = visits.answers()
        connection.close()
    answers["afterwards"] = visits.answers()
    visits.work_is_taken_up_again()
    return {**answers, "stored": visits.stored()}


@contextmanager
def full(folder: Path, but_for: int = 0) -> Iterator[None]:
    ballast = folder / "ballast"
    with open(ballast, "wb", buffering=0) as file:
        for size in (2**20, 2**12):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                continue
        file.truncate(file.tell() - but_for)
    yield
    ballast.unlink()


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    subprocess.run(["mount", "--bind", folder, folder], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
    yield
    subprocess.run(["umount", "--lazy", folder], check=True)


class Visits:
    """A worker with a page before them, a researcher in the middle of an upload, and a site with a batch of events."""

    sent = 0  # messages to Celery

    def __init__(self, facts: dict[str, Any]) -> None:
        from django.test import Client

        self.facts = facts
        self.client = Client(raise_request_exception=False, SERVER_NAME="localhost")
        self.token = {"Authorization": f"Token {facts['token']}"}
        self.join()
        self.begin()

    def answers(self) -> dict[str, tuple[int, str]]:
        """The same of everybody, however often."""
        return {
            "judge": self.judge(),
            "judge by script": self.judge(by_script=True),
            "upload": self.upload(),
            "events": self.events(),
        }

    def join(self) -> None:
        from benchmarks.judging import fields, hidden

        study = self.facts["studies"][0]
        self.client.get(f"/join/{study['token']}/")
        form = hidden(self.client.get("/join/").content.decode())
        self.client.post("/join/", {**form, "agree": "1"})
        self.page = f"/judge/{study['study']}/"
        self.form = {**fields(self.client.get(self.page).content.decode()), "grade": "2"}

    def begin(self) -> None:
        announced = {"collection": self.facts["shelf"], "kind": "documents", "filename": "more.jsonl", "size": 2**20}
        answer = self.client.post("/api/v1/uploads/", announced, content_type="application/json", headers=self.token)
        self.address = f"/api/v1/uploads/{answer.json()['id']}/"

    def judge(self, *, by_script: bool = False) -> tuple[int, str]:
        return said(self.client.post(self.page, self.form, headers={"X-Requested-With": "fetch"} if by_script else {}))

    def upload(self) -> tuple[int, str]:
        path = f"{self.address}chunk/?offset=0"
        return said(self.client.put(path, bytes(2**20), content_type="application/octet-stream", headers=self.token))

    def events(self) -> tuple[int, str]:
        event = {
            "action_name": "click",
            "event_id": str(uuid.uuid5(uuid.NAMESPACE_DNS, "owls")),
            "client_id": "c",
            "timestamp": 1,
        }
        key = {"Authorization": f"Bearer {self.facts['key']}"}
        return said(self.client.post("/api/v1/log/events/", [event], content_type="application/json", headers=key))

    def ask_for_work(self) -> None:
        """A file is imported, and a report computed."""
        rows = [json.dumps({"docno": f"upload-{number}", "text": "Owls eat voles. " * 300}) for number in range(DOCUMENTS)]
        content = "\n".join(rows).encode()
        announced = {"collection": self.facts["shelf"], "kind": "documents", "filename": "owls.jsonl", "size": len(content)}
        address = f"/api/v1/uploads/{self.post('/api/v1/uploads/', announced)['id']}/"
        self.client.put(f"{address}chunk/?offset=0", content, content_type="application/octet-stream", headers=self.token)
        self.post(f"{address}finish/")
        question = {"collection": self.facts["collection"], "runs": [self.facts["run"]], "qrels": [self.facts["qrels"]]}
        self.post("/api/v1/reports/", question)

    def post(self, path: str, content: Any = None) -> Any:
        answer = self.client.post(path, content, content_type="application/json", headers=self.token)
        assert answer.status_code < 300, answer.content
        return answer.json()

    def work(self) -> dict[str, str]:
        """As Celery does what it is sent; of each task what kept it from its end."""
        from celery import current_app

        from judging.faults import fault_of
        from judging.models import Outbox

        current_app.loader.import_default_modules()
        faults = {}
        for message in Outbox.objects.order_by("pk"):
            self.sent += 1
            name = f"outbox-{message.pk}-{self.sent}"
            done = current_app.tasks[message.task].apply(kwargs=message.arguments, task_id=name)
            faults[message.task] = str(fault_of(done.result)) if done.failed() else ""
        return faults

    def work_is_taken_up_again(self) -> None:
        import time_machine

        from judging.collections import upload_check
        from judging.models import Outbox
        from metrics import pipeline

        with time_machine.travel(datetime.now(UTC) + LATER):
            self.work()
            upload_check.sweep()
            pipeline.resume_stopped()
            while Outbox.objects.exists():
                self.work()

    def stored(self) -> dict[str, Any]:
        from benchmarks import world
        from judging.models import Event, Judgement, Quarantined, Upload

        received = list(Upload.objects.filter(state=Upload.State.RECEIVING).values_list("received", flat=True))
        records = Event.objects.count() + Quarantined.objects.count()
        soaked = {name: world.soaked()[name] for name in ("uploads", "documents", "reports", "parked")}
        return {"judgements": Judgement.objects.count(), "received": received, "records": records, **soaked}


def said(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.content.decode()


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
