"""Forms of a collection and of what is in it."""

from django import forms

from judging.collections.parsers.tag_lists import BadTags, clean_tags
from judging.forms.files import SeveralFilesField
from judging.models import Collection


class CollectionForm(forms.ModelForm):
    class Meta:
        model = Collection
        fields = ["name", "description", "notice", "shows_images", "shared"]
        widgets = {"description": forms.Textarea(attrs={"rows": 5}), "notice": forms.Textarea(attrs={"rows": 5})}
        labels = {"shared": "Share with every researcher here", "shows_images": "Show images in documents"}
        help_texts = {
            "notice": "A licence or notice that must be shown with its documents. Markdown.",
            "shows_images": "Those that were added here. Documents never fetch any from elsewhere.",
            "shared": "They may read it and launch studies over it; only you can change it.",
        }
        error_messages = {"name": {"unique": "There already is a collection of this name. Choose another one."}}


class AttachmentForm(forms.Form):
    file = SeveralFilesField(label="Files", help_text="PDF, PNG, JPEG, WebP, GIF or plain text, at most 8 MB each.")


class TagsForm(forms.Form):
    tags = forms.CharField(required=False, max_length=10_000, help_text="Separated by commas: navigational, hard.")

    def clean_tags(self) -> list[str]:
        try:
            return clean_tags([self.cleaned_data["tags"]])
        except BadTags as bad:
            raise forms.ValidationError(f"These tags cannot be kept: {bad}.") from None
