"""Images of documents: which of a collection's belong to a document, and their deletion."""

from collections.abc import Iterable, Iterator
from urllib.parse import unquote, urlsplit
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from judging.audit import Deed, note, quoted
from judging.collections.deletion import forget
from judging.collections.storage import files_of
from judging.models import Collection, Document, Image, User

MOST_BENEATH = 20  # images of a document that its HTML does not show itself


def images_of(document: Document, sources: Iterable[str]) -> tuple[dict[str, Image], list[Image]]:
    """The images that the sources of its HTML mean, and those that are the document's by its id and stand in no place of it.

    None where the collection shows no images.
    """
    wanted = {source: list(names_for(source, document)) for source in sources}
    names = {name for candidates in wanted.values() for name in candidates}
    last = document.docno.rsplit("/", 1)[-1]
    by_id = Q(folder=last) | Q(stem=last)
    shown = Image.objects.filter(collection=document.collection_id, collection__shows_images=True)
    known = {image.name: image for image in shown.filter(by_id | Q(name__in=names)).only("name", "folder", "stem")}
    placed = {source: image for source, candidates in wanted.items() if (image := first_of(candidates, known))}
    placed_keys = {image.pk for image in placed.values()}
    own = [image for image in known.values() if is_of(image, document.docno) and image.pk not in placed_keys]
    return placed, own[:MOST_BENEATH]


def is_of(image: Image, docno: str) -> bool:
    """Whether the image is named after the document, or lies in a folder that is, within whatever other folders.

    >>> [is_of(Image(name=name, stem="owl"), "birds/owl") for name in ("birds/owl.png", "all/birds/owl/owl.png", "mice/owl.png")]
    [True, True, False]
    """
    folder = image.name.rpartition("/")[0]
    return any(f"/{path}".endswith(f"/{docno}") for path in (folder, f"{folder}/{image.stem}"))


def first_of(names: list[str], known: dict[str, Image]) -> Image | None:
    return next((known[name] for name in names if name in known), None)


def names_for(source: str, document: Document) -> Iterator[str]:
    """The names under which an image may have been added, the most telling first.

    >>> list(names_for("http://x.org/img/owl.png?v=2", Document(docno="D1")))[:4]
    ['http://x.org/img/owl.png?v=2', 'http://x.org/img/owl.png', 'x.org/img/owl.png', 'D1/img/owl.png']
    >>> list(names_for("../img/owl.png", Document(docno="D1")))
    ['../img/owl.png', 'D1/img/owl.png', 'D1/owl.png', 'img/owl.png', 'owl.png']
    """
    yield source
    try:
        parts = urlsplit(source)
    except ValueError:
        return
    folders = [part for part in unquote(parts.path).split("/") if part not in ("", ".", "..")]
    if not folders:
        return
    path = "/".join(folders)
    if parts.netloc:
        yield from (f"{parts.scheme or 'http'}://{parts.netloc}/{path}", f"{parts.netloc}/{path}")
    yield from (f"{document.docno}/{path}", f"{document.docno}/{folders[-1]}", path, folders[-1])


@transaction.atomic
def delete_images(collection: Collection, keys: Iterable[UUID], *, by: User) -> int:
    """Forget these images of the collection and their files. How many there were."""
    images = list(collection.images.filter(pk__in=list(keys)))
    if images:
        files = [file for image in images for file in files_of(image)]
        collection.images.filter(pk__in=[image.pk for image in images]).delete()
        names = ", ".join(quoted(image) for image in images[:3])
        note(Deed.DELETED, f"{len(images)} × image of documents: {names}", by, collection=collection)
        transaction.on_commit(lambda: forget(files))
    return len(images)
