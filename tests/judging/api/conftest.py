import pytest
from rest_framework.test import APIClient

from judging.models import Token

V1 = "/api/v1"


@pytest.fixture
def as_user():
    """A client of the API that sends the user's token."""

    def client(user):
        _, token = Token.objects.create(user=user)
        made = APIClient()
        made.default_format = "json"
        made.credentials(HTTP_AUTHORIZATION=f"Token {token}")
        return made

    return client


@pytest.fixture
def rita(as_user, researcher):
    return as_user(researcher)


@pytest.fixture
def sid(as_user, stranger):
    return as_user(stranger)


@pytest.fixture
def wim(as_user, db):
    """Somebody with an account who only works."""
    from judging.models import User

    return as_user(User.objects.create_user("wim", password="a long enough password"))


@pytest.fixture
def at_work(wim, running, researcher):
    """Wim has joined the running study. Gives his client and the study's address under work/."""
    from judging.recruiting.invites import invite, token_of

    token = token_of(invite(running, by=researcher))
    assert wim.post(f"{V1}/work/join/", {"link": token, "consent": True}).status_code == 201
    return wim, f"{V1}/work/{running.pk}"
