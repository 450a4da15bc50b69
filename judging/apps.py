from django.apps import AppConfig
from django.urls import register_converter

from judging.database.numbers import Id


class JudgingConfig(AppConfig):
    name = "judging"
    verbose_name = "Judging"

    def ready(self) -> None:
        register_converter(Id, "id")  # in the addresses of both apps, whichever is read first
