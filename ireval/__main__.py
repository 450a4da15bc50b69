"""python -m ireval: the command `ireval`, which needs no Django and no database."""

import sys

from ireval.cli.main import main

sys.exit(main())
