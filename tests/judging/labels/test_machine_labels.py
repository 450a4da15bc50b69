"""Machine judges: how they come in, that they count for nobody, and how they are held to people."""

from uuid import uuid4

import polars as pl
import pytest
from django.urls import reverse

from judging.collections.storage import qrels_frame, store_qrels
from judging.labels import gold_choice, machine_labels, results, settlement, study_progress
from judging.models import Item, Qrels
from judging.recruiting import invites
from judging.work import checks
from judging.work.answers import Answer, record_judgement
from judging.work.assignment import next_slots
from metrics.forms import describe_qrels
from metrics.kinds.grade_cautions import about_simulated

pytestmark = pytest.mark.django_db

PEOPLE = {"d1": 3, "d2": 2, "d4": 0, "d3": 3, "d5": 1, "d6": 0}
MACHINE = {"d1": 3, "d2": 2, "d4": 1, "d3": 3, "d5": 1, "d6": 0}


def judge_all(worker, grades):
    while slots := next_slots(worker):
        item = slots[0].item
        record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=grades[item.document.docno]))
    return worker


@pytest.fixture
def machine(running, make_worker):
    """Two people and a machine have judged everything."""
    judge_all(make_worker(running), PEOPLE)
    judge_all(make_worker(running), PEOPLE)
    return judge_all(make_worker(running, machine="gpt-x 2026-08, prompt v3"), MACHINE)


def comparison_of(worker):
    (comparison,) = machine_labels.compare(worker.study, machine_labels.machines_of(worker.study))
    return comparison


def test_it_judges_everything_and_has_no_vote(machine, running):
    assert machine_labels.grades(machine).height == running.items.count()
    assert {len(label.votes) for label in results.labels(running)} == {2}
    assert all(label.grade == PEOPLE[label.docno] for label in results.labels(running))
    progress = study_progress.progress(running)
    assert (progress.percent, progress.workers) == (100, 2)
    assert study_progress.overviews([running])[0].workers == 2


def test_it_is_held_to_most_people(machine, running):
    comparison = comparison_of(machine)
    n = running.items.count()
    same = sum(PEOPLE[docno] == MACHINE[docno] for docno in machine_labels.grades(machine)["docno"])
    assert (comparison.judged, comparison.both.height) == (n, n)
    percent, kappa, weighted = comparison.agreement
    assert (percent.value, percent.items) == (pytest.approx(same / n), n)
    assert kappa.name == "cohen" and weighted.name == "cohen-quadratic"
    assert kappa.value == pytest.approx(by_hand(comparison, lambda a, b: a != b))
    assert weighted.value == pytest.approx(by_hand(comparison, lambda a, b: (a - b) ** 2))
    assert kappa.low <= kappa.value <= kappa.high
    rows = dict(comparison.confusion)
    assert rows[0][1] == n - same and rows[3][3] == comparison.both.filter(pl.col("people") == 3).height


def by_hand(comparison, apart):
    """κ as its definition says: 1 − observed over expected disagreement."""
    pairs = comparison.both.select("people", "machine").rows()
    observed = sum(apart(a, b) for a, b in pairs) / len(pairs)
    expected = sum(apart(a, b) for a, _ in pairs for _, b in pairs) / len(pairs) ** 2
    return 1 - observed / expected


def test_it_is_held_to_gold(running, make_worker, collection, researcher):
    frame = pl.DataFrame({"topic": ["1", "2"], "docno": ["d3", "d1"], "grade": [0, 1]})
    known = store_qrels(frame, collection=collection, name="known", by=researcher)
    gold_choice.take_from_qrels(running, known, role=Item.Role.GOLD, count=2)
    type(running).objects.update(gold_every=2)
    running.refresh_from_db()
    machine = judge_all(make_worker(running, machine="gpt-x"), dict.fromkeys(PEOPLE, 0))
    comparison = comparison_of(machine)
    assert (comparison.gold.right, comparison.gold.answered) == (1, 2)
    low, high = comparison.gold_interval
    assert 0 < low < 0.5 < high < 1
    assert machine_labels.grades(machine).height == 6, "gold from outside the pool is no grade of the pool"
    assert checks.score(machine, Item.Role.GOLD).answered == 2


def test_without_people_there_is_nothing_to_compare(running, make_worker):
    machine = judge_all(make_worker(running, machine="gpt-x"), MACHINE)
    comparison = comparison_of(machine)
    assert (comparison.agreement, comparison.gold_interval, comparison.judged) == ([], None, 6)
    with pytest.raises(results.NothingYet):
        machine_labels.settle_as_qrels(make_worker(running, machine="idle"), by=running.created_by)


def test_one_grade_only_has_no_kappa(running, make_worker):
    judge_all(make_worker(running), dict.fromkeys(PEOPLE, 0))
    judge_all(make_worker(running, machine="gpt-x"), dict.fromkeys(PEOPLE, 0))
    percent, kappa, _ = comparison_of(machine_labels.machines_of(running).get()).agreement
    assert (percent.value, kappa.undefined) == (1, "only the label 0 is in use")


