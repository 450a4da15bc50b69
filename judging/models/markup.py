from django.db import models

from judging.models.collection import Document


class Markup(models.Model):
    """The HTML of a document, raw as it came. Its text stands with the document; what a page shows of this is cleaned first."""

    document = models.OneToOneField(Document, on_delete=models.CASCADE, related_name="markup", primary_key=True)
    html = models.TextField()

    def __str__(self) -> str:
        return f"HTML of {self.document_id}"
