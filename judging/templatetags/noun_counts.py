from django import template

from judging.text.counts import count

register = template.Library()
register.filter("count", count)
