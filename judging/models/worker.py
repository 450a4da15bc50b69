import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from judging.models.invite import Invite
from judging.models.study import Study


class Worker(models.Model):
    """A person who takes part in one study, with or without an account."""

    class Standing(models.TextChoices):
        GOOD = "good", _("Good")
        WARNED = "warned", _("Warned: reads a word of caution before going on")
        BLOCKED = "blocked", _("Gets no more work")
        EXCLUDED = "excluded", _("Excluded: their judgements have no vote")

    WORDS: ClassVar = {
        Standing.GOOD: _("good"), Standing.WARNED: _("warned"), Standing.BLOCKED: _("blocked"), Standing.EXCLUDED: _("excluded"),
    }  # fmt: skip

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="workers")
    key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False, help_text="What the worker's cookie carries.")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="participations"
    )
    invite = models.ForeignKey(Invite, null=True, blank=True, on_delete=models.PROTECT, related_name="workers")
    consented = models.DateTimeField(auto_now_add=True)
    start = models.PositiveBigIntegerField(default=0, help_text="The position at which the worker was let in.")
    standing = models.CharField(max_length=8, choices=Standing, default=Standing.GOOD, help_text="What the exclusions come to.")
    simulated = models.BooleanField(default=False, help_text="No person: a program that answers for tests or demonstrations.")
    machine = models.CharField(
        max_length=120,
        blank=True,
        help_text="No person: the program that judges, by name and version. It fills no slot of a person.",
    )

    browser = ""  # the name of the one that they are known in at the moment; it is not stored
    has_reply = False  # to a question of theirs, unread: found together with them

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["study", "standing"], condition=~Q(standing="good"), name="workers_set_aside")]
        constraints = [models.UniqueConstraint(fields=["study", "user"], name="one_worker_a_user_and_study")]

    def __str__(self) -> str:
        return f"w{self.pk}"

    @property
    def standing_in_a_word(self) -> str:
        return str(self.WORDS[self.Standing(self.standing)])

    @property
    def may_work(self) -> bool:
        return self.standing in (self.Standing.GOOD, self.Standing.WARNED)
