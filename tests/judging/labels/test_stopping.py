"""Whether a study may end: by topics in the order in which they were begun, for whoever may see the study."""

from dataclasses import replace
from uuid import uuid4

import polars as pl
import pytest
from rest_framework.test import APIClient

from judging.collections.storage import store_run
from judging.labels import stopping
from judging.labels.settlement import settle_as_qrels
from judging.models import Collection, Document, Slot, Study, Topic, Worker
from judging.models.slot import SPAN
from judging.recruiting.invites import join
from judging.studies import growth
from judging.studies.launch import launch
from judging.work.answers import Answer, record_judgement
from judging.work.assignment import next_slots

pytestmark = pytest.mark.django_db
TOPICS = 40


@pytest.fixture
def crowded(researcher):
    """A study of two runs over forty topics of three documents each: “good” has the relevant one first, but for every eighth."""
    collection = Collection.objects.create(name="Birds", owner=researcher)
    numbers = [str(number) for number in range(1, TOPICS + 1)]
    Topic.objects.bulk_create([Topic(collection=collection, number=number, title="owls") for number in numbers])
    names = [f"{kind}{number}" for number in numbers for kind in ("right", "wrong", "late")]
    Document.objects.bulk_create([Document(collection=collection, docno=name, text="Owls.") for name in names])
    runs = []
    for name, turned in (("good", 8), ("bad", 1)):
        rows = []
        for number in numbers:
            kinds = ["right", "wrong", "late"] if int(number) % turned else ["wrong", "right", "late"]
            rows += [(number, f"{kind}{number}", 3.0 - place) for place, kind in enumerate(kinds)]
        frame = pl.DataFrame(rows, schema=["topic", "docno", "score"], orient="row")
        runs.append(store_run(frame, collection=collection, name=name, by=researcher))
    study = Study.objects.create(
        collection=collection, name="Crowded", created_by=researcher, instructions="x", depth=3, overlap=1
    )
    study.runs.set(runs)
    study.members.add(researcher)
    launch(study, seed=1)
    return study


def work(study, number, worker=None):
    """A worker judges so many documents, as they come."""
    worker = worker or join(study)
    for _ in range(number):
        (slot, *_) = next_slots(worker)
        grade = 3 if slot.item.document.docno.startswith("right") else 0
        record_judgement(worker=worker, item=slot.item, answer=Answer(key=uuid4(), grade=grade))
    return worker


def test_a_clear_order_is_settled_long_before_the_end(crowded, rita):
    work(crowded, 20 * 3)
    result = stopping.stopping_of(crowded)
    assert (result.judged, result.is_settled, result.best) == (20, True, "good")
    (duel,) = result.duels
    assert duel.seen_from("good").low > 0
    page = rita.get(f"/studies/{crowded.pk}/stopping/").content.decode()
    assert "Stop now: good is better than bad." in page
    assert "By the 20 topics that were begun first, of 40." in page
    assert rita.get(f"/studies/{crowded.pk}/").content.decode().count(f'hx-get="/studies/{crowded.pk}/stopping/"') == 1


def test_what_it_says_is_what_a_report_on_these_topics_says(crowded, researcher):
    """The same mean difference, by the grades that settling keeps."""
    from ireval import evaluate
    from judging.collections.storage import qrels_frame, run_frame

    work(crowded, 20 * 3)
    qrels = qrels_frame(settle_as_qrels(crowded, by=researcher))
    good, bad = (evaluate(run_frame(run), qrels, "nDCG@3").values["nDCG@3"].mean() for run in crowded.runs.order_by("-name"))
    (duel,) = stopping.stopping_of(crowded).duels
    assert duel.seen_from("good").value == pytest.approx(good - bad)


def test_before_ten_topics_nothing_is_said_but_how_many(crowded, rita):
    work(crowded, 4 * 3)
    result = stopping.stopping_of(crowded)
    assert (result.judged, result.orders, result.more) == (4, [], 18)
    assert (
        "Too early to tell: 4 of the first 10 topics are judged." in rita.get(f"/studies/{crowded.pk}/stopping/").content.decode()
    )


