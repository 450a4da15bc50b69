"""The metric engine: run and qrels files in, numbers out. No Django: import it in a notebook and check us.

from metrics.engine import read_qrels, read_run
"""

from .evaluation import Evaluation, evaluate
from .files import BadFile, Problem
from .names import parse_measure, parse_measures
from .profiles import PROFILES
from .qrels import read_qrels, write_qrels
from .rankings import Qrels
from .registry import MEASURES, BadMeasure, Measure
from .runs import RunFacts, read_run, read_run_parquet, run_facts, write_run

# Part of the hash of every report: raised whenever a number may come out differently.
ENGINE_VERSION = "1"

__all__ = [
    "ENGINE_VERSION",
    "MEASURES",
    "PROFILES",
    "BadFile",
    "BadMeasure",
    "Evaluation",
    "Measure",
    "Problem",
    "Qrels",
    "RunFacts",
    "evaluate",
    "parse_measure",
    "parse_measures",
    "read_qrels",
    "read_run",
    "read_run_parquet",
    "run_facts",
    "write_qrels",
    "write_run",
]
