"""A backup's file: a tar packed by zstd, whose last member lists all others with their sizes and hashes.

It is written under another name and renamed when it is complete and on the disk: what was interrupted never looks like a backup.
"""

import contextlib
import hashlib
import io
import json
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from ireval.io.zst import zstd

MANIFEST = "manifest.json"
PORTION = 2**20


class BackupProblem(Exception):
    """Why a backup cannot be made or restored, and what to do."""


class HashedReader:
    """A file that is hashed while somebody reads it."""

    def __init__(self, content: IO[bytes]):
        self.content, self.sha256, self.size = content, hashlib.sha256(), 0

    def read(self, size: int = -1) -> bytes:
        portion = self.content.read(size)
        self.sha256.update(portion)
        self.size += len(portion)
        return portion

    @property
    def facts(self) -> dict[str, Any]:
        return {"size": self.size, "sha256": self.sha256.hexdigest()}


class Archive:
    """A backup that is being written."""

    def __init__(self, tar: tarfile.TarFile):
        self.tar = tar
        self.members: dict[str, dict[str, Any]] = {}

    def add(self, name: str, content: IO[bytes], size: int) -> None:
        reader = HashedReader(content)
        self.tar.addfile(member(name, size), reader)
        self.members[name] = reader.facts

    def add_path(self, name: str, path: Path) -> None:
        with open(path, "rb") as content:
            self.add(name, content, path.stat().st_size)

    def finish(self, facts: dict[str, Any]) -> None:
        manifest = json.dumps({**facts, "members": self.members}, indent=1).encode()
        self.tar.addfile(member(MANIFEST, len(manifest)), io.BytesIO(manifest))


def member(name: str, size: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o600
    return info


@contextlib.contextmanager
def new_archive(path: Path) -> Iterator[Archive]:
    """A new backup, for its owner alone; complete under its name when the block is done, else gone."""
    if path.exists():
        raise BackupProblem(f"{path} is there already. Choose another name.")
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")
    with contextlib.ExitStack() as on_failure:
        on_failure.callback(draft.unlink, missing_ok=True)
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            with (
                zstd.open(file, "wb", options={zstd.CompressionParameter.checksum_flag: 1}) as packed,
                tarfile.open(fileobj=packed, mode="w|") as tar,
            ):
                yield Archive(tar)
            file.flush()
            os.fsync(file.fileno())
        os.rename(draft, path)
        on_failure.pop_all()
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Let the new name survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def open_archive(path: Path) -> Iterator[Iterator[tuple[str, HashedReader]]]:
    """What a backup holds, each to be read before the next. BackupProblem where the file is damaged or none of ours."""
    try:
        with (
            open(path, "rb") as file,
            zstd.open(file) as unpacked,
            tarfile.open(fileobj=unpacked, mode="r|") as tar,
        ):
            yield ((info.name, HashedReader(content)) for info in tar if (content := tar.extractfile(info)))
    except (tarfile.TarError, zstd.ZstdError, EOFError) as error:
        raise BackupProblem(f"{path} is damaged, incomplete or no backup ({error}). Nothing was changed.") from error


def verified_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a backup whose every byte is as it was written."""
    manifest: dict[str, Any] = {}
    present = {}
    with open_archive(path) as members:
        for name, content in members:
            if name == MANIFEST:
                manifest = json.loads(content.read())
            else:
                present[name] = read_through(content).facts
    if not manifest:
        raise BackupProblem(f"{path} is incomplete or no backup: {MANIFEST} is absent. Nothing was changed.")
    listed = manifest["members"]
    wrong = sorted(name for name in present.keys() | listed.keys() if present.get(name) != listed.get(name))
    if wrong:
        raise BackupProblem(f"{path} is damaged: {wrong[0]} is not as it was written. Nothing was changed.")
    return manifest


def read_through(content: HashedReader) -> HashedReader:
    while content.read(PORTION):
        pass
    return content
