"""The form of a marketplace's channel: codes to leave by, names of parameters, keys."""

import json
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.database.json_values import why_not_kept
from judging.forms.refusals import refusals_in
from judging.models import Channel, Study
from judging.recruiting.channels import CODES, NAMES, PARAMETERS, check
from judging.recruiting.signatures import refuse_bad_keys

LABELS = {
    "label": _("Label"),
    "completed_code": _("Code for participants who have completed"),
    "screened_out_code": _("Code for participants who are screened out"),
    "no_consent_code": _("Code for participants who do not consent"),
    "failed_check_code": _("Code for participants who fail a check"),
    "participant_parameter": _("Parameter with the participant"),
    "study_parameter": _("Parameter with the marketplace’s study"),
    "session_parameter": _("Parameter with the submission"),
    "signed_links": _("Let in only those who come by a signed link"),
    "keys": _("Keys that sign links"),
}
SIGNED_LINKS = _(
    "Only so is it sure that people are who the address says. Switch secure links on in Prolific’s study, too, or nobody "
    "gets in. Turn it off only where Prolific cannot sign them, for instance to try the channel out by hand: then whoever "
    "knows a participant’s id can come in their place before they do."
)


class Decoder(json.JSONDecoder):
    """Calls everything wrong by one name: also numbers of too many digits, and what is nested too deeply."""

    def decode(self, text: str, *args: Any) -> Any:
        try:
            value = super().decode(text, *args)
        except (ValueError, RecursionError) as error:
            raise json.JSONDecodeError(str(error)[:100], "", 0) from None
        if why := why_not_kept(value):
            raise json.JSONDecodeError(why, "", 0)
        return value


class KeysField(forms.JSONField):
    """JSON, where nothing is shown as nothing instead of null."""

    def __init__(self, **options: Any):
        super().__init__(**options | {"decoder": Decoder})

    def prepare_value(self, value: Any) -> Any:
        return "" if value is None else super().prepare_value(value)


class ChannelForm(forms.ModelForm):
    webhook_secret = forms.CharField(
        required=False,
        max_length=200,
        strip=True,
        label=_("Webhook secret"),
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=_("As the marketplace gave it. It is kept encrypted and not shown again; empty: what is set stays."),
    )

    class Meta:
        model = Channel
        fields = ["label", *CODES.values(), *PARAMETERS, "signed_links", "keys"]
        labels = LABELS
        field_classes = {"keys": KeysField}
        widgets = {"keys": forms.Textarea(attrs={"rows": 4, "class": "code"})}

    def __init__(self, *args: Any, source: str, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.source = source
        for name, usual in zip(PARAMETERS, NAMES[source], strict=True):
            self.fields[name].required = False
            self.fields[name].widget.attrs["placeholder"] = usual
        self.fields["keys"].help_text = _("A JWKS as JSON, where this server cannot fetch Prolific’s. Empty: they are fetched.")
        self.fields["signed_links"].help_text = SIGNED_LINKS
        if source != Channel.Source.PROLIFIC:
            for name in ("signed_links", "keys", "webhook_secret"):
                del self.fields[name]

    def common(self) -> list[forms.BoundField]:
        return [self[name] for name in ("label", *CODES.values(), "signed_links") if name in self.fields]

    def rare(self) -> list[forms.BoundField]:
        common = {field.name for field in self.common()}
        return [self[name] for name in self.fields if name not in common]

    def rare_is_open(self) -> bool:
        """What was refused must be in sight."""
        return any(field.errors for field in self.rare())

    def clean_keys(self) -> dict | None:
        return self.cleaned_data["keys"] or None

    def clean(self) -> dict:
        cleaned = super().clean() or {}
        with refusals_in(self):
            refuse_bad_keys(cleaned.get("keys"))
        check(self.source, cleaned)
        return cleaned


class OpenCallForm(forms.ModelForm):
    class Meta:
        model = Study
        fields = ["open_call", "language"]
