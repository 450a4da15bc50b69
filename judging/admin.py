"""The admin's pages: accounts and sharing are changed here; evidence is only looked at, since it is never edited."""

from typing import cast

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import ForeignKey, QuerySet
from django.http import HttpRequest, HttpResponse

from judging import models
from judging.access import researchers
from judging.accounts import tokens
from judging.accounts.closure import end_tokens, shut_out
from judging.accounts.ownership import owned_by, why_kept
from judging.audit import Deed, note, note_changes, quoted, settings_of, value_text
from judging.background import executions

# What allauth shows there is one's own: addresses are on the account page, secrets and keys of sessions are nobody else's.
for foreign in (Authenticator, EmailAddress, UserSession):
    admin.site.unregister(foreign)

ROLES = {"is_researcher": "researcher", "is_staff": "staff", "is_superuser": "admin", "is_active": "active"}


def by_of(request: HttpRequest) -> models.User:
    return cast(models.User, request.user)


class PersonForm(UserChangeForm):
    def clean(self) -> dict:
        """Nobody stops being a researcher who still owns something."""
        cleaned = super().clean() or {}
        remains = cleaned.get("is_active") and (cleaned.get("is_researcher") or cleaned.get("is_superuser"))
        if self.instance.may_research and not remains and (why := why_kept(self.instance)):
            raise ValidationError(why)
        return cleaned


@admin.register(models.User)
class PeopleAdmin(UserAdmin):
    form = PersonForm
    list_display = ["username", "email", "is_researcher", "is_superuser", "is_active", "last_login"]
    list_filter = ["is_researcher", "is_superuser", "is_active"]
    fieldsets = (*(UserAdmin.fieldsets or ()), ("Role", {"fields": ["is_researcher"]}))
    add_fieldsets = (*UserAdmin.add_fieldsets, ("Role", {"fields": ["is_researcher"]}))

    @transaction.atomic
    def save_model(self, request: HttpRequest, obj: models.User, form, change: bool) -> None:
        super().save_model(request, obj, form, change)
        roles = [f"{words}: {value_text(getattr(obj, name))}" for name, words in ROLES.items() if name in form.changed_data]
        if roles:
            note(Deed.ACCESS, f"account {obj}, {', '.join(roles)}", by_of(request))

        if change and "is_active" in form.changed_data:
            shut_out(obj, by=by_of(request))

    @transaction.atomic
    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        """Also takes the password away, after which nothing of the account's may stay open."""
        before = self.get_object(request, unquote(id))
        response = super().user_change_password(request, id, form_url)
        user = self.get_object(request, unquote(id))
        if before and user and user.password != before.password:
            end_tokens(user, by=by_of(request))
            note(Deed.ACCESS, f"account {user}, password: changed", by_of(request))
        return response

    def get_deleted_objects(self, objs, request: HttpRequest):
        """What somebody owns protects the account, as do the rows that name it."""
        rows, counts, lacking, protected = super().get_deleted_objects(objs, request)
        return rows, counts, lacking, [*protected, *(owned for user in objs for owned in owned_by(user))]


class OwnedAdmin(admin.ModelAdmin):
    """What a researcher owns, and may be given to another one."""

    def formfield_for_foreignkey(self, db_field: ForeignKey, request: HttpRequest, **options):
        if db_field.name == "owner":
            options["queryset"] = researchers()
        return super().formfield_for_foreignkey(db_field, request, **options)


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows that are evidence, or bookkeeping about it: shown, never changed by hand."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest, *args) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj=None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj=None) -> bool:
        return False


@admin.register(models.Collection)
class CollectionAdmin(OwnedAdmin):
    list_display = ["name", "owner", "shared", "created"]
    list_filter = ["shared"]
    search_fields = ["name"]
    autocomplete_fields = ["owner"]
    list_select_related = ["owner"]

    @transaction.atomic
    def save_model(self, request: HttpRequest, obj: models.Collection, form, change: bool) -> None:
        super().save_model(request, obj, form, change)
        changed = [f"{name}: {value_text(getattr(obj, name))}" for name in ("owner", "shared") if name in form.changed_data]
        if changed:
            note(Deed.ACCESS, f"collection {quoted(obj)}, {', '.join(changed)}", by_of(request), collection=obj)

    def has_delete_permission(self, request: HttpRequest, obj=None) -> bool:
        return False  # its files have to go with it, which the API sees to


