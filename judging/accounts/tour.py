"""The tour of five steps: each speaks of a page, and each person takes it up where they left it."""

from collections.abc import Callable

from django.db.models import QuerySet
from django.urls import reverse

from judging.access import collections_for, experiments_for, hypotheses_for, studies_for
from judging.models import Study, User

ENDED, FIRST = 0, 1


def move(user: User, *, step: int) -> None:
    """Be at this step from now on; at ENDED the tour is over until it is asked for again."""
    User.objects.filter(pk=user.pk).update(tour=step)
    user.tour = step


def page_of(step: int, user: User) -> str:
    """The page of which the step speaks: the newest thing of its kind that the user may see, else the list where it will be."""
    things, page, otherwise = STEPS[step]
    thing = things(user).order_by("-pk").values_list("pk", flat=True).first()
    return reverse(page, args=[thing]) if thing else reverse(otherwise)


def judged_studies_for(user: User) -> QuerySet[Study]:
    """Graded studies that have workers: one that waits for its first has nothing to show."""
    return studies_for(user).filter(kind=Study.Kind.GRADED, workers__isnull=False)


def begun_experiments_for(user: User) -> QuerySet:
    return experiments_for(user).filter(started__isnull=False, kind="ab")


# Of each step what it may speak of, its page, and the list where there is none. templates/_tour.html has the words.
STEPS: dict[int, tuple[Callable[[User], QuerySet], str, str]] = {
    FIRST: (hypotheses_for, "verdict", "verdicts"),
    2: (judged_studies_for, "study", "studies"),
    3: (judged_studies_for, "study_quality", "studies"),
    4: (begun_experiments_for, "experiment_report", "sites"),
    5: (collections_for, "collection", "collections"),
}
