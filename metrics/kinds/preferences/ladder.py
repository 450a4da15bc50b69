"""The ladder of all systems: their strengths, the ranks that they may have, and how often each is above another."""

from ireval.io.plain import plain
from ireval.preferences import ladder
from ireval.preferences.ladder import ladder_content
from metrics.kinds.preferences.evidence import Evidence
from metrics.pipeline import Findings


def systems(evidence: Evidence) -> Findings:
    """The ladder of three systems or more; empty for two, of which the pair says everything."""
    if evidence.votes is None or len(evidence.votes.systems) < 3:
        return Findings({"ladder": []})
    fitted = ladder(evidence.votes, resampling=evidence.resampling, by_attention=True)
    return Findings({"model": fitted.strengths.model, "drawn": fitted.drawn, **plain(ladder_content(fitted))})
