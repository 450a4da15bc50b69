"""Privacy towards those who do not see single records: nothing of fewer than K users, nor what would tell it."""

from collections.abc import Iterator, Sequence

from judging.access import sees_records
from judging.models import Site, User

K = 10


def may_be_shown(users: int, *, sees_records: bool) -> bool:
    """Whether what so many users did may be shown to a reader, who sees every record or does not."""
    return sees_records or users >= K


def may_be_counted(users: int, *, sees_records: bool) -> bool:
    """Whether a reader may be told that there are so many users: none is told, few are not."""
    return not users or may_be_shown(users, sees_records=sees_records)


def shown(users: int, site: Site, user: User) -> bool:
    """Whether what so many users did may be shown to that one."""
    return may_be_shown(users, sees_records=sees_records(user, site))


def hidden_cells(users: Sequence[int], *, k: int = K) -> list[bool]:
    """The cells of a row to hide where its total is shown: True for hidden.

    Hidden are the cells of fewer than `k` users, and the next smallest ones. The hidden cells are at least two and have `k` users
    together, since the total less the others tells what is missing. Cells of as many users are hidden from the left.

    >>> hidden_cells([40, 25, 3])
    [False, True, True]
    >>> hidden_cells([40, 9, 3])
    [False, True, True]
    >>> hidden_cells([40, 12])
    [False, False]
    """
    hidden = [count < k for count in users]
    left = sorted((count, place) for place, count in enumerate(users) if count >= k)
    while any(hidden) and left and not covers(users, hidden, k):
        hidden[left.pop(0)[1]] = True
    return hidden


def covers(users: Sequence[int], hidden: Sequence[bool], k: int) -> bool:
    together = [count for count, is_hidden in zip(users, hidden, strict=True) if is_hidden]
    return len(together) > 1 and sum(together) >= k


def hidden_table(users: Sequence[Sequence[int]], *, k: int = K) -> list[list[bool]]:
    """Which cells of a table are hidden where the totals of its rows and of its columns are shown.

    >>> hidden_table([[40, 3], [30, 20], [50, 60]])
    [[True, True], [True, True], [False, False]]
    """
    hidden = [[count < k for count in row] for row in users]
    while (cell := next(uncovered(users, hidden, k), None)) is not None:
        row, column = cell
        hidden[row][column] = True
    return hidden


def uncovered(users: Sequence[Sequence[int]], hidden: Sequence[Sequence[bool]], k: int) -> Iterator[tuple[int, int]]:
    """The cells that have to be hidden next, so that no total of a row or column tells a hidden one."""
    for line in lines_of(len(users), len(users[0]) if users else 0):
        counts, here = [users[row][column] for row, column in line], [hidden[row][column] for row, column in line]
        left = [(count, place) for place, count in enumerate(counts) if not here[place]]
        if any(here) and left and not covers(counts, here, k):
            yield line[min(left)[1]]


def lines_of(rows: int, columns: int) -> list[list[tuple[int, int]]]:
    """The places of every row and of every column."""
    across = [[(row, column) for column in range(columns)] for row in range(rows)]
    return [*across, *(list(down) for down in zip(*across, strict=True))]
