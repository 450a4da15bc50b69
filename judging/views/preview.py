"""One item of a study, for a researcher to look at before workers do."""

from judging.models import Document, Item, Listing, Study, Topic
from judging.studies import pair_plan
from judging.studies.pool_plan import plan
from judging.views.item_page import JudgePage


def sample(study: Study) -> JudgePage | None:
    """The first item as the judge page wants it, without the key and the offer that an answer would need."""
    item = first_pair(study) if study.compares else first_item(study)
    return JudgePage(item, name="preview", key="", offer="") if item else None


def first_item(study: Study) -> Item | None:
    if study.is_launched:
        return study.items.select_related("topic", "document").first()
    planned = plan(study).items
    if not planned:
        return None
    topic, document = planned[0]
    return Item(pk=0, study=study, topic=Topic.objects.get(pk=topic), document=Document.objects.get(pk=document))


def first_pair(study: Study) -> Item | None:
    """A draft's first pair as launching would make it. Stores nothing."""
    if study.is_launched:
        return study.items.filter(role=Item.Role.WORK).select_related("topic", "first", "second").first()
    planned = pair_plan.plan(study)
    if not planned.items:
        return None
    pair = planned.items[0]
    lists = [Listing(results=planned.lists[pair.topic, run]) for run in (pair.first, pair.second)]
    return Item(pk=0, study=study, topic=Topic.objects.get(pk=pair.topic), first=lists[0], second=lists[1])
