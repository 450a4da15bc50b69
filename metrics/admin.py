from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from metrics.models import Report, StudyReport


class ComputedAdmin(admin.ModelAdmin):
    """To look at and to delete: a report is computed, not written."""

    megabytes: tuple[str, ...]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return super().get_queryset(request).defer(*self.megabytes)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Report)
class ReportAdmin(ComputedAdmin):
    list_display = ["title", "collection", "state", "created_by", "created", "finished"]
    list_filter = ["state", "collection"]
    search_fields = ["title", "digest"]
    date_hierarchy = "created"
    megabytes = ("result", "differences")


@admin.register(StudyReport)
class StudyReportAdmin(ComputedAdmin):
    list_display = ["study", "state", "as_of", "created", "finished"]
    list_filter = ["state"]
    search_fields = ["study__name", "digest"]
    date_hierarchy = "created"
    megabytes = ("votes", "signals")
