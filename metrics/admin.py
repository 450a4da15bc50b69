from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from judging.admin import ReadOnlyAdmin
from metrics.models import Report, SharedLink


@admin.register(Report)
class ReportAdmin(admin.ModelAdmin):
    """Reports can be viewed and deleted here, but not added or changed: they are computed."""

    list_display = ["__str__", "kind", "state", "created_by", "created", "finished"]
    list_filter = ["kind", "state"]
    list_select_related = ["collection", "study", "site", "experiment", "hypothesis__a", "hypothesis__b", "created_by"]
    search_fields = ["title", "digest", "collection__name", "study__name", "site__name", "experiment__name"]
    date_hierarchy = "created"

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return super().get_queryset(request).defer("result")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(SharedLink)
class SharedLinkAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "created_by", "created", "expires", "revoked"]
    list_select_related = ["hypothesis__a", "hypothesis__b", "report", "created_by"]
    exclude = ["nonce", "token_hash"]
