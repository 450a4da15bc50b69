from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, UsernameField

from ireval_site.addresses import sender
from judging.accounts import passwords
from judging.models import Token, User

KNOWN_BROWSER = "ireval_browser"  # the cookie


class SignInForm(AuthenticationForm):
    """Raises TooManyGuesses where it does not look at the password. Names that no account can have go no further."""

    username = UsernameField(max_length=150, widget=forms.TextInput(attrs={"autofocus": True}))

    def clean(self) -> dict[str, Any]:
        name, request = self.cleaned_data.get("username"), self.request
        if not name or not self.cleaned_data.get("password") or request is None:
            return super().clean()
        cookie = request.COOKIES.get(KNOWN_BROWSER, "")
        with passwords.attempt(name=name, address=sender(request), cookie=cookie, wrong=forms.ValidationError):
            return super().clean()


class ChangePasswordForm(PasswordChangeForm):
    """Raises TooManyGuesses, too: whoever finds a browser signed in does not know the password."""

    def clean_old_password(self) -> str:
        with passwords.own_password(self.user, wrong=forms.ValidationError):
            return super().clean_old_password()


class ProfileForm(forms.ModelForm):
    class Meta:
        model = User
        fields = ["first_name", "last_name", "email"]


NEVER = "never"


def days_of(chosen: str) -> int | None:
    return None if chosen == NEVER else int(chosen)


class TokenForm(forms.ModelForm):
    """A person names a token; programs may leave it without a name."""

    name = forms.CharField(label="What is it for?", max_length=60, widget=forms.TextInput(attrs={"placeholder": "nightly runs"}))
    days = forms.TypedChoiceField(
        label="Works for",
        choices=[*Token.Days.choices, (NEVER, "as long as you keep it")],
        coerce=days_of,
        initial=Token.Days.QUARTER,
    )

    class Meta:
        model = Token
        fields = ["name", "days", "read_only"]
        labels = {"read_only": "It only reads"}
        help_texts = {"read_only": "It can change nothing, whoever gets hold of it."}
