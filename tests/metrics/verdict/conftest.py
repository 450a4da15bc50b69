"""The two systems and grades on both, made once for the tests of a module.

Each test asks of them, and has votes if it wants, by itself; a module whose tests may all find the same shares that, too:

    hypothesis, voted = map(sharing.once, (evidence.hypothesis, evidence.voted))
"""

from tests import conftest, sharing
from tests.metrics import conftest as reports
from tests.metrics.verdict import evidence

db = sharing.db
researcher, collection, make_worker = map(sharing.once, (conftest.researcher, conftest.collection, conftest.make_worker))
birds, systems, compute, computed = map(sharing.once, (evidence.birds, evidence.systems, reports.compute, evidence.computed))
hypothesis, voted = evidence.hypothesis, evidence.voted
