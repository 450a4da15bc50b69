"""The audit: what is written down, that it stays, and who reads it."""

from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.urls import reverse

from judging import audit
from judging.audit import Deed
from judging.collections.deletion import delete_collection, delete_study
from judging.labels import gold_choice
from judging.models import AuditEntry, User
from judging.models.audit_entry import AuditEntriesAreKept
from judging.recruiting import invites
from judging.recruiting.arrivals import Claim, consent, erase
from judging.recruiting.channels import add_channel
from judging.studies import launch
from judging.work import exclusions
from judging.work.answers import Answer, record_judgement
from judging.work.assignment import next_slots

pytestmark = pytest.mark.django_db


def deeds():
    return list(AuditEntry.objects.order_by("id").values_list("deed", flat=True))


def test_a_deed_that_fails_leaves_nothing(study, researcher):
    with pytest.raises(IntegrityError), transaction.atomic():
        launch.launch(study, by=researcher, seed=1)
        raise IntegrityError
    assert deeds() == []


def test_a_click_that_changes_nothing_leaves_nothing(running, researcher):
    launch.resume(running, by=researcher)
    launch.restore(running, by=researcher)
    link = invites.invite(running, by=researcher)
    invites.revoke(link, by=researcher)
    invites.revoke(link, by=researcher)
    invites.call(running, open_call=False, language="", by=researcher)
    assert deeds() == ["launched", "invited", "revoked"]


def test_a_study_there_and_back(running, researcher):
    for move in (launch.pause, launch.resume, launch.archive, launch.restore):
        move(running, by=researcher)
    assert deeds()[1:] == ["paused", "resumed", "archived", "restored"]
    assert AuditEntry.objects.filter(study=running, by=researcher).count() == 4


def test_what_a_rule_does_has_nobody(running, make_worker, researcher):
    worker = make_worker(running)
    exclusion = exclusions.exclude(worker, reason="all the same")
    exclusions.lift(exclusion, by=researcher)
    ruled, lifted = AuditEntry.objects.order_by("id")[1:]
    assert (ruled.by, ruled.about) == (None, f"{worker}, excluded: all the same")
    assert (lifted.by, lifted.deed) == (researcher, "lifted")


def test_gold_of_what_workers_agreed_on(running, make_worker, researcher):
    for _ in range(2):
        worker = make_worker(running)
        while slots := next_slots(worker):
            record_judgement(worker=worker, item=slots[0].item, answer=Answer(key=uuid4(), grade=1))
    assert gold_choice.promote(running, count=2, by=researcher) == 2
    entry = AuditEntry.objects.first()
    assert (entry.deed, entry.about, entry.by) == ("checked", "2 × gold, made of what workers agreed on", researcher)


def test_settings_say_what_they_were_and_are(running, researcher):
    invites.call(running, open_call=True, language="Italian", by=researcher)
    assert AuditEntry.objects.first().about == "“Bird study”, open call: no → yes; language: none → Italian"


def test_an_erasure_does_not_repeat_what_was_erased(running, researcher):
    channel = add_channel(running, by=researcher, source="prolific")
    arrival = consent(channel, Claim("5f3c0ffee", "a11ce5ub", "57udy"))
    erase(arrival, by=researcher)
    erase(arrival, by=researcher)
    subjects = AuditEntry.objects.filter(deed=Deed.ERASED).values_list("about", flat=True)
    assert list(subjects) == [f"w{arrival.worker_id}, from Prolific"]


def test_entries_outlive_what_they_are_about(study, collection, researcher):
    delete_study(study, by=researcher)
    for run in collection.runs.all():
        run.delete()
    delete_collection(collection, by=researcher)
    rows = AuditEntry.objects.order_by("id").values_list("deed", "about", "study", "collection")
    assert list(rows) == [("deleted", "study “Bird study”", None, None), ("deleted", "collection “Birds”", None, None)]


def test_entries_are_neither_changed_nor_deleted(running):
    entry = AuditEntry.objects.get()
    entry.about = "nothing"
    for attempt in (
        entry.save,
        entry.delete,
        AuditEntry.objects.all().delete,
        lambda: AuditEntry.objects.update(about="nothing"),
        lambda: AuditEntry.objects.bulk_update([entry], ["about"]),
        lambda: running.audit.all().delete(),
        running.audit.clear,
    ):
        with pytest.raises(AuditEntriesAreKept), transaction.atomic():
            attempt()
    with pytest.raises(IntegrityError), transaction.atomic():
        AuditEntry(pk=entry.pk, deed="paused", about="nothing").save()
    assert AuditEntry.objects.get().about.startswith("“Bird study”: 6 items")


def test_not_even_sql_changes_an_entry(running):
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE judging_auditentry SET about = 'nothing'")
    assert AuditEntry.objects.get().about.startswith("“Bird study”")


def test_long_words_are_cut(running):
    audit.note(Deed.EXCLUDED, "x" * 400, study=running)
    assert AuditEntry.objects.first().about == "x" * 299 + "…"


# Pages


def test_the_history_of_a_study(rita, running, researcher, stranger):
    invites.invite(running, by=researcher, label="<b>friends</b>")
    audit.note(Deed.EXPORTED, "judgements as csv", stranger, running)
    address = reverse("study_history", args=[running.pk])
    page = rita.get(address).content.decode()
    assert "&lt;b&gt;friends" in page
    assert page.index("judgements as csv") < page.index("friends") < page.index("6 items")
    assert "no person" in page  # who launched it in the fixture is not known
    assert "friends" not in rita.get(address, {"deed": "exported"}).content.decode()
    assert "judgements as csv" not in rita.get(address, {"by": researcher.pk}).content.decode()
    assert "6 items" in rita.get(address, {"by": "0"}).content.decode()
    assert "No entries like this" in rita.get(address, {"deed": "erased"}).content.decode()
    for odd in ({"deed": "x"}, {"by": "x" * 99}, {"by": "9" * 18}, {"q": "\0"}, {"page": "x"}):
        assert rita.get(address, odd).status_code == 200


