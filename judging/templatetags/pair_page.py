from django import template

from judging.views.pair import choices

register = template.Library()
register.filter("choices", choices)
