from django.urls import path

from metrics.views import (
    agreement,
    asking,
    changing,
    curves,
    differences,
    downloading,
    lists,
    measures,
    preference_pages,
    preferences,
    quality,
    report,
    systems,
    topic,
)

urlpatterns = [
    path("studies/<id:pk>/quality/", quality.study_quality, name="study_quality"),
    path("studies/<id:pk>/quality/items/", quality.study_quality_items, name="study_quality_items"),
    path("studies/<id:pk>/quality/workers/", quality.study_quality_workers, name="study_quality_workers"),
    path("studies/<id:pk>/quality/systems/", systems.study_systems, name="study_systems"),
    path("studies/<id:pk>/quality/again/", quality.study_quality_again, name="study_quality_again"),
    path("studies/<id:pk>/quality/<str:kind>", quality.study_quality_download, name="study_quality_download"),
    path("studies/<id:pk>/preferences/", preferences.study_preferences, name="study_preferences"),
    path("studies/<id:pk>/preferences/again/", preferences.study_preferences_again, name="study_preferences_again"),
    path("studies/<id:pk>/preferences/topics/", preference_pages.study_preferences_topics, name="study_preferences_topics"),
    path(
        "studies/<id:pk>/preferences/topics/<id:topic>/", preference_pages.study_preferences_topic, name="study_preferences_topic"
    ),
    path("studies/<id:pk>/preferences/measure/", preference_pages.study_preferences_measure, name="study_preferences_measure"),
    path("studies/<id:pk>/preferences/workers/", preference_pages.study_preferences_workers, name="study_preferences_workers"),
    path(
        "studies/<id:pk>/preferences/interactions/",
        preference_pages.study_preferences_interactions,
        name="study_preferences_interactions",
    ),
    path("studies/<id:pk>/preferences/<str:kind>", preferences.study_preferences_download, name="study_preferences_download"),
    path("reports/", lists.reports, name="reports"),
    path("reports/new/", asking.report_new, name="report_new"),
    path("reports/measures/", measures.measures, name="measures"),
    path("reports/<id:pk>/", report.report, name="report"),
    path("reports/<id:pk>/curves/", curves.report_curves, name="report_curves"),
    path("reports/<id:pk>/topic/", topic.report_topic, name="report_topic"),
    path("reports/<id:pk>/differences/", differences.report_differences, name="report_differences"),
    path("reports/<id:pk>/agreement/", agreement.report_agreement, name="report_agreement"),
    path("reports/<id:pk>/retry/", changing.report_retry, name="report_retry"),
    path("reports/<id:pk>/delete/", changing.report_delete, name="report_delete"),
    path("reports/<id:pk>/download/<str:kind>", downloading.report_download, name="report_download"),
    path("reports/<id:pk>/trec/<id:qrels>/<id:run>", downloading.report_trec, name="report_trec"),
]
