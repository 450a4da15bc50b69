"""Upload forms of a collection: one for each kind of file."""

from typing import Any

from django import forms

from judging.collections.imports.file_names import MAX_NAME
from judging.collections.imports.options import FORMATS, OPTIONS
from judging.collections.imports.topics import NUMBERINGS
from judging.collections.parsers import SCALES
from judging.forms.files import SeveralFilesField


class UploadForm(forms.Form):
    """What all kinds have; `sent_apart` where a script announces a file here and sends its bytes afterwards."""

    kind = ""
    file = SeveralFilesField(label="Files", help_text="One or several; gz, xz and zst are read as they are.")
    format = forms.ChoiceField(required=False, help_text="Choose one only where the file is misread.")

    def __init__(self, *args, sent_apart: bool = False, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["format"].choices = list(FORMATS[self.kind].items())  # type: ignore[attr-defined]
        if len(FORMATS[self.kind]) == 1:
            self.fields["format"].widget = forms.HiddenInput()
        if sent_apart:
            del self.fields["file"]

    def clean_format(self) -> str:
        return self.cleaned_data["format"] or "auto"

    def clean(self) -> dict[str, Any] | None:
        if self.cleaned_data.get("name") and len(self.cleaned_data.get("file", [])) > 1:
            self.add_error("name", "Two files cannot have one name. Leave it empty: each is called after its file.")
        return super().clean()

    def announced(self) -> dict[str, Any]:
        """What `begin_upload` is told, beside the file itself."""
        options = {name: self.cleaned_data[name] for name in OPTIONS[self.kind] if self.cleaned_data.get(name)}
        return {
            "kind": self.kind,
            "format": self.cleaned_data["format"],
            "name": self.cleaned_data.get("name", ""),
            "options": options,
        }


class DocumentsForm(UploadForm):
    kind = "documents"
    only_mentioned = forms.BooleanField(
        required=False,
        label="Only documents that runs or qrels mention",
        help_text="For a corpus larger than anyone wants in a database. Import the collection's runs and qrels first.",
    )


class TopicsForm(UploadForm):
    kind = "topics"
    number_topics = forms.ChoiceField(
        required=False,
        label="Numbers of SMART topics",
        choices=list(NUMBERINGS.items()),
        help_text="Cranfield's qrels count its topics in the order of the file, whatever stands behind .I.",
    )


class NamedForm(UploadForm):
    name = forms.CharField(required=False, max_length=MAX_NAME, help_text="Empty: the file's name without its ending.")
    description = forms.CharField(required=False, max_length=10_000, widget=forms.Textarea(attrs={"rows": 3}))
    skip_unknown_topics = forms.BooleanField(
        required=False,
        label="Leave out unknown topics",
        help_text="Otherwise a file with a topic that the collection does not have is refused.",
    )


class RunForm(NamedForm):
    kind = "run"
    field_order = ["file", "name", "description", "skip_unknown_topics", "format"]


class ResultsForm(NamedForm):
    kind = "results"
    field_order = ["file", "name", "description", "skip_unknown_topics", "format"]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["name"].label = "System"
        self.fields["name"].help_text = "Whose lists these are, where the file does not say. Empty: the file's name."


class QrelsForm(NamedForm):
    kind = "qrels"
    scale = forms.ChoiceField(
        required=False,
        label="Codes of SMART qrels",
        choices=[(name, scale.label) for name, scale in SCALES.items()],
        help_text="In Cranfield's file 1 is best and 4 is least: it is turned around, so that more is better.",
    )
    sparse = forms.BooleanField(
        required=False,
        label="Sparse",
        help_text="Most relevant documents are not in it, so that a missing one says nothing: one click or one answer a topic.",
    )
    field_order = ["file", "name", "description", "skip_unknown_topics", "sparse", "format", "scale"]


class ImagesForm(UploadForm):
    kind = "images"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if "file" in self.fields:
            self.fields["file"].help_text = "PNG, JPEG, WebP or GIF, at most 5 MB each: one, several, or a zip of many."


KINDS = (DocumentsForm, TopicsForm, RunForm, ResultsForm, QrelsForm, ImagesForm)
FORMS: dict[str, type[UploadForm]] = {form.kind: form for form in KINDS}
