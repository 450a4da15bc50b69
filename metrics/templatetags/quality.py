from django import template

from judging.text.counts import count
from metrics.sentences import percent

register = template.Library()
register.filter("counted", count)
register.filter("percent", percent)
