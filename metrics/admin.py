from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from metrics.models import Report


@admin.register(Report)
class ReportAdmin(admin.ModelAdmin):
    """To look at and to delete: a report is computed, not written."""

    list_display = ["title", "collection", "state", "created_by", "created", "finished"]
    list_filter = ["state", "collection"]
    search_fields = ["title", "digest"]
    date_hierarchy = "created"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Report]:
        return super().get_queryset(request).defer("result", "differences")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Report | None = None) -> bool:
        return False