@admin.register(models.Topic)
class TopicAdmin(ReadOnlyAdmin):
    list_display = ["number", "title", "collection"]
    list_select_related = ["collection"]
    search_fields = ["number", "title"]


@admin.register(models.Document)
class DocumentAdmin(ReadOnlyAdmin):
    list_display = ["docno", "title", "collection"]
    list_select_related = ["collection"]
    search_fields = ["docno"]


@admin.register(models.Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ["name", "collection", "rows", "topic_count", "depth", "created_by", "created"]
    list_select_related = ["collection", "created_by"]
    search_fields = ["name", "collection__name"]


@admin.register(models.Qrels)
class QrelsAdmin(ReadOnlyAdmin):
    list_display = ["name", "version", "collection", "study", "rows", "created_by", "created"]
    list_select_related = ["collection", "study", "created_by"]
    search_fields = ["name", "collection__name"]


@admin.register(models.Upload)
class UploadAdmin(ReadOnlyAdmin):
    list_display = ["filename", "kind", "state", "collection", "created_by", "created", "finished"]
    list_select_related = ["collection", "created_by"]
    list_filter = ["state", "kind"]


@admin.register(models.Study)
class StudyAdmin(OwnedAdmin, ReadOnlyAdmin):
    """Who owns and who runs a study may be changed here, for instance when somebody leaves; nothing else."""

    list_display = ["name", "collection", "state", "overlap", "created_by", "launched", "archived"]
    list_select_related = ["collection", "created_by"]
    list_filter = ["state"]
    search_fields = ["name", "collection__name"]
    filter_horizontal = ["members"]
    changed = ("owner", "members")

    def has_change_permission(self, request: HttpRequest, obj=None) -> bool:
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def formfield_for_manytomany(self, db_field, request: HttpRequest, **options):
        return super().formfield_for_manytomany(db_field, request, queryset=researchers(), **options)

    def get_readonly_fields(self, request: HttpRequest, obj=None) -> list[str]:
        return [
            field.name
            for field in (*models.Study._meta.fields, *models.Study._meta.many_to_many)
            if field.name not in self.changed
        ]

    @transaction.atomic
    def save_related(self, request: HttpRequest, form, formsets, change: bool) -> None:
        study = form.instance
        before = settings_of(study, ["members"])
        super().save_related(request, form, formsets, change)
        note_changes(study, before, settings_of(study, ["members"]), by=by_of(request))
        if "owner" in form.changed_data:
            note(Deed.ACCESS, f"study {quoted(study)}, owner: {study.owner}", by_of(request), study)


@admin.register(models.Site)
class SiteAdmin(OwnedAdmin, ReadOnlyAdmin):
    """Whose a site is may be changed here; nothing else."""

    fields = ["name", "slug", "owner", "collection", "created"]
    readonly_fields = ["name", "slug", "collection", "created"]
    list_display = ["name", "owner", "collection", "created"]
    list_select_related = ["owner", "collection"]
    search_fields = ["name"]
    autocomplete_fields = ["owner"]

    def has_change_permission(self, request: HttpRequest, obj=None) -> bool:
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    @transaction.atomic
    def save_model(self, request: HttpRequest, obj: models.Site, form, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if form.changed_data:
            note(Deed.ACCESS, f"site {quoted(obj)}, owner: {obj.owner}", by_of(request), site=obj)


@admin.register(models.Experiment)
class ExperimentAdmin(ReadOnlyAdmin):
    """What has begun is never changed; a draft is, on its own page."""

    list_display = ["name", "site", "kind", "state", "created_by", "started", "stopped"]
    list_select_related = ["site", "created_by"]
    list_filter = ["kind", "state"]
    search_fields = ["name", "site__name"]


@admin.register(models.Addition)
class AdditionAdmin(ReadOnlyAdmin):
    """What was added to a study after its launch; taken back on the study's own page."""

    list_display = ["__str__", "study", "by"]
    list_select_related = ["study", "by"]


@admin.register(models.Invite)
class InviteAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "study", "created_by", "created", "revoked"]
    list_select_related = ["study", "created_by"]
    exclude = ["nonce", "token_hash"]


@admin.register(models.Channel)
class ChannelAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "study", "source", "created_by", "created", "revoked"]
    list_select_related = ["study", "created_by"]
    list_filter = ["source"]
    exclude = ["nonce", "token_hash", "webhook_secret"]


