from django.urls import path

from metrics.views import asking, changing, downloading, lists, report

urlpatterns = [
    path("reports/", lists.reports, name="reports"),
    path("reports/new/", asking.report_new, name="report_new"),
    path("reports/<int:pk>/", report.report, name="report"),
    path("reports/<int:pk>/retry/", changing.report_retry, name="report_retry"),
    path("reports/<int:pk>/delete/", changing.report_delete, name="report_delete"),
    path("reports/<int:pk>/download/<str:kind>", downloading.report_download, name="report_download"),
    path("reports/<int:pk>/trec/<int:qrels>/<int:run>", downloading.report_trec, name="report_trec"),
]
