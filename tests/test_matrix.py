"""Every address, asked by every method, by everybody: laws that hold whatever a page is about.

`routes.py` says line by line what five people get. Here nobody has to say it: who has no right cannot tell what is there
from what is not, learns no word of it and changes nothing; wrong methods are 405; nothing is a 5xx. The short form asks each
address by the methods of its lines and by one other that takes turns, as half of the people; who has some right asks every
second of them. The long form (`make soak`) asks as all of them, by all methods, with bodies and parameters.
"""

import hashlib
import json
import re
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from itertools import cycle
from uuid import UUID

import pytest
from django.apps import apps
from django.db.models import Value
from django.db.models.functions import Concat
from django.test import Client

from tests import conftest, sharing, test_audited
from tests import world as worlds
from tests.conftest import SOAKING
from tests.routes import LINES, content_type, undone

pytestmark = [pytest.mark.one_database, pytest.mark.slow, pytest.mark.soak(short=True), pytest.mark.usefixtures("clients")]

SAFE = {"GET", "HEAD", "OPTIONS"}
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
# Whom the addresses are made for that hold these: everybody who has them.
BEARERS = ("{token}", "{invited}", "{address}", "{readmission}", "{shared}")
# Of one's own account, or ending the session that the test needs.
OWN = (
    *("/account/", "/logout/", "/login/", "/signup/", "/password/", "/confirm/", "/language/", "/demo/", "/tour/"),
    "/api/v1/tokens/",
)
# Rows that say what was asked, and not what there is.
KEPT_ANYWAY = {"judging.AuditEntry", "sessions.Session", "axes.AccessAttempt", "axes.AccessLog", "axes.AccessFailureLog"}
WORDS = {
    "Collection": ["name", "description", "notice"],
    "Topic": ["description", "narrative"],
    "Document": ["title", "text"],
    "Markup": ["html"],
    "Image": ["name"],
    "Attachment": ["name"],
    "Run": ["description"],
    "Qrels": ["name", "description"],
    "Study": ["name", "instructions"],
    "Upload": ["filename"],
    "Site": ["name"],
    "WriteKey": ["label"],
    "Experiment": ["hypothesis"],
    "Invite": ["label"],
    "Invitation": ["email"],
    "Channel": ["label"],
    "Exclusion": ["reason"],
    "Bonus": ["reason"],
}
OF_A_COLLECTION = {"Collection", "Topic", "Document", "Run", "Qrels", "Markup", "Image", "Attachment"}
# What else than nothing a role may read of Rita's.
READS = {
    # His study and bonus, the collection's notice.
    "wim": {"Study", "Topic", "Document", "Collection", "Bonus", "Markup", "Image", "Attachment"},
    "sites reader": {"Site", "Experiment"},
    "collections reader": OF_A_COLLECTION,
    "collections researcher": OF_A_COLLECTION | {"Upload", "Study"},  # which hold runs
    "sites researcher": {"Site", "Experiment", "WriteKey"},
    "studies reader": {"Study"},
    "studies judge": {"Study", "Collection", "Topic"},  # what the page says on which they agree
    "verdicts reader": {"Collection"},
    "reports reader": {"Collection", "Run", "Qrels", "Topic", "Document"},
    "member": OF_A_COLLECTION | {"Study", "Invite", "Channel", "Exclusion", "Bonus"},
}
OUTSIDERS = ["nobody", "stranger", "worker elsewhere"]
# Whom others stand for in the short form.
STOOD_FOR = {"worker elsewhere", "collections reader", "sites reader", "studies reader", "reports reader", "admin"}
# Ids of what is not theirs, where bodies and parameters name it.
NAMING = """
GET  /collections/?q={collection}
GET  /studies/new/?collection={collection}
POST /studies/new/?collection={collection}                  name=Mine&runs={run}&depth=1&overlap=1&instructions=x
GET  /reports/?collection={collection}
GET  /reports/new/?collection={collection}&runs={run}&qrels={qrels}
POST /reports/new/?collection={collection}                  runs={run}&qrels={qrels}&measures=AP
POST /sites/new/                                            name=Mine&collection={collection}
GET  /api/v1/runs/?collection={collection}
GET  /api/v1/qrels/?collection={collection}&study={running}
GET  /api/v1/uploads/?collection={collection}
GET  /api/v1/studies/?collection={collection}
GET  /api/v1/experiments/?site={site}
GET  /api/v1/reports/?collection={collection}
POST /api/v1/runs/                                          {"collection": {collection}, "name": "mine"}
POST /api/v1/qrels/                                         {"collection": {collection}, "name": "mine"}
POST /api/v1/uploads/                        {"collection": {collection}, "kind": "run", "filename": "r", "size": 9}
POST /api/v1/studies/                        {"collection": {collection}, "name": "M", "runs": [{run}], "instructions": "x"}
POST /api/v1/reports/                                       {"collection": {collection}, "runs": [{run}], "qrels": [{qrels}]}
POST /api/v1/sites/                                         {"name": "Mine", "collection": {collection}}
POST /api/v1/experiments/                                   {"site": {site}, "name": "mine"}
POST /api/v1/work/join/                                     {"study": {running}, "consent": true}
"""

