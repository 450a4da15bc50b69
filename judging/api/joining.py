"""What a worker learns of a study, and how they come to it."""

from rest_framework import serializers

from judging import recruiting
from judging.api.scale import ScaleField
from judging.models import Invite, Study, Worker


class StudyForWorkersSerializer(serializers.ModelSerializer):
    scale = ScaleField(read_only=True)
    items = serializers.SerializerMethodField(help_text="How much there is to judge, at most, for one worker.")

    class Meta:
        model = Study
        fields = ["id", "name", "state", "instructions", "consent", "scale", "items"]
        read_only_fields = fields

    def get_items(self, study: Study) -> int:
        return study.pool_counts.get("items", 0)


class WorkSerializer(serializers.ModelSerializer):
    """Your part in a study."""

    study = StudyForWorkersSerializer()
    worker = serializers.CharField(source="__str__", help_text="What the study's researchers call you.")
    judged = serializers.IntegerField(help_text="Items that you answered.")

    class Meta:
        model = Worker
        fields = ["study", "worker", "judged", "consented"]
        read_only_fields = fields


class InvitationSerializer(serializers.Serializer):
    link = serializers.CharField(
        max_length=500, help_text="The link that you were sent, or the token at its end.", write_only=True
    )

    def validate_link(self, link: str) -> Invite:
        invite = recruiting.find_invite(link.rstrip("/").rsplit("/", 1)[-1])
        if invite is None:
            raise serializers.ValidationError("This link is unknown or has been revoked. Ask for a new one.")
        return invite


class JoiningSerializer(InvitationSerializer):
    consent = serializers.BooleanField(help_text="That you have read the study's text of consent and agree.", write_only=True)

    def validate_consent(self, agreed: bool) -> bool:
        if not agreed:
            raise serializers.ValidationError("Without your consent you cannot take part.")
        return agreed