@admin.register(models.Arrival)
class ArrivalAdmin(ReadOnlyAdmin):
    """What became of people; who they are is for the study's members."""

    list_display = ["__str__", "channel", "worker", "outcome", "arrived", "ended", "erased"]
    list_select_related = ["channel", "worker"]
    list_filter = ["outcome"]
    exclude = ["participant_hash", "submission_hash", "participant", "submission", "their_study"]


@admin.register(models.Worker)
class WorkerAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "study", "user", "simulated", "consented"]
    list_select_related = ["study", "user"]
    list_filter = ["simulated"]


@admin.register(models.Slot)
class SlotAdmin(ReadOnlyAdmin):
    list_display = ["id", "study", "item_id", "number", "worker_id", "leased_until", "judged_at"]
    list_select_related = ["study"]


@admin.register(models.Judgement)
class JudgementAdmin(ReadOnlyAdmin):
    list_display = ["id", "item_id", "worker_id", "grade", "cannot_judge", "revises_id", "created"]
    list_filter = ["cannot_judge"]
    ordering = ["-id"]


@admin.register(models.Adjudication)
class AdjudicationAdmin(ReadOnlyAdmin):
    list_display = ["id", "item_id", "grade", "by", "created", "withdrawn", "withdrawn_by"]
    list_select_related = ["by", "withdrawn_by"]
    ordering = ["-id"]


@admin.register(models.Enquiry)
class EnquiryAdmin(ReadOnlyAdmin):
    list_display = ["id", "worker_id", "item_id", "asked", "replied", "replied_by", "published", "read"]
    list_select_related = ["replied_by"]
    list_filter = ["published"]
    ordering = ["-id"]


@admin.register(models.Outbox)
class OutboxAdmin(ReadOnlyAdmin):
    list_display = ["id", "task", "arguments", "created", "sent", "due"]


@admin.register(models.Execution)
class ExecutionAdmin(ReadOnlyAdmin):
    list_display = ["task", "arguments", "started", "active", "error"]


@admin.register(models.TaskEnd)
class TaskEndAdmin(ReadOnlyAdmin):
    list_display = ["task", "ended", "failure"]


@admin.register(models.ParkedTask)
class ParkedTaskAdmin(ReadOnlyAdmin):
    """Tasks that never ended well: run again once the cause is gone, or deleted, which lets whoever sends them next run them."""

    list_display = ["task", "arguments", "starts", "first_start", "last_start", "reason"]
    list_filter = ["task"]
    actions = ["run_again"]

    def has_delete_permission(self, request: HttpRequest, obj=None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    @admin.action(description="Run the selected tasks again", permissions=["delete"])
    def run_again(self, request: HttpRequest, queryset: QuerySet[models.ParkedTask]) -> None:
        for parked in queryset:
            executions.run_again(parked, by=by_of(request))
        self.message_user(request, "They were sent again.")


@admin.register(models.Token)
class TokenAdmin(ReadOnlyAdmin):
    """A lost token is revoked here, also for somebody else."""

    list_display = ["token_key", "name", "user", "read_only", "created", "expiry", "last_used"]
    list_select_related = ["user"]
    exclude = ["digest"]

    def has_delete_permission(self, request: HttpRequest, obj=None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    def delete_model(self, request: HttpRequest, obj: models.Token) -> None:
        tokens.delete(models.Token.objects.filter(pk=obj.pk), by=by_of(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[models.Token]) -> None:
        tokens.delete(queryset, by=by_of(request))


@admin.register(models.AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ["created", "by", "deed", "about", "study", "collection"]
    list_select_related = ["by", "study", "collection"]
    list_filter = ["deed"]
    search_fields = ["about", "by__username"]