db = sharing.db
researcher, stranger, admin = map(sharing.once, (conftest.researcher, conftest.stranger, conftest.admin))
collection, runs, study = map(sharing.once, (conftest.collection, conftest.runs, conftest.study))
wim, compared, world = map(sharing.once, (worlds.wim, worlds.compared, worlds.world))
experiments, logged, clicked = map(sharing.once, (worlds.experiments, worlds.logged, worlds.clicked))
things = sharing.once(test_audited.things)


def people(roles):
    return [pytest.param(role, marks=pytest.mark.soak) if role in STOOD_FOR else role for role in roles]


def canary(model):
    return f"zq{model.lower()}zq"


@sharing.once
def private(things):
    """Rita's world without its one public page, each row with a word that stands nowhere else."""
    from judging.models import Site

    Site.objects.update(has_page=False)
    for name, fields in WORDS.items():
        rows = apps.get_model("judging", name).objects.all()
        rows.update(**{field: Concat(field, Value(f" {canary(name)}")) for field in fields})
    return things


@sharing.once
def clients(private, stranger, researcher, admin, wim):
    """Everybody's way of asking: a browser signed in, or a program with a token."""
    from judging.models import Collection, Site, Study, User
    from judging.recruiting.invites import join

    def research(name):
        return User.objects.create_user(name, is_researcher=True)

    member, site_reader, collection_reader = map(research, ("mia", "rea", "col"))
    for study in Study.objects.all():
        study.members.add(member)
    for site in Site.objects.all():
        site.readers.add(site_reader)
    named = {role: research(f"named{place}") for place, role in enumerate(["collections researcher", "sites researcher"])}
    named |= {
        role: User.objects.create_user(f"reading{place}")
        for place, role in enumerate(["studies reader", "studies judge", "verdicts reader", "reports reader"])
    }
    for people, role in (
        ("Collection.members", "collections researcher"),
        ("Site.members", "sites researcher"),
        ("Study.readers", "studies reader"),
        ("Study.judges", "studies judge"),
        ("Hypothesis.readers", "verdicts reader"),
    ):
        model, relation = people.split(".")
        for row in apps.get_model("judging", model).objects.all():
            getattr(row, relation).add(named[role])
    for report in apps.get_model("metrics", "Report").objects.filter(kind="runs"):
        report.readers.add(named["reports reader"])
    own = Collection.objects.create(name="Elsewhere", owner=stranger)
    elsewhere = Study.objects.create(collection=own, name="Elsewhere", created_by=stranger, instructions="x", state="running")
    join(elsewhere, user=(worker := User.objects.create_user("wanda")))
    beside = Study.objects.create(
        collection_id=private["collection"], name="Beside", created_by=collection_reader, instructions="x"
    )
    beside.members.add(collection_reader)
    people = {
        "stranger": stranger,
        "worker elsewhere": worker,
        "wim": wim,
        "sites reader": site_reader,
        "collections reader": collection_reader,
        "member": member,
        **named,
        "owner": researcher,
        "admin": admin,
    }
    return {"nobody": client(), **{role: client(user) for role, user in people.items()}}


def client(user=None, **how):
    made = Client(raise_request_exception=False, **how)
    if user:
        made.force_login(user)
    return made


