from django import template

from metrics.sentences import count

register = template.Library()
register.filter("count", count)
