"""How often 95 % intervals of agreement hold the value of all topics, by how many topics there are.

    python -m benchmarks.agreement_coverage [--studies 2000] [--topics 10 20 30 50 100 200]

Each simulated study draws topics, their documents, and the grades that three workers give these on a scale of four. Topics differ
in how hard they are and how many of their documents are relevant. "Even" topics have 20 documents each. "Uneven" ones have
from 2 on, 20 on average, of which few are relevant. The value of all topics is the mean of ten times 20,000. Beside the interval
over topics stands the one over items, which takes documents of a topic for independent.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ireval.agreement import Agreement, Resampling, cohen_kappa, fleiss_kappa, krippendorff_alpha, mean_cohen_kappa
from ireval.labels import Labels

TOPICS = (10, 20, 30, 50, 100, 200)
STUDIES = 2000
MANY_TOPICS = 20_000
DOCUMENTS = 20
GRADES = 4
NOISE = np.array([0.6, 0.8, 1.0])  # of each worker
RELEVANT = {"even": np.array([4, 2, 1.5, 1]), "uneven": np.array([8, 1, 0.7, 0.4])}
ONCE = Resampling(resamples=1)
ERRORS = 200  # resamples of the mean over pairs, which takes their standard error alone
SHOWN_BY_ITEM = "α, ordinal"

COEFFICIENTS: dict[str, Callable[[Labels, Resampling], Agreement]] = {
    "α, ordinal": lambda labels, how: krippendorff_alpha(labels, "ordinal", how),
    "α, nominal": lambda labels, how: krippendorff_alpha(labels, "nominal", how),
    "Fleiss' κ": fleiss_kappa,
    "Cohen's κ": lambda labels, how: cohen_kappa(of_two(labels), how=how),
    "Cohen's κ, mean": lambda labels, how: mean_cohen_kappa(labels, how=replace(how, resamples=min(how.resamples, ERRORS))),
}


class Coverage(NamedTuple):
    """The share of `studies` whose interval held the value of all topics, `over_topics` and `over_items` (None: not counted)."""

    world: str
    coefficient: str
    topics: int
    studies: int
    over_topics: float
    over_items: float | None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=STUDIES)
    parser.add_argument("--topics", type=int, nargs="+", default=TOPICS)
    options = parser.parse_args()
    print("| world | coefficient | topics | over topics | over items |\n|---|---|---|---|---|")
    for row in rows(options.studies, options.topics):
        items = "" if row.over_items is None else f"{row.over_items:.3f}"
        print(f"| {row.world} | {row.coefficient} | {row.topics} | {row.over_topics:.3f} | {items} |", flush=True)


def rows(studies: int = STUDIES, topics: Sequence[int] = TOPICS) -> Iterator[Coverage]:
    """Yield one row per world, number of topics and coefficient."""
    for world in RELEVANT:
        truths = {name: truth_of(world, name) for name in COEFFICIENTS}
        for number in topics:
            yield from coverage(world, number, studies, truths)


def truth_of(world: str, name: str, times: int = 10) -> float:
    many = (simulated(np.random.default_rng(seed), MANY_TOPICS, world) for seed in range(times))
    return float(np.mean([COEFFICIENTS[name](labels, ONCE).value for labels in many]))


def coverage(world: str, topics: int, studies: int, truths: dict[str, float]) -> Iterator[Coverage]:
    rng, held, by_item = np.random.default_rng(topics), dict.fromkeys(COEFFICIENTS, 0), 0
    for study in range(studies):
        labels, how = simulated(rng, topics, world), Resampling(seed=study)
        for name, coefficient in COEFFICIENTS.items():
            held[name] += holds(coefficient(labels, how), truths[name])
        by_item += holds(COEFFICIENTS[SHOWN_BY_ITEM](replace(labels, topic=None), how), truths[SHOWN_BY_ITEM])
    for name, count in held.items():
        yield Coverage(world, name, topics, studies, count / studies, by_item / studies if name == SHOWN_BY_ITEM else None)


def holds(agreement: Agreement, truth: float) -> bool:
    return agreement.low <= truth <= agreement.high


def simulated(rng: np.random.Generator, topics: int, world: str) -> Labels:
    """A study of so many topics, whose every document has a label of each worker."""
    sizes = np.full(topics, DOCUMENTS) if world == "even" else 1 + rng.geometric(1 / (DOCUMENTS - 1), topics)
    topic = np.repeat(np.arange(topics), sizes)
    shares, hardness = rng.dirichlet(RELEVANT[world], topics), np.exp(rng.normal(0, 0.5, topics))
    truth = (rng.random((len(topic), 1)) > np.cumsum(shares[topic], axis=1)[:, :-1]).sum(axis=1)
    seen = truth[:, None] + hardness[topic][:, None] * NOISE * rng.normal(size=(len(topic), len(NOISE)))
    return labelled(np.clip(np.rint(seen), 0, GRADES - 1).astype(np.int64), topic)


def labelled(grades: np.ndarray, topic: np.ndarray) -> Labels:
    items, workers = grades.shape
    item, worker = np.divmod(np.arange(grades.size), workers)
    names = tuple(map(str, range(items))), tuple(map(str, range(workers))), tuple(map(str, range(GRADES)))
    return Labels(item, worker, grades.ravel(), *names, ordered=True, topic=topic)


def of_two(labels: Labels) -> Labels:
    """The labels of the first two workers."""
    kept = labels.worker < 2
    parts = {name: getattr(labels, name)[kept] for name in ("item", "worker", "label")}
    return replace(labels, **parts, workers=labels.workers[:2])


if __name__ == "__main__":
    main()
