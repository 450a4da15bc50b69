"""What of both lists was on the worker's screen before they answered: asked for, kept with the answer, and told."""

import pytest

from judging.labels.preferences import rows
from judging.models import Judgement, Preference
from tests.judging.pairs.pair_pages import ITALIAN, SCRIPT, answer, held, text
from tests.judging.work.test_judge_page import form_of

pytestmark = pytest.mark.django_db
BOTH, LEFT_ALONE = "[[4200,3],[900,2]]", "[[4200,3],[0,0]]"


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("press", [{"grade": "1"}, {"grade": "-1"}, {"grade": "0"}, {"both_bad": "1"}])
def test_who_has_not_seen_both_lists_says_nothing_of_them(joined, judging, press, script):
    for seen in (LEFT_ALONE, "[[0,0],[4200,3]]", "[[0,0],[0,0]]"):
        response = answer(joined, judging, script=script, seen=seen, **press)
        assert response.status_code == 400
        assert "Look at both lists" in text(response)
    assert not Judgement.objects.exists()


def test_they_are_told_so_in_their_language(joined, judging):
    form = form_of(joined.get(judging)) | {"seen": LEFT_ALONE, "grade": "1"}
    response = joined.post(judging, form, headers=SCRIPT | ITALIAN)
    assert "Guarda tutte e due le liste" in text(response)


def test_who_cannot_judge_need_not_have_seen_both(joined, judging):
    """Perhaps one of them cannot be shown."""
    assert answer(joined, judging, seen=LEFT_ALONE, cannot_judge="unreadable").status_code == 302
    assert min(Preference.objects.get().seen) == [0, 0]


def test_what_was_seen_is_kept_by_the_list_it_was_seen_of(joined, judging):
    turned = set()
    for _ in range(8):
        joined.get(judging)
        swapped = held().swapped
        answer(joined, judging, grade="1", seen=BOTH)
        kept = Preference.objects.latest("pk")
        assert kept.seen == ([[900, 2], [4200, 3]] if swapped else [[4200, 3], [900, 2]])
        turned.add(swapped)
    assert turned == {True, False}


@pytest.mark.parametrize("fields", [{}, {"seen": ""}])
def test_without_a_script_nothing_is_measured_and_the_answer_counts(joined, judging, fields):
    assert answer(joined, judging, grade="1", **fields).status_code == 302
    assert Preference.objects.get().seen is None


@pytest.mark.parametrize(
    "seen", ["{}", "[[1,1]]", "[[1,1],[1,1],[1,1]]", "[[1,-1],[1,1]]", "[[1,1],[1,51]]", '[["a",1],[1,1]]', "[[1,true],[1,1]]"]
)
def test_what_cannot_be_read_is_refused(joined, judging, seen):
    response = answer(joined, judging, grade="1", seen=seen)
    assert response.status_code == 400 and "cannot be read" in text(response)
    assert not Judgement.objects.exists()


def test_the_same_answer_seen_for_longer_is_the_same_answer(joined, judging):
    form = form_of(joined.get(judging)) | {"grade": "1"}
    for seen in (BOTH, "[[9200,3],[1900,3]]"):
        assert joined.post(judging, form | {"seen": seen}, headers=SCRIPT).status_code == 200
    assert Judgement.objects.count() == 1


def test_rows_say_what_was_seen_on_each_side(joined, judging, comparing):
    answer(joined, judging, grade="1", seen=BOTH)
    answer(joined, judging, grade="1")
    measured, not_measured = rows(comparing).to_dicts()
    names = ("left_seen", "left_results_seen", "right_seen", "right_results_seen")
    assert [measured[name] for name in names] == [4.2, 3, 0.9, 2]
    assert [not_measured[name] for name in names] == [None] * 4
