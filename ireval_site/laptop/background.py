"""Celery, or its beat: `python -m ireval_site.laptop.background worker --concurrency 2`, or `… beat`.

The same as `celery worker` and `celery beat` without their command line, which takes 7 MB and a tenth of a second.
"""

import argparse
import sys

from ireval_site import celery_app


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m ireval_site.laptop.background", description=__doc__)
    services = parser.add_subparsers(dest="service", required=True)
    services.add_parser("beat", help="say when it is time to sweep")
    services.add_parser("worker", help="do what waits").add_argument("--concurrency", type=int, required=True)
    options = parser.parse_args(arguments)
    return beat() if options.service == "beat" else work(options.concurrency)


def beat() -> int:
    celery_app.Beat(loglevel="WARNING", quiet=True).run()
    return 0


def work(concurrency: int) -> int:
    alone = {"without_gossip": True, "without_mingle": True}  # there are no others to talk to
    worker = celery_app.Worker(concurrency=concurrency, loglevel="WARNING", quiet=True, **alone)
    worker.start()
    return worker.exitcode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
