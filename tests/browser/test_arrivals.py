"""By each channel a worker arrives, judges by keyboard, and finds the way back."""

import pytest

from tests.browser.conftest import PHONE_IN_SOAK
from tests.browser.joining import read_instructions
from tests.browser.test_main_job import enter_as_researcher, expect_done, judge_by_key, open_demo_study

pytestmark = pytest.mark.browser

CODES = {"have completed": "CDONE42", "do not consent": "CNO42", "are screened out": "COUT42", "fail a check": "CFAIL42"}
CONNECT = "https://connect.cloudresearch.com/participant/project/41B26CAA44/complete"


def open_study(watched):
    enter_as_researcher(watched.page)
    open_demo_study(watched.page)


def make_channel(browse, marketplace, codes, size="desktop"):
    """The address that the study's page shows for the marketplace's form."""
    watched = browse(size)
    page = watched.page
    open_study(watched)
    watched.follow(page.get_by_role("link", name=marketplace, exact=True))
    for who, code in codes.items():
        page.get_by_label(f"Code for participants who {who}").fill(code)
    page.get_by_label("Label").fill(f"{marketplace} {size}")
    if marketplace == "Prolific":
        page.get_by_label("Let in only those who come by a signed link").uncheck()  # nobody signs them here
    watched.check(f"channel-{marketplace}")
    watched.follow(page.get_by_role("button", name="Make the channel"))
    card = page.locator(".card", has=page.get_by_role("heading", name=f"{marketplace} {size}")).last
    card.get_by_text("Where workers will be sent").click()
    watched.check(f"study-with-{marketplace}")
    return card.get_by_label("Address for the marketplace").input_value()


def judge_two(watched):
    page = watched.page
    page.get_by_label("I have read this and want to take part").check()
    page.get_by_role("button", name="Start judging").click()
    read_instructions(page)
    page.wait_for_selector("form.item")
    page.wait_for_load_state()  # its script has run
    page.wait_for_timeout(300)
    for done, key in enumerate("12", 1):
        judge_by_key(page, key)
        expect_done(page, done)


def stop(watched):
    page = watched.page
    page.goto(page.url.split("?")[0] + "answers/")
    watched.follow(page.get_by_role("button", name="Hand back what is open"))


@pytest.mark.slow
def test_from_prolific_and_back(browse, size):
    address = make_channel(browse, "Prolific", CODES, size)
    for placeholder, value in {"PROLIFIC_PID": f"pid{size}", "STUDY_ID": "st1", "SESSION_ID": f"se{size}"}.items():
        assert f"{{{{%{placeholder}%}}}}" in address
        address = address.replace(f"{{{{%{placeholder}%}}}}", value)
    worker = browse(size)
    page = worker.page
    page.goto(address)
    assert page.url.endswith("/arrive/"), "no id stays in the address"
    worker.check("arrive-consent")
    judge_two(worker)
    stop(worker)
    link = page.get_by_role("link", name="Go back to Prolific")
    assert link.get_attribute("href") == "https://app.prolific.com/submissions/complete?cc=CDONE42"
    assert page.get_by_text("CDONE42", exact=True).is_visible()
    worker.check("left-for-prolific")

    page.goto(address)
    page.wait_for_selector("form.item")
    page.wait_for_load_state()  # its script has run
    expect_done(page, 2)


@pytest.mark.slow
@PHONE_IN_SOAK
def test_who_comes_in_another_browser_is_let_in_by_a_link_of_the_researchers(browse, size):
    address = make_channel(browse, "Prolific", {"have completed": "CDONE"}, size).split("?")[0]
    address += f"?PROLIFIC_PID=moves{size}&SESSION_ID=moves{size}"
    first, another = browse(size), browse(size)
    first.page.goto(address)
    judge_two(first)
    another.page.goto(address)
    another.page.wait_for_selector("text=You have begun in another browser")
    another.complaints.clear()  # the browser itself notes the status 409
    another.check("begun-elsewhere")

    researcher = browse(size)
    page = researcher.page
    open_study(researcher)
    researcher.follow(page.get_by_role("link", name="Participants"))
    researcher.follow(page.get_by_role("link", name="Let in again…").last)
    researcher.follow(page.get_by_role("button", name="Make the link"))
    researcher.check("readmission-made")
    another.page.goto(page.get_by_label("Link for the participant").input_value())
    another.check("readmit")
    another.page.get_by_role("button", name="Go on in this browser").click()
    another.page.wait_for_selector("form.item")
    another.page.wait_for_load_state()  # its script has run
    expect_done(another.page, 2)


@PHONE_IN_SOAK
def test_who_does_not_consent_goes_back_with_the_code_for_that(browse, size):
    address = make_channel(browse, "Prolific", {"have completed": "CDONE", "do not consent": "CNO42"}, size).split("?")[0]
    worker = browse(size)
    page = worker.page
    page.goto(f"{address}?PROLIFIC_PID=declines{size}&SESSION_ID=declines{size}")
    worker.follow(page.get_by_role("button", name="I do not consent"))
    link = page.get_by_role("link", name="Go back to Prolific")
    assert link.get_attribute("href") == "https://app.prolific.com/submissions/complete?cc=CNO42"
    worker.check("declined")


