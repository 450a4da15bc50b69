from rest_framework.routers import BaseRouter

from judging.api.ids import ID
from judging.api.urls import OF_A_SITE, OF_A_STUDY
from metrics.api.clicks import ClicksViewSet
from metrics.api.experiments import ExperimentReportViewSet
from metrics.api.links import SharedLinkViewSet
from metrics.api.measures import MeasureViewSet
from metrics.api.preferences import PreferencesViewSet
from metrics.api.quality import QualityViewSet
from metrics.api.reports import ReportViewSet
from metrics.api.verdicts import VerdictViewSet


def register(router: BaseRouter) -> None:
    router.register(rf"experiments/(?P<experiment>{ID})/report", ExperimentReportViewSet, basename="experiment_report")
    router.register("links", SharedLinkViewSet, basename="link")
    router.register("measures", MeasureViewSet, basename="measure")
    router.register("reports", ReportViewSet)
    router.register("verdicts", VerdictViewSet, basename="verdict")
    router.register(rf"{OF_A_STUDY}/quality", QualityViewSet, basename="quality")
    router.register(rf"{OF_A_STUDY}/preferences", PreferencesViewSet, basename="preferences")
    router.register(rf"{OF_A_SITE}/clicks", ClicksViewSet, basename="clicks")
