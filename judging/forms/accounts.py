from django import forms
from django.contrib.auth.forms import AuthenticationForm, UsernameField

from judging.models import Token, User


class SignInForm(AuthenticationForm):
    """Names that no account can have go no further: the table of wrong passwords has no room for them either."""

    username = UsernameField(max_length=150, widget=forms.TextInput(attrs={"autofocus": True}))


class ProfileForm(forms.ModelForm):
    class Meta:
        model = User
        fields = ["first_name", "last_name", "email"]


class TokenForm(forms.ModelForm):
    """A person names a token; programs may leave it without a name."""

    name = forms.CharField(label="What is it for?", max_length=60, widget=forms.TextInput(attrs={"placeholder": "nightly runs"}))

    class Meta:
        model = Token
        fields = ["name"]
