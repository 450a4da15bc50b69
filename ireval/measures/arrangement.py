"""Rankings from runs and qrels, by the rules of an evaluation."""

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Literal, get_args

import polars as pl

from ireval.io.arguments import require_choice, require_count
from ireval.io.cells import distinct, shown
from ireval.io.files import BadInput
from ireval.io.frames import BY_RANK, Source, as_run, has_scores, table_of
from ireval.io.profiles import DEFAULT_PROFILE, get_profile
from ireval.io.rank_order import Ties, with_ranks, with_ties_by_grade, with_topics_together
from ireval.io.runs import RUN_ALIASES
from ireval.measures.rankings import Blocks, Qrels, Rankings, Run, arrange, qrels_from


def rankings_of(
    run: Source | Blocks,
    qrels: Source | Qrels,
    *,
    profile: str = DEFAULT_PROFILE,
    depth: int | None = None,
    judged_only: bool = False,
    ties: Ties = "profile",
) -> Rankings:
    """The Rankings of a run by qrels, both and all rules as `evaluate` takes them.

    Curves and other tables by topic make them of a run and qrels by the default rules. Give them Rankings for other rules, or
    where several are made of the same run. Raises BadFile and BadInput as `evaluate` does, but for a run that shares no topic
    with the qrels: its rankings are empty.

    >>> rankings = rankings_of({"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 1}}, depth=1)
    >>> rankings.rank.tolist(), rankings.retrieved.tolist()
    ([], [1])
    """
    return arranged(run, qrels_from(qrels), profile=profile, depth=depth, judged_only=judged_only, ties=ties)[0]


def as_rankings(run: Source | Blocks | Rankings, qrels: Source | Qrels | None, *, subtopics: bool = False) -> Rankings:
    """Rankings as they are, or what rankings_of makes of a run and qrels; `subtopics` as for as_qrels.

    BadInput for a run without qrels, and for Rankings with some.
    """
    if isinstance(run, Rankings):
        if qrels is not None:
            mend = "leave it out, or name what it is, such as cutoff=10"
            raise BadInput(f"found {shown(qrels)}, as the qrels of Rankings, which have theirs: {mend}")
        return run
    if qrels is None:
        expected = "a run and its qrels, or Rankings, which rankings_of makes of both"
        raise BadInput(f"{shown(run)}, has no qrels; expected {expected}")
    return rankings_of(run, qrels_from(qrels, subtopics=subtopics))


def arranged(
    run: Source | Blocks,
    qrels: Qrels,
    *,
    profile: str,
    depth: int | None = None,
    judged_only: bool = False,
    ties: Ties = "profile",
) -> tuple[Rankings, set[str]]:
    """The rankings of a run by the rules of `evaluate`, and the names of its topics, judged or not."""
    require_choice("ties", ties, get_args(Ties))
    if depth is not None:
        require_count("depth", depth)
    if ties != "profile":
        require_scores(run, ties)
        require_duplicates_apart(qrels, ties)
    checked = run_in(run, profile)
    ordered = ranked(checked, profile) if ties == "profile" else ranked_by_grade(checked, qrels, ties, profile)
    rankings, retrieved = arrange(ordered, qrels, profile=profile, depth=depth)
    return rankings.condensed() if judged_only else rankings, retrieved


def run_in(run: Source | Blocks, profile: str) -> Run:
    """The run as by as_run; of frames that come one by one each is checked, and its ranks stay. Those of a file were checked."""
    if isinstance(run, Tagged):
        return run
    return map(checked_frame, run, count(1)) if isinstance(run, Iterator) else as_run(run, profile=profile)  # type: ignore[arg-type]


class Tagged:
    """Frames of a run; remembers the tag of the last one yielded, which trec_eval prints as the run's."""

    def __init__(self, frames: Iterable[pl.DataFrame]):
        self.frames = frames
        self.tag = ""

    def __iter__(self) -> Iterator[pl.DataFrame]:
        for frame in self.frames:
            self.tag = frame["tag"][-1]
            yield frame


def checked_frame(frame: object, number: int) -> pl.DataFrame:
    """One of several frames of a run; BadFile, which names it by its number, as by as_run."""
    columns = {**RUN_ALIASES, **BY_RANK} if has_scores(frame) else BY_RANK
    return distinct(table_of(frame, columns, name=f"frame {number} of the run"))


def ranked(run: Run, profile: str) -> Run:
    """The run with the profile's ranks; ranks without scores, and of frames that come one by one, stay as they are."""
    if isinstance(run, pl.LazyFrame):
        if get_profile(profile).score_type is get_profile(DEFAULT_PROFILE).score_type:
            return run
        run = run.select("topic", "docno", "score").collect()
    if not isinstance(run, pl.DataFrame) or "score" not in run.columns:
        return run
    return with_ranks(with_topics_together(run), profile)


def require_scores(run: object, ties: Ties) -> None:
    if not has_scores(run):
        raise BadInput(f"ties={ties!r} needs the scores of the run; it has ranks only")


def require_duplicates_apart(qrels: Qrels, ties: Ties) -> None:
    """Refuse ties by grade where a document's grade depends on those above it: no order is surely the best or the worst."""
    if qrels.grade_holder is not None:
        raise BadInput(f"ties={ties!r} and counting near-duplicates once do not go together: leave out one of the two")


def ranked_by_grade(run: Run, qrels: Qrels, ties: Literal["best", "worst"], profile: str) -> Iterator[pl.DataFrame]:
    """Yield the run's frames with ranks in which tied documents are ordered by their grades."""
    if isinstance(run, pl.LazyFrame):
        run = run.select("topic", "docno", "score").collect()
    for frame in [run] if isinstance(run, pl.DataFrame) else run:
        require_scores(frame, ties)
        whole = with_topics_together(frame)
        yield with_ties_by_grade(whole, qrels.documents_of(whole["topic"].unique()), ties, profile)
