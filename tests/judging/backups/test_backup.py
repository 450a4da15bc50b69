"""A backup restored elsewhere gives the same evidence, byte for byte; what is damaged, newer or in the way is refused first."""

import io
import json
import tarfile
from datetime import timedelta
from itertools import islice
from pathlib import Path
from uuid import uuid4

import polars as pl
import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.urls import reverse
from django.utils import timezone

from ireval.io.zst import zstd
from judging import migrations
from judging.backups import archive, backup, restore
from judging.backups.archive import MANIFEST, BackupProblem, verified_manifest
from judging.collections import stamps, upload_chunks
from judging.collections.attachments import attach
from judging.collections.downloads import QRELS_FORMATS, RUN_FORMATS
from judging.collections.storage import store_qrels, store_run
from judging.labels import exports
from judging.labels.settlement import settle_as_qrels
from judging.logs.archive import moves
from judging.logs.erasure import erase
from judging.logs.intake import receive
from judging.models import ArchiveFile, Attachment, Collection, Image, Run, Site, Study, Upload, User, Worker
from judging.recruiting import arrivals, channels, invites
from judging.recruiting.arrivals import Claim
from judging.work.answers import Answer, record_judgement
from metrics import tasks
from metrics.kinds.runs.files import FILES
from metrics.kinds.runs.question import request_report
from metrics.models import Report
from tests.conftest import SOAKING
from tests.images import PNG
from tests.judging.backups.places import Place, answers
from tests.judging.logs.sent import click, query

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def evidence(running, runs, collection, researcher, link):
    """Some of everything that can be downloaded."""
    shown = pl.DataFrame(
        [("1", "d1", "Owls", "", "Owls\teat\nvoles \\N")], schema=["topic", "docno", "title", "url", "snippet"], orient="row"
    )
    ranking = pl.DataFrame([("1", "d1", 1.0)], schema=["topic", "docno", "score"], orient="row")
    store_run(ranking, collection=collection, name="shown", by=researcher, shown=shown)
    worker = Worker.objects.create(study=running, simulated=True)
    for number, item in enumerate(running.items.all()):
        record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=number % 4, comment="“why”\n"))
    settle_as_qrels(running, by=researcher)
    grades = pl.DataFrame([("1", "d1", 2), ("2", "d3", 1)], schema=["topic", "docno", "grade"], orient="row")
    qrels = store_qrels(grades, collection=collection, name="gold", by=researcher)
    report = request_report(collection=collection, runs=runs, qrels=[qrels], by=researcher)
    tasks.begin_report(report.pk)
    for run in runs:
        tasks.compute_part(report.pk, str(run.pk))
    arrivals.consent(channels.add_channel(running, by=researcher, source="prolific"), Claim("5f8c2a", "61bb22"))
    site = Site.objects.create(name="Bird shop", slug="bird-shop", owner=researcher)
    receive(site, [query(2, client_id="c2"), click(number=2, client_id="c2"), click("d2")])
    moves.archive(site, before=timezone.now() + timedelta(days=1))
    receive(site, [query(), click(), {"broken": 1}])
    attach(collection.topics.first(), filename="map.png", content=PNG, by=researcher)
    picture = {"kind": "png", "size": len(PNG), "file": ContentFile(PNG, "owl.png")}
    Image.objects.create(collection=collection, name="owl.png", created_by=researcher, **picture)


def addresses() -> list[str]:
    study, report = Study.objects.get(), Report.objects.get()
    of_study = [("study_export", [study.pk, what, form]) for what, forms in exports.FORMATS.items() for form in forms]
    downloads = [("report_download", [report.pk, kind]) for kind in FILES]
    qrels = [f"/api/v1/qrels/{pk}/download/?format={form}" for pk in pks("qrels") for form in QRELS_FORMATS]
    runs = [f"/api/v1/runs/{pk}/download/?format={form}" for pk in pks("runs") for form in RUN_FORMATS]
    log = [f"/sites/{Site.objects.get().pk}/export/", f"/api/v1/studies/{study.pk}/arrivals/?ids=true"]
    assert ArchiveFile.objects.count() == 2
    pictures = [("image", [Image.objects.get().pk]), ("attachment", [Attachment.objects.get().pk])]
    return [*(reverse(name, args=args) for name, args in of_study + downloads + pictures), *qrels, *runs, *log]


