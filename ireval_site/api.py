"""The API's addresses: everything under its version, with its schema and a page to try it on."""

from django.urls import include, path, re_path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.routers import SimpleRouter

import judging.api.urls
import metrics.api.urls

router = SimpleRouter()
judging.api.urls.register(router)
metrics.api.urls.register(router)


class Docs(SpectacularSwaggerSplitView):
    template_name = "api_docs.html"
    http_method_names = ["get", "head"]  # what OPTIONS would answer has no page


v1 = [
    path("schema/", SpectacularAPIView.as_view(api_version="v1"), name="schema"),
    path("docs/", Docs.as_view(), name="api_docs"),
    *router.urls,
]

urlpatterns = [re_path("^(?P<version>v1)/", include(v1))]
