"""Who may go where: every address of the site and every method of the API, asked by five people."""

import pytest
from django.test import Client
from django.urls import get_resolver, resolve

from tests.routes import LINES, PEOPLE, all_routes, content_type, methods, undone
from tests.world import clicked, compared, experiments, logged, wim, world  # noqa: F401


@pytest.fixture
def browsers(world, researcher, stranger, admin):  # noqa: F811
    from judging.models import User

    clients = {name: Client(raise_request_exception=False) for name in PEOPLE}
    for user in User.objects.filter(username__in=PEOPLE):
        clients[user.username].force_login(user)
    return clients


@pytest.mark.last_database
def test_everybody_gets_what_the_table_says(world, browsers, subtests):  # noqa: F811
    for method, path, *expected in LINES:
        address = path.format(**world)
        with subtests.test(f"{method} {path}"):
            got = [str(status(browsers[person], method, address)) for person in PEOPLE]
            assert dict(zip(PEOPLE, got, strict=True)) == dict(zip(PEOPLE, expected, strict=True))


def status(client, method, address):
    """What a request is answered with; what it changed is undone, so that every line finds the same world."""
    cookies = dict(client.cookies)
    with undone():
        response = client.generic(method, address, content_type=content_type(method, address))
        if response.streaming:
            b"".join(response.streaming_content)
    client.cookies.clear()
    client.cookies.update(cookies)
    return response.status_code


def test_the_table_has_a_line_for_every_route(world):  # noqa: F811
    listed: dict[str, set[str]] = {}
    for method, path, *_ in LINES:
        listed.setdefault(resolve(path.format(**world).split("?")[0]).route, set()).add(method)
    ours = [(route, callback) for route, callback in all_routes(get_resolver()) if not route.startswith("admin/")]
    assert len(ours) > 100
    missing = [
        f"{route} {wanted}" for route, callback in ours for wanted in [methods(callback) - listed.get(route, set())] if wanted
    ]
    assert missing + [route for route, _ in ours if route not in listed] == []


def test_the_admins_pages_are_for_admins(browsers):
    """Every page of the admin without a parameter sends anybody else to its sign-in, where only admins come on."""
    pages = [
        route for route, _ in all_routes(get_resolver()) if route.startswith("admin/") and "<" not in route and "(" not in route
    ]
    assert len(pages) > 30
    for route in pages:
        got = [status(browsers[person], "GET", f"/{route}") for person in PEOPLE[:-1]]
        assert set(got) == ({302, 404} if route == "admin/login/" else {302}), route
    assert status(browsers["ada"], "GET", "/admin/") == 200
