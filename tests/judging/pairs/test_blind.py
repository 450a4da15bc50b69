"""Nothing that a worker can fetch says whose list stands where: no page, address, header, cookie, script, nor the API."""

import base64
import re
from html import unescape
from urllib.parse import unquote, urldefrag, urljoin

import polars as pl
import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.urls import reverse
from rest_framework.test import APIClient

from judging.collections.storage import store_run
from judging.models import Comparison, Item, Judgement, Run, Study, Token, User
from judging.recruiting import invites
from judging.studies import launch
from judging.work.tickets import ticket
from tests.judging.work.test_judge_page import form_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
SCRIPT = {"X-Requested-With": "fetch"}

# Words that occur nowhere else; a key that does not either.
SYSTEMS = {"Quokkavector": 7_310_051, "Zymurgist": 7_310_063}
SAID = ["Quokkavector", "Zymurgist", "wombatesque", "narwhalish", "quokka-upload", "zymurgy-upload"]


@pytest.fixture
def secret(collection, researcher):
    """A study of two systems, everything of which is a word that can be looked for."""
    study = Study.objects.create(
        collection=collection, name="Birds", kind=Study.Kind.SIDE_BY_SIDE, instructions="Compare.", depth=3, overlap=2,
        created_by=researcher, open_call=True,
    )  # fmt: skip
    lists = {"Quokkavector": ["d1", "d2", "d4"], "Zymurgist": ["d2", "d6", "d1"]}
    described = {"Quokkavector": ("wombatesque", "quokka-upload.run"), "Zymurgist": ("narwhalish", "zymurgy-upload.run")}
    for name, docnos in lists.items():
        description, file = described[name]
        rows = [(topic, docno, 10.0 - place) for topic in "12" for place, docno in enumerate(docnos)]
        frame = pl.DataFrame(rows, schema=["topic", "docno", "score"], orient="row")
        run = store_run(frame, collection=collection, name=name, by=researcher, source_name=file, description=description)
        Run.objects.filter(pk=run.pk).update(id=SYSTEMS[name])
        study.runs.add(SYSTEMS[name])
    Comparison.objects.create(study=study, mirrored=0.5, marks_results=True, pairing="baseline", baseline_id=SYSTEMS["Zymurgist"])
    launch.launch(study, seed=1)
    return study


@pytest.fixture
def worker(client, secret, researcher):
    """Wim's browser, who joined by the link and has an account."""
    client.force_login(User.objects.create_user("wim", password="a long enough password"))
    client.get(reverse("follow_invite", args=[invites.token_of(invites.invite(secret, by=researcher))]))
    client.post(reverse("join"), {"agree": "1"})
    return client


def everything(response) -> str:
    """What reaches the browser: headers, cookies and what is encoded in them, the text."""
    content = b"".join(response.streaming_content) if response.streaming else response.content
    body = content.decode(errors="replace")
    head = "\n".join(f"{name}: {value}" for name, value in response.items())
    cookies = response.cookies.output()
    return "\n".join([response.request["PATH_INFO"], response.request["QUERY_STRING"], head, cookies, *decoded(cookies), body])


def decoded(cookies: str) -> list[str]:
    texts = []
    for piece in re.findall(r"[\w+/=-]{8,}", unquote(cookies)):
        try:
            texts.append(base64.urlsafe_b64decode(piece + "=" * (-len(piece) % 4)).decode(errors="replace"))
        except ValueError:
            continue
    return texts


def crawl(browser, start) -> dict[str, str]:
    """All that links, forms and scripts lead to, as the browser gets it, page and part, in both languages."""
    seen: dict[str, str] = {}
    waiting = [start]
    while waiting:
        address = urldefrag(waiting.pop())[0]
        if address in seen or not address.startswith("/") or address.startswith(("/logout", "/static")):
            continue
        page = browser.get(address, follow=True)
        seen[address] = everything(page)
        for headers in (SCRIPT, {"Accept-Language": "it"}):
            seen[address] += everything(browser.get(address, headers=headers))
        links = re.findall(r'(?:href|src|action|data-address)="([^"]*)"', seen[address])
        waiting += [urljoin(page.request["PATH_INFO"], unescape(link)) for link in links]
    return seen


def static_files(pages: str) -> str:
    """The scripts and styles that the pages ask for."""
    names = set(re.findall(rf'{settings.STATIC_URL}([\w./-]+?)(?:\.[0-9a-f]{{12}})?\.(js|css|svg)"', pages))
    return "".join(open(path).read() for name, kind in names if (path := finders.find(f"{name}.{kind}")))


def betrayals(text: str) -> list[str]:
    """Names of systems, and their keys."""
    words = [word for word in SAID if word.lower() in text.lower()]
    return words + [str(key) for key in SYSTEMS.values() if re.search(rf"(?<!\d){key}(?!\d)", text)]


