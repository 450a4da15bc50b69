from django.conf import settings
from django.db import models

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
        LAUNCHED = "launched", "Launched"
        PAUSED = "paused", "Paused"
        RESUMED = "resumed", "Resumed"
        CLOSED = "closed", "Closed"
        ARCHIVED = "archived", "Archived"
        RESTORED = "restored", "Restored"
        CHANGED = "changed", "Changed the settings"
        INVITED = "invited", "Made a link"
        REVOKED = "revoked", "Revoked a link"
        EXCLUDED = "excluded", "Set a worker aside"
        LIFTED = "lifted", "Took an exclusion back"
        RULED = "ruled", "Made or ended a rule"
        REPLIED = "replied", "Replied to a worker’s question"
        WRITTEN = "written", "Wrote to workers"
        CHECKED = "checked", "Made or withdrew checks"
        SETTLED = "settled", "Kept grades as qrels"
        ADJUDGED = "adjudged", "Settled a grade, or took that back"
        EXPORTED = "exported", "Downloaded"
        PAID = "paid", "Gave or withdrew a bonus"
        ERASED = "erased", "Erased a person’s traces"
        REPLAYED = "replayed", "Sent records in again"
        DELETED = "deleted", "Deleted"
        GUESSED = "guessed", "Guessed passwords"
        ACCESS = "access", "Changed who may what"

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
