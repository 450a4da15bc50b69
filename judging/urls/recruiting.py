from django.urls import path, register_converter

from judging.models import Channel
from judging.views import arrivals as arrive
from judging.views import channels, open_call


class SourceConverter:
    regex = "|".join(Channel.Source.values)

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class RefusalConverter(SourceConverter):
    regex = "|".join(arrive.STATUSES)


register_converter(SourceConverter, "source")
register_converter(RefusalConverter, "why")

urlpatterns = [
    # from marketplaces
    path("arrive/", arrive.arrived, name="arrived"),
    path("arrive/<str:token>/", arrive.follow_channel, name="follow_channel"),
    path("arrive/<str:token>/<why:why>/", arrive.arrival_refused, name="arrival_refused"),
    path("arrive/again/<str:token>/", arrive.readmit, name="readmit"),
    path("hooks/<id:channel_id>/", arrive.hear, name="hear"),
    # with an account
    path("open/", open_call.open_call, name="open_call"),
    path("open/<id:study_id>/", open_call.open_join, name="open_join"),
    # researchers
    path("studies/<id:pk>/channels/new/<source:source>/", channels.channel_new, name="channel_new"),
    path("studies/<id:pk>/channels/<id:channel_pk>/", channels.channel_edit, name="channel_edit"),
    path("studies/<id:pk>/channels/<id:channel_pk>/revoke/", channels.channel_revoke, name="channel_revoke"),
    path("studies/<id:pk>/arrivals/", channels.study_arrivals, name="study_arrivals"),
    path("studies/<id:pk>/arrivals.csv", channels.arrivals_file, name="arrivals_file"),
    path("studies/<id:pk>/arrivals/<id:arrival_pk>/erase/", channels.arrival_erase, name="arrival_erase"),
    path("studies/<id:pk>/arrivals/<id:arrival_pk>/readmit/", channels.arrival_readmit, name="arrival_readmit"),
    path("studies/<id:pk>/open-call/", channels.open_call_set, name="open_call_set"),
]
