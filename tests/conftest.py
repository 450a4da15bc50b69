"""Standing people and small worlds for the tests, and what to do where something optional is absent.

IREVAL_REQUIRE=browser,postgres,… turns an absence into a failure: what may be skipped on a laptop must not be skipped by accident
where everything is there. `.ci/run` requires all that tests name.
"""

import gc
import itertools
import os
import random
import secrets
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from _pytest import runner
from hypothesis import settings as hypothesis

from tests import migrated
from tests.call_stack import with_room
from tests.chromium import FLAGS
from tests.chromium import program as chromium_program
from tests.pages import as_shown

# The long forms of tests marked `soak`, and all examples of properties: `make soak`.
SOAKING = bool(os.environ.get("IREVAL_SOAK"))
EXPLORING = bool(os.environ.get("IREVAL_EXPLORE"))


def examples(long_form: int) -> int:
    """Against so many examples a property is held: a third of those of the long form."""
    return long_form if SOAKING or EXPLORING else long_form // 3


# Properties are held against the same examples every time, so that a test fails for a change and for nothing else, and they
# are not timed. IREVAL_EXPLORE=1 looks for new examples; what it finds belongs into a test of its own.
hypothesis.register_profile("steady", deadline=None, derandomize=True, max_examples=examples(100))
hypothesis.register_profile("exploring", deadline=None)
hypothesis.load_profile("exploring" if EXPLORING else "steady")

# They belong to processes of their own: whoever imports one dies of the next report, or sleeps for ever.
collect_ignore = ["site/poison.py", "site/sleeper.py"]

folders = itertools.count()
QUICK_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # slow ones would cost the suite minutes
SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
REQUIRED = set(filter(None, os.environ.get("IREVAL_REQUIRE", "").split(",")))


def absent(what: str, reason: str):
    """Skip the test, or fail it where `what` is required."""
    if what in REQUIRED:
        pytest.fail(f"{what} is required here: {reason}")
    pytest.skip(reason)


