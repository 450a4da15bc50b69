from collections.abc import Callable
from functools import cached_property

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import graded_for, qrels_for, study_for
from judging.api.ids import ID
from judging.api.requester import Accessible, person
from judging.forms.checks import MOST
from judging.labels import gold_choice, known_pairs
from judging.models import Item, Listing, Study
from judging.work import checks

BEFORE_OR_AMONG = [(role.value, role.label) for role in (Item.Role.GOLD, Item.Role.TEST, Item.Role.TRAINING, Item.Role.ATTENTION)]


class CheckSerializer(serializers.ModelSerializer):
    topic = serializers.CharField(source="topic.number", max_length=200, help_text="The collection's own id of the topic.")
    docno = serializers.CharField(
        source="document.docno",
        max_length=200,
        allow_null=True,
        help_text="The collection's own id of the document; null for a pair of lists.",
    )
    better = serializers.SerializerMethodField(help_text="Of a pair of lists: the docnos of the better one.")
    worse = serializers.SerializerMethodField(help_text="… and of the other one.")
    role = serializers.ChoiceField(BEFORE_OR_AMONG)
    right = serializers.ListField(
        child=serializers.IntegerField(),
        min_length=1,
        max_length=10,
        help_text="The grades that are right; of a pair those that call the better list better, by however much.",
    )
    explanation = serializers.CharField(
        max_length=5000, allow_blank=True, default="", help_text="In training: what workers read after their answer. Markdown."
    )
    answered = serializers.SerializerMethodField(help_text="By how many workers.")
    answered_rightly = serializers.SerializerMethodField()

    class Meta:
        model = Item
        fields = ["id", "role", "topic", "docno", "better", "worse", "right", "explanation", "answered", "answered_rightly"]

    @property
    def study(self) -> Study:
        return self.context["study"]

    def get_better(self, item: Item) -> list[str] | None:
        return docnos(item.first)

    def get_worse(self, item: Item) -> list[str] | None:
        return docnos(item.second)

    def get_answered(self, item: Item) -> int:
        return self.score(item).answered

    def get_answered_rightly(self, item: Item) -> int:
        return self.score(item).right

    def score(self, item: Item) -> checks.Score:
        return self.scores.get(item.pk, checks.Score(0, 0))

    @cached_property
    def scores(self) -> dict[int, checks.Score]:
        return checks.scores(self.study)

    def validate_right(self, right: list[int]) -> list[int]:
        strange = sorted(set(right) - set(self.study.grades))
        if strange:
            raise serializers.ValidationError(f"{strange[0]} is not a grade of this study.")
        return sorted(set(right))

    def validate(self, data: dict) -> dict:
        """Topic and document as the verbs take them."""
        collection = self.study.collection
        topic = collection.topics.filter(number=data.pop("topic")["number"]).first()
        document = collection.documents.filter(docno=data.pop("document")["docno"]).first()
        missing = {"topic": topic, "docno": document}
        wrong = {name: ["The study's collection has none of this id."] for name, row in missing.items() if row is None}
        if wrong:
            raise serializers.ValidationError(wrong)
        return {**data, "topic": topic, "document": document}


def docnos(listing: Listing | None) -> list[str] | None:
    return [row["docno"] for row in listing.results] if listing else None


class CountSerializer(serializers.Serializer):
    count = serializers.IntegerField(min_value=1, max_value=MOST, help_text="How many, at most.")


class TakeSerializer(CountSerializer):
    qrels = Accessible(qrels_for, help_text="A qrels version of the study's collection.")
    role = serializers.ChoiceField(BEFORE_OR_AMONG[:-1])
    grade = serializers.IntegerField(
        required=False, allow_null=True, help_text="Documents of this grade only; else of every grade in turn."
    )
    leeway = serializers.IntegerField(
        min_value=0, max_value=9, default=0, help_text="Grades so far from the known one are right, too."
    )


class TakePairsSerializer(CountSerializer):
    qrels = Accessible(qrels_for, help_text="A qrels version of the study's collection.")
    role = serializers.ChoiceField(BEFORE_OR_AMONG[:-1])


class MadeSerializer(serializers.Serializer):
    made = serializers.IntegerField()


