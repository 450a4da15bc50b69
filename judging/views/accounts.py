"""Pages of accounts: signing in, and what a person may change of their own."""

from math import ceil
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from ireval_site.throttle import retry_after
from judging.accounts import closure, passwords, tokens
from judging.audit import Deed, note
from judging.forms.accounts import KNOWN_BROWSER, ChangePasswordForm, ProfileForm, SignInForm, TokenForm
from judging.models import Token
from judging.views.who import SignedIn

NEW_TOKEN = "new_token"  # where the session keeps it between being made and being shown  # noqa: S105  the name of a place in the session


class PasswordGuarded:
    """The page after too many wrong passwords, for views with a form that looks at one."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return super().post(request, *args, **kwargs)  # type: ignore[misc]
        except passwords.TooManyGuesses as refusal:
            response = render(request, "judging/wrong_passwords.html", {"minutes": ceil(refusal.wait / 60)}, status=429)
            response["Retry-After"] = retry_after(refusal.wait)
            return response


class Login(PasswordGuarded, auth.LoginView):
    template_name = "judging/login.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def form_valid(self, form) -> HttpResponse:
        response = super().form_valid(form)
        response.set_cookie(
            KNOWN_BROWSER,
            passwords.browser_cookie_value(form.get_user().get_username()),
            max_age=passwords.KNOWN_FOR,
            path=reverse("account_login"),
            secure=settings.HTTPS,
            httponly=True,
            samesite="Lax",
        )
        return response

    def form_invalid(self, form) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=422)


def enter_admin(request: HttpRequest) -> HttpResponse:
    """The admin is signed in to like everything else; who is signed in and may not see it finds nothing."""
    if request.user.is_authenticated and not admin.site.has_permission(request):
        raise Http404("The admin's pages are for admins.")
    return redirect_to_login(request.GET.get("next") or reverse("admin:index"))


class ChangePassword(PasswordGuarded, auth.PasswordChangeView):
    form_class = ChangePasswordForm
    template_name = "judging/password.html"
    success_url = reverse_lazy("account")

    def form_valid(self, form) -> HttpResponse:
        user = form.user
        with transaction.atomic():
            closure.end_tokens(user, by=user)
            note(Deed.ACCESS, f"account {user}, password: changed", user)
            response = super().form_valid(form)
        messages.success(self.request, "Your password is changed. Other browsers have to sign in again; API tokens are deleted.")
        return response

    def form_invalid(self, form) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=422)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    form = ProfileForm(request.POST or None, instance=request.user)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, "Saved.")
        return redirect("account")
    token = request.session.pop(NEW_TOKEN, "") if request.method == "GET" else ""
    return page(request, form=form, token=token, status=422 if form.errors else 200)


@login_required
@require_POST
def token_new(request: SignedIn) -> HttpResponse:
    """Make a token, which the account page shows this once: then only its hash is kept."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return page(request, token_form=form, status=422)
    _, request.session[NEW_TOKEN] = tokens.make(request.user, **form.cleaned_data)
    return redirect("account")


@login_required
@require_POST
def token_delete(request: SignedIn, start: str) -> HttpResponse:
    if tokens.delete(Token.objects.filter(user=request.user, token_key=start), by=request.user):
        messages.success(request, f"The token {start}… no longer works.")
    return redirect("account")


@login_required
@require_POST
def tokens_delete(request: SignedIn) -> HttpResponse:
    closure.end_tokens(request.user, by=request.user)
    messages.success(request, "None of your tokens works any more.")
    return redirect("account")


def page(
    request: HttpRequest,
    *,
    form: ProfileForm | None = None,
    token_form: TokenForm | None = None,
    token: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {
        "form": form or ProfileForm(instance=request.user),
        "token_form": token_form or TokenForm(),
        "tokens": Token.objects.filter(user=request.user).order_by("-created"),
        "new_token": token,
    }
    return render(request, "judging/account.html", context, status=status)
