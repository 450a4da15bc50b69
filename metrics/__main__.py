"""python -m metrics: evaluate runs, compare and correlate them, plan for topics, pool, look measures up. Needs no Django and no
database."""

import sys

from metrics.cli import main

sys.exit(main())