class CheckFilter(filters.FilterSet):
    class Meta:
        model = Item
        fields = ["role"]


@extend_schema(parameters=[OpenApiParameter("study", int, OpenApiParameter.PATH)])
class CheckViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet):
    """A study's items with known grades: training and the qualification test before the work, gold and attention checks in it."""

    queryset = Item.objects.none()
    serializer_class = CheckSerializer
    of_documents = frozenset({"create", "promote", "attention"})  # the other actions are those of pairs, too
    filterset_class = CheckFilter
    lookup_value_regex = ID

    def initial(self, request: Request, *args, **kwargs) -> None:
        super().initial(request, *args, **kwargs)
        of_kind = graded_for if self.action in self.of_documents else study_for
        self.study = of_kind(person(request), self.kwargs["study"])

    def get_queryset(self) -> QuerySet[Item]:
        items = self.study.items.filter(role__in=checks.ASKED)
        return items.select_related("topic", "document", "first", "second").order_by("role", "position")

    def get_serializer_context(self) -> dict:
        return {**super().get_serializer_context(), "study": getattr(self, "study", None)}

    @extend_schema(request=CheckSerializer, responses={201: CheckSerializer})
    def create(self, request: Request, **kwargs) -> Response:
        """Make a check of one document. Of a launched study it is not in the pool: what is pooled gets its grades from workers.
        In a draft it may be: with one right grade it then has that one, and is no work."""
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        wanted = serializer.validated_data
        role = Item.Role(wanted.pop("role"))
        item = gold_choice.add(self.study, role=role, **wanted, by=person(request))
        return Response(self.get_serializer(self.get_queryset().get(pk=item.pk)).data, status=201)

    @extend_schema(request=TakeSerializer, responses={201: MadeSerializer})
    @action(detail=False, methods=["post"], pagination_class=None)
    def take(self, request: Request, **kwargs) -> Response:
        """Make checks of judged documents outside the pool: of one grade, or as many of each grade as there are.

        Of a side-by-side study they are pairs: a run's list beside one without anything relevant; `grade` and `leeway` mean
        nothing there.
        """
        take: Callable[..., int] = known_pairs.take_from_qrels if self.study.compares else gold_choice.take_from_qrels
        serializer_of = TakePairsSerializer if self.study.compares else TakeSerializer
        serializer = serializer_of(data=request.data, context=self.get_serializer_context())
        serializer.is_valid(raise_exception=True)
        wanted = serializer.validated_data
        if wanted["qrels"].collection_id != self.study.collection_id:
            raise serializers.ValidationError({"qrels": ["These are of another collection."]})
        if wanted.get("grade") is not None and wanted["grade"] not in self.study.grades:
            raise serializers.ValidationError({"grade": [f"{wanted['grade']} is not a grade of this study."]})
        role = Item.Role(wanted.pop("role"))
        return count_response(lambda: take(self.study, role=role, by=person(request), **wanted))

    @extend_schema(request=CountSerializer, responses={201: MadeSerializer})
    @action(detail=False, methods=["post"], pagination_class=None)
    def promote(self, request: Request, **kwargs) -> Response:
        """Make gold of items on which all workers agreed."""
        return count_response(lambda: gold_choice.promote(self.study, count=self.count(), by=person(request)))

    @extend_schema(request=CountSerializer, responses={201: MadeSerializer})
    @action(detail=False, methods=["post"], pagination_class=None)
    def attention(self, request: Request, **kwargs) -> Response:
        """Ask of documents of other topics: whoever reads them gives the lowest grade."""
        return count_response(lambda: gold_choice.attention(self.study, count=self.count(), by=person(request)))

    @extend_schema(request=None, responses={204: None})
    @action(detail=True, methods=["post"], pagination_class=None)
    def withdraw(self, request: Request, **kwargs) -> Response:
        """Ask the check of nobody any more. What was answered is kept; what was promoted from the pool is work again."""
        gold_choice.withdraw(self.get_object(), by=person(request))
        return Response(status=204)

    def count(self) -> int:
        serializer = CountSerializer(data=self.request.data)
        serializer.is_valid(raise_exception=True)
        return serializer.validated_data["count"]


def count_response(make: Callable[[], int]) -> Response:
    return Response({"made": make()}, status=201)
