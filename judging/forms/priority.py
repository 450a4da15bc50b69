"""The form of priority: the documents of a study that are judged first, one per line."""

from django import forms

from judging.models import Item, Study

MOST = 5000  # lines


class PriorityForm(forms.Form):
    lines = forms.CharField(
        label="Topics, or documents of a topic",
        strip=False,  # a wrong line is named by its number
        help_text="A line each: “51” for all of topic 51, or “51 FT911-3” for one of its documents.",
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
            raise forms.ValidationError(f"These are {len(lines):,} lines; {MOST:,} are taken at a time.")
        work = self.study.items.filter(role=Item.Role.WORK, topic__number__in={line[0] for _, line in lines})
        by_topic: dict[str, dict[str, int]] = {}
        for topic, docno, key in work.values_list("topic__number", "document__docno", "pk"):
            by_topic.setdefault(topic, {})[docno] = key
        chosen = []
        for number, line in lines:
            documents = by_topic.get(line[0], {})
            keys = list(documents.values()) if len(line) == 1 else [documents[name] for name in line[1:2] if name in documents]
            if not keys or len(line) > 2:
                raise forms.ValidationError(f"Line {number}: there is no work “{' '.join(line)[:100]}” in this study.")
            chosen += keys
        return chosen
