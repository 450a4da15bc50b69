"""The form of a collection."""

from django import forms

from judging.models import Collection


class CollectionForm(forms.ModelForm):
    class Meta:
        model = Collection
        fields = ["name", "description", "notice", "shared"]
        widgets = {"description": forms.Textarea(attrs={"rows": 5}), "notice": forms.Textarea(attrs={"rows": 5})}
        labels = {"shared": "Share with every researcher here"}
        help_texts = {
            "notice": "A licence or notice that must be shown with its documents. Markdown.",
            "shared": "They may read it and launch studies over it; only you can change it.",
        }
        error_messages = {"name": {"unique": "There already is a collection of this name. Choose another one."}}
