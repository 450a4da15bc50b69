from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from judging.models.collection import Collection
from judging.models.site import Site


class System(models.Model):
    """A search system: what its runs, its arms in experiments and its side in comparisons have in common.

    It belongs to a collection, with the sites that search it, or to a site that has none.
    """

    collection = models.ForeignKey(Collection, null=True, blank=True, on_delete=models.CASCADE, related_name="systems")
    site = models.ForeignKey(Site, null=True, blank=True, on_delete=models.CASCADE, related_name="systems")
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True, help_text="What it is and what it does. Markdown.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=Q(collection__isnull=False, site__isnull=True) | Q(collection__isnull=True, site__isnull=False),
                name="of_a_collection_or_a_site",
            ),
            models.UniqueConstraint(fields=["collection", "name"], name="one_system_a_name_in_a_collection"),
            models.UniqueConstraint(fields=["site", "name"], name="one_system_a_name_in_a_site"),
        ]

    def __str__(self) -> str:
        return self.name


def scope_fields(scope: Collection | Site) -> dict[str, Any]:
    """The collection or the site, under the name that a system, an entry of the audit and a template know it by."""
    return {"collection" if isinstance(scope, Collection) else "site": scope}


class Version(models.Model):
    """A state of a system, which runs and arms of experiments belong to."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="versions")
    name = models.CharField(max_length=120, help_text="A number, a date, a commit.")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["system", "name"], name="one_version_a_name")]

    def __str__(self) -> str:
        return f"{self.system} {self.name}"
