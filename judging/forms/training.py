"""Forms of the training: what workers practise on, and what they are told about it."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from judging.forms.checks import grade_choices
from judging.models import Study

EXPLANATION = _("What workers read after their answer, right or wrong. Markdown.")


class ExplanationForm(forms.Form):
    right = forms.TypedMultipleChoiceField(coerce=int, widget=forms.CheckboxSelectMultiple, label=_("Right grades"))
    explanation = forms.CharField(
        required=False, max_length=5000, widget=forms.Textarea(attrs={"rows": 3}), label=_("Explanation"), help_text=EXPLANATION
    )

    def __init__(self, *args: Any, study: Study, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.study = study
        if study.compares:
            del self.fields["right"]
        else:
            self.fields["right"].choices = grade_choices(study)  # type: ignore[attr-defined]


class PracticeForm(ExplanationForm):
    topic = forms.CharField(max_length=200, label=_("Topic"), help_text=_("Its number in the collection."))
    docno = forms.CharField(max_length=200, label=_("Document"), help_text=_("Its own id in the collection."))

    field_order = ["topic", "docno"]

    def clean_topic(self) -> Any:
        number = self.cleaned_data["topic"]
        topic = self.study.collection.topics.filter(number=number).first()
        if topic is None:
            raise ValidationError(_("This collection has no topic “%(number)s”.") % {"number": number})
        return topic

    def clean_docno(self) -> Any:
        docno = self.cleaned_data["docno"]
        document = self.study.collection.documents.filter(docno=docno).first()
        if document is None:
            raise ValidationError(_("This collection has no document “%(docno)s”.") % {"docno": docno})
        return document
