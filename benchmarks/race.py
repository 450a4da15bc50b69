"""A race of many workers for the last slots of small studies, one study per seed: is overlap exact every time?

    python -m benchmarks.race [--postgres] [--seeds 50] [--workers 200]

Every worker comes by the invite link and judges until nothing is left; half of them with the script. After each study the
database must hold every acknowledged judgement once and every item exactly as often as ordered, or this fails.
"""

import argparse
import time

from benchmarks.judging import Outcome, by_pages, by_script, environment_for, judge_study, server

ITEMS, OVERLAP = 60, 3


def one_or_the_other(outcome: Outcome, port: int, join: str) -> None:
    way = by_script if len(outcome.browsers) % 2 else by_pages
    way(outcome, port, join)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--workers", type=int, default=200)
    options = parser.parse_args()
    start = time.perf_counter()
    with (
        environment_for(postgres=options.postgres) as environment,
        server("ireval_site.wsgi:application", environment, 8303) as port,
    ):
        for seed in range(options.seeds):
            judge_study(port, environment, ITEMS, OVERLAP, one_or_the_other, workers=options.workers, seed=seed)
            print(f"\rseed {seed + 1} of {options.seeds}", end="", flush=True)
    judgements, seconds = options.seeds * ITEMS * OVERLAP, time.perf_counter() - start
    print(f": {judgements:,} judgements by {options.workers} workers a study, overlap exact every time; {seconds:.0f} s")


if __name__ == "__main__":
    main()
