"""Results exactly as trec_eval prints them, for scripts that read its output."""

from collections.abc import Iterator

from ireval.io.arguments import require_type
from ireval.measures.evaluation import Evaluation
from ireval.measures.registry import Measure

# The order in which trec_eval prints, whatever the order of its arguments.
ORDER = (
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *("iprec_at_recall", "P", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG", "G"),
    *("ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success"),
    *("set_P", "set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret", "yaap", "unj"),
)


def trec_lines(evaluation: Evaluation, tag: str | None = None, *, per_topic: bool = False) -> Iterator[str]:
    """Yield the lines, without line ends; with a tag a line "runid", too, and with `per_topic` each topic first (trec_eval -q).

    Measures that trec_eval does not offer stand at the end, under their canonical names.

    >>> import polars as pl
    >>> from ireval.measures.evaluation import evaluate
    >>> run = pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"], "score": [2.0, 1.0]})
    >>> qrels = pl.DataFrame({"topic": ["1"], "docno": ["b"], "grade": [1]})
    >>> [line.split() for line in trec_lines(evaluate(run, qrels, "ERR@5 map"), "mine")]
    [['runid', 'all', 'mine'], ['map', 'all', '0.5000'], ['ERR@5', 'all', '0.2500']]
    """
    require_type("evaluation", evaluation, Evaluation, "an Evaluation, which evaluate returns")
    measures = sorted(evaluation.measures, key=place)
    if per_topic:
        singles = [measure for measure in measures if not measure.kind.only_over_all]
        for row in evaluation.values.iter_rows(named=True):
            yield from (line(measure, row["topic"], row[str(measure)]) for measure in singles)
    if tag is not None:
        yield f"{'runid':<22}\tall\t{tag}"
    means = evaluation.means()
    yield from (line(measure, "all", means[str(measure)]) for measure in measures)


def line(measure: Measure, topic: str, value: float) -> str:
    """
    >>> from ireval.measures.names import parse_measure
    >>> line(parse_measure("map"), "all", 0.17846)
    'map                   \\tall\\t0.1785'
    """
    shown = f"{value:d}" if measure.kind.whole else f"{value:6.4f}"
    return f"{measure.trec_name or str(measure):<22}\t{topic}\t{shown}"


def place(measure: Measure) -> tuple[int, float]:
    """The sort key of a measure in trec_eval's output; cutoffs of a stem ascend."""
    kind = measure.kind
    at = measure.values[kind.at.name] if kind.at else None
    stem = kind.trec if at is None else kind.trec_at
    if measure.trec_name is None or stem not in ORDER:
        return len(ORDER), 0
    return ORDER.index(stem), at or 0
