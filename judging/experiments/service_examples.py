"""Examples to copy: how a site asks for arms and merged lists, and how it computes arms itself."""

import json

from judging.models import Arm, Experiment


def curl(experiment: Experiment, arms: list[Arm], address: str, key: str) -> str:
    head = f'-H "Authorization: Bearer {key}"'
    if not experiment.interleaves:
        return f'curl {head} "{address}assignments/?{experiment.unit}_id={experiment.unit}-1"'
    return f"""curl -X POST {address}interleavings/ \\
  {head} -H "Content-Type: application/json" \\
  -d '{json.dumps(body(experiment, arms))}'"""


def body(experiment: Experiment, arms: list[Arm]) -> dict:
    lists = {arm.name: [f"d{number}", f"d{number + 1}", f"d{number + 2}"] for number, arm in enumerate(arms, start=1)}
    request = {"experiment": experiment.name, "lists": lists, "user_query": "diet of owls", "client_id": "client-1"}
    return request | ({"user_id": "user-1"} if experiment.unit == Experiment.Unit.USER else {})


def javascript(experiment: Experiment, arms: list[Arm], address: str, key: str) -> str:
    if experiment.interleaves:
        who = "clientId" if experiment.unit == Experiment.Unit.CLIENT else "clientId, user_id: userId"
        lists = ", ".join(f'"{arm.name}": {camel(arm.name)}Ids' for arm in arms)
        return f"""const answer = await fetch("{address}interleavings/", {{
  method: "POST",
  headers: {{ Authorization: "Bearer {key}", "Content-Type": "application/json" }},
  body: JSON.stringify({{
    experiment: "{experiment.name}", lists: {{ {lists} }},
    user_query: query, client_id: {who}, query_id: queryId,
  }}),
}});
const {{ ranking, logged }} = await answer.json();
show(ranking);
if (!logged) logSearch(queryId, query, ranking); // as you log any other search"""
    unit = "clientId" if experiment.unit == Experiment.Unit.CLIENT else "userId"
    return f"""const answer = await fetch("{address}assignments/?{experiment.unit}_id=" + encodeURIComponent({unit}), {{
  headers: {{ Authorization: "Bearer {key}" }},
}});
const {{ assignments, query_attributes }} = await answer.json();
const arm = assignments["{experiment.name}"]?.arm ?? "{control(arms)}"; // nobody's arm: what you have now
// Log each search with them: {{ user_query: query, query_id: queryId, client_id: clientId, query_attributes, … }}"""


def camel(name: str) -> str:
    first, *others = [part for part in name.replace("_", "-").split("-") if part] or ["arm"]
    word = first[0].lower() + first[1:] + "".join(part.capitalize() for part in others)
    return f"arm{word}" if word[0].isdigit() else word


def python(experiment: Experiment, arms: list[Arm]) -> str:
    """Python that computes the same arm without a request. Empty for a group's experiment before its start, which allots the
    parts."""
    if experiment.interleaves or (experiment.group is not None and experiment.state != Experiment.State.RUNNING):
        return ""
    unit = f"{experiment.unit}_id"
    names, weights = [arm.name for arm in arms], [arm.weight for arm in arms]
    lines = [
        "from ireval.experiments import assign, place",
        "",
        "",
        f"def arm_of({unit}: str) -> str | None:",
        *membership(experiment, unit),
        f'    return {json.dumps(names)}[assign({unit}, "{experiment.salt}", {weights})]',
    ]
    return "\n".join(lines)


def membership(experiment: Experiment, unit: str) -> list[str]:
    if experiment.group is not None:
        parts = sorted(experiment.allotments.values_list("part", flat=True))
        return [
            f'    if int(place({unit}, "{experiment.group.salt}") * 100) not in {parts_literal(parts)}:',
            "        return None",
        ]
    if experiment.traffic < 100:
        return [f'    if place({unit}, "{experiment.salt}/traffic") * 100 >= {experiment.traffic}:', "        return None"]
    return []


def parts_literal(parts: list[int]) -> str:
    in_a_row = bool(parts) and parts == list(range(parts[0], parts[-1] + 1))
    return f"range({parts[0]}, {parts[-1] + 1})" if in_a_row else "{" + ", ".join(map(str, parts)) + "}"


def control(arms: list[Arm]) -> str:
    return next((arm.name for arm in arms if arm.is_control), arms[0].name if arms else "control")


def record(experiment: Experiment, arms: list[Arm]) -> str:
    """A search as it is to be logged by who reckons arms itself."""
    attributes = {"experiments": {experiment.name: arms[-1].name if arms else "new"}}
    return json.dumps({"user_query": "diet of owls", "query_id": "q1", "client_id": "client-1", "query_attributes": attributes})
