from typing import Any

from django.db.models import QuerySet
from drf_spectacular.authentication import BasicScheme
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.authentication import BaseAuthentication, BasicAuthentication
from rest_framework.decorators import action
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.response import Response

from ireval_site.addresses import sender
from judging.accounts import closure, passwords, second_steps, tokens
from judging.api.requester import person
from judging.models import Token


class TokenSerializer(serializers.ModelSerializer):
    start = serializers.CharField(
        source="token_key", read_only=True, help_text="What the token begins with; the rest is not kept."
    )

    expires = serializers.DateTimeField(source="expiry", read_only=True, allow_null=True, help_text="null: never.")

    class Meta:
        model = Token
        fields = ["start", "name", "read_only", "created", "expires", "last_used"]
        read_only_fields = fields


class WantedTokenSerializer(serializers.ModelSerializer):
    days = serializers.ChoiceField(
        Token.Days.choices, default=Token.Days.QUARTER, allow_null=True, help_text="How long it works; null: until it is deleted."
    )

    class Meta:
        model = Token
        fields = ["name", "days", "read_only"]


class NewTokenSerializer(TokenSerializer):
    token = serializers.CharField(read_only=True, help_text="Send it as “Authorization: Token …”. It is shown only this once.")

    class Meta(TokenSerializer.Meta):
        fields = [*TokenSerializer.Meta.fields, "token"]
        read_only_fields = fields


class NameAndPassword(BasicAuthentication):
    def authenticate_credentials(self, userid: str, password: str, request: Any = None):
        """Guesses count here as on the page; a program is known by no cookie."""
        with passwords.attempt(name=userid, address=sender(request), wrong=AuthenticationFailed):
            known = super().authenticate_credentials(userid, password, request)
        if second_steps.has_one(known[0]):
            raise AuthenticationFailed("This account signs in in two steps. Make a token on its page, /account/.")
        return known


class NameAndPasswordInTheSchema(BasicScheme):
    target_class = "judging.api.tokens.NameAndPassword"


class TokenViewSet(mixins.ListModelMixin, mixins.DestroyModelMixin, viewsets.GenericViewSet):
    """Your tokens. A new one is given for name and password (HTTP Basic), so that a token that got lost makes no others."""

    queryset = Token.objects.none()
    serializer_class = TokenSerializer
    lookup_field = "token_key"
    lookup_url_kwarg = "start"
    lookup_value_regex = "[0-9A-Za-z_]{1,25}"

    def get_authenticators(self) -> list[BaseAuthentication]:
        creating = self.request is not None and self.action_map.get(str(self.request.method).lower()) == "create"
        return [NameAndPassword()] if creating else super().get_authenticators()

    def get_queryset(self) -> QuerySet[Token]:
        return Token.objects.filter(user=person(self.request)).order_by("-created")

    def perform_destroy(self, instance: Token) -> None:
        tokens.delete(Token.objects.filter(pk=instance.pk), by=person(self.request))

    @extend_schema(request=WantedTokenSerializer, responses={201: NewTokenSerializer})
    def create(self, request: Request, **kwargs) -> Response:
        """Make a token, named for what it is for. It works for 90 days unless you say otherwise."""
        wanted = WantedTokenSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        kept, token = tokens.make(person(request), **wanted.validated_data)
        kept.token = token
        return Response(NewTokenSerializer(kept).data, status=201, headers={"Cache-Control": "no-store"})

    @extend_schema(request=None, responses={204: None})
    @action(detail=False, methods=["post"], url_path="revoke-all")
    def revoke_all(self, request: Request, **kwargs) -> Response:
        """Delete all of your tokens, this one with them."""
        closure.end_tokens(person(request), by=person(request))
        return Response(status=204)
