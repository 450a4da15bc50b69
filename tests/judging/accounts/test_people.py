"""Admins invite people, say what accounts are for, and pass links on; whoever is invited makes an account."""

import re
from smtplib import SMTPRecipientsRefused

import pytest
from django.contrib.auth.hashers import check_password
from django.core import mail
from django.test import Client

from judging.accounts import invitations, roles
from judging.accounts.link_tokens import token_of
from judging.accounts.roles import CannotChange
from judging.background.executions import MOST_STARTS
from judging.models import AuditEntry, Invitation, LinkRequest, Outbox, ParkedTask, Token, User
from judging.models.user import Role
from tests.world import wim  # noqa: F401

PASSWORD = "a long enough password"
UNKNOWN = SMTPRecipientsRefused({"rita@example.org": (550, b"no such mailbox")})
BUSY = SMTPRecipientsRefused({"rita@example.org": (451, b"try again later")})
NEW = {"username": "nina", "password1": "quite another password", "password2": "quite another password"}


@pytest.fixture
def ada(admin):
    client = Client()
    client.force_login(admin)
    return client


def invited(ada, role="researcher", email=""):
    """The path of a new invitation, as the page shows it."""
    assert ada.post("/people/invite/", {"role": role, "email": email}).status_code == 302
    return re.search(r'value="http://testserver(/invited/[^"]+)"', ada.get("/people/").content.decode())[1]


def link_shown(ada, address, path="password"):
    page = ada.post(address).content.decode()
    link = re.search(rf'value="http://testserver(/{path}/[^"]+)"', page)
    return link and link[1]


def about():
    return AuditEntry.objects.latest("pk").about


def test_somebody_who_is_invited_makes_an_account_with_the_role_of_the_invitation(ada, client):
    address = invited(ada)
    assert client.get(address, follow=True).request["PATH_INFO"] == "/signup/"
    assert "ada invites you as a researcher" in client.get("/signup/").content.decode()
    assert client.post("/signup/", NEW).status_code == 302
    nina = User.objects.get(username="nina")
    assert (nina.may_research, nina.is_admin, nina.email) == (True, False, "")
    assert client.get("/collections/new/").status_code == 200
    assert Invitation.objects.get().user == nina
    assert about().startswith("account nina, researcher: made by invitation")


def test_an_invitation_is_for_one_person(ada, client):
    address = invited(ada)
    second = Client()
    for browser in (client, second):
        browser.get(address)
    client.post("/signup/", NEW)
    assert "invitation" in second.post("/signup/", {**NEW, "username": "otto"}).content.decode()
    assert not User.objects.filter(username="otto").exists()
    assert Client().get(address).status_code == 404


def test_of_two_who_come_by_one_invitation_at_once_the_second_makes_nothing(ada, admin, researcher, stranger):
    invitation = invitations.invite(role=Role.ADMIN, by=admin)
    invitations.accept(token_of(invitation), researcher)
    with pytest.raises(invitations.InvitationEnded):
        invitations.accept(token_of(invitation), stranger)
    assert not User.objects.get(pk=stranger.pk).is_admin


@pytest.mark.parametrize("end", ["revoked", "too old", "its admin is none any more", "its admin cannot sign in"])
def test_an_invitation_that_ended_opens_nothing(ada, admin, client, end):
    address = invited(ada, role="admin")
    client.get(address)  # the session keeps it
    if end == "revoked":
        assert ada.post(f"/people/invitations/{Invitation.objects.get().pk}/revoke/").status_code == 302
        assert about().endswith("revoked")
    elif end == "too old":
        made = Invitation.objects.get()
        Invitation.objects.update(expires=made.created)
    else:
        User.objects.filter(pk=admin.pk).update(**({"is_active": False} if "sign in" in end else {"is_superuser": False}))
    assert Client().get(address).status_code == 404
    client.post("/signup/", NEW)
    assert not User.objects.filter(username="nina").exists()


