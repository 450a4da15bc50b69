"""Agreement between the workers of a study."""

import math
from typing import Any

from ireval import Agreement, fleiss_kappa, krippendorff_alpha, percent_agreement
from ireval.agreement import mean_cohen_kappa
from metrics.kinds.quality.evidence import Evidence
from metrics.pipeline import Findings


def agreement(evidence: Evidence) -> Findings:
    """Compute every coefficient of agreement; those that are undefined say why."""
    if evidence.votes.is_empty():
        return Findings({"coefficients": [], **counts(evidence)})
    labels, resampling = evidence.labels, evidence.resampling
    coefficients = [
        percent_agreement(labels, resampling),
        mean_cohen_kappa(labels, "unweighted", resampling),
        mean_cohen_kappa(labels, "quadratic", resampling),
        fleiss_kappa(labels, resampling),
        krippendorff_alpha(labels, "nominal", resampling)._replace(name="alpha-nominal"),
        krippendorff_alpha(labels, "ordinal", resampling)._replace(name="alpha-ordinal"),
    ]
    return Findings({"coefficients": [as_json(coefficient) for coefficient in coefficients], **counts(evidence)})


def counts(evidence: Evidence) -> dict[str, int]:
    votes = evidence.votes
    return {
        "votes": votes.height,
        "items": votes["item"].n_unique(),
        "workers": votes["worker"].n_unique(),
        "simulated": int(votes["simulated"].sum()),
    }


def as_json(coefficient: Agreement) -> dict[str, Any]:
    """The coefficient's fields with None for NaN, which JSON cannot hold."""
    fields = coefficient._asdict()
    return {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in fields.items()}
