import uuid
from pathlib import PurePosixPath

from django.conf import settings
from django.db import models

from judging.models.collection import Collection


def image_path(image: "Image", filename: str) -> str:
    return f"images/{image.collection_id}/{uuid.uuid4().hex}.{image.kind}"


class Image(models.Model):
    """An image of documents. Its name says of which: their HTML has it, or its folder or stem is a document's id.

    Its key is a secret: who is shown the document learns it, and nobody else.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="images")
    name = models.CharField(max_length=500)
    folder = models.CharField(max_length=200, blank=True, help_text="The last folder in its name.")
    stem = models.CharField(max_length=200, blank=True, help_text="Its name without folders and ending.")
    kind = models.CharField(max_length=4, help_text="png, jpeg, webp or gif, by its first bytes.")
    file = models.FileField(upload_to=image_path)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveIntegerField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["collection", "name"], name="one_image_a_name")]
        indexes = [
            models.Index(fields=["collection", "folder"], name="images_of_a_folder"),
            models.Index(fields=["collection", "stem"], name="images_of_a_stem"),
        ]

    def __str__(self) -> str:
        return self.name

    def take_name(self, name: str) -> None:
        path = PurePosixPath(name)
        self.name, self.folder, self.stem = name, path.parent.name[:200], path.stem[:200]
