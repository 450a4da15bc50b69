"""One item of a study, for a researcher to look at before workers do."""

from types import SimpleNamespace

from judging.models import Document, Item, Judgement, Study, Topic
from judging.pooling import plan


def sample(study: Study) -> SimpleNamespace | None:
    """The first item as the judge page wants it, without the key and the offer that an answer would need."""
    item = first_item(study)
    if item is None:
        return None
    return SimpleNamespace(item=item, name="preview", key="", offer="", standing=None, reasons=Judgement.CannotJudge.choices)


def first_item(study: Study) -> Item | None:
    if study.is_launched:
        return study.items.select_related("topic", "document").first()
    planned = plan(study).items
    if not planned:
        return None
    topic, document = planned[0]
    return Item(pk=0, study=study, topic=Topic.objects.get(pk=topic), document=Document.objects.get(pk=document))
