from typing import Any

from django import template

register = template.Library()

# The style elements that plotly makes unless the page has them. It may not make any: a page's content security policy allows only
# those with its nonce. The second belongs to maps, which no page draws.
STYLE_IDS = ("plotly.js-style-global", "9f215cf04c5486422605d13261cb87401f4e7763b6296af81e98efbc0130da53")


@register.inclusion_tag("metrics/_plot_scripts.html", takes_context=True)
def plot_scripts(context: template.Context) -> dict[str, Any]:
    """What a page with plots needs in its head."""
    return {"style_ids": STYLE_IDS, "nonce": context["request"].csp_nonce}


@register.inclusion_tag("metrics/_plot.html")
def plot(key: str, drawn: dict[str, Any], table: str = "below") -> dict[str, Any]:
    """The place of a plot and what is drawn there, as `metrics/figures` makes it; `table` says where its numbers are."""
    addresses = [[trace["meta"].get("address"), *trace["meta"].get("addresses", ())] for trace in drawn["data"]]
    return {"key": key, "drawn": drawn, "table": table, "leads": any(map(any, addresses))}
