"""A study of pairs beside the demo's own, and a worker's hands on its page."""

import json
from urllib.parse import parse_qs

from tests.browser.joining import read_instructions
from tests.browser.test_main_job import item_of

# Beside the demo's own study, which stays as it is.
MAKE = """
from judging.studies.launch import launch
from judging.models import Collection, Comparison, Listing, Study, User
from judging.recruiting.invites import invite, token_of
by = User.objects.filter(is_researcher=True).first()
collection = Collection.objects.get(name__startswith="Demo: software weaknesses")
study = Study.objects.create(
    collection=collection, name="{name}", kind=Study.Kind.SIDE_BY_SIDE, depth=10, overlap=20, created_by=by,
    instructions="Say which list you would rather get. **Open** what you are not sure of.",
)
study.runs.set(collection.runs.all()[:4])
study.members.add(by)
Comparison.objects.create(study=study, points={points}, marks_results=True)
launch(study, by=by, seed=1)
{then}
print("token", token_of(invite(study, by=by)))
"""

# Nothing on one side, one result with everything too long on the other; each list is one of these or as it was.
ODD = """
word = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft "
url = "https://a-very-long-host-name-that-goes-on-and-on.and-on.example.org/" + "x" * 900
long = {"docno": "x", "document": None, "title": word * 5, "url": url, "snippet": word * 20}
for at, one in enumerate(Listing.objects.filter(study=study).order_by("id")):
    one.results = [[], [long], one.results][at % 3]
    one.save()
"""


def made(shell, name, *, points=5, then="") -> str:
    """The token of the study's link."""
    code = MAKE.replace("{name}", name).replace("{points}", str(points)).replace("{then}", then)
    return shell(code).split("token ")[1]


def join(watched, token):
    page = watched.page
    page.goto(f"/join/{token}/")
    page.get_by_label("I have read this and want to take part").check()
    page.get_by_role("button", name="Start judging").click()
    read_instructions(page)
    ready(page)
    return page


def ready(page):
    page.wait_for_selector("form.pair")
    page.wait_for_load_state()  # its scripts have run
    page.wait_for_timeout(300)  # a key pressed sooner counts as meant for the page before


def press_and_go_on(page, key):
    if is_wide(page):
        wait_until_seen(page)
    before = item_of(page)
    page.keyboard.press(key)
    page.wait_for_function("before => document.querySelector('form.pair')?.dataset.item !== before", arg=before)
    page.wait_for_timeout(300)


def turn_to(page, side):
    page.locator(f".sides button[value='{side}']").click()
    page.wait_for_selector(f".sides button[value='{side}'][aria-current]")


def is_wide(page):
    return page.viewport_size["width"] >= 700


def see_both(page):
    """On a phone the right list is a swipe away."""
    if not is_wide(page):
        turn_to(page, 1)
    wait_until_seen(page)


def wait_until_seen(page):
    """Answers wait until both lists have been on the screen for a moment, which a busy browser notices late."""
    page.wait_for_function("""() => {
        const { value } = document.querySelector("[name=seen]");
        return value && JSON.parse(value).every(([milliseconds]) => milliseconds >= 150);
    }""")


def kept(page, name):
    return json.loads(page.locator(f"[name={name}]").input_value() or "[]")


def noted(page, *last):
    """The browser tells a page in its own time that a dialog has closed or a text has opened."""
    page.wait_for_function(
        """last => JSON.parse(document.querySelector("[name=interactions]").value || "[]")
            .slice(-last.length).map(row => row[1]).join() === last.join()""",
        arg=list(last),
    )


def posts(page) -> list[dict]:
    """What is sent from now on, as it is sent."""
    sent: list[dict] = []

    def remember(request):
        if request.method == "POST":
            sent.append({name: values[0] for name, values in parse_qs(request.post_data).items()})

    page.on("request", remember)
    return sent


def reasons_are_in_reach(page):
    """All of them stand in the window: beside the question, or on a phone with scripts behind a button."""
    window, why = page.viewport_size, page.locator(".why")
    if why.is_visible():
        why.click()
    for box in [label.bounding_box() for label in page.locator(".reasons label").all()]:
        assert box["x"] >= 0 and box["x"] + box["width"] <= window["width"]
        assert box["y"] >= 0 and box["y"] + box["height"] <= window["height"]
    if why.is_visible():
        why.click()
        assert page.locator(".reasons").is_hidden()


def focused(page) -> list:
    """The side and the place of the result that has the focus."""
    return page.evaluate(
        "() => [document.activeElement.closest('.panel')?.dataset.side, document.activeElement.closest('.result')?.dataset.place]"
    )
