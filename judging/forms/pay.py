"""Pay in one way or none, which is chosen first; and bonuses."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.forms.list_fields import RowsField
from judging.models import Bonus, Channel, Study, Worker
from judging.pay.rates import is_paid

NOT, A_JUDGEMENT, AN_HOUR = "no", "judgement", "hour"
RATES = {A_JUDGEMENT: "pay_a_judgement", AN_HOUR: "pay_an_hour"}


class PayMethodField(forms.ChoiceField):
    """How workers are paid. A page always has one chosen; for whoever sends none the amounts decide."""

    def validate(self, value: str) -> None:
        if value:
            super().validate(value)


class PayForm(forms.ModelForm):
    """The part of a study's form about pay: what the chosen way does not use is set to 0."""

    paid = PayMethodField(
        label=_("How workers are paid"),
        choices=[(NOT, _("Not at all: volunteers")), (A_JUDGEMENT, _("By the judgement")), (AN_HOUR, _("By the hour"))],
        widget=forms.RadioSelect,
    )

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        for name in ("pay_an_hour", "pay_a_judgement", "pay_screened_out"):
            if name in self.fields:
                self.fields[name].required = False
        self.initial.setdefault("paid", pay_method_of(self.instance))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        pay_method = cleaned.get("paid")
        if pay_method:
            self.keep_to(pay_method, cleaned)
        for name in ("pay_an_hour", "pay_a_judgement", "pay_screened_out"):
            if name in self.fields and cleaned.get(name) is None and name not in self.errors:
                cleaned[name] = Decimal(0)
        return cleaned

    def keep_to(self, pay_method: str, cleaned: dict[str, Any]) -> None:
        rate = RATES.get(pay_method)
        if rate and rate not in self.errors and not cleaned.get(rate):
            self.add_error(rate, _("Say how much, or choose that nobody is paid."))
        for other in set(RATES.values()) - {rate}:
            cleaned[other] = Decimal(0)
            self.errors.pop(other, None)
        if not rate and "pay_screened_out" in self.fields:
            cleaned["pay_screened_out"] = Decimal(0)


def pay_method_of(study: Study) -> str:
    if not is_paid(study):
        return NOT
    return A_JUDGEMENT if study.pay_a_judgement else AN_HOUR


POOLED = ["topic_count", "judgement_budget", "money_budget"]


class WhatIf(PayForm):
    """The settings that a study's plan depends on, to try others than the draft's. Nothing is saved."""

    class Meta:
        model = Study
        fields = [
            "depth", *POOLED, "overlap", "most_overlap",
            "seconds_a_judgement", "gold_every", "pay_a_judgement", "pay_an_hour",
        ]  # fmt: skip
        labels = {
            "depth": _("Pool depth"), "topic_count": _("Topics at random"), "judgement_budget": _("Budget, in judgements"),
            "money_budget": _("Budget, in money"), "overlap": _("Workers per item"),
            "most_overlap": _("Workers per item, at most"),
            "seconds_a_judgement": _("Seconds per judgement"), "gold_every": _("Gold, one answer in"),
            "pay_a_judgement": _("Pay per judgement"), "pay_an_hour": _("Pay per hour"),
        }  # fmt: skip

    def __init__(self, query: dict[str, str], *, instance: Study):
        drafted = forms.model_to_dict(instance, self._meta.fields) | {"paid": pay_method_of(instance)}
        settings = {name: "" if value is None else value for name, value in drafted.items()}
        rates = [way for way, rate in RATES.items() if rate in query]
        if rates and "paid" not in query:  # whoever names a rate means it
            settings["paid"] = rates[0] if len(rates) == 1 else ""
        super().__init__(settings | {name: query[name] for name in settings if name in query}, instance=instance)
        self.fields["paid"].widget = forms.Select(choices=self.fields["paid"].choices)  # type: ignore[attr-defined]
        for name in self.fields:
            self.fields[name].help_text = ""
        for name in POOLED if instance.compares else []:
            del self.fields[name]
        if instance.compares:
            self.fields["depth"].label, self.fields["overlap"].label = _("Results per list"), _("Workers per pair")


class BonusForm(forms.ModelForm):
    workers = RowsField(Worker.objects.none(), error_messages={"required": _("Tick the workers who get it.")})
    after = forms.IntegerField(min_value=0, required=False, widget=forms.HiddenInput)

    class Meta:
        model = Bonus
        fields = ["amount", "reason"]
        labels = {"reason": _("Reason")}

    def __init__(self, *args: Any, study: Study, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.fields["workers"].queryset = study.workers.filter(machine="")  # type: ignore[attr-defined]
        self.fields["amount"].label = _("Bonus (%(currency)s)") % {"currency": study.currency}


class BonusFileForm(forms.Form):
    """Which bonuses the marketplace's file holds."""

    source = forms.ChoiceField(label=_("Marketplace"))
    what = forms.ChoiceField(
        label=_("Pay as bonuses"),
        choices=[("bonuses", _("The bonuses given here")), ("everything", _("Everything earned, minus the reward there"))],
    )
    since = forms.DateField(
        required=False,
        label=_("Given since"),
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=_("Only bonuses from that day on."),
    )
    reward = forms.DecimalField(
        min_value=0,
        max_digits=7,
        decimal_places=2,
        required=False,
        label=_("Reward there"),
        help_text=_("For a completed submission."),
    )

    def __init__(self, *args: Any, sources: list[str], **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.fields["source"].choices = [(source, Channel.Source(source).label) for source in sources]  # type: ignore[attr-defined]
