"""Drafts: what can be drafted, changed, copied and deleted, and that nothing of it can once it has started."""

import pytest

from judging.collections.storage import NameTaken
from judging.errors import BadFields
from judging.experiments import drafts, lifecycle
from judging.models import Arm, AuditEntry, Experiment, Group, Site

pytestmark = pytest.mark.django_db


def test_a_draft_may_be_unfinished(draft):
    assert draft(arms=()).state == "draft"
    assert draft(name="other", arms=("control",)).arms.count() == 1


@pytest.mark.parametrize(
    ("arms", "says"),
    [
        ([Arm(name="new"), Arm(name="New")], "Two arms are called new"),
        ([Arm(name="a", is_control=True), Arm(name="b", is_control=True)], "two controls"),
        ([Arm(name="a", weight=0)], "weighs 0"),
        ([Arm(name="a", weight=float("nan"))], "weighs nan"),
        ([Arm(name=f"a{number}") for number in range(11)], "10 at most"),
    ],
)
def test_arms_that_cannot_be(site, researcher, arms, says):
    with pytest.raises(BadFields, match=says) as refused:
        drafts.create(site, by=researcher, name="x", arms=arms)
    assert list(refused.value.message_dict) == ["arms"]
    assert not Experiment.objects.exists()


def test_only_in_interleaving_no_arm_is_called_as_the_merged_list(draft):
    assert draft(arms=("interleaved", "other"))
    with pytest.raises(BadFields, match="merged list"):
        draft(name="second", arms=("interleaved", "other"), kind="interleaving")


def test_the_run_of_an_arm_is_of_the_site_s_collection(site, researcher, runs):
    arms = [Arm(name="a", run=runs[0])]
    with pytest.raises(BadFields, match="not of the collection"):
        drafts.create(site, by=researcher, name="x", arms=arms)
    site.collection = runs[0].collection
    site.save()
    assert drafts.create(site, by=researcher, name="x", arms=arms).arms.get().run == runs[0]


def test_a_name_is_a_site_s_only_once(draft, researcher):
    draft()
    with pytest.raises(NameTaken, match="already has an experiment “new-ranking”"):
        draft()
    other = Site.objects.create(name="Fish shop", slug="fish-shop", owner=researcher)
    assert drafts.create(other, by=researcher, name="new-ranking", arms=[])


@pytest.mark.parametrize("segments", ["device", [""], [1], ["x" * 61], ["x"] * 11])
def test_segments_that_cannot_be(draft, segments):
    with pytest.raises(BadFields):
        draft(segments=segments)


def test_changing_names_what_changes_and_leaves_the_rest(draft, site):
    made = draft(group="rankings", traffic=30)
    drafts.change(made, traffic=40)
    changed = Experiment.objects.get()
    assert (changed.traffic, changed.group.name, changed.arms.count()) == (40, "rankings", 2)
    drafts.change(made, group="", arms=[Arm(name="only")])
    changed.refresh_from_db()
    assert (changed.group, [arm.name for arm in changed.arms.all()]) == (None, ["only"])
    assert Group.objects.get().site == site


def test_two_drafts_may_share_a_group(draft):
    draft(group="rankings")
    draft(name="other", group="rankings")
    assert Group.objects.get().experiments.count() == 2


def test_a_draft_that_somebody_deleted_meanwhile_is_told_of(draft, researcher):
    made = draft()
    drafts.delete(Experiment.objects.get(pk=made.pk), by=researcher)
    with pytest.raises(drafts.Deleted, match="deleted meanwhile"):
        drafts.change(made, traffic=10)


def test_what_has_started_is_frozen(draft, researcher):
    made = draft()
    lifecycle.start(made, by=researcher)
    for verb in (
        lambda: drafts.change(made, traffic=10),
        lambda: drafts.change(made, arms=[]),
        lambda: drafts.change(made, salt="0"),
        lambda: drafts.delete(made, by=researcher),
    ):
        with pytest.raises(drafts.NotADraft, match="Copy it"):
            verb()
    lifecycle.stop(made, by=researcher)
    with pytest.raises(drafts.NotADraft):
        drafts.change(made, name="other")
    assert Experiment.objects.get().traffic == 100


def test_a_copy_is_a_draft_with_a_lot_of_its_own(draft, researcher):
    made = draft(weights=[3, 1], traffic=20, group="rankings", hypothesis="It helps.", metrics=["clicks"])
    lifecycle.start(made, by=researcher)
    copy = drafts.copy(made, by=researcher)
    assert (copy.name, copy.state, copy.started, copy.hypothesis) == ("new-ranking-2", "draft", None, "It helps.")
    assert (copy.traffic, copy.group, copy.metrics) == (20, made.group, ["clicks"])
    assert copy.salt != made.salt
    assert [(arm.name, arm.weight, arm.is_control) for arm in copy.arms.all()] == [("control", 3, True), ("new", 1, False)]
    assert drafts.copy(copy, by=researcher).name == "new-ranking-3"


def test_deleting_a_draft_is_written_down(draft, site, researcher):
    drafts.delete(draft(), by=researcher)
    assert not Experiment.objects.exists()
    entry = AuditEntry.objects.get()
    assert (entry.deed, entry.site, entry.by) == ("deleted", site, researcher)
