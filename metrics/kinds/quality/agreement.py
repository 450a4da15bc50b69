"""The step that looks at the study: how far its workers agree."""

import math
from typing import Any

from ireval import Agreement, fleiss_kappa, krippendorff_alpha, percent_agreement
from ireval.agreement import mean_cohen_kappa
from metrics.kinds.quality.evidence import Evidence
from metrics.pipeline import Findings


def agreement(evidence: Evidence) -> Findings:
    """Every coefficient, those that are undefined with the reason."""
    if evidence.votes.is_empty():
        return Findings({"coefficients": [], **counts(evidence)})
    labels, how = evidence.labels, evidence.resampling
    found = [
        percent_agreement(labels, how),
        mean_cohen_kappa(labels, "unweighted", how),
        mean_cohen_kappa(labels, "quadratic", how),
        fleiss_kappa(labels, how),
        krippendorff_alpha(labels, "nominal", how)._replace(name="alpha-nominal"),
        krippendorff_alpha(labels, "ordinal", how)._replace(name="alpha-ordinal"),
    ]
    return Findings({"coefficients": [as_json(one) for one in found], **counts(evidence)})


def counts(evidence: Evidence) -> dict[str, int]:
    votes = evidence.votes
    return {
        "votes": votes.height,
        "items": votes["item"].n_unique(),
        "workers": votes["worker"].n_unique(),
        "simulated": int(votes["simulated"].sum()),
    }


def as_json(one: Agreement) -> dict[str, Any]:
    """JSON knows no NaN."""
    return {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in one._asdict().items()}
