"""Fifteen plain runs on the Cranfield collection: usual models of retrieval over three kinds of terms."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import Stemmer

from ireval.io.files import ProblemList
from judging.collections.parsers import read_documents, read_smart_qrels, read_topics

Terms = Callable[[str], list[str]]
DEPTH = 100


def cranfield(folder: Path) -> tuple[dict[str, pl.DataFrame], pl.DataFrame]:
    """The runs by name, and the qrels with grades 0 to 3; the paper that a question was taken from has grade 0."""
    documents = list(read_documents(folder / "cran.all.1400", problems=ProblemList("cran.all.1400")))
    topics = list(read_topics(folder / "cran.qry", problems=ProblemList("cran.qry")))
    judgements = list(read_smart_qrels(folder / "cranqrel", problems=ProblemList("cranqrel")))
    qrels = pl.DataFrame(
        [(each.topic, each.docno, max(each.grade, 0)) for each in judgements],
        schema={"topic": pl.String, "docno": pl.String, "grade": pl.Int32},
        orient="row",
    )
    docnos, numbers = [each.docno for each in documents], [each.number for each in topics]
    texts, titles = [f"{each.title} {each.text}" for each in documents], [each.title for each in documents]
    questions = [each.title for each in topics]
    runs = {}
    for kind, split in (("words", words), ("stems", stems), ("prefixes", prefixes)):
        counts, asked = matrices(texts, questions, split)
        for name, score in MODELS[kind].items():
            runs[f"{kind}-{name}"] = run_of(score(counts, asked), numbers, docnos)
    counts, asked = matrices(titles, questions, stems)
    runs["titles-bm25"] = run_of(bm25(1.2, 0.75)(counts, asked), numbers, docnos)
    return runs, qrels


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def stems(text: str) -> list[str]:
    return Stemmer.Stemmer("english").stemWords(words(text))


def prefixes(text: str) -> list[str]:
    return [word[:4] for word in words(text)]


def matrices(texts: list[str], questions: list[str], split: Terms) -> tuple[np.ndarray, np.ndarray]:
    """How often each term of the questions is in each text, and in each question."""
    asked = [Counter(split(question)) for question in questions]
    number = {term: place for place, term in enumerate(sorted(set().union(*asked)))}

    def table(counters: list[Counter[str]]) -> np.ndarray:
        counts = np.zeros((len(counters), len(number) + 1))
        for row, counter in enumerate(counters):
            for term, count in counter.items():
                counts[row, number.get(term, -1)] += count
        return counts

    questions_table = table(asked)
    questions_table[:, -1] = 0
    return table([Counter(split(text)) for text in texts]), questions_table


def bm25(k1: float, b: float) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    def score(counts: np.ndarray, asked: np.ndarray) -> np.ndarray:
        length = counts.sum(axis=1, keepdims=True)
        saturated = np.maximum(counts + k1 * (1 - b + b * length / length.mean()), 1e-9)
        weighed = counts * (k1 + 1) / saturated
        return asked @ (weighed * rarity(counts)).T

    return score


def rarity(counts: np.ndarray) -> np.ndarray:
    holding = (counts > 0).sum(axis=0)
    return np.log(1 + (len(counts) - holding + 0.5) / (holding + 0.5))


def dirichlet(mu: float) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    def score(counts: np.ndarray, asked: np.ndarray) -> np.ndarray:
        length, share = counts.sum(axis=1, keepdims=True), (counts.sum(axis=0) + 0.1) / counts.sum()
        return asked @ np.log((counts + mu * share) / (length + mu)).T

    return score


def jelinek_mercer(weight: float) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    def score(counts: np.ndarray, asked: np.ndarray) -> np.ndarray:
        length, share = np.maximum(counts.sum(axis=1, keepdims=True), 1), (counts.sum(axis=0) + 0.1) / counts.sum()
        return asked @ np.log((1 - weight) * counts / length + weight * share).T

    return score


def cosine(counts: np.ndarray, asked: np.ndarray) -> np.ndarray:
    weighed = np.log1p(counts) * rarity(counts)
    return asked @ (weighed / np.maximum(np.linalg.norm(weighed, axis=1, keepdims=True), 1e-9)).T


def coordination(counts: np.ndarray, asked: np.ndarray) -> np.ndarray:
    return (asked > 0) @ (counts > 0).T.astype(float)


MODELS = {
    "words": {"bm25": bm25(1.2, 0.75), "dirichlet": dirichlet(300), "cosine": cosine, "coordination": coordination},
    "stems": {
        "bm25": bm25(1.2, 0.75),
        "bm25-flat": bm25(0.9, 0.4),
        "bm25-steep": bm25(2, 1),
        "bm25-unscaled": bm25(0.5, 0),
        "dirichlet": dirichlet(300),
        "dirichlet-2000": dirichlet(2000),
        "jelinek-mercer": jelinek_mercer(0.1),
        "jelinek-mercer-0.7": jelinek_mercer(0.7),
        "cosine": cosine,
    },
    "prefixes": {"bm25": bm25(1.2, 0.75)},
}


def run_of(scores: np.ndarray, numbers: list[str], docnos: list[str]) -> pl.DataFrame:
    best = np.argsort(-scores, axis=1, kind="stable")[:, :DEPTH]
    columns = {
        "topic": np.repeat(numbers, DEPTH),
        "docno": np.array(docnos)[best.ravel()],
        "score": np.take_along_axis(scores, best, axis=1).ravel(),
    }
    return pl.DataFrame(columns)
