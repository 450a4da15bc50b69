"""python -m ireval: evaluate runs, compare and correlate them, plan for topics, pool, look measures up. Needs no Django and no
database."""

import sys

from ireval.cli.main import main

sys.exit(main())
