"""Sign-ins that have expired are forgotten: nothing else deletes them where nobody signs out."""

from allauth.usersessions.models import UserSession
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session


def forget_expired() -> None:
    """Delete expired sessions, and what each person's list of browsers said of them: addresses and names of browsers."""
    SessionStore.clear_expired()
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()
