from django import template
from django.template import Context

from judging.models import Worker
from judging.pay import earnings, rates
from judging.pay.forecast import whole_of
from judging.work.progress import is_about

register = template.Library()
register.filter("is_paid", rates.is_paid)
register.filter("an_hour", rates.an_hour)
register.filter("a_judgement", rates.a_judgement)
register.filter("most_seconds", earnings.most_seconds)


@register.inclusion_tag("judging/_offered.html", takes_context=True)
def offered(context: Context) -> dict:
    """What awaits who takes part: how much at most, how long that takes, and what it pays."""
    study = context["study"]
    about = {"marketplace": context.get("marketplace"), "is_about": is_about(study)}
    return {"study": study, "most": whole_of(study), **about}


@register.inclusion_tag("judging/_earned.html")
def earned(worker: Worker) -> dict:
    """What the worker has done and earned so far, for themselves."""
    return {"study": earnings.with_pay(worker), "earned": earnings.earned_of(worker)}