def test_its_qrels_are_its_own_and_say_so(machine, running, researcher):
    people = settlement.settle_as_qrels(running, by=researcher)
    own = machine_labels.settle_as_qrels(machine, by=researcher)
    assert own.name == "Bird study · gpt-x 2026-08, prompt v3"
    assert str(own) == "Bird study · gpt-x 2026-08, prompt v3 v1 · machine judge"
    assert machine_labels.settle_as_qrels(machine, by=researcher) == own
    assert (own.recipe["machine"], own.simulated_judgements) == ("gpt-x 2026-08, prompt v3", own.rows)
    assert qrels_frame(own).filter(pl.col("docno") == "d4")["grade"].unique().to_list() == [1]
    assert settlement.settle_as_qrels(running, by=researcher) == people, "people's grades succeed people's, not the machine's"
    assert describe_qrels(own).endswith("all by the machine judge gpt-x 2026-08, prompt v3")
    assert about_simulated(own).endswith("gave all of its grades, and no person did.")


def test_what_is_kept_first_does_not_take_peoples_name(machine, running, researcher):
    machine_labels.settle_as_qrels(machine, by=researcher)
    people = settlement.settle_as_qrels(running, by=researcher)
    assert (people.name, people.version) == ("Bird study", 1)


def test_a_name_that_is_taken_is_not_succeeded(machine, collection, researcher):
    other = pl.DataFrame({"topic": ["1"], "docno": ["d1"], "grade": [1]})
    store_qrels(other, collection=collection, name="Bird study · gpt-x 2026-08, prompt v3", by=researcher)
    assert machine_labels.settle_as_qrels(machine, by=researcher).name == f"Bird study · gpt-x 2026-08, prompt v3 ({machine})"


def test_long_names_fit(running, make_worker, researcher):
    running.name = "s" * 120
    running.save()
    machine = judge_all(make_worker(running, machine="m" * 120), MACHINE)
    assert len(machine_labels.settle_as_qrels(machine, by=researcher).name) <= 120


# Pages


def test_the_page(rita, machine, running):
    page = rita.get(reverse("study_machines", args=[running.pk])).content.decode()
    assert "gpt-x 2026-08, prompt v3" in page
    assert "Against most people" in page and "Cohen" in page
    assert "not asked of it yet" in page
    for form in ("trec", "csv", "jsonl", "parquet"):
        assert rita.get(reverse("machine_qrels", args=[running.pk, machine.pk, form])).status_code == 200
    assert rita.get(reverse("machine_qrels", args=[running.pk, machine.pk, "doc"])).status_code == 404
    kept = rita.post(reverse("machine_settle", args=[running.pk, machine.pk]), follow=True).content.decode()
    assert "They say that a machine gave them" in kept and "by a machine judge" in kept
    qrels = Qrels.objects.get()
    assert "No person did" in rita.get(reverse("qrels", args=[qrels.pk])).content.decode()
    assert "by a machine judge" in rita.get(reverse("collection", args=[running.collection_id])).content.decode()


def test_a_person_is_no_machine_judge(rita, running, make_worker):
    person = make_worker(running)
    assert "No machine judge" in rita.get(reverse("study_machines", args=[running.pk])).content.decode()
    assert rita.get(reverse("machine_qrels", args=[running.pk, person.pk, "csv"])).status_code == 404
    assert rita.post(reverse("machine_settle", args=[running.pk, person.pk])).status_code == 404


def test_lists_of_workers_and_judgements_say_so(rita, machine, running):
    badge = 'title="A machine judge: gpt-x 2026-08, prompt v3.'
    assert rita.get(reverse("study_judgements", args=[running.pk])).content.decode().count(badge) == 6
    assert badge in rita.get(reverse("study_worker", args=[running.pk, machine.pk])).content.decode()
    assert badge in rita.get(reverse("study_workers", args=[running.pk])).content.decode()
    page = rita.get(reverse("study_results", args=[running.pk])).content.decode()
    assert "6 judgements by machine judges, not in the grades" in page
    exported = rita.get(reverse("study_export", args=[running.pk, "judgements", "csv"])).content.decode().splitlines()
    place = exported[0].split(",").index("machine")
    assert sum('"gpt-x 2026-08, prompt v3"' in row for row in exported) == 6
    assert exported[1].split(",")[place] == ""


# Coming in


def test_a_link_for_machines_is_none_for_people(rita, running, researcher):
    rita.post(reverse("invite_new", args=[running.pk]), {"label": "oracle", "machines": "on"})
    link = running.invites.get()
    assert (link.label, link.machines) == ("oracle", True)
    assert rita.get(reverse("follow_invite", args=[invites.token_of(link)])).status_code == 404
    assert "only programs come in by it" in rita.get(reverse("study", args=[running.pk])).content.decode()
