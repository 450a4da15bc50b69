from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from judging.models.invite import Link
from judging.models.study import Study

PARAMETER = RegexValidator(
    r"^[A-Za-z0-9_.-]+\Z", _("Use letters, digits, dots, hyphens and underscores, as an address can carry them.")
)


class Channel(Link):
    """A marketplace's way into a study: the address that its study form asks for, and the codes to leave by."""

    class Source(models.TextChoices):
        PROLIFIC = "prolific", "Prolific"
        CONNECT = "connect", "CloudResearch Connect"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="channels")
    source = models.CharField(max_length=10, choices=Source)
    label = models.CharField(max_length=120, blank=True, help_text=_("To tell channels apart: “pilot”, “native speakers”."))
    participant_parameter = models.CharField(max_length=40, validators=[PARAMETER])
    study_parameter = models.CharField(max_length=40, validators=[PARAMETER])
    session_parameter = models.CharField(max_length=40, validators=[PARAMETER])
    completed_code = models.CharField(max_length=300, blank=True)
    screened_out_code = models.CharField(max_length=300, blank=True)
    no_consent_code = models.CharField(max_length=300, blank=True)
    failed_check_code = models.CharField(max_length=300, blank=True)
    signed_links = models.BooleanField(
        default=True, help_text="Let in only those who come by a link that the marketplace has signed; Prolific alone can."
    )
    keys = models.JSONField(
        null=True, blank=True, help_text="The JWKS to check signatures by. Empty: fetched from the marketplace."
    )
    webhook_secret = models.TextField(blank=True, help_text="Encrypted: it is needed to check what the marketplace sends.")

    class Meta(Link.Meta):
        constraints = [
            models.CheckConstraint(
                condition=models.Q(signed_links=False) | models.Q(source="prolific"), name="prolific_signs_alone"
            )
        ]

    def __str__(self) -> str:
        return self.label or f"{self.get_source_display()} {self.pk}"


class Notice(models.Model):
    """A marketplace's message about a submission that was acted on, so that it is acted on once."""

    channel = models.ForeignKey(Channel, on_delete=models.CASCADE, related_name="notices", db_index=False)
    event = models.CharField(max_length=64, help_text="Hash of the event's id.")
    signature = models.CharField(max_length=64, help_text="Hash of the signature: the id is not signed.")
    received = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["channel", "event"], name="one_notice_an_event"),
            models.UniqueConstraint(fields=["channel", "signature"], name="one_notice_a_signature"),
        ]

    def __str__(self) -> str:
        return f"{self.channel_id}: {self.event[:8]}"
