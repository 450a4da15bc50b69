from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, PolymorphicProxySerializer, extend_schema
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from judging import audit
from judging.access import collections_for, qrels_for, researchers, runs_for, studies_for
from judging.api.comparison import ComparisonSerializer, PairPlanSerializer
from judging.api.errors import Conflict
from judging.api.growth import ChosenField, GrowthSerializer, NewItemsSerializer
from judging.api.ids import ID, IdFilter
from judging.api.number_fields import FiniteField
from judging.api.plan import PlanSerializer, ProgressSerializer, StoppingSerializer
from judging.api.pools import TextsField, check_pool, refuse_pool_of_lists
from judging.api.priority import ChangedItemsSerializer, ChangedVotesSerializer, PrioritySerializer, VotesSerializer
from judging.api.qrels import QrelsSerializer
from judging.api.questions import QuestionResultSerializer, QuestionsField
from judging.api.requester import Accessible, OnlyResearchersCreate, RelatedRow, person, refuse_others
from judging.api.scale import ScaleField
from judging.collections.deletion import delete_study
from judging.collections.storage import NameTaken
from judging.forms.growth import MOST
from judging.forms.pay import WhatIf
from judging.labels import reply_labels, settlement, study_progress
from judging.labels.aggregation import METHOD_CHOICES
from judging.labels.stopping import stopping_of
from judging.models import Collection, Comparison, Question, Study, User
from judging.models.comparison import MOST_DEPTH
from judging.models.question import LONGEST_NAME, check_together
from judging.studies import launch, pair_plan
from judging.studies.growth import add_items
from judging.studies.pair_power import pair_detection
from judging.studies.pool_plan import plan
from judging.studies.power import detection
from judging.studies.translations import LONGEST, problem
from judging.studies.wanted_votes import set_votes
from judging.work.priority import prioritise

WHAT_IF = [OpenApiParameter(name, str, description="Instead of the study's own.") for name in (*WhatIf.Meta.fields, "paid")]
CHANGEABLE = {"members", "open_call", "language", "gold_every", "pass_mark", "translations"}  # also when the study is launched


class Researcher(RelatedRow, serializers.SlugRelatedField):
    most = 100

    def to_internal_value(self, data: Any) -> User:
        """Who has this name. It is looked at first: PostgreSQL cannot be asked for every text."""
        return super().to_internal_value(serializers.CharField(max_length=150).run_validation(data))


class LaunchSerializer(serializers.Serializer):
    paused = serializers.BooleanField(default=False)


class CountsField(serializers.DictField):
    """The numbers among a study's counts: what else is noted there is how it mixes checks in."""

    def to_representation(self, counts: dict) -> dict:
        return super().to_representation({name: count for name, count in counts.items() if isinstance(count, int)})


