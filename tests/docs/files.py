"""One of each file that the documentation names, small and of the form that it describes."""

import gzip
import json
import lzma
import shutil
from collections.abc import Iterator
from pathlib import Path

import polars as pl

TOPICS = ["51", *map(str, range(1, 12))]


def write_all(folder: Path) -> None:
    write_runs(folder)
    write_qrels(folder)
    write_labels(folder)
    write_experiments(folder)
    write_logs(folder)
    texts = [f"The barn owl nests in church towers and in old barns {number // 2} times" for number in range(6)]
    lines = [json.dumps({"_id": f"d{number}", "title": "", "text": text}) for number, text in enumerate(texts)]
    write(folder / "corpus.jsonl", lines)


def write(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_runs(folder: Path) -> None:
    (folder / "runs").mkdir()
    for step, name in enumerate("abc", start=1):
        results = [(topic, (place * step + int(topic)) % 11, 20 - place) for topic in TOPICS for place in range(6)]
        first = {(topic, document): f"{topic} Q0 d{document} 0 {score} {name}" for topic, document, score in reversed(results)}
        write(folder / f"{name}.run", list(first.values()))
        shutil.copy(folder / f"{name}.run", folder / "runs")
        (folder / "runs" / f"{name}.xz").write_bytes(lzma.compress((folder / f"{name}.run").read_bytes()))
    shutil.copy(folder / "a.run", folder / "run.txt")
    titles = {topic: f"owls of the kind {topic}" for topic in TOPICS}
    write(folder / "queries.csv", ["number,title", *(f"{topic},{title}" for topic, title in titles.items())])
    tags = [f"<topic number='{topic}'><query>{title}</query></topic>" for topic, title in titles.items()]
    write(folder / "topics.xml", ["<topics>", *tags, "</topics>"])
    write(folder / "site-a.csv", ["topic,rank,title,system", *(f"{topic},1,Barn owls,A" for topic in TOPICS)])
    write(folder / "site-b.jsonl", [json.dumps({"topic": topic, "rank": 1, "title": "Owls", "system": "B"}) for topic in TOPICS])
    (folder / "run.txt.gz").write_bytes(gzip.compress((folder / "a.run").read_bytes()))


def read_run(path: Path) -> pl.DataFrame:
    rows = [line.split() for line in path.read_text().splitlines()]
    return pl.DataFrame([(row[0], row[2], float(row[4])) for row in rows], schema=["topic", "docno", "score"], orient="row")


def grades() -> list[tuple[str, str, int]]:
    return [(topic, f"d{number}", (number + int(topic)) % 3) for topic in TOPICS for number in range(8)]


def write_qrels(folder: Path) -> None:
    for name in ("qrels.txt", "q.txt"):
        write(folder / name, [f"{topic} 0 {docno} {grade}" for topic, docno, grade in grades()])
    subtopics = [f"{topic} {part} {docno} {min(grade, 1)}" for topic, docno, grade in grades() for part in (1, 2)]
    write(folder / "qrels.diversity.txt", subtopics)
    write(
        folder / "scores.csv",
        ["topic,bm25,dense", *(f"{topic},0.{int(topic) % 7 + 1},0.{int(topic) % 5 + 2}" for topic in TOPICS)],
    )
    write(folder / "ap.csv", ["system,score", "a,0.3", "b,0.2", "c,0.25"])
    write(folder / "ndcg.csv", ["system,score", "a,0.5", "b,0.6", "c,0.4"])


def write_labels(folder: Path) -> None:
    labels = [
        (topic, docno, worker, (grade + (docno == f"d{worker}")) % 3) for topic, docno, grade in grades() for worker in range(3)
    ]
    write(
        folder / "labels.csv",
        ["topic,docno,worker,label", *(f"{topic},{docno},w{who},{label}" for topic, docno, who, label in labels)],
    )
    write(
        folder / "gold.csv",
        ["topic,docno,label", *(f"{topic},{docno},{grade}" for topic, docno, grade in grades() if docno == "d1")],
    )
    sides, winners = ("bm25,dense", "dense,bm25"), ("left", "right", "tie")
    votes = [f"q{topic},{sides[topic % 2]},{winners[(topic + who) % 3]},w{who}" for topic in range(12) for who in range(3)]
    write(folder / "votes.csv", ["item,left,right,winner,worker", *votes])


def write_experiments(folder: Path) -> None:
    users = [(f"u{number}", "old" if number % 10 else "new", number % 4, number % 3 + 1) for number in range(400)]
    experiment = pl.DataFrame(users, schema=["unit", "arm", "clicks", "clicks__per"], orient="row")
    for name in ("ab", "first", "second"):
        experiment.write_csv(folder / f"{name}.csv")
    experiment.write_parquet(folder / "ab.parquet")
    experiment.with_columns(test=pl.format("t{}", pl.int_range(pl.len()) // 200)).write_csv(folder / "headlines.csv")
    credit = [f"u{number % 40},q{number % 35},{number % 2},{number % 3 % 2}" for number in range(200)]
    write(folder / "credit.csv", ["user,query,a,b", *credit])


def write_logs(folder: Path) -> None:
    write(folder / "log.ndjson", [json.dumps(record) for number in range(120) for record in searched(number)])
    (folder / "log.ndjson.gz").write_bytes(gzip.compress((folder / "log.ndjson").read_bytes()))
    for name in ("log", "clicks"):
        pl.read_ndjson(folder / "log.ndjson", infer_schema_length=None).write_parquet(folder / f"{name}.parquet")
    for name in ("train.tsv", "test.tsv"):
        sessions = [
            (session, f"\t0\tQ\t{session % 4}\t1\td1\td2\td3\n{session}\t9\tC\td{session % 3 + 1}") for session in range(40)
        ]
        write(folder / name, [f"{session}{records}" for session, records in sessions])


def searched(number: int) -> Iterator[dict]:
    """A search and its click, as a site sends them."""
    who = {"client_id": f"c{number % 30}", "session_id": f"s{number % 60}", "timestamp": f"2026-11-20T10:{number % 60:02}:00Z"}
    shown, rank = [f"d{(number + place) % 5}" for place in range(4)], number % 3
    yield {"user_query": f"owls {number % 3}", "query_id": f"q{number}", "query_response_hit_ids": shown, **who}
    clicked = {"object": {"object_id": shown[rank]}, "position": {"ordinal": rank + 1}}
    yield {"action_name": "click", "query_id": f"q{number}", "event_attributes": clicked, **who}
