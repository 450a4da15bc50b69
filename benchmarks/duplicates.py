"""Time and memory that finding near-duplicates takes among 100,000 documents of 200 words, a tenth of them planted copies.

    python -m benchmarks.duplicates [--documents 100000] [--words 200] [--template 0]

Words are drawn as in natural text: the n-th most frequent with probability proportional to 1 / n. Each planted copy has one of
its words changed. `--template` puts the same opening of so many words before every document, as pages of one site have; that
makes copies harder to tell from the rest. The largest memory is that of the whole process, Python and its libraries included.
"""

import argparse
import resource
import time
from collections.abc import Iterator

import numpy as np

VOCABULARY = 50_000
SHARE_OF_COPIES = 0.1


def documents(size: int, words: int, template: int) -> Iterator[tuple[str, str]]:
    random = np.random.default_rng(1)
    vocabulary = np.array([f"word{number}" for number in range(VOCABULARY)])
    shares = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    opening = " ".join(random.choice(vocabulary, template))
    text: list[str] = []
    for number in range(size):
        if text and random.random() < SHARE_OF_COPIES:
            text = [*text]
            text[random.integers(len(text))] = "changed"
        else:
            text = vocabulary[np.searchsorted(shares, shares[-1] * random.random(words))].tolist()
        yield f"d{number}", f"{opening} {' '.join(text)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--words", type=int, default=200)
    parser.add_argument("--template", type=int, default=0)
    options = parser.parse_args()
    from ireval.duplicates import near_duplicates

    made = time.perf_counter()
    for _ in documents(options.documents, options.words, options.template):
        pass
    begun = time.perf_counter()
    groups = near_duplicates(documents(options.documents, options.words, options.template))
    seconds = time.perf_counter() - begun - (begun - made)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{options.documents:,} documents, {len(groups):,} of them in {groups['group'].n_unique():,} groups")
    print(f"{seconds:.1f} s without the time that making the documents takes, {memory:,.0f} MB at most")


if __name__ == "__main__":
    main()
