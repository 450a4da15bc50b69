"""Something of everything that the application keeps, for tests that walk through all its addresses."""

import pytest


@pytest.fixture
def wim(db):
    from judging.models import User

    return User.objects.create_user("wim", password="a long enough password")


@pytest.fixture
def compared(researcher, collection, runs, wim):
    """A side-by-side study of Rita's, of which Wim has judged a pair."""
    from uuid import uuid4

    from judging.models import Comparison, Study
    from judging.recruiting.invites import join
    from judging.studies.launch import launch
    from judging.work.answers import Answer, record_judgement
    from judging.work.assignment import next_slots
    from judging.work.pair_answers import PairAnswer
    from judging.work.tickets import ticket

    study = Study.objects.create(
        collection=collection, name="Compared", kind="side_by_side", created_by=researcher, instructions="x", depth=2
    )
    Comparison.objects.create(study=study)
    study.runs.set(runs)
    study.members.add(researcher)
    launch(study, seed=1)
    worker = join(study, user=wim)
    slot = next_slots(worker)[0]
    answer = Answer(key=uuid4(), grade=1, pair=PairAnswer(swapped=slot.swapped))
    record_judgement(worker=worker, item=slot.item, answer=answer)
    return {"compared": study.pk, "pair": ticket(worker, slot.item_id)}


@pytest.fixture
def experiments(researcher):
    """Rita's search site with an experiment that runs and one that is drafted."""
    from judging.experiments import drafts, lifecycle
    from judging.models import Arm, Site

    site = Site.objects.create(name="Bird shop", slug="bird-shop", owner=researcher)
    started, draft = (
        drafts.create(site, by=researcher, name=name, arms=[Arm(name="control", is_control=True), Arm(name="new")])
        for name in ("started", "draft")
    )
    lifecycle.start(started, by=researcher)
    return {"site": site.pk, "experiment": started.pk, "experiment_draft": draft.pk}


@pytest.fixture
def clicked(researcher, collection):
    """A site of Rita's with a search, and a report of its clicks."""
    from judging.logs.intake import receive
    from judging.models import Site
    from tests.metrics.logs.clicked_log import computed, search

    site = Site.objects.create(name="Bird clicks", slug="clicks", owner=researcher, collection=collection)
    receive(site, search(1, clicked="b"))
    computed(site)
    return site


@pytest.fixture
def logged(researcher, experiments):
    """What the site has sent: an event, and one that was refused since it came where queries belong."""
    from judging.logs import keys
    from judging.logs.intake import receive
    from judging.logs.record_list import place_of
    from judging.models import Event, Site

    site = Site.objects.get(pk=experiments["site"])
    receive(site, [{"action_name": "click", "timestamp": "2026-11-20T10:00:00Z"}])
    receive(site, [{"action_name": "buy", "timestamp": "2026-11-20T10:00:00Z"}], kind="query")
    return {"write_key": keys.make(site, by=researcher).pk, "record": str(place_of(Event.objects.get()))}


def files_of(collection, researcher) -> dict:
    """HTML, an image of it, and attachments of the first topic: one that is shown and one that was removed."""
    from django.core.files.base import ContentFile

    from judging.collections.attachments import attach, remove
    from judging.models import Image, Markup
    from tests.images import PNG

    document, topic = collection.documents.first(), collection.topics.first()
    Markup.objects.create(document=document, html="<p>Owls</p><img src=owl.png>")
    image = Image(collection=collection, kind="png", sha256="0", size=len(PNG), created_by=researcher)
    image.take_name("owl.png")
    image.file.save("image.png", ContentFile(PNG), save=False)
    image.save()
    shown = attach(topic, filename="shown.pdf", content=b"%PDF-1.4", by=researcher)
    removed = attach(topic, filename="removed.txt", content=b"Voles", by=researcher)
    remove(removed, by=researcher)
    return {"image": image.pk, "attachment": shown.pk, "removed_attachment": removed.pk}


def settled_item(item, researcher) -> int:
    from judging.labels.adjudications import adjudicate

    return adjudicate(item, grade=1, by=researcher).item_id


def found_duplicates(collection, researcher) -> int:
    from judging.collections.duplicate_search import find, search_near_duplicates

    search = search_near_duplicates(collection=collection, by=researcher)
    find(search.pk)
    return search.pk


