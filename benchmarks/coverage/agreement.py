"""How often 95 % intervals of agreement hold the value of all topics, by how many topics there are.
Each simulated study draws topics, their documents, and the grades that three workers give these on a scale of four. Topics differ
in how hard they are and how many of their documents are relevant. "Even" topics have 20 documents each. "Uneven" ones have
from 2 on, 20 on average, of which few are relevant. The value of all topics is the mean of ten times 20,000. Beside the interval
over topics stands the one over items, which takes documents of a topic for independent.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.coverage import Row, holds, row
from ireval.agreement import Agreement, Resampling, cohen_kappa, fleiss_kappa, krippendorff_alpha, mean_cohen_kappa
from ireval.labels import Labels

TOPICS = (10, 20, 30, 50, 100, 200)
MANY_TOPICS = 20_000
DOCUMENTS = 20
GRADES = 4
NOISE = np.array([0.6, 0.8, 1.0])  # of each worker
RELEVANT = {"even": np.array([4, 2, 1.5, 1]), "uneven": np.array([8, 1, 0.7, 0.4])}
ONCE = Resampling(resamples=1)
ERRORS = 200  # resamples of the mean over pairs, which takes their standard error alone
SHOWN_BY_ITEM = "α, ordinal"
BY_ITEM = f"{SHOWN_BY_ITEM}, over items"

COEFFICIENTS: dict[str, Callable[[Labels, Resampling], Agreement]] = {
    "α, ordinal": lambda labels, resampling: krippendorff_alpha(labels, "ordinal", resampling),
    "α, nominal": lambda labels, resampling: krippendorff_alpha(labels, "nominal", resampling),
    "Fleiss' κ": fleiss_kappa,
    "Cohen's κ": lambda labels, resampling: cohen_kappa(of_two(labels), resampling=resampling),
    "Cohen's κ, mean": lambda labels, resampling: mean_cohen_kappa(
        labels, resampling=replace(resampling, resamples=min(resampling.resamples, ERRORS))
    ),
}


def rows(repetitions: int, data: Path) -> Iterator[Row]:
    """Yield one row per world, number of topics and coefficient; nothing is read from `data`."""
    for world in RELEVANT:
        truths = {name: truth_of(world, name) for name in COEFFICIENTS}
        for topics in TOPICS:
            yield from coverage(world, topics, repetitions, truths)


def truth_of(world: str, name: str, times: int = 10) -> float:
    many = (simulated(np.random.default_rng(seed), MANY_TOPICS, world) for seed in range(times))
    return float(np.mean([COEFFICIENTS[name](labels, ONCE).value for labels in many]))


def coverage(world: str, topics: int, studies: int, truths: dict[str, float]) -> Iterator[Row]:
    rng = np.random.default_rng(topics)
    held: dict[str, list[float]] = {name: [] for name in (*COEFFICIENTS, BY_ITEM)}
    for study in range(studies):
        labels, resampling = simulated(rng, topics, world), Resampling(seed=study)
        for name, coefficient in COEFFICIENTS.items():
            held[name].append(holds_truth(coefficient(labels, resampling), truths[name]))
        by_item = COEFFICIENTS[SHOWN_BY_ITEM](replace(labels, topic=None), resampling)
        held[BY_ITEM].append(holds_truth(by_item, truths[SHOWN_BY_ITEM]))
    for name, studies_held in held.items():
        yield row(f"agreement: {name}", f"{world} topics", f"{topics} topics", studies_held)


def holds_truth(agreement: Agreement, truth: float) -> float:
    return holds(agreement.low, truth, agreement.high)


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
