"""Access to reports.

Whoever runs a study or reads a site's reports sees those on it. A report on runs is for whoever may read its collection and all
of its qrels.
"""

from django.db.models import Exists, OuterRef, Q
from django.shortcuts import get_object_or_404

from judging.access import collections_for, experiments_for, hypotheses_for, qrels_for, sites_for, studies_for
from judging.models import User
from metrics.models import Part, Report, ReportQuerySet


def reports_for(user: User) -> ReportQuerySet:
    """Every report that the user may see, whatever its kind."""
    return Report.objects.filter(
        Q(pk__in=run_reports_for(user).values("pk"))
        | Q(study__in=studies_for(user))
        | Q(experiment__in=experiments_for(user))
        | Q(site__in=sites_for(user))
        | Q(hypothesis__in=hypotheses_for(user))
    )


def run_reports_for(user: User) -> ReportQuerySet:
    kept_from_the_user = Part.objects.filter(report=OuterRef("pk")).exclude(qrels__in=qrels_for(user))
    reports = Report.objects.filter(kind=Report.Kind.RUNS, collection__in=collections_for(user))
    return reports.exclude(Exists(kept_from_the_user))


def own_reports_for(user: User) -> ReportQuerySet:
    """Reports on runs that the user may delete: their own and those on their own collections; all for an admin."""
    reports = run_reports_for(user)
    return reports if user.is_admin else reports.filter(Q(created_by=user) | Q(collection__owner=user))


def report_for(user: User, pk: int) -> Report:
    return get_object_or_404(run_reports_for(user).with_progress().select_related("collection", "created_by"), pk=pk)


def own_report_for(user: User, pk: int) -> Report:
    return get_object_or_404(own_reports_for(user).select_related("collection"), pk=pk)
