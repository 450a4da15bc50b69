"""Starting and stopping: what a start asks for, the parts of groups, who did it."""

import pytest
from django.db import IntegrityError, transaction

from judging.experiments import drafts, lifecycle
from judging.models import Allotment, Arm, AuditEntry, Experiment

pytestmark = pytest.mark.django_db


@pytest.fixture
def begin(researcher):
    def begin(experiment):
        lifecycle.start(experiment, by=researcher)
        return experiment

    return begin


def test_a_start_and_a_stop(draft, begin, site, researcher):
    made = begin(draft(weights=[1, 3], traffic=50))
    experiment = Experiment.objects.get()
    assert (experiment.state, made.state, experiment.stopped) == ("running", "running", None)
    assert lifecycle.stop(made, by=researcher)
    experiment.refresh_from_db()
    assert (experiment.state, experiment.stopped >= experiment.started) == ("stopped", True)
    entries = AuditEntry.objects.order_by("id")
    assert [(entry.deed, entry.site, entry.by) for entry in entries] == [
        ("launched", site, researcher),
        ("closed", site, researcher),
    ]
    assert entries[0].about == "experiment “new-ranking”: control (1), new (3); 50 % of users"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"arms": ()}, "two arms or more"),
        ({"arms": ("control",)}, "two arms or more"),
        ({"metrics": []}, "at least one metric"),
        ({"arms": ("a", "b", "c"), "kind": "interleaving", "method": "balanced"}, "Balanced interleaving is of two arms"),
    ],
)
def test_what_is_unfinished_does_not_start(draft, begin, fields, says):
    with pytest.raises(lifecycle.CannotStart, match=says):
        begin(draft(**fields))
    assert Experiment.objects.get().state == "draft"
    assert not AuditEntry.objects.exists()


def test_a_control_has_to_be_named(site, researcher, begin):
    with pytest.raises(lifecycle.CannotStart, match="which arm is the control"):
        begin(drafts.create(site, by=researcher, name="x", arms=[Arm(name="a"), Arm(name="b")]))


def test_nothing_starts_twice_and_nothing_stopped_starts_again(draft, begin, researcher):
    made = begin(draft())
    with pytest.raises(lifecycle.CannotStart, match="started already"):
        begin(made)
    lifecycle.stop(made, by=researcher)
    with pytest.raises(lifecycle.CannotStart, match="started already"):
        begin(made)
    assert not lifecycle.stop(made, by=researcher)
    assert AuditEntry.objects.filter(deed="closed").count() == 1


def test_no_more_run_at_once_than_a_record_can_name(draft, begin):
    for number in range(20):
        begin(draft(name=f"e{number}"))
    with pytest.raises(lifecycle.CannotStart, match="a record can name no more"):
        begin(draft())


def test_experiments_of_a_group_get_parts_of_their_own(draft, begin):
    first, second = (begin(draft(name=name, group="rankings", traffic=traffic)) for name, traffic in (("a", 30), ("b", 70)))
    parts = [set(experiment.allotments.values_list("part", flat=True)) for experiment in (first, second)]
    assert parts == [set(range(30)), set(range(30, 100))]


def test_a_full_group_says_who_has_it_and_a_stop_gives_back(draft, begin, researcher):
    first = begin(draft(name="a", group="rankings", traffic=60))
    second = draft(name="b", group="rankings", traffic=50)
    with pytest.raises(lifecycle.CannotStart, match=r"has 40 % of its users left, .* wants 50 %\. Running in it: a"):
        begin(second)
    assert Allotment.objects.count() == 60
    lifecycle.stop(first, by=researcher)
    begin(second)
    assert Allotment.objects.count() == 50


def test_the_database_itself_gives_no_part_twice(draft):
    first, second = (draft(name=name, group="rankings") for name in "ab")
    Allotment.objects.create(group=first.group, part=7, experiment=first)
    with pytest.raises(IntegrityError), transaction.atomic():
        Allotment.objects.create(group=first.group, part=7, experiment=second)
