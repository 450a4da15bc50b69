"""Access to reports.

Whoever reads a study or a site sees the reports on it. A report on runs is for whoever may read its collection and all of its
qrels, and for those whom it names. A shared link shows anybody what whoever made it may see.
"""

from django.db.models import Exists, OuterRef, Q
from django.http import Http404
from django.shortcuts import get_object_or_404

from judging.access import (
    collections_for,
    experiments_for,
    hypotheses_for,
    named_in,
    own_hypotheses_for,
    qrels_for,
    readable_studies_for,
    sees_records,
    sites_for,
)
from judging.accounts.link_tokens import token_hash
from judging.models import Site, User
from metrics.models import Part, Report, ReportQuerySet, SharedLink, SharedLinkQuerySet
from metrics.pipeline import LatestReports


def reports_for(user: User) -> ReportQuerySet:
    """Every report that the user may see, whatever its kind."""
    return Report.objects.filter(
        Q(pk__in=run_reports_for(user).values("pk"))
        | Q(study__in=readable_studies_for(user))
        | Q(experiment__in=experiments_for(user))
        | Q(site__in=sites_for(user))
        | Q(hypothesis__in=hypotheses_for(user))
    )


def run_reports_for(user: User) -> ReportQuerySet:
    """Reports on runs that the user may see: by their evidence, or since the report names them as a reader."""
    reports, by_evidence = Report.objects.filter(kind=Report.Kind.RUNS), evident_reports_for(user)
    if not user.is_active:
        return reports.none()
    return (
        by_evidence
        if user.is_admin
        else reports.filter(Q(pk__in=by_evidence.order_by().values("pk")) | named_in(Report.readers, user))
    )


def evident_reports_for(user: User) -> ReportQuerySet:
    """Reports on runs all of whose evidence the user may read."""
    kept_from_the_user = Part.objects.filter(report=OuterRef("pk")).exclude(qrels__in=qrels_for(user))
    reports = Report.objects.filter(kind=Report.Kind.RUNS, collection__in=collections_for(user))
    return reports.exclude(Exists(kept_from_the_user))


def own_reports_for(user: User) -> ReportQuerySet:
    """Reports on runs that the user may share and delete: their own and those on their own collections; all for an admin."""
    reports = evident_reports_for(user)
    return reports if user.is_admin else reports.filter(Q(created_by=user) | Q(collection__owner=user))


def evident_report_for(user: User, pk: int) -> Report:
    return get_object_or_404(evident_reports_for(user).with_progress().select_related("collection", "created_by"), pk=pk)


def report_for(user: User, pk: int) -> Report:
    return get_object_or_404(run_reports_for(user).with_progress().select_related("collection", "created_by"), pk=pk)


def own_report_for(user: User, pk: int) -> Report:
    return get_object_or_404(own_reports_for(user).select_related("collection"), pk=pk)


def may_ask(user: User, site: Site, latest: LatestReports) -> bool:
    """Whether the user may ask for a report on the site's log.

    Readers may ask for the first one only: the difference of two could tell of a few users.
    """
    return sees_records(user, site) or latest.report is None


def only_reads(user: User, report: Report) -> bool:
    """Whether it is on the log of a site that the user only reads, and so is not theirs to ask again."""
    return report.log_site is not None and not sees_records(user, report.log_site)


def links_for(user: User) -> SharedLinkQuerySet:
    """Links that the user may show and revoke: those they made, and all to their own verdicts and reports."""
    own = Q(hypothesis__in=own_hypotheses_for(user)) | Q(report__in=own_reports_for(user))
    return SharedLink.objects.live().filter(own | Q(created_by=user)).select_related("hypothesis__a", "hypothesis__b", "report")


def link_for(user: User, pk: int) -> SharedLink:
    return get_object_or_404(links_for(user), pk=pk)


def shared_report(token: str) -> tuple[SharedLink, Report]:
    """The link that a visitor came by, and the newest finished report that it shows.

    A link shows what whoever made it may see now. Unknown, revoked and expired links are the same 404.
    """
    link = get_object_or_404(SharedLink.objects.live().select_related("created_by"), token_hash=token_hash(token))
    about = {"hypothesis": link.hypothesis_id} if link.hypothesis_id else {"pk": link.report_id}
    reports = reports_for(link.created_by).filter(state=Report.State.DONE, **about).with_subject()
    report = reports.order_by("-pk").first()
    if report is None:
        raise Http404("Whoever made the link no longer sees the report, or it is being computed.")
    return link, report
