from django import template

from judging.prose import markdown, marked

register = template.Library()
register.filter("markdown", markdown)
register.filter("marked", marked)
