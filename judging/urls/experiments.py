"""Experiments of a site."""

from django.urls import path

from judging.views import experiments

urlpatterns = [
    path("experiments/", experiments.experiments, name="experiments"),
    path("sites/<id:pk>/experiments/", experiments.site_experiments, name="site_experiments"),
    path("sites/<id:pk>/experiments/new/", experiments.experiment_new, name="experiment_new"),
    path("experiments/<id:pk>/", experiments.experiment, name="experiment"),
    path("experiments/<id:pk>/edit/", experiments.experiment_edit, name="experiment_edit"),
    path("experiments/<id:pk>/start/", experiments.experiment_start, name="experiment_start"),
    path("experiments/<id:pk>/stop/", experiments.experiment_stop, name="experiment_stop"),
    path("experiments/<id:pk>/copy/", experiments.experiment_copy, name="experiment_copy"),
    path("experiments/<id:pk>/delete/", experiments.experiment_delete, name="experiment_delete"),
]
