"""The search page."""

from django.urls import path

from judging.views import search

urlpatterns = [
    path("search/", search.sites, name="search_sites"),
    path("search/<slug:slug>/", search.search_page, name="search_page"),
    path("search/<slug:slug>/privacy/", search.search_privacy, name="search_privacy"),
    path("search/<slug:slug>/doc/", search.search_document, name="search_document"),
]
