"""A draft of an experiment: its arms as rows, its metrics in words, and a planner that fills in how many users it needs."""

from functools import partial
from typing import Any

from django import forms
from django.core.validators import validate_slug
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ireval.behaviour import DEFAULT_METRICS, DEFINITIONS, definition_of
from judging.access import is_published
from judging.database.numbers import number_in
from judging.experiments import plan
from judging.experiments.drafts import MOST_ARMS, check_arms, check_metrics, check_segments
from judging.forms.folded_settings import are_open
from judging.forms.refusals import refusals_in
from judging.models import Arm, Experiment, Site
from judging.search.ranking import OF_A_RUN, choices, ranker_of_choice
from judging.text.library_words import lazy_choice_of

PLAIN = [definition for definition in DEFINITIONS if not definition.name.endswith(("@k", ":action"))]
AT_THE_TOP = [definition_of(f"ctr@{k}") for k in (3, 10)]
METRICS = [(definition.name, lazy_choice_of(definition)) for definition in [*PLAIN, *AT_THE_TOP]]
OF_THE_MODEL = ["name", "hypothesis", "unit", "traffic", "method", "depth", "looks", "planned", "alpha", "before_days"]
STORED = [*OF_THE_MODEL, "group", "arms", "segments"]
EVENT = "event"
# What the form folds away while it is as usual.
USUAL = {"events": "", "group": "", "segments": ""} | {
    name: getattr(Experiment(), name) for name in ("method", "depth", "alpha", "before_days")
}
NEW_ARMS = ("control", "new")
LOOKS = {
    Experiment.Looks.FIXED: gettext_lazy(
        "Once, at the end. The narrowest intervals: they hold when the planned number of users is there, "
        "and looking earlier to decide finds differences that are none."
    ),
    Experiment.Looks.ALWAYS_VALID: gettext_lazy(
        "At any time. Intervals hold however often you look, and are wider by a third or more."
    ),
}
KINDS = {
    Experiment.Kind.AB: gettext_lazy(
        "Each user sees one of the ways to search, always the same one. Any metric can be compared."
    ),
    Experiment.Kind.INTERLEAVING: gettext_lazy(
        "Everybody sees one list made of all of them, and clicks say whose results are better. "
        "It takes far fewer users, and tells of rankings only."
    ),
}