class StudySerializer(serializers.ModelSerializer):
    collection = Accessible(collections_for)
    runs = Accessible(runs_for, many=True, required=False, help_text="The runs whose results are pooled.")
    chosen = ChosenField(
        required=False, max_length=MOST, help_text="Documents that are judged instead of a pool, such as those to judge next."
    )
    topic_tags = TextsField(required=False, help_text="Only topics with one of these tags.")
    topic_numbers = TextsField(required=False, help_text="Only these topics, by the collection's own ids.")
    scale = ScaleField(required=False, help_text="The grades, the lowest first.")
    questions = QuestionsField(required=False, help_text="What is asked of each document besides its grade, up to four.")
    translations = serializers.DictField(
        child=serializers.DictField(child=serializers.CharField(allow_blank=True, max_length=LONGEST)),
        required=False,
        help_text="What workers read in other languages: by language (`it`), each of the study's texts and its translation.",
    )
    seconds_a_judgement = serializers.IntegerField(min_value=1, max_value=3600, required=False)
    least_seconds = FiniteField(min_value=0, max_value=3600, required=False, help_text="An answer before is too fast.")
    pay_an_hour = serializers.DecimalField(max_digits=7, decimal_places=2, min_value=Decimal(0), required=False)
    pay_a_judgement = serializers.DecimalField(
        max_digits=7, decimal_places=4, min_value=Decimal(0), required=False, help_text="Instead of by the hour."
    )
    pay_screened_out = serializers.DecimalField(
        max_digits=7, decimal_places=2, min_value=Decimal(0), required=False, help_text="For who fails the qualification test."
    )
    currency = serializers.RegexField("^[A-Z]{3}$", required=False, help_text="Three capital letters.")
    pass_mark = serializers.DecimalField(
        max_digits=4,
        decimal_places=3,
        min_value=Decimal(0),
        max_value=Decimal(1),
        coerce_to_string=False,
        required=False,
        help_text="Which share of the qualification test must be right.",
    )
    comparison = ComparisonSerializer(
        required=False, allow_null=True, help_text="Of a side-by-side study; null for a graded one."
    )
    members = Researcher(
        slug_field="username",
        many=True,
        required=False,
        queryset=researchers(),
        help_text="The researchers who run it. Whoever creates it is one.",
    )
    pool_counts = CountsField(
        child=serializers.IntegerField(), read_only=True, help_text="What launching found: items, topics, and what was left out."
    )

    class Meta:
        model = Study
        fields = [
            "id", "collection", "kind", "comparison", "name", "state", "instructions", "consent",
            "scale", "questions", "translations", "runs", "chosen", "depth", "topic_tags", "topic_numbers",
            "topic_count", "topic_seed", "judgement_budget", "money_budget", "overlap", "most_overlap",
            "certainty", "most_judgements", "lease_minutes", "seconds_a_judgement", "least_seconds",
            "pay_an_hour", "pay_a_judgement", "pay_screened_out", "currency",
            "open_call", "language", "members", "created", "launched",
            "archived", "pool_counts", "gold_every", "pass_mark",
        ]  # fmt: skip
        read_only_fields = ["state", "created", "launched", "archived"]
        validators: list = []  # a name that is taken is a conflict, not a mistake in the form

    def validate_collection(self, collection: Collection) -> Collection:
        if self.instance and self.instance.collection_id != collection.pk:
            raise serializers.ValidationError("A study stays with its collection: its runs belong there.")
        return collection

    def get_fields(self) -> dict[str, serializers.Field]:
        """What a side-by-side study has already counts when a part of it is changed."""
        fields = super().get_fields()
        if isinstance(self.instance, Study) and self.instance.compares:
            fields["comparison"] = ComparisonSerializer(self.instance.comparison, required=False)
        return fields

    def validate_kind(self, kind: str) -> str:
        if self.instance and self.instance.kind != kind:
            raise serializers.ValidationError("A study stays of its kind. Make another one.")
        return kind

    def validate_members(self, members: list[User]) -> list[User]:
        if not members:
            raise serializers.ValidationError("Somebody must run it.")
        return members

    def validate(self, data: dict) -> dict:
        collection = self.instance.collection if self.instance else data["collection"]
        foreign = [run.name for run in data.get("runs", []) if run.collection_id != collection.pk]
        if foreign:
            raise serializers.ValidationError({"runs": [f"“{name}” is not a run of this collection." for name in foreign]})
        least, most = (data.get(name, getattr(self.instance, name, None)) for name in ("overlap", "most_overlap"))
        if most is not None and most < (least or 1):
            raise serializers.ValidationError({"most_overlap": [f"Expected at least the overlap, {least or 1}."]})
        if all(data.get(name, getattr(self.instance, name, 0)) for name in ("pay_an_hour", "pay_a_judgement")):
            raise serializers.ValidationError(
                {"pay_a_judgement": ["Pay by the hour or by the judgement, not both: set the other to 0."]}
            )
        check_pool(data, self.instance, collection)
        self.validate_together(data)
        return data | self.compared(data)

    def validate_together(self, data: dict) -> None:
        """Questions have names of their own and pay where each judgement is paid. A side-by-side study has a question already."""
        questions = data.get("questions", getattr(self.instance, "questions", []))
        kind = self.instance.kind if self.instance else data.get("kind", Study.Kind.GRADED)
        pays_each = bool(data.get("pay_a_judgement", getattr(self.instance, "pay_a_judgement", 0)))
        if questions and kind != Study.Kind.GRADED:
            raise serializers.ValidationError({"questions": ["Only a graded study has further questions."]})
        check_together([Question(**question) for question in questions], pays_each=pays_each)

    def compared(self, data: dict) -> dict:
        """What is compared, of a side-by-side study and of no other; its baseline is one of its runs."""
        kind = self.instance.kind if self.instance else data.get("kind", Study.Kind.GRADED)
        if kind == Study.Kind.GRADED:
            if data.get("comparison"):
                raise serializers.ValidationError({"comparison": ["Only a study of the kind “side_by_side” has one."]})
            return {"comparison": None}
        if data.get("chosen"):
            raise serializers.ValidationError({"chosen": ["Only a graded study judges chosen documents."]})
        refuse_pool_of_lists(data)
        if data.get("depth", 0) > MOST_DEPTH:
            raise serializers.ValidationError({"depth": [f"At most {MOST_DEPTH} results per list: nobody compares more."]})
        comparison = data.get("comparison") or {}
        runs = data.get("runs", self.instance.runs.all() if self.instance else [])
        if comparison.get("baseline") and comparison["baseline"] not in runs:
            raise serializers.ValidationError({"comparison": {"baseline": ["Choose one of the study's runs."]}})
        return {"comparison": comparison}

    def create(self, validated_data: dict) -> Study:
        comparison = validated_data.pop("comparison")
        study = super().create(validated_data)
        if study.compares:
            Comparison.objects.create(study=study, **comparison)
        return self.with_known_texts(study, validated_data)

    def update(self, study: Study, validated_data: dict) -> Study:
        comparison = validated_data.pop("comparison")
        if comparison:
            Comparison.objects.filter(study=study).update(**comparison)
            study.refresh_from_db()
        return self.with_known_texts(super().update(study, validated_data), validated_data)

    def with_known_texts(self, study: Study, validated_data: dict) -> Study:
        """The study, if what is translated is a text that it has now."""
        if "translations" in validated_data and (why := problem(study, study.translations)):
            raise serializers.ValidationError({"translations": [why]})
        return study


