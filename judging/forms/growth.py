"""Chosen documents, one a line: for a study that has begun, or for one that begins with them."""

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from judging.access import collections_for, growing_studies_for
from judging.forms.list_fields import RowsField
from judging.models import Collection, Run, Study, User

MOST = 5000  # documents at a time


class ChosenDocuments(forms.Form):
    documents = forms.CharField(help_text=_("A line each: topic and docno, “51 FT911-3”."), widget=forms.Textarea)

    def clean_documents(self) -> list[tuple[str, str]]:
        """The topics and documents, in order of the lines."""
        lines = [
            (number, line.split()) for number, line in enumerate(self.cleaned_data["documents"].splitlines(), 1) if line.strip()
        ]
        if len(lines) > MOST:
            limit = {"count": f"{len(lines):,}", "most": f"{MOST:,}"}
            raise forms.ValidationError(gettext("These are %(count)s documents; %(most)s are taken at a time.") % limit)
        if wrong := next((number for number, words in lines if len(words) != 2), None):
            raise forms.ValidationError(gettext("Line %(number)s: expected a topic and a docno.") % {"number": wrong})
        return [(topic, docno) for _number, (topic, docno) in lines]


class GrowthForm(ChosenDocuments):
    study = forms.ModelChoiceField(Study.objects.none())

    def __init__(self, *args, user: User, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["study"].queryset = growing_studies_for(user)  # type: ignore[attr-defined]


class BeginningForm(ChosenDocuments):
    collection = forms.ModelChoiceField(Collection.objects.none())
    runs = RowsField(Run.objects.none(), required=False)

    def __init__(self, *args, user: User, **kwargs):
        super().__init__(*args, **kwargs)
        mine = collections_for(user)
        self.fields["collection"].queryset = mine  # type: ignore[attr-defined]
        self.fields["runs"].queryset = Run.objects.filter(collection__in=mine)  # type: ignore[attr-defined]

    def clean(self) -> dict:
        cleaned = super().clean() or self.cleaned_data
        collection, runs = cleaned.get("collection"), cleaned.get("runs") or []
        if collection and any(run.collection_id != collection.pk for run in runs):
            self.add_error("runs", gettext("These runs belong to another collection."))
        return cleaned
