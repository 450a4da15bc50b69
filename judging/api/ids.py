"""Ids in addresses and query strings, so bounded that every database can look for them."""

from typing import Any

from django import forms
from django_filters import rest_framework as filters

from judging.database.numbers import Id

ID = Id.regex


class IdFilter(filters.NumberFilter):
    field_class = forms.IntegerField

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, min_value=0, max_value=10**18, **options)