def pks(kind: str) -> list[int]:
    return list(getattr(Collection.objects.get(), kind).values_list("pk", flat=True))


@pytest.fixture
def made(tmp_path):
    """A backup of what the test has made."""
    path = tmp_path / "made.tar.zst"

    def make():
        call_command("backup", path)
        return path

    return make


@pytest.mark.slow
def test_all_that_can_be_downloaded_is_the_same_byte_for_byte_elsewhere(evidence, made, tmp_path, capsys):
    before, place = answers(addresses()), Place(tmp_path, "elsewhere")
    assert sum(answer.startswith("200") for answer in before.values()) > 30
    done = place.manage("restore", made())
    assert done.returncode == 0, done.stderr
    assert place.answers(before) == before
    assert place.files() - place_stamps(place) == {file for file in stored() if not file.startswith(stamps.FOLDER)}
    assert "in order" in place.manage("sweep_files").stdout  # the files belong to this database
    assert place.files() - place_stamps(place) == {file for file in stored() if not file.startswith(stamps.FOLDER)}


def test_files_that_are_made_of_rows_are_left_out(evidence, made):
    assert any(name.startswith("qrels/") for name in stored())
    assert not any(name.startswith("files/qrels/") for name in verified_manifest(made())["members"])


def place_stamps(place: Place) -> set[str]:
    (stamp,) = [file for file in place.files() if file.startswith(stamps.FOLDER)]
    return {stamp}


def stored() -> set[str]:
    root = settings.MEDIA_ROOT
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_new_rows_get_new_numbers_and_sent_links_still_open_elsewhere(evidence, link, made, tmp_path):
    token = invites.token_of(link)
    place = Place(tmp_path, "elsewhere")
    place.manage("restore", made())
    output = place.does(f"""
from django.test import Client
from judging.audit import Deed, note
from judging.models import Collection, Document, Study, Topic, User, Worker
rita, study = User.objects.get(username="rita"), Study.objects.get()
new = Collection.objects.create(name="new", owner=rita)
Topic.objects.create(collection=new, number="1", title="owls")
Document.objects.create(collection=new, docno="d1", text="Owls")
Worker.objects.create(study=study)
note(Deed.CHANGED, "something", rita)
print("The link:", Client(SERVER_NAME="localhost").get("/join/{token}/").status_code)
""")
    assert "The link: 302" in output


