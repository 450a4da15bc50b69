"""The demo's search site: a page, a write key, and two experiments of which a visitor is in one."""

from datetime import timedelta

from judging.demo import SEED
from judging.experiments import drafts, lifecycle
from judging.logs import keys
from judging.models import Arm, Collection, Experiment, Group, Site, User

NAME, SLUG = "Demo search", "demo"
GROUP = "ranking"
DAYS = 14
# The simulated visitors come once: their records stay, and who comes back should seldom have another pseudonym by then.
KEEP_DAYS, ROTATE_DAYS = 3660, 732
SIMULATED = (
    f"The demo begins with visitors simulated from seed {SEED}, marked “simulated” in the log's application; whoever searches at "
    "/search/ joins."
)


def open_site(collection: Collection, user: User) -> Site:
    """Make the site in the caller's transaction. Its visitors come later, from Celery, so that nobody waits for them."""
    site = Site.objects.create(
        name=NAME,
        slug=SLUG,
        owner=user,
        collection=collection,
        has_page=True,
        keep_days=KEEP_DAYS,
        rotate_days=ROTATE_DAYS,
    )
    keys.make(site, by=user, label="demo")
    Group.objects.create(site=site, name=GROUP, salt=GROUP)
    begin(
        site,
        name="four-letters",
        salt="letters",
        hypothesis=f"Sequences of four letters find more than whole words do, so more searches end in a long click. {SIMULATED}",
        arms=[Arm(name="words", ranker="bm25-words", is_control=True), Arm(name="four-letters", ranker="bm25-4grams")],
        metrics=["long-clicks", "ctr", "first-click-rr", "abandonment", "reformulation", "successful-sessions"],
        planned=1500,
    )
    begin(
        site,
        name="four-letters-mixed",
        salt="mixed",
        hypothesis=f"In one list of both, more clicks go to what sequences of four letters found. {SIMULATED}",
        arms=[Arm(name="words", ranker="bm25-words", is_control=True), Arm(name="four-letters", ranker="bm25-4grams")],
        kind=Experiment.Kind.INTERLEAVING,
        planned=2000,
    )
    return site


def begin(site: Site, *, arms: list[Arm], **settings: object) -> None:
    """Two weeks ago, when its first simulated visitors came. Each demo draws the same lots, so that all see the same figures."""
    always = Experiment.Looks.ALWAYS_VALID  # whoever adds a click may look at once
    made = drafts.create(site, by=site.owner, arms=arms, group=GROUP, traffic=50, looks=always, **settings)
    lifecycle.start(made, by=site.owner)
    assert made.started is not None
    Experiment.objects.filter(pk=made.pk).update(started=made.started - timedelta(days=DAYS))
