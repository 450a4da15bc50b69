"""The compact table of ids says what a dictionary would say."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ireval.io.first_lines import FirstLines


@settings(deadline=None)
@given(st.lists(st.text(max_size=2), max_size=300))
def test_it_agrees_with_a_dictionary(identifiers):
    seen = FirstLines(size=2)
    known: dict[str, int] = {}
    for line, identifier in enumerate(identifiers, start=1):
        assert seen.first_line(identifier, line) == known.get(identifier, 0)
        known.setdefault(identifier, line)


def test_it_takes_less_than_fifty_bytes_an_id():
    seen = FirstLines()
    for line in range(1, 100_001):
        assert not seen.first_line(f"document-{line}", line)
    assert (seen.hashes.itemsize + seen.lines.itemsize) * len(seen.hashes) < 50 * 100_000
