"""The period that a click report covers."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from metrics.kinds.clicks.evidence import DAYS
from metrics.models import Report

SPANS = [
    ("7", _("Last 7 days")),
    ("30", _("Last 30 days")),
    ("90", _("Last 90 days")),
    ("365", _("Last year")),
    ("", _("All that is kept")),
]


class WindowForm(forms.Form):
    days = forms.ChoiceField(label=_("Time"), choices=SPANS, required=False)
    since = forms.DateField(label=_("or from"), required=False, widget=forms.DateInput({"type": "date"}))
    until = forms.DateField(label=_("to"), required=False, widget=forms.DateInput({"type": "date"}))

    @classmethod
    def of(cls, report: Report | None) -> dict[str, Any]:
        """The period of a report, as the form shows it."""
        if report is None:
            return {"days": str(DAYS)}
        spec = report.spec
        until = spec["until"] and datetime.fromisoformat(spec["until"]) - timedelta(days=1)
        return {"days": str(spec["days"] or ""), "since": (spec["since"] or "")[:10], "until": until and until.date()}

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if values.get("since") and values.get("until") and values["since"] > values["until"]:
            raise forms.ValidationError(_("The first day is after the last one."))
        return values

    @property
    def window(self) -> dict[str, Any]:
        """The arguments of `request_click_report`, in whole days (UTC). Named days take precedence over a number of days."""
        since, until, days = (self.cleaned_data.get(name) for name in ("since", "until", "days"))
        if not since and not until:
            return {"days": int(days) if days else None}
        return {
            "days": None,
            "since": since and datetime.combine(since, time(), UTC),
            "until": until and datetime.combine(until + timedelta(days=1), time(), UTC),
        }
