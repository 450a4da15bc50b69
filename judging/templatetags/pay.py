from django import template

from judging import earnings, paying
from judging.models import Worker

register = template.Library()
register.filter("is_paid", paying.is_paid)
register.filter("an_hour", paying.an_hour)
register.filter("a_judgement", paying.a_judgement)
register.filter("most_seconds", earnings.most_seconds)


@register.inclusion_tag("judging/_earned.html")
def earned(worker: Worker) -> dict:
    """What the worker has done and earned so far, for themselves."""
    return {"study": earnings.with_pay(worker), "earned": earnings.earned_of(worker)}
