"""manage.py encrypt_anew: after SECRET_KEY was replaced, encrypt by the new key what a former one has encrypted."""

from typing import Any

from allauth.mfa.models import Authenticator
from cryptography.fernet import InvalidToken, MultiFernet
from django.core.management.base import BaseCommand
from django.db import transaction

from judging.accounts import adapters
from judging.logs import pseudonyms
from judging.models import Channel, Site
from judging.recruiting import channels


class Command(BaseCommand):
    help = (
        "Encrypt second steps, marketplaces' secrets and sites' keys by SECRET_KEY: SECRET_KEY_FALLBACKS can be forgotten then."
    )

    @transaction.atomic
    def handle(self, **options: Any) -> None:
        count = 0
        for authenticator in Authenticator.objects.select_for_update():
            data = renewed(authenticator.data, adapters.sealer())
            count += data != authenticator.data
            Authenticator.objects.filter(pk=authenticator.pk).update(data=data)
        for channel in Channel.objects.select_for_update().exclude(webhook_secret=""):
            secret = renewed(channel.webhook_secret, channels.sealer())
            count += secret != channel.webhook_secret
            Channel.objects.filter(pk=channel.pk).update(webhook_secret=secret)
        for site in Site.objects.all():
            pseudonyms.seal(site)
        self.stdout.write(f"{count} secrets are encrypted by the key in use.")


def renewed(kept: Any, sealer: MultiFernet) -> Any:
    """What a row keeps, with all in it that is encrypted encrypted anew; nothing else changes."""
    if isinstance(kept, dict):
        return {name: renewed(value, sealer) for name, value in kept.items()}
    if isinstance(kept, list):
        return [renewed(value, sealer) for value in kept]
    try:
        return sealer.rotate(kept.encode()).decode()
    except (InvalidToken, AttributeError):
        return kept
