"""Forms of enquiries: what a worker asks, and what a researcher replies."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from judging.work.enquiries import MOST_TEXT


class LinesField(forms.CharField):
    """Several lines, each break counted once, as the browser counts it."""

    def __init__(self, **options: Any):
        super().__init__(max_length=MOST_TEXT, widget=forms.Textarea(attrs={"rows": 4}), **options)

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")


class EnquiryForm(forms.Form):
    text = LinesField(label=_("Your question"), error_messages={"required": _("Write your question first.")})


class ReplyForm(forms.Form):
    reply = LinesField(label=_("Reply"), error_messages={"required": _("Write the reply first.")})
    published = forms.BooleanField(required=False, label=_("Show question and reply to all workers"))

    def __init__(self, data: QueryDict | None = None, *, enquiry: int):
        super().__init__(data, auto_id=f"id_{enquiry}_%s")
