"""Which items of a study are judged first, one a line, and by how many workers some are judged."""

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from judging.models import Item, Study
from judging.studies.wanted_votes import MOST_VOTES

MOST = 5000  # lines


class PriorityForm(forms.Form):
    lines = forms.CharField(
        label=_("Topics, or documents of a topic"),
        strip=False,  # a wrong line is named by its number
        help_text=_("A line each: “51” for all of topic 51, or “51 FT911-3” for one of its documents."),
        widget=forms.Textarea(attrs={"rows": 6, "class": "code"}),
    )

    def __init__(self, *args, study: Study, **kwargs):
        super().__init__(*args, **kwargs)
        self.study = study

    def clean_lines(self) -> list[int]:
        """The items meant, by key."""
        lines = [(number, line.split()) for number, line in enumerate(self.cleaned_data["lines"].splitlines(), 1) if line.strip()]
        if not lines:
            raise forms.ValidationError(self.fields["lines"].error_messages["required"])
        if len(lines) > MOST:
            raise forms.ValidationError(
                _("These are %(count)s lines; %(most)s are taken at a time.") % {"count": f"{len(lines):,}", "most": f"{MOST:,}"}
            )
        work = self.study.items.filter(role=Item.Role.WORK, topic__number__in={line[0] for __, line in lines})
        by_topic: dict[str, dict[str, int]] = {}
        for topic, docno, key in work.values_list("topic__number", "document__docno", "pk"):
            by_topic.setdefault(topic, {})[docno] = key
        chosen = []
        for number, line in lines:
            documents = by_topic.get(line[0], {})
            keys = list(documents.values()) if len(line) == 1 else [documents[name] for name in line[1:2] if name in documents]
            if not keys or len(line) > 2:
                raise forms.ValidationError(
                    _("Line %(number)s: there is no work “%(line)s” in this study.")
                    % {"number": number, "line": " ".join(line)[:100]}
                )
            chosen += keys
        return chosen


class VotesForm(forms.Form):
    votes = forms.IntegerField(label=_("Workers"), help_text=_("How many judge each of these items."))

    def __init__(self, data: QueryDict | None = None, *, study: Study):
        super().__init__(data, initial={"votes": min(study.overlap + 1, MOST_VOTES)})
        field = self.fields["votes"]
        field.validators += [MinValueValidator(study.overlap), MaxValueValidator(MOST_VOTES)]
        field.widget.attrs |= {"min": study.overlap, "max": MOST_VOTES}
