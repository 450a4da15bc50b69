"""The verdict on two systems: one answer from all kinds of evidence, which never says more than their intervals allow."""

import math
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from ireval.io.arguments import require_each, require_numbers, require_type
from ireval.io.files import BadInput
from ireval.planning.target import Target
from ireval.significance.decision import Decision, decide, ends_of
from ireval.verdict.heterogeneity import Heterogeneity, heterogeneity
from ireval.verdict.lines import Line

Word = Literal["better", "worse", "equal", "not worse", "not better", "unknown"]
Outcome = Literal["better", "worse", "conflict", "equal", "not worse", "not better", "unknown"]


class BadVerdict(BadInput):
    """A verdict that cannot be computed; the text says why."""


class Answer(NamedTuple):
    """What one line of evidence says of B.

    - decision: on the difference, its p corrected for all lines (Holm); `decision.low` and `high` agree with it
    - low, high: the interval of 1 − 2 α, which lies within ± margin exactly where two one-sided tests show equivalence
    - share: how often B beats A, decided at alpha for itself; its interval is the one to draw
    - needed: with how many units the margin would be found with a power of .8; None where that is not known
    """

    line: Line
    word: Word
    decision: Decision
    low: float
    high: float
    share: Decision
    needed: int | None


class Verdict(NamedTuple):
    """The answer from all lines together, and how far the lines differ (None: fewer than two have an interval)."""

    outcome: Outcome
    answers: list[Answer]
    heterogeneity: Heterogeneity | None
    alpha: float

    def kinds(self, word: str) -> list[str]:
        """The kinds of evidence of which this word is said."""
        return [answer.line.kind for answer in self.answers if answer.word == word]


def verdict(lines: Sequence[Line], *, alpha: float = 0.05) -> Verdict:
    """Which of two systems is better, from several kinds of evidence.

    1. Each line's difference is tested against 0, with p corrected for all lines (Holm). If one or more say that B is better and
       none that A is, B is better; the other way round it is worse. If both are said, the evidence is in conflict. Where nothing
       differs, one of these is said with a chance of at most alpha.
    2. Else, if every line's 1 − 2 α interval lies within its margin, there is no difference that matters. These are two one-sided
       tests, all of which must agree. If every line's lower end is above −margin, B is not worse by more than that; so for A.
    3. Else it is not known. A line without an interval says nothing, and leaves 2 open.

    BadVerdict without lines, for a kind that comes twice, a margin that is not above 0 and an alpha out of range.
    Sources: Holm 1979; Schuirmann, A comparison of the two one-sided tests procedure, Journal of Pharmacokinetics and
    Biopharmaceutics 15, 1987; Berger, Multiparameter hypothesis testing and acceptance sampling, Technometrics 24, 1982.

    >>> from ireval.verdict.lines import line_of_topics
    >>> clear = line_of_topics("grades", "nDCG@10", [0.1, 0.2, 0.15, 0.1], margin=0.02)
    >>> verdict([clear]).outcome
    'better'
    """
    require_each("lines", lines, Line, "Lines")
    require_numbers(alpha=alpha)
    check(lines, alpha)
    decisions = decide([line.difference for line in lines], alpha=alpha, planned=[line.planned for line in lines])
    answers = [answer_of(line, decision, alpha, len(lines)) for line, decision in zip(lines, decisions, strict=True)]
    return Verdict(
        outcome_of(answers),
        answers,
        heterogeneity({line.kind: line.share for line in lines}, confidence=1 - alpha),
        alpha,
    )


def check(lines: Sequence[Line], alpha: float) -> None:
    kinds = [line.kind for line in lines]
    if not lines:
        raise BadVerdict("There is no evidence: a verdict needs one kind of it or more.")
    if twice := next((kind for kind in kinds if kinds.count(kind) > 1), None):
        raise BadVerdict(f"The kind of evidence “{twice}” comes twice. Give each a name of its own.")
    if wrong := next((line for line in lines if not 0 < line.margin < math.inf), None):
        raise BadVerdict(f"The smallest difference that matters by {wrong.kind} is {wrong.margin}; expected a number above 0.")
    if not 0 < alpha < 0.5:
        raise BadVerdict(f"alpha is {alpha}; expected a number between 0 and 0.5.")


def answer_of(line: Line, decision: Decision, alpha: float, lines: int) -> Answer:
    least, most = line.bounds
    low, high = ends_of(line.difference, 2 * alpha, alpha, line.planned)
    low, high = (min(max(end, least), most) for end in (low, high))
    cut = decision._replace(low=min(max(decision.low, least), most), high=min(max(decision.high, least), most))
    (share,) = decide([line.share], against=0.5, alpha=alpha, bounds=(0, 1), planned=line.planned)
    return Answer(line, word_of(decision, low, high, line.margin), cut, low, high, share, needed(line, alpha, lines))


