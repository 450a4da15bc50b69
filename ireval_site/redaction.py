"""Redaction of logs: tokens in addresses, keys and ids of marketplaces are left out."""

import logging
import re

GONE = "[…]"
BELOW = ("arrive", "join", "shared", "invited", "password", "confirm")  # addresses that go on with a token
# In any address; a channel may name them otherwise, but its whole address is secret.
PARAMETERS = [
    *("PROLIFIC_PID", "STUDY_ID", "SESSION_ID", "prolific_token"),
    *("participantId", "projectId", "assignmentId"),
    "token",  # in a cluster's address
]
SECRETS = [
    re.compile(rf"""(/(?:{"|".join(BELOW)})/)[^\s"'<>]+"""),
    re.compile(rf"""(%2F(?:{"|".join(BELOW)})%2F)[^\s"'<>&]+""", re.IGNORECASE),
    re.compile(rf"""\b((?:{"|".join(PARAMETERS)})=)[^\s"'<>&]+"""),
    re.compile(r"(DETAIL:  (?:Key \(.*\)=|Failing row contains )).+"),  # a row, as PostgreSQL explains an error
    re.compile(r"\b(ireval_)[0-9a-f]{16,}"),  # tokens of the API
    re.compile(r"\b(w_)[A-Za-z0-9_-]{22}(?![A-Za-z0-9_-])"),  # write keys
]


def redacted(text: str) -> str:
    for secret in SECRETS:
        text = secret.sub(rf"\1{GONE}", text)
    return text


class Redact(logging.Filter):
    """Takes secrets out of a record, with its traceback, before a handler writes it."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = redacted(message(record)), None
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        record.exc_text = record.exc_text and redacted(record.exc_text)
        record.stack_info = record.stack_info and redacted(record.stack_info)
        return True


def message(record: logging.LogRecord) -> str:
    """The record's text. If its arguments do not fit, logging would print them past every filter, so they are appended here."""
    try:
        return record.getMessage()
    except (TypeError, ValueError, KeyError):
        return f"{record.msg} {record.args}"
