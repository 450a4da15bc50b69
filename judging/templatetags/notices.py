from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.simple_block_tag(takes_context=True)
def notice(context: template.Context, content: str, name: str, **values: Any) -> SafeString:
    """Include a template as {% include name with … %} does; its `text` stands between the tags, on as many lines as it takes."""
    text = mark_safe(" ".join(content.split()))  # noqa: S308, it is the template's own, rendered
    with context.push(text=text, **values):
        return template.Engine.get_default().get_template(name).render(context)
