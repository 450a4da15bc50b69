from rest_framework.routers import BaseRouter

from judging.api.urls import OF_A_STUDY
from metrics.api.measures import MeasureViewSet
from metrics.api.preferences import PreferencesViewSet
from metrics.api.quality import QualityViewSet
from metrics.api.reports import ReportViewSet


def register(router: BaseRouter) -> None:
    router.register("measures", MeasureViewSet, basename="measure")
    router.register("reports", ReportViewSet)
    router.register(rf"{OF_A_STUDY}/quality", QualityViewSet)
    router.register(rf"{OF_A_STUDY}/preferences", PreferencesViewSet, basename="preferences")
