"""Practice before the work: said openly, the right grade told after each answer and in nothing that is sent before."""

from uuid import uuid4

import pytest
from django.urls import reverse

from judging.labels import gold_choice, training
from judging.models import Item, Judgement, Slot, Worker
from judging.studies import launch
from judging.work import assignment, checks
from judging.work.answers import Answer, record_judgement
from judging.work.tickets import ticket
from tests.judging.work.test_judge_page import form_of, judge_url

pytestmark = pytest.mark.django_db
SCRIPT = {"X-Requested-With": "fetch"}
SECRET = "Voles are named as prey."


@pytest.fixture
def practised(running):
    """Two items in training, on documents that are outside of the pool."""
    topic = running.collection.topics.get(number="1")
    documents = running.collection.documents
    item = gold_choice.add(
        running, role=Item.Role.TRAINING, topic=topic, document=documents.get(docno="d3"), right=[2, 3], explanation=SECRET
    )
    other = gold_choice.add(running, role=Item.Role.TRAINING, topic=topic, document=documents.get(docno="d4"), right=[0])
    running.refresh_from_db()
    return [item, other]


def answer(client, link, grade, **more):
    form = form_of(client.get(judge_url(link)))
    return client.post(judge_url(link), {**form, "practice": "1", "grade": grade, **more}, follow=True)


def name_of(item):
    return ticket(Worker.objects.get(), item.pk)


def text(response):
    return response.content.decode()


def test_practice_is_said_and_the_answer_is_not_sent_before(practised, joined, link):
    page = text(joined.get(judge_url(link)))
    assert "Practice 1 of 2: you will see the right answer after yours." in page
    ahead = text(joined.get(reverse("judge_ahead", args=[link.study_id]), {"have": name_of(practised[0])}))
    assert "Practice 2 of 2" in ahead
    for sent in (page, ahead):
        assert SECRET not in sent
        assert "Not quite" not in sent
        assert 'class="alert' not in sent


def test_without_a_script_the_answer_leads_to_what_is_right_and_on(practised, joined, link):
    page = answer(joined, link, 0)
    assert page.redirect_chain[-1][0] == reverse("judge_again", args=[link.study_id, name_of(practised[0])])
    assert "Not quite" in text(page)
    assert "Each of these is right:" in text(page)
    assert "<kbd>2</kbd> Relevant</strong>, <strong><kbd>3</kbd> Highly relevant</strong>." in text(page)
    assert SECRET in text(page)
    assert text(joined.get(page.redirect_chain[-1][0])).count(SECRET) == 1  # a page of its own, to be read again
    assert "Practice 2 of 2" in text(joined.get(judge_url(link)))
    assert "That’s right</h2>" in text(answer(joined, link, 0))
    assert "Practice" not in text(joined.get(judge_url(link)))


def test_with_the_script_what_is_right_comes_beside_the_next_item(practised, joined, link):
    form = {**form_of(joined.get(judge_url(link))), "practice": "1", "grade": "2"}
    reply = text(joined.post(judge_url(link), form, headers=SCRIPT))
    assert f'data-item="{name_of(practised[1])}"' in reply
    assert "That’s right</h2>" in reply
    assert SECRET in reply


def test_a_wrong_answer_may_be_tried_again(practised, joined, link):
    page = answer(joined, link, 0)
    form = {**form_of(page), "practice": "1", "grade": "3"}
    assert "That’s right</h2>" in text(joined.post(judge_url(link), form, follow=True))
    assert list(Judgement.objects.order_by("id").values_list("grade", flat=True)) == [0, 3]
    assert not Worker.objects.get().exclusions.exists()


def test_who_cannot_judge_is_told_as_well(practised, joined, link):
    form = form_of(joined.get(judge_url(link)))
    page = joined.post(judge_url(link), {**form, "practice": "1", "cannot_judge": "unclear"}, follow=True)
    assert "Not quite" in text(page)
    assert SECRET in text(page)


@pytest.mark.parametrize("role", [Item.Role.WORK, Item.Role.TEST, Item.Role.GOLD])
@pytest.mark.parametrize("headers", [{}, SCRIPT])
def test_asking_for_feedback_on_anything_else_tells_nothing(running, joined, link, role, headers):
    if role != Item.Role.WORK:
        items = list(running.items.order_by("position"))
        items = items[1:3] + items[4:] if role == Item.Role.GOLD else items  # gold comes with work of its topic
        checks.designate(items, role, right=[1], explanation=SECRET)
    running.__class__.objects.update(gold_every=1)
    plain = joined.post(judge_url(link), {**form_of(joined.get(judge_url(link))), "grade": "0"}, headers=headers)
    form = {**form_of(joined.get(judge_url(link))), "practice": "1", "grade": "0"}
    response = joined.post(judge_url(link), form, headers=headers)
    assert (response.status_code, response.headers.get("Location")) == (plain.status_code, plain.headers.get("Location"))
    assert SECRET not in text(response)
    assert 'class="alert' not in text(response)


def test_answers_of_others_say_nothing(practised, running, make_worker):
    worker, other = make_worker(running), make_worker(running)
    (slot,) = assignment.next_slots(worker)
    record_judgement(worker=worker, item=slot.item, answer=Answer(key=uuid4(), grade=2))
    assert training.feedback(worker, slot.item_id).is_right
    assert training.feedback(other, slot.item_id) is None


