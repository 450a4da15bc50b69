"""Forms of a collection and of what is in it."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.access import owns
from judging.forms.files import SeveralFilesField
from judging.models import Collection, User


class CollectionForm(forms.ModelForm):
    class Meta:
        model = Collection
        fields = ["name", "description", "notice", "shows_images", "shared"]
        widgets = {"description": forms.Textarea(attrs={"rows": 5}), "notice": forms.Textarea(attrs={"rows": 5})}
        labels = {
            "name": _("Name"),
            "description": _("Description"),
            "notice": _("Notice"),
            "shared": _("Share with every researcher here"),
            "shows_images": _("Show images in documents"),
        }
        help_texts = {
            "description": _("What it is and where it comes from. Markdown."),
            "notice": _("A licence or notice that must be shown with its documents. Markdown."),
            "shows_images": _("Those that were added here. Documents never fetch any from elsewhere."),
            "shared": _("They may read it and launch studies over it. Only you and its researchers can change it."),
        }
        error_messages = {"name": {"unique": _("There already is a collection of this name. Choose another one.")}}

    def __init__(self, *args: Any, user: User, **kwargs: Any):
        super().__init__(*args, **kwargs)
        if not owns(user, self.instance):
            del self.fields["shared"]  # who may read it is for the owner to say


class AttachmentForm(forms.Form):
    file = SeveralFilesField(label=_("Files"), help_text=_("PDF, PNG, JPEG, WebP, GIF or plain text, at most 8 MB each."))


class TagsForm(forms.Form):
    tags = forms.CharField(
        required=False, max_length=10_000, label=_("Tags"), help_text=_("Separated by commas: navigational, hard.")
    )
