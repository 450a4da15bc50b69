"""People come by invitation, get a new password without a mail server, sign in in two steps, and have things shared with them."""

from urllib.parse import urlsplit

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time

from tests.browser.conftest import ADMINS, PASSWORD, PHONE_IN_SOAK
from tests.browser.test_first_steps import wait_for_verdict
from tests.browser.test_main_job import enter_as_researcher

pytestmark = pytest.mark.browser

names = iter(ADMINS[1:])


@pytest.fixture
def ada(browse, size):
    """The browser of an admin whom no other test has met, signed in; `name` is theirs."""
    browser = browse(size)
    browser.name = next(names)
    sign_in(browser, browser.name, PASSWORD)
    return browser


def sign_in(browser, name, password):
    page = browser.page
    page.goto("/login/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(password)
    browser.follow(page.get_by_role("button", name="Sign in"))


def choose(browser, button, first="Password"):
    """Choose a new password, twice, and send it."""
    page = browser.page
    page.get_by_label(first, exact=True).fill("quite another password")
    page.get_by_label("The same again").fill("quite another password")
    browser.follow(page.get_by_role("button", name=button))


def code_of(secret):
    return format_hotp_value(hotp_value(secret, list(yield_hotp_counters_from_time())[1]))


def test_somebody_is_invited_and_shared_with(ada, browse, size):
    admin, name = ada.page, f"nina-of-{ada.name}"
    admin.goto("/people/")
    ada.check("people")
    admin.get_by_label("Researcher: makes").check()
    ada.follow(admin.get_by_role("button", name="Make an invitation"))
    address = admin.get_by_label("For whoever has it").first.input_value()

    nina = browse(size)
    nina.page.goto(address)
    assert address not in nina.page.url
    nina.check("signup")
    nina.page.get_by_label("Username").fill(name)
    choose(nina, "Make the account")
    nina.page.wait_for_selector("h1:has-text('Dashboard')")
    assert nina.page.get_by_role("link", name=f"Birds of {ada.name}").count() == 0

    admin.goto("/collections/")
    ada.follow(admin.get_by_role("link", name=f"Birds of {ada.name}"))
    ada.follow(admin.get_by_role("link", name="People", exact=True).last)
    ada.check("people-of-a-collection")
    admin.get_by_label("User name").first.fill(name)
    admin.get_by_label("Researcher: adds").check()
    ada.follow(admin.get_by_role("button", name="Share"))
    ada.check("people-of-a-collection-shared")

    nina.page.goto("/collections/")
    nina.follow(nina.page.get_by_role("link", name=f"Birds of {ada.name}"))
    assert nina.page.get_by_role("link", name="Add files").first.is_visible()

    over = admin.locator("#hand-over")
    over.get_by_text("Make somebody else its owner").click()
    over.get_by_label("User name").fill(name)
    over.get_by_label("I hand it over").check()
    ada.check("people-hand-over")
    ada.follow(over.get_by_role("button", name="Hand over"))
    assert admin.get_by_text(f"{name} owns it from now on.").is_visible()
    assert admin.locator("tbody tr", has_text="Owner").get_by_role("rowheader").inner_text() == name


READER = f"""
from judging.models import User
User.objects.filter(username="{{name}}").delete()
User.objects.create_user("{{name}}", password="{PASSWORD}")
"""


@pytest.mark.slow
@PHONE_IN_SOAK
@pytest.mark.parametrize("kind", ["studies", "sites", "reports"])
def test_a_reader_sees_what_was_shared_until_they_are_taken_out(kind, browse, shell, size):
    """The first that the list of the demo's researcher leads to."""
    name = f"reader-of-{kind}"
    shell(READER.format(name=name))
    owner, reader = browse(size), browse(size)
    enter_as_researcher(owner.page)
    wait_for_verdict(owner.page)
    owner.page.goto(f"/{kind}/")
    owner.follow(owner.page.locator(f"tbody a[href^='/{kind}/']").first)
    address = urlsplit(owner.page.url).path
    called = owner.page.locator("h1").inner_text()

    sign_in(reader, name, PASSWORD)
    assert reader.page.goto(address).status == 404
    reader.complaints.clear()

    if kind == "reports":
        owner.page.locator("summary", has_text="Share").click()
        owner.follow(owner.page.get_by_role("link", name="Share with people here"))
    else:
        owner.follow(owner.page.get_by_role("link", name="People", exact=True).last)
    owner.page.get_by_label("User name").first.fill(name)
    owner.page.get_by_label("Reader:").check()
    owner.follow(owner.page.get_by_role("button", name="Share"))
    owner.check(f"people-of-{kind}-shared")

    reader.page.goto("/")
    reader.follow(reader.page.locator(f"main a[href^='/{kind}/']", has_text=called.splitlines()[0]))
    assert called.splitlines()[0] in reader.page.locator("h1").inner_text()
    reader.check(f"{kind}-read")

    owner.follow(owner.page.get_by_role("button", name=f"Remove {name}"))
    assert reader.page.reload().status == 404


@pytest.mark.slow
@PHONE_IN_SOAK
def test_a_lost_password_is_replaced_without_a_mail_server_and_a_second_step_switched_on(ada, browse, size):
    name = ada.name
    visitor = browse(size)
    visitor.page.goto("/login/")
    visitor.check("login")
    visitor.follow(visitor.page.get_by_role("link", name="Password forgotten"))
    visitor.check("password-forgotten")
    visitor.page.get_by_label("Username or e-mail address").fill(name)
    visitor.follow(visitor.page.get_by_role("button", name="Ask for a link"))
    assert visitor.page.get_by_text("No mail was sent").is_visible()

    ada.page.goto("/people/")
    ada.follow(ada.page.get_by_role("button", name=f"Show the link for {name}"))
    ada.check("people-link-shown")
    address = ada.page.get_by_label("Give it to nobody else").input_value()

    visitor.page.goto(address)
    visitor.check("password-new")
    choose(visitor, "Change the password", first="New password")
    assert visitor.page.get_by_role("heading", name="Your password is changed").is_visible()
    ada.page.goto("/account/")
    assert "/login/" in ada.page.url, "other browsers are signed out"

    sign_in(visitor, name, "quite another password")
    visitor.page.goto("/account/")
    visitor.check("account")
    visitor.follow(visitor.page.get_by_role("link", name="Second step"))
    visitor.check("second-step-off")
    visitor.follow(visitor.page.get_by_role("link", name="Switch it on"))
    visitor.check("password-again")
    visitor.page.get_by_label("Password").fill("quite another password")
    visitor.follow(visitor.page.get_by_role("button", name="Go on"))
    visitor.check("second-step")
    secret = visitor.page.get_by_label("Or type this key into it").input_value()
    visitor.page.get_by_label("Authenticator code").fill(code_of(secret))
    visitor.follow(visitor.page.get_by_role("button", name="Switch it on"))
    visitor.check("recovery-codes")
    codes = visitor.page.locator("pre code").inner_text().split()

    sign_in(ada, name, "quite another password")
    ada.check("login-code")
    ada.page.get_by_label("Code").fill(codes[0])
    ada.follow(ada.page.get_by_role("button", name="Sign in"))
    ada.page.goto("/account/sessions/")
    ada.check("sessions")
    ada.follow(ada.page.get_by_role("button", name="Sign the others out"))
    visitor.page.goto("/account/")
    assert "/login/" in visitor.page.url


@PHONE_IN_SOAK
def test_news_is_subscribed_to(ada, size):
    page = ada.page
    page.goto("/account/news/")
    ada.check("news-none")
    page.get_by_label("The program’s address").fill("https://10.0.0.1/")
    ada.follow(page.get_by_role("button", name="Subscribe"))
    assert page.get_by_text("public addresses only").first.is_visible()
    ada.complaints.clear()  # the page with what is wrong is a 422, which a console counts among errors
    page.get_by_label("The program’s address").fill("https://hooks.example/ireval")
    ada.follow(page.get_by_role("button", name="Subscribe"))
    ada.check("news")


@pytest.mark.slow
@PHONE_IN_SOAK
def test_an_address_is_confirmed_without_a_mail_server(ada, size):
    page = ada.page
    page.goto("/account/email/")
    page.get_by_label("E-mail address").fill(f"{ada.name}@example.org")
    ada.follow(page.get_by_role("button", name="Change it"))
    assert page.get_by_text("waits to be confirmed").is_visible()
    ada.check("email-waits")
    page.goto("/people/")
    ada.follow(page.get_by_role("button", name=f"Show the link for {ada.name}"))
    page.goto(page.get_by_label("Give it to nobody else").input_value())
    ada.check("email-confirm")
    ada.follow(page.get_by_role("button", name="Confirm"))
    page.goto("/account/email/")
    assert page.get_by_text("It is confirmed.").is_visible()
