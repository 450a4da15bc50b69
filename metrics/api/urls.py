from rest_framework.routers import BaseRouter

from metrics.api.reports import ReportViewSet


def register(router: BaseRouter) -> None:
    router.register("reports", ReportViewSet)
