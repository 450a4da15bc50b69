"""A process that stores runs as the application does, and says the key of each that is committed: `writer.py DATABASE FILES`."""

import sys

import django
from django.conf import settings


def main(database: str, files: str) -> None:
    settings.DATABASES["default"]["NAME"], settings.MEDIA_ROOT = database, files
    django.setup()

    import polars as pl

    from judging.collections.storage import store_run
    from judging.models import Collection

    collection = Collection.objects.get()
    ranking = pl.DataFrame([("1", "d1", 1.0)], schema=["topic", "docno", "score"], orient="row")
    for number in range(10_000):
        run = store_run(ranking, collection=collection, name=f"run {number}", by=collection.owner, description="x" * 5000)
        print(run.pk, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
