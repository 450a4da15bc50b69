"""What a page says of each question, so that tests see whether it says two things, or tells two readers different things.

Every statement on who is better carries its question and its answer (`data-decision`, `data-outcome`), also where it is a sign
in a table. What sentences say, and what their p and intervals say, must be that answer.
"""

import re
from html import unescape

from tests.conftest import examples

# Worlds for each test.
WORLDS = range(examples(75))
MARKED = re.compile(r'data-decision="([^"]*)"\s+data-outcome="([^"]*)"')
PREFERS = re.compile(r"(?:Workers|Users) prefer (\S+) to (\S+?)\.")
BETTER = re.compile(r"(\S+) is (better|worse) than (\S+?): (\S+) is (higher|lower)\.")
NONE = re.compile(r"No (?:preference|difference) between (\S+) and (\S+) was found")
TESTED = re.compile(r"% interval ([−+\d.]+) to ([−+\d.]+)( %)?(?: points)?, p ([=<]) ([\d.]+)")
FLIPPED = {"first": "second", "second": "first"}


def page_of(client, user, address):
    client.force_login(user)
    response = client.get(address)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", unescape(response.content.decode()))


def statements(page):
    """The outcomes that the page gives to each question, as seen from the name that comes first in the alphabet."""
    outcomes = {}
    for question, outcome in MARKED.findall(page):
        about, _, names = question.rpartition(": ")
        first, second, *rest = names.split(" ")
        swap = first > second
        key = (about, *sorted([first, second.rstrip(",")]), *rest)
        outcomes.setdefault(key, set()).add(FLIPPED.get(outcome, outcome) if swap else outcome)
    return outcomes


def expect_one_answer(page):
    """Return what the page says of each question, once nothing on it disagrees."""
    answers = statements(page)
    assert all(len(outcomes) == 1 for outcomes in answers.values()), answers
    text = re.sub(r"<[^>]+>", " ", re.sub(r"<(script|style).*?</\1>", "", page))
    decided = {key: next(iter(outcomes)) for key, outcomes in answers.items() if "secondary" not in key}
    for better, worse in PREFERS.findall(text):
        assert outcome_of(decided, better, worse) == "first"
    for arm, judged_so, control, metric, direction in BETTER.findall(text):
        assert outcome_of(decided, arm, control) == ("first" if direction == "higher" else "second")
        assert (judged_so == "better") == ((direction == "higher") != (metric == "abandonment"))
    for first, second in NONE.findall(text):
        assert outcome_of(decided, first, second) == "none"
    for low, high, share, sign, p in TESTED.findall(text):
        expect_agreement(low, high, 50 if share else 0, 0 if sign == "<" else float(p))
    return {key: next(iter(outcomes)) for key, outcomes in answers.items()}


def expect_agreement(low, high, null, p):
    """An interval leaves out the value of no difference where p is below .05, as far as rounding lets one see."""
    ends = [float(end.replace("−", "-")) for end in (low, high)]
    slack = 0.5 * 10.0 ** -len(low.partition(".")[2])
    if abs(p - 0.05) > 0.0001 and min(abs(end - null) for end in ends) > slack:
        assert (p < 0.05) == (not ends[0] <= null <= ends[1]), (low, high, p)


def outcome_of(decided, first, second):
    """The answer as seen from the first."""
    (outcome,) = {outcome for (_, *names), outcome in decided.items() if set(names[:2]) == {first, second}}
    return FLIPPED.get(outcome, outcome) if first > second else outcome


def expect_the_same_for_both(client, owner, reader, address):
    """Return what the owner is told, once the reader is told nothing else."""
    answers = expect_one_answer(page_of(client, owner, address))
    theirs = expect_one_answer(page_of(client, reader, address))
    assert answers
    assert {key: answers[key] for key in theirs} == theirs
    return answers