@pytest.fixture
def programs(private, researcher):
    """Rita's programs: with a token that may do all that she may, that only reads, that has expired, that is gone."""
    from judging.accounts import tokens
    from judging.models import Token

    made = {
        "full": tokens.make(researcher),
        "read-only": tokens.make(researcher, read_only=True),
        "expired": tokens.make(researcher),
        "revoked": tokens.make(researcher),
    }
    expired, revoked = made["expired"][0], made["revoked"][0]
    Token.objects.filter(pk=expired.pk).update(expiry=expired.created - timedelta(days=1))
    Token.objects.filter(pk=revoked.pk).delete()
    return {name: client(headers={"Authorization": f"Token {token}"}) for name, (_, token) in made.items()}


def asked_for(paths=None):
    """Method and path of every request: each path with its own methods, and with others."""
    own: dict[str, list[str]] = {}
    for method, path, *answers in LINES:
        if "503" in answers:
            continue  # it says so of the installation, to everybody
        if paths is None or path.startswith(paths):
            own.setdefault(path, []).append(method)
    turns = cycle(METHODS)
    for path, methods in own.items():
        chosen = {*methods, next(turns)}
        yield from ((method, path) for method in METHODS if SOAKING or method in chosen)


def with_bodies():
    """What could be sent by who may not: valid bodies, and ids of Rita's in all places where an id can stand."""
    tables = test_audited.lines(test_audited.LEAVE), (line.split(maxsplit=2) for line in NAMING.splitlines() if line)
    for method, path, _, *sent in tables[0]:
        if sent:
            yield method, path, sent[0]
    for method, path, *sent in tables[1]:
        yield method, path, "".join(sent)


def placed(text, things):
    """The text with the ids of the world in their places. JSON has braces of its own."""
    return re.sub(r"\{(\w+)\}", lambda name: str(things.get(name[1], name[0])), text)


def nothing_like(things):
    """The world's names of what there is not."""
    return {name: nothing(thing, place) for place, (name, thing) in enumerate(things.items())}


def nothing(thing, place):
    if isinstance(thing, int):
        return 900_000_000 + place
    return UUID(int=place) if isinstance(thing, UUID) else "q" * (20 + place)


def ask(browser, method, address, body=""):
    cookies = dict(browser.cookies)
    response = browser.generic(method, address, body, content_type=content_type(method, address))
    content = b"".join(response.streaming_content) if response.streaming else response.content
    browser.cookies.clear()
    browser.cookies.update(cookies)
    return response, content.decode(errors="replace")


def seen(browser, method, path, things, body=""):
    """What an answer tells, but for ids, other numbers and what is new in each answer."""
    response, content = ask(browser, method, placed(path, things), placed(body, things))
    answer = f"{response.headers.get('Location', '')}\n{response.headers.get('Allow', '')}\n{content}"
    for text in sorted((str(thing) for thing in things.values() if not isinstance(thing, int)), key=len, reverse=True):
        answer = answer.replace(text, "N")
    answer = re.sub(r'(csrfmiddlewaretoken" value|nonce|content)="[^"]*"', "", answer)
    return response.status_code, response.headers.get("Content-Type"), re.sub(r"\d+", "N", answer)


def told_to(role, content):
    """What the content tells that the role may not know."""
    return [name for name in WORDS if name not in READS.get(role, ()) and canary(name) in content]


def difference(real, other):
    """Two statuses, and where the texts part."""
    place = next((place for place, (left, right) in enumerate(zip(real[-1], other[-1], strict=False)) if left != right), 0)
    return real[0], other[0], *(answer[-1][max(0, place - 30) : place + 60] for answer in (real, other) if real[-1] != other[-1])


@contextmanager
def unchanged():
    """Requests after which each table is as it was; then they are undone all the same."""
    with undone():
        before = state()
        yield
        after = state()
        assert [table for table in before if before[table] != after[table]] == []


def state():
    """A hash of each table's rows, but for when tokens were last used."""
    return {
        model._meta.label: hashlib.sha256(repr(sorted(map(repr, rows_of(model)))).encode()).hexdigest()
        for model in apps.get_models()
        if model._meta.label not in KEPT_ANYWAY
    }


def rows_of(model):
    fields = [field.attname for field in model._meta.concrete_fields if field.attname not in {"last_used", "last_login"}]
    return model._default_manager.values_list(*fields)