@pytest.fixture
def world(researcher, study, runs, wim, compared, experiments, logged, clicked):
    """Something of everything, all of it Rita's; Wim has judged one item of her running study."""
    from uuid import uuid4

    import polars as pl

    from judging.collections.storage import store_qrels
    from judging.labels import gold_choice
    from judging.models import Bonus, Item, LinkRequest, OwnRun, Rule, Site, Study, Subscription, Upload, User
    from judging.recruiting import channels
    from judging.recruiting.arrivals import Claim, consent, make_readmission
    from judging.recruiting.invites import invite, join, token_of
    from judging.rules import enforcement
    from judging.studies.growth import add_items
    from judging.studies.launch import launch
    from judging.work.answers import Answer, record_judgement
    from judging.work.assignment import next_slots
    from judging.work.checks import designate
    from judging.work.enquiries import ask
    from judging.work.exclusions import exclude
    from judging.work.tickets import ticket
    from metrics.kinds.preferences.parts import PREFERENCES
    from metrics.kinds.quality.parts import QUALITY
    from metrics.kinds.runs.question import request_report
    from metrics.kinds.studies import request_study_report
    from metrics.tasks import begin_report, compute_part

    collection = study.collection
    page = Site.objects.create(name="Bird search", slug="birds", owner=researcher, collection=collection, has_page=True)
    running = Study.objects.create(
        collection=collection, name="Running", created_by=researcher, instructions="x", depth=2,
        questions=[{"name": "credible", "text": "Would you believe it?", "required": False}],
    )  # fmt: skip
    running.runs.set(runs)
    running.members.add(researcher)
    launch(running, seed=1)
    link = invite(running, by=researcher)
    worker = join(running, link=link, user=wim)
    item = next_slots(worker)[0].item
    record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=1, replies={"credible": 1}))
    program = join(running, user=User.objects.create_user("robot"), machine="Oracle 3")
    record_judgement(worker=program, item=next_slots(program)[0].item, answer=Answer(key=uuid4(), grade=2))
    check = running.items.filter(judgements=None).first()
    designate([check], Item.Role.GOLD, right=[1])
    outside = collection.documents.get(docno="d4")
    practised = gold_choice.add(
        running, role=Item.Role.TRAINING, topic=collection.topics.get(number="1"), document=outside, right=[0]
    )
    exclusion = exclude(join(running, link=link), reason="too fast")
    rule = enforcement.make(Rule(study=running, signal="run", threshold=30, action="warned"), by=researcher)
    channel = channels.add_channel(running, by=researcher, source="prolific")
    arrival = consent(channel, Claim("p1", "s1"))
    qrels = store_qrels(
        pl.DataFrame({"topic": ["1", "2"], "docno": ["d1", "d3"], "grade": [1, 2]}),
        collection=collection, name="official", by=researcher,
    )  # fmt: skip
    report = request_report(by=researcher, collection=collection, runs=[runs[0]], qrels=[qrels])
    begin_report(report.pk)
    compute_part(report.pk, str(runs[0].pk))
    for subject, kind in ((running, QUALITY), (Study.objects.get(pk=compared["compared"]), PREFERENCES)):
        trusted = request_study_report(kind, subject)
        begin_report(trusted.pk)
        for step in trusted.spec["steps"]:
            compute_part(trusted.pk, step)
    return {
        "collection": collection.pk,
        "topic": collection.topics.first().pk,
        "document": collection.documents.first().pk,
        "run": runs[0].pk,
        "qrels": qrels.pk,
        **files_of(collection, researcher),
        "duplicates": found_duplicates(collection, researcher),
        "own_run": OwnRun.objects.create(
            collection=collection, ranker="bm25-words", state="done", run=runs[0], created_by=researcher
        ).pk,
        "page": page.pk,
        "search": page.slug,
        "upload": Upload.objects.create(collection=collection, kind="run", filename="r", size=9, created_by=researcher).pk,
        "draft": study.pk,
        "running": running.pk,
        **compared,
        **experiments,
        **logged,
        "clicked": clicked.pk,
        "invite": link.pk,
        "token": token_of(link),
        "channel": channel.pk,
        "address": token_of(channel),
        "arrival": arrival.pk,
        "readmission": make_readmission(arrival, by=researcher),
        "addition": add_items(running, [("2", "d6")], by=researcher).addition.pk,
        "worker": worker.pk,
        "bonus": Bonus.objects.create(worker=worker, amount=1, reason="careful notes", by=researcher).pk,
        "enquiry": ask(worker=worker, item=item, text="Which sense of “owl”?").pk,
        "excluded": exclusion.worker_id,
        "exclusion": exclusion.pk,
        "machine": program.pk,
        "item": item.pk,
        "answered": ticket(worker, item.pk),
        "check": check.pk,
        "settled_item": settled_item(running.items.exclude(pk=item.pk).get(judgements__worker=program), researcher),
        "practised": practised.pk,
        "rule": rule.pk,
        "report": report.pk,
        **shared_with_anybody(report, researcher),
        "person": researcher.pk,
        **invited(),
        "subscription": Subscription.objects.create(
            user=researcher, kind="webhook", url="https://hooks.example/", nonce="n", events=[]
        ).pk,
        "asked": LinkRequest.objects.create(kind="reset", user=researcher).pk,
        "hypothesis": asked_about(collection, researcher).pk,
        "parked": given_up(collection).pk,
    }


def given_up(collection):
    """A task that failed too often, about what is Rita's."""
    from django.utils import timezone

    from judging.background.executions import park

    now = timezone.now()
    return park("judging.tasks.build_search_index", {"collection": collection.pk}, starts=3, between=(now, now), reason="killed")


def invited():
    """An invitation of an admin who is nobody else here."""
    from judging.accounts.invitations import invite
    from judging.accounts.link_tokens import token_of
    from judging.models import User

    made = invite(role="researcher", by=User.objects.create_superuser("inviting"), email="nina@example.org")
    return {"invitation": made.pk, "invited": token_of(made)}


def shared_with_anybody(report, researcher):
    from judging.recruiting.invites import token_of
    from metrics.shared_links import share

    link = share(report, days=30, by=researcher)
    return {"shared_link": link.pk, "shared": token_of(link)}


def asked_about(collection, researcher):
    """A hypothesis on two systems of which there is no evidence."""
    from judging.models import Hypothesis

    old, new = (collection.systems.create(name=name, created_by=researcher) for name in ("old", "new"))
    return Hypothesis.objects.create(a=old, b=new, created_by=researcher, expectations={})
