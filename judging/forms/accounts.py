"""Forms of accounts. Where they look at a password or a code they raise TooManyGuesses instead, once there were too many."""

from typing import Any

from allauth.account.forms import AddEmailForm, LoginForm, ResetPasswordForm, ResetPasswordKeyForm, SignupForm
from allauth.account.forms import ChangePasswordForm as PasswordForm
from allauth.account.forms import ReauthenticateForm as PasswordAgainForm
from allauth.account.internal.userkit import filter_users_by_email
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from ireval_site.addresses import sender
from judging.accounts import links, passwords
from judging.models import Invitation, LinkRequest, Token, User
from judging.models.user import Role

KNOWN_BROWSER = "ireval_browser"  # the cookie


class SignInForm(LoginForm):
    """Names that no account can have go no further."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        attributes = {"autofocus": True, "autocomplete": "username", "autocapitalize": "none"}
        name = forms.CharField(label=_("Username"), max_length=150, strip=True, widget=forms.TextInput(attrs=attributes))
        self.fields.pop("login")
        self.fields["username"] = name
        self.order_fields(["username", "password"])
        tidy(self)

    def clean(self) -> dict[str, Any]:
        name = self.cleaned_data.get("username")
        if not name or not self.cleaned_data.get("password"):
            return self.cleaned_data
        self.cleaned_data["login"] = name
        cookie = self.request.COOKIES.get(KNOWN_BROWSER, "")
        with passwords.attempt(name=name, address=sender(self.request), cookie=cookie, wrong=forms.ValidationError):
            return super().clean()


class SignUpForm(SignupForm):
    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        tidy(self)


class ChangePasswordForm(PasswordForm):
    """Whoever finds a browser signed in does not know the password."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        tidy(self)
        self.fields["password1"].label = _("New password")

    def clean_oldpassword(self) -> str:
        with passwords.own_password(self.user, wrong=forms.ValidationError):
            return super().clean_oldpassword()


class ConfirmPasswordForm(PasswordAgainForm):
    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        tidy(self)

    def clean_password(self) -> str:
        with passwords.own_password(self.user, wrong=forms.ValidationError):
            return super().clean_password()


class AskForResetForm(ResetPasswordForm):
    """By name or by address: who has told no address asks an admin, who is shown the link."""

    email = forms.CharField(label=_("Username or e-mail address"), max_length=254)

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        tidy(self)

    def clean_email(self) -> str:
        asked = self.cleaned_data["email"].strip()
        by_name = list(User.objects.filter(username=asked, is_active=True))
        self.users = by_name or filter_users_by_email(asked.lower(), is_active=True, prefer_verified=True)
        return asked

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Nobody can tell from the answer whether there is such an account."""
        asked = self.cleaned_data["email"]
        passwords.may_ask(passwords.LINKS.of(sender(request)), passwords.LINKS_OF.of(asked.lower()))
        for user in self.users[:3]:
            links.ask(LinkRequest.Kind.RESET, user, email=user.email)
        return asked


class ResetForm(ResetPasswordKeyForm):
    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        tidy(self)
        self.fields["password1"].label = _("New password")


class AddressForm(AddEmailForm):
    """Another e-mail address."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        tidy(self)


class CountedCode:
    """Counts the codes that are tried, and shows the form as ours are."""

    user: User
    cleaned_data: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        tidy(self)  # type: ignore[arg-type]  # mixed into forms

    def clean_code(self) -> str:
        with passwords.second_step(self.user, self.cleaned_data["code"], wrong=forms.ValidationError):
            return super().clean_code()  # type: ignore[misc]


class SecondStepForm(CountedCode, AuthenticateForm):
    """At signing in."""


class SecondStepAgainForm(CountedCode, ReauthenticateForm):
    """Before what opens the account."""


class ActivateForm(CountedCode, ActivateTOTPForm):
    """The first code of an app."""


def tidy(form: forms.Form) -> None:
    """Labels stand above our fields, and no field repeats its own in grey."""
    for field in form.fields.values():
        field.widget.attrs.pop("placeholder", None)
        if isinstance(field.widget, forms.PasswordInput):
            field.help_text = _("At least ten characters.") if field.widget.attrs.get("autocomplete") == "new-password" else ""
    for name, label in LABELS.items():
        if name in form.fields and (name != "email" or isinstance(form.fields[name], forms.EmailField)):
            form.fields[name].label = label
    if "password2" in form.fields:
        form.fields["password2"].help_text = ""


LABELS = {"email": _("E-mail address"), "oldpassword": _("Old password"), "password2": _("The same again")}


class ProfileForm(forms.ModelForm):
    class Meta:
        model = User
        fields = ["first_name", "last_name"]


class InvitationForm(forms.ModelForm):
    class Meta:
        model = Invitation
        fields = ["role", "email"]
        labels = {"role": _("As"), "email": _("E-mail address")}
        widgets = {"role": forms.RadioSelect}

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.fields["role"].choices = [(role, f"{role.label}: {RIGHTS[role]}") for role in Role]  # type: ignore[attr-defined]


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Role.choices)


RIGHTS = {
    Role.MEMBER: _("joins studies, and reads what is shared with them"),
    Role.RESEARCHER: _("makes collections, studies, sites and reports, too"),
    Role.ADMIN: _("sees and changes everything"),
}

NEVER = "never"


def days_of(chosen: str) -> int | None:
    return None if chosen == NEVER else int(chosen)


class TokenForm(forms.ModelForm):
    """A person names a token; programs may leave it without a name."""

    name = forms.CharField(
        label=_("What is it for?"), max_length=60, widget=forms.TextInput(attrs={"placeholder": _("nightly runs")})
    )
    days = forms.TypedChoiceField(
        label=_("Works for"),
        choices=[*Token.Days.choices, (NEVER, _("as long as you keep it"))],
        coerce=days_of,
        initial=Token.Days.QUARTER,
    )

    class Meta:
        model = Token
        fields = ["name", "days", "read_only"]
        labels = {"read_only": _("It only reads")}
        help_texts = {"read_only": _("It can change nothing, whoever gets hold of it.")}
