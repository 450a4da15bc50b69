from django.urls import path

from judging.views import training

urlpatterns = [
    path("studies/<id:pk>/training/", training.study_training, name="study_training"),
    path("studies/<id:pk>/training/<id:item_pk>/explain/", training.training_explain, name="training_explain"),
    path("studies/<id:pk>/training/<id:item_pk>/move/", training.training_move, name="training_move"),
]
