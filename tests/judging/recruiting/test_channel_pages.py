"""The researcher's pages for marketplaces: making a channel, seeing where workers go, the file to settle with, erasing."""

import csv
import io
import re

import pytest
from django.urls import reverse

from judging.models import Arrival, Channel, Worker
from judging.recruiting import arrivals, channels, invites
from judging.recruiting.arrivals import Claim
from judging.work import departure
from tests.judging.recruiting.participants import CODES, judge

pytestmark = pytest.mark.django_db


@pytest.fixture
def channel(running, researcher):
    return channels.add_channel(running, by=researcher, source="prolific", label="pilot", **CODES)


def page_of(client, study):
    return client.get(reverse("study", args=[study.pk])).content.decode()


def new(client, study, source="prolific", **fields):
    return client.post(reverse("channel_new", args=[study.pk, source]), fields, follow=True)


def test_a_prolific_channel_shows_the_address_with_its_placeholders(rita, running):
    page = new(rita, running, label="pilot", completed_code="C123").content.decode()
    channel = Channel.objects.get()
    token = invites.token_of(channel)
    assert (
        f"http://testserver/arrive/{token}/?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}&amp;STUDY_ID={{{{%STUDY_ID%}}}}"
        f"&amp;SESSION_ID={{{{%SESSION_ID%}}}}" in page
    )
    assert "https://app.prolific.com/submissions/complete?cc=C123" in page
    assert "is asked to return the submission" in page
    assert f"http://testserver/hooks/{channel.pk}/" in page
    assert "Prolific: pilot" in page
    assert token not in str(Channel.objects.values().get())


def test_nothing_is_filled_in_that_was_not_said(rita, running):
    page = rita.get(reverse("channel_new", args=[running.pk, "prolific"])).content.decode()
    assert page.split("<textarea")[1].split(">", 1)[1].split("</textarea>")[0].strip() == ""
    page = new(rita, running, keys="{").content.decode()
    assert page.split("<textarea")[1].split(">", 1)[1].split("</textarea>")[0].strip() == "{"
    assert "<details open>" in page, "what was refused is in sight"


def test_a_connect_channel_needs_no_placeholders(rita, running):
    url = "https://connect.cloudresearch.com/participant/project/41B26CAA44/complete"
    page = new(rita, running, "connect", completed_code=url).content.decode()
    channel = Channel.objects.get()
    assert channels.parameters_of(channel) == ["participantId", "projectId", "assignmentId"]
    assert f'value="http://testserver/arrive/{invites.token_of(channel)}/"' in page
    assert url in page
    assert "webhook" not in page.lower()


def test_a_new_prolific_channel_asks_for_signed_links_and_says_why(rita, running):
    page = rita.get(reverse("channel_new", args=[running.pk, "prolific"])).content.decode()
    assert 'name="signed_links" id="id_signed_links"' in page.replace(' aria-describedby="id_signed_links_helptext"', "")
    assert page.index("id_signed_links") < page.index("Names of parameters"), "in sight: Prolific has to be told, too"
    assert "whoever knows a participant’s id can come in their place" in page
    new(rita, running, signed_links="on")
    new(rita, running, label="unsigned")
    assert [new_channel.signed_links for new_channel in Channel.objects.order_by("pk")] == [True, False]


def test_a_connect_channel_says_that_nothing_is_signed_there(rita, running):
    page = rita.get(reverse("channel_new", args=[running.pk, "connect"])).content.decode()
    assert "CloudResearch Connect does not sign its links" in page and "signed_links" not in page
    new(rita, running, "connect", label="there")
    assert Channel.objects.get().signed_links is False


def test_links_are_shown_as_the_outside_has_to_write_them(rita, channel, settings):
    settings.PUBLIC_URL = "https://judge.example"
    assert f"https://judge.example/arrive/{invites.token_of(channel)}/?PROLIFIC_PID=" in page_of(rita, channel.study)


def test_a_missing_code_is_said(rita, running):
    assert "No code for participants who have completed" in new(rita, running, label="pilot").content.decode()
    Channel.objects.update(completed_code="C1")
    assert "No code for participants who have completed" not in page_of(rita, running)


