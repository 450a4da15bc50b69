from django.conf import settings
from django.db import models
from django.db.models import Q

from judging.models.slot import Item
from judging.models.worker import Worker


class Enquiry(models.Model):
    """A worker's question to the researchers, and its one reply; or a reply to nothing: what they write unasked.

    No evidence: it goes when its worker is erased.
    """

    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="enquiries")
    item = models.ForeignKey(
        Item, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", help_text="What it is about; empty: the study."
    )
    text = models.TextField(blank=True, help_text="Empty: nobody asked.")
    asked = models.DateTimeField(auto_now_add=True)
    reply = models.TextField(blank=True)
    replied = models.DateTimeField(null=True, blank=True)
    replied_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    published = models.BooleanField(default=False, help_text="All workers of the study see the question and its reply.")
    read = models.DateTimeField(null=True, blank=True, help_text="When the worker saw the reply.")

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "enquiries"
        constraints = [
            models.CheckConstraint(condition=~Q(text="") | ~Q(reply=""), name="an_enquiry_asks_or_says_something"),
            models.CheckConstraint(
                condition=Q(reply="", replied__isnull=True, replied_by__isnull=True)
                | (~Q(reply="") & Q(replied__isnull=False, replied_by__isnull=False)),
                name="a_reply_has_an_author_and_a_time",
            ),
            models.CheckConstraint(
                condition=Q(replied__isnull=False) | Q(published=False, read__isnull=True), name="only_replies_are_shown"
            ),
        ]

    def __str__(self) -> str:
        return f"question {self.pk} of w{self.worker_id}"