def test_the_pages_of_other_items_do_not_change_with_training(running, practised, make_worker, django_assert_num_queries):
    from django.test import RequestFactory

    from judging.views.item_page import with_slot

    worker = make_worker(running)
    Slot.objects.filter(item__in=practised).delete()
    item = running.items.select_related("topic", "document").first()
    item.study, item.has_files = running, False
    slot = Slot(item=item, study=running)
    slot.done = 0
    with django_assert_num_queries(0):
        assert "Practice" not in with_slot("judging/judge.html", RequestFactory().get("/"), worker, slot)


# What researchers do


def order(study):
    return [item.document.docno for item in training.items_of(study)]


def address(study, *more):
    return reverse(*more[:1] or ["study_training"], args=[study.pk, *more[1:]])


def test_adding_one_by_topic_and_document(rita, running):
    form = {"topic": "1", "docno": "d5", "right": ["0", "1"], "explanation": "Not about *owls*."}
    page = text(rita.post(address(running), form, follow=True))
    item = training.items_of(running).get()
    assert (item.document.docno, item.right, item.explanation) == ("d5", [0, 1], "Not about *owls*.")
    assert "Added." in page
    running.refresh_from_db()
    assert checks.has_checks(running)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"topic": "9"}, "This collection has no topic “9”."),
        ({"docno": "d9"}, "This collection has no document “d9”."),
        ({"docno": "d1"}, "d1 is used for topic 1 already: work."),
        ({"right": []}, "This field is required."),
        ({"right": ["7"]}, "Select a valid choice."),
    ],
)
def test_what_cannot_be_practised_on_is_said(rita, running, change, why):
    form = {"topic": "1", "docno": "d5", "right": ["0"], **change}
    response = rita.post(address(running), form)
    assert response.status_code == 422
    assert why in text(response)
    assert not training.items_of(running).exists()


def test_what_was_withdrawn_can_be_added_again_at_the_end(running, practised, make_worker):
    from judging.labels import gold_choice

    worker = make_worker(running)
    (slot,) = assignment.next_slots(worker)
    record_judgement(worker=worker, item=slot.item, answer=Answer(key=uuid4(), grade=2))
    practised[0].refresh_from_db()
    gold_choice.withdraw(practised[0])
    assert order(running) == ["d4"]
    gold_choice.add(running, role=Item.Role.TRAINING, topic=practised[0].topic, document=practised[0].document, right=[1])
    assert order(running) == ["d4", "d3"]


def test_what_is_right_and_why_can_be_rewritten(rita, running, practised):
    item = practised[0]
    form = {f"item-{item.pk}-right": ["1"], f"item-{item.pk}-explanation": "On second thoughts"}
    assert "Saved." in text(rita.post(address(running, "training_explain", item.pk), form, follow=True))
    item.refresh_from_db()
    assert (item.right, item.explanation) == ([1], "On second thoughts")
    response = rita.post(address(running, "training_explain", item.pk), {f"item-{item.pk}-explanation": "No grade"})
    assert response.status_code == 422
    item.refresh_from_db()
    assert item.right == [1]


def test_moving_up_and_down(rita, running, practised):
    third = gold_choice.add(
        running,
        role=Item.Role.TRAINING,
        topic=practised[0].topic,
        document=running.collection.documents.get(docno="d5"),
        right=[0],
    )

    def move(item, to):
        rita.post(address(running, "training_move", item.pk), {"to": to})
        return order(running)

    assert order(running) == ["d3", "d4", "d5"]
    assert move(third, "up") == ["d3", "d5", "d4"]
    assert move(third, "up") == ["d5", "d3", "d4"]
    assert move(third, "up") == ["d5", "d3", "d4"]
    assert move(practised[0], "down") == ["d5", "d4", "d3"]
    assert move(practised[0], "down") == ["d5", "d4", "d3"]


def test_items_of_the_pool_keep_their_places(running, practised):
    """Their position says that they are of the pool: withdrawn, they are work again."""
    item = running.items.order_by("position").first()
    checks.designate([item], Item.Role.TRAINING, right=[1])
    training.move(item, up=False)
    training.move(practised[0], up=True)
    assert [practice.pk for practice in training.items_of(running)] == [item.pk, *(practice.pk for practice in practised)]


def test_only_training_can_be_explained_or_moved(rita, running):
    work = running.items.first()
    for name in ("training_explain", "training_move"):
        assert rita.post(address(running, name, work.pk)).status_code == 404


def test_the_page_lists_them_with_how_many_answered(rita, running, practised, make_worker):
    for _ in range(2):
        worker = make_worker(running)
        (slot,) = assignment.next_slots(worker)
        record_judgement(worker=worker, item=slot.item, answer=Answer(key=uuid4(), grade=2))
    page = text(rita.get(address(running)))
    assert page.index("Swallows") < page.index("Sparrows")
    assert "by 2 workers" in page
    assert SECRET in page


def test_training_is_written_while_drafting(rita, study):
    assert "No training yet" in text(rita.get(address(study)))
    rita.post(address(study), {"topic": "1", "docno": "d5", "right": ["0"], "explanation": "Swallows, not owls."})
    rita.post(address(study), {"topic": "2", "docno": "d1", "right": ["0", "1"]})
    launch.launch(study, seed=1)
    assert order(study) == ["d5", "d1"]
    study.refresh_from_db()
    assert (study.pool_counts["training"], study.pool_counts["items"]) == (2, 6)
