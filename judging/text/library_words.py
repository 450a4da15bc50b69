"""What the library says in English, in the reader's language: reasons, metrics, measures, models and coefficients."""

import re
from functools import cache

from django.utils.functional import lazy
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_noop as _

from ireval.behaviour import Definition
from ireval.behaviour.definitions import DEFINITIONS
from ireval.planning import Target
from ireval.planning.target import bare
from ireval.translatable import Counted, Phrase
from judging.text.measure_words import DEGENERATE, PARAMETERS, TITLES

REASONS = (
    _("there is a single topic"),
    _("there is a single worker"),
    _("there is a single user"),
    _("there is a single query"),
    _("there is a single session"),
    _("there is a single vote"),
    _("all votes say the same"),
    _("all impressions say the same"),
    _("all queries say the same"),
    _("what votes share has no part in how they differ"),
    _("what impressions share has no part in how they differ"),
    _("what queries share has no part in how they differ"),
    _("there is too little to compare"),
    _("there is nothing to count"),
    _("the time before tells all that units differ by"),
    _("an arm has fewer than two units"),
    _("an arm's denominators are all 0"),
    _("units of an arm do not differ"),
    _("strengths are not finite"),
    _("no two systems each won against the other, and wins and ties fit strengths that are as far apart as you like"),
    _("%(systems)s never lost and never tied against the others"),
    _("no worker has votes in both halves to compare"),
    _("no impression gave either system credit"),
    _("there is one worker only"),
    _("no item has two labels"),
    _("only the label %(label)s is in use"),
    _("there are %(workers)s workers, and it compares two"),
    _("the two workers have no item in common"),
    _("no two workers have %(least)s items in common"),
    _("in each pair of workers both use one label only"),
    _("items have from %(least)s to %(most)s labels, and it needs the same number everywhere"),
)
AGREEMENT = (
    _("percent agreement of pairs"),
    _("Cohen's κ"),
    _("Cohen's κ, linear weights"),
    _("Cohen's κ, quadratic weights"),
    _("Cohen's κ, mean over %(pairs)s pairs of workers"),
    _("Cohen's κ, quadratic weights, mean over %(pairs)s pairs of workers"),
    _("Fleiss' κ"),
    _("Krippendorff's α, nominal"),
    _("Krippendorff's α, ordinal"),
    _("Krippendorff's α, interval"),
    _("a single topic has no interval"),
    _("a single item has no interval"),
    _("with %(count)s topics the interval may be too narrow: %(enough)s are needed"),
    _("with %(count)s items the interval may be too narrow: %(enough)s are needed"),
    _(
        "with %(count)s topics, which say as much as %(equal)s of equal size, the interval may be too narrow: %(enough)s are "
        "needed"
    ),
    _(
        "with %(count)s items, which say as much as %(equal)s of equal size, the interval may be too narrow: %(enough)s are "
        "needed"
    ),
)
OF_CLICKS = (
    _("position-based model"),
    _("cascade model"),
    _("dependent click model"),
    _("simplified dynamic Bayesian network"),
    _("click-through rate of the rank"),
    _("clicks over expected clicks"),
    _("position-based"),
    _("cascade"),
    _("dependent-click"),
    _("simplified-dbn"),
    _("with a click on the first 10"),
    _("without a click"),
    _("clicks per impression"),
    _("reciprocal rank of the first click"),
    _("seconds to the first click"),
    _("ranks fall into %(n)s groups that share no document: only within one can they be compared"),
    _(
        "most results are of documents shown fewer than %(n)s times for their query: these explain their own "
        "clicks, and ranks seem to be looked at more alike than they are"
    ),
    _("%(n)s impressions have more clicks than the one that the model knows"),
    _("workers judged %(n)s of these documents, of %(queries)s queries; a calibration needs %(least)s of %(least_queries)s"),
    _("all %(n)s of these documents were given the grade %(grade)s"),
    _("nobody clicked any of the %(n)s documents that workers judged"),
    _("pairs of documents in the order of workers"),
    _("Kendall's τ_b (corrected for ties), mean of queries"),
    _("Spearman's ρ, mean of queries"),
    _("Cohen's κ of grades, linear weights"),
)
METRICS = tuple(metric.sentence for metric in DEFINITIONS)  # marked where they stand
UNITS = (
    _("percentage points"),
    _("searches"),
    _("sessions"),
    _("clicks"),
    _("1 / rank"),
    _("seconds"),
    _("events"),
    _("value"),
    _("share of votes"),
    _("Δ of interleaving"),
)
OF_RUNS = (
    _("as trec_eval 9 does it: scores compared as 32-bit floats; recall r reached at ⌊r·R + .9⌋ relevant documents"),
    _("as trec_eval 10 does it: scores compared as doubles; recall r reached at r·R relevant documents, rounded"),
    _("by the definitions: scores compared as doubles; recall r reached at ⌈r·R⌉ relevant documents"),
    _("with %(n)s topics intervals may be too narrow: %(needed)s are needed"),
    _("With %(n)s workers the interval may hold the truth somewhat less often than it says."),
    _("The interval is over other topics, not over other workers."),
)
OF_MEASURES = (*TITLES, *DEGENERATE, *PARAMETERS)
KNOWN = {*REASONS, *AGREEMENT, *OF_CLICKS, *METRICS, *UNITS, *OF_RUNS, *OF_MEASURES}
TEMPLATES = [text for text in KNOWN if "%(" in text]


