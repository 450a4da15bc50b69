"""Forms about workers: excluding them, and what can be done to several at once."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from judging.forms.enquiries import LinesField
from judging.models import Bonus, Exclusion, Study
from judging.pay import bonuses
from judging.work import enquiries


class ExclusionForm(forms.ModelForm):
    class Meta:
        model = Exclusion
        fields = ["standing", "reason"]
        widgets = {"standing": forms.RadioSelect, "reason": forms.Textarea(attrs={"rows": 2})}
        labels = {"standing": _("What happens"), "reason": _("Why")}
        help_texts = {"reason": _("Kept with the worker, also after it was taken back.")}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["standing"].choices = [  # type: ignore[attr-defined]
            ("excluded", _("Exclude: no more work, and what they judged has no vote. It is ordered anew from others.")),
            ("blocked", _("Block: no more work. What they judged keeps its votes.")),
        ]
        self.fields["standing"].initial = "excluded"


class ExclusionOfSeveral(ExclusionForm):
    def __init__(self, *args: Any, study: Study):
        super().__init__(*args)


class BonusOfSeveral(forms.ModelForm):
    after = forms.IntegerField(min_value=0, required=False, widget=forms.HiddenInput)

    class Meta:
        model = Bonus
        fields = ["amount", "reason"]
        labels = {"reason": _("Reason")}
        help_texts = {"reason": _("What it is for, in words that the worker may read.")}

    def __init__(self, data: QueryDict | None = None, *, study: Study):
        super().__init__(data, initial={"after": bonuses.last_bonus(study)})
        self.fields["amount"].label = gettext("Bonus for each (%(currency)s)") % {"currency": study.currency}


class MessageForm(forms.Form):
    text = LinesField(label=_("Message"), error_messages={"required": _("Write the message first.")})
    after = forms.IntegerField(min_value=0, required=False, widget=forms.HiddenInput)

    def __init__(self, data: QueryDict | None = None, *, study: Study):
        super().__init__(data, initial={"after": enquiries.last_enquiry(study)})
