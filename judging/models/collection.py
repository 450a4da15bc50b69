from django.conf import settings
from django.db import models


class Collection(models.Model):
    """Documents and topics that belong together; runs and qrels refer to them by their own ids."""

    name = models.CharField(max_length=120, unique=True)
    description = models.TextField(blank=True, help_text="What it is and where it comes from. Markdown.")
    notice = models.TextField(blank=True, help_text="The licence or notice that must be shown with its documents.")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="collections")
    members = models.ManyToManyField(
        settings.AUTH_USER_MODEL, blank=True, related_name="collections_changed", help_text="Researchers who may change it, too."
    )
    readers = models.ManyToManyField(
        settings.AUTH_USER_MODEL, blank=True, related_name="collections_read", help_text="Researchers who may see it and use it."
    )
    shared = models.BooleanField(default=False, help_text="Every researcher here may see it and use it.")
    shows_images = models.BooleanField(default=True, help_text="Workers see the images that were added for its documents.")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Topic(models.Model):
    """What somebody needs to know; its title is the query."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="topics")
    number = models.CharField(max_length=200, help_text="The collection's own id of the topic.")
    title = models.TextField(help_text="The query.")
    description = models.TextField(blank=True)
    narrative = models.TextField(blank=True)
    subtopics = models.JSONField(default=list, blank=True)
    tags = models.JSONField(default=list, blank=True, help_text="Short words for its kind, such as navigational or hard.")

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["collection", "number"], name="one_topic_a_number")]

    def __str__(self) -> str:
        return f"{self.number}: {self.title}"


class Document(models.Model):
    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="documents")
    docno = models.CharField(max_length=200, help_text="The collection's own id of the document.")
    title = models.TextField(blank=True)
    text = models.TextField(blank=True)
    url = models.URLField(max_length=2000, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["collection", "docno"], name="one_document_a_docno")]

    def __str__(self) -> str:
        return self.docno
