"""Importing images of documents: one, or many in a zip. They are stored while nobody waits, and appear in one transaction."""

import hashlib
import os
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from django.core.files.base import ContentFile

from ireval.io.files import DAMAGE, BadFile, ProblemList
from ireval.io.recognition.head import is_of_the_computer
from ireval.translatable import Phrase
from judging.collections.deletion import forget
from judging.collections.file_types import FILE_TYPES, kind_of
from judging.collections.imports.outcome import (
    ImportResult,
    Insert,
    Progress,
    insert_whole,
    lock,
    number_with_noun,
    say_nothing,
)
from judging.collections.local_copies import flush_stored
from judging.collections.size_limits import largest_unpacked
from judging.collections.storage import all_or_nothing
from judging.models import Collection, Image, User

LARGEST = 5 * 2**20  # bytes of an image
MOST = 20_000  # images of one file
LONGEST_NAME = 500


@dataclass(frozen=True)
class Picture:
    """An image of the file: its place there, its name and what is known of its bytes."""

    place: int
    name: str
    kind: str
    sha256: str
    size: int


def import_images(collection: Collection, path: str | os.PathLike[str], *, by: User, **options) -> ImportResult:
    """Read, check and insert an image or a zip of images; see check_images."""
    return insert_whole(check_images(collection, path, by=by, **options))


def check_images(
    collection: Collection,
    path: str | os.PathLike[str],
    *,
    by: User,
    filename: str = "",
    format: str = "auto",
    progress: Progress = say_nothing,
) -> Insert:
    """Look at each image and compare it with the collection: the same one is skipped, another of that name is wrong."""
    filename = filename or Path(path).name
    problems = ProblemList(filename)
    with ImageFile(path, filename) as source:
        pictures = [picture for place, name in source.names(problems) if (picture := checked(source, place, name, problems))]
        new = unknown(collection, pictures, problems)
        problems.raise_if_any()
        if not pictures:
            raise BadFile.because(filename, Phrase("there is no image in it; expected PNG, JPEG, WebP or GIF"))
        stored = stored_images(collection, source, new, by, progress)

    def insert() -> ImportResult:
        with all_or_nothing() as files:
            files += [image.file for image in stored]
            lock(collection)
            unknown(collection, new, problems, by_now=True)
            problems.raise_if_any()  # only if another import has come in between
            Image.objects.bulk_create(stored, batch_size=500)
        counts = {"added": len(stored), "already_there": len(pictures) - len(stored)}
        return ImportResult("images", counts, notes(counts, collection))

    return insert


class ImageFile:
    """An image, or a zip of images, whose bytes are read one image at a time."""

    def __init__(self, path: str | os.PathLike[str], filename: str):
        self.path, self.filename = path, filename
        self.zip: zipfile.ZipFile | None = None

    def __enter__(self) -> "ImageFile":
        if zipfile.is_zipfile(self.path):
            try:
                self.zip = zipfile.ZipFile(self.path)
            except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
                damaged = Phrase("the zip file is damaged (%(error)s)", error=str(error))
                raise BadFile.because(self.filename, damaged) from None
        return self

    def __exit__(self, *exception: object) -> None:
        if self.zip:
            self.zip.close()

    def names(self, problems: ProblemList) -> Iterator[tuple[int, str]]:
        if not self.zip:
            yield 0, self.filename
            return
        members = self.zip.infolist()
        if len(members) > MOST:
            too_many = Phrase(
                "has %(n)s files; at most %(most)s are accepted in one zip", n=f"{len(members):,}", most=f"{MOST:,}"
            )
            raise BadFile.because(self.filename, too_many)
        if sum(member.file_size for member in members) > largest_unpacked():
            too_large = Phrase("unpacked it has more than %(most)s bytes", most=f"{largest_unpacked():,}")
            raise BadFile.because(self.filename, too_large)
        for place, member in enumerate(members):
            if problems.full:
                return
            if not member.is_dir() and not is_of_the_computer(member.filename):
                yield place, member.filename

    def read(self, place: int) -> bytes:
        """At most one byte more than an image may have."""
        with self.open(place) as content:
            return content.read(LARGEST + 1)

    def open(self, place: int) -> IO[bytes]:
        return self.zip.open(self.zip.infolist()[place]) if self.zip else open(self.path, "rb")


