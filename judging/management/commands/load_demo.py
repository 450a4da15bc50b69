"""Loads the demo: two shared collections with runs and qrels, three studies, a search site with two experiments, a hypothesis.

What people do there is simulated and marked as such, but for one study: it has no judgements yet, which are the visitor's.
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
from judging.demo import SEED, graders, voters
from judging.demo.search_site import open_site
from judging.demo.suggested_study import SuggestedStudy, suggest_study
from judging.models import Collection, Hypothesis, Invite, Outbox, Study, Topic, User
from judging.models.hypothesis import USUAL
from judging.recruiting.invites import invite, token_of
from judging.studies.launch import launch

if TYPE_CHECKING:
    from judging.demo.demo_collection import DemoCollection

USERNAME = "demo"
PREFIX = "Demo: "
# The first document of every run: few enough that five minutes of judging move the study's bar.
DEPTH = 1
OVERLAP = 1


class Command(BaseCommand):
    help = "Load the demo's collections with a study that is ready to be judged. Running it again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--site", default=settings.PUBLIC_URL, help="the address that the link for workers begins with")

    def handle(self, *args: Any, site: str, **options: Any) -> None:
        with all_or_nothing():
            user = lock_demo_user()
            if has_demo(user):
                self.stdout.write("The demo is loaded already.")
                return
            from judging.demo import catalogue, household  # noqa: PLC0415  half a second that no other command should pay

            weaknesses, tips = (store(made.load(), user) for made in (catalogue, household))
            suggested = suggest_study()
            study = launch_study(tips, suggested, user)
            link = invite(study, by=user, label="demo")
            graders.open_study(tips, suggested, user)
            voters.open_study(tips, user)
            open_site(tips, user)
            ask_which_is_better(tips, user)
            Outbox.objects.post("judging.tasks.simulate_demo", collection=tips.pk)
        for collection in (weaknesses, tips):
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
        notice="\n\n".join(filter(None, [demo.attribution, demo.notice])),
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
        sparse=demo.qrels.sparse,
        recipe=demo.qrels.recipe,
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
        translations=suggested.translations,
        depth=DEPTH,
        overlap=OVERLAP,
        open_call=True,
        language="English",
        created_by=user,
    )
    study.runs.set(collection.runs.all())
    study.members.add(user)
    launch(study, by=user, seed=SEED)
    return study


def ask_which_is_better(collection: Collection, user: User) -> Hypothesis:
    """Say which run and which arm are which system's, and ask of two of them."""
    confirm(collection, [(row.thing, row.system, row.version) for row in proposals(collection)], by=user)
    words, letters = (collection.systems.get(versions__runs__name=name) for name in voters.RUNS)
    return ask(words, letters, by=user, expectations=USUAL, why="Sequences of four letters find endings and typing errors, too.")


def collection_facts(collection: Collection) -> str:
    documents, topics, runs = collection.documents.count(), collection.topics.count(), collection.runs.count()
    return f"{documents} documents, {topics} topics, {runs} runs, {collection.qrels.count()} qrels"


def path_of(link: Invite) -> str:
    return reverse("follow_invite", args=[token_of(link)])
