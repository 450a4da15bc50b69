"""Forms of uploads: the files themselves, and what each of them is, once it was recognised."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ireval.io.files import BadFile
from judging.collections.imports.file_names import MAX_NAME, name_for
from judging.collections.imports.options import FORMATS, OPTIONS
from judging.collections.imports.topics import NUMBERINGS
from judging.forms.files import SeveralFilesField
from judging.models import Upload

LEAVE_OUT = ""
NAMED = ("run", "results", "qrels")
ASKED = {
    "documents": ("only_mentioned",),
    "topics": ("number_topics",),
    "run": ("name", "description", "skip_unknown_topics"),
    "results": ("name", "description", "skip_unknown_topics"),
    "qrels": ("name", "description", "skip_unknown_topics", "sparse"),
}
FORMAT_LABELS = {
    "auto": "", "trec": ": TREC", "trec-xml": _(": TREC’s XML"), "beir": ": BEIR", "smart": ": SMART", "csv": ": CSV",
    "tsv": ": TSV", "jsonl": ": JSON Lines", "subtopics": _(": TREC, by subtopic whatever it looks like"),
}  # fmt: skip
SCALE_LABELS = {
    "cranfield": _("1 is best, on grades 0–3"),
    "cranfield-0-4": _("1 is best, on grades 0–4"),
    "as written": _("more is better"),
}


class FilesForm(forms.Form):
    file = SeveralFilesField(label=_("Files"))


def taken_for(kind: str, format: str, options: Mapping[str, str]) -> str:
    """A kind and format as the value of a choice."""
    return ":".join(filter(None, [kind, format, options.get("scale", "")])) if kind in FORMATS else LEAVE_OUT


def kinds_and_formats() -> list[tuple[Any, Any]]:
    """Everything that a file can be taken for, by kind. SMART's qrels say what their numbers mean."""
    groups: list[tuple[Any, Any]] = []
    for kind, label in Upload.Kind.choices:
        values = [(taken_for(kind, format, {}), f"{label}{FORMAT_LABELS[format]}") for format in FORMATS[kind]]
        if kind == Upload.Kind.QRELS:
            values = [value for value in values if value[0] != "qrels:smart"]
            values += [(f"qrels:smart:{scale}", f"{label}: SMART, {scale_label}") for scale, scale_label in SCALE_LABELS.items()]
        groups.append((label, values))
    return [*groups, (LEAVE_OUT, gettext("Nothing: leave it out"))]


class RecognisedFileForm(forms.Form):
    """What a file is to be imported as. Its kind's options stand as they are for other kinds, too, but are not asked for."""

    taken = forms.ChoiceField(choices=kinds_and_formats, required=False, label=_("Taken for"))
    name = forms.CharField(
        required=False,
        max_length=MAX_NAME,
        label=_("Name"),
        help_text=_("Empty: the file's name without its ending."),
    )
    description = forms.CharField(
        required=False, max_length=10_000, label=_("Description"), widget=forms.Textarea(attrs={"rows": 2})
    )
    skip_unknown_topics = forms.BooleanField(
        required=False,
        label=_("Leave out unknown topics"),
        help_text=_("Otherwise a file with a topic that the collection does not have is refused."),
    )
    sparse = forms.BooleanField(
        required=False,
        label=_("Sparse"),
        help_text=_(
            "Most relevant documents are not in it, so that a missing one says nothing: one click or one answer a topic."
        ),
    )
    only_mentioned = forms.BooleanField(
        required=False,
        label=_("Only documents that runs or qrels mention"),
        help_text=_("For a corpus larger than anyone wants in a database. Those runs and qrels come first."),
    )
    number_topics = forms.ChoiceField(
        required=False,
        label=_("Numbers of SMART topics"),
        choices=list(NUMBERINGS.items()),
        help_text=_("Cranfield's qrels count its topics in the order of the file, whatever stands behind .I."),
    )

    def __init__(self, data: QueryDict | None = None, *, upload: Upload):
        recognition = upload.recognition
        initial = {"taken": taken_for(recognition["kind"], recognition["format"], recognition["options"])}
        super().__init__(data, prefix=str(upload.pk), initial=initial)
        self.upload = upload
        self.fields["taken"].widget.attrs["aria-label"] = gettext("What %(file)s is") % {"file": upload.filename}
        if recognition["kind"] == Upload.Kind.RESULTS:
            self.fields["name"].label = gettext("System")
            self.fields["name"].help_text = gettext("Whose lists these are, where the file does not say. Empty: the file's name.")
        asked = ASKED.get(recognition["kind"], ())
        if recognition["format"] != "smart":
            asked = tuple(field for field in asked if field != "number_topics")
        for field in [field for field in self.fields if field != "taken" and field not in asked]:
            del self.fields[field]

    @property
    def options(self) -> list[forms.BoundField]:
        return [self[field] for field in self.fields if field != "taken"]

    def clean(self) -> dict[str, Any] | None:
        """A name that is needed is complained about here, where it can be given."""
        if self.kind in NAMED:
            try:
                name_for(self.cleaned_data.get("name", ""), self.upload.filename)
            except BadFile:
                too_long = gettext("The file's name is too long to be used. Give one of at most %(most)s characters.")
                self.add_error("name", too_long % {"most": MAX_NAME})
        return super().clean()

    @property
    def kind(self) -> str:
        return self.cleaned_data.get("taken", "").split(":")[0]

    def confirmed(self) -> dict[str, Any] | None:
        """What `confirm_upload` is told; None for a file to leave out."""
        if not self.kind:
            return None
        kind, format, *scale = self.cleaned_data["taken"].split(":")
        options = {name: self.cleaned_data[name] for name in OPTIONS[kind] if self.cleaned_data.get(name)}
        options |= {"scale": scale[0]} if scale else {}
        return {"kind": kind, "format": format, "name": self.cleaned_data.get("name", ""), "options": options}
