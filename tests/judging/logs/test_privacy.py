"""Readers are shown nothing of fewer than ten users, nor what would tell it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.logs.privacy import K, hidden_cells, hidden_table, shown

counts = st.integers(0, 40)
tables = st.integers(1, 4).flatmap(lambda wide: st.lists(st.lists(counts, min_size=wide, max_size=wide), min_size=1, max_size=4))


def test_so_many_are_many():
    """Pages and the documentation write it out."""
    assert K == 10


@pytest.mark.django_db
def test_owners_and_admins_see_small_groups_and_readers_do_not(site, researcher, stranger, admin):
    site.readers.add(stranger)
    assert [shown(K - 1, site, user) for user in (researcher, admin, stranger)] == [True, True, False]
    assert shown(K, site, stranger)


@pytest.mark.parametrize(
    ("users", "hidden"),
    [
        ([], []),
        ([10, 10], [False, False]),
        ([9], [True]),
        ([40, 25, 3], [False, True, True]),
        ([40, 12, 3, 0], [False, True, True, True]),  # 3 and 0 together are still three users
        ([40, 6, 5], [False, True, True]),
        ([12, 12, 9], [True, False, True]),
    ],
)
def test_cells_are_hidden_with_as_many_others_as_keep_them_hidden(users, hidden):
    assert hidden_cells(users) == hidden


@given(st.lists(counts, max_size=6))
def test_no_total_tells_a_hidden_cell(users):
    hidden = hidden_cells(users)
    missing = [count for count, is_hidden in zip(users, hidden, strict=True) if is_hidden]
    assert all(is_hidden for count, is_hidden in zip(users, hidden, strict=True) if count < K)
    assert not missing or all(hidden) or (len(missing) > 1 and sum(missing) >= K)


@given(tables)
def test_no_total_of_a_row_or_column_tells_a_hidden_cell(users):
    hidden = hidden_table(users)
    lines = [*zip(users, hidden, strict=True), *zip(zip(*users, strict=True), zip(*hidden, strict=True), strict=True)]
    for line, marks in lines:
        missing = [count for count, is_hidden in zip(line, marks, strict=True) if is_hidden]
        assert all(is_hidden for count, is_hidden in zip(line, marks, strict=True) if count < K)
        assert not missing or all(marks) or (len(missing) > 1 and sum(missing) >= K)
