"""Machine judges through the API: how they join and work, and what a study's members read of them."""

from uuid import uuid4

import pytest

from ireval_site.docs import FOLDER
from judging.models import AuditEntry, Qrels, Token, User, Worker
from judging.recruiting.invites import invite, token_of
from tests.docs import shell

V1 = "/api/v1"


@pytest.fixture
def link(rita, running):
    made = rita.post(f"{V1}/studies/{running.pk}/invites/", {"label": "oracle", "machines": True}).json()
    assert made["machines"] is True
    return made["link"]


def test_a_machine_says_what_it_is(wim, link, running, researcher):
    refused = wim.post(f"{V1}/work/join/", {"link": link, "consent": True})
    assert (refused.status_code, set(refused.json())) == (400, {"machine"})
    joined = wim.post(f"{V1}/work/join/", {"link": link, "consent": True, "machine": "gpt-x, prompt v3"})
    assert (joined.status_code, joined.json()["machine"]) == (201, "gpt-x, prompt v3")
    again = wim.post(f"{V1}/work/join/", {"link": link, "consent": True, "machine": "gpt-x, prompt v3"})
    assert again.json()["worker"] == joined.json()["worker"]
    other = wim.post(f"{V1}/work/join/", {"link": link, "consent": True, "machine": "gpt-y"})
    assert (other.status_code, "gpt-x, prompt v3" in other.json()["detail"]) == (409, True)
    person = wim.post(f"{V1}/work/join/", {"link": token_of(invite(running, by=researcher)), "consent": True})
    assert person.status_code == 409
    assert Worker.objects.get().machine == "gpt-x, prompt v3"


def test_a_machine_comes_by_no_other_link(wim, running, researcher):
    refused = wim.post(f"{V1}/work/join/", {"link": token_of(invite(running, by=researcher)), "consent": True, "machine": "x"})
    assert (refused.status_code, set(refused.json())) == (400, {"machine"})
    running.open_call = True
    running.save()
    assert wim.post(f"{V1}/work/join/", {"study": running.pk, "consent": True, "machine": "x"}).status_code == 400
    assert not Worker.objects.exists()


def test_who_has_joined_stays_a_person(at_work, link):
    wim, _ = at_work
    assert wim.post(f"{V1}/work/join/", {"link": link, "consent": True, "machine": "x"}).status_code == 409
    assert Worker.objects.get().machine == ""


def test_what_members_read_of_it(wim, link, running, rita, sid):
    wim.post(f"{V1}/work/join/", {"link": link, "consent": True, "machine": "gpt-x"})
    address = f"{V1}/work/{running.pk}"
    items = wim.post(f"{address}/next/").json()
    while items:
        sent = {"offer": items[0]["offer"], "key": str(uuid4()), "grade": 1}
        items = wim.post(f"{address}/answer/", sent).json()["next"]
    (entry,) = rita.get(f"{V1}/studies/{running.pk}/machines/").json()["results"]
    assert (entry["machine"], entry["judged"], entry["compared"], entry["agreement"]) == ("gpt-x", 6, 0, [])
    assert entry["gold"] == {"right": 0, "answered": 0, "interval": None}
    machine = f"{V1}/studies/{running.pk}/machines/{entry['id']}/"
    assert rita.get(machine).json() == entry
    assert b"".join(rita.get(f"{machine}download/?format=trec").streaming_content).count(b" 1\n") == 6
    kept = rita.post(f"{machine}settle/")
    assert (kept.status_code, kept.json()["name"], kept.json()["recipe"]["machine"]) == (201, "Bird study · gpt-x", "gpt-x")
    assert list(AuditEntry.objects.values_list("deed", flat=True)[:2]) == ["settled", "exported"]
    assert {row["machine"] for row in rita.get(f"{V1}/studies/{running.pk}/judgements/").json()["results"]} == {"gpt-x"}
    assert [row["machine"] for row in rita.get(f"{V1}/studies/{running.pk}/workers/").json()["results"]] == ["gpt-x"]
    for end in ("", "download/"):
        assert sid.get(f"{machine}{end}").status_code == 404
    assert sid.post(f"{machine}settle/").status_code == 404


def test_nothing_to_keep_yet(rita, running, make_worker):
    machine = make_worker(running, machine="idle")
    assert rita.post(f"{V1}/studies/{running.pk}/machines/{machine.pk}/settle/").status_code == 409
    assert rita.post(f"{V1}/studies/{running.pk}/machines/{make_worker(running).pk}/settle/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_the_worked_example(live_server, running, researcher, tmp_path):
    (script,) = shell.blocks(FOLDER / "how-to" / "machine-judges.md", "sh")
    _, token = Token.objects.create(user=User.objects.create_user("oracle", password="a long enough password"))
    link = f"{live_server.url}/join/{token_of(invite(running, by=researcher, machines=True))}/"
    shell.run(script, tmp_path, SITE=live_server.url, TOKEN=token, LINK=link)
    machine = Worker.objects.get()
    assert (machine.machine, machine.judgements.count()) == ("word-spotter 1.0", 6)
    assert not Qrels.objects.exists()
