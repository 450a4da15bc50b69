"""The forms of a search site: its name, who may read, how long records stay."""

from typing import Any

from django import forms
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from judging.access import collections_for, is_published, owns
from judging.forms.folded_settings import are_open
from judging.forms.refusals import refusals_in
from judging.logs.origins import origins_in
from judging.logs.sites import refuse_page
from judging.models import Collection, Site, User, WriteKey

UNREADABLE = _("A collection that you may not read any more")
NAME_TAKEN = _("There already is a site of this name. Choose another one.")
SLUG_TAKEN = _("Another site has this short name. Choose another one.")


class AnySiteForm(forms.ModelForm):
    def __init__(self, *args: Any, user: User, **kwargs: Any):
        super().__init__(*args, **kwargs)
        readable = collections_for(user).values("pk")
        mine = Collection.objects.filter(Q(pk__in=readable) | Q(pk=self.instance.collection_id))
        hers = set(readable.values_list("pk", flat=True))
        collection = self.fields["collection"]
        collection.queryset = mine.order_by("name")  # type: ignore[attr-defined]
        collection.empty_label = _("None")  # type: ignore[attr-defined]
        collection.label_from_instance = lambda choice: choice.name if choice.pk in hers else UNREADABLE  # type: ignore[attr-defined]

    def clean_name(self) -> str:
        name = self.cleaned_data["name"]
        if Site.objects.filter(name__iexact=name).exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError(NAME_TAKEN)
        return name

    def validate_constraints(self) -> None:
        """The one there is asks for the name once more."""


class NewSiteForm(AnySiteForm):
    class Meta:
        model = Site
        fields = ["name", "slug", "collection"]
        labels = {"name": _("Name"), "slug": _("Short name"), "collection": _("Collection")}
        help_texts = {
            "name": _("As your team calls it."),
            "slug": _("Names it in addresses. Empty: it is made of the name."),
            "collection": _("What it searches, if that is here: clicked ids are then its documents. It can be chosen later."),
        }
        error_messages = {"slug": {"unique": SLUG_TAKEN}}

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.fields["slug"].required = False


class SiteForm(AnySiteForm):
    class Meta:
        model = Site
        fields = [
            "name", "slug", "collection", "has_page", "origins", "first_ordinal",
            "keep_days", "keep_quarantine_days", "rotate_days",
        ]  # fmt: skip
        labels = {
            "name": _("Name"), "slug": _("Short name"), "collection": _("Collection"),
            "has_page": _("Let anybody search the collection on a page here"),
            "origins": _("Pages that may send"), "first_ordinal": _("The topmost result is number"),
            "keep_days": _("Days that records are kept"),
            "keep_quarantine_days": _("Days that refused ones are kept"), "rotate_days": _("Days with one pseudonym"),
        }  # fmt: skip
        help_texts = {
            "has_page": _("Only of a collection that you own. The page logs what is searched and clicked there."),
            "origins": _("One a line, as https://shop.example. What other pages send is then refused. Empty: any page may."),
            "first_ordinal": _("The position.ordinal that your site sends for it."),
            "keep_days": _("Counted from receipt; then they are deleted."),
            "keep_quarantine_days": _("Refused records say more than they should now and then; keep them briefly."),
            "rotate_days": _("After so many days everybody gets a new one, which nobody can join to the old one."),
        }
        widgets = {
            "origins": forms.Textarea(attrs={"rows": 3, "class": "code", "placeholder": "https://shop.example"}),
        }
        error_messages = {"slug": {"unique": SLUG_TAKEN}}

    def __init__(self, *args: Any, user: User, **kwargs: Any):
        super().__init__(*args, user=user, **kwargs)
        self.initial["has_page"] = is_published(self.instance)
        if not owns(user, self.instance):
            del self.fields["collection"], self.fields["has_page"]  # what others may see is for the owner to say

    @property
    def asks_more(self) -> bool:
        return are_open(self, {name: getattr(Site(), name) for name in ("origins", "first_ordinal")})

    def clean(self) -> dict:
        cleaned = super().clean() or {}
        with refusals_in(self):
            if cleaned.get("has_page"):
                refuse_page(self.instance.owner, cleaned.get("collection"))
        if "origins" in cleaned:
            cleaned["origins"] = origins_in(cleaned["origins"])
        return cleaned


class KeyForm(forms.ModelForm):
    class Meta:
        model = WriteKey
        fields = ["label"]
