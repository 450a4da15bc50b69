from django import template

from judging.models import Worker
from judging.pay import earnings, rates

register = template.Library()
register.filter("is_paid", rates.is_paid)
register.filter("an_hour", rates.an_hour)
register.filter("a_judgement", rates.a_judgement)
register.filter("most_seconds", earnings.most_seconds)


@register.inclusion_tag("judging/_earned.html")
def earned(worker: Worker) -> dict:
    """What the worker has done and earned so far, for themselves."""
    return {"study": earnings.with_pay(worker), "earned": earnings.earned_of(worker)}
