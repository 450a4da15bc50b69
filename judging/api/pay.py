"""Pay: what a study costs, what each worker earned, and bonuses."""

from decimal import Decimal

from django.db.models import QuerySet
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import study_for
from judging.api.ids import ID
from judging.api.requester import MOST_ID, person
from judging.models import Bonus, Study, Worker
from judging.pay import bonuses
from judging.pay.earnings import Earnings, earnings
from judging.pay.forecast import Forecast, forecast
from judging.pay.rates import a_judgement, an_hour

STUDY = OpenApiParameter("study", int, OpenApiParameter.PATH)


class Money(serializers.DecimalField):
    """In the study's currency."""

    def __init__(self, **options):
        super().__init__(**{"max_digits": None, "decimal_places": 2} | options)


class EarnedSerializer(serializers.Serializer):
    worker = serializers.CharField(source="name", help_text="What judgements and files call the worker.")
    judged = serializers.IntegerField(help_text="Items answered, checks and surplus answers included.")
    minutes = serializers.FloatField(help_text="That documents were in view until the first answer, as far as it counts.")
    pay = Money(help_text="Without bonuses.")
    bonus = Money()
    total = Money()
    an_hour = Money(allow_null=True, help_text="What an hour of it brought; null for who did no work that is paid.")
    screened_out = serializers.BooleanField()
    rejected = serializers.BooleanField(help_text="On the marketplace: only bonuses are paid.")
    simulated = serializers.BooleanField()
    machine = serializers.BooleanField(help_text="A program, which earns nothing.")


class ForecastSerializer(serializers.Serializer):
    wanted = serializers.IntegerField(help_text="Judgements.")
    judged = serializers.IntegerField()
    more = serializers.IntegerField(help_text="Judgements that may be wanted besides, where workers disagree.")
    planned = Money(help_text="For all that are wanted, at the expected time.")
    cost = Money(help_text="So far, and what is left at what judgements cost so far.")
    most_cost = Money(help_text="The same with those that may be wanted besides.")


class PaySerializer(serializers.Serializer):
    """What a study has cost so far. Workers' pay is rounded to cents each; sums are of the rounded amounts."""

    currency = serializers.CharField()
    pay_a_judgement = serializers.DecimalField(
        max_digits=None, decimal_places=None, help_text="As expected, if paid by the hour."
    )
    pay_an_hour = Money(help_text="As expected, if paid by the judgement.")
    total = Money()
    pay = Money(help_text="For answers.")
    screening = Money(help_text="For who was screened out.")
    bonuses = Money()
    hours = serializers.FloatField()
    median_hourly = Money(allow_null=True)
    lowest_tenth = Money(allow_null=True, help_text="What the lowest tenth of workers got at most, an hour; from ten workers on.")
    forecast = ForecastSerializer()
    workers = EarnedSerializer(many=True)


def pay_of(study: Study, totals: Earnings, ahead: Forecast) -> dict:
    sums = ("total", "pay", "screening", "bonuses", "hours", "median_hourly", "lowest_tenth")
    return {
        "currency": study.currency,
        "pay_a_judgement": a_judgement(study),
        "pay_an_hour": an_hour(study),
        **{name: getattr(totals, name) for name in sums},
        "forecast": ahead,
        "workers": totals.rows,
    }


@extend_schema(parameters=[STUDY])
class PayViewSet(viewsets.GenericViewSet):
    """What a study costs, and what each worker earned."""

    queryset = Study.objects.none()
    serializer_class = PaySerializer
    pagination_class = None
    filter_backends: list = []

    @extend_schema(responses=forced_singular_serializer(PaySerializer), operation_id="studies_pay_retrieve")
    def list(self, request: Request, **kwargs) -> Response:
        """So far and at completion."""
        study = study_for(person(request), self.kwargs["study"])
        totals = earnings(study)
        return Response(PaySerializer(pay_of(study, totals, forecast(study, totals))).data)


class BonusSerializer(serializers.ModelSerializer):
    worker = serializers.CharField(source="worker.__str__", read_only=True, help_text="What judgements call the worker.")
    by = serializers.CharField(source="by.username", read_only=True)

    class Meta:
        model = Bonus
        fields = ["id", "worker", "amount", "reason", "by", "created", "withdrawn"]
        read_only_fields = fields


class GiveSerializer(serializers.Serializer):
    """The same amount to each of the workers."""

    workers = serializers.ListField(
        child=serializers.RegexField(r"^w[0-9]{1,18}\Z", help_text="As judgements call them: w12."),
        min_length=1,
        max_length=10_000,
    )
    amount = Money(max_digits=7, min_value=Decimal("0.01"), max_value=Decimal("99999.99"))
    reason = serializers.CharField(max_length=200, help_text="In words that the worker may read.")
    after = serializers.IntegerField(
        min_value=0,
        max_value=MOST_ID - 1,
        required=False,
        help_text="The id of the study's latest bonus that you know of; 0: of none. Sent again, it then pays nothing.",
    )

    def validate_workers(self, names: list[str]) -> list[Worker]:
        numbers = sorted({int(name[1:]) for name in names})
        workers = list(self.context["study"].workers.filter(pk__in=numbers, machine="").order_by("pk"))
        missing = sorted(set(numbers) - {worker.pk for worker in workers})
        if missing:
            raise serializers.ValidationError([f"w{number} is no person who works in this study." for number in missing[:10]])
        return workers


@extend_schema(parameters=[STUDY])
class BonusViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet):
    """Money besides what judgements earn. It is withdrawn, never deleted."""

    queryset = Bonus.objects.none()
    serializer_class = BonusSerializer
    lookup_value_regex = ID

    def initial(self, request: Request, *args, **kwargs) -> None:
        super().initial(request, *args, **kwargs)
        self.study = study_for(person(request), self.kwargs["study"])

    def get_queryset(self) -> QuerySet[Bonus]:
        return bonuses.bonuses_of(self.study)

    @extend_schema(request=GiveSerializer, responses={201: BonusSerializer(many=True)})
    def create(self, request: Request, **kwargs) -> Response:
        """Give one or several workers a bonus."""
        serializer = GiveSerializer(data=request.data, context={"study": self.study})
        serializer.is_valid(raise_exception=True)
        rows = bonuses.give(self.study, by=person(request), **serializer.validated_data)
        return Response(BonusSerializer(rows, many=True).data, status=201)

    @extend_schema(request=None, responses=BonusSerializer)
    @action(detail=True, methods=["post"])
    def withdraw(self, request: Request, **kwargs) -> Response:
        """Take a bonus back. It stays in the list."""
        bonuses.withdraw(self.get_object(), by=person(request))
        return Response(self.get_serializer(self.get_object()).data)
