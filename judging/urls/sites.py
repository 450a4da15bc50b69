"""A site's own pages: its records, keys, quarantine, settings."""

from django.urls import path

from judging.views import site_bots, site_privacy, site_records, site_settings, sites, systems

urlpatterns = [
    path("sites/", sites.sites, name="sites"),
    path("sites/new/", sites.site_new, name="site_new"),
    path("sites/<id:pk>/", sites.site, name="site"),
    path("sites/<id:pk>/systems/", systems.site_systems, name="site_systems"),
    path("sites/<id:pk>/test/", sites.site_test, name="site_test"),
    path("sites/<id:pk>/records/", site_records.site_records, name="site_records"),
    path("sites/<id:pk>/records/<str:place>/", site_records.site_record, name="site_record"),
    path("sites/<id:pk>/quarantine/", site_records.site_quarantine, name="site_quarantine"),
    path("sites/<id:pk>/quarantine/replay/", site_records.quarantine_replay, name="quarantine_replay"),
    path("sites/<id:pk>/settings/", site_settings.site_settings, name="site_settings"),
    path("sites/<id:pk>/keys/", site_settings.key_new, name="key_new"),
    path("sites/<id:pk>/keys/<id:key_pk>/revoke/", site_settings.key_revoke, name="key_revoke"),
    path("sites/<id:pk>/bots/", site_bots.site_bots, name="site_bots"),
    path("sites/<id:pk>/erase/", site_privacy.site_erase, name="site_erase"),
    path("sites/<id:pk>/export/", site_privacy.site_export, name="site_export"),
    path("sites/<id:pk>/delete/", site_settings.site_delete, name="site_delete"),
]
