from django import template

from judging.rules.enforcement import reason_of

register = template.Library()
register.filter("reason", reason_of)