@pytest.mark.parametrize("javascript", [True, False])
def test_from_connect_and_back(browse, javascript):
    address = make_channel(browse, "CloudResearch Connect", {"have completed": CONNECT})
    worker = browse(javascript=javascript)
    page = worker.page
    page.goto(f"{address}?participantId=p{javascript}&assignmentId=a{javascript}&projectId=pr1")
    if javascript:
        judge_two(worker)
    else:
        page.get_by_label("I have read this and want to take part").check()
        worker.follow(page.get_by_role("button", name="Start judging"))
        for _ in range(2):
            worker.follow(page.locator("button.grade").nth(1))
    stop(worker)
    assert page.get_by_role("link", name="Go back to CloudResearch Connect").get_attribute("href") == CONNECT


def ask_api(page, path, data=None):
    """What the API says to whoever is signed in on the page; asked to do something where there are data."""
    return page.evaluate(
        """async ([path, data]) => {
          const token = document.cookie.match(/csrftoken=([^;]+)/)[1];
          const sent = data && { method: "POST", body: JSON.stringify(data) };
          const headers = { "Content-Type": "application/json", "X-CSRFToken": token };
          return (await fetch(`/api/v1/${path}`, { headers, ...sent })).json();
        }""",
        [path, data],
    )


@PHONE_IN_SOAK
def test_who_has_judged_what_the_study_asks_for_is_done(browse, size):
    researcher = browse(size).page
    enter_as_researcher(researcher)
    run = ask_api(researcher, "runs/")["results"][0]
    settings = {"name": f"Two each, {size}", "instructions": "Judge.", "depth": 1, "most_judgements": 2, "overlap": 2}
    study = ask_api(researcher, "studies/", {"collection": run["collection"], "runs": [run["id"]], **settings})["id"]
    ask_api(researcher, f"studies/{study}/launch/", {})
    channel = ask_api(
        researcher, f"studies/{study}/channels/", {"source": "prolific", "completed_code": "CDONE42", "signed_links": False}
    )

    worker = browse(size)
    page = worker.page
    page.goto(channel["address"].split("?")[0] + "?PROLIFIC_PID=two&STUDY_ID=st&SESSION_ID=two")
    page.get_by_label("I have read this and want to take part").check()
    page.get_by_role("button", name="Start judging").click()
    read_instructions(page)
    page.wait_for_selector("form.item")
    page.wait_for_load_state()  # its script has run
    page.wait_for_timeout(300)
    judge_by_key(page, "1")
    page.keyboard.press("2")
    page.wait_for_selector("text=All done, thank you")
    assert page.get_by_role("link", name="Go back to Prolific").get_attribute("href").endswith("/complete?cc=CDONE42")
    worker.check("all-done-for-prolific")


@PHONE_IN_SOAK
def test_an_address_opened_by_hand_says_so(browse, size):
    address = make_channel(browse, "CloudResearch Connect", {"have completed": CONNECT}, size)
    worker = browse(size)
    worker.page.goto(address)
    worker.page.wait_for_selector("text=Open this study from CloudResearch Connect")
    worker.complaints.clear()  # the browser itself notes the status 400
    worker.check("arrived-by-hand")


def test_by_the_open_call(browse, size):
    watched = browse(size)
    page = watched.page
    open_study(watched)
    page.get_by_label("Show it there").check()
    page.get_by_label("Language of the documents").fill("English")
    watched.follow(page.get_by_role("button", name="Save", exact=True))
    page.goto("/open/")
    watched.check("open-call")
    entry = page.get_by_role("link", name="Read more and join")
    if entry.count():
        watched.follow(entry)
        judge_two(watched)
    else:  # the demo's researcher has joined by the other size
        watched.follow(page.get_by_role("link", name="Go on judging"))
        page.wait_for_selector("form.item")
        page.wait_for_load_state()  # its script has run
    stop(watched)
    assert page.get_by_role("heading", name="Thank you").is_visible()
    assert page.get_by_role("link", name="Go back to").count() == 0


@pytest.mark.slow
@PHONE_IN_SOAK
def test_participants_are_listed_and_erased(browse, size):
    address = make_channel(browse, "Prolific", {"have completed": "CDONE42"}, size).split("?")[0]
    worker = browse()
    worker.page.goto(f"{address}?PROLIFIC_PID=forget{size}&SESSION_ID=forget{size}")
    judge_two(worker)
    watched = browse(size)
    page = watched.page
    open_study(watched)
    watched.follow(page.get_by_role("link", name="Participants"))
    watched.check("participants")
    watched.follow(page.get_by_role("link", name="Erase…").last)
    watched.check("erase")
    watched.follow(page.get_by_role("button", name="Erase"))
    assert page.get_by_text("Erased: nothing here leads to that person any more").is_visible()
