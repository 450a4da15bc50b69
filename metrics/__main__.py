"""python -m metrics: evaluate runs, compare and correlate them, pool them, look measures up. Needs no Django and no database."""

import sys

from metrics.cli import main

sys.exit(main())
