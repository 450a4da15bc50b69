"""Parquet files of experiments."""

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

from ireval.experiments.observations import BadExperiment
from ireval.io.files import BadFile
from ireval.io.tables import BYTES_A_ROW


def frame_in(path: Path, name: str, max_bytes: int, columns: Callable[[Sequence[str]], Sequence[str]]) -> pl.DataFrame:
    """The columns of a file that `columns` chooses from the names present.

    BadFile for a damaged file, more rows than a text of `max_bytes` could have, columns that hold lists, and a BadExperiment of
    `columns`.
    """
    try:
        scan = pl.scan_parquet(path, glob=False)
        schema = scan.collect_schema()
        chosen = columns(schema.names())
        if scan.select(pl.len()).collect().item() > max_bytes // BYTES_A_ROW:
            raise BadFile.because(name, f"holds more rows than {max_bytes:,} bytes, the largest file accepted, can hold")
        if nested := next((column for column in chosen if schema[column].is_nested()), None):
            raise BadFile.because(name, f"column {nested} is of type {schema[nested]}; expected text or numbers")
        return scan.select(chosen).collect()
    except pl.exceptions.PolarsError as error:
        raise BadFile.because(name, f"the Parquet file is damaged ({error})") from error
    except BadExperiment as error:
        raise BadFile.because(name, str(error)) from error
