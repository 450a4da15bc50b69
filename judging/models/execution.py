import hashlib
import json
from typing import Any

from django.db import models
from django.utils import timezone

from judging.models.phrases import PhraseField


class Execution(models.Model):
    """One start of a task that came through the outbox: there while it runs, and left behind where it ended badly."""

    task = models.CharField(max_length=120)
    arguments = models.JSONField(default=dict)
    digest = models.CharField(max_length=64, help_text="Of task and arguments.")
    message = models.CharField(max_length=64, help_text="The message that called for it, the same when it is delivered again.")
    started = models.DateTimeField(default=timezone.now)
    active = models.DateTimeField(default=timezone.now, help_text="The last sign of life.")
    error = models.TextField(
        blank=True, help_text="What it raised, or “killed”; empty while it runs, and where all of its worker died."
    )

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["digest"], name="starts_of_a_task")]

    def __str__(self) -> str:
        return in_words(self.task, self.arguments)


class ParkedTask(models.Model):
    """A task that never ended well, and is not run again until somebody says so."""

    task = models.CharField(max_length=120)
    arguments = models.JSONField(default=dict)
    digest = models.CharField(max_length=64, unique=True, help_text="Of task and arguments.")
    starts = models.PositiveSmallIntegerField(help_text="How often it was begun.")
    first_start = models.DateTimeField()
    last_start = models.DateTimeField()
    reason = PhraseField()
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return in_words(self.task, self.arguments)


class TaskEnd(models.Model):
    """When a task last ended well, or a long sweep gave a sign of life: so pages and health checks know that work goes on."""

    task = models.CharField(max_length=120, primary_key=True)
    ended = models.DateTimeField()
    failure = models.TextField(
        blank=True, default="", db_default="", help_text="Why it failed last, where it has not ended well since."
    )

    class Meta:
        ordering = ["task"]

    def __str__(self) -> str:
        return f"{self.task}, {self.ended:%Y-%m-%d %H:%M:%S}"


def digest(task: str, arguments: dict[str, Any]) -> str:
    """What tells a task with its arguments from all others."""
    return hashlib.sha256(json.dumps([task, arguments], sort_keys=True).encode()).hexdigest()


def forgive(key: str) -> None:
    """Forget that the task of this digest was parked, and its starts, which would have it parked again at once."""
    if ParkedTask.objects.filter(digest=key).delete()[0]:
        Execution.objects.filter(digest=key).delete()


def in_words(task: str, arguments: dict[str, Any]) -> str:
    values = ", ".join(f"{name}={value}" for name, value in sorted(arguments.items()))
    return f"{task}({values})"
