"""The step that looks at all systems together: their strengths, the ranks that they may have, and who beats whom."""

from ireval.io.plain import plain
from ireval.preferences import ladder
from ireval.preferences.ladder import ladder_content
from metrics.kinds.preferences.evidence import Evidence
from metrics.pipeline import Findings


def systems(evidence: Evidence) -> Findings:
    """The ladder of three systems or more; of two the pair says everything."""
    if evidence.votes is None or len(evidence.votes.systems) < 3:
        return Findings({"ladder": []})
    found = ladder(evidence.votes, how=evidence.resampling)
    return Findings({"model": found.strengths.model, "drawn": found.drawn, **plain(ladder_content(found))})
