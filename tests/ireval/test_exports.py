"""What a notebook gets by `from ireval import …`: each thing says what it takes, what comes out and what happens at the
edges, and its examples are true."""

import ast
import builtins
import doctest
import inspect
import subprocess
import sys
import typing
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ireval
from ireval.curves import curves
from ireval.planning import topics
from ireval.significance import TESTS

THINGS = {name: getattr(ireval, name) for name in ireval.__all__ if callable(getattr(ireval, name))}
FUNCTIONS = {name: thing for name, thing in THINGS.items() if inspect.isfunction(thing)}
CLASSES = {name: thing for name, thing in THINGS.items() if inspect.isclass(thing)}
# An example of these would be an example of files.
OF_FILES = ("read_", "write_", "scan_")


def said_of(thing) -> str:
    """By itself, and by the module for all that it holds."""
    return f"{inspect.getdoc(thing)} {sys.modules[thing.__module__].__doc__}"


def gives_numbers(function) -> bool:
    hint = typing.get_type_hints(function).get("return")
    parts = [hint, *typing.get_args(hint)]
    return any(part in (float, ireval.Interval, ireval.Correlation) or typing.get_origin(part) is np.ndarray for part in parts)


def takes(function, *names: str) -> bool:
    return any(name in inspect.signature(function).parameters for name in names)


def test_every_refusal_is_a_bad_input():
    """So that a notebook or a page catches all of them in one way. A missing package and argparse have errors of their own, and
    so has a name that `ireval` does not have."""
    allowed = {"ImportError", "EOFError", "NotImplementedError", "RuntimeError"}
    builtin = {name for name, thing in vars(builtins).items() if inspect.isclass(thing) and issubclass(thing, BaseException)}
    raised = {
        f"{path.name}:{node.lineno}: {ast.unparse(node)}"
        for path in Path(ireval.__path__[0]).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if path != Path(ireval.__file__)
        and isinstance(node, ast.Raise)
        and getattr(getattr(node.exc, "func", node.exc), "id", "") in builtin - allowed
    }
    assert not raised


def test_names_are_there_once():
    assert len(set(ireval.__all__)) == len(ireval.__all__) == len([name for name in ireval.__all__ if hasattr(ireval, name)])


def test_rooms_are_imported_when_they_are_asked_for():
    """And what they know of measures is known from the start."""
    script = """
import sys, ireval
rooms = {name.split(".")[1] for name in sys.modules if name.startswith("ireval.")}
assert not rooms & {"cli", "clicks", "experiments", "interleaving", "pooling", "preferences", "verdict"}, rooms
assert {"pool", "pooling"} <= set(dir(ireval)) and not hasattr(ireval, "pol")
assert "alpha_nDCG" in ireval.MEASURES and ireval.pool is ireval.pooling.pool
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("module", [curves, topics])
def test_nothing_public_is_forgotten(module):
    helpers = {
        "as_pairs",
        "check",
        "check_errors",
        "gain_curve",
        "counted_topics",
        "names",
        "by_rank",
        "share_of",
        "mean_over_topics",
    }
    here = {name for name, thing in vars(module).items() if inspect.isroutine(thing) and thing.__module__ == module.__name__}
    assert here - helpers <= FUNCTIONS.keys()


@pytest.mark.parametrize("name", CLASSES)
def test_classes_say_what_they_hold(name):
    written = inspect.getdoc(CLASSES[name]) or ""
    assert written and not written.startswith((f"{name}(", "alias for")), "Python's own docstring says nothing"
    parts = {part: getattr(thing, "fget", None) or getattr(thing, "func", thing) for part, thing in vars(CLASSES[name]).items()}
    mute = [part for part, thing in parts.items() if inspect.isfunction(thing) and not thing.__doc__ and part[0] != "_"]
    assert not mute, f"{mute} have no docstring"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_say_what_they_do(name):
    examples = doctest.DocTestFinder().find(FUNCTIONS[name], name, globs={})[0].examples
    assert (inspect.getdoc(FUNCTIONS[name]) or ">>>").partition(">>>")[0].strip(), "it has an example and no word"
    assert examples or name.startswith(OF_FILES) or name == "evaluate_file"


@pytest.mark.parametrize("name", [name for name, function in FUNCTIONS.items() if gives_numbers(function)])
def test_functions_that_give_numbers_say_what_happens_at_the_edges(name):
    assert any(word in said_of(FUNCTIONS[name]) for word in ("NaN", "BadInput", "BadLabels", "is 0 throughout"))


@pytest.mark.parametrize("name", [n for n, function in FUNCTIONS.items() if takes(function, "differences", "rankings", "cutoff")])
def test_functions_of_arrays_say_their_shapes(name):
    shapes = ("(topics, pairs)", "(T, K)", "for each of its intents", "one row per topic")
    assert any(shape in said_of(FUNCTIONS[name]) for shape in shapes)


@pytest.mark.parametrize("name", THINGS)
def test_examples_are_true(name):
    thing = THINGS[name]
    runner = doctest.DocTestRunner()
    for examples in doctest.DocTestFinder().find(thing, name, globs=dict(vars(sys.modules[thing.__module__]))):
        runner.run(examples)
    assert runner.summarize(verbose=False).failed == 0


def test_a_notebook_needs_nothing_else():
    """From two runs to p, g, the topics that the next comparison needs, and how alike they rank."""
    qrels = pl.DataFrame({"topic": list("123"), "docno": ["a"] * 3, "grade": [1, 1, 2]})
    names = [("1", "a", 2.0), ("1", "b", 1.0), ("2", "b", 2.0), ("2", "a", 1.0), ("3", "a", 1.0)]
    first = pl.DataFrame(names, schema=["topic", "docno", "score"], orient="row")
    second = first.filter(pl.col("docno") == "b").vstack(first.filter(pl.col("docno") == "a").with_columns(score=0.5))
    evaluations = {name: ireval.evaluate(run, qrels, "RR") for name, run in (("first", first), ("second", second))}
    scores = ireval.scores_of(evaluations, ireval.parse_measure("RR"))
    for test in TESTS:
        comparison = ireval.compare(scores, test, rules=ireval.Rules(seed=1))
        assert comparison.difference.tolist() == pytest.approx([0.5 / 3])
    differences = scores.values[:, 0] - scores.values[:, 1]
    assert ireval.paired_t(differences) == pytest.approx(ireval.compare(scores).p[0])
    assert ireval.topics_needed(differences.mean(), differences.std(ddof=1)) > 3
    assert ireval.roc(ireval.rankings_of(first, qrels), cutoff=2).tpr.shape == (3, 2)