WRONG = [
    ({"completed_code": "javascript:alert(1)"}, "Give the code alone"),
    ({"completed_code": "http://app.prolific.com/submissions/complete?cc=C1"}, "begins with https://"),
    ({"completed_code": "https://prolific.com.evil.example/x"}, "Give the code alone"),
    ({"completed_code": "https://evil.example/prolific.com"}, "Give the code alone"),
    ({"completed_code": "https://me@app.prolific.com/"}, "Give the code alone"),
    ({"completed_code": "https://app.prolific.com\\@evil.example/"}, "Give the code alone"),
    ({"completed_code": "https://evilprolific.com/"}, "Give the code alone"),
    ({"completed_code": "https://["}, "Give the code alone"),
    ({"screened_out_code": "two words"}, "Give the code alone"),
    ({"completed_code": "C" * 301}, "at most 300 characters"),
    ({"participant_parameter": "a b"}, "Use letters, digits"),
    ({"participant_parameter": "a&b=c"}, "Use letters, digits"),
    ({"participant_parameter": "SESSION_ID"}, "need three names"),
    ({"label": "a\0b"}, "Null characters"),
    ({"keys": "{"}, "Enter a valid JSON"),
    ({"keys": '{"keys": []}'}, "Paste the whole JWKS"),
]


@pytest.mark.parametrize(("fields", "why"), WRONG)
def test_what_cannot_be_right_is_refused_with_the_reason(rita, running, fields, why):
    page = new(rita, running, **fields).content.decode()
    assert why in page
    assert not Channel.objects.exists()


def test_a_whole_completion_address_is_taken_as_it_is(rita, running):
    url = "https://app.prolific.com/submissions/complete?cc=C1"
    new(rita, running, completed_code=url)
    assert channels.completion(Channel.objects.get(), "completed").url == url


def test_editing_keeps_the_address_and_the_secret(rita, channel):
    channels.change_channel(channel, webhook_secret="sealed")
    token = invites.token_of(Channel.objects.get())
    address = reverse("channel_edit", args=[channel.study_id, channel.pk])
    page = rita.get(address).content.decode()
    assert "CDONE1" in page and "sealed" not in page
    rita.post(address, {"completed_code": "CNEW", "label": "main"})
    after = Channel.objects.get()
    assert (after.completed_code, after.no_consent_code, after.label) == ("CNEW", "", "main")
    assert invites.token_of(after) == token
    assert channels.webhook_secret_of(after) == "sealed"
    assert "sealed" not in page_of(rita, channel.study)


def test_revoking_hides_the_channel(rita, channel):
    rita.post(reverse("channel_revoke", args=[channel.study_id, channel.pk]))
    assert Channel.objects.get().revoked
    assert "Prolific: pilot" not in page_of(rita, channel.study)


def test_a_draft_has_no_channels(rita, study):
    assert "Launch the study first" in new(rita, study, completed_code="C1").content.decode()
    assert not Channel.objects.exists()


def test_a_changed_server_secret_says_that_the_address_cannot_be_shown(rita, channel, settings, researcher):
    settings.SECRET_KEY = "changed"
    rita.force_login(researcher)
    assert "its address can no longer be shown" in page_of(rita, channel.study)


def test_a_channel_of_another_study_is_not_there(rita, channel, study, researcher):
    from judging.models import Study

    other = Study.objects.create(collection=study.collection, name="Other", state="running", created_by=researcher)
    other.members.add(researcher)
    for name in ("channel_edit", "channel_revoke"):
        assert rita.post(reverse(name, args=[other.pk, channel.pk])).status_code == 404
    arrival = arrivals.consent(channel, Claim("p1", "s1"))
    assert rita.post(reverse("arrival_erase", args=[other.pk, arrival.pk])).status_code == 404


def test_channels_cost_a_constant_number_of_queries(rita, running, researcher, django_assert_max_num_queries):
    for number in range(8):
        channel = channels.add_channel(running, by=researcher, source="prolific", label=f"c{number}")
        arrivals.consent(channel, Claim(f"p{number}", f"s{number}"))
    with django_assert_max_num_queries(14):
        assert page_of(rita, running).count("1 came by it") == 8
    with django_assert_max_num_queries(9):
        rita.get(reverse("study_arrivals", args=[running.pk]))


def test_the_file_for_the_marketplace(rita, channel):
    done = arrivals.consent(channel, Claim("p1", "s1", "st1"))
    judge(done.worker, all_of_it=True)
    departure.leave(done.worker, "completed")
    arrivals.decline(channel, Claim("p2", "s2"))
    erased = arrivals.consent(channel, Claim("p3", "s3"))
    arrivals.erase(erased)
    answer = rita.get(reverse("arrivals_file", args=[channel.study_id]))
    assert 'filename="bird-study-participants.csv"' in answer["Content-Disposition"]
    first, second, third = csv.DictReader(io.StringIO(answer.content.decode()))
    assert first | {"arrived": "", "ended": ""} == {
        "worker": str(done.worker), "source": "prolific", "channel": "pilot", "participant_id": "p1", "submission_id": "s1",
        "study_id": "st1", "outcome": "completed", "judgements": "6", "minutes": "0.6", "code": "CDONE1",
        "arrived": "", "ended": "", "amount": "0.00", "bonus": "0.00", "currency": "EUR",
    }  # fmt: skip
    assert first["ended"].endswith("Z")
    assert (second["worker"], second["participant_id"], second["submission_id"]) == ("", "", "s2")
    assert (second["outcome"], second["code"]) == ("no_consent", "CNOCONS")
    assert (third["participant_id"], third["submission_id"], third["worker"]) == ("", "", str(erased.worker))


