"""What tests ask of the pages on which pairs are judged."""

import re
from html import unescape

from judging.models import Listing, Slot
from judging.work.tickets import ticket
from tests.judging.work.test_judge_page import form_of

SCRIPT = {"X-Requested-With": "fetch"}
ITALIAN = {"Accept-Language": "it"}


def text(response) -> str:
    return unescape(response.content.decode())


def held() -> Slot:
    return Slot.objects.select_related("item__first", "item__second").get(worker__isnull=False, judged_at__isnull=True)


def lists_of(slot) -> tuple[list, list]:
    first, second = slot.item.first.results, slot.item.second.results
    return (second, first) if slot.swapped else (first, second)


def panels(page: str) -> list[list[str]]:
    """The titles in the left list and in the right one."""
    sections = re.findall(r'<section class="panel".*?</section>', page, re.S)
    return [
        [re.sub("<[^>]+>", "", title) for title in re.findall(r'<a class="open"[^>]*>(.*?)</a>', panel)] for panel in sections
    ]


def answer(browser, judging, *, script=False, **fields):
    """Answers what is held with these fields."""
    form = form_of(browser.get(judging)) | fields
    return browser.post(judging, form, headers=SCRIPT if script else {})


def pressed(page: str) -> list[str]:
    return re.findall(r'<button class="grade[^>]*aria-pressed="true"[^>]*>.*?<span>(.*?)</span>', page)


def whole(browser, judging, side="left", place=0, name=None):
    slot = Slot.objects.filter(worker__isnull=False).first()
    name = name or ticket(slot.worker, slot.item_id)
    return browser.get(f"{judging}result/{name}/{side}/{place}/", headers=SCRIPT)


def show(**fields):
    """Every list has one result, of a document that nobody has."""
    Listing.objects.update(results=[{"docno": "gone", "document": None, **fields}])
