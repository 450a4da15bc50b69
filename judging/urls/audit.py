from django.urls import path

from judging.views import history, machines

urlpatterns = [
    path("studies/<id:pk>/history/", history.study_history, name="study_history"),
    path("studies/<id:pk>/history.csv", history.study_history_file, name="study_history_file"),
    path("studies/<id:pk>/machines/", machines.study_machines, name="study_machines"),
    path("studies/<id:pk>/machines/<id:worker_pk>/settle/", machines.machine_settle, name="machine_settle"),
    path("studies/<id:pk>/machines/<id:worker_pk>/grades.<str:form>", machines.machine_qrels, name="machine_qrels"),
    path("audit/", history.audit, name="audit"),
    path("audit.csv", history.audit_file, name="audit_file"),
]
