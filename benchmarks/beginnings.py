"""Newcomers who finish what others left: how many topics that makes complete, and what it costs to find such a topic.

    python -m benchmarks.beginnings [--postgres]

Workers who give 5 judgements each, some at once, judge a third of 60 topics of 20 documents. Counted are the topics that have a
judgement of every document, without a gap in the order in which they were begun: those by which a study may end. The cost is that
of one look, once a newcomer, in a study of 200,000 slots, half of which are judged.
"""

import argparse
import os
from statistics import mean

from benchmarks.judging import environment_for

TOPICS, DOCUMENTS, STUDIES = 60, 20, 5
SHAPES = ((50, 4000), (1000, 200), (10_000, 20))
BUSY = 10  # topics in which somebody is at work


def show_effect() -> None:
    from benchmarks.short_visits import anywhere, finished, launched, owner
    from judging.recruiting.invites import join

    print(f"complete topics, {TOPICS // 3} at most\n\n| at once | begin anywhere | finish what others left |\n|---|---|---|")
    for at_once in (1, 4, 8, 16):
        means = []
        for let_in in (anywhere, join):
            studies = [launched(owner(), TOPICS, DOCUMENTS) for _ in range(STUDIES)]
            means.append(mean(finished(study, let_in, judgements=TOPICS * DOCUMENTS // 3, at_once=at_once) for study in studies))
        print(f"| {at_once} | {means[0]:.1f} | {means[1]:.1f} |", flush=True)


def show_cost() -> None:
    from benchmarks.short_visits import half_judged, launched, milliseconds, owner

    print("\n| topics × documents | left | found | median ms | 99 % ms |\n|---|---|---|---|---|")
    for topics, documents in SHAPES:
        for left in (BUSY, 0):
            study = launched(owner(), topics, documents)
            half_judged(study, left=left, busy=BUSY)
            median, most, found = milliseconds(study)
            print(f"| {topics:,} × {documents:,} | {left} | {found:.0%} | {median:.1f} | {most:.1f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgres", action="store_true")
    options = parser.parse_args()
    with environment_for(postgres=options.postgres) as environment:
        os.environ.update(environment)
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connections

        call_command("migrate", verbosity=0)
        show_effect()
        show_cost()
        connections.close_all()


if __name__ == "__main__":
    main()
