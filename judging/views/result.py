"""One result of a list, whole, beside the page on which lists are compared: its script shows it over them."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from judging.views import pair
from judging.views.judge import by_script, worker_or_404
from judging.work.tickets import item_of


@gzip_page
@never_cache
@require_safe
def result(request: HttpRequest, study_id: int, name: str, side: str, place: int) -> HttpResponse:
    worker = worker_or_404(request, study_id)
    if side not in pair.SIDES:
        raise Http404("There are two lists, left and right.")
    full_result = pair.full_result(worker, item_of(worker, name), pair.SIDES.index(side), place)
    if full_result is None:
        raise Http404("The list is not that long.")
    template = "judging/_result.html" if by_script(request) else "judging/result.html"
    return render(request, template, {"study": worker.study, "worker": worker, "result": full_result})
