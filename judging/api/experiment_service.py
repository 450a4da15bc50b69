"""The service for sites with running experiments, opened by a write key: who is in which arm, and lists merged into one."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, viewsets
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from ireval.clicks.records import as_text
from judging.api.write_keys import OpenToSites, pay_for, site_of
from judging.experiments.arms import arms_of
from judging.experiments.interleaving import merge
from judging.logs.records import LONGEST_OBJECT, MOST_HITS

NEEDED = ("experiment", "user_query", "client_id")
OPTIONAL = ("user_id", "session_id", "query_id", "timestamp")


class AssignedSerializer(serializers.Serializer):
    arm = serializers.CharField()


class AssignmentsSerializer(serializers.Serializer):
    assignments = serializers.DictField(child=AssignedSerializer(), help_text="By experiment. Who is in none gets none.")
    query_attributes = serializers.DictField(help_text="To be put into the queries that are logged.")


class AssignmentViewSet(OpenToSites, viewsets.ViewSet):
    """Which arm of each running A/B test a client or user is in."""

    @extend_schema(
        responses=AssignmentsSerializer,
        parameters=[
            OpenApiParameter("client_id", str, description="The browser's id, as in the records."),
            OpenApiParameter("user_id", str, description="The user's id, for experiments on users."),
        ],
    )
    def list(self, request: Request, **kwargs) -> Response:
        """The same answer for the same id, for as long as an experiment runs. Nothing is stored."""
        units = {unit: as_text(request.query_params.get(f"{unit}_id")) for unit in ("client", "user")}
        if not any(units.values()):
            raise ParseError("Say who it is: ?client_id=… as in the records, and ?user_id=… of who is signed in.")
        arms = arms_of(site_of(request), units)
        answer = {
            "assignments": {name: {"arm": arm} for name, arm in arms.items()},
            "query_attributes": {"experiments": arms} if arms else {},
        }
        return Response(answer, headers={"Cache-Control": "no-store"})


class ToMergeSerializer(serializers.Serializer):
    """For the schema: checking long lists by it took longer than merging them."""

    experiment = serializers.CharField(help_text="Its name.")
    lists = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField(), max_length=MOST_HITS),
        help_text="The ids of each arm's results, by the arm's name, the best first.",
    )
    user_query = serializers.CharField(help_text="What was asked.")
    client_id = serializers.CharField(help_text="The browser's id, as in the records.")
    user_id = serializers.CharField(required=False)
    session_id = serializers.CharField(required=False)
    query_id = serializers.CharField(required=False, help_text="One a search; sent again, the answer is the same.")
    timestamp = serializers.CharField(required=False, help_text="When it was asked; without it, now.")


class MergedSerializer(serializers.Serializer):
    query_id = serializers.CharField(help_text="To be put into the events that follow.")
    ranking = serializers.ListField(child=serializers.CharField(), help_text="What to show, the top one first.")
    logged = serializers.BooleanField(help_text="Whether the search was logged; if not, log it as any other.")
    why = serializers.CharField(required=False, help_text="Why this is the control's list, if it is.")


class InterleavingViewSet(OpenToSites, viewsets.ViewSet):
    """The results of several systems in one list, of which the clicks say whose are better."""

    @extend_schema(request=ToMergeSerializer, responses=MergedSerializer)
    def create(self, request: Request, **kwargs) -> Response:
        """Merge the arms' lists, and log the search with what was shown.

        Safe to send again with the same query_id. While the experiment is not running, and for who is not in it, this gives the
        control's list.
        """
        parameters = merge_parameters(request.data)
        pay_for(request, 1)
        # Only a browser's own name says whether a person sat before it.
        agent = request.headers.get("User-Agent", "") if "Origin" in request.headers else ""
        merged = merge(site_of(request), parameters.pop("experiment"), parameters.pop("lists"), agent=agent, **parameters)
        answer: dict[str, Any] = {"query_id": merged.query_id, "ranking": merged.ranking, "logged": merged.logged}
        return Response(answer | ({"why": merged.why} if merged.why else {}))


def merge_parameters(content: Any) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise ParseError("Send a JSON object with experiment, lists, user_query and client_id.")
    texts = {name: text_in(content, name) for name in (*NEEDED, *OPTIONAL)}
    if missing := [name for name in NEEDED if texts[name] is None]:
        raise ParseError(f"There is no {missing[0]}: send {', '.join(NEEDED)} and lists.")
    lists = content.get("lists")
    if not isinstance(lists, dict):
        raise ParseError('lists is no object: send {"lists": {"control": ["d1", …], "new": ["d2", …]}} with each arm\'s ids.')
    return texts | {"lists": {arm: ids_in(arm, ids) for arm, ids in lists.items()}}


def text_in(content: dict[str, Any], name: str) -> str | None:
    text = as_text(content.get(name))
    if text is None and content.get(name) not in (None, ""):
        raise ParseError(f"{name} is neither text nor a number.")
    return text


def ids_in(arm: str, ids: Any) -> list[str]:
    if not isinstance(ids, list) or len(ids) > MOST_HITS:
        raise ParseError(f"The list of {arm[:60]} is none, or longer than {MOST_HITS:,}: send the ids of its results.")
    try:
        hits = list(map(str.strip, ids))  # as nearly all are; one by one it was a sixth of a request's time
    except TypeError:
        hits = [as_text(value) or "" for value in ids]
    if "" in hits or max(map(len, hits), default=0) > LONGEST_OBJECT:
        raise ParseError(f"The list of {arm[:60]} holds what is no id of 1 to {LONGEST_OBJECT} characters.")
    return hits
