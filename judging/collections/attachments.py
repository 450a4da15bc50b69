"""Attachments of topics: added, removed, put back, and forgotten a month after they were removed."""

from datetime import timedelta

from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from judging.audit import Deed, note, quoted
from judging.collections.deletion import forget
from judging.collections.file_types import FILE_TYPES, kind_of
from judging.collections.local_copies import flush_stored
from judging.collections.storage import all_or_nothing, files_of
from judging.errors import Impossible, Unacceptable
from judging.models import Attachment, Topic, User

LARGEST = 8 * 2**20  # bytes; with its form less than a request may have
MOST = 20  # of a topic
LONGEST_NAME = 200
KEPT = timedelta(days=30)  # so long it can be put back


class NotAttachable(Unacceptable):
    """A file that is not taken; the text says why."""


def attach(topic: Topic, *, filename: str, content: bytes, by: User) -> Attachment:
    """Add a file to what the topic's workers can look at. Raises NotAttachable, or Impossible where there are enough."""
    name = filename.replace("\\", "/").rsplit("/", 1)[-1].strip()
    attachment = Attachment(topic=topic, name=name, kind=usable_kind(name, content), size=len(content), created_by=by)
    with all_or_nothing() as files:
        list(Topic.objects.select_for_update(no_key=True).filter(pk=topic.pk))  # two at once must not be one too many
        if topic.attachments.filter(removed=None).count() >= MOST:
            raise Impossible(_("A topic may have %(most)s attachments. Remove one first.") % {"most": MOST})
        files.append(attachment.file)
        attachment.file.save(f"attachment.{attachment.kind}", ContentFile(content), save=False)
        flush_stored(str(attachment.file.name))
        attachment.save()
        note(Deed.CHANGED, f"attachments of topic {topic.number}: {quoted(attachment)} added", by, collection=topic.collection)
    return attachment


def usable_kind(name: str, content: bytes) -> str:
    if not name or not name.isprintable() or len(name) > LONGEST_NAME:
        unnamed = _("Give the file a name of at most %(most)s printable characters.")
        raise NotAttachable(unnamed % {"most": LONGEST_NAME})
    if not content or len(content) > LARGEST:
        size = _("%(file)s: has %(bytes)s bytes; an attachment has between 1 and %(most)s.")
        raise NotAttachable(size % {"file": name, "bytes": f"{len(content):,}", "most": f"{LARGEST:,}"})
    kind = kind_of(content)
    if kind not in FILE_TYPES:
        unusable = _("%(file)s: workers can be shown PDF, PNG, JPEG, WebP, GIF and plain text in UTF-8; it is none of them.")
        raise NotAttachable(unusable % {"file": name})
    return kind


@transaction.atomic
def remove(attachment: Attachment, *, by: User) -> None:
    """Show it to nobody any more. Removing twice is removing once."""
    if Attachment.objects.filter(pk=attachment.pk, removed=None).update(removed=timezone.now()):
        note_of(attachment, "removed", by)


@transaction.atomic
def put_back(attachment: Attachment, *, by: User) -> None:
    """Show one that was removed again."""
    list(Topic.objects.select_for_update(no_key=True).filter(pk=attachment.topic_id))
    if attachment.topic.attachments.filter(removed=None).exclude(pk=attachment.pk).count() >= MOST:
        raise Impossible(_("A topic may have %(most)s attachments. Remove another one first.") % {"most": MOST})
    if Attachment.objects.filter(pk=attachment.pk, removed__isnull=False).update(removed=None):
        note_of(attachment, "put back", by)


def note_of(attachment: Attachment, deed: str, by: User) -> None:
    topic = attachment.topic
    note(Deed.CHANGED, f"attachments of topic {topic.number}: {quoted(attachment)} {deed}", by, collection=topic.collection)


@transaction.atomic
def forget_removed() -> None:
    """Delete those that were removed a month ago, and their files."""
    old = list(Attachment.objects.filter(removed__lt=timezone.now() - KEPT))
    gone = [file for attachment in old for file in files_of(attachment)]
    Attachment.objects.filter(pk__in=[attachment.pk for attachment in old], removed__isnull=False).delete()
    transaction.on_commit(lambda: forget(gone))
