"""Sign-ins are kept for two weeks, and then by nobody."""

from datetime import timedelta

import pytest
import time_machine
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from judging import tasks
from judging.collections import orphans

pytestmark = pytest.mark.django_db


def sign_in(user):
    Client().post("/login/", {"username": user.username, "password": "a long enough password"})


def test_expired_sign_ins_are_forgotten_and_others_kept(researcher, stranger):
    """Also of somebody who never comes back."""
    with time_machine.travel(timezone.now() - timedelta(seconds=settings.SESSION_COOKIE_AGE + 60)):
        sign_in(researcher)
    sign_in(stranger)
    assert (Session.objects.count(), UserSession.objects.count()) == (2, 2)
    tasks.sweep_files()
    assert UserSession.objects.get().session_key == Session.objects.get().session_key
    assert UserSession.objects.get().user == stranger


def test_they_are_forgotten_while_the_storage_is_away(researcher, monkeypatch):
    def fail():
        raise OSError("The bucket is away.")

    with time_machine.travel(timezone.now() - timedelta(seconds=settings.SESSION_COOKIE_AGE + 60)):
        sign_in(researcher)
    monkeypatch.setattr(orphans, "sweep", fail)
    with pytest.raises(OSError, match="away"):
        tasks.sweep_files()
    assert not UserSession.objects.exists()