@pytest.mark.slow
def test_whatever_a_worker_can_fetch_says_nothing_of_the_systems(worker, secret):
    judging = reverse("judge", args=[secret.pk])
    gathered = crawl(worker, "/")
    for number in range(4):
        page = worker.get(judging)
        answer = {"grade": "1"} if number % 2 else {"both_bad": "1"}
        sent = form_of(page) | answer | {"have": ""} if "offer" in page.content.decode() else None
        if sent is None:
            break
        gathered[f"posted {number}"] = everything(worker.post(judging, sent, headers=SCRIPT if number % 2 else {}))
        gathered |= {f"{number} {address}": text for address, text in crawl(worker, judging).items()}
    assert Judgement.objects.exists()
    addresses = " ".join(gathered)
    for part in ("/result/", "/ahead/", "/back/", "/answers/", "/instructions/", "/work/"):
        assert part in addresses + f"{judging}ahead/", part
    pages = "\n".join(gathered.values())
    pages += everything(worker.get(f"{judging}ahead/", {"have": "x"}))
    assert "pair.js" in pages
    assert betrayals(pages + static_files(pages)) == []


def test_what_is_refused_or_missing_says_nothing_either(worker, secret):
    judging = reverse("judge", args=[secret.pk])
    offer = form_of(worker.get(judging))
    for sent in ({}, offer | {"grade": "9"}, offer | {"grade": "1", "marks": "x"}, {"offer": "1"}):
        assert betrayals(everything(worker.post(judging, sent))) == []
    for address in ("result/x/left/0/", "result/x/up/0/", "answers/x/"):
        assert betrayals(everything(worker.get(judging + address))) == []


def test_addresses_for_researchers_are_closed_to_workers(worker, secret):
    for name, key in (("study", secret.pk), ("study_results", secret.pk), ("run", SYSTEMS["Zymurgist"])):
        response = worker.get(reverse(name, args=[key]))
        assert response.status_code == 404
        assert betrayals(everything(response).replace(f"/{key}/", "")) == []


def test_the_api_tells_a_worker_nothing(worker, secret):
    _, token = Token.objects.create(user=User.objects.get(username="wim"))
    api = APIClient()
    api.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    responses = [api.get(f"/api/v1/work/{part}") for part in ("", "open/", f"{secret.pk}/", f"{secret.pk}/judgements/")]
    responses += [api.post(f"/api/v1/work/{secret.pk}/{part}/") for part in ("next", "answer")]
    responses += [api.get(f"/api/v1/{part}/") for part in ("runs", "studies", "collections", "reports", f"studies/{secret.pk}")]
    assert [response.status_code for response in responses[3:6]] == [409] * 3
    assert betrayals("".join(map(everything, responses))) == []


def test_docnos_stay_with_us(worker, secret):
    """Systems are known by the documents that only they find."""
    page = worker.get(reverse("judge", args=[secret.pk])).content.decode()
    assert not re.search(r"\bd[1-6]\b", page)


def test_both_lists_are_written_alike(worker, secret):
    """But for the words left and right, and what stands in them."""
    first = secret.items.select_related("first").first().first
    for item in Item.objects.all():
        item.second.results = item.first.results = first.results
        item.first.save()
        item.second.save()
    page = worker.get(reverse("judge", args=[secret.pk])).content.decode()
    left, right = re.findall(r'<section class="panel".*?</section>', page, re.S)
    alike = right.replace("/right/", "/left/").replace('data-side="1"', 'data-side="0"').replace("[1,", "[0,")
    alike = alike.replace("Right", "Left").replace("on the left", "on the right")
    assert alike == left


def test_which_list_is_first_tells_nothing(secret):
    """The offer and the mirrors know which of two lists is the first: that is chance, and not the systems' order."""
    firsts = {pair.first.run_id for seed in range(8) for pair in relaunched(secret, seed)}
    assert firsts == set(SYSTEMS.values())


def relaunched(study, seed):
    study.slots.all().delete()
    study.items.all().delete()
    study.listings.all().delete()
    Study.objects.filter(pk=study.pk).update(state="draft")
    launch.launch(study, seed=seed)
    return study.items.select_related("first")


def test_names_of_items_are_the_workers_own(worker, secret):
    page = worker.get(reverse("judge", args=[secret.pk])).content.decode()
    (name,) = re.findall(r'data-item="([^"]+)"', page)
    assert not name.isdigit()
    mine = secret.worker_set.get() if hasattr(secret, "worker_set") else secret.workers.get()
    assert name in {ticket(mine, item.pk) for item in secret.items.all()}
