from drf_spectacular.utils import extend_schema
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from judging.api.requester import person
from judging.models import User


class UserSerializer(serializers.ModelSerializer):
    email = serializers.CharField(help_text="Empty if it is not known.")
    is_researcher = serializers.BooleanField(source="may_research", help_text="May make collections and launch studies.")
    is_admin = serializers.BooleanField()

    class Meta:
        model = User
        fields = ["username", "first_name", "last_name", "email", "is_researcher", "is_admin"]
        read_only_fields = fields


class UserViewSet(viewsets.GenericViewSet):
    queryset = User.objects.none()
    serializer_class = UserSerializer

    @extend_schema(responses=UserSerializer)
    @action(detail=False, pagination_class=None)
    def me(self, request: Request, **kwargs) -> Response:
        """Whose token or session this is, and what they may do."""
        return Response(UserSerializer(person(request)).data)
