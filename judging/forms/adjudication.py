"""Forms of adjudication: a settled grade, and who else settles grades."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from judging.forms.list_fields import LinesField
from judging.labels.adjudications import LONGEST_COMMENT
from judging.models import Study, User


class AdjudicationForm(forms.Form):
    grade = forms.TypedChoiceField(coerce=int, error_messages={"required": _("Choose a grade.")})
    comment = forms.CharField(
        required=False,
        max_length=LONGEST_COMMENT,
        label=_("Why"),
        widget=forms.Textarea(attrs={"rows": 2, "autocomplete": "off"}),
    )
    instead_of = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)

    def __init__(self, *args: Any, study: Study):
        super().__init__(*args)
        self.fields["grade"].choices = [(step["grade"], step["label"]) for step in study.scale]  # type: ignore[attr-defined]


class ExpertsForm(forms.Form):
    names = LinesField(
        most=50,
        longest=150,
        noun="user name",
        required=False,
        label=_("Experts"),
        help_text=_("Their user names, one per line. They see these items and nothing else of the study."),
    )

    def __init__(self, data: QueryDict | None = None, *, study: Study):
        super().__init__(data, initial={"names": sorted(study.experts.values_list("username", flat=True))})

    def clean_names(self) -> list[User]:
        names = self.cleaned_data["names"]
        people = {user.username: user for user in User.objects.filter(username__in=names, is_active=True)}
        if missing := [name for name in names if name not in people]:
            raise forms.ValidationError(gettext("There is no account “%(name)s”.") % {"name": missing[0]})
        return [people[name] for name in names]
