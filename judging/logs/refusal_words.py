"""Why records were refused, in the reader's language. What is stored is English, and some of it stands behind a colon as it was
sent."""

import re

from django.utils.translation import gettext, gettext_noop

REASONS = (
    gettext_noop("is not JSON"),
    gettext_noop("expected a JSON object"),
    gettext_noop("has neither user_query (a query) nor action_name (an event)"),
    gettext_noop("is an event (it has action_name); queries belong here"),
    gettext_noop("has no action_name; events belong here"),
    gettext_noop("has no user_query"),
    gettext_noop("has no timestamp"),
    gettext_noop("has a timestamp that is none"),
    gettext_noop("has a timestamp outside 1970–2199"),
    gettext_noop("is nested too deeply"),
    gettext_noop("is nested too deeply, or holds numbers that JSON does not know"),
    gettext_noop("is longer than %(n)s characters"),
    gettext_noop("holds the character 0"),
    gettext_noop("holds half of a surrogate pair, which is no character"),
    gettext_noop("has a user_query longer than %(n)s characters"),
    gettext_noop("has an action_name longer than %(n)s characters"),
    gettext_noop("has an object_id longer than %(n)s characters"),
    gettext_noop("shows more than %(n)s results, or one with an id longer than %(longest)s characters"),
    gettext_noop("is in more than %(n)s experiments, or in one with a name longer than %(longest)s characters"),
    gettext_noop("has a user_agent with characters that no browser sends"),
    gettext_noop("its event_id was used for another event before"),
)
PATTERNS = [(reason, re.compile(re.sub(r"%\\\((\w+)\\\)s", r"(?P<\1>[\\d,]+)", re.escape(reason)))) for reason in REASONS]


def refusal(why: str) -> str:
    """
    >>> refusal("is longer than 65,536 characters"), refusal("has a timestamp that is none: yesterday")
    ('is longer than 65,536 characters', 'has a timestamp that is none: yesterday')
    """
    general, colon, sent = why.partition(":")
    for reason, pattern in PATTERNS:
        if match := pattern.fullmatch(general):
            return f"{gettext(reason) % match.groupdict()}{colon}{sent}"
    return why
