"""Random worlds of several kinds of grades: the sentence, its kinds, the lines below it and another reader's page agree."""

import re

import numpy as np
import pytest
from django.test import Client

from judging.collections.storage import store_qrels
from judging.models import User
from metrics.kinds.verdict.results import VerdictResults
from metrics.models import Report
from tests.metrics.statements import WORLDS, page_of
from tests.metrics.verdict.conftest import DOCUMENTS, TOPICS, frame

pytestmark = [pytest.mark.django_db, pytest.mark.one_database, pytest.mark.slow, pytest.mark.soak(short=True)]

KINDS = {"grades of experts": {}, "grades of machines": {"machine": "a model"}, "grades from clicks": {"site": "shop"}}
ROW = re.compile(
    r'<th scope="row">\s*(?:<a [^>]*>)?(?P<kind>[^<]+?)(?:</a>)?\s*<span.*?'
    r'<td class="num" data-label="Difference">\s*(?P<value>[−+\d.]+)\s*'
    r'<span class="ci">(?P<low>[−+\d.]+) to (?P<high>[−+\d.]+)</span>\s*</td>'
    r'\s*<td class="num"[^>]*>(?P<margin>[\d.]+)</td>\s*<td class="num"[^>]*>(?P<p>.*?)</td>'
    r'\s*<td data-label="Says">(?P<says>[^<]*?)(?: <span class="ci">(?P<end>[^<]*)</span>)?</td>'
)
LEADS = {"better": "dense is better", "worse": "lexical is better"}
OUTCOMES = {
    "better": r"dense is better than lexical, by (?P<better>[^;]+?)(?:;.*)?\.$",
    "worse": r"lexical is better than dense, by (?P<worse>[^;]+?)(?:;.*)?\.$",
    "conflict": r"The evidence conflicts: by (?P<better>.+?) dense is better, by (?P<worse>.+?) lexical is\.$",
    "equal": r"There is no difference that matters",
    "not worse": r"dense is not worse than lexical by more than what matters",
    "not better": r"lexical is not worse than dense by more than what matters",
    "unknown": r"Which of lexical and dense is better is not known yet",
}


def grades(rng, runs, lean):
    """Grades that go with dense's ranks (lean above 0) or with lexical's, as far as chance lets them."""
    rows = []
    for number in range(100, 100 + TOPICS):
        favoured = (
            rng.permutation(DOCUMENTS) if rng.random() > abs(lean) else runs["dense-v2" if lean > 0 else "lexical-1"][str(number)]
        )
        rows += [(str(number), f"b{document}", int(place < 3)) for place, document in enumerate(favoured)]
    return frame(rows, ["topic", "docno", "grade"])


@pytest.fixture
def rankings(birds):
    """Of each run the documents of each topic, the best first."""
    from judging.collections.storage import run_frame

    ranked = {}
    for name, run in birds.items():
        rows = run_frame(run).sort("topic", "rank").group_by("topic", maintain_order=True).agg("docno").iter_rows()
        ranked[name] = {topic: [int(docno[1:]) for docno in docnos] for topic, docnos in rows}
    return ranked


def test_verdicts(collection, hypothesis, rankings, researcher, computed, subtests):
    other = User.objects.create_user("ada", is_researcher=True, is_superuser=True)
    told = set()
    for world in WORLDS:
        rng = np.random.default_rng(world)
        for kind, recipe in KINDS.items():
            lean = float(rng.choice([-0.8, -0.4, 0.0, 0.0, 0.4, 0.8]))
            store_qrels(grades(rng, rankings, lean), collection=collection, name=kind, by=researcher, recipe=recipe)
        report = computed(hypothesis)
        results = VerdictResults(report)
        with subtests.test(f"world {world}: {results.sentence}"):
            told.add(results.outcome)
            pages = [page_of(Client(), user, f"/verdicts/{hypothesis.pk}/") for user in (researcher, other)]
            for page in pages:
                expect_one_answer(page, results.outcome)
            assert lines_of(pages[0]) == lines_of(pages[1])
            listed = page_of(Client(), researcher, "/reports/")
            assert results.sentence in listed
    assert told >= {"better", "worse", "conflict", "unknown"}
    assert Report.objects.filter(kind="verdict").count() >= 1


def lines_of(page):
    return [{name: text and text.replace("−", "-") for name, text in match.groupdict().items()} for match in ROW.finditer(page)]


def expect_one_answer(page, outcome):
    """The headline is of the outcome, names the kinds whose lines say so, and p, interval and word of each line agree."""
    (headline,) = re.findall(r'<p class="sentence">\s*([^<]*?)\s*</p>', page)
    match = re.search(OUTCOMES[outcome], headline.partition(" By ")[0])  # then come the numbers of one kind
    assert match, headline
    lines = lines_of(page)
    assert len(lines) == len(KINDS)
    for line in lines:
        low, high = float(line["low"]), float(line["high"])
        significant = float(line["p"].lstrip("<= ")) < 0.05 or line["p"].startswith("<")
        decided = line["says"] in LEADS.values()
        assert significant == decided, line
        leaves_out_none = (low >= 0) if line["says"] == LEADS["better"] else (high <= 0)
        assert leaves_out_none if decided else low <= 0 <= high, line
        assert bool(line["end"]) == (not decided and line["says"] != "not known yet"), line
    for word, says in LEADS.items():
        kinds = {line["kind"].lower() for line in lines if line["says"] == says}
        named = match.groupdict().get(word)
        assert kinds == ({kind.strip() for kind in re.split(r", | and ", named)} if named else set()), (headline, lines)
