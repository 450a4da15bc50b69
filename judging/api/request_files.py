"""A file in the body of one request: for runs and qrels that are read while the client waits. Larger ones are uploads."""

import tempfile
from collections.abc import Callable

import polars as pl
from django.core.files.uploadedfile import UploadedFile
from rest_framework import serializers

from ireval.io.files import BadFile, open_file
from judging.access import own_collections_for
from judging.api.requester import Accessible
from judging.collections.imports import ImportResult
from judging.collections.imports.file_names import name_for
from judging.models import Collection, User

MAX_UNPACKED = 64 * 2**20
MOST_ROWS = 2_000_000


class PostedSerializer(serializers.Serializer):
    collection = Accessible(own_collections_for)
    file = serializers.FileField(max_length=255, help_text="As it is: plain, gz, xz, zst or Parquet.")
    name = serializers.CharField(max_length=120, required=False, help_text="The file's, if it is left out.")
    description = serializers.CharField(max_length=10_000, default="")
    skip_unknown_topics = serializers.BooleanField(default=False, help_text="Leave out topics that the collection lacks.")

    def imported(self, importing: Callable[..., ImportResult], *, by: User) -> ImportResult:
        """Store what was sent by one of the verbs of judging.collections.imports."""
        options = dict(self.validated_data)
        collection: Collection = options.pop("collection")
        file: UploadedFile = options.pop("file")
        with tempfile.NamedTemporaryFile() as kept:
            kept.writelines(file.chunks())
            kept.flush()
            refuse_bombs(kept.name, file.name or "file")
            return importing(collection, kept.name, by=by, filename=file.name, **options)

    def chosen_name(self) -> str:
        return name_for(self.validated_data.get("name", ""), self.validated_data["file"].name)


def refuse_bombs(path: str, filename: str) -> None:
    """BadFile for what unpacks to more than a request should wait for."""
    with open_file(path, name=filename, max_bytes=MAX_UNPACKED) as stream:
        parquet = stream.peek(4)[:4] == b"PAR1"  # type: ignore[attr-defined]
        while stream.read(2**20):
            pass
    if parquet and (rows := parquet_rows(path)) > MOST_ROWS:
        raise BadFile.because(filename, f"holds {rows:,} rows; one request may bring {MOST_ROWS:,}: send it as an upload")


def parquet_rows(path: str) -> int:
    try:
        return pl.scan_parquet(path).select(pl.len()).collect().item()
    except pl.exceptions.PolarsError:
        return 0  # damaged: whoever reads it will say how
