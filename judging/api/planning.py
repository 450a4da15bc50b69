"""What a study will ask for, and how far it is."""

from rest_framework import serializers

from judging.pooling import Plan


class PlanSerializer(serializers.Serializer):
    """What launching would ask for, and why some of the pool is left out."""

    items = serializers.SerializerMethodField(help_text="What would be judged.")
    topics = serializers.IntegerField()
    pooled = serializers.IntegerField(help_text="Topic and document pairs in the pool.")
    without_topic = serializers.IntegerField(help_text="Of those, how many have a topic that the collection lacks.")
    without_document = serializers.IntegerField(help_text="… or a document that it lacks.")
    overlap = serializers.IntegerField()
    judgements = serializers.IntegerField()
    hours = serializers.FloatField()
    cost = serializers.DecimalField(max_digits=None, decimal_places=2)

    def get_items(self, planned: Plan) -> int:
        return len(planned.items)


class ProgressSerializer(serializers.Serializer):
    items = serializers.IntegerField()
    slots = serializers.IntegerField(help_text="Items times workers an item: the judgements wanted.")
    judged = serializers.IntegerField()
    held = serializers.IntegerField(help_text="Slots that wait for a worker's answer right now.")
    percent = serializers.IntegerField()
    workers = serializers.IntegerField()
    simulated_workers = serializers.IntegerField()
    cannot_judge = serializers.IntegerField()
    surplus = serializers.IntegerField()
    last = serializers.DateTimeField(allow_null=True)
