"""What metrics are, in the reader's language."""

from django.utils.functional import lazy
from django.utils.translation import gettext

from ireval.behaviour import Definition


def sentence_of(definition: Definition) -> str:
    """The metric's sentence; the catalogue has that of ctr@k, whatever the k.

    >>> from ireval.behaviour import definition_of
    >>> sentence_of(definition_of("ctr@5")), sentence_of(definition_of("ctr"))
    ('The share of searches with a click on one of the first 5 results.', 'The share of searches with a click.')
    """
    if "@" not in definition.name:
        return gettext(definition.sentence)
    rank = f" {definition.argument} "
    return gettext(definition.sentence.replace(rank, " k ")).replace(" k ", rank)


def choice_of(definition: Definition) -> str:
    return f"{definition.name}: {sentence_of(definition)}"


spoken = lazy(choice_of, str)
