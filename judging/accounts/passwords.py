"""Limits on wrong passwords, wherever one is asked for.

An attempt is paid for before the password is looked at, so that many at once guess no more. A right password is given its price
back. Buckets refill one by one: whoever guesses gets slower, and nobody has to be let in again.

A browser in which somebody signed in before is known by a cookie, and counted by itself. So an account's owner signs in from
there, whatever others do with its name or from the same address.
"""

import logging
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from django.core import signing
from django.utils.translation import gettext as _

from ireval_site.throttle import Bucket, Limit, give_back, take
from judging.audit import Deed, note, quoted
from judging.errors import TooOften
from judging.models import User

log = logging.getLogger(__name__)

MINUTE, HOUR, DAY = 60, 3600, 86_400

# Of whom nobody knows: by name and address, by name from anywhere, and by address whatever the name.
NAME_HERE = Limit("sign in: name and address", most=10, seconds=15 * MINUTE)
NAME = Limit("sign in: name", most=50, seconds=4 * HOUR)
ADDRESS = Limit("sign in: address", most=100, seconds=HOUR)
# One password tried on many names: how many of them an address may be wrong about. Each counts once an hour.
NAMES = Limit("sign in: names of an address", most=20, seconds=HOUR)
SAME_NAME = Limit("sign in: again", most=1, seconds=HOUR)
# The same from many addresses: it is noticed, and keeps nobody out.
EVERYWHERE = Limit("sign in: everywhere", most=500, seconds=HOUR)

KNOWN_BROWSER = Limit("sign in: browser", most=10, seconds=15 * MINUTE)
OWN = Limit("own password", most=10, seconds=15 * MINUTE)
# Codes of the second step: of six digits, guessed three at a time, one is right after years.
CODES = Limit("second step", most=5, seconds=15 * MINUTE)
CODE_ONCE = Limit("second step: code", most=1, seconds=2 * MINUTE)
# Forms that anybody may send: an address signs up, or asks for links, so often; and a name is asked for so often by anybody.
SIGN_UPS = Limit("sign up", most=10, seconds=HOUR)
LINKS = Limit("link: address", most=10, seconds=HOUR)
LINKS_OF = Limit("link: account", most=3, seconds=HOUR)
NOTICED = Limit("noticed", most=1, seconds=HOUR)

KNOWN_FOR = 365 * DAY
SALT = "known browser"


class TooManyGuesses(TooOften):
    """Too many wrong passwords: none is looked at."""

    def __init__(self, wait: float):
        super().__init__(_("Too many wrong passwords."), wait)


class KnownBrowser(NamedTuple):
    """A browser in which somebody signed in; `name` is a keyed hash of their user name."""

    id: str
    name: str


def browser_cookie_value(name: str) -> str:
    """The value of the cookie for a browser in which somebody has just signed in."""
    return signing.dumps(KnownBrowser(secrets.token_urlsafe(16), NAME.of(name).key), salt=SALT)


def browser_of(cookie: str, name: str) -> KnownBrowser | None:
    """The browser, if this is who signed in from it."""
    try:
        browser = KnownBrowser(*signing.loads(cookie, salt=SALT, max_age=KNOWN_FOR))
    except signing.BadSignature:
        return None
    return browser if browser.name == NAME.of(name).key else None


@contextmanager
def attempt(*, name: str, address: str, cookie: str = "", wrong: type[Exception]) -> Iterator[None]:
    """Around a look at the password of an account; inside, `wrong` is raised where it is not the right one.

    Raises TooManyGuesses instead of letting anybody look.
    """
    if browser := browser_of(cookie, name):
        with counted_guess(KNOWN_BROWSER.of(browser.id, browser.name), wrong=wrong):
            yield
        return
    with (
        counted_guess(
            *buckets_of(address, name),
            wrong=wrong,
            about=lambda: f"of over {NAMES.most} names, or over {ADDRESS.most} times, from {address}",
        ),
        counted_guess(NAME_HERE.of(name, address), wrong=wrong),
        counted_guess(NAME.of(name), wrong=wrong, about=lambda: f"of {account(name)}, from several addresses"),
        noticed_guesses(wrong),
    ):
        yield


@contextmanager
def own_password(user: User, *, wrong: type[Exception]) -> Iterator[None]:
    """Count wrong guesses at the password of whoever is signed in."""
    with counted_guess(OWN.of(user.pk), wrong=wrong):
        yield


@contextmanager
def second_step(user: User, code: str, *, wrong: type[Exception]) -> Iterator[None]:
    """Around a look at a code of the second step. A code that was right once is wrong afterwards, in every process."""
    with counted_guess(CODES.of(user.pk), wrong=wrong):
        yield
        if take(CODE_ONCE.of(user.pk, code)):
            raise wrong(_("This code was used already. Wait for the next one."))


def may_ask(*buckets: Bucket) -> None:
    """Raises TooManyGuesses for who sends a form too often."""
    if wait := take(*buckets):
        raise TooManyGuesses(wait)


@contextmanager
def counted_guess(*buckets: Bucket, wrong: type[Exception], about: Callable[[], str] | None = None) -> Iterator[None]:
    """Take one of each; give it back unless what happens inside ends as `wrong`. A refusal is noticed if it says of what."""
    if wait := take(*buckets):
        if about:
            notice(about())
        raise TooManyGuesses(wait)
    is_wrong = False
    try:
        yield
    except wrong:
        is_wrong = True
        raise
    finally:
        if not is_wrong:
            give_back(*buckets)


def buckets_of(address: str, name: str) -> list[Bucket]:
    """An address has its attempts, and its names: one that it was wrong about within the hour is no other name."""
    again = SAME_NAME.of(address, name)
    if take(again):
        return [ADDRESS.of(address)]
    give_back(again)
    return [ADDRESS.of(address), NAMES.of(address), again]


@contextmanager
def noticed_guesses(wrong: type[Exception]) -> Iterator[None]:
    try:
        yield
    except wrong:
        if take(EVERYWHERE.of()):
            notice(f"more than {EVERYWHERE.most} times within an hour, from many addresses")
        raise


def notice(about: str) -> None:
    """Tell admins, in the log and in the history, of each once an hour."""
    if not take(NOTICED.of(about)):
        log.warning("passwords are guessed: %s", about)
        note(Deed.GUESSED, about)


def account(name: str) -> str:
    """Its name; what is none might be somebody's password in the wrong field."""
    return quoted(name) if User.objects.filter(username=name).exists() else "an account that does not exist"
