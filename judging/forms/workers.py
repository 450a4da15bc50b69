"""The form that sets a worker aside."""

from django import forms

from judging.models import Exclusion


class ExclusionForm(forms.ModelForm):
    class Meta:
        model = Exclusion
        fields = ["standing", "reason"]
        widgets = {"standing": forms.RadioSelect, "reason": forms.Textarea(attrs={"rows": 2})}
        labels = {"standing": "What happens", "reason": "Why"}
        help_texts = {"reason": "Kept with the worker, also after it was taken back."}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["standing"].choices = [  # type: ignore[attr-defined]
            ("excluded", "Exclude: no more work, and what they judged has no vote. It is ordered anew from others."),
            ("blocked", "Block: no more work. What they judged keeps its votes."),
        ]
        self.fields["standing"].initial = "excluded"
