from django.contrib.auth.models import AbstractUser
from django.db import models, transaction
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    """What an account is for. Whatever it may do with a single thing is said by the thing's owner."""

    MEMBER = "member", _("Member")
    RESEARCHER = "researcher", _("Researcher")
    ADMIN = "admin", _("Admin")


class User(AbstractUser):  # type: ignore[django-manager-missing]  # knox's manager of tokens has no types
    """A person with an account. Admins are superusers; everybody else sees what is theirs."""

    is_researcher = models.BooleanField(
        "researcher", default=False, help_text="May make collections and launch studies. Others may only work."
    )

    tour = models.PositiveSmallIntegerField(
        null=True, blank=True, editable=False, help_text="The step of the tour at which they are; 0: ended; empty: not begun."
    )

    @transaction.atomic
    def save(self, *args, **options) -> None:
        """A new password, and the end of what was made under the old one, are one change."""
        super().save(*args, **options)

    @property
    def is_admin(self) -> bool:
        return self.is_active and self.is_superuser

    @property
    def may_research(self) -> bool:
        return self.is_active and (self.is_researcher or self.is_superuser)

    @property
    def role(self) -> Role:
        return Role.ADMIN if self.is_superuser else Role.RESEARCHER if self.is_researcher else Role.MEMBER

    @staticmethod
    def of_role(role: str) -> models.Q:
        """The condition that an account has the role."""
        researches = models.Q(is_superuser=False, is_researcher=role == Role.RESEARCHER)
        return models.Q(is_superuser=True) if role == Role.ADMIN else researches

    def take_role(self, role: str) -> None:
        """Set what the role is stored as; saving is left to who asked."""
        self.is_superuser = self.is_staff = role == Role.ADMIN
        self.is_researcher = role in (Role.RESEARCHER, Role.ADMIN)
