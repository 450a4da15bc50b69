"""`ireval measures`: what can be measured."""

import argparse

from ireval.cli.output import catalogue


def add_measures(command: argparse.ArgumentParser) -> None:
    command.add_argument("--format", choices=("table", "json"), default="table")
    command.set_defaults(command=list_measures)


def list_measures(options: argparse.Namespace) -> None:
    """List the catalogue of measures: names, what they take, formula and source."""
    print(catalogue(options.format))
