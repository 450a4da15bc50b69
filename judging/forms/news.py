"""Forms of news: where it goes and what it is about."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from judging.models import Subscription
from judging.models.subscription import Event
from judging.news.webhooks import refuse_bad

Kind = Subscription.Kind


class SubscriptionForm(forms.Form):
    kind = forms.ChoiceField(label=gettext_lazy("Where to"), widget=forms.RadioSelect)
    url = forms.CharField(
        label=gettext_lazy("The program’s address"),
        max_length=500,
        required=False,
        help_text=gettext_lazy("Of a webhook: https://hooks.example/ireval"),
    )
    events = forms.MultipleChoiceField(
        label=gettext_lazy("News of"),
        choices=[(event, event.label) for event in Event if event != Event.TEST],
        widget=forms.CheckboxSelectMultiple,
        initial=[Event.STUDY_FINISHED, Event.REPORT_FAILED, Event.BUDGET_REACHED],
    )

    def __init__(self, *args: Any, by_mail: str, **kwargs: Any):
        """`by_mail`: the address to which mail can be sent; without one there are webhooks alone."""
        super().__init__(*args, **kwargs)
        mailed = [(Kind.EMAIL, _("E-mail to %(email)s") % {"email": by_mail})] if by_mail else []
        self.fields["kind"].choices = [*mailed, (Kind.WEBHOOK, _("Webhook: a signed message to a program of yours"))]  # type: ignore[attr-defined]
        self.fields["url"].required = not by_mail
        self.initial["kind"] = Kind.EMAIL if by_mail else Kind.WEBHOOK

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("kind") == Kind.EMAIL:
            cleaned["url"] = ""
        elif "url" in cleaned:
            refuse_bad(cleaned["url"])
        return cleaned