def test_the_history_as_a_file_keeps_to_the_filters(rita, running, researcher):
    invites.invite(running, by=researcher, label="=1+1")
    got = rita.get(reverse("study_history_file", args=[running.pk]), {"deed": "invited"}).content.decode().splitlines()
    assert got[0] == "when,by,what,about,study,collection"
    assert len(got) == 2
    assert "rita,Made a link,link" in got[1]


def test_a_draft_has_no_history_yet(rita, study):
    assert "Nothing yet" in rita.get(reverse("study_history", args=[study.pk])).content.decode()


def test_a_history_comes_in_pages(rita, running):
    for number in range(101):
        audit.note(Deed.EXPORTED, f"number {number}", study=running)
    page = rita.get(reverse("study_history", args=[running.pk]), {"page": 2}).content.decode()
    assert "number 0<" in page and "number 100<" not in page


def test_the_audit_of_the_site_is_for_admins(rita, client, running, admin, researcher):
    assert rita.get(reverse("audit")).status_code == rita.get(reverse("audit_file")).status_code == 404
    assert reverse("administration") not in rita.get("/").content.decode()
    client.force_login(admin)
    assert reverse("administration") in client.get("/").content.decode()
    assert reverse("audit") in client.get(reverse("administration")).content.decode()
    page = client.get(reverse("audit")).content.decode()
    assert reverse("study_history", args=[running.pk]) in page
    assert "No entries like this" in client.get(reverse("audit"), {"q": "swallows"}).content.decode()
    assert "6 items" in client.get(reverse("audit"), {"q": "bird STUDY"}).content.decode()
    assert b"6 items" in client.get(reverse("audit_file")).content


def test_the_history_through_the_api(rita, client, running, researcher, stranger):
    invites.invite(running, by=researcher, label="friends")
    address = f"/api/v1/studies/{running.pk}/history/"
    made, launched = rita.get(address).json()["results"]
    assert (made["deed"], made["by"], launched["deed"], launched["by"]) == ("invited", "rita", "launched", None)
    assert "friends" in made["about"]
    for narrowed in ("?by=rita", "?deed=invited"):
        assert rita.get(address + narrowed).json()["results"] == [made]
    assert rita.get(f"{address}?deed=x").status_code == 400
    client.force_login(stranger)
    assert client.get(address).status_code == 404


# The admin's own pages


def test_who_is_made_a_researcher_or_an_admin(client, admin):
    client.force_login(admin)
    wim = User.objects.create_user("wim", password="a long enough password")
    form = {"username": "wim", "is_active": "on", "is_researcher": "on", "is_superuser": "on"}
    form |= {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}
    assert client.post(f"/admin/judging/user/{wim.pk}/change/", form).status_code == 302
    entry = AuditEntry.objects.get()
    assert (entry.by, entry.about) == (admin, "account wim, researcher: yes, admin: yes")
    assert client.post(f"/admin/judging/user/{wim.pk}/change/", {**form, "first_name": "Wim"}).status_code == 302
    assert AuditEntry.objects.count() == 1


def test_who_is_made_a_member_by_an_admin(client, admin, running, stranger, researcher):
    client.force_login(admin)
    form = {"members": [researcher.pk, stranger.pk], "owner": researcher.pk}
    assert client.post(f"/admin/judging/study/{running.pk}/change/", form).status_code == 302
    assert AuditEntry.objects.first().about == "“Bird study”, members: rita → rita, sid"


def test_who_owns_a_collection(client, admin, collection, stranger):
    client.force_login(admin)
    form = {"name": collection.name, "owner": stranger.pk, "shared": "on"}
    assert client.post(f"/admin/judging/collection/{collection.pk}/change/", form).status_code == 302
    entry = AuditEntry.objects.get()
    assert (entry.collection, entry.about) == (collection, f"collection “{collection.name}”, owner: sid, shared: yes")


def test_an_account_made_on_the_command_line(monkeypatch):
    monkeypatch.setenv("IREVAL_PASSWORD", "a long enough password")
    call_command("create_user", "wim", "--researcher")
    entry = AuditEntry.objects.get()
    assert (entry.by, entry.about) == (None, "account wim, researcher: made on the command line")


def test_tokens_that_an_admin_deletes(client, admin, researcher):
    from judging.models import Token

    client.force_login(admin)
    tokens = [Token.objects.create(user=researcher, name="lost")[0] for _ in range(3)]
    assert client.post(f"/admin/judging/token/{tokens[0].pk}/delete/", {"post": "yes"}).status_code == 302
    chosen = {"action": "delete_selected", "_selected_action": [token.pk for token in tokens[1:]], "post": "yes"}
    assert client.post("/admin/judging/token/", chosen).status_code == 302
    assert not Token.objects.exists()
    assert {(entry.by, entry.about) for entry in AuditEntry.objects.all()} == {
        (admin, f"token {token} lost of rita: deleted") for token in tokens
    }


def test_the_admin_only_looks_at_entries(client, admin, running):
    client.force_login(admin)
    address = f"/admin/judging/auditentry/{AuditEntry.objects.get().pk}"
    assert client.get(f"{address}/change/").status_code == 200
    assert client.post(f"{address}/change/", {"about": "x"}).status_code == 403
    assert client.post(f"{address}/delete/", {"post": "yes"}).status_code == 403