def test_without_an_invitation_nobody_signs_up(client, db):
    page = client.get("/signup/").content.decode()
    assert "You need an invitation" in page
    client.post("/signup/", NEW)
    assert not User.objects.exists()


def test_where_signing_up_is_open_anybody_becomes_a_member(client, db, settings):
    settings.SIGNUP = "open"
    assert client.post("/signup/", {**NEW, "email": "nina@example.org", "is_superuser": "on", "role": "admin"}).status_code == 302
    nina = User.objects.get()
    assert nina.role == Role.MEMBER
    assert client.get("/collections/new/").status_code == 404


def test_where_it_is_closed_not_even_invitations_count(ada, client, settings):
    address = invited(ada)
    settings.SIGNUP = "closed"
    assert client.get(address).status_code == 404
    assert ada.post("/people/invite/", {"role": "member"}).status_code == 422


def test_an_address_signs_up_so_often_and_no_more(client, db, settings):
    settings.SIGNUP = "open"
    for number in range(10):
        assert Client().post("/signup/", {**NEW, "username": f"n{number}"}).status_code == 302
    assert client.post("/signup/", NEW).status_code == 429
    assert User.objects.count() == 10


def test_signing_up_does_not_tell_whose_address_it_is(client, researcher, settings):
    settings.SIGNUP = "open"
    User.objects.filter(pk=researcher.pk).update(email="rita@example.org")
    assert client.post("/signup/", {**NEW, "email": "rita@example.org"}).status_code == 302


def test_the_audit_is_in_english_whatever_language_an_admin_reads(ada, client, researcher):
    client.post("/password/", {"email": "rita"})
    page = ada.post(f"/people/links/{LinkRequest.objects.get().pk}/show/", headers={"Accept-Language": "de"}).content.decode()
    assert "Neues Passwort: ein Link für rita" in " ".join(page.split())
    assert about() == "account rita: link shown to pass on (new password)"


def test_without_a_mail_server_an_admin_passes_the_link_to_a_new_password_on(ada, client, researcher):
    Token.objects.create(user=researcher)
    page = client.post("/password/", {"email": "rita"}, follow=True).content.decode()
    assert "No mail was sent" in page
    assert not mail.outbox and not Outbox.objects.exists()
    assert "Links to pass on" in ada.get("/people/").content.decode()
    address = link_shown(ada, f"/people/links/{LinkRequest.objects.get().pk}/show/")
    assert about() == "account rita: link shown to pass on (new password)"
    form = client.get(address, follow=True)
    path = form.request["PATH_INFO"]
    assert address not in path, "the secret stays in no address bar"
    changed = client.post(path, {"password1": NEW["password1"], "password2": NEW["password1"]})
    assert changed.status_code == 302
    researcher.refresh_from_db()
    assert check_password(NEW["password1"], researcher.password)
    assert not Token.objects.exists()
    assert not LinkRequest.objects.exists()
    assert "This link has ended" in Client().get(address, follow=True).content.decode()
    assert client.get("/account/").status_code == 302, "who has the link still signs in, with a second step where there is one"


def test_a_reset_link_is_worth_nothing_after_a_new_password(ada, client, researcher):
    address = link_shown(ada, f"/people/{researcher.pk}/reset/")
    researcher.set_password("and yet another one")
    researcher.save()
    assert "This link has ended" in client.get(address, follow=True).content.decode()


def test_nobody_can_tell_from_asking_for_a_link_who_has_an_account(client, researcher):
    def asked(name):
        response = Client().post("/password/", {"email": name}, follow=True)
        return response.status_code, re.sub(r'value="[^"]*"', "", response.content.decode())

    assert asked("rita") == asked("nobody here") == asked("nobody@example.org")


def test_links_are_asked_for_so_often_and_no_more(client, researcher):
    assert [client.post("/password/", {"email": "rita"}).status_code for _ in range(4)] == [302] * 3 + [429]
    assert [client.post("/password/", {"email": "nobody here"}).status_code for _ in range(4)] == [302] * 3 + [429]


