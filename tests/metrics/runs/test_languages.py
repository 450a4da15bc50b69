"""A report on runs is in its reader's language; its title, which is kept, and its files are in English."""

import pytest
from django.urls import reverse

from metrics.models import Report

pytestmark = pytest.mark.django_db
ITALIAN = {"Accept-Language": "it"}


def test_the_answer_its_figures_and_provenance_are_in_italian(rita, report):
    page = rita.get(reverse("report", args=[report.pk]), headers=ITALIAN).content.decode()
    for words in ("ha il valore più alto di nDCG@10", "Precisione interpolata", "Voti da 1 in su;", "Da dove vengono questi"):
        assert words in page
    assert "has the highest" not in page
    assert "Interpolated precision" not in page


def test_a_title_that_names_what_is_compared_is_kept_in_english(rita, collection, runs, qrels):
    question = {"runs": [run.pk for run in runs], "qrels": [qrels.pk], "measures": "AP", "relevant_from": 1, "topics": "both"}
    question |= {"profile": "trec_eval-9", "depth": 10}
    answer = rita.post(f"{reverse('report_new')}?collection={collection.pk}", question, headers=ITALIAN)
    assert answer.status_code == 302
    assert Report.objects.get().title == f"2 runs under {qrels}, cut at 10"


def test_a_refused_question_is_refused_in_italian(rita, collection, runs, qrels):
    answer = rita.post(f"{reverse('report_new')}?collection={collection.pk}", {"qrels": [qrels.pk]}, headers=ITALIAN)
    assert answer.status_code == 422
    assert "Scegli almeno un run." in answer.content.decode()


def test_files_are_in_english(rita, report):
    file = rita.get(reverse("report_download", args=[report.pk, "agreement.csv"]), headers=ITALIAN).content.decode()
    assert file.startswith("what,qrels,measure,coefficient,first,second,n,value")
