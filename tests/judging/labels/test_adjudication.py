"""Adjudication: a person settles what workers disagree on; the qrels say so, and no judgement changes."""

import io
from uuid import uuid4

import polars as pl
import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from judging.errors import Impossible, Unacceptable
from judging.labels import adjudications, exports, results, settlement
from judging.labels.adjudications import adjudicate, withdraw
from judging.models import Adjudication, AuditEntry, Item, Judgement, User
from judging.work.answers import Answer, record_judgement
from judging.work.exclusions import exclude, lift_all
from tests import conftest, sharing

db = sharing.db
researcher, collection, runs, study, running = map(
    sharing.once, (conftest.researcher, conftest.collection, conftest.runs, conftest.study, conftest.running)
)
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("judged")]
VOTES = ([3, 2, 0, 2, 0, 1], [3, 0, 0, 1, 0, 1])  # of two workers, on the six items in the order of the pool


@sharing.once
def judged(running):
    from judging.models import Worker

    for grades in VOTES:
        worker = Worker.objects.create(study=running)
        for item, grade in zip(running.items.order_by("position"), grades, strict=True):
            answer = Answer(key=uuid4(), grade=grade, comment=f"a note of {worker}")
            record_judgement(worker=worker, item=item, answer=answer)
    return running


@pytest.fixture
def disputed(judged):
    return list(judged.items.order_by("position"))[1]


def grades(frame):
    return {(topic, docno): grade for topic, docno, grade in frame.select("topic", "docno", "grade").iter_rows()}


def name(item):
    return item.topic.number, item.document.docno


def test_the_queue_has_what_workers_disagree_on_in_the_order_of_the_pool(judged, researcher):
    items = list(judged.items.order_by("position"))
    assert list(adjudications.queue(judged)) == [items[1], items[3]]
    assert adjudications.next_in_queue(judged) == items[1]
    assert adjudications.next_in_queue(judged, after=items[1].position) == items[3]
    assert adjudications.next_in_queue(judged, after=items[3].position) == items[1]
    adjudicate(items[1], grade=0, by=researcher)
    adjudicate(items[3], grade=0, by=researcher)
    assert adjudications.next_in_queue(judged) is None


def test_whoever_has_no_vote_disagrees_with_nobody(judged, researcher):
    exclude(judged.workers.last(), reason="spam", by=researcher)
    assert not adjudications.queue(judged).exists()


def test_whoever_took_the_place_of_somebody_let_in_again_decides_nothing(judged, researcher, rita, make_worker):
    """The queue, the pages, the grades and what is known of workers all count the same votes."""
    agreed, spammer = judged.items.order_by("position").first(), judged.workers.last()
    exclude(spammer, reason="spam", by=researcher)
    record_judgement(worker=(third := make_worker(judged)), item=agreed, answer=Answer(key=uuid4(), grade=0))
    assert agreed in adjudications.queue(judged)
    lift_all([spammer], by=researcher)
    assert agreed not in adjudications.queue(judged)
    assert results.votes(judged).filter(topic=agreed.topic.number, docno=agreed.document.docno)["grade"].to_list() == [3, 3]
    rows = rita.get(reverse("adjudicate", args=[judged.pk, agreed.pk])).context["judgements"]
    assert [(judgement.worker, votes) for judgement, _, votes in rows if not votes] == [(third, False)]
    listed = {item: votes for item, votes, *_ in rita.get(reverse("study_items", args=[judged.pk])).context["rows"]}
    assert listed[agreed] == [(3, 2)]


def test_a_changed_mind_counts_as_it_is_now(judged, disputed):
    worker = judged.workers.last()
    record_judgement(worker=worker, item=disputed, answer=Answer(key=uuid4(), grade=2))
    assert disputed not in adjudications.queue(judged)


def test_checks_are_not_adjudicated(judged, disputed):
    Item.objects.filter(pk=disputed.pk).update(role=Item.Role.GOLD, right=[1])
    assert disputed not in adjudications.queue(judged)


def test_settled_grades_say_so_in_the_qrels_and_nothing_of_the_judgements_changes(judged, disputed, researcher):
    before = list(Judgement.objects.order_by("pk").values())
    adjudicate(disputed, grade=3, comment="Says all of it.", by=researcher)
    kept = settlement.settle_as_qrels(judged, by=researcher, method="majority")
    assert list(Judgement.objects.order_by("pk").values()) == before
    assert (kept.recipe["adjudicated grades"], kept.recipe["adjudicated by"]) == (1, "rita")
    assert "1 grade adjudicated" in kept.description
    content = io.BytesIO()
    exports.write_qrels(settlement.settled_grades(judged, "majority"), content, "csv")
    rows = pl.read_csv(content.getvalue(), schema_overrides={"topic": pl.String})
    topic, docno = name(disputed)
    settled = rows.filter(pl.col("adjudicated") == 1)
    assert settled.select("topic", "docno", "grade", "confidence", "p3", "p0").rows() == [(topic, docno, 3, 1, 1, 0)]
    assert rows.height == 6 and rows["adjudicated"].sum() == 1
    stored = kept.grades.get(topic=topic, docno=docno)
    assert (stored.grade, stored.votes, stored.uncertainty["adjudicated"]) == (3, 2, 1)


