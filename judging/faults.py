"""Faults of the machine that pass: the database or the bucket is away, the disk is full or may not be written to."""

import errno
import re

from django.db import DatabaseError, InterfaceError, OperationalError
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

FULL = gettext_lazy("The server’s disk is full, or fails: nothing can be saved until somebody sees to it.")
READ_ONLY = gettext_lazy("The server may not write where its data lies: nothing can be saved until it may.")
AWAY = gettext_lazy("The database does not answer.")
BUCKET_AWAY = gettext_lazy("The storage of files does not answer, or refuses to.")

PAUSE_SECONDS = 5  # until it is worth trying again

# By the number of an OSError, PostgreSQL's code, and words of SQLite and Polars.
NUMBERS = {errno.ENOSPC: FULL, errno.EDQUOT: FULL, errno.EFBIG: FULL, errno.EROFS: READ_ONLY, errno.EACCES: READ_ONLY}
CODES = {"53100": FULL, "25006": READ_ONLY}
WORDS = {"disk is full": FULL, "disk I/O error": FULL, "readonly": READ_ONLY, "unable to open database file": READ_ONLY}
OS_ERROR = re.compile(r"\(os error (\d+)\)")


def fault_of(error: BaseException | None) -> Promise | None:
    """The fault in a sentence for whoever asked; None where the error is no such fault, but a mistake of ours."""
    return next((fault for cause in causes(error) if (fault := named(cause))), None)


def told_to_programs(fault: Promise) -> str:
    return f"{fault} Send the same again in a moment."


def causes(error: BaseException | None) -> list[BaseException]:
    """The errors that led to this one, the first of them first; one that was raised again from itself counts once."""
    errors: list[BaseException] = []
    while error is not None and error not in errors:
        errors.append(error)
        error = error.__cause__
    return errors[::-1]


def named(error: BaseException) -> Promise | None:
    if type(error).__module__.startswith(("botocore.", "boto3.")):  # not imported here: most servers have no bucket
        return BUCKET_AWAY  # what is merely missing is a FileNotFoundError by then
    if type(error).__module__ == "polars.exceptions":  # not imported either
        number = OS_ERROR.search(str(error))
        return NUMBERS.get(int(number[1])) if number else None
    if isinstance(error, OSError):
        return NUMBERS.get(error.errno or 0)
    if code := CODES.get(getattr(error, "sqlstate", None) or ""):
        return code
    if isinstance(error, DatabaseError):
        fault = next((fault for words, fault in WORDS.items() if words in str(error)), None)
        return fault or (AWAY if isinstance(error, OperationalError) else None)
    return AWAY if isinstance(error, InterfaceError) else None
