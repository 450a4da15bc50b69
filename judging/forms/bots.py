from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.logs import bots
from judging.models import BotFilter


class BotForm(forms.ModelForm):
    """What a site takes for programs."""

    class Meta:
        model = BotFilter
        fields = ["agents", "records_a_minute", "searches_a_day", "note"]
        labels = {
            "agents": _("Bots call themselves"),
            "records_a_minute": _("Most records in a minute"),
            "searches_a_day": _("Most searches in a day"),
            "note": _("Why"),
        }
        help_texts = {
            "agents": _("A regular expression, in capital or small letters. Empty: nobody is told by the name."),
            "records_a_minute": _("Of one client, in any 60 seconds. Empty: no limit."),
            "searches_a_day": _("Of one client, in any 24 hours. Empty: no limit."),
            "note": _("For those who wonder later why numbers changed."),
        }
        widgets = {"agents": forms.Textarea(attrs={"rows": 4, "class": "code", "spellcheck": "false"})}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for name in ("records_a_minute", "searches_a_day"):
            self.fields[name] = forms.IntegerField(
                min_value=1,
                max_value=10**6,
                required=False,
                label=self.fields[name].label,
                help_text=self.fields[name].help_text,
            )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        bots.refuse_bad_pattern(cleaned.get("agents", ""))
        return cleaned

    @property
    def limits(self) -> bots.Limits:
        return bots.Limits(*(self.cleaned_data[name] for name in bots.Limits._fields))
