"""Loads the demo: a shared collection with four runs and qrels, a launched study over them, and a link for workers.

Everything in it was made by people outside of here or computed from it. Its search site begins with simulated visitors, and a
side-by-side study with simulated workers, all marked as such. The graded study has no judgements yet: those are the visitor's.
"""

from typing import TYPE_CHECKING, Any

import polars as pl
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.urls import reverse

from judging.collections.hypotheses import ask
from judging.collections.imports.documents import as_row, insert_rows
from judging.collections.imports.topics import as_topic
from judging.collections.storage import all_or_nothing, store_qrels, store_run
from judging.collections.systems import confirm, proposals
from judging.demo.first_study import SuggestedStudy
from judging.demo.search_site import open_site
from judging.demo.voters import RUNS, open_study
from judging.models import Collection, Hypothesis, Invite, Outbox, Study, Topic, User
from judging.models.hypothesis import USUAL
from judging.recruiting.invites import invite, token_of
from judging.studies.launch import launch

if TYPE_CHECKING:
    from judging.demo.catalogue import DemoCollection

USERNAME = "demo"
PREFIX = "Demo: "
# The first document of every run: few enough that five minutes of judging move the study's bar.
DEPTH = 1
OVERLAP = 1


class Command(BaseCommand):
    help = "Load the demo collection with a study that is ready to be judged. Running it again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--site", default=settings.PUBLIC_URL, help="the address that the link for workers begins with")

    def handle(self, *args: Any, site: str, **options: Any) -> None:
        with all_or_nothing():
            user = lock_demo_user()
            if has_demo(user):
                self.stdout.write("The demo is loaded already.")
                return
            from judging.demo.catalogue import load  # noqa: PLC0415  half a second that no other command should pay

            demo = load()
            collection = store(demo, user)
            study = launch_study(collection, demo.study, user)
            link = invite(study, by=user, label="demo")
            site_row = open_site(collection, user)
            votes = open_study(collection, user)
            ask_which_is_better(collection, user)
            Outbox.objects.post("judging.tasks.send_demo_votes", study=votes.pk)
            Outbox.objects.post("judging.tasks.send_demo_visitors", site=site_row.pk)
        self.stdout.write(f"Loaded “{collection}”: {collection_facts(collection)}.")
        self.stdout.write(f"The study “{study}” waits for judges: {site.rstrip('/')}{path_of(link)}")


def lock_demo_user() -> User:
    """The demo's researcher, who has no password; locked, so that two commands at once load it once."""
    user, new = User.objects.get_or_create(username=USERNAME, defaults={"is_researcher": True})
    if new:
        user.set_unusable_password()
        user.save()
    return User.objects.select_for_update().get(pk=user.pk)


def has_demo(user: User) -> bool:
    return Collection.objects.filter(owner=user, name__startswith=PREFIX).exists()


def store(demo: "DemoCollection", user: User) -> Collection:
    collection = Collection.objects.create(
        name=demo.name,
        description=demo.description,
        notice=f"{demo.attribution}\n\n{demo.notice}",
        owner=user,
        shared=True,
    )
    insert_rows(collection, [as_row(document) for document in demo.documents])
    Topic.objects.bulk_create(as_topic(topic, collection) for topic in demo.topics)
    store_qrels(
        pl.DataFrame(demo.qrels.rows, schema={"topic": pl.String, "docno": pl.String, "grade": pl.Int32}, orient="row"),
        collection=collection,
        name=demo.qrels.name,
        by=user,
        description=demo.qrels.description,
        sparse=True,
        recipe={"method": "taken from the catalogue's own mappings", "left out": f"{demo.qrels.left_out} mapped categories"},
    )
    for run in demo.runs:
        frame = pl.DataFrame(run.rows, schema={"topic": pl.String, "docno": pl.String, "score": pl.Float64}, orient="row")
        store_run(frame, collection=collection, name=run.name, by=user, description=run.description)
    return collection


def launch_study(collection: Collection, suggested: SuggestedStudy, user: User) -> Study:
    study = Study.objects.create(
        collection=collection,
        name=suggested.name,
        scale=suggested.scale,
        instructions=suggested.instructions,
        consent=suggested.consent,
        depth=DEPTH,
        overlap=OVERLAP,
        created_by=user,
    )
    study.runs.set(collection.runs.all())
    study.members.add(user)
    launch(study, by=user, seed=1)
    return study


def ask_which_is_better(collection: Collection, user: User) -> Hypothesis:
    """Say which run and which arm are which system's, and ask of two of them."""
    confirm(collection, [(row.thing, row.system, row.version) for row in proposals(collection)], by=user)
    words, letters = (collection.systems.get(versions__runs__name=name) for name in RUNS)
    return ask(words, letters, by=user, expectations=USUAL, why="Runs of four letters find endings and typing errors, too.")


def collection_facts(collection: Collection) -> str:
    documents, topics, runs = collection.documents.count(), collection.topics.count(), collection.runs.count()
    return f"{documents} documents, {topics} topics, {runs} runs, {collection.qrels.count()} qrels"


def path_of(link: Invite) -> str:
    return reverse("follow_invite", args=[token_of(link)])
