"""Near-duplicates counted once: of a group of documents with the same content, a topic counts the first that was retrieved.

That one has the highest grade that the topic's judges gave to any of the group, since the same content deserves the same grade.
All others of the group are judged and not relevant, as nobody gains from what they have read. So an ideal ranking has each group
once, and recall counts groups. Whichever document comes first is the relevant one, judged itself or not.

Source: Bernstein and Zobel: Redundant documents and search effectiveness, CIKM 2005; Fröbe et al.: The effect of
content-equivalent near-duplicates on the evaluation of search engines, ECIR 2020. Sakai (NTCIR-4, 2004) counts equal answers so.
"""

import numpy as np
import polars as pl

from ireval.arrays import Ints


def with_grade_holders(groups: pl.DataFrame) -> pl.DataFrame:
    """The groups with the column holder: the document that holds the grade until it is known which is retrieved first."""
    return groups.with_columns(holder=pl.col("docno").first().over("group"))


def with_a_grade_a_group(qrels: pl.DataFrame, groups: pl.DataFrame) -> pl.DataFrame:
    """Qrels in which each group that a topic judges has its highest grade at one document, and all its others 0 or less.

    So it is for each subtopic, where qrels have any. Rows may be in another order.

    >>> qrels = pl.DataFrame({"topic": ["1", "1"], "docno": ["b", "d"], "grade": [2, 1]})
    >>> groups = with_grade_holders(pl.DataFrame({"docno": ["a", "b", "c"], "group": ["g", "g", "g"]}))
    >>> with_a_grade_a_group(qrels, groups).sort("docno").rows()
    [('1', 'a', 2), ('1', 'b', 0), ('1', 'c', 0), ('1', 'd', 1)]
    """
    alone = qrels.join(groups, on="docno", how="anti")
    within = [column for column in ("topic", "subtopic") if column in qrels.columns]
    highest = qrels.join(groups, on="docno").group_by(*within, "group", maintain_order=True).agg(pl.col("grade").max())
    holds, grade = pl.col("docno") == pl.col("holder"), pl.col("grade")
    spread = highest.join(groups, on="group", maintain_order="left_right").with_columns(
        grade=pl.when(holds).then(grade).otherwise(pl.min_horizontal(grade, pl.lit(0, qrels.schema["grade"])))
    )
    columns = [*within, "docno", "grade"]
    return pl.concat([alone.select(columns), spread.select(columns)])


def grade_holders(documents: pl.DataFrame, groups: pl.DataFrame) -> Ints:
    """For each judged document the place of the one that holds its group's grade, (n,); its own place if it is in no group."""
    holders = documents.join(groups, on="docno", how="left", maintain_order="left").select(
        "number", docno=pl.coalesce("holder", "docno")
    )
    places = documents.select("number", "docno", "place")
    return holders.join(places, on=["number", "docno"], how="left", maintain_order="left")["place"].to_numpy()


def given_to_first(place: Ints, rank: Ints, holder: Ints) -> Ints:
    """The places of retrieved documents, (m,), after each group's first has changed places with the one that holds the grade.

    `place` has a document's row in the qrels, `rank` its rank, and `holder` (n,) what grade_holders returns.

    >>> given_to_first(np.array([0, 1, 2]), np.array([3, 1, 2]), np.array([0, 0, 2])).tolist()
    [1, 0, 2]
    """
    held_by = holder[place]
    order = np.lexsort((rank, held_by))
    first = order[np.diff(held_by[order], prepend=-1) != 0]
    instead = np.arange(len(holder))
    instead[held_by[first]] = place[first]
    changed = instead[place]
    changed[first] = held_by[first]
    return changed