class SettlingSerializer(serializers.Serializer):
    method = serializers.ChoiceField(
        [(choice.name, choice.title) for choice in METHOD_CHOICES.values()],
        required=False,
        help_text="How many votes become one grade. Default: `ordinal`, and `majority` where one worker judges each item.",
    )
    question = serializers.CharField(
        max_length=LONGEST_NAME, required=False, help_text="The name of a further question, whose replies are settled instead."
    )


class StudyFilter(filters.FilterSet):
    collection = IdFilter(field_name="collection_id", help_text="A collection's id.")
    name = filters.CharFilter(lookup_expr="icontains", help_text="A part of the name.")
    archived = filters.BooleanFilter(
        lookup_expr="isnull", exclude=True, help_text="Only those that are archived, which are left out otherwise."
    )

    class Meta:
        model = Study
        fields = ["state"]


class StudyViewSet(viewsets.ModelViewSet):
    """A job for workers. A draft may be changed; launching settles what will be judged. With judgements it is never deleted."""

    queryset = Study.objects.none()
    serializer_class = StudySerializer
    filterset_class = StudyFilter
    permission_classes = [IsAuthenticated, OnlyResearchersCreate]
    lookup_value_regex = ID
    http_method_names = ["get", "post", "patch", "delete", "head", "options"]

    def get_queryset(self) -> QuerySet[Study]:
        mine = studies_for(person(self.request)).select_related("collection")
        if self.action == "list" and "archived" not in self.request.query_params:
            mine = mine.filter(archived__isnull=True)
        return mine.select_related("comparison").prefetch_related("runs", "members").order_by("-created", "-id")

    def perform_create(self, serializer: serializers.BaseSerializer) -> None:
        me = person(self.request)
        save(serializer, created_by=me, members=[me, *serializer.validated_data.get("members", [])])

    def perform_update(self, serializer: serializers.BaseSerializer) -> None:
        """Change a draft. Its row is locked: saved beside a launch, it would turn back into a draft."""
        with transaction.atomic():
            study = Study.objects.select_for_update().get(pk=self.kwargs["pk"])
            if "members" in serializer.validated_data:
                refuse_others(person(self.request), study, "who runs it")
            changes = {name for name, value in serializer.validated_data.items() if name != "comparison" or value}
            if study.is_launched and changes - CHANGEABLE:
                raise Conflict(
                    "This study is launched: its workers have been promised what it says. "
                    "Only members, the open call, translations, and how gold and the test are used can be changed."
                )
            serializer.instance = study
            names = [name for name in serializer.validated_data if name != "comparison"]
            before = audit.settings_of(study, names)
            save(serializer)
            after = audit.settings_of(Study.objects.get(pk=study.pk), names)
            audit.note_changes(study, before, after, by=person(self.request))

    def perform_destroy(self, instance: Study) -> None:
        delete_study(instance, by=person(self.request))

    @extend_schema(
        responses=PolymorphicProxySerializer("AnyPlan", [PlanSerializer, PairPlanSerializer], None, many=False),
        parameters=WHAT_IF,
    )
    @action(detail=True)
    def plan(self, request: Request, **kwargs) -> Response:
        """The size and the cost of the pool before launch, and what the study could find out; also with other settings."""
        study = self.get_object()
        form = WhatIf(request.query_params.dict(), instance=study)
        if not form.is_valid():
            raise serializers.ValidationError({name: list(map(str, errors)) for name, errors in form.errors.items()})
        if study.compares:
            pairs = pair_plan.plan(study)
            return Response(PairPlanSerializer(pairs, context={"detection": pair_detection(pairs) if pairs.items else None}).data)
        planned = plan(study)
        readable = qrels_for(person(request))
        context = {"detection": detection(study, planned.topics, readable=readable) if planned.topics else None}
        return Response(PlanSerializer(planned, context=context).data)

    @extend_schema(request=LaunchSerializer, responses=StudySerializer)
    @action(detail=True, methods=["post"])
    def launch(self, request: Request, **kwargs) -> Response:
        """Settle what will be judged and open the study to workers; `paused` leaves time to make checks before."""
        study = self.get_object()
        serializer = LaunchSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        launch.launch(study, by=person(request), **serializer.validated_data)
        return self.state_of(study)

    @extend_schema(request=None, responses=StudySerializer)
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, **kwargs) -> Response:
        """Give out nothing new; what workers hold they may still answer."""
        return self.moved(launch.pause, Study.State.PAUSED)

    @extend_schema(request=None, responses=StudySerializer)
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, **kwargs) -> Response:
        """Open a paused or closed study again; one that is archived has to be restored first."""
        return self.moved(launch.resume, Study.State.RUNNING)

    @extend_schema(request=None, responses=StudySerializer)
    @action(detail=True, methods=["post"])
    def close(self, request: Request, **kwargs) -> Response:
        """End the study; it can be resumed."""
        return self.moved(launch.close, Study.State.CLOSED)

    @extend_schema(request=None, responses=StudySerializer)
    @action(detail=True, methods=["post"])
    def archive(self, request: Request, **kwargs) -> Response:
        """Close the study and leave it out of lists; nothing of it is lost."""
        return self.moved(launch.archive, Study.State.CLOSED)

    @extend_schema(request=None, responses=StudySerializer)
    @action(detail=True, methods=["post"])
    def restore(self, request: Request, **kwargs) -> Response:
        """Bring an archived study back into lists, closed as it is."""
        study = self.get_object()
        launch.restore(study, by=person(request))
        study.refresh_from_db(fields=["archived"])
        return self.state_of(study)

    @extend_schema(request=PrioritySerializer, responses=ChangedItemsSerializer)
    @action(detail=True, methods=["post"])
    def first(self, request: Request, **kwargs) -> Response:
        """Have documents judged before all others, or (`urgent` false) in their turn again."""
        study = self.graded()
        serializer = PrioritySerializer(data=request.data, context={"study": study})
        serializer.is_valid(raise_exception=True)
        changed = prioritise(study, serializer.validated_data["items"], urgent=serializer.validated_data["urgent"])
        return Response({"changed": changed})

    @extend_schema(request=VotesSerializer, responses=ChangedVotesSerializer)
    @action(detail=True, methods=["post"])
    def votes(self, request: Request, **kwargs) -> Response:
        """Have so many workers judge each of these documents: more than all are judged by, or as many again.

        Judgements that are there, or are being made, stay."""
        study = self.graded()
        serializer = VotesSerializer(data=request.data, context={"study": study})
        serializer.is_valid(raise_exception=True)
        change = set_votes(study, serializer.validated_data["items"], serializer.validated_data["votes"], by=person(request))
        return Response({"changed": change.items, "more": change.more, "fewer": change.fewer})

    @extend_schema(request=NewItemsSerializer, responses=GrowthSerializer)
    @action(detail=True, methods=["post"])
    def items(self, request: Request, **kwargs) -> Response:
        """Have a launched graded study's workers judge further documents; those that it has stay as they are."""
        study = self.get_object()
        serializer = NewItemsSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        return Response(GrowthSerializer(add_items(study, serializer.pairs, by=person(request))).data)

    @extend_schema(responses=ProgressSerializer)
    @action(detail=True)
    def progress(self, request: Request, **kwargs) -> Response:
        """How far the workers are."""
        return Response(ProgressSerializer(study_progress.progress(self.get_object())).data)

    @extend_schema(responses=StoppingSerializer)
    @action(detail=True)
    def stopping(self, request: Request, **kwargs) -> Response:
        """Whether it is settled which run is best, whenever one asks, and about how many judgements more it takes otherwise."""
        return Response(StoppingSerializer(stopping_of(self.graded())).data)

    @extend_schema(request=SettlingSerializer, responses={201: QrelsSerializer})
    @action(detail=True, methods=["post"])
    def settle(self, request: Request, **kwargs) -> Response:
        """Freeze the grades, or the replies to a further question, as a new version of qrels, named for the study."""
        serializer = SettlingSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        study, method, name = self.graded(), serializer.validated_data.get("method"), serializer.validated_data.get("question")
        if name:
            question = reply_labels.question_of(study, name)
            qrels = reply_labels.settle_as_qrels(study, question, by=person(request), method=method)
        else:
            qrels = settlement.settle_as_qrels(study, by=person(request), method=method)
        return Response(QrelsSerializer(qrels).data, status=201)

    @extend_schema(responses=QuestionResultSerializer(many=True))
    @action(detail=True, pagination_class=None, filterset_class=None)
    def questions(self, request: Request, **kwargs) -> Response:
        """What workers replied to the further questions so far, and how far they agree."""
        return Response(QuestionResultSerializer(reply_labels.question_results(self.graded()), many=True).data)

    def graded(self) -> Study:
        study = self.get_object()
        if study.compares:
            raise Conflict("This study compares lists: its workers grade no documents.")
        return study

    def moved(self, move, target: Study.State) -> Response:
        study = self.get_object()
        move(study, by=person(self.request))
        study.refresh_from_db(fields=["state", "archived"])
        if study.state != target:
            now = "archived" if study.archived else study.get_state_display().lower()
            raise Conflict(f"This study is {now}, so it cannot become {target.label.lower()}.")
        return self.state_of(study)

    def state_of(self, study: Study) -> Response:
        return Response(self.get_serializer(study).data)


def save(serializer: serializers.BaseSerializer, **fields) -> None:
    """Two may ask for the same name at once, so only the database can tell."""
    try:
        with transaction.atomic():
            serializer.save(**fields)
    except IntegrityError:
        raise NameTaken(
            f"This collection already has a study “{serializer.validated_data.get('name')}”. Choose another name."
        ) from None
