"""Refusals of verbs, as pages say them."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from judging.errors import Refusal
from judging.requests import SignedIn

View = Callable[..., HttpResponse]


def refusals_on(page: str) -> Callable[[View], View]:
    """Show why a verb refused on `page`, the name of an address with the view's own first number."""

    def decorate(view: View) -> View:
        @wraps(view)
        def answer(request: SignedIn, pk: int, *args, **kwargs) -> HttpResponse:
            try:
                return view(request, pk, *args, **kwargs)
            except Refusal as refusal:
                messages.error(request, str(refusal))
                return redirect(page, pk)

        return answer

    return decorate
