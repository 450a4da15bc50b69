"""Problems of one kind are said once, with their number and the first lines."""

from ireval.io.files import Problem
from ireval.io.problem_kinds import alike


def test_a_hundred_equal_problems_are_one():
    problems = [Problem("qrels", line, "expected 4 columns (topic iteration docno grade), found 3") for line in range(1, 101)]
    (kind,) = alike(problems)
    assert (kind.count, kind.lines, kind.places) == (100, (1, 2, 3, 4, 5), "1, 2, 3, 4, 5, …")
    assert kind.message == problems[0].message


def test_problems_that_differ_in_ids_and_values_are_of_one_kind():
    problems = [Problem("r", n, f'document d{n} of topic {n}: score is "x{n}"; expected a number') for n in range(1, 6)]
    assert [kind.count for kind in alike(problems)] == [5]


def test_a_few_are_said_one_by_one_and_other_kinds_keep_their_place():
    problems = [Problem("r", n, f"found {n}") for n in (1, 5, 9)] + [Problem("r", 2, "not UTF-8"), Problem("r", 0, "one array")]
    assert [(kind.lines, kind.count) for kind in alike(problems)] == [((0,), 1), ((1,), 1), ((2,), 1), ((5,), 1), ((9,), 1)]
    assert alike([]) == []


def test_problems_of_two_files_stay_apart():
    assert [kind.file for kind in alike([Problem(f, n, "bad") for f in "ab" for n in range(9)])] == ["a", "a", "b", "b"]
