from collections.abc import Callable

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from ireval import DEFAULT_PROFILE, MEASURES, PROFILES, Measure, parse_measure
from judging.access import qrels_for, runs_for
from judging.collections.duplicate_search import found_in
from judging.database.numbers import number_in
from judging.forms.folded_settings import are_open
from judging.forms.list_fields import RowsField
from judging.forms.refusals import refusals_in
from judging.models import Collection, NearDuplicates, Qrels, Run, User
from judging.text.library_words import in_reader_language
from metrics.kinds.runs.question import DEFAULT_MEASURES, request_report
from metrics.kinds.runs.rules import DEEPEST_CUT, HIGHEST_GRADE, TIES, TOPICS
from metrics.models import Report

COMMON = (
    "nDCG@10 AP RR P@5 P@10 R@100 Rprec Judged@10 nDCG nDCG@20 nDCG@100 RR@10 P@1 P@20 R@10 R@1000 Success@1 Success@5 "
    "Success@10 Bpref RBP(p=.8) GMAP"
)

# The rules, which few change, as the form comes.
USUAL = {
    "topics": "both", "relevant_from": 1, "profile": DEFAULT_PROFILE,
    "depth": None, "judged_only": False, "ties": "profile", "duplicates_once": False,
}  # fmt: skip


class Choices(RowsField):
    """Checkboxes, each with one line that describes it."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, describe: Callable[..., str], **options):
        super().__init__(queryset=None, **options)
        self.describe = describe

    def label_from_instance(self, obj) -> str:
        return self.describe(obj)


def describe_run(run: Run) -> str:
    text = gettext("%(run)s · %(topics)s topics, up to %(documents)s documents each")
    return text % {"run": run.name, "topics": f"{run.topic_count:,}", "documents": f"{run.depth:,}"}


def describe_qrels(qrels: Qrels) -> str:
    marks = [
        gettext("sparse") if qrels.sparse else "",
        gettext("binary") if qrels.binary else "",
        gettext("by %(n)s subtopics") % {"n": qrels.recipe["subtopics"]} if qrels.recipe.get("subtopics") else "",
        by_no_person(qrels),
    ]
    counts = {"qrels": qrels, "grades": f"{qrels.rows:,}", "topics": f"{qrels.topic_count:,}"}
    return ", ".join(filter(None, [gettext("%(qrels)s · %(grades)s grades, %(topics)s topics") % counts, *marks]))


def by_no_person(qrels: Qrels) -> str:
    if machine := qrels.recipe.get("machine"):
        return gettext("all by the machine judge %(machine)s") % {"machine": machine}
    if not qrels.simulated_judgements:
        return ""
    return gettext("%(count)s judgements simulated") % {"count": f"{qrels.simulated_judgements:,}"}


def describe_duplicates(duplicates: NearDuplicates) -> str:
    return ngettext(
        "Of each group only the first that a run retrieves counts, at the group’s highest grade; later ones are not relevant. "
        "%(documents)s documents are in %(n)s group.",
        "Of each group only the first that a run retrieves counts, at the group’s highest grade; later ones are not relevant. "
        "%(documents)s documents are in %(n)s groups.",
        duplicates.groups,
    ) % {"documents": f"{duplicates.members:,}", "n": f"{duplicates.groups:,}"}


def common_measures() -> list[tuple[str, str]]:
    """The usual measures, then one of every other kind that asks for nothing; all others can be named in the field below."""
    measures = [parse_measure(name) for name in COMMON.split()]
    usual = {measure.kind.name for measure in measures}
    others = [kind for kind in MEASURES.values() if kind.name not in usual and kind.better != "neither" and not kind.asks]
    measures += [parse_measure(kind.example) for kind in others]
    return [(str(measure), described(measure)) for measure in measures]


def conventions() -> list[tuple[str, str]]:
    return [(profile.name, f"{profile.name} · {in_reader_language(profile.summary)}") for profile in PROFILES.values()]


def described(measure: Measure) -> str:
    title = in_reader_language(measure.kind.title)
    if measure.kind.by_intent:
        return gettext("%(measure)s · %(title)s, for qrels by subtopic") % {"measure": measure, "title": title}
    return f"{measure} · {title}"


class ReportForm(forms.Form):
    """A question to the evidence of one collection."""

    runs = Choices(describe_run, label=_("Runs"), error_messages={"required": _("Choose at least one run.")})
    qrels = Choices(describe_qrels, label=_("Qrels"), error_messages={"required": _("Choose at least one qrels version.")})
    common = forms.MultipleChoiceField(
        label=_("Measures"), required=False, choices=common_measures, widget=forms.CheckboxSelectMultiple
    )
    measures = forms.CharField(
        label=_("More measures"),
        required=False,
        max_length=2000,
        help_text=_("Separated by blanks, named as in ir_measures, trec_eval or everyday use: AP(rel=2), ndcg_cut_20, MRR@10."),
        widget=forms.TextInput(attrs={"class": "code", "spellcheck": "false", "autocapitalize": "off", "autocomplete": "off"}),
    )
    topics = forms.ChoiceField(
        label=_("Which topics count"), choices=list(TOPICS.items()), initial=USUAL["topics"], widget=forms.RadioSelect
    )
    relevant_from = forms.IntegerField(
        label=_("Relevant from grade"),
        initial=1,
        min_value=1,
        max_value=HIGHEST_GRADE,
        help_text=_("The lowest grade that counts as relevant (trec_eval -l). nDCG uses the grades themselves."),
    )
    profile = forms.ChoiceField(
        label=_("Computed as in"),
        initial=DEFAULT_PROFILE,
        choices=conventions,
        widget=forms.RadioSelect,
    )
    depth = forms.IntegerField(
        label=_("Cut rankings at rank"),
        required=False,
        min_value=1,
        max_value=DEEPEST_CUT,
        help_text=_("Documents further down count as not retrieved, by every measure (trec_eval -M). Empty: no cut."),
    )
    judged_only = forms.BooleanField(
        label=_("Judged documents only"),
        required=False,
        help_text=_(
            "Unjudged documents are taken out and the others move up (trec_eval -J, condensed lists). Judged@10 still says "
            "how much of the whole ranking is judged."
        ),
    )
    ties = forms.ChoiceField(
        label=_("Documents with equal scores"),
        initial="profile",
        required=False,
        choices=list(TIES.items()),
        help_text=_(
            "What the order of ties can do to a value lies between the last two; not so for measures of diversity, G and infAP."
        ),
        widget=forms.RadioSelect,
    )
    duplicates_once = forms.BooleanField(label=_("Count near-duplicates once"), required=False)
    title = forms.CharField(
        label=_("Title"), required=False, max_length=200, help_text=_("Left empty, it names what is compared.")
    )

    def __init__(self, *args, collection: Collection, user: User, **kwargs):
        super().__init__(*args, **kwargs)
        self.collection, self.user = collection, user
        self.limit("runs", runs_for(user).filter(collection=collection))
        self.limit("qrels", qrels_for(user).filter(collection=collection).order_by("name", "-version"))
        self.duplicates = found_in(collection)
        if self.duplicates and self.duplicates.groups:
            self.fields["duplicates_once"].help_text = describe_duplicates(self.duplicates)
        else:
            del self.fields["duplicates_once"]

    def clean_ties(self) -> str:
        return self.cleaned_data["ties"] or "profile"

    @property
    def asks_more(self) -> bool:
        return are_open(self, USUAL)

    def limit(self, name: str, queryset: QuerySet) -> None:
        self.fields[name].queryset = queryset  # type: ignore[attr-defined]

    @property
    def lacks(self) -> list[str]:
        """What the collection lacks, of "runs" and "qrels"."""
        return [name for name in ("runs", "qrels") if not self.fields[name].queryset.exists()]  # type: ignore[attr-defined]

    def ask(self) -> Report | None:
        """Return the report that answers a valid form; None, with errors at the fields, if there is no answer."""
        chosen = dict(self.cleaned_data)
        chosen["measures"] = [*chosen.pop("common"), chosen["measures"]]
        chosen["duplicates"] = self.duplicates if chosen.pop("duplicates_once", False) else None
        with refusals_in(self):
            return request_report(collection=self.collection, by=self.user, **chosen)
        return None


def newest_of_each(qrels: QuerySet[Qrels]) -> list[int]:
    """The ids of the newest version of each qrels, in order."""
    return sorted(dict(qrels.order_by("version").values_list("name", "pk")).values())


def starting_values(query: QueryDict, collection: Collection, user: User) -> dict:
    """The values of a new form: the runs and qrels that the address names, else all runs and the newest qrels."""
    named = {field: [pk for pk in map(number_in, query.getlist(field)) if pk is not None] for field in ("runs", "qrels")}
    return {
        "runs": named["runs"] or list(collection.runs.values_list("pk", flat=True)),
        "qrels": named["qrels"] or newest_of_each(qrels_for(user).filter(collection=collection)),
        "common": DEFAULT_MEASURES.split(),
    }