def word_of(decision: Decision, low: float, high: float, margin: float) -> Word:
    if decision.outcome == "first":
        return "better"
    if decision.outcome == "second":
        return "worse"
    if -margin < low and high < margin:
        return "equal"
    if -margin < low:
        return "not worse"
    return "not better" if high < margin else "unknown"


def one_sided(word: str, low: float, high: float, gettext: Callable[[str], str] = str) -> str:
    """The ends that two one-sided tests go by, where these gave the word; empty where the corrected test did, or nothing.

    >>> one_sided("not worse", -0.004, 0.1), one_sided("equal", -0.004, 0.01), one_sided("better", 0.1, 0.2)
    ('at least −0.0040', 'within −0.0040 and +0.0100', '')
    """
    least, most = (f"{end:+.4f}".replace("-", "−") for end in (low, high))
    texts = {
        "equal": gettext("within %(least)s and %(most)s"),
        "not worse": gettext("at least %(least)s"),
        "not better": gettext("at most %(most)s"),
    }
    return texts.get(word, "") % {"least": least, "most": most}


def outcome_of(answers: Sequence[Answer]) -> Outcome:
    words = {answer.word for answer in answers}
    if words >= {"better", "worse"}:
        return "conflict"
    if told := words & {"better", "worse"}:
        return told.pop()
    if words == {"equal"}:
        return "equal"
    if words <= {"equal", "not worse"}:
        return "not worse"
    return "not better" if words <= {"equal", "not better"} else "unknown"


def target_of(line: Line, alpha: float, lines: int) -> Target:
    """What the line is to tell: the smallest difference that matters, where alpha is shared by all lines."""
    return Target(line.margin, line.measure, alpha, lines)


def needed(line: Line, alpha: float, lines: int) -> int | None:
    return target_of(line, alpha, lines).needed(line.difference.error, line.n)


def sentence(decided: Verdict, a: str, b: str, gettext: Callable[[str], str] = str) -> str:
    """The verdict in words; `gettext` translates them.

    >>> from ireval.verdict.lines import line_of_topics
    >>> clear = line_of_topics("grades", "nDCG@10", [0.1, 0.2, 0.15, 0.1], margin=0.02)
    >>> open_still = line_of_topics("clicks", "nDCG@10", [0.1, -0.2, 0.15, -0.1], margin=0.02)
    >>> sentence(verdict([clear, open_still]), "old", "new")
    'new is better than old, by grades; clicks cannot tell yet.'
    """
    require_type("decided", decided, Verdict, "a Verdict, which verdict makes of lines")
    sentences: dict[str, str] = {
        "better": gettext("%(b)s is better than %(a)s, by %(better)s%(others)s."),
        "worse": gettext("%(a)s is better than %(b)s, by %(worse)s%(others)s."),
        "conflict": gettext("The evidence conflicts: by %(better)s %(b)s is better, by %(worse)s %(a)s is."),
        "equal": gettext("There is no difference that matters between %(a)s and %(b)s."),
        "not worse": gettext("%(b)s is not worse than %(a)s by more than what matters. Whether it is better is not known yet."),
        "not better": gettext("%(a)s is not worse than %(b)s by more than what matters. Whether it is better is not known yet."),
        "unknown": gettext("Which of %(a)s and %(b)s is better is not known yet."),
    }
    kinds = {word: listed(decided.kinds(word), gettext) for word in ("better", "worse")}
    return sentences[decided.outcome] % {"a": a, "b": b, "others": others(decided, a, b, gettext), **kinds}


def others(decided: Verdict, a: str, b: str, gettext: Callable[[str], str] = str) -> str:
    """What the other kinds say, where one has decided."""
    rest = {
        "equal": gettext("by %(kinds)s there is no difference that matters"),
        "not worse": gettext("by %(kinds)s %(b)s is not worse"),
        "not better": gettext("by %(kinds)s %(a)s is not worse"),
        "unknown": gettext("%(kinds)s cannot tell yet"),
    }
    kinds_by_word = {word: listed(decided.kinds(word), gettext) for word in rest}
    return "".join(f"; {rest[word] % {'kinds': kinds, 'a': a, 'b': b}}" for word, kinds in kinds_by_word.items() if kinds)


def listed(kinds: Sequence[str], gettext: Callable[[str], str] = str) -> str:
    names = [gettext(kind) for kind in kinds]
    if len(names) < 2:
        return "".join(names)
    return gettext("%(names)s and %(last)s") % {"names": ", ".join(names[:-1]), "last": names[-1]}
