"""A soak of kills: processes are killed at random moments under load. Is anything acknowledged lost, or there twice?

    python -m benchmarks.faults --kills 200                  on a laptop, then as a team
    python -m benchmarks.faults --kills 200 --way team

Workers judge over HTTP and repeat what was not acknowledged, as the judge page does. Sites send batches of events, a researcher
uploads files in pieces, asks for reports and for near-duplicates. One process at a time, each kind once and then drawn by lot,
gets SIGKILL at a random moment: web server, Celery, broker, for a team also its beat and PostgreSQL. After each, a judgement and
events are sent and a report is asked for: how long until they are acknowledged, and until it is there? Every fifty kills a task
is posted that kills whoever runs it.

At the end each acknowledged judgement, event, document and report must be there once, overlap exact, and nothing given up but
those tasks.
Prints tables in Markdown, the last one of both ways; ends with exit code 1 where anything is wrong.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.faults.soak import Soak

WAYS = ("laptop", "team")
TABLE = [
    "| | kills | judgements | events | uploads | reports | lost | doubled | longest silence |",
    "|---|---|---|---|---|---|---|---|---|",
]
PROMISED = 15.0  # seconds until everything works again


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", choices=WAYS, action="append", help="one of both")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="PATTERN", help="kill only these, such as 'celery|broker'")
    options = parser.parse_args()
    outcomes, problems = [], []
    for way in options.way or WAYS:
        with tempfile.TemporaryDirectory() as folder:
            soak = Soak(way, options.kills, options.seed, Path(folder), only=options.only)
            problems += [f"{way}: {problem}" for problem in soak.run()]
        outcomes.append(soak.outcome)
        if soak.kills.longest > PROMISED:
            problems.append(
                f"{way}: working again only after {soak.kills.longest:.1f} s: {PROMISED:g} are promised where nothing else runs."
            )
    print("\n".join([*TABLE, *outcomes]), end="\n\n")
    print("\n".join(problems) or "Nothing lost, nothing doubled.")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
