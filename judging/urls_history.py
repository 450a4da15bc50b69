from django.urls import path

from judging.views import history

urlpatterns = [
    path("studies/<id:pk>/history/", history.study_history, name="study_history"),
    path("studies/<id:pk>/history.csv", history.study_history_file, name="study_history_file"),
    path("audit/", history.audit, name="audit"),
    path("audit.csv", history.audit_file, name="audit_file"),
]