@pytest.mark.parametrize("method", ["majority", "ordinal", "median"])
def test_by_every_method_the_settled_grade_stands(judged, disputed, researcher, method):
    by_votes = grades(settlement.settled_grades(judged, method))
    adjudicate(disputed, grade=1, by=researcher)
    settled = grades(settlement.settled_grades(judged, method))
    assert settled == by_votes | {name(disputed): 1}


def test_without_any_the_qrels_are_as_they_were(judged, researcher):
    kept = settlement.settle_as_qrels(judged, by=researcher, method="majority")
    assert "adjudicated" not in kept.columns and "adjudicated grades" not in kept.recipe


def test_a_settled_grade_outlives_the_votes(judged, disputed, researcher):
    adjudicate(disputed, grade=3, by=researcher)
    first, last = judged.workers.all()
    exclude(first, reason="spam", by=researcher)
    Judgement.objects.filter(worker=last, item=disputed).update(grade=None, cannot_judge="other")
    frame = settlement.settled_grades(judged, "majority")
    assert grades(frame)[name(disputed)] == 3
    assert frame.filter(pl.col("adjudicated") == 1)["votes"].to_list() == [0]


def test_the_same_grades_are_a_version_of_their_own_once_some_are_adjudicated(judged, disputed, researcher):
    first = settlement.settle_as_qrels(judged, by=researcher, method="majority")
    agreed = judged.items.order_by("position").first()
    adjudicate(agreed, grade=3, by=researcher)  # what both workers said
    second = settlement.settle_as_qrels(judged, by=researcher, method="majority")
    assert (second.version, second.columns[-1]) == (first.version + 1, "adjudicated")
    assert settlement.settle_as_qrels(judged, by=researcher, method="majority") == second


def test_another_grade_takes_the_place_of_the_one_before(judged, disputed, researcher):
    first = adjudicate(disputed, grade=3, by=researcher)
    second = adjudicate(disputed, grade=2, by=researcher, instead_of=first.pk)
    first.refresh_from_db()
    assert adjudications.standing_of(disputed) == second
    assert first.withdrawn_by == researcher
    assert Adjudication.objects.count() == 2


def test_of_two_at_once_the_second_hears_of_the_first(judged, disputed, researcher):
    adjudicate(disputed, grade=3, by=researcher)
    with pytest.raises(Impossible, match="rita settled it on 3 a moment ago"):
        adjudicate(disputed, grade=0, by=researcher)
    assert adjudications.standing_of(disputed).grade == 3


def test_taken_back_the_votes_decide_again(judged, disputed, researcher):
    by_votes = grades(settlement.settled_grades(judged, "majority"))
    standing = adjudicate(disputed, grade=3, by=researcher)
    assert withdraw(standing, by=researcher)
    assert not withdraw(standing, by=researcher)
    assert grades(settlement.settled_grades(judged, "majority")) == by_votes
    assert list(AuditEntry.objects.filter(deed="adjudged").order_by("pk").values_list("about", flat=True)) == [
        f"{adjudications.name_of(disputed)}: grade 3",
        f"{adjudications.name_of(disputed)}: grade 3 taken back",
    ]


def test_a_grade_is_of_the_studys_scale(disputed, researcher):
    with pytest.raises(Unacceptable):
        adjudicate(disputed, grade=4, by=researcher)
    assert not Adjudication.objects.exists()


def test_what_nobody_has_judged_is_not_adjudicated(disputed, researcher, make_worker, collection):
    pooled = disputed.study.items.filter(topic=disputed.topic).values("document")
    other = collection.documents.exclude(pk__in=pooled).first()
    item = Item.objects.create(study=disputed.study, topic=disputed.topic, document=other, position=99)
    with pytest.raises(Impossible, match="Nobody has judged"):
        adjudicate(item, grade=1, by=researcher)


