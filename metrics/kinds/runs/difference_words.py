"""Differences between runs in words: which can be told apart, and which not."""

from django.utils.translation import gettext as _

from ireval.significance import TESTS as TESTS_OF_ENGINE
from ireval.significance.intervals import few_topics
from judging.text.counts import count
from judging.text.library_words import in_reader_language
from metrics.kinds.runs.differences import TESTS, Differences, Pair
from metrics.kinds.runs.words import about_intents_of
from metrics.sentences import as_sentence, percents, signed


def confidence(pair: Pair) -> str:
    """The level in words: as many digits as tell it from certainty."""
    return percents([pair.level], 1, nulls=(1,))[0] if pair.level is not None else "–"


def in_words(differences: Differences, *, in_short: bool = False) -> str:
    """Say which runs can be told apart and which not, claiming no more than the test does.

    In short, after the mean of the best, without naming the test.
    """
    if not differences.pairs:
        return ""
    if differences.lacks_the_test:
        return _("The %(test)s was left out by this measure.") % {"test": TESTS[differences.test]}
    if lost := [pair for pair in differences.told_apart if pair.second == differences.runs[0].run]:
        return beats_the_best(differences, lost[0], in_short=in_short)
    if not differences.told_apart:
        runs = len({run for pair in differences.pairs for run in pair[:2]})
        words = {"n": runs, "measure": differences.measure if in_short else measure_and_rule(differences)}
        if runs == 2:
            return _("The two runs cannot be told apart by %(measure)s.") % words
        return _("No two of the %(n)s runs can be told apart by %(measure)s.") % words
    wins = wins_of_the_best(differences, in_short=in_short)
    return wins if in_short else f"{wins} {share(len(differences.told_apart), len(differences.pairs))}".strip()


def measure_and_rule(differences: Differences) -> str:
    return f"{differences.measure} ({differences.rule})"


def wins_of_the_best(differences: Differences, *, in_short: bool) -> str:
    best, others = differences.runs[0], len(differences.runs) - 1
    beaten = [pair for pair in differences.told_apart if pair.first == best.run]
    words = {"run": best.name, "measure": measure_and_rule(differences)}
    if not beaten and in_short:
        return _("%(run)s comes first, but is not told apart from any of the others.") % words
    if not beaten:
        return _("%(run)s comes first, but is not told apart from any of the others by %(measure)s.") % words
    closest = min(beaten, key=lambda pair: abs(pair.difference))
    words |= {"others": differences.names[closest.second], "closest": differences.names[closest.second]}
    if others > 1:
        words["others"] = how_many(len(beaten), others)
    if not in_short:
        return _("%(run)s is better than %(others)s by %(measure)s.") % words
    words["lead"] = lead(closest, best.topics)
    if others == 1:
        return _("%(run)s is better than %(others)s by %(lead)s.") % words
    if len(beaten) == 1:
        return _("%(run)s is better than %(others)s, %(closest)s by %(lead)s.") % words
    return _("%(run)s is better than %(others)s, the closest by %(lead)s.") % words


def beats_the_best(differences: Differences, pair: Pair, *, in_short: bool) -> str:
    """Say that the highest mean is over other topics than those that all runs have, on which another run is better."""
    words = {
        "run": differences.names[pair.second],
        "better": differences.names[pair.first],
        "topics": count(pair.n, "topic"),
        "measure": measure_and_rule(differences),
    }
    if in_short:
        return _("That is over its own topics: on the %(topics)s that all runs have, %(better)s is better than %(run)s.") % words
    text = _(
        "%(run)s has the best mean over its own topics, but on the %(topics)s that all runs have, %(better)s is better by "
        "%(measure)s."
    )
    return text % words


def how_many(beaten: int, others: int) -> str:
    text = _("all %(n)s others") if beaten == others else _("%(some)s of %(n)s others")
    return text % {"some": beaten, "n": others}


def lead(pair: Pair, topics: int) -> str:
    """How far the first is ahead of the second; n, where the mean that was told before is of other topics."""
    ahead = signed(pair.difference)
    if pair.low is not None and pair.high is not None:
        values = {"value": ahead, "level": confidence(pair), "low": signed(pair.low), "high": signed(pair.high)}
        ahead = _("%(value)s (%(level)s interval %(low)s to %(high)s)") % values
    return ahead if pair.n == topics else f"{ahead}, n = {count(pair.n, 'topic')}"


def caution(differences: Differences) -> str:
    """Say where intervals may be too narrow for so few topics, and what of the measure the qrels lack; empty where nothing is."""
    few = as_sentence(in_reader_language(few_topics(differences.topics, TESTS_OF_ENGINE[differences.test].enough)))
    lacking = about_intents_of(differences.report, differences.qrels, [differences.measure])
    return " ".join(filter(None, [few, lacking]))


def share(some: int, every: int) -> str:
    if every == 1:
        return ""
    return _("Of %(every)s pairs, %(some)s can be told apart.") % {"every": f"{every:,}", "some": f"{some:,}"}
