from datetime import timedelta
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from judging.models.invite import Link
from judging.models.mail_language import MailLanguage
from judging.models.user import Role

VALID = timedelta(days=14)
FORGOTTEN = timedelta(days=7)


def in_two_weeks():
    return timezone.now() + VALID


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self) -> Self:
        """Those by which somebody can still make an account."""
        return self.filter(user=None, revoked=None, expires__gt=timezone.now())


class Invitation(MailLanguage, Link):
    """A link by which one person makes an account here, with the role that it names."""

    role = models.CharField(max_length=10, choices=Role, default=Role.RESEARCHER)
    email = models.EmailField(blank=True, help_text=_("Where the link is sent, if this server sends mail."))
    expires = models.DateTimeField(default=in_two_weeks)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="invitation",
        help_text="Who came.",
    )

    objects = InvitationQuerySet.as_manager()

    class Meta(Link.Meta):
        constraints = [
            models.CheckConstraint(condition=Q(user=None) | Q(revoked=None), name="who_came_by_an_invitation_had_one"),
        ]

    def __str__(self) -> str:
        return self.email or f"invitation {self.pk}"


class LinkRequestQuerySet(models.QuerySet["LinkRequest"]):
    def waiting(self) -> Self:
        """Those that an admin has to pass on: of somebody who may sign in, not yet mailed, and not too old."""
        return self.filter(mailed=None, asked__gt=timezone.now() - FORGOTTEN, user__is_active=True)


class LinkRequest(MailLanguage):
    """Somebody asks for a link to their account. The link is made when it is sent or shown, and kept nowhere."""

    class Kind(models.TextChoices):
        RESET = "reset", _("New password")
        CONFIRM = "confirm", _("Confirm the e-mail address")

    kind = models.CharField(max_length=7, choices=Kind)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="link_requests")
    email = models.EmailField(blank=True)
    asked = models.DateTimeField(default=timezone.now)
    mailed = models.DateTimeField(null=True, blank=True)

    objects = LinkRequestQuerySet.as_manager()

    class Meta:
        ordering = ["-asked"]
        constraints = [models.UniqueConstraint(fields=["user", "kind"], name="one_link_asked_a_user_and_kind")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.user}"
