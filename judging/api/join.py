"""Joining a study: what a worker learns of it, and how they come to it."""

from rest_framework import serializers

from judging.api.questions import FurtherQuestionSerializer
from judging.api.requester import person
from judging.api.scale import ScaleField
from judging.models import Invite, Study, Worker
from judging.recruiting import invites
from judging.work import progress


class StudyForWorkersSerializer(serializers.ModelSerializer):
    scale = ScaleField(read_only=True)
    questions = FurtherQuestionSerializer(
        many=True, read_only=True, help_text="What is asked of each document besides its grade."
    )
    items = serializers.SerializerMethodField(help_text="About how much there is to judge for one worker.")

    class Meta:
        model = Study
        fields = [
            "id", "name", "state", "instructions", "consent", "scale", "questions", "items",
            "seconds_a_judgement", "pay_a_judgement", "pay_an_hour", "pay_screened_out", "currency",
        ]  # fmt: skip
        read_only_fields = fields

    def get_items(self, study: Study) -> int:
        return progress.total(study)


class OpenStudySerializer(StudyForWorkersSerializer):
    left = serializers.IntegerField(help_text="Judgements that are still wanted.")

    class Meta(StudyForWorkersSerializer.Meta):
        fields = [*StudyForWorkersSerializer.Meta.fields, "language", "left"]
        read_only_fields = fields


class WorkRowSerializer(serializers.ModelSerializer):
    """Your part in a study, as in a list."""

    study = StudyForWorkersSerializer()
    worker = serializers.CharField(source="__str__", help_text="What the study's researchers call you.")
    judged = serializers.IntegerField(help_text="Items that you answered.")

    class Meta:
        model = Worker
        fields = ["study", "worker", "machine", "judged", "consented"]
        read_only_fields = fields


class WorkSerializer(WorkRowSerializer):
    """Your part in a study. What is left of it, is looked up in the study's work and checks."""

    left = serializers.SerializerMethodField(help_text="About how many items are left for you. 0: none.")

    class Meta(WorkRowSerializer.Meta):
        fields = [*WorkRowSerializer.Meta.fields, "left"]
        read_only_fields = fields

    def get_left(self, worker: Worker) -> int:
        so_far = progress.progress_of(worker)
        return so_far.left if so_far.is_over else max(so_far.left, 1)


class InvitationSerializer(serializers.Serializer):
    link = serializers.CharField(
        max_length=500, help_text="The link that you were sent, or the token at its end.", write_only=True
    )

    def validate_link(self, link: str) -> Invite:
        invite = invites.find_invite(link.rstrip("/").rsplit("/", 1)[-1])
        if invite is None:
            raise serializers.ValidationError("This link is unknown or has been revoked. Ask for a new one.")
        return invite


class JoiningSerializer(InvitationSerializer):
    link = serializers.CharField(
        max_length=500, required=False, write_only=True, help_text="The link that you were sent, or the token at its end."
    )
    study = serializers.PrimaryKeyRelatedField(
        queryset=Study.objects.none(),
        required=False,
        write_only=True,
        help_text="Instead of a link: a study of the open call, or one that names you a judge.",
    )
    machine = serializers.CharField(
        max_length=120,
        required=False,
        write_only=True,
        help_text="You are a program: its name and version, by a link that was made for machine judges. It cannot be changed.",
    )
    consent = serializers.BooleanField(help_text="That you have read the study's text of consent and agree.", write_only=True)

    def get_fields(self) -> dict[str, serializers.Field]:
        fields = super().get_fields()
        request = self.context.get("request")
        if request and request.user.is_authenticated:  # who describes the API is nobody
            fields["study"].queryset = invites.called_for(person(request))  # type: ignore[attr-defined]
        return fields

    def validate_consent(self, agreed: bool) -> bool:
        if not agreed:
            raise serializers.ValidationError("Without your consent you cannot take part.")
        return agreed

    def validate(self, data: dict) -> dict:
        link: Invite | None = data.get("link")
        if (link is None) == ("study" not in data):
            raise serializers.ValidationError({"link": ["Send the link that you were sent, or the study of the open call."]})
        for_machines = link is not None and link.machines
        if for_machines and not data.get("machine"):
            raise serializers.ValidationError(
                {"machine": ["This link is for programs: say which one you are, with its version."]}
            )
        if data.get("machine") and not for_machines:
            raise serializers.ValidationError({"machine": ["Programs come in by a link that was made for machine judges."]})
        return data
