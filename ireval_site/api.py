"""The API's addresses: everything under its version, with its schema and a page to try it on."""

from django.urls import include, path, re_path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.routers import SimpleRouter

import judging.api.urls
import metrics.api.urls

router = SimpleRouter()
judging.api.urls.register(router)
metrics.api.urls.register(router)


v1 = [
    path("schema/", SpectacularAPIView.as_view(api_version="v1"), name="schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(template_name="api_docs.html", metadata_class=None), name="api_docs"),
    *router.urls,
]

urlpatterns = [re_path("^(?P<version>v1)/", include(v1))]