class ArmsWidget(forms.Widget):
    """Rows of inputs with the same names; the page draws them."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[dict]:
        columns = [data.getlist(field) for field in ("arm", "weight", "ranker")]
        longest = min(max(map(len, columns)), MOST_ARMS)
        names, weights, rankers = ([*column, *[""] * longest][:longest] for column in columns)
        control = number_in(data.get("control", ""))
        rows = zip(names, weights, rankers, strict=True)
        return [
            {"name": arm.strip(), "weight": weight.strip(), "ranker": ranker, "is_control": place == control}
            for place, (arm, weight, ranker) in enumerate(rows)
        ]


class ArmsField(forms.Field):
    widget = ArmsWidget

    def __init__(self, *, site: Site, **options: Any):
        super().__init__(required=False, label=_("Arms"), **options)
        self.site = site

    def clean(self, value: list[dict]) -> list[Arm]:
        """An empty row is none."""
        return [self.arm(place, row) for place, row in enumerate(value, start=1) if row["name"]]

    def arm(self, place: int, row: dict) -> Arm:
        try:
            validate_slug(row["name"])
            weight = float(row["weight"] or 1)
        except forms.ValidationError:
            wrong = _("Row %(place)s: a name has letters, digits, - and _, as in new-ranking.")
            raise forms.ValidationError(wrong % {"place": place}) from None
        except ValueError:
            raise forms.ValidationError(_("Row %(place)s: the weight is a number above 0.") % {"place": place}) from None
        if len(row["name"]) > 60:
            raise forms.ValidationError(_("Row %(place)s: a name has 60 characters at most.") % {"place": place})
        ranker, run = ranker_of_choice(row["ranker"], self.site.collection) if self.site.collection else ("", None)
        return Arm(name=row["name"], weight=weight, is_control=row["is_control"], ranker=ranker, run=run)


class ExperimentForm(forms.ModelForm):
    group = forms.CharField(
        required=False,
        max_length=60,
        label=gettext_lazy("Exclusive group"),
        widget=forms.TextInput(attrs={"list": "groups", "autocomplete": "off"}),
        help_text=gettext_lazy(
            "Experiments of one group share out its users: nobody is in two of them. A new name makes a group."
        ),
    )
    decides = forms.ChoiceField(
        choices=[*METRICS, (EVENT, gettext_lazy("The first one of the events below"))],
        label=gettext_lazy("The metric that decides"),
        help_text=gettext_lazy("Chosen now, before the data. All others explain, and are corrected for their number."),
    )
    others = forms.MultipleChoiceField(
        choices=METRICS,
        required=False,
        label=gettext_lazy("Other metrics"),
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("What else is reported."),
    )
    events = forms.CharField(
        required=False,
        label=gettext_lazy("Events of your own"),
        widget=forms.Textarea(attrs={"rows": 3, "class": "code", "placeholder": "conversion: purchase\nvalue: purchase"}),
        help_text=gettext_lazy(
            "One a line: conversion, count or value of an action_name that your site sends; ctr@5 works as well. "
            "Conversion is the share of users who did it, count how often, value what it was worth."
        ),
    )
    segments = forms.CharField(
        required=False,
        label=gettext_lazy("Segments"),
        help_text=gettext_lazy("Names of query_attributes to report apart, with commas between them: device, country."),
    )
    lift = forms.FloatField(required=False, min_value=0.1, max_value=1000, label=gettext_lazy("To be found, %"))
    ctr = forms.FloatField(required=False, min_value=0.1, max_value=99.9, label=gettext_lazy("CTR now, %"))
    users_a_day = forms.FloatField(required=False, min_value=0, label=gettext_lazy("Users per day"))

    class Meta:
        model = Experiment
        fields = OF_THE_MODEL
        labels = {
            "name": gettext_lazy("Name"), "hypothesis": gettext_lazy("Hypothesis"), "method": gettext_lazy("Method"),
            "depth": gettext_lazy("Depth"), "traffic": gettext_lazy("Share of the traffic, %"),
            "before_days": gettext_lazy("Days before"), "planned": gettext_lazy("Planned users"),
            "looks": gettext_lazy("When you look"), "unit": gettext_lazy("Who is assigned"), "alpha": gettext_lazy("Level α"),
        }  # fmt: skip
        help_texts = {
            "name": gettext_lazy("In the records that your site sends, too: letters, digits, - and _."),
            "traffic": gettext_lazy("Of the users, from 1 to 100."),
            "planned": gettext_lazy("In all arms together."),
            "before_days": gettext_lazy("How many days before its start tell what users were like (CUPED)."),
            "alpha": gettext_lazy("How often a difference that is none may be taken for one."),
        }
        error_messages = {"name": {"invalid": gettext_lazy("Letters without accents, digits, - and _ only.")}}
        widgets = {
            "hypothesis": forms.Textarea(attrs={"rows": 3}),
            "unit": forms.RadioSelect,
            "looks": forms.RadioSelect,
        }

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        instance: Experiment,
        log: plan.Baseline | None = None,
        initial: dict[str, Any] | None = None,
    ):
        super().__init__(data, instance=instance, initial=initial_values(instance, log) | (initial or {}))
        self.log = log
        self.fields["arms"] = ArmsField(site=instance.site)
        self.fields["looks"].choices = list(LOOKS.items())  # type: ignore[attr-defined]
        self.fields["alpha"].widget.attrs["step"] = "any"
        unneeded = ("decides", "others", "events", "before_days") if instance.interleaves else ("method", "depth")
        for name in unneeded:
            del self.fields[name]
        if instance.interleaves:
            self.fields["lift"].label = _("Δ to be found, %")

    def rows(self) -> list[dict]:
        return self["arms"].value() or []

    def rankers(self) -> list[tuple[str, str]]:
        site = self.instance.site
        return choices(site.collection) if site.collection and is_published(site) else []

    @property
    def asks_more(self) -> bool:
        return are_open(self, USUAL)

    def clean_segments(self) -> list[str]:
        return [segment.strip() for segment in self.cleaned_data["segments"].split(",") if segment.strip()]

    def clean_group(self) -> str:
        return self.cleaned_data["group"].strip()

    def clean_events(self) -> list[str]:
        lines = filter(None, map(str.strip, self.cleaned_data["events"].splitlines()))
        return [":".join(map(str.strip, line.split(":", 1))) for line in lines]

    def clean(self) -> dict:
        cleaned = super().clean() or {}
        for name, check in (
            ("arms", partial(check_arms, self.instance)),
            ("events", check_metrics),
            ("segments", check_segments),
        ):
            if name in cleaned:
                with refusals_in(self, name):
                    check(cleaned[name])
        if "decides" in self.fields and not self.errors and cleaned["decides"] == EVENT and not cleaned["events"]:
            self.add_error("events", _("Write the event that decides, or choose a metric that does."))
        return cleaned

    def settings(self) -> dict[str, Any]:
        """The settings as the verbs take them."""
        values = {name: self.cleaned_data[name] for name in STORED if name in self.fields}
        return values | ({"metrics": metrics_of(self.cleaned_data)} if "decides" in self.fields else {})


def metrics_of(cleaned: dict[str, Any]) -> list[str]:
    """The one that decides first, each once."""
    first = cleaned["events"][0] if cleaned["decides"] == EVENT else cleaned["decides"]
    return list(dict.fromkeys([first, *cleaned["others"], *cleaned["events"]]))


def initial_values(experiment: Experiment, log: plan.Baseline | None) -> dict[str, Any]:
    """What the form shows of a draft; of a new one what is usual."""
    plain = dict(METRICS)
    metrics = experiment.metrics if experiment.pk else list(DEFAULT_METRICS)
    first = metrics[0] if metrics else "ctr"
    return {
        "arms": rows_of(experiment),
        "group": experiment.group.name if experiment.group else "",
        "decides": first if first in plain else EVENT,
        "others": [name for name in metrics if name in plain and name != first],
        "events": "\n".join(name.replace(":", ": ") for name in metrics if name not in plain),
        "segments": ", ".join(experiment.segments),
        "lift": 5,
        "ctr": round(100 * log.ctr, 1) if log else None,
        "users_a_day": round(log.users_a_day) if log and log.users_a_day else None,
    }


def rows_of(experiment: Experiment) -> list[dict]:
    if experiment.pk is None:
        return [{"name": name, "weight": 1, "ranker": "", "is_control": name == NEW_ARMS[0]} for name in NEW_ARMS]
    return [
        {
            "name": arm.name,
            "weight": f"{arm.weight:g}",
            "ranker": f"{OF_A_RUN}{arm.run_id}" if arm.run_id else arm.ranker,
            "is_control": arm.is_control,
        }
        for arm in experiment.arms.all()
    ]


def refilled(form: ExperimentForm, data: QueryDict, **other: Any) -> ExperimentForm:
    """The form as it was filled in, without a word about what is missing; `other` fields as they are now."""
    written = {name: field.widget.value_from_datadict(data, {}, name) for name, field in form.fields.items()}
    return ExperimentForm(instance=form.instance, log=form.log, initial=written | other)
