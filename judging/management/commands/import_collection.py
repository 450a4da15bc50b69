"""Imports a collection from files on this machine: all of them, or nothing at all."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ireval.io.files import BadFile, Problem
from ireval.io.problem_kinds import alike
from judging.collections.imports import (
    ImportResult,
    import_documents,
    import_images,
    import_qrels,
    import_results,
    import_run,
    import_topics,
)
from judging.collections.imports.options import FORMATS
from judging.collections.imports.topics import NUMBERINGS
from judging.collections.parsers import SCALES
from judging.collections.storage import all_or_nothing
from judging.models import Collection, User

Step = tuple[Callable[..., ImportResult], Path, dict[str, Any]]


class Command(BaseCommand):
    help = (
        "Import documents, topics, qrels, runs, result lists and images into a collection, which is made if it does not exist. "
        "All or nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="of the collection; one that its owner has already is added to")
        parser.add_argument("--owner", required=True, metavar="USER", help="the researcher whose collection it is")
        for kind in ("documents", "topics", "qrels", "run", "results", "images"):
            parser.add_argument(f"--{kind}", nargs="+", action="extend", type=Path, default=[], metavar="FILE")
        for kind in ("documents", "topics", "qrels", "results"):
            parser.add_argument(f"--{kind}-format", choices=list(FORMATS[kind]), default="auto")
        parser.add_argument("--number-topics", choices=list(NUMBERINGS), default="auto", help="of SMART topics")
        parser.add_argument("--scale", choices=list(SCALES), default="cranfield", help="of the codes in SMART qrels")
        parser.add_argument("--sparse", action="store_true", help="mark the qrels: most relevant documents are not in them")
        parser.add_argument("--only-mentioned", action="store_true", help="only documents that runs or qrels mention")
        parser.add_argument(
            "--skip-unknown-topics", action="store_true", help="of runs, results and qrels, instead of refusing them"
        )
        parser.add_argument("--shared", action="store_true", help="every researcher may read it")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = User.objects.filter(username=options["owner"]).first()
        if owner is None or not owner.may_research:
            raise CommandError(f"There is no researcher “{options['owner']}”; make one with manage.py create_user.")
        lines: list[str] = []
        problems: list[Problem] = []
        with all_or_nothing():
            collection = collection_of(owner, options["name"], shared=options["shared"])
            for verb, path, chosen in steps(options):
                try:  # what is wrong with one file does not keep the others from being looked at
                    lines += notes(path, verb(collection, path, by=owner, **chosen))
                except BadFile as bad:
                    problems += bad.problems
                except OSError as error:
                    problems.append(Problem(str(path), 0, f"cannot be read: {error.strerror or error}"))
            if problems:
                raise CommandError("\n".join(["Nothing was imported.", *map(str, alike(problems))]))
        for line in lines:
            self.stdout.write(line)


def notes(path: Path, imported: ImportResult) -> list[str]:
    return [note if note.startswith(path.name) else f"{path.name}: {note}" for note in imported.notes]


def collection_of(owner: User, name: str, *, shared: bool) -> Collection:
    collection, _ = Collection.objects.get_or_create(name=name, defaults={"owner": owner, "shared": shared})
    if collection.owner != owner:
        raise CommandError(f"The collection “{name}” belongs to {collection.owner}. Choose another name.")
    if shared and not collection.shared:
        collection.shared = True
        collection.save(update_fields=["shared"])
    return collection


def steps(options: dict[str, Any]) -> Iterator[Step]:
    """Topics first, so that runs are compared with them; documents last where runs and qrels say which are wanted."""
    yield from ((import_topics, path, topic_options(options)) for path in options["topics"])
    if not options["only_mentioned"]:
        yield from documents(options)
    yield from ((import_qrels, path, qrels_options(options)) for path in options["qrels"])
    skipping = {"skip_unknown_topics": options["skip_unknown_topics"]}
    yield from ((import_run, path, skipping) for path in options["run"])
    yield from ((import_results, path, {"format": options["results_format"], **skipping}) for path in options["results"])
    if options["only_mentioned"]:
        yield from documents(options)
    yield from ((import_images, path, {}) for path in options["images"])


def documents(options: dict[str, Any]) -> Iterator[Step]:
    chosen = {"format": options["documents_format"], "only_mentioned": options["only_mentioned"]}
    yield from ((import_documents, path, chosen) for path in options["documents"])


def topic_options(options: dict[str, Any]) -> dict[str, Any]:
    return {"format": options["topics_format"], "number_topics": options["number_topics"]}


def qrels_options(options: dict[str, Any]) -> dict[str, Any]:
    kept = {name: options[name] for name in ("scale", "sparse", "skip_unknown_topics")}
    return {"format": options["qrels_format"], **kept}
