"""python -m metrics: evaluate runs, pool them, look measures up. Needs no Django and no database."""

import sys

from metrics.cli import main

sys.exit(main())
