"""The form of growth: the study that gets documents, and which ones, one per line."""

from django import forms

from judging.access import growing_studies_for
from judging.models import Study, User

MOST = 5000  # documents at a time


class GrowthForm(forms.Form):
    study = forms.ModelChoiceField(Study.objects.none())
    documents = forms.CharField(help_text="A line each: topic and docno, “51 FT911-3”.", widget=forms.Textarea)

    def __init__(self, *args, user: User, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["study"].queryset = growing_studies_for(user)  # type: ignore[attr-defined]

    def clean_documents(self) -> list[tuple[str, str]]:
        """The topics and documents, in order of the lines."""
        lines = [
            (number, line.split()) for number, line in enumerate(self.cleaned_data["documents"].splitlines(), 1) if line.strip()
        ]
        if len(lines) > MOST:
            raise forms.ValidationError(f"These are {len(lines):,} documents; {MOST:,} are taken at a time.")
        if wrong := next((number for number, words in lines if len(words) != 2), None):
            raise forms.ValidationError(f"Line {wrong}: expected a topic and a docno.")
        return [(topic, docno) for _, (topic, docno) in lines]