def test_with_a_mail_server_links_are_mailed_and_kept_nowhere(client, researcher, settings):
    from judging.tasks import mail_link

    settings.SENDS_MAIL, settings.PUBLIC_URL = True, "https://judge.example"
    User.objects.filter(pk=researcher.pk).update(email="rita@example.org")
    client.post("/password/", {"email": "rita@example.org"}, headers={"Host": "testserver"})
    message = Outbox.objects.get()
    assert message.arguments == {"request": LinkRequest.objects.get().pk}
    for _ in range(2):  # the broker may deliver twice
        mail_link(**message.arguments)
    sent = mail.outbox[0]
    assert (len(mail.outbox), sent.to) == (1, ["rita@example.org"])
    address = re.search(r"https://judge.example(/password/\S+)", sent.body)[1]
    assert client.get(address, follow=True).status_code == 200


@pytest.mark.parametrize(
    ("language", "greeting", "invited_by"),
    [
        ("en", "Hello", "ada invites you to ireval."),
        ("de", "Hallo", "ada lädt dich zu ireval ein."),
        ("it", "Ciao", "ada ti invita su ireval."),
    ],
)
def test_links_are_mailed_in_the_language_of_the_page_where_they_were_asked_for(
    ada, client, researcher, settings, language, greeting, invited_by
):
    from judging.tasks import mail_invitation, mail_link

    settings.SENDS_MAIL, settings.PUBLIC_URL = True, "https://judge.example"
    User.objects.filter(pk=researcher.pk).update(email="rita@example.org")
    client.post("/password/", {"email": "rita"}, headers={"Accept-Language": "fr"})
    client.post("/password/", {"email": "rita"}, headers={"Accept-Language": language})
    ada.post("/people/invite/", {"role": "member", "email": "ivo@example.org"}, headers={"Accept-Language": language})
    tasks = {"judging.tasks.mail_link": mail_link, "judging.tasks.mail_invitation": mail_invitation}
    for message in Outbox.objects.all():
        tasks[message.task](**message.arguments)
    link, invitation = mail.outbox
    assert link.body.startswith(f"{greeting} rita,\n\n")
    assert invitation.body.startswith(f"{greeting},\n\n{invited_by}")


@pytest.mark.parametrize(("refusal", "waits"), [(ConnectionRefusedError(), True), (UNKNOWN, False), (BUSY, True)])
def test_a_mail_server_that_is_away_has_the_link_wait(client, researcher, settings, monkeypatch, refusal, waits):
    from judging.accounts import mail as sent_mail
    from judging.tasks import mail_link

    def refuse(*arguments):
        raise refusal

    settings.SENDS_MAIL, settings.PUBLIC_URL = True, "https://judge.example"
    User.objects.filter(pk=researcher.pk).update(email="rita@example.org")
    client.post("/password/", {"email": "rita@example.org"})
    message = Outbox.objects.get()
    with monkeypatch.context() as patched:
        patched.setattr(sent_mail, "send_mail", refuse)
        for number in range(MOST_STARTS + 1):
            mail_link.apply(kwargs=message.arguments, task_id=f"outbox-{message.pk}-{number + 1}")
    assert ParkedTask.objects.exists() != waits
    client.post("/password/", {"email": "rita@example.org"})  # asking again has it sent in any case
    again = Outbox.objects.latest("pk")
    mail_link.apply(kwargs=again.arguments, task_id=f"outbox-{again.pk}-1")
    assert [message.to for message in mail.outbox] == [["rita@example.org"]]


