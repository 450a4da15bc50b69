from typing import Any

from django import template

from metrics.figures.plotly_static import style_ids

register = template.Library()


@register.inclusion_tag("metrics/_plot_scripts.html", takes_context=True)
def plot_scripts(context: template.Context) -> dict[str, Any]:
    """What a page with plots needs in its head."""
    return {"style_ids": style_ids(), "nonce": context["request"].csp_nonce}


@register.inclusion_tag("metrics/_plot.html")
def plot(key: str, drawn: dict[str, Any], table: str = "below") -> dict[str, Any]:
    """The place of a plot and what is drawn there, as `metrics/figures` makes it; `table` says where its numbers are."""
    addresses = [[trace["meta"].get("address"), *trace["meta"].get("addresses", ())] for trace in drawn["data"]]
    return {"key": key, "drawn": drawn, "table": table, "leads": any(map(any, addresses))}
