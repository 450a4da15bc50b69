from django.contrib import admin
from django.urls import include, path, register_converter

from ireval_site.health import healthz
from judging.numbers import Id
from judging.views.accounts import enter_admin

register_converter(Id, "id")  # in the addresses of both apps

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("admin/login/", enter_admin),  # instead of the admin's own, which takes names of any length
    path("admin/", admin.site.urls),
    path("api/", include("ireval_site.api")),
    path("", include("judging.urls")),
    path("", include("metrics.urls")),
]

handler404 = "ireval_site.errors.not_found"
