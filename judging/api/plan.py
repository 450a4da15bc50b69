"""The plan of a study: what it will ask for, how far it is, and whether it may end."""

from math import isfinite

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from judging.labels import stopping
from judging.labels.stopping import Stopping
from judging.pay.rates import a_judgement, an_hour
from judging.rules.reach import met_by_plan, out_of_reach
from judging.studies.pair_plan import PairPlan
from judging.studies.pool_plan import PoolPlan
from judging.studies.power import Detection


class DetectableSerializer(serializers.Serializer):
    measure = serializers.CharField()
    deviation = serializers.FloatField(help_text="Standard deviation of the differences over topics.")
    smallest = serializers.ListField(
        child=serializers.FloatField(allow_null=True), help_text="For each of `topics`; null where no difference is detectable."
    )
    needed = serializers.IntegerField(help_text="Topics for a difference of `to_find`.")


class DetectionSerializer(serializers.Serializer):
    """The smallest true difference between two systems that so many topics are likely to show (paired t test)."""

    topics = serializers.ListField(child=serializers.IntegerField(), help_text="The study's, twice and four times as many.")
    power = serializers.FloatField()
    alpha = serializers.FloatField(help_text="Shared by all `comparisons` (Bonferroni).")
    comparisons = serializers.IntegerField(help_text="Pairs of the study's runs.")
    source = serializers.CharField(help_text="Where the deviations come from.")  # type: ignore[assignment]
    to_find = serializers.FloatField()
    rows = DetectableSerializer(many=True)


class MetSerializer(serializers.Serializer):
    """What one worker meets who does all that there is for them; of checks among the work, on average."""

    training = serializers.IntegerField()
    test = serializers.IntegerField()
    work = serializers.IntegerField(help_text="Documents to judge, or pairs to compare.")
    gold = serializers.FloatField()
    attention = serializers.FloatField()


def out_of_reach_texts(planned: PoolPlan | PairPlan) -> list[str]:
    return [f"{sentence}. {why}" for sentence, why in out_of_reach(planned.study, met_by_plan(planned))]


class PlanSerializer(serializers.Serializer):
    """What launching would ask for, and why some of the pool is left out."""

    items = serializers.SerializerMethodField(help_text="What would be judged.")
    topics = serializers.IntegerField()
    depth = serializers.IntegerField(help_text="Of the pool: the study's own, or as deep as its budget allows.")
    over_budget = serializers.IntegerField(help_text="Judgements of the shallowest pool, if the budget is too small even for it.")
    pooled = serializers.IntegerField(help_text="Topic and document pairs in the pool.")
    without_topic = serializers.IntegerField(help_text="Of those, how many have a topic that the collection lacks.")
    without_document = serializers.IntegerField(help_text="… or a document that it lacks.")
    overlap = serializers.IntegerField()
    judgements = serializers.IntegerField()
    most_judgements = serializers.IntegerField(help_text="If workers disagree about everything.")
    gold = serializers.IntegerField(help_text="Answers besides, to items whose grade is known.")
    known = serializers.SerializerMethodField(
        help_text="Pooled documents that a check gives a grade, so that nobody judges them."
    )
    met = serializers.SerializerMethodField()
    rules_out_of_reach = serializers.SerializerMethodField(
        help_text="The study's rules that can hardly act on anybody, for want of answers, and why."
    )
    hours = serializers.FloatField()
    pay_a_judgement = serializers.SerializerMethodField(help_text="As expected, if paid by the hour.")
    pay_an_hour = serializers.SerializerMethodField(help_text="As expected, if paid by the judgement.")
    cost = serializers.DecimalField(max_digits=None, decimal_places=2)
    most_cost = serializers.DecimalField(max_digits=None, decimal_places=2)
    detection = serializers.SerializerMethodField(help_text="Null where no topic is in the pool.")

    def get_items(self, planned: PoolPlan) -> int:
        return len(planned.items)

    def get_known(self, planned: PoolPlan) -> int:
        return len(planned.known)

    @extend_schema_field(MetSerializer)
    def get_met(self, planned: PoolPlan) -> dict:
        return MetSerializer(met_by_plan(planned)).data

    def get_rules_out_of_reach(self, planned: PoolPlan) -> list[str]:
        return out_of_reach_texts(planned)

    def get_pay_a_judgement(self, planned: PoolPlan) -> str:
        return str(a_judgement(planned.study))

    def get_pay_an_hour(self, planned: PoolPlan) -> str:
        return str(an_hour(planned.study))

    @extend_schema_field(DetectionSerializer(allow_null=True))
    def get_detection(self, planned: PoolPlan) -> dict | None:
        detection: Detection | None = self.context["detection"]
        return DetectionSerializer(detection).data if detection else None


class ProgressSerializer(serializers.Serializer):
    items = serializers.IntegerField()
    slots = serializers.IntegerField(help_text="Items times workers per item: the judgements wanted.")
    judged = serializers.IntegerField()
    held = serializers.IntegerField(help_text="Slots that wait for a worker's answer right now.")
    percent = serializers.IntegerField()
    workers = serializers.IntegerField()
    simulated_workers = serializers.IntegerField()
    cannot_judge = serializers.IntegerField()
    surplus = serializers.IntegerField()
    last = serializers.DateTimeField(allow_null=True)


class DuelSerializer(serializers.Serializer):
    """The best run so far against another one."""

    against = serializers.CharField()
    difference = serializers.FloatField(help_text="Of the best run − the other one, in the unit of the measure.")
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    better = serializers.CharField(allow_null=True, help_text="The run that is better; null while that is not settled.")


class StoppingSerializer(serializers.Serializer):
    sentence = serializers.SerializerMethodField()
    measure = serializers.CharField()
    topics = serializers.SerializerMethodField(help_text="Of the launch.")
    judged = serializers.IntegerField(help_text="Topics, of those that were begun first, with a judgement of every document.")
    best = serializers.CharField(allow_blank=True)
    is_settled = serializers.BooleanField()
    needed = serializers.IntegerField(allow_null=True, help_text="Topics with which it is expected to be settled.")
    more = serializers.IntegerField(allow_null=True, help_text="Judgements, about; null where the study's topics do not suffice.")
    duels = serializers.SerializerMethodField()

    def get_sentence(self, result: Stopping) -> str:
        return " ".join(filter(None, (stopping.sentence(result), stopping.beyond(result))))

    def get_topics(self, result: Stopping) -> int:
        return len(result.topics)

    @extend_schema_field(DuelSerializer(many=True))
    def get_duels(self, result: Stopping) -> list[dict]:
        return [
            {
                "against": order.rival(result.best),
                "difference": known(decision.value),
                "low": known(decision.low),
                "high": known(decision.high),
                "better": order.better,
            }
            for order in result.duels
            for decision in [order.seen_from(result.best)]
        ]


def known(number: float) -> float | None:
    return number if isfinite(number) else None