def test_a_label_does_not_become_a_formula(rita, running, researcher):
    channel = channels.add_channel(running, by=researcher, source="prolific", label="=1+1")
    arrivals.consent(channel, Claim("p1", "s1"))
    assert ",=1+1" not in rita.get(reverse("arrivals_file", args=[running.pk])).content.decode()


def test_the_page_of_participants_shows_no_ids_and_the_file_is_for_members(rita, client, channel, admin):
    arrivals.consent(channel, Claim("participant1", "submission1"))
    page = rita.get(reverse("study_arrivals", args=[channel.study_id])).content.decode()
    assert "Working" in page and "participant1" not in page and "submission1" not in page
    client.force_login(admin)
    assert client.get(reverse("study_arrivals", args=[channel.study_id])).status_code == 200
    assert client.get(reverse("arrivals_file", args=[channel.study_id])).status_code == 404


@pytest.mark.parametrize(
    ("narrowed", "shown"), [("", 2), ("outcome=no_consent", 1), ("outcome=rejected", 0), ("q=w%d", 1), ("q=x", 0)]
)
def test_participants_are_searched_and_filtered(rita, channel, narrowed, shown):
    working = arrivals.consent(channel, Claim("p1", "s1"))
    arrivals.decline(channel, Claim("p2", "s2"))
    narrowed = narrowed.replace("%d", str(working.worker_id))
    page = rita.get(reverse("study_arrivals", args=[channel.study_id]) + f"?{narrowed}").content.decode()
    assert page.count("Erase…") == shown
    assert ("No participants like this" in page) == (not shown)


@pytest.mark.parametrize(
    ("last", "sort"),
    [
        *(("No consent", sort) for sort in ("worker", "-channel", "minutes")),
        *(("Working", sort) for sort in ("channel", "outcome", "-judgements", "-arrived", "ended")),
    ],
)
def test_participants_are_sorted_by_every_column(rita, channel, last, sort):
    """They came by two channels, the later one first."""
    later = channels.add_channel(channel.study, by=channel.created_by, source="prolific", label="later")
    arrivals.consent(later, Claim("p1", "s1"))
    arrivals.decline(channel, Claim("p2", "s2"))
    page = rita.get(reverse("study_arrivals", args=[channel.study_id]) + f"?sort={sort}").content.decode()
    outcomes = re.findall(r"<td>(Working|No consent)</td>", page)
    assert page.count("aria-sort") == 1 and outcomes[-1] == last


def test_erasing_asks_first(rita, channel):
    arrival = arrivals.consent(channel, Claim("p1", "s1"))
    address = reverse("arrival_erase", args=[channel.study_id, arrival.pk])
    assert "cannot be undone" in rita.get(address).content.decode()
    assert Arrival.objects.get().participant == "p1"
    page = rita.post(address, follow=True).content.decode()
    assert "Erased" in page and "erased</span>" in page and address not in page
    assert Arrival.objects.get().participant == ""


def test_nobody_yet(rita, running):
    assert "Nobody yet" in rita.get(reverse("study_arrivals", args=[running.pk])).content.decode()
    assert reverse("study_arrivals", args=[running.pk]) not in page_of(rita, running)


def test_deleting_a_study_says_who_came(rita, channel):
    arrivals.consent(channel, Claim("p1", "s1"))
    rita.post(reverse("study_delete", args=[channel.study_id]))
    assert not Worker.objects.exists()


def test_the_admin_sees_neither_secrets_nor_people(client, channel, admin):
    channel = channels.change_channel(channel, webhook_secret="sealed")
    arrival = arrivals.consent(channel, Claim("participant1", "submission1"))
    client.force_login(admin)
    for address in (f"/admin/judging/arrival/{arrival.pk}/change/", f"/admin/judging/channel/{channel.pk}/change/"):
        page = client.get(address).content.decode()
        assert "channel" in page.lower()
        for hidden in ("participant1", "submission1", arrival.participant_hash, channel.webhook_secret, channel.token_hash):
            assert hidden not in page