@pytest.hookimpl(wrapper=True, tryfirst=True)  # before `-m` chooses and chance orders
def pytest_collection_modifyitems(items):
    """Mark what asks for a database; skip what has no short form unless IREVAL_SOAK is set, as `make soak` does.

    What is slow begins, so that no process is left with it at the end while the others have nothing to do.
    """
    for item in items:
        if asks_for_a_database(item) and not is_of_one_database(item):
            item.add_marker("database")
        if not SOAKING and (mark := item.get_closest_marker("soak")) and not mark.kwargs.get("short"):
            item.add_marker(pytest.mark.skip(reason="takes long; set IREVAL_SOAK=1"))
    result = yield
    items[:] = shared_out(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
    return result


def shared_out(items, processes):
    """The tests so that the share of each process, as many in a row, begins with what takes long.

    The last one's begins with all browser tests: each process that has some starts a demo of its own. The others' begin with the
    rest of what is slow, by files. Who has finished takes from the end of another's share.
    """
    in_browser, elsewhere = halves(items, "browser")
    slow, quick = halves(elsewhere, "slow")
    shares = [[] for _ in range(processes)]
    for _, of_file in itertools.groupby(slow, key=lambda item: item.path):
        min(shares[:-1] or shares, key=len).extend(of_file)
    shares[-1] += [item for half in halves(in_browser, "slow") for item in half]
    left, ordered = iter(quick), []
    for number, share in enumerate(shares):
        size = (len(items) - len(ordered)) // (processes - number)
        ordered += [*share, *itertools.islice(left, max(0, size - len(share)))]
    return [*ordered, *left]


def halves(items, marker):
    """Those with the marker, and the others."""
    return [item for item in items if item.get_closest_marker(marker)], [
        item for item in items if not item.get_closest_marker(marker)
    ]


def is_of_one_database(item):
    """Whether the first database is enough. So it is for pages, each of which is asked for on the last one by `test_routes`."""
    return bool(item.get_closest_marker("one_database")) or item.path.stem.endswith(("page", "pages"))


def asks_for_a_database(item):
    """Whether a test may use Django's connection; pytest-django refuses it to all others.

    Parsers, wording and doctests give the same on each database, so that one is enough for them. Tests that reach one in another
    way, by a server of their own or a browser, have the mark `database` where they depend on it.
    """
    fixtures = {"db", "transactional_db", "django_db_setup", "live_server"}
    return bool(item.get_closest_marker("django_db")) or not fixtures.isdisjoint(getattr(item, "fixturenames", ()))


def pytest_runtest_protocol(item, nextitem):
    """Whatever a test calls has room on the stack: a sixth of the time of those that ask for pages."""
    return with_room(runner.pytest_runtest_protocol)(item, nextitem)


def pytest_collection_finish():
    """Modules and tests stay until the end: let no collection of garbage look at them again, nor many at what comes and goes."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.fixture(autouse=True)
def the_same_lots_every_time(request, monkeypatch):
    """Each test has secrets and salts of its own, and draws the same slots and sides each time, unless it is to explore."""
    draw_the_same_lots(monkeypatch, request.node.nodeid)


def draw_the_same_lots(monkeypatch, name):
    if not EXPLORING:
        chance = random.Random(name)
        monkeypatch.setattr(secrets, "token_bytes", lambda nbytes=None: chance.randbytes(nbytes or secrets.DEFAULT_ENTROPY))
        monkeypatch.setattr(secrets, "randbelow", chance.randrange)
        monkeypatch.setattr(secrets, "choice", chance.choice)


@pytest.fixture(scope="session", autouse=True)
def a_temporary_folder_of_its_own(monkeypatch_of_session):
    """Of each process: a sweep whose clock is ahead takes what others are writing for left behind."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o711)  # PostgreSQL of another account finds its own in it
        monkeypatch_of_session.setattr(tempfile, "tempdir", folder)
        monkeypatch_of_session.setenv("TMPDIR", folder)
        yield


@pytest.fixture(scope="session")
def chromium():
    """One browser for all tests of a process: it can have no second one of Playwright's."""
    playwright = pytest.importorskip("playwright.sync_api")
    if not (program := chromium_program()):
        absent("browser", "no Chromium on this machine")
    # Playwright's event loop stays in this thread: a test of the database that comes to it later must not take it for its own.
    with pytest.MonkeyPatch.context() as patched, playwright.sync_playwright() as started:
        patched.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        browser = started.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def redis_server() -> str:
    """A Redis as the distribution has it, often years older than the Valkey that is installed with the tests."""
    return (
        os.environ.get("IREVAL_REDIS")
        or shutil.which("redis-server")
        or absent("redis-server", "the distribution's redis-server is not installed")
    )


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real collections and logs that stands beside the checkout."""
    if not SHARED_DATA.is_dir():
        absent("data", "the folder shared/data beside the checkout is absent")
    return SHARED_DATA


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix, tmp_path_factory, monkeypatch_of_session):
    """Copy a migrated database instead of migrating one for each process.

    Let a test's SQLite wait for no disk: nothing of it has to survive a power cut. So it is with `servers.CARELESS`, too.
    """
    from django.conf import settings
    from django.db import connection

    if connection.vendor == "sqlite":
        connection.settings_dict["OPTIONS"]["init_command"] += "; PRAGMA synchronous=OFF"
        template, named = migrated.sqlite(tmp_path_factory), connection.creation._create_test_db
        monkeypatch_of_session.setattr(
            connection.creation, "_create_test_db", lambda *words, **more: shutil.copyfile(template, named(*words, **more))
        )
    else:
        connection.settings_dict["TEST"]["TEMPLATE"] = migrated.postgres(tmp_path_factory, settings.DATABASE_URL)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker, monkeypatch_of_session):
    """Empty only tables that have rows after a test that commits."""
    from django.db import connection
    from django.test import TransactionTestCase

    from tests import emptied

    with django_db_blocker.unblock():
        if emptied.may_be(connection):
            monkeypatch_of_session.setattr(TransactionTestCase, "_fixture_teardown", emptied.empty)


@pytest.fixture(scope="session")
def monkeypatch_of_session():
    with pytest.MonkeyPatch.context() as patched:
        yield patched


@pytest.fixture(autouse=True)
def cheap_passwords_and_files_of_their_own(request, tmp_path_factory):
    """Stored runs and qrels of a test go to a folder that goes away."""
    if not asks_for_a_database(request.node):
        yield
        return
    settings = request.getfixturevalue("settings")
    settings.PASSWORD_HASHERS = QUICK_HASHERS
    settings.WHITENOISE_AUTOREFRESH = True  # else each test's first request reads all static files
    settings.MEDIA_ROOT = tmp_path_factory.getbasetemp() / f"stored-{next(folders)}"  # mktemp would list all others each time
    settings.MEDIA_ROOT.mkdir()
    if "db" in request.fixturenames and (shared := request.getfixturevalue("db")):
        shutil.copytree(shared, settings.MEDIA_ROOT, dirs_exist_ok=True)
    yield


@pytest.fixture(autouse=True)
def what_is_shared_stays_as_it_was():
    yield
    if sharing := sys.modules.get("tests.sharing"):
        sharing.restore()


@pytest.fixture(autouse=True)
def nothing_remembered_of_other_tests():
    """The rows are gone that processes remember of a log's keys, epochs and browsers."""
    yield
    if agents := sys.modules.get("judging.logs.agents"):
        agents.known_agent.cache_clear()
    if "judging.logs.pseudonyms" in sys.modules:
        sys.modules["judging.logs.pseudonyms"].epoch_key.cache_clear()
    if keys := sys.modules.get("judging.logs.keys"):
        keys.site_cache.clear()
        keys.paid.clear()


@pytest.fixture(autouse=True)
def pages_as_browsers_show_them(monkeypatch):
    """Where the lines of a template break changes no page, and so no test."""
    if client := sys.modules.get("django.test.client"):
        request = client.Client.request
        monkeypatch.setattr(client.Client, "request", lambda self, **environ: shown(request(self, **environ)))


@pytest.fixture(autouse=True)
def forms_as_browsers_send_them(monkeypatch):
    """As `multipart/form-data` only where there is a file: it takes a millisecond more to read."""
    if client := sys.modules.get("django.test.client"):
        from django.utils.http import urlencode

        post = client.Client.post

        def send(self, path, data=None, content_type=client.MULTIPART_CONTENT, **more):
            if data and content_type is client.MULTIPART_CONTENT and not has_a_file(data):
                data, content_type = urlencode(data, doseq=True), "application/x-www-form-urlencoded"
            return post(self, path, data, content_type, **more)

        monkeypatch.setattr(client.Client, "post", send)


def has_a_file(fields):
    values = (value if isinstance(value, (list, tuple)) else [value] for value in fields.values())
    return any(hasattr(value, "read") for value in itertools.chain.from_iterable(values))


def shown(response):
    if response.headers.get("Content-Type", "").startswith("text/html") and not response.streaming:
        response.content = as_shown(response.content.decode()).encode()
    return response


@pytest.fixture(autouse=True)
def nothing_counted_of_other_tests(monkeypatch):
    """Limits begin anew, counted by this process."""
    if throttle := sys.modules.get("ireval_site.throttle"):
        monkeypatch.setattr(throttle, "server", None)
        monkeypatch.setattr(throttle, "own", throttle.Own())


@pytest.fixture
def researcher(db):
    from judging.models import User

    return User.objects.create_user("rita", password="a long enough password", is_researcher=True)


@pytest.fixture
def stranger(db):
    """Another researcher, to whom nothing here belongs."""
    from judging.models import User

    return User.objects.create_user("sid", password="a long enough password", is_researcher=True)


@pytest.fixture
def admin(db):
    from judging.models import User

    return User.objects.create_superuser("ada", password="a long enough password")


@pytest.fixture
def collection(researcher):
    """Two topics and six documents, in words that tests can look for."""
    from judging.models import Collection, Document, Topic

    collection = Collection.objects.create(name="Birds", owner=researcher)
    Topic.objects.create(collection=collection, number="1", title="diet of owls", description="What do owls eat?")
    Topic.objects.create(collection=collection, number="2", title="swallow migration", narrative="Routes and dates count.")
    texts = {
        "d1": ("Owls", "Owls eat voles, mice and sometimes other birds."),
        "d2": ("Barn owl", "The diet of the barn owl is mostly voles."),
        "d3": ("Swallows", "Swallows leave in September and cross the Sahara."),
        "d4": ("Sparrows", "Sparrows stay all winter."),
        "d5": ("Migration", "Migration of swallows was followed with geolocators."),
        "d6": ("Ducks", "Ducks dabble."),
    }
    Document.objects.bulk_create(
        Document(collection=collection, docno=docno, title=title, text=text) for docno, (title, text) in texts.items()
    )
    return collection


packed_runs: dict = {}  # the facts and the file of each
FACTS = ("name", "sha256", "source_name", "rows", "topic_count", "depth", "unknown_documents")


@pytest.fixture
def runs(collection, researcher):
    """Two systems' rankings of the birds, stored the way an import stores them; ordered and packed once in a process."""
    import polars as pl

    from judging.collections.storage import saved_with_its_files, store_run
    from judging.models import Run

    def run(name, lists):
        if known := packed_runs.get((collection.name, name)):
            facts, content = known
            return saved_with_its_files(Run(collection=collection, created_by=researcher, **facts), file=content)
        rows = [(topic, docno, float(10 - i)) for topic, docnos in lists.items() for i, docno in enumerate(docnos)]
        frame = pl.DataFrame(rows, schema=["topic", "docno", "score"], orient="row")
        stored = store_run(frame, collection=collection, name=name, by=researcher, source_name=f"{name}.txt")
        with stored.file.storage.open(stored.file.name) as content:  # the test reads its own from the beginning
            packed_runs[collection.name, name] = {fact: getattr(stored, fact) for fact in FACTS}, content.read()
        return stored

    return [
        run("alpha", {"1": ["d1", "d2", "d4"], "2": ["d3", "d5", "d6"]}),
        run("beta", {"1": ["d2", "d6", "d1"], "2": ["d4", "d3", "d5"]}),
    ]


@pytest.fixture
def study(collection, runs, researcher):
    """A draft over the birds: both runs, two deep, two workers per item."""
    from judging.models import Study

    study = Study.objects.create(
        collection=collection, name="Bird study", instructions="Judge **birds**.", depth=2, overlap=2, created_by=researcher
    )
    study.runs.set(runs)
    study.members.add(researcher)
    return study


@pytest.fixture
def running(study):
    from judging.studies.launch import launch

    launch(study, seed=1)
    return study


@pytest.fixture
def make_worker():
    from judging.models import Worker

    def make(study, **fields):
        return Worker.objects.create(study=study, **fields)

    return make


@pytest.fixture
def rita(client, researcher):
    """The browser of the researcher, signed in."""
    client.force_login(researcher)
    return client


@pytest.fixture
def link(running, researcher):
    from judging.recruiting.invites import invite

    return invite(running, by=researcher)


@pytest.fixture
def joined(client, link):
    """A browser that came by the link and agreed."""
    from django.urls import reverse

    from judging.recruiting.invites import token_of

    client.get(reverse("follow_invite", args=[token_of(link)]))
    client.post(reverse("join"), {"agree": "1"})
    return client
