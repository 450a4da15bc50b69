"""What the judge page costs a worker's browser: bytes, requests and time until it can be used. `python -m benchmarks.judge_page`

The demo is started by its own launcher. Cold: an empty cache, ten times; the page counts as ready when the document is shown
and the script listens. Warm: the time from a key to the next document, and what that judgement moved over the wire. A sitting: a
worker who judges 200 documents by keys, takes each tenth back and judges it again, on a page that is loaded once.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests import chromium
from tests.browser.conftest import ROOT, free_port, wait_for_address

TIMES = 10
SITTING = 200


def join(browser: Browser, link: str) -> tuple[str, dict]:
    """The judge page's address and the cookies of a worker who has joined."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    page.get_by_label("I have read this and want to take part").check()
    page.get_by_role("button", name="Start judging").click()
    page.wait_for_selector("form.item")
    return page.url, dict(context.storage_state())


def bytes_of(response) -> int:
    sizes = response.request.sizes()
    return sizes["responseBodySize"] + sizes["responseHeadersSize"]


def cold(browser: Browser, url: str, cookies: dict) -> tuple[float, int, int]:
    context = browser.new_context(storage_state=cookies)  # type: ignore[arg-type]
    page = context.new_page()
    answers: list = []
    page.on("response", lambda response: answers.append(response))  # noqa: PLW0108  it wants a function to mark
    page.goto(url, wait_until="load")
    # The script is a module: it has run when the document's own loading ends.
    ready = page.evaluate("() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    page.wait_for_function("() => document.getElementById('ahead').content.firstElementChild")
    measured = ready / 1000, sum(map(bytes_of, answers)), len(answers)
    context.close()
    return measured


def warm(browser: Browser, url: str, cookies: dict) -> tuple[float, int]:
    context = browser.new_context(storage_state=cookies)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(url)
    seconds, moved = [], []
    for _ in range(TIMES):
        page.wait_for_function("() => document.getElementById('ahead').content.firstElementChild")
        page.wait_for_timeout(300)
        with page.expect_response(lambda response: response.request.method == "POST") as answer:
            seconds.append(
                page.evaluate(
                    """() => new Promise(resolve => {
                        const start = performance.now();
                        new MutationObserver(() => requestAnimationFrame(() => resolve(performance.now() - start)))
                            .observe(document.getElementById('judge'), {childList: true});
                        document.querySelector('.grade').click();
                    })"""
                )
            )
        moved.append(bytes_of(answer.value))
    context.close()
    return statistics.median(seconds), max(moved)


def sitting(browser: Browser, url: str, cookies: dict) -> str:
    """How a long sitting went: pages loaded, the slowest of its next documents, and how much memory the page took more."""
    context = browser.new_context(storage_state=cookies)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(url)
    loads: list = []
    page.on("load", lambda loaded: loads.append(loaded))  # noqa: PLW0108  it wants a function to mark
    page.on("pageerror", lambda error: loads.append(error))  # noqa: PLW0108
    page.wait_for_function("() => document.getElementById('ahead').content.firstElementChild")
    before, waits = heap(page), []
    for number in range(SITTING):
        page.wait_for_timeout(260)  # a key that comes sooner is a slip
        waits.append(next_after(page, str(number % 3)))
        if number % 10 == 9:
            next_after(page, "u")
            page.wait_for_timeout(260)
            next_after(page, str((number + 1) % 3))
    page.wait_for_function("() => Object.keys(localStorage).every(key => !key.startsWith('ireval-unsent'))")
    grown = (heap(page) - before) / 1e6
    judged = page.locator("#worker-progress progress").get_attribute("value")
    context.close()
    slowest = sorted(waits)[int(SITTING * 0.95)]
    return f"{judged} judged, {len(loads)} pages loaded, next document {slowest:.0f} ms (p95), {grown:+.1f} MB of script memory"


def next_after(page: Page, key: str) -> float:
    """Press the key, and wait until another document is shown: milliseconds."""
    shown = "() => document.querySelector('#judge form.item')?.dataset.item"
    item, start = page.evaluate(shown), time.perf_counter()
    page.keyboard.press(key)
    page.wait_for_function(f"item => {{ const now = ({shown})(); return now && now !== item; }}", arg=item, polling=5)
    return (time.perf_counter() - start) * 1000


def heap(page: Page) -> int:
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    return session.send("Runtime.getHeapUsage")["usedSize"]


# The demo asks for the first document of each run, too few for a sitting: the same study, five documents deep.
DEEPER = """
from judging.studies.launch import launch
from judging.management.commands.load_demo import path_of
from judging.models import Study
from judging.recruiting.invites import invite
study = Study.objects.get()
runs, by = list(study.runs.all()), study.created_by
study.pk, study.name, study.depth, study.state, study.launched = None, "Deeper", 5, Study.State.DRAFT, None
study._state.adding = True
study.save()
study.runs.set(runs)
launch(study, by=by, seed=1)
print(path_of(invite(study, by=by, label="benchmark")))
"""


def shell(code: str, environment: dict[str, str]) -> str:
    """What the code prints, run where the site runs."""
    command = [sys.executable, "manage.py", "shell", "-v0", "-c", code]
    return subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    environment = {**os.environ, "IREVAL_DATA": str(folder), "PORT": str(free_port())}
    with open(folder / "launcher.log", "w") as log:
        launcher = subprocess.Popen(
            [sys.executable, "-m", "ireval_site.laptop.serve", "--demo"], cwd=ROOT, env=environment, stdout=log, stderr=log
        )
    try:
        site = wait_for_address(folder / "launcher.log", launcher)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium.program(), args=chromium.FLAGS)
            url, cookies = join(browser, site + shell(DEEPER, environment))
            seconds, moved, requests = zip(*(cold(browser, url, cookies) for _ in range(TIMES)), strict=True)
            print(f"cold: ready in {statistics.median(seconds):.3f} s (median of {TIMES}, worst {max(seconds):.3f})", end=", ")
            print(f"{max(moved) / 1000:.1f} kB, {max(requests)} requests")
            key, judgement = warm(browser, url, cookies)
            print(f"warm: next document {key:.0f} ms after the key, at most {judgement / 1000:.1f} kB a judgement")
            print(f"a sitting: {sitting(browser, url, cookies)}")
            browser.close()
    finally:
        launcher.terminate()
        launcher.wait()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