def test_an_address_is_confirmed_by_the_link_that_an_admin_shows(ada, client, researcher):
    client.force_login(researcher)
    client.post("/account/email/", {"email": "rita@example.org", "action_add": ""})
    researcher.refresh_from_db()
    address = link_shown(ada, f"/people/links/{LinkRequest.objects.get(kind='confirm').pk}/show/", "confirm")
    assert "rita@example.org" in client.get(address).content.decode()
    assert client.post(address).status_code == 302
    researcher.refresh_from_db()
    assert researcher.email == "rita@example.org"
    assert "It is confirmed" in client.get("/account/email/").content.decode()


def test_roles_are_changed_with_what_they_open(ada, researcher, stranger):
    assert ada.post(f"/people/{stranger.pk}/role/", {"role": "member"}).status_code == 302
    assert about() == "account sid, role: researcher → member"
    ada.post(f"/people/{stranger.pk}/role/", {"role": "admin"})
    stranger.refresh_from_db()
    assert (stranger.is_admin, stranger.is_staff, stranger.may_research) == (True, True, True)
    ada.post(f"/people/{stranger.pk}/role/", {"role": "emperor"})
    stranger.refresh_from_db()
    assert stranger.role == Role.ADMIN


@pytest.mark.parametrize(("role", "names"), [("admin", ["ada"]), ("researcher", ["rita", "sid"]), ("member", ["wim"])])
def test_accounts_are_listed_by_role(ada, researcher, stranger, wim, role, names):  # noqa: F811
    assert [account.username for account in ada.get("/people/", {"role": role}).context["listed"]] == names


def test_who_owns_something_stays_a_researcher(ada, collection, researcher):
    for action, sent in (("role", {"role": "member"}), ("close", {})):
        page = ada.post(f"/people/{researcher.pk}/{action}/", sent, follow=True).content.decode()
        assert "Hand over first" in page
    researcher.refresh_from_db()
    assert researcher.may_research


def test_a_closed_account_has_no_session_and_no_link(ada, stranger):
    browser = Client()
    browser.force_login(stranger)
    assert ada.post(f"/people/{stranger.pk}/close/").status_code == 302
    assert browser.get("/account/").status_code == 302
    refused = browser.post("/login/", {"username": "sid", "password": PASSWORD})
    assert "correct username and password" in refused.content.decode(), "as if there were no such account"
    assert link_shown(ada, f"/people/{stranger.pk}/reset/") is None
    ada.post(f"/people/{stranger.pk}/reopen/")
    assert browser.get("/account/").status_code == 302, "the old session stays ended"
    assert browser.post("/login/", {"username": "sid", "password": PASSWORD}).status_code == 302


def test_nobody_changes_their_own_account_so_that_an_admin_is_left(ada, admin, stranger):
    for action, sent in (("role", {"role": "member"}), ("close", {}), ("one-step", {})):
        assert "Another admin" in ada.post(f"/people/{admin.pk}/{action}/", sent, follow=True).content.decode()
    roles.change_role(stranger, Role.ADMIN, by=admin)
    roles.change_role(admin, Role.RESEARCHER, by=User.objects.get(pk=stranger.pk))
    with pytest.raises(CannotChange, match="no admin any more"):
        roles.change_role(stranger, Role.RESEARCHER, by=admin)


def test_people_are_for_admins(rita, wim):  # noqa: F811
    for address in ("/people/invite/", f"/people/{wim.pk}/role/", f"/people/{wim.pk}/reset/", f"/people/{wim.pk}/close/"):
        assert rita.post(address, {"role": "admin"}).status_code == 404
    assert rita.get("/people/").status_code == 404
    assert not Invitation.objects.exists()


@pytest.mark.parametrize("next_page", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "http://localhost/x"])
def test_nobody_is_led_away(ada, client, researcher, next_page):
    sent = {"username": "rita", "password": PASSWORD, "next": next_page}
    assert client.post("/login/", sent)["Location"] == "/"
    assert client.get("/login/", {"next": next_page})["Location"] == "/"
    visitor = Client()
    visitor.get(invited(ada))
    assert visitor.post("/signup/", {**NEW, "next": next_page})["Location"] == "/"
