"""Enquiries: workers' questions to the researchers of a study, and the replies."""

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import study_for
from judging.api.ids import ID
from judging.api.requester import person
from judging.models import Enquiry, Item, Worker
from judging.recruiting import identity
from judging.work.enquiries import MOST_TEXT, enquiries_of, item_for, reply


class EnquirySerializer(serializers.ModelSerializer):
    """A worker's question, with what it is about and its reply."""

    worker = serializers.CharField(source="worker.__str__", help_text="What judgements call the worker.")
    topic = serializers.CharField(source="item.topic.number", default=None, allow_null=True)
    docno = serializers.CharField(source="item.document.docno", default=None, allow_null=True)
    replied_by = serializers.CharField(source="replied_by.username", default=None, allow_null=True)

    class Meta:
        model = Enquiry
        fields = ["id", "worker", "topic", "docno", "text", "asked", "reply", "replied", "replied_by", "published", "read"]
        read_only_fields = fields


class ReplySerializer(serializers.Serializer):
    reply = serializers.CharField(max_length=MOST_TEXT)
    published = serializers.BooleanField(default=False, help_text="Show question and reply to all workers of the study.")


class EnquiryFilter(filters.FilterSet):
    open = filters.BooleanFilter(field_name="replied", lookup_expr="isnull", label="Whether they wait for a reply.")


@extend_schema(parameters=[OpenApiParameter("study", int, OpenApiParameter.PATH)])
class EnquiryViewSet(viewsets.ReadOnlyModelViewSet):
    """What workers of a study asked: first those who wait for a reply."""

    queryset = Enquiry.objects.none()
    serializer_class = EnquirySerializer
    lookup_value_regex = ID
    filterset_class = EnquiryFilter

    def get_queryset(self) -> QuerySet[Enquiry]:
        return enquiries_of(study_for(person(self.request), self.kwargs["study"]))

    @extend_schema(request=ReplySerializer, responses=EnquirySerializer)
    @action(detail=True, methods=["post"], filterset_class=None)
    def reply(self, request: Request, **kwargs) -> Response:
        """Reply, once: a second reply is refused (409)."""
        enquiry = self.get_object()
        sent = ReplySerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        wanted = sent.validated_data
        reply(enquiry, text=wanted["reply"], published=wanted["published"], by=person(request))
        return Response(self.get_serializer(self.get_object()).data)


class OwnEnquirySerializer(serializers.ModelSerializer):
    class Meta:
        model = Enquiry
        fields = ["id", "text", "asked", "reply", "replied"]
        read_only_fields = fields


class AskSerializer(serializers.Serializer):
    text = serializers.CharField(max_length=MOST_TEXT)
    offer = serializers.CharField(
        max_length=200, allow_blank=True, default="", help_text="Of the item that you ask about; empty: about the study."
    )

    def validate_offer(self, text: str) -> Item | None:
        offer = identity.read_offer(text, self.context["worker"]) if text else None
        item = item_for(self.context["worker"], offer.item_id) if offer else None
        if text and item is None:
            raise serializers.ValidationError("This is not an offer that was made to you, or its item was taken back.")
        return item


def sent_question(worker: Worker, data: dict | list) -> dict:
    """What a worker asks, and about what."""
    sent = AskSerializer(data=data, context={"worker": worker})
    sent.is_valid(raise_exception=True)
    return {"text": sent.validated_data["text"], "item": sent.validated_data["offer"] or None}
