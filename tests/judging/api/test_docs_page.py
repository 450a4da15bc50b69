"""The page that shows the API, in a real browser under the site's own policy: nothing blocked, nothing fetched from elsewhere."""

import pytest


@pytest.fixture
def page(chromium):
    context = chromium.new_context()
    yield context.new_page()
    context.close()


def test_asking_for_its_options_is_refused_like_any_wrong_method(client, db):
    assert client.options("/api/v1/docs/").status_code == 405


def test_the_page_renders_without_an_error_and_without_the_outside(live_server, page):
    messages, addresses = [], []
    page.on(
        "console",
        lambda message: messages.append(f"{message.type}: {message.text}") if message.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("request", lambda request: addresses.append(request.url))
    page.goto(f"{live_server.url}/api/v1/docs/")
    page.click("#operations-tag-studies")
    page.wait_for_selector("#operations-studies-studies_launch_create")
    assert page.title() == "API · ireval"
    assert page.locator(".opblock-tag").count() > 10
    assert page.locator(".opblock").count() > 10
    assert messages == []
    assert [url for url in addresses if not url.startswith((live_server.url, "data:"))] == []


def test_the_page_leads_back_and_shows_endpoints_only(live_server, page):
    page.goto(f"{live_server.url}/api/v1/docs/")
    page.wait_for_selector(".opblock-tag")
    assert page.locator("section.models").count() == 0
    page.get_by_role("link", name="Back to ireval").click()
    page.wait_for_url(f"{live_server.url}/")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_the_systems_colour_scheme(live_server, page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{live_server.url}/api/v1/docs/")
    page.wait_for_selector(".opblock-tag")
    colours = page.evaluate("""() => {
        const style = getComputedStyle(document.querySelector(".swagger-ui .info p"));
        return [style.color, getComputedStyle(document.body).backgroundColor].map(
            colour => colour.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3);
    }""")
    text, ground = colours
    assert text < ground - 120 if scheme == "light" else text > ground + 120


@pytest.fixture
def token(live_server, researcher):
    from judging.models import Token

    return Token.objects.create(user=researcher)[1]


def test_an_endpoint_can_be_tried_with_a_token(live_server, token, page):
    page.goto(f"{live_server.url}/api/v1/docs/")
    page.click(".authorize")
    page.locator(".auth-container", has_text="Token-based").locator("input").fill(f"Token {token}")
    page.locator(".auth-container", has_text="Token-based").locator("button.authorize").click()
    page.click(".btn-done")
    page.click("#operations-tag-users")
    me = page.locator("#operations-users-users_me_retrieve")
    me.locator("button.opblock-summary-control").click()
    me.locator("button.try-out__btn").click()
    me.locator("button.execute").click()
    answer = me.locator(".live-responses-table .response-col_status").nth(1)
    answer.wait_for()
    assert answer.inner_text().startswith("200")
    assert "rita" in me.locator(".live-responses-table").inner_text()
