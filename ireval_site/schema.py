"""Hooks of the OpenAPI schema: errors and summaries of every operation."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.utils.translation import get_language
from drf_spectacular.generators import SchemaGenerator

ERROR = {
    "type": "object",
    "description": "What was wrong: `detail`, or messages under the name of each field; `problems` of a file by line.",
    "additionalProperties": {},
}
made: dict[tuple[Any, ...], dict[str, Any]] = {}  # by this process
USUAL = {"list": "List", "create": "Create", "retrieve": "Read one", "update": "Change", "destroy": "Delete"}


class Generator(SchemaGenerator):
    """Makes the schema once per process and language: it takes a quarter of a second and is the same for everybody."""

    def get_schema(self, request: Any = None, public: bool = False) -> dict[str, Any]:
        if not public:
            return super().get_schema(request, public)
        kind = (self.api_version, get_language())
        if kind not in made:
            made[kind] = super().get_schema(request, public)
        return made[kind]


def with_errors(result: dict[str, Any], **context: Any) -> dict[str, Any]:
    """Give every operation the answer for refused requests."""
    result["components"]["schemas"]["Error"] = ERROR
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    for operation in operations(result):
        operation["responses"]["default"] = {"description": "Refused", "content": content}
    return result


def with_summaries(result: dict[str, Any], **context: Any) -> dict[str, Any]:
    """Summarise every operation by the first sentence of its description, or by its action if the description is shared."""
    shared = Counter(operation.get("description", "") for operation in operations(result))
    for operation in operations(result):
        about = operation.get("description", "")
        action = operation["operationId"].rsplit("_", 1)[-1]
        operation["summary"] = about.split(". ")[0].rstrip(".") if shared[about] == 1 else USUAL[action]
    return result


def operations(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in result["paths"].values():
        yield from path.values()
