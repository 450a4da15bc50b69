from django.contrib import admin
from django.urls import include, path, register_converter

from ireval_site.administration import administration, parked_again, parked_drop
from ireval_site.click_grades import site_clicks_keep
from ireval_site.docs import docs
from ireval_site.health import healthz, readyz
from ireval_site.people import KindConverter, hand_over, people, person_remove
from ireval_site.prometheus import prometheus
from judging.views.accounts import enter_admin

register_converter(KindConverter, "kind")

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", prometheus, name="prometheus"),
    # What programs and workers ask for all day is looked for first.
    path("api/", include("ireval_site.api")),
    path("", include("judging.urls")),
    path("administration/", administration, name="administration"),
    path("administration/tasks/<id:pk>/again/", parked_again, name="parked_again"),
    path("administration/tasks/<id:pk>/give-up/", parked_drop, name="parked_drop"),
    path("docs/", docs, name="docs"),
    path("docs/<path:address>", docs, name="docs_page"),
    path("admin/login/", enter_admin),  # instead of the admin's own, which takes names of any length
    path("admin/", admin.site.urls),
    path("sites/<id:pk>/clicks/grades/keep/", site_clicks_keep, name="site_clicks_keep"),
    path("<kind:kind>/<id:pk>/people/", people, name="people"),
    path("<kind:kind>/<id:pk>/people/<id:person_pk>/remove/", person_remove, name="person_remove"),
    path("<kind:kind>/<id:pk>/people/hand-over/", hand_over, name="hand_over"),
    path("", include("metrics.urls")),
]

handler404 = "ireval_site.errors.not_found"
handler500 = "ireval_site.errors.failed"