def test_nothing_is_left_of_an_adjudication_that_fails(disputed, researcher, monkeypatch):
    monkeypatch.setattr(adjudications, "note", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        adjudicate(disputed, grade=3, by=researcher)
    assert not Adjudication.objects.exists()


def test_the_database_keeps_one_settled_grade_an_item(disputed, researcher):
    adjudicate(disputed, grade=3, by=researcher)
    with pytest.raises(IntegrityError), transaction.atomic():
        Adjudication.objects.create(item=disputed, grade=1, by=researcher)


# Pages


def address(item, page="adjudicate"):
    return reverse(page, args=[item.study_id, item.pk])


def test_the_queue_leads_from_item_to_item(rita, judged, disputed):
    begin = reverse("adjudicate_next", args=[judged.pk])
    assert rita.get(begin).url == address(disputed)
    page = rita.get(address(disputed)).content.decode()
    first, last = judged.workers.all()
    assert f"a note of {first}" in page and f"a note of {last}" in page
    assert disputed.document.text[:20] in page or disputed.document.docno in page
    assert "2 items on which workers disagree" in page
    answer = rita.post(address(disputed), {"grade": "1", "comment": "One sense of it."}, follow=True)
    assert [redirect for redirect, _ in answer.redirect_chain][-1] == address(adjudications.queue(judged).get())
    assert "is settled on 1" in answer.content.decode()
    answer = rita.post(answer.redirect_chain[-1][0], {"grade": "2"}, follow=True)
    assert "Nothing to adjudicate" in answer.content.decode()
    items = rita.get(reverse("study_items", args=[judged.pk]) + "?settled=1").content.decode()
    assert items.count("by rita") == 2
    assert "2 grades adjudicated" in rita.get(reverse("study_results", args=[judged.pk])).content.decode()


def test_a_settled_grade_can_be_taken_back_on_its_page(rita, disputed, researcher):
    adjudicate(disputed, grade=3, comment="<b>", by=researcher)
    page = rita.get(address(disputed)).content.decode()
    assert "Take it back" in page and "“&lt;b&gt;”" in page
    page = rita.post(address(disputed, "adjudication_withdraw"), follow=True).content.decode()
    assert "What the workers said decides again" in page and "taken back by rita" in page


def test_a_stale_page_changes_nothing(rita, disputed, researcher):
    adjudicate(disputed, grade=3, by=researcher)
    page = rita.post(address(disputed), {"grade": "0", "instead_of": ""}, follow=True).content.decode()
    assert "rita settled it on 3 a moment ago" in page
    assert adjudications.standing_of(disputed).grade == 3


@pytest.mark.parametrize("sent", [{}, {"grade": "9"}, {"grade": "x"}, {"grade": "1", "comment": "x" * 2001}, {"instead_of": "0"}])
def test_what_is_no_grade_is_complained_of(rita, disputed, sent):
    assert rita.post(address(disputed), sent).status_code == 422
    assert not Adjudication.objects.exists()


@pytest.fixture
def expert(client, rita, judged, db):
    """A browser of somebody who is no researcher, but whom Rita named."""
    from django.test import Client

    User.objects.create_user("otto", password="a long enough password")
    rita.post(reverse("experts_name", args=[judged.pk]), {"names": "otto\n"})
    otto = Client()
    otto.force_login(User.objects.get(username="otto"))
    return otto


def test_an_expert_settles_grades_and_sees_nothing_else(expert, judged, disputed):
    begin = reverse("adjudicate_next", args=[judged.pk])
    assert begin in expert.get("/").content.decode()
    page = expert.get(begin, follow=True).content.decode()
    assert "What the workers said" in page and "Who else settles grades" not in page
    expert.post(address(disputed), {"grade": "2"})
    assert adjudications.standing_of(disputed).by.username == "otto"
    for name in ("study", "study_judgements", "study_items", "study_workers", "study_results"):
        assert expert.get(reverse(name, args=[judged.pk])).status_code == 404
    assert expert.post(reverse("experts_name", args=[judged.pk]), {"names": ""}).status_code == 404
    assert expert.get(reverse("document", args=[disputed.document_id])).status_code == 404


def test_an_expert_is_one_no_longer(expert, rita, judged, disputed):
    rita.post(reverse("experts_name", args=[judged.pk]), {"names": ""})
    assert expert.get(address(disputed)).status_code == 404
    entries = AuditEntry.objects.filter(deed="access").order_by("pk").values_list("about", flat=True)
    assert [about.rpartition(": ")[2] for about in entries] == ["otto", "nobody"]


def test_an_expert_whom_nobody_knows_changes_nothing(rita, judged):
    page = rita.post(reverse("experts_name", args=[judged.pk]), {"names": "rita\nnobody"}, follow=True).content.decode()
    assert "There is no account “nobody”" in page
    assert not judged.experts.exists()


def test_another_researcher_finds_nothing(client, stranger, judged, disputed):
    client.force_login(stranger)
    for url in (reverse("adjudicate_next", args=[judged.pk]), address(disputed)):
        assert client.get(url).status_code == 404
    assert client.post(address(disputed), {"grade": "1"}).status_code == 404
    assert not Adjudication.objects.exists()
