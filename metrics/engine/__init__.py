"""The metric engine: run and qrels files in, numbers out. No Django: import it in a notebook and check us.

from metrics.engine import read_qrels, read_run
"""

from .evaluation import Evaluation, evaluate
from .files import BadFile, Problem
from .intervals import Interval, bootstrap_interval, mean_interval
from .names import parse_measure, parse_measures
from .pooling import pool
from .profiles import DEFAULT_PROFILE, PROFILES
from .qrels import read_qrels, write_qrels
from .rankings import Qrels
from .registry import MEASURES, BadMeasure, Measure
from .runs import RunFacts, read_run, read_run_parquet, run_facts, scan_run, write_run

# Part of the hash of every report: raised whenever a number may come out differently.
ENGINE_VERSION = "2"

__all__ = [
    "DEFAULT_PROFILE",
    "ENGINE_VERSION",
    "MEASURES",
    "PROFILES",
    "BadFile",
    "BadMeasure",
    "Evaluation",
    "Interval",
    "Measure",
    "Problem",
    "Qrels",
    "RunFacts",
    "bootstrap_interval",
    "evaluate",
    "mean_interval",
    "parse_measure",
    "parse_measures",
    "pool",
    "read_qrels",
    "read_run",
    "read_run_parquet",
    "run_facts",
    "scan_run",
    "write_qrels",
    "write_run",
]
