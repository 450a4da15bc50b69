"""The server's secret key is replaced while people work: nothing that a former key made stops, until that key is forgotten."""

import io

import pytest
from allauth.mfa.models import Authenticator
from cryptography.fernet import InvalidToken
from django.core import signing
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from judging import server_keys
from judging.accounts.adapters import SecondStepAdapter
from judging.accounts.link_tokens import token_of
from judging.logs import keys as write_keys
from judging.logs import pseudonyms
from judging.logs.erasure import erase
from judging.logs.intake import receive
from judging.models import Arrival, Event, Site, Subscription
from judging.news.webhooks import secret_of
from judging.recruiting import arrivals, channels, identity, invites
from judging.recruiting.arrivals import Claim
from judging.search.visits import Visitor
from judging.work.tickets import item_of, ticket
from tests.judging.logs.sent import click

pytestmark = pytest.mark.django_db

NEW = "another-key-0123456789-abcdefghijklmnopqrstuvwxyz"
CLAIM = Claim("5f8c2a", "61bb22")


@pytest.fixture(autouse=True)
def nothing_remembered():
    yield
    pseudonyms.epoch_key.cache_clear()


@pytest.fixture
def rotate(settings):
    """Give the server a new key; it remembers the former one, or does not."""

    def rotate(*, remember=True, new=NEW):
        former = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = new, former if remember else []
        pseudonyms.epoch_key.cache_clear()
        write_keys.site_cache.clear()

    return rotate


@pytest.fixture
def site(researcher):
    return Site.objects.create(name="Bird shop", slug="bird-shop", owner=researcher)


def test_links_are_shown_again_and_open(client, link, rotate):
    token = token_of(link)
    rotate()
    assert token_of(link) == token
    assert client.get(reverse("follow_invite", args=[token])).status_code == 302
    rotate(remember=False, new=NEW[::-1])
    assert token_of(link) is None
    assert client.get(reverse("follow_invite", args=[token])).status_code == 302  # its hash is in the table
    assert token_of(invites.invite(link.study, by=link.created_by))


def test_a_write_key_goes_on(site, researcher, rotate):
    key = write_keys.make(site, by=researcher)
    text = write_keys.key_text(key)
    rotate()
    assert write_keys.key_text(key) == text
    assert write_keys.site_of(text) == site


def test_an_offer_is_taken_that_was_made_before(running, make_worker, rotate):
    worker, item = make_worker(running), running.items.first()
    offer, name = identity.offer(worker, item.pk), ticket(worker, item.pk)
    rotate()
    assert identity.read_offer(offer, worker).item_id == item.pk
    assert item_of(worker, name) == item.pk
    assert ticket(worker, item.pk) != name
    rotate(remember=False)
    assert identity.read_offer(offer, worker) is None
    assert item_of(worker, name) is None


def test_somebody_stays_signed_in(rita, rotate):
    rotate()
    assert rita.get("/").context["user"].username == "rita"
    rotate(remember=False, new=NEW[::-1])
    assert not rita.get("/").context["user"].is_authenticated


def test_what_is_encrypted_is_read_and_written_anew(running, researcher, rotate):
    sealed = server_keys.sealer("webhook").encrypt(b"their secret")
    rotate()
    assert server_keys.sealer("webhook").decrypt(sealed) == b"their secret"
    newer = channels.sealer().encrypt(b"theirs")
    rotate(remember=False)
    assert channels.sealer().decrypt(newer) == b"theirs"
    with pytest.raises(InvalidToken):
        channels.sealer().decrypt(sealed)


def test_a_participant_is_who_they_were(running, researcher, rotate):
    channel = channels.add_channel(running, by=researcher, source="prolific")
    first = arrivals.consent(channel, CLAIM)
    rotate()
    claim = Claim(CLAIM.participant, CLAIM.submission, key=str(first.worker.key))
    assert arrivals.recognise(channel, claim).worker == first.worker
    assert arrivals.consent(channel, claim).pk == first.pk
    assert Arrival.objects.count() == 1
    assert arrivals.ended_by_marketplace(channel, CLAIM.submission, Arrival.Outcome.RETURNED)
    rotate(remember=False)  # of the first key; who came since is known by the second
    assert arrivals.recognise(channel, claim).worker == first.worker


def test_users_keep_their_pseudonyms_for_the_epoch(site, rotate):
    now = timezone.now()
    before = pseudonyms.Hasher(site, now).who("client", "browser-1", now)
    records = pseudonyms.records_key(site)
    rotate()
    assert pseudonyms.Hasher(site, now).who("client", "browser-1", now) == before
    assert pseudonyms.records_key(site) == records
    assert before in pseudonyms.all_of(site, "client", "browser-1")


def test_a_new_epoch_is_of_the_new_key(site, rotate):
    rotate()
    now = timezone.now()
    pseudonym = pseudonyms.Hasher(site, now).who("client", "browser-1", now)
    rotate(remember=False)
    assert pseudonyms.Hasher(site, now).who("client", "browser-1", now) == pseudonym


def test_receivers_of_webhooks_need_no_new_secret(researcher, rotate):
    subscription = Subscription(user=researcher, nonce=server_keys.new_nonce(16))
    secret = secret_of(subscription)
    rotate()
    assert secret_of(subscription) == secret
    assert secret_of(Subscription(user=researcher, nonce=server_keys.new_nonce(16))) != secret


def test_a_click_on_a_page_that_was_opened_before_is_one(rotate):
    visitor = Visitor("a-browser", "a-visit")
    query_id = visitor.query_id("owls")
    rotate()
    assert visitor.searched(query_id)
    assert visitor.searched(visitor.query_id("owls"))
    assert not Visitor("another", "a-visit").searched(query_id)
    rotate(remember=False)
    assert not visitor.searched(query_id)


def test_what_was_made_before_keys_had_names_is_of_the_oldest(settings, rotate):
    oldest = settings.SECRET_KEY
    rotate()
    rotate(new=NEW[::-1])
    assert server_keys.key_of("a-nonce-without-a-name") == oldest.encode()
    signed = signing.dumps("x")
    assert signing.loads(signed) == "x"


def test_what_is_encrypted_anew_outlives_the_former_key(running, researcher, rotate):
    adapter = SecondStepAdapter()
    step = Authenticator.objects.create(user=researcher, type="totp", data={"secret": adapter.encrypt("SEED"), "used": 3})
    channel = channels.add_channel(running, by=researcher, source="prolific")
    type(channel).objects.filter(pk=channel.pk).update(webhook_secret=channels.sealer().encrypt(b"theirs").decode())
    rotate()
    call_command("encrypt_anew", stdout=(said := io.StringIO()))
    assert said.getvalue() == "2 secrets are encrypted by the key in use.\n"
    rotate(remember=False)
    step.refresh_from_db()
    channel.refresh_from_db()
    assert (adapter.decrypt(step.data["secret"]), step.data["used"]) == ("SEED", 3)
    assert channels.webhook_secret_of(channel) == "theirs"


def test_what_is_sent_again_counts_once_for_ever(site, rotate, settings):
    """Also what somebody was erased from."""
    receive(site, [click(), click("d2", client_id="c2")])
    erase(site, client="c1")
    for key in (NEW, NEW[::-1]):
        rotate(new=key)
        call_command("encrypt_anew")
        settings.SECRET_KEY_FALLBACKS = []
        site.refresh_from_db()
        assert receive(site, [click(), click("d2", client_id="c2")]).counts["duplicate"] == 2
    assert Event.objects.count() == 1
