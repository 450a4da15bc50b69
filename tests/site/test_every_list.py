"""Every list: its columns sort it both ways, over its pages no row is lost or comes twice, and a search finds what it names."""

import re
from html import unescape
from itertools import pairwise
from uuid import uuid4

import pytest

from judging.audit import Deed, note
from judging.models import Collection, Document, Experiment, Image, Site, Study, Topic, Worker
from judging.studies.growth import add_items
from judging.work.answers import Answer, record_judgement
from metrics.models import Hypothesis, Report
from tests.pages import as_shown
from tests.world import clicked, compared, experiments, logged, wim, world  # noqa: F401

MORE = 60  # a page holds 50
# Address, and the least number of columns that sort.
LISTS = {
    "/studies/": 3,
    "/collections/": 2,
    "/sites/": 2,
    "/experiments/": 5,
    "/sites/{site}/experiments/": 5,
    "/reports/": 2,
    "/verdicts/": 1,
    "/collections/{collection}/documents/": 2,
    "/collections/{collection}/topics/": 2,
    "/collections/{collection}/images/": 1,
    "/studies/{running}/items/": 2,
    "/studies/{running}/judgements/": 2,
    "/studies/{running}/workers/": 2,
    "/studies/{running}/history/": 1,
}
# What is looked for in some of them, and found once.
SEARCHES = {
    "/studies/": "Study 07",
    "/collections/": "birds 07",
    "/sites/": "shop 07",
    "/experiments/": "try-07",
    "/verdicts/": "system 60",
    "/collections/{collection}/documents/": "m07",
    "/collections/{collection}/topics/": "Query 07",
}


@pytest.fixture
def full(world, researcher):  # noqa: F811
    """So much of everything that no list fits on a page."""
    collection, running = Collection.objects.get(pk=world["collection"]), Study.objects.get(pk=world["running"])
    numbers = range(MORE)
    facts = {"collection": collection, "created_by": researcher, "instructions": "x"}
    for n in numbers:
        Study.objects.create(name=f"Study {n:02}", depth=1 + n % 7, **facts)
    Collection.objects.bulk_create(Collection(name=f"Birds {n:02}", owner=researcher) for n in numbers)
    Site.objects.bulk_create(Site(name=f"Shop {n:02}", slug=f"shop-{n}", owner=researcher) for n in numbers)
    tries = (Experiment(site_id=world["site"], name=f"try-{n:02}", traffic=1 + n, created_by=researcher) for n in numbers)
    Experiment.objects.bulk_create(tries)
    Document.objects.bulk_create(
        Document(collection=collection, docno=f"m{n:02}", title=f"Title {n * 7 % MORE:02}", text="Voles") for n in numbers
    )
    Topic.objects.bulk_create(
        Topic(collection=collection, number=f"{100 + n}", title=f"Query {n * 7 % MORE:02}") for n in numbers
    )
    Image.objects.bulk_create(
        Image(collection=collection, kind="png", name=f"{n:02}.png", sha256=f"{n:064}", size=9 + n, created_by=researcher)
        for n in numbers
    )
    add_items(running, [("1", f"m{n:02}") for n in numbers], by=researcher)
    worker = Worker.objects.create(study=running)
    for n, item in enumerate(running.items.filter(document__docno__startswith="m")):
        record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=n % 3, milliseconds=1000 + n))
    Worker.objects.bulk_create(Worker(study=running, simulated=n % 2 == 0) for n in numbers)
    for n in numbers:
        note(Deed.CHANGED, f"number {n:02}", researcher, running)
    systems = [collection.systems.create(name=f"system {n:02}", created_by=researcher) for n in range(MORE + 1)]
    for a, b in pairwise(systems):
        Hypothesis.objects.create(a=a, b=b, created_by=researcher, expectations={})
    example = Report.objects.get(pk=world["report"])
    facts = {"kind": example.kind, "collection": example.collection, "created_by": researcher}
    for n in numbers:
        Report.objects.create(spec=example.spec | {"n": n}, digest=f"{n:064}", **facts)
    return world


def table(html: str) -> tuple[list[tuple[str, str]], list[list[str]]]:
    """The columns, each with its key if it sorts, and the rows' texts."""
    [inner] = re.findall(r"<table(?:(?!<table).)*?class=\"?sort.*?</table>", as_shown(html), re.DOTALL)
    heads = re.findall(r"<th\b[^>]*?>(.*?)</th>", inner.split("</thead>")[0], re.DOTALL)
    keys = [re.search(r"[?&;]sort=-?([\w-]+)", head) for head in heads]
    rows = re.findall(r"<tr\b.*?</tr>", inner.split("</thead>")[1], re.DOTALL)
    cells = [[lasting(text) for text in re.findall(r"<t[dh]\b[^>]*>(.*?)</t[dh]>", row, re.DOTALL)] for row in rows]
    return [(re.sub("<.*?>", "", head).strip(), key[1] if key else "") for head, key in zip(heads, keys, strict=True)], cells


def lasting(text: str) -> str:
    """What a cell says at any time and in any order: neither how long ago something was, nor the list's own order in a link."""
    return re.sub(r"\bnow\b|\b(?:an?|\d+)\s(?:second|minute)s? ago|sort=-?[\w-]+&?", "", unescape(text))


def every_row(client, address: str, sort: str) -> list[list[str]]:
    rows: list[list[str]] = []
    for page in range(1, 10):
        html = client.get(address, {"sort": sort, "page": page}).content.decode()
        more = table(html)[1]
        rows += more
        if f"page={page + 1}" not in html:
            return rows
    raise AssertionError("the pages do not end")


def without_gaps(rising: list[str], falling: list[str]) -> tuple[list[str], list[str]]:
    """A column both ways, without what stands last both ways: there the row has no value."""
    gap = rising[-1] if rising[-1] == falling[-1] else None
    rising_gaps, falling_gaps = (sum(value == gap for value in values) for values in (rising, falling))
    assert rising[len(rising) - rising_gaps :] == falling[len(falling) - falling_gaps :]
    return rising[: len(rising) - rising_gaps], falling[: len(falling) - falling_gaps]


@pytest.mark.last_database
def test_columns_sort_both_ways_over_all_pages_and_searches_narrow_down(client, researcher, full, subtests):
    client.force_login(researcher)
    for path, least in LISTS.items():
        address = path.format(**full)
        columns = table(client.get(address).content.decode())[0]
        sorting = {key: place for place, (_, key) in enumerate(columns) if key}
        assert len(sorting) >= least, path
        for key, place in sorting.items():
            with subtests.test(f"{path} {key}"):
                rising, falling = every_row(client, address, key), every_row(client, address, f"-{key}")
                assert len(rising) >= MORE
                assert len({tuple(row) for row in rising}) == len(rising)
                assert sorted(rising) == sorted(falling)
                upwards, downwards = without_gaps([row[place] for row in rising], [row[place] for row in falling])
                assert upwards == downwards[::-1]
    for path, words in SEARCHES.items():
        with subtests.test(f"{path} {words}"):
            html = client.get(path.format(**full), {"q": words}).content.decode()
            (row,) = table(html)[1]
            assert words.lower() in " ".join(row).lower()
            assert "<tbody" not in client.get(path.format(**full), {"q": "Zugvogel"}).content.decode()
