"""A mark for sentences that the application's pages show in their reader's language. The library itself speaks English."""


def gettext_noop(sentence: str) -> str:
    """The sentence as it is: whoever gathers what is to be translated looks for calls of this name."""
    return sentence
