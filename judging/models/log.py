"""The log: what sites sent. Rows are only ever added; they go when they are too old, or when a user asks to be forgotten."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from judging.models.site import Site


class Record(models.Model):
    """What queries and events have in common.

    Ids are 64-bit keyed hashes; those of clients, users and sessions change with the site's epochs. On PostgreSQL the tables are
    partitioned by the month of receipt, as a record's own time is whatever a browser's clock says. Seen alone keeps identities
    apart, which an index across partitions could not.
    """

    # No constraint in the database: checking it for every row cost a tenth of the time, and sites are deleted by a verb.
    site = models.ForeignKey(Site, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    identity = models.UUIDField(primary_key=True, help_text="As in Seen.")
    received = models.DateTimeField()
    time = models.DateTimeField(help_text="When it happened, by its sender's clock; when it was received, if that does not say.")
    query = models.BigIntegerField(null=True, help_text="Hash of the query_id.")
    client = models.BigIntegerField(null=True)
    person = models.BigIntegerField(null=True, help_text="Hash of the user_id.")
    session = models.BigIntegerField(null=True)
    agent = models.PositiveIntegerField(null=True, help_text="The browser, a row of Agent.")
    raw = models.JSONField(help_text="What was sent, with pseudonyms for clients, users and sessions, and without addresses.")

    class Meta:
        abstract = True


class Query(Record):
    """A search: what was asked and what was shown."""

    text = models.TextField(help_text="What was asked, as it is.")
    hits = models.JSONField(null=True, help_text="The ids of what was shown, the top one first; empty where nobody said.")
    arms = models.JSONField(default=dict, help_text="The arm shown of each experiment, by their names.")

    class Meta:
        verbose_name_plural = "queries"
        indexes = [models.Index(fields=["site", "received"], name="queries_as_they_came")]

    def __str__(self) -> str:
        return self.text


class Event(Record):
    """What somebody did: saw, clicked, bought."""

    action = models.CharField(max_length=60)
    object = models.CharField(max_length=200, blank=True)
    ordinal = models.IntegerField(null=True, help_text="Its position as it was sent, from 0 or 1.")
    value = models.FloatField(null=True, help_text="What it was worth, such as a price.")

    class Meta:
        indexes = [models.Index(fields=["site", "received"], name="events_as_they_came")]

    def __str__(self) -> str:
        return f"{self.action} {self.object}".strip()


class Seen(models.Model):
    """An accepted record, so that it is accepted once: by its event_id, or by its content where it has none.

    Outlives a record that was erased, so that a replayed file does not bring it back. It says nothing of anybody: both are keyed
    hashes.
    """

    identity = models.UUIDField(primary_key=True)
    site = models.ForeignKey(Site, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    content = models.BigIntegerField(help_text="Hash of the whole record, by which a duplicate is told from a conflict.")
    received = models.DateTimeField()

    class Meta:
        verbose_name_plural = "seen"

    def __str__(self) -> str:
        return str(self.identity)


class Agent(models.Model):
    """A browser, or what says it is one. By these bots that name themselves are found."""

    text = models.CharField(max_length=300, unique=True)

    def __str__(self) -> str:
        return self.text


class Quarantined(models.Model):
    """A record that was refused, and why; it can be sent in again."""

    class Kind(models.TextChoices):
        REJECTED = "rejected", _("Rejected")
        CONFLICT = "conflict", _("Conflict")

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="quarantine", db_index=False)
    kind = models.CharField(max_length=8, choices=Kind)
    why = models.CharField(max_length=300)
    identity = models.UUIDField(help_text="Hash of its content: what is refused again and again is kept once.")
    raw = models.TextField(help_text="As it was sent, with pseudonyms where it could be read.")
    known = models.CharField(
        max_length=80, blank=True, help_text="What it would have been known by, as an event_id, where that can be told."
    )
    agent = models.PositiveIntegerField(null=True)
    received = models.DateTimeField(help_text="When it came first.")
    replayed = models.DateTimeField(
        null=True, blank=True, help_text="When it was accepted after all, or found to be there already."
    )

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "quarantined"
        indexes = [models.Index(fields=["site", "received"], condition=Q(replayed__isnull=True), name="quarantine_open")]
        constraints = [models.UniqueConstraint(fields=["site", "identity"], name="refused_once")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.why}"


class BotFilter(models.Model):
    """A version of what a site takes for programs. It deletes nothing: reports leave out whom it catches, and say how many."""

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="bot_filters", db_index=False)
    version = models.PositiveIntegerField()
    agents = models.TextField(
        blank=True, help_text="A regular expression, in small letters, that a program's name for itself matches."
    )
    records_a_minute = models.PositiveIntegerField(
        null=True, blank=True, help_text="More records in any one minute are a program's."
    )
    searches_a_day = models.PositiveIntegerField(null=True, blank=True, help_text="More searches in any one day are a program's.")
    note = models.CharField(max_length=200, blank=True, help_text="Why it was made.")
    created_by = models.ForeignKey("judging.User", null=True, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint(fields=["site", "version"], name="one_bot_filter_a_version")]

    def __str__(self) -> str:
        return f"version {self.version}"
