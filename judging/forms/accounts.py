from django import forms
from django.contrib.auth.forms import AuthenticationForm, UsernameField

from judging.models import User


class SignInForm(AuthenticationForm):
    """Names that no account can have go no further: the table of wrong passwords has no room for them either."""

    username = UsernameField(max_length=150, widget=forms.TextInput(attrs={"autofocus": True}))


class ProfileForm(forms.ModelForm):
    class Meta:
        model = User
        fields = ["first_name", "last_name", "email"]
