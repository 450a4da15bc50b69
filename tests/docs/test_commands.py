"""Every command and every line of Python of the documentation is run as it stands there, or it is said here why not."""

import json
import re
import shlex
import shutil
import time
from glob import glob
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import polars as pl
import pytest
from django.core.management import call_command, get_commands, load_command_class
from django.urls import resolve

import ireval
from ireval.cli.main import main
from ireval_site.docs import FOLDER
from ireval_site.laptop import serve
from judging.accounts import tokens
from judging.experiments import drafts, lifecycle
from judging.logs import keys
from judging.models import Arm, Arrival, Bonus, Collection, Event, Query, Site, User
from judging.recruiting import arrivals, channels
from judging.recruiting.arrivals import Claim
from tests.docs import shell
from tests.docs.files import TOPICS, grades, read_run, write_all
from tests.docs.shell import MANAGED, blocks

ROOT = FOLDER.parent
PAGES = [*sorted(FOLDER.rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
IREVAL = re.compile(r"^(?:\$ )?(?:\.venv/bin/)?(?:python -m )?(ireval [a-z].*)$", re.MULTILINE)
SITE, KEY = "https://ireval.example.org", "w_…"

MAKE = re.compile(r"^(?:IREVAL_(?:URL|DATA)=\S+ )?make ([a-z]+)(.*)$", re.MULTILINE)
PASSWORD = "a long enough password"

# Pages whose shell is run as a whole, and by which test.
RUN = {
    "explanation/security.md": "test_what_a_stranger_sees_of_a_server",
    "how-to/experimenting.md": "test_a_site_asks_for_arms_and_merged_lists",
    "how-to/logs.md": "test_a_site_sends_queries_and_clicks",
    "how-to/machine-judges.md": "tests/judging/api/test_machines.py",
    "how-to/recruiting.md": "test_channels_and_bonuses, test_what_prolific_is_asked",
    "how-to/operations.md": "tests/site/test_operations.py, tests/site/test_deploy.py, tests/site/test_web.py; no Docker here",
    "reference/api.md": "tests/judging/api/test_tutorial.py",
    "tutorial/first-study.md": "test_the_files_of_the_first_study, test_targets_exist",
    "tutorial/notebook.md": "tests/ireval/test_tutorial.py",
}
# Commands that need a database or a folder of their own, and the test that runs them there.
ELSEWHERE = {
    "backup": "tests/judging/backups/test_backup.py",
    "restore": "tests/judging/backups/test_backup.py",
    "migrate": "tests/site/test_hosts.py",
    "collectstatic": "tests/site/test_compose.py",
}
PYTHON = [
    "how-to/experimenting.md",
    "how-to/judging-less.md",
    "how-to/people.md",
    "reference/behaviour.md",
    "reference/implicit-labels.md",
    "reference/interleaving.md",
    "reference/verdict.md",
]


def name_of(page: Path) -> str:
    return page.relative_to(FOLDER).as_posix() if FOLDER in page.parents else page.name


def commands(pattern: re.Pattern) -> list[str]:
    shells = [block.replace(" && ", "\n") for page in PAGES for block in blocks(page, "sh")]
    lines = {line.strip() for block in shells for line in pattern.findall(block)}
    return sorted({re.sub(r"\s+#.*$", "", line) for line in lines})


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_all_shell_is_run(page):
    assert not blocks(page, "console", "bash", "shell"), "what is typed into a shell is marked as sh, and run"
    for block in blocks(page, "sh") if name_of(page) not in RUN else []:
        lines = [line for line in block.splitlines() if line.startswith("$ ")] or block.splitlines()
        for line in filter(str.strip, lines):
            # A newcomer's first commands: the Makefile's targets are below, the rest needs a network.
            is_run = IREVAL.match(line) or MANAGED.match(line) or MAKE.match(line)
            assert is_run or re.match(r"git clone |\.venv/bin/pip ", line), line


def test_all_python_is_run():
    assert {name_of(page) for page in PAGES if blocks(page, "python")} == {*PYTHON, "tutorial/notebook.md"}


def test_targets_exist():
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    made = [line for page in PAGES for block in blocks(page, "sh") for line in MAKE.findall(block)]
    assert {"demo", "serve"} <= {target for target, _ in made} <= set(targets)
    (words,) = [words for target, said in made if target == "serve" for words in re.findall(r'ARGS="(.*)"', said)]
    assert serve.parse(words.split()).host == "0.0.0.0"


@pytest.mark.parametrize("command", commands(MANAGED))
def test_manage_py_does_it(command, folder, site, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("IREVAL_PASSWORD", PASSWORD)
    name, *words = shlex.split(command)[1:]
    arguments = [each for word in words for each in (sorted(glob(word)) or [word])]
    if name in ELSEWHERE:
        load_command_class(get_commands()[name], name).create_parser("manage.py", name).parse_args(arguments)
        return
    if name == "create_user":
        site.delete()
        User.objects.all().delete()
    call_command(name, *arguments)
    assert capsys.readouterr().out
    if name == "import_collection":
        made = Collection.objects.get()
        assert made.topics.count() == len(TOPICS) and made.runs.count() >= 2


def test_what_is_run_elsewhere_is():
    assert ELSEWHERE.keys() <= {shlex.split(command)[1] for command in commands(MANAGED)}
    for name, file in ELSEWHERE.items():
        assert name in (ROOT / file).read_text(), name
    for page, tests in RUN.items():
        assert blocks(FOLDER / page, "sh"), page
        named = [name.strip() for name in tests.partition(";")[0].split(",")]
        assert all(name in globals() or (ROOT / name).is_file() for name in named), tests


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    write_all(folder)
    return folder


@pytest.fixture
def folder(files, tmp_path) -> Path:
    """A folder of the test's own: one command writes over what another reads."""
    return shutil.copytree(files, tmp_path / "files")


@pytest.mark.parametrize("command", commands(IREVAL))
def test_the_command_line_does_it(command, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    if "bm25.run" in command:
        return  # tests/ireval/test_tutorial.py compares what it prints
    if "bundle.zip" in command:
        run_python("reference/verdict.md", folder)
    words = shlex.split(command.partition(" > ")[0])[1:]
    status = main([each for word in words for each in (sorted(glob(word)) or [word])])
    printed = capsys.readouterr()
    assert status == 0 and printed.out, printed.err


@pytest.mark.parametrize("page", PYTHON)
def test_python_runs(page, folder, monkeypatch):
    monkeypatch.chdir(folder)
    run_python(page, folder)


def run_python(page: str, folder: Path) -> None:
    """Run a page's Python with what it takes to be there."""
    names = given(page, folder)
    for text in blocks(FOLDER / page, "python"):
        if not text.startswith("import requests"):  # the request of the curl beside it
            exec(text.replace("grade=...", "grade=1"), names)


def given(page: str, folder: Path) -> dict:
    runs = {name: read_run(folder / f"{name}.run") for name in "ab"}
    qrels = pl.DataFrame(grades(), schema=["topic", "docno", "grade"], orient="row")
    if page == "reference/verdict.md":
        answers = [(f"q{n}", f"q{n}", "a", "b", ("left", "right", "tie")[n % 3], f"w{n % 4}") for n in range(40)]
        columns = ["item", "topic", "left", "right", "winner", "worker"]
        voted = pl.DataFrame(answers, schema=columns, orient="row")
        return {"qrels": qrels, "run_a": runs["a"], "run_b": runs["b"], "votes": None, "answers": voted}
    if page == "how-to/judging-less.md":
        documents = ireval.pooled_documents(runs, {topic: {"d1": 1} for topic in TOPICS}, depth=3)
        named = {"documents": documents, "measure": ireval.parse_measure("DCG@3"), "rng": np.random.default_rng(1)}
        return {"ireval": ireval, "runs": runs, "qrels": qrels, "topics": TOPICS, **named}
    if page == "reference/behaviour.md":
        rows = [(unit, unit * 1000, unit, unit % 2) for unit in range(200)]
        searches = pl.DataFrame(rows, schema=["unit", "time", "query", "arm"], orient="row")
        events = searches.filter(pl.col("unit") % 3 == 0).select("unit", pl.col("time") + 1, "query", action=pl.lit("click"))
        return {"searches": searches, "events": events, "start": 0, "stop": 10**6, "days": [10**5, 10**6]}
    judged = [("owls 0", f"d{number}", number % 3) for number in range(5)]
    return {"judged": pl.DataFrame(judged, schema=["query", "document", "grade"], orient="row")}


def run(script: str, folder: Path, **variables: str) -> str:
    return shell.run(script.replace("curl ", "curl -sS --fail-with-body "), folder, **variables)


@pytest.fixture
def site(researcher):
    return Site.objects.create(name="Bird shop", slug="bird-shop", owner=researcher)


@pytest.fixture
def as_written(site, researcher, live_server):
    """A page's shell, with this server's address and a key of this site."""
    key = keys.key_text(keys.make(site, by=researcher))
    return lambda page: [text.replace(SITE, live_server.url).replace(KEY, key) for text in blocks(FOLDER / page, "sh")]


def test_a_site_sends_queries_and_clicks(as_written, tmp_path):
    answer = json.loads(run(as_written("how-to/logs.md")[0], tmp_path))
    assert answer["accepted"] == 2
    assert (Query.objects.count(), Event.objects.count()) == (1, 1)


def test_a_site_asks_for_arms_and_merged_lists(as_written, site, researcher, tmp_path):
    for name, kind, arms in (("new-ranking", "ab", ("control", "new")), ("bm25-or-dense", "interleaving", ("bm25", "dense"))):
        made = [Arm(name=arm, weight=1, is_control=arm == arms[0]) for arm in arms]
        lifecycle.start(drafts.create(site, by=researcher, name=name, kind=kind, arms=made), by=researcher)
    asked, merged = as_written("how-to/experimenting.md")
    assigned, shown = [json.loads(text) for text in blocks(FOLDER / "how-to" / "experimenting.md", "json")]
    answer = json.loads(run(asked, tmp_path))
    assert answer.keys() == assigned.keys()
    assert answer["assignments"]["new-ranking"].keys() == assigned["assignments"]["new-ranking"].keys()
    answer = json.loads(run(merged, tmp_path))
    assert answer.keys() == shown.keys() and answer["logged"] is True
    assert set(answer["ranking"]) <= {"d1", "d2", "d3", "d9"}


def test_what_a_stranger_sees_of_a_server(live_server, running, tmp_path):
    """Each line ends in a grep, which fails where it finds nothing."""
    (script,) = blocks(FOLDER / "explanation" / "security.md", "sh")
    lines = script.splitlines()
    assert len(lines) == 6
    pinned = script.replace("studies/1/", f"studies/{running.pk}/").replace("curl ", "curl -sS ")
    shell.run(pinned, tmp_path, SITE=live_server.url)


@pytest.mark.parametrize(("page", "least"), [("explanation/security.md", 30), ("how-to/operations.md", 8)])
def test_every_promise_names_a_test_that_is_there(page, least):
    tables = re.findall(r"^\| promise \| shown by \|\n\|---\|---\|\n((?:\|.*\n)+)", (FOLDER / page).read_text(), re.MULTILINE)
    rows = re.findall(r"^\| (.+) \| (.+) \|$", "".join(tables), re.MULTILINE)
    assert len(rows) >= least
    for promise, shown_by in rows:
        files = re.findall(r"`(tests/[\w/]+\.py)`", shown_by)
        assert files or "make check" in shown_by or shown_by == "the same", promise
        assert all("def test_" in (ROOT / file).read_text() for file in files), promise


def test_channels_and_bonuses(live_server, researcher, running, tmp_path):
    type(running).objects.update(pay_a_judgement="0.06")
    channel = channels.add_channel(running, by=researcher, source="prolific", completed_code="C1")
    erased, paid = (arrivals.consent(channel, Claim(f"participant{n}", f"submission{n}", "st1")) for n in "12")
    here = {"SITE": live_server.url, "TOKEN": tokens.make(researcher)[1]}
    numbers = {"studies/1": f"studies/{running.pk}", "arrivals/5": f"arrivals/{erased.pk}", "w12": f"w{paid.worker_id}"}
    _, script = blocks(FOLDER / "how-to" / "recruiting.md", "sh")
    for shown, number in numbers.items():
        script = script.replace(shown, number)
    *first, last = script.splitlines()
    printed = run("\n".join(first), tmp_path, **here)
    assert "C123" in printed and "participant1" in printed and running.channels.count() == 2
    assert list(Arrival.objects.filter(participant="")) == [erased]
    given = Bonus.objects.get()
    run("\n".join([first[0], last.replace("bonuses/3", f"bonuses/{given.pk}")]), tmp_path, **here)
    assert Bonus.objects.get().withdrawn


def test_what_prolific_is_asked(tmp_path):
    """Nothing is asked of it here: what curl would send is JSON, and the hook is an address that there is."""
    script, _ = blocks(FOLDER / "how-to" / "recruiting.md", "sh")
    told = shell.run(f"curl() {{ printf '%s\\0' \"$@\"; }}\n{script}", tmp_path).split("\0")
    secret, hook, confirmed = [json.loads(after) for before, after in pairwise(told) if before == "-d"]
    assert secret.keys() <= hook.keys() and confirmed.keys() == {"secret"}
    assert resolve(urlsplit(hook["target_url"]).path).url_name == "hear"
    assert len([word for word in told if word.startswith("https://api.prolific.com/api/v1/hooks/")]) == 3


def test_the_files_of_the_first_study(tmp_path):
    _, script = blocks(FOLDER / "tutorial" / "first-study.md", "sh")
    shell.run(script, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["documents.csv", "letters.run", "topics.csv", "words.run"]
    assert main(["pool", str(tmp_path / "words.run"), str(tmp_path / "letters.run"), "--depth", "2"]) == 0


def test_what_receives_webhooks_tells_ours_from_others():
    from judging.news.webhooks import signature

    (block,) = blocks(FOLDER / "how-to/people.md", "python")
    exec(block, names := {})
    is_genuine, now, body = names["is_genuine"], int(time.time()), b'{"event": "test"}'
    assert is_genuine("secret", signature("secret", body, now), body)
    assert not is_genuine("other", signature("secret", body, now), body)
    assert not is_genuine("secret", signature("secret", body, now), body + b" ")
    assert not is_genuine("secret", signature("secret", body, now - 400), body)
