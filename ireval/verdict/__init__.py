"""The verdict: which of two systems is better, from grades, votes, interleaving, tests on users and clicks together.

Evidence of each kind (`evidence`) becomes a line (`lines`): a difference in its own unit, and how often B beats A. `verdict`
decides all lines together and `sentence` words it; `heterogeneity` and `disagreements` say where kinds differ. A `bundle` holds
all of it. `stopping` says which orders are settled while topics are still being judged.
"""

from ireval.verdict.bundle import Bundle, read_bundle, result_of, write_bundle
from ireval.verdict.disagreements import disagreements
from ireval.verdict.evidence import Arms, Evidence, Grades, Interleaved, Scored, SideBySide, Summed
from ireval.verdict.heterogeneity import Contrast, Heterogeneity, heterogeneity
from ireval.verdict.lines import Line, line_of_arms, line_of_interleaving, line_of_topics, line_of_votes
from ireval.verdict.stopping import Order, orders_of, orders_so_far
from ireval.verdict.verdict import Answer, BadVerdict, Verdict, sentence, verdict

__all__ = [
    "Answer",
    "Arms",
    "BadVerdict",
    "Bundle",
    "Contrast",
    "Evidence",
    "Grades",
    "Heterogeneity",
    "Interleaved",
    "Line",
    "Order",
    "Scored",
    "SideBySide",
    "Summed",
    "Verdict",
    "disagreements",
    "heterogeneity",
    "line_of_arms",
    "line_of_interleaving",
    "line_of_topics",
    "line_of_votes",
    "orders_of",
    "orders_so_far",
    "read_bundle",
    "result_of",
    "sentence",
    "verdict",
    "write_bundle",
]
