"""The plan of a launch: what it would ask for and could find out, also with other settings than the draft's."""

from math import ceil

from django.http import HttpRequest

from judging.access import qrels_for
from judging.forms.pay import WhatIf
from judging.models import Study
from judging.requests import SignedIn
from judging.rules.reach import met_by_plan, out_of_reach
from judging.studies import pair_plan
from judging.studies.launch import why_empty
from judging.studies.pair_power import PairDetection, pair_detection
from judging.studies.pool_plan import plan
from judging.studies.power import Detection, detection


def plan_context(study: Study) -> dict:
    """What launching the draft would ask for, as pages show it."""
    launch_plan = pair_plan.plan(study) if study.compares else plan(study)
    reason = "" if launch_plan.items else why_empty(study, launch_plan)
    met = met_by_plan(launch_plan)
    return {
        "study": study,
        "plan": launch_plan,
        "minutes": ceil(launch_plan.hours * 60),
        "reason": reason,
        "met": met,
        "out_of_reach": out_of_reach(study, met) if launch_plan.items else [],
    }


def what_if(request: SignedIn, study: Study) -> dict:
    """The plan with the settings that the address names, and which difference between systems the study could detect."""
    form = WhatIf(request.GET.dict(), instance=study)
    if not form.is_valid():  # its instance may have half of them
        study = Study.objects.select_related("collection").get(pk=study.pk)
    context = plan_context(study)
    power: Detection | PairDetection | None = None
    if study.compares:
        power = pair_detection(context["plan"]) if context["plan"].items else None
    elif topics := context["plan"].topics:
        power = detection(study, topics, readable=qrels_for(request.user))
    return {**context, "what_if": form, "others": form.is_valid() and form.has_changed(), "detection": power}


def settings_asked(request: HttpRequest) -> dict[str, str]:
    """The settings that somebody tried out and takes into the draft."""
    names = [*WhatIf.Meta.fields, "paid"]
    return {name: request.GET[name] for name in names if name in request.GET}