def checked(source: ImageFile, place: int, name: str, problems: ProblemList) -> Picture | None:
    """The image; None with a problem where it is none, or not one that we show."""
    complaint: Phrase | None
    try:
        content = source.read(place)
    # RuntimeError is of a password, or of a method that zipfile does not know; ValueError and OSError of a false directory.
    except (*DAMAGE, zipfile.BadZipFile, RuntimeError, OSError, ValueError) as error:
        content, complaint = b"", Phrase("it cannot be unpacked (%(error)s)", error=str(error))
    else:
        complaint = complaint_about(name, content)
    if complaint:
        named = Phrase("%(name)s: %(complaint)s", name=repr(name[:200]), complaint=complaint)
        problems.add(0, named if source.zip else complaint)
        return None
    return Picture(place, clean_name(name), kind_of(content), hashlib.sha256(content).hexdigest(), len(content))


def complaint_about(name: str, content: bytes) -> Phrase | None:
    kind = kind_of(content)
    if not clean_name(name) or len(clean_name(name)) > LONGEST_NAME or not name.isprintable():
        return Phrase("its name cannot be used; expected at most %(most)s printable characters", most=LONGEST_NAME)
    if len(content) > LARGEST:
        return Phrase("has more than %(most)s bytes, the most an image may have", most=f"{LARGEST:,}")
    if kind not in FILE_TYPES or not FILE_TYPES[kind].is_image:
        return Phrase("is no image that can be shown; expected PNG, JPEG, WebP or GIF (SVG can hold scripts)")
    return None


def clean_name(name: str) -> str:
    """The name as it is looked for: parts that lead nowhere are left out.

    >>> clean_name("./D1/../fig 1.png"), clean_name("http://x.org/owl.png"), clean_name("..")
    ('D1/fig 1.png', 'http://x.org/owl.png', '')
    """
    scheme, separator, rest = name.rpartition("://")
    parts = [part for part in rest.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return scheme + separator + "/".join(parts)


def unknown(collection: Collection, pictures: list[Picture], problems: ProblemList, *, by_now: bool = False) -> list[Picture]:
    """Those that the collection lacks; adds a problem for each name that it, or the file itself, has for another image."""
    here = dict(collection.images.values_list("name", "sha256")) if pictures else {}
    new = []
    for picture in pictures:
        known = here.get(picture.name)
        if known and (known != picture.sha256 or by_now):
            another = Phrase(
                "%(name)s is another image than the one of this name that is there; delete that one first",
                name=repr(picture.name),
            )
            problems.add(0, another)
        elif not known:
            here[picture.name] = picture.sha256
            new.append(picture)
    return new


def stored_images(
    collection: Collection, source: ImageFile, pictures: list[Picture], by: User, progress: Progress
) -> list[Image]:
    """The images with their files in the storage, and without their rows."""
    images: list[Image] = []
    try:
        for number, picture in enumerate(pictures, start=1):
            image = Image(collection=collection, kind=picture.kind, sha256=picture.sha256, size=picture.size, created_by=by)
            image.take_name(picture.name)
            image.file.save(f"image.{picture.kind}", ContentFile(source.read(picture.place)), save=False)
            images.append(image)
            flush_stored(str(image.file.name))
            progress(number)
    except BaseException:
        forget([image.file.name or "" for image in images])
        raise
    return images


def notes(counts: dict[str, int], collection: Collection) -> list[Phrase]:
    sentences = [Phrase("%(images)s added.", images=number_with_noun(counts["added"], "image"))]
    if here := counts["already_there"]:
        sentences.append(Phrase("%(images)s already here.", images=number_with_noun(here, "image")))
    if not collection.shows_images:
        sentences.append(Phrase("Workers do not see them: the collection’s settings say so."))
    return sentences
