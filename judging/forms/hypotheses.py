"""The form of a hypothesis: two systems, and what matters by each kind of evidence."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from judging.collections import hypotheses
from judging.forms.refusals import refusals_in
from judging.models import Hypothesis, System, User
from judging.models.hypothesis import GRADED, USUAL


class HypothesisForm(forms.ModelForm):
    """Whether B is better than A; asked before the evidence comes, it tells expectation from hindsight."""

    measure = forms.CharField(max_length=80, initial="nDCG@10", label=_("Measure"), help_text=_("Of grades, whoever gave them."))
    grades = forms.FloatField(min_value=0.0001, label=_("Of the measure"), initial=USUAL["experts"]["margin"])
    votes = forms.FloatField(min_value=0.0001, max_value=0.5, label=_("Of side-by-side votes"), initial=USUAL["votes"]["margin"])
    interleaving = forms.FloatField(
        min_value=0.0001, max_value=0.5, label=_("Of interleaving (Δ)"), initial=USUAL["interleaving"]["margin"]
    )
    why = forms.CharField(
        required=False,
        max_length=2000,
        label=_("Why"),
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("What you expect, and why."),
    )
    ab = forms.FloatField(min_value=0.000001, label=_("Of the metric of an A/B test"), initial=USUAL["ab"]["margin"])

    class Meta:
        model = Hypothesis
        fields = ["a", "b", "alpha", "why"]
        labels = {"a": _("System A, today’s"), "b": _("System B, is it better?"), "alpha": _("Level α")}
        help_texts = {"alpha": _("How often a difference that is none may be taken for one.")}

    def __init__(self, *args: Any, systems: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        for name in ("a", "b"):
            self.fields[name].queryset = systems  # type: ignore[attr-defined]
            self.fields[name].empty_label = gettext("Choose one")  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        with refusals_in(self):
            if cleaned.get("a") and cleaned.get("b"):
                hypotheses.refuse_unlike(cleaned["a"], cleaned["b"])
            if "measure" in cleaned:
                cleaned["measure"] = hypotheses.measure_of_topics(cleaned["measure"])
                if "grades" in cleaned:
                    hypotheses.refuse_beyond(cleaned["measure"], cleaned["grades"], field="grades")
        return cleaned

    @property
    def expectations(self) -> dict[str, Any]:
        chosen = self.cleaned_data
        graded = {kind: {"measure": chosen["measure"], "margin": chosen["grades"]} for kind in GRADED}
        return graded | {kind: {"margin": chosen[kind]} for kind in ("votes", "interleaving", "ab")}


def hypothesis_form(data: Any, *, user: User, systems: Any) -> HypothesisForm:
    return HypothesisForm(data, instance=Hypothesis(created_by=user), systems=systems)


def two_newest(systems: Any) -> dict[str, System]:
    """The two newest systems, the older one as A."""
    newest = list(systems.order_by("-pk")[:2])
    return dict(zip(("b", "a"), newest, strict=False))
