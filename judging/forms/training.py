"""Forms of the training: what workers practise on, and what they are told about it."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from judging.forms.checks import grade_choices
from judging.models import Study

EXPLANATION = "What workers read after their answer, right or wrong. Markdown."


class ExplanationForm(forms.Form):
    right = forms.TypedMultipleChoiceField(coerce=int, widget=forms.CheckboxSelectMultiple, label="Right grades")
    explanation = forms.CharField(
        required=False, max_length=5000, widget=forms.Textarea(attrs={"rows": 3}), help_text=EXPLANATION
    )

    def __init__(self, *args: Any, study: Study, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.study = study
        self.fields["right"].choices = grade_choices(study)  # type: ignore[attr-defined]


class PracticeForm(ExplanationForm):
    topic = forms.CharField(max_length=200, help_text="Its number in the collection.")
    docno = forms.CharField(max_length=200, label="Document", help_text="Its own id in the collection.")

    field_order = ["topic", "docno"]

    def clean_topic(self) -> Any:
        number = self.cleaned_data["topic"]
        topic = self.study.collection.topics.filter(number=number).first()
        if topic is None:
            raise ValidationError(f"This collection has no topic “{number}”.")
        return topic

    def clean_docno(self) -> Any:
        docno = self.cleaned_data["docno"]
        document = self.study.collection.documents.filter(docno=docno).first()
        if document is None:
            raise ValidationError(f"This collection has no document “{docno}”.")
        return document