def test_a_topic_that_was_left_keeps_back_those_begun_after_it(crowded):
    leaver = work(crowded, 11 * 3 + 1)  # the twelfth topic is left after a document
    assert stopping.stopping_of(crowded).judged == 11
    left = Slot.objects.filter(worker=leaver).latest("judged_at").position // SPAN
    follower = Worker.objects.create(study=crowded, start=(left + 5) % TOPICS * SPAN)
    work(crowded, 6 * 3, follower)
    result = stopping.stopping_of(crowded)
    assert (result.judged, sum(not topic.waiting for topic in result.topics)) == (11, 17)


def test_topics_that_were_added_later_do_not_count(crowded, researcher):
    Topic.objects.create(collection=crowded.collection, number="new", title="owls")
    growth.add_items(crowded, [("new", "right1")], by=researcher)
    assert "new" not in {topic.number for topic in stopping.stopping_of(crowded).topics}


def test_a_document_that_is_added_to_a_topic_must_be_judged_first(crowded, researcher):
    work(crowded, 12 * 3)
    before = stopping.stopping_of(crowded)
    assert before.judged == 12
    third = before.topics[2].number
    growth.add_items(crowded, [(third, f"late{TOPICS - int(third) + 1}")], by=researcher)
    assert stopping.stopping_of(crowded).judged == 2
    (slot,) = Slot.objects.filter(item__topic__number=third, judged_at__isnull=True)
    work(crowded, 1, Worker.objects.create(study=crowded, start=slot.position // SPAN * SPAN))
    assert stopping.stopping_of(crowded).judged == 12


def test_what_is_not_settled_names_the_difference_that_would_be(crowded):
    work(crowded, 12 * 3)
    result = stopping.stopping_of(crowded)
    close = result.duels[0]._replace(decision=result.duels[0].decision._replace(outcome="none", value=-0.0312), needed=390)
    result = replace(result, orders=[close])
    assert stopping.beyond(result) == (
        f"It would take about 390 topics to tell {close.first} from {close.second}, if their difference in nDCG@3 stays at "
        "+0.0312; this study has 40."
    )
    near = replace(result, orders=[close._replace(needed=30)])
    assert stopping.beyond(near).startswith(f"As many tell {close.first} from {close.second}, if their difference")


def test_the_page_leads_on(crowded, rita):
    address = f"/studies/{crowded.pk}/stopping/"
    early = rita.get(address).content.decode()
    assert f'href="/studies/{crowded.pk}/#invite"' in early
    assert "The judgements until then take about 13 minutes of work." in early
    Slot.objects.filter(study=crowded).update(number=None)  # nothing is open
    done = rita.get(address).content.decode()
    assert f'href="/studies/{crowded.pk}/results/"' in done and "Ask for a report" in done


def test_the_api_says_the_same(crowded, researcher):
    client = APIClient()
    client.force_authenticate(researcher)
    early = client.get(f"/api/v1/studies/{crowded.pk}/stopping/").json()
    assert (early["sentence"], early["duels"]) == ("Too early to tell: 0 of the first 10 topics are judged.", [])
    work(crowded, 20 * 3)
    answer = client.get(f"/api/v1/studies/{crowded.pk}/stopping/").json()
    assert answer["sentence"] == "Stop now: good is better than bad."
    assert (answer["judged"], answer["topics"], answer["best"]) == (20, 40, "good")
    (duel,) = answer["duels"]
    assert duel["low"] > 0
    assert (duel["against"], duel["better"]) == ("bad", "good")


def test_one_run_has_no_order(running, rita, runs):
    running.runs.set(runs[:1])
    assert "two runs or more" in rita.get(f"/studies/{running.pk}/stopping/").content.decode()
    assert "stopping" not in rita.get(f"/studies/{running.pk}/").content.decode()


def test_a_draft_leads_to_where_it_is_launched(study, rita):
    page = rita.get(f"/studies/{study.pk}/stopping/").content.decode()
    assert f'<a href="/studies/{study.pk}/">Choose its runs, and launch it</a>' in page


def test_few_topics_cannot_end_early(running, rita):
    assert "With fewer than 10 topics" in rita.get(f"/studies/{running.pk}/stopping/").content.decode()


def test_documents_that_come_first_spoil_the_order(crowded, rita):
    from judging.work.priority import prioritise

    prioritise(crowded, [crowded.items.last().pk])
    assert "do not come in random order" in rita.get(f"/studies/{crowded.pk}/stopping/").content.decode()


def test_a_stranger_finds_nothing(crowded, client, stranger):
    client.force_login(stranger)
    assert client.get(f"/studies/{crowded.pk}/stopping/").status_code == 404