def in_reader_language(text: str) -> str:
    """The text in the reader's language, or each of the texts that a semicolon joins; what nobody translated stays as it is.

    A phrase knows its template; of a text that is none, whichever known one fits is its template.

    >>> in_reader_language("nobody clicked any of the 30 documents that workers judged")
    'nobody clicked any of the 30 documents that workers judged'
    """
    if isinstance(text, Phrase):
        return worded(text)
    if (translated := translation(text)) is not None:
        return translated
    return "; ".join(translation(part) or part for part in text.split("; "))


def worded(phrase: str) -> str:
    """The phrase in the reader's language; a text that is none as it is."""
    if not isinstance(phrase, Phrase):
        return phrase
    values = {name: worded(value) for name, value in phrase.values.items()}
    if isinstance(phrase, Counted):
        return ngettext(phrase.template, phrase.many, phrase.number) % values
    return gettext(phrase.template) % values


def translation(text: str) -> str | None:
    if text in KNOWN:
        return gettext(text)
    for template in TEMPLATES:
        if blanks := re.fullmatch(pattern(template), text):
            return gettext(template) % blanks.groupdict()
    return None


@cache
def pattern(template: str) -> str:
    """
    >>> pattern("%(systems)s never lost")
    '(?P<systems>.+) never lost'
    """
    texts = re.split(r"%\((\w+)\)s", template)
    return "".join(f"(?P<{part}>.+)" if place % 2 else re.escape(part).replace("\\ ", " ") for place, part in enumerate(texts))


def sentence_of(metric: Definition) -> str:
    """What the metric is: of ctr@5 the sentence of ctr@k.

    >>> from ireval.behaviour import definition_of
    >>> sentence_of(definition_of("ctr@5"))
    'The share of searches with a click on one of the first 5 results.'
    """
    if "@" not in metric.name:
        return in_reader_language(metric.sentence)
    rank = f" {metric.argument} "
    return in_reader_language(metric.sentence.replace(rank, " k ")).replace(" k ", rank)


def choice_of(metric: Definition) -> str:
    return f"{metric.name}: {sentence_of(metric)}"


lazy_choice_of = lazy(choice_of, str)


def unit_of(metric: Definition) -> str:
    """What differences of the metric are in."""
    return in_reader_language("percentage points" if metric.measured_in == "share" else metric.measured_in)


def target_in_words(target: Target) -> str:
    """The difference that a study is planned to tell: behind "to tell", as `str(target)` has it."""
    values = {
        "difference": f"{target.difference:g}",
        "of": in_reader_language(target.of),
        "power": bare(target.power),
        "alpha": bare(target.alpha),
    }
    if target.comparisons > 1:
        text = gettext("a difference of %(difference)s in %(of)s with power %(power)s, α = %(alpha)s / %(comparisons)s")
        return text % {**values, "comparisons": f"{target.comparisons:,}"}
    return gettext("a difference of %(difference)s in %(of)s with power %(power)s, α = %(alpha)s") % values
