from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from judging.models.collection import Collection
from judging.models.study import Study


class AuditEntriesAreKept(TypeError):
    """Somebody's code tried to change what has been written down."""


class Entries(models.QuerySet["AuditEntry"]):
    def update(self, **fields) -> int:
        raise AuditEntriesAreKept("Entries of the audit are never changed.")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise AuditEntriesAreKept("Entries of the audit are never deleted.")


class AuditEntry(models.Model):
    """Who did what when. Rows are only ever added; they outlive what they are about."""

    class Deed(models.TextChoices):
        LAUNCHED = "launched", _("Launched")
        PAUSED = "paused", _("Paused")
        RESUMED = "resumed", _("Resumed")
        CLOSED = "closed", _("Closed")
        ARCHIVED = "archived", _("Archived")
        RESTORED = "restored", _("Restored")
        CHANGED = "changed", _("Changed the settings")
        INVITED = "invited", _("Made a link")
        REVOKED = "revoked", _("Revoked a link")
        EXCLUDED = "excluded", _("Excluded or warned a worker")
        LIFTED = "lifted", _("Took an exclusion back")
        RULED = "ruled", _("Made or ended a rule")
        REPLIED = "replied", _("Replied to a worker’s question")
        WRITTEN = "written", _("Wrote to workers")
        CHECKED = "checked", _("Made or withdrew checks")
        SETTLED = "settled", _("Kept grades as qrels")
        ADJUDGED = "adjudged", _("Settled a grade, or took that back")
        EXPORTED = "exported", _("Downloaded")
        PAID = "paid", _("Gave or withdrew a bonus")
        ERASED = "erased", _("Erased a person’s traces")
        REPLAYED = "replayed", _("Sent records in again")
        DELETED = "deleted", _("Deleted")
        GUESSED = "guessed", _("Guessed passwords")
        ACCESS = "access", _("Changed who may what")

    deed = models.CharField(max_length=10, choices=Deed)
    about = models.CharField(max_length=300, help_text="What it was done to, in words that last when that is gone.")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+", help_text="Empty: a rule."
    )
    study = models.ForeignKey(Study, null=True, blank=True, on_delete=models.SET_NULL, related_name="audit")
    collection = models.ForeignKey(Collection, null=True, blank=True, on_delete=models.SET_NULL, related_name="audit")
    site = models.ForeignKey("judging.Site", null=True, blank=True, on_delete=models.SET_NULL, related_name="audit")
    created = models.DateTimeField(auto_now_add=True)

    objects = Entries.as_manager()

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return f"{self.get_deed_display()}: {self.about}"

    def save(self, **options) -> None:
        if not self._state.adding:
            raise AuditEntriesAreKept("Entries of the audit are never changed.")
        super().save(**{**options, "force_insert": True})

    def delete(self, *args, **options) -> tuple[int, dict[str, int]]:
        raise AuditEntriesAreKept("Entries of the audit are never deleted.")
