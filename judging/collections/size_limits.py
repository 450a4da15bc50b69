"""How large files may be: unpacked, and where they are read whole. What one upload may have is checked in `uploads`."""

from pathlib import Path

from django.conf import settings

from ireval.io.files import BadFile
from ireval.translatable import Phrase


def largest_unpacked(*limits: int) -> int:
    return min(settings.UNPACKED_MAX_BYTES, *limits) if limits else settings.UNPACKED_MAX_BYTES


def largest_read_whole(path: Path, filename: str) -> int:
    """How many bytes a run, result lists or qrels may have unpacked: they are read whole. Raises BadFile for more, plainly so."""
    most = largest_unpacked(settings.RUN_MAX_BYTES)
    if path.stat().st_size > most:
        too_large = Phrase(
            "has %(bytes)s bytes; runs, result lists and qrels may have %(most)s (IREVAL_RUN_MAX_MB), as they are read whole: "
            "keep fewer documents per topic",
            bytes=f"{path.stat().st_size:,}",
            most=f"{most:,}",
        )
        raise BadFile.because(filename, too_large)
    return most
