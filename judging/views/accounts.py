"""Pages of accounts: signing up and in, in one step or two, and what a person may change of their own.

They are django-allauth's, with our forms, addresses and words; templates are in templates/account, mfa and usersessions.
"""

from math import ceil
from typing import Any

from allauth.account import views as allauth
from allauth.mfa.base.views import AuthenticateView
from allauth.mfa.base.views import ReauthenticateView as SecondStepAgainView
from allauth.mfa.totp.views import ActivateTOTPView
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ireval_site.addresses import sender
from ireval_site.throttle import retry_after
from judging.accounts import closure, invitations, passwords, tokens
from judging.accounts.adapters import INVITATION, invited
from judging.forms.accounts import (
    KNOWN_BROWSER,
    AskForResetForm,
    ChangePasswordForm,
    ConfirmPasswordForm,
    ProfileForm,
    ResetForm,
    SignInForm,
    SignUpForm,
    TokenForm,
)
from judging.models import Token, User
from judging.requests import SignedIn

NEW_TOKEN = "new_token"  # where the session keeps it between being made and being shown  # noqa: S105  the name of a place in the session


class Guarded:
    """For views with a form that looks at a password or code: the page after too many wrong ones; and 422 for wrong forms."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return super().post(request, *args, **kwargs)  # type: ignore[misc]
        except passwords.TooManyGuesses as refusal:
            response = render(request, "judging/wrong_passwords.html", {"minutes": ceil(refusal.wait / 60)}, status=429)
            response["Retry-After"] = retry_after(refusal.wait)
            return response

    def form_invalid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)  # type: ignore[misc]
        response.status_code = 422
        return response


def remembering(response: HttpResponse, user: Any) -> HttpResponse:
    """The response, after which this browser is one in which the user signed in before."""
    if isinstance(user, User):
        response.set_cookie(
            KNOWN_BROWSER,
            passwords.browser_cookie_value(user.get_username()),
            max_age=passwords.KNOWN_FOR,
            path=reverse("account_login"),
            secure=settings.HTTPS,
            httponly=True,
            samesite="Lax",
        )
    return response


class Login(Guarded, allauth.LoginView):
    form_class = SignInForm

    def get_form_class(self) -> type[SignInForm]:
        return SignInForm

    def form_valid(self, form: SignInForm) -> HttpResponse:
        return remembering(super().form_valid(form), self.request.user)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"signup": settings.SIGNUP, "sends_mail": settings.SENDS_MAIL}


class SecondStep(Guarded, AuthenticateView):
    """The code that an account with a second step asks for, after the right password."""

    def form_valid(self, form: Any) -> HttpResponse:
        return remembering(super().form_valid(form), self.request.user)


class SecondStepAgain(Guarded, SecondStepAgainView):
    pass


class Activate(Guarded, ActivateTOTPView):
    pass


class ConfirmPassword(Guarded, allauth.ReauthenticateView):
    def get_form_class(self) -> type[ConfirmPasswordForm]:
        return ConfirmPasswordForm


class SignUp(Guarded, allauth.SignupView):
    def get_form_class(self) -> type[SignUpForm]:
        return SignUpForm

    def get_initial(self) -> dict[str, Any]:
        return super().get_initial() | {"email": getattr(invited(self.request), "email", "")}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"invitation": invited(self.request)}

    def form_valid(self, form: SignUpForm) -> HttpResponse:
        passwords.may_ask(passwords.SIGN_UPS.of(sender(self.request)))
        try:
            return super().form_valid(form)
        except invitations.InvitationEnded:
            return self.closed()


@never_cache
@require_safe
def follow_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Exchange the link's token for a place in the session at once, so that it stays in no address bar, history or referrer."""
    if request.user.is_authenticated:
        messages.info(request, _("You have an account already, and are signed in."))
        return redirect("home")
    if settings.SIGNUP == "closed" or invitations.find(token) is None:
        return render(request, "account/signup_closed.html", {"ended": True}, status=404)
    request.session[INVITATION] = token
    return redirect("account_signup")


class AskForReset(Guarded, allauth.PasswordResetView):
    def get_form_class(self) -> type[AskForResetForm]:
        return AskForResetForm

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"sends_mail": settings.SENDS_MAIL}


class ResetAsked(allauth.PasswordResetDoneView):
    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"sends_mail": settings.SENDS_MAIL}


class Reset(Guarded, allauth.PasswordResetFromKeyView):
    def get_form_class(self) -> type[ResetForm]:
        return ResetForm


class Email(Guarded, allauth.EmailView):
    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"sends_mail": settings.SENDS_MAIL}


def enter_admin(request: HttpRequest) -> HttpResponse:
    """The admin is signed in to like everything else; who is signed in and may not see it finds nothing."""
    if request.user.is_authenticated and not admin.site.has_permission(request):
        raise Http404("The admin's pages are for admins.")
    return redirect_to_login(request.GET.get("next") or reverse("admin:index"))


class ChangePassword(Guarded, allauth.PasswordChangeView):
    success_url = reverse_lazy("account")

    def get_form_class(self) -> type[ChangePasswordForm]:
        return ChangePasswordForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated and not request.user.has_usable_password():
            messages.info(request, _("This account has no password to change."))
            return redirect("account")
        return super().dispatch(request, *args, **kwargs)

    def get_default_success_url(self) -> str:
        return reverse("account")

    def form_valid(self, form: ChangePasswordForm) -> HttpResponse:
        response = super().form_valid(form)
        messages.success(
            self.request, _("Your password is changed. Other browsers have to sign in again; API tokens are deleted.")
        )
        return response


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    form = ProfileForm(request.POST or None, instance=request.user)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, _("Saved."))
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
        messages.success(request, _("The token %(start)s… no longer works.") % {"start": start})
    return redirect("account")


@login_required
@require_POST
def tokens_delete(request: SignedIn) -> HttpResponse:
    closure.end_tokens(request.user, by=request.user)
    messages.success(request, _("None of your tokens works any more."))
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
