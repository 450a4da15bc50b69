"""The demo collection, built once, and MITRE's own spreadsheets of the same catalogue, which the demo does not read."""

import csv
import io
from importlib.resources import files

import pytest

from judging.demo import catalogue


@pytest.fixture(scope="session")
def demo() -> catalogue.DemoCollection:
    return catalogue.load()


def spreadsheet(name: str) -> dict[str, dict[str, str]]:
    csv.field_size_limit(2**24)
    text = (files("cwe2") / "database_v49" / name).read_text(encoding="utf-8")
    return {f"CWE-{row['CWE-ID']}": row for row in csv.DictReader(io.StringIO(text))}


@pytest.fixture(scope="session")
def research_concepts() -> dict[str, dict[str, str]]:
    """MITRE's view 1000, which holds every weakness that is not withdrawn; rows by docno."""
    return spreadsheet("navigate_cwe/1000.csv")


@pytest.fixture(scope="session")
def owasp_top_ten() -> dict[str, dict[str, str]]:
    """The weaknesses of MITRE's view 1344 (OWASP's Top Ten of 2021), its categories flattened away; rows by docno."""
    return spreadsheet("external_mappings/1344.csv")
