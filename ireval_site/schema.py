"""What every endpoint has in common, for the OpenAPI schema."""

from typing import Any

ERROR = {
    "type": "object",
    "description": "What was wrong: `detail`, or messages under the name of each field; `problems` of a file by line.",
    "additionalProperties": {},
}


def with_errors(result: dict[str, Any], **context: Any) -> dict[str, Any]:
    """Give every operation the answer that comes when it is refused."""
    result["components"]["schemas"]["Error"] = ERROR
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    for path in result["paths"].values():
        for operation in path.values():
            operation["responses"]["default"] = {"description": "Refused", "content": content}
    return result
