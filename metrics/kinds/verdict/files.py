"""Files of a verdict."""

import io

from ireval.verdict import write_bundle
from judging.audit import Deed, note, quoted
from judging.models import User, scope_fields
from metrics.kinds.verdict.parts import bundle_of
from metrics.models import Report


def exported(report: Report, *, by: User) -> bytes:
    """The bundle of a finished verdict, as `ireval verdict` and `ireval reproduce` read it. That it was taken is kept."""
    content = io.BytesIO()
    write_bundle(bundle_of(report), content)
    hypothesis = report.subject
    note(Deed.EXPORTED, f"the verdict on {quoted(hypothesis)} with its evidence", by, **scope_fields(hypothesis.scope))
    return content.getvalue()
