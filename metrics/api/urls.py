from rest_framework.routers import BaseRouter

from metrics.api.measures import MeasureViewSet
from metrics.api.reports import ReportViewSet


def register(router: BaseRouter) -> None:
    router.register("measures", MeasureViewSet, basename="measure")
    router.register("reports", ReportViewSet)
