from django import forms
from django.utils.translation import gettext_lazy as _


class EraseForm(forms.Form):
    """Whom a site is to forget."""

    client_id = forms.CharField(
        max_length=1000,
        required=False,
        label="client_id",
        help_text=_("As your site sends it, or the pseudonym in a record (~…)."),
    )
    user_id = forms.CharField(
        max_length=1000,
        required=False,
        label="user_id",
        help_text=_("Their browsers’ records go, too, as long as they name nobody else."),
    )

    def clean(self) -> dict:
        cleaned = super().clean() or {}
        if not self.errors and not any(cleaned.values()):
            raise forms.ValidationError(_("Name a client_id or a user_id."))
        return cleaned
