"""Grades from the clicks of a search site's users, kept as qrels of its collection."""

import polars as pl
from django.utils.translation import gettext as _

from judging.audit import Deed, note, quoted
from judging.collections.storage import all_or_nothing, has_grades, store_qrels
from judging.errors import Impossible
from judging.models import Collection, Qrels, Site, User


class CannotKeep(Impossible):
    """There are no grades, or no collection to keep them in; the text says which."""


def settle_clicks(
    site: Site, frame: pl.DataFrame, *, name: str, recipe: dict, description: str, by: User, simulated_judgements: int = 0
) -> Qrels:
    """Keep grades (topic, docno, grade, and how sure they are) as the next version of the qrels of this name.

    Gives the newest version where it has these grades already.

    Where documents were shown to few, nothing is known of them: the qrels are sparse.
    """
    if site.collection is None:
        raise CannotKeep(_("The site searches none of the collections here."))
    if frame.is_empty():
        raise CannotKeep(_("Clicks give no document a grade."))
    with all_or_nothing():
        collection = Collection.objects.select_for_update(no_key=True).get(pk=site.collection.pk)
        newest = collection.qrels.filter(name=name).order_by("version").last()
        if newest and newest.recipe.get("site") == site.name and has_grades(newest, frame):
            return newest
        kept = store_qrels(
            frame,
            collection=collection,
            name=name,
            by=by,
            recipe=recipe,
            description=description,
            sparse=True,
            simulated_judgements=simulated_judgements,
        )
        detail = f"qrels {quoted(kept)} of clicks on {quoted(site)}: {kept.rows:,} grades"
        note(Deed.SETTLED, detail, by, collection=collection, site=site)
        return kept
