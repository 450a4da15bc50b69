"""Rankings of documents that are letters."""


def rankings(text: str) -> list[list[str]]:
    """
    >>> rankings("ab ba")
    [['a', 'b'], ['b', 'a']]
    """
    return [list(word) for word in text.split()]
