from django import template

from judging.prose import markdown
from judging.views.shown import evidence

register = template.Library()
register.filter("markdown", markdown)
register.filter("evidence", evidence)
