from django.db.models import Count, Q, QuerySet
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from ireval_site.addresses import public_address
from judging.api.enquiries import AskSerializer, OwnEnquirySerializer, sent_question
from judging.api.errors import Conflict
from judging.api.ids import ID
from judging.api.join import (
    InvitationSerializer,
    JoiningSerializer,
    OpenStudySerializer,
    StudyForWorkersSerializer,
    WorkRowSerializer,
    WorkSerializer,
)
from judging.api.judge import AnsweredSerializer, AnswerSerializer, ItemSerializer, OwnJudgementSerializer, items
from judging.api.requester import person
from judging.models import Item, Judgement, Worker
from judging.recruiting import invites
from judging.work import assignment
from judging.work.answers import WorkIsGone, record_judgement
from judging.work.enquiries import ask, own_enquiries


class WorkViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet):
    """The studies that you work in: judging without a browser, by the verbs that stand behind the judge page."""

    queryset = Worker.objects.none()
    serializer_class = WorkSerializer
    lookup_field = "study"
    lookup_value_regex = ID

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return WorkRowSerializer if self.action == "list" else WorkSerializer

    def get_queryset(self) -> QuerySet[Worker]:
        judged = Count("judgements", filter=Q(judgements__revised_by__isnull=True))
        mine = Worker.objects.filter(user=person(self.request)).select_related("study__comparison")
        return mine.annotate(judged=judged).order_by("-consented", "-id")

    def grading(self) -> Worker:
        """The worker, who judges documents: two lists are compared on the page."""
        worker = self.get_object()
        if worker.study.compares:
            page = public_address(self.request, reverse("judge", args=[worker.study_id]))
            raise Conflict(f"This study compares lists side by side: judge it on its page, {page}")
        return worker

    @extend_schema(responses=OpenStudySerializer(many=True))
    @action(detail=False)
    def open(self, request: Request, **kwargs) -> Response:
        """The open call: studies that everybody with an account can join, without a link."""
        page = self.paginate_queryset(invites.open_studies(person(self.request)))
        return self.get_paginated_response(OpenStudySerializer(page, many=True).data)

    @extend_schema(request=InvitationSerializer, responses=StudyForWorkersSerializer)
    @action(detail=False, methods=["post"], pagination_class=None)
    def invitation(self, request: Request, **kwargs) -> Response:
        """What a link invites to: its instructions and what you would consent to."""
        serializer = InvitationSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        return Response(StudyForWorkersSerializer(serializer.validated_data["link"].study).data)

    @extend_schema(request=JoiningSerializer, responses={201: WorkSerializer})
    @action(detail=False, methods=["post"], pagination_class=None)
    def join(self, request: Request, **kwargs) -> Response:
        """Take part, by a link or the open call. Joining again changes nothing; a machine judge stays the machine that it is."""
        serializer = JoiningSerializer(data=request.data, context=self.get_serializer_context())
        serializer.is_valid(raise_exception=True)
        link, machine = serializer.validated_data.get("link"), serializer.validated_data.get("machine", "")
        study = link.study if link else serializer.validated_data["study"]
        worker = invites.join(study, link=link, user=person(request), machine=machine)
        if worker.machine != machine:
            raise Conflict(f"This account already takes part {f'as “{worker.machine}”' if worker.machine else 'as a person'}.")
        return Response(self.get_serializer(self.get_queryset().get(pk=worker.pk)).data, status=201)

    @extend_schema(request=None, responses=ItemSerializer(many=True))
    @action(detail=True, methods=["post"], pagination_class=None)
    def next(self, request: Request, **kwargs) -> Response:
        """Up to two items to judge, kept for you for a while. Asking again gives the same; none: there is nothing left.

        A side-by-side study is judged on its page alone: 409.
        """
        worker = self.grading()
        return Response(items(worker, assignment.next_slots(worker, count=2)))

    @extend_schema(request=AnswerSerializer, responses={201: AnsweredSerializer})
    @action(detail=True, methods=["post"], pagination_class=None)
    def answer(self, request: Request, **kwargs) -> Response:
        """Store an answer and get what comes next. Another answer to the same item replaces the first."""
        worker = self.grading()
        sent = AnswerSerializer(data=request.data, context={"worker": worker})
        sent.is_valid(raise_exception=True)
        item = Item.objects.select_related("topic", "document").filter(pk=sent.validated_data["offer"].item_id).first()
        if item is None:
            raise WorkIsGone
        judgement = record_judgement(worker=worker, item=item, answer=sent.answer(), ahead=2)
        slots = assignment.next_slots(worker, count=2)
        return Response({"judgement": OwnJudgementSerializer(judgement).data, "next": items(worker, slots)}, status=201)

    @extend_schema(responses=OwnJudgementSerializer(many=True))
    @action(detail=True)
    def judgements(self, request: Request, **kwargs) -> Response:
        """Your own answers that stand, the latest first."""
        mine = Judgement.objects.filter(worker=self.grading()).standing()
        page = self.paginate_queryset(mine.select_related("item__topic", "item__document").order_by("-id"))
        return self.get_paginated_response(OwnJudgementSerializer(page, many=True).data)

    @extend_schema(responses=OwnEnquirySerializer(many=True))
    @action(detail=True)
    def enquiries(self, request: Request, **kwargs) -> Response:
        """Your questions to the researchers with their replies, the latest first."""
        page = self.paginate_queryset(own_enquiries(self.get_object()))
        return self.get_paginated_response(OwnEnquirySerializer(page, many=True).data)

    @extend_schema(request=AskSerializer, responses={201: OwnEnquirySerializer})
    @enquiries.mapping.post
    def ask(self, request: Request, **kwargs) -> Response:
        """Ask the researchers something, about the study or an item. At most 20 questions may wait for a reply (409)."""
        worker = self.get_object()
        enquiry = ask(worker=worker, **sent_question(worker, request.data))
        return Response(OwnEnquirySerializer(enquiry).data, status=201)

    @extend_schema(request=None, responses={204: None})
    @action(detail=True, methods=["post"], pagination_class=None)
    def leave(self, request: Request, **kwargs) -> Response:
        """Give back what you hold, for somebody else to judge. What you answered stays."""
        assignment.give_back(self.get_object())
        return Response(status=204)
