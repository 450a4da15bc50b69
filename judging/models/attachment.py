import uuid

from django.conf import settings
from django.db import models

from judging.models.collection import Topic


def attachment_path(attachment: "Attachment", filename: str) -> str:
    return f"attachments/{attachment.topic.collection_id}/{uuid.uuid4().hex}.{attachment.kind}"


class Attachment(models.Model):
    """A file that explains a topic, for its workers. One that was removed can be put back for a while."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="attachments")
    name = models.CharField(max_length=200, help_text="The file's.")
    kind = models.CharField(max_length=4, help_text="png, jpeg, webp, gif, pdf or txt, by its bytes.")
    file = models.FileField(upload_to=attachment_path)
    size = models.PositiveIntegerField()
    removed = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["created", "id"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_image(self) -> bool:
        return self.kind not in ("pdf", "txt")