@pytest.mark.parametrize("role", people(OUTSIDERS))
def test_who_has_no_right_cannot_tell_what_is_there(clients, private, role):
    browser, fake, wrong = clients[role], nothing_like(private), []
    requests = [(*request, "") for request in asked_for()] + (list(with_bodies()) if SOAKING else [])
    with unchanged():
        for method, path, body in requests:
            if path.startswith(OWN) or any(bearer in path for bearer in BEARERS):
                continue
            answers = []
            for things in (private, fake):
                with undone() if body else nullcontext():  # strangers research, too, and make things of their own
                    answers.append(seen(browser, method, path, things, body))
            real, other = answers
            if real[0] >= 500 or real != other or told_to(role, real[-1]):
                wrong.append((method, path, body, *difference(real, other), told_to(role, real[-1])))
    assert wrong == []


@pytest.mark.parametrize("role", people(READS))
def test_who_has_some_right_learns_no_more(clients, private, role):
    wrong, place = [], list(READS).index(role)
    for number, (method, path) in enumerate(asked_for()):
        if not SOAKING and (number + place) % 2:
            continue
        with undone():
            response, content = ask(clients[role], method, placed(path, private))
        secrets = told_to(role, content) if not any(bearer in path for bearer in BEARERS) else []
        if response.status_code >= 500 or secrets:
            wrong.append((method, path, response.status_code, secrets))
    assert wrong == []


@pytest.mark.parametrize("role", people(["owner", "admin"]))
def test_wrong_methods_are_405_and_the_answer_says_which_are_right(clients, private, role):
    wrong, methods = [], {}
    for method, path in asked_for():
        address = placed(path, private)
        with undone():
            response, _ = ask(clients[role], method, address)
            if address not in methods:
                methods[address] = ask(clients[role], "BREW", address)[0].headers.get("Allow", "").split(", ")
        allowed = methods[address]
        lies = (
            method in allowed if response.status_code == 405 else method not in allowed and response.status_code not in {401, 403}
        )
        lies = lies and allowed != [""] and method != "OPTIONS"
        if response.status_code >= 500 or lies:
            wrong.append((method, path, response.status_code, allowed))
    assert wrong == []


def test_a_token_that_only_reads_changes_nothing(programs, private):
    wrong = []
    with unchanged():
        for method, path in asked_for("/api/"):
            response, _ = ask(programs["read-only"], method, placed(path, private))
            if response.status_code >= 500 or (method not in SAFE and response.status_code not in {401, 403}):
                wrong.append((method, path, response.status_code))
    assert wrong == []


@pytest.mark.parametrize("token", ["expired", "revoked"])
def test_a_token_that_ended_is_worth_as_much_as_none(programs, clients, private, token):
    wrong = []
    with unchanged():
        for method, path in asked_for("/api/"):
            response, content = ask(programs[token], method, placed(path, private))
            bare, _ = ask(clients["nobody"], method, placed(path, private))
            if response.status_code not in {401, bare.status_code} or told_to("nobody", content):
                wrong.append((method, path, response.status_code, bare.status_code))
    assert wrong == []


def test_a_token_opens_no_page(programs, clients, private):
    wrong = []
    for method, path in asked_for():
        if path.startswith("/api/") or any(bearer in path for bearer in BEARERS):
            continue
        with undone():
            got, bare = (
                ask(visitor, method, placed(path, private))[0].status_code for visitor in (programs["full"], clients["nobody"])
            )
        if got != bare:
            wrong.append((method, path, got, bare))
    assert wrong == []


def test_a_page_of_somebody_else_changes_nothing(private, researcher):
    """As a browser would send it from there: with Rita's session, without the token of a form."""
    forged, wrong = client(researcher, enforce_csrf_checks=True), []
    with unchanged():
        for method, path in asked_for():
            if method in SAFE:
                continue
            response, _ = ask(forged, method, placed(path, private))
            if response.status_code not in {401, 403, 404, 405}:
                wrong.append((method, path, response.status_code))
    assert wrong == []


def test_bodies_name_what_there_is(private):
    """Bodies in tables above are of use only while they name the world's things, and are what the content type says."""
    for method, path, body in with_bodies():
        if path.startswith("/api/") and body:
            json.loads(placed(body, private))
        assert not re.search(r"\{[a-z_]+\}", placed(path + body, private)), (method, path)
