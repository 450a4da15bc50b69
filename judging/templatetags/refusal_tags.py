from django import template

from judging.logs.refusal_words import refusal

register = template.Library()
register.filter("refusal", refusal)