def test_a_backup_holds_what_its_manifest_says_and_only_its_owner_reads_it(evidence, made):
    path = made()
    manifest = verified_manifest(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert (manifest["database"], manifest["missing"]) == (connection.vendor, [])
    assert ["judging", "0001_initial"] in manifest["migrations"]
    assert {run.file.name for run in Run.objects.all()} < {name.removeprefix("files/") for name in manifest["members"]}
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_laptops_key_comes_along(settings, runs, made, tmp_path_factory, capsys):
    settings.DATA_DIR = tmp_path_factory.mktemp("data")
    settings.DATA_DIR.joinpath(backup.KEY).write_text(settings.SECRET_KEY)
    assert backup.KEY in verified_manifest(made())["members"]
    assert "SECRET_KEY" not in capsys.readouterr().out


def test_a_key_in_the_environment_stays_there(settings, runs, made, tmp_path_factory, capsys):
    settings.DATA_DIR = tmp_path_factory.mktemp("data")
    settings.DATA_DIR.joinpath(backup.KEY).write_text("the key of earlier, which signs nothing now")
    assert backup.KEY not in verified_manifest(made())["members"]
    assert "SECRET_KEY is not in it: keep it, too." in capsys.readouterr().out


def test_a_file_that_was_deleted_meanwhile_is_named_as_missing(runs, made, capsys):
    default_storage.delete(runs[0].file.name)
    assert verified_manifest(made())["missing"] == [runs[0].file.name]
    assert runs[0].file.name in capsys.readouterr().err


@pytest.fixture
def archived_site(researcher):
    """Records of two clients in one file."""
    site = Site.objects.create(name="Bird shop", slug="bird-shop", owner=researcher)
    receive(site, [click(), click(client_id="c2"), click("d2", client_id="c3")])
    moves.archive(site, before=timezone.now() + timedelta(days=1))
    return site


def erase_meanwhile(site, clients, monkeypatch):
    """Somebody asks to be forgotten each time that the rows are in the backup and the files are not."""

    def add_files(archive, names):
        for client in islice(clients, 1):
            erase(site, client=client)
        return really_add_files(archive, names)

    really_add_files = backup.add_files
    monkeypatch.setattr(backup, "add_files", add_files)


def test_who_is_erased_meanwhile_takes_nobody_else_out_of_the_backup(archived_site, made, monkeypatch, tmp_path):
    erase_meanwhile(archived_site, iter(["c1"]), monkeypatch)
    path, archived = made(), ArchiveFile.objects.get()
    manifest = verified_manifest(path)
    assert (archived.rows, manifest["missing"]) == (2, [])
    assert [name for name in manifest["members"] if name.startswith("files/logs/")] == [f"files/{archived.file.name}"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_backup_without_records_is_none(archived_site, made, monkeypatch, tmp_path):
    erase_meanwhile(archived_site, iter(["c1", "c2", "c3"]), monkeypatch)
    with pytest.raises(CommandError, match="Records were erased while"):
        made()
    assert list(tmp_path.iterdir()) == []


def test_pieces_of_uploads_come_along(researcher, collection, made):
    upload = Upload.objects.create(collection=collection, kind="run", filename="a.txt", size=3, created_by=researcher)
    upload_chunks.save_piece(upload, 0, ContentFile(b"abc"))
    assert f"files/uploads/{upload.pk}/{0:016d}.part" in verified_manifest(made())["members"]


def test_an_interrupted_backup_leaves_nothing_that_looks_like_one(runs, made, tmp_path, monkeypatch):
    monkeypatch.setattr(backup, "add_files", lambda archive, names: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        made()
    assert list(tmp_path.iterdir()) == []


def test_an_existing_file_is_not_overwritten(runs, made):
    path = made()
    content = path.read_bytes()
    with pytest.raises(CommandError, match="there already"):
        made()
    assert path.read_bytes() == content


# What is not restored.


def rewritten(path, change):
    """The backup with its members changed, packed anew."""
    with zstd.open(path, "rb") as packed, tarfile.open(fileobj=packed, mode="r|") as tar:
        contents = {info.name: tar.extractfile(info).read() for info in tar}
    change(contents)
    with zstd.open(path, "wb") as packed, tarfile.open(fileobj=packed, mode="w|") as tar:
        for name, content in contents.items():
            tar.addfile(archive.member(name, len(content)), io.BytesIO(content))
    return path


def assert_refused(path, words):
    before = User.objects.count(), stored()
    with pytest.raises(BackupProblem, match=words):
        restore.restore(path)
    assert (User.objects.count(), stored()) == before


def a_run(contents):
    return next(name for name in contents if name.startswith("files/runs/"))


def changed_byte(contents):
    contents[a_run(contents)] = contents[a_run(contents)][:-1] + b"?"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (changed_byte, "damaged: files/runs/"),
        (lambda contents: contents.pop(a_run(contents)), "damaged: files/runs/"),
        (lambda contents: contents.update({"files/runs/1/more": b""}), "damaged: files/runs/1/more"),
        (lambda contents: contents.pop(MANIFEST), "manifest.json is absent"),
    ],
)
def test_a_damaged_backup_is_refused(runs, made, change, words):
    assert_refused(rewritten(made(), change), words)


@pytest.mark.parametrize("share", [0, 0.5, 0.99])
def test_a_backup_that_was_cut_short_is_refused(runs, made, share):
    path = made()
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    assert_refused(path, "damaged|incomplete")


def test_a_flipped_bit_is_found(runs, made):
    path = made()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert_refused(path, "damaged")


def with_manifest(**facts):
    def change(contents):
        contents[MANIFEST] = json.dumps(json.loads(contents[MANIFEST]) | facts).encode()

    return change


@pytest.mark.parametrize("facts", [{"format": 2}, {"migrations": [["judging", "0001_initial"], ["judging", "9999_next"]]}])
def test_a_backup_of_a_newer_version_is_refused(runs, made, facts):
    assert_refused(rewritten(made(), with_manifest(**facts)), "newer")


def test_a_backup_of_another_kind_of_database_is_refused(runs, made):
    assert_refused(rewritten(made(), with_manifest(database="oracle")), "The backup is of oracle")


def test_a_place_with_accounts_is_refused(runs, made):
    assert_refused(made(), "has accounts already")


def test_a_place_with_files_is_refused(runs, made, tmp_path):
    place = Place(tmp_path, "elsewhere")
    old = place.data / "files" / "runs" / "1" / "old.parquet"
    old.parent.mkdir(parents=True)
    old.write_bytes(b"PAR1")
    done = place.manage("restore", made())
    assert done.returncode == 1
    assert "has files already" in done.stderr
    assert place.files() == {"runs/1/old.parquet"}


def test_a_database_with_something_else_in_it_is_refused(runs, made, tmp_path):
    place = Place(tmp_path, "elsewhere")
    place.does("from django.db import connection; connection.cursor().execute('CREATE TABLE payroll (n integer)')")
    assert "something else, such as payroll" in place.manage("restore", made()).stderr


@pytest.mark.slow
def test_a_restore_that_was_interrupted_is_done_again(runs, made, tmp_path, tmp_path_factory):
    """Some files had come, one of them in part; the tables are there, as `migrate` makes them."""
    place = Place(tmp_path, "elsewhere", migrated_by=tmp_path_factory)
    half = place.data / "files" / runs[0].file.name
    half.parent.mkdir(parents=True)
    half.write_bytes(b"PA")
    done = place.manage("restore", made())
    assert done.returncode == 0, done.stderr
    assert half.read_bytes() == runs[0].file.read()


# Before there was an Installation. Going back so far takes long; the short form goes back by the newest migration.
OLDER = "0003_click_logs" if SOAKING else sorted(path.stem for path in Path(migrations.__path__[0]).glob("[0-9]*.py"))[-2]


@pytest.mark.slow
@pytest.mark.one_database
@pytest.mark.soak(short=True)
def test_an_older_backup_is_brought_up_to_date(runs, made, tmp_path):
    path = made()
    place = Place(tmp_path, "older")
    assert place.manage("restore", path).returncode == 0
    older = tmp_path / "older.tar.zst"
    place.does(f"""
from pathlib import Path
from judging.backups import backup, file_columns, postgresql, sqlite, versions
from tests.migrating import migrate_back
migrate_back(("judging", "{OLDER}"))
versions.unapplied = lambda: []
files = [query for query in file_columns.name_queries() if "judging_run" in query or "judging_qrels" in query]
sqlite.name_queries = postgresql.name_queries = lambda: files
backup.back_up(Path({str(older)!r}))
""")
    assert ["judging", OLDER] in verified_manifest(older)["migrations"] != verified_manifest(path)["migrations"]
    newer = Place(tmp_path, "newer")
    done = newer.manage("restore", older)
    assert done.returncode == 0, done.stderr
    assert "in order" in newer.manage("sweep_files").stdout
    run = f"/api/v1/runs/{runs[0].pk}/download/?format=parquet"
    assert newer.answers([run]) == answers([run])


def test_a_database_that_waits_for_migrations_is_not_backed_up(runs, made):
    newest = MigrationRecorder.Migration.objects.filter(app="judging").exclude(name__contains="squashed").latest("id")
    newest.delete()
    try:
        with pytest.raises(CommandError, match=r"manage\.py migrate first"):
            made()
    finally:
        newest.save(force_insert=True)
