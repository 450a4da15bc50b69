"""The birds and reports on them, made once for the tests of a module."""

from tests import conftest, sharing
from tests.metrics import conftest as reports

db = sharing.db
researcher, collection, runs = map(sharing.once, (conftest.researcher, conftest.collection, conftest.runs))
qrels, ask, compute = map(sharing.once, (reports.qrels, reports.ask, reports.compute))
report, many = map(sharing.on_request, (reports.report, reports.many))
