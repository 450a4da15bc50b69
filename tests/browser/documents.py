"""A study of documents with HTML, images and attachments, beside the demo's own."""

import json

from tests.browser.joining import read_instructions

MAKE = """
import json
from django.core.files.base import ContentFile
from judging.collections.attachments import attach
from judging.collections.storage import store_run
from judging.models import Collection, Comparison, Document, Image, Markup, Study, Topic, User
from judging.recruiting.invites import invite, token_of
from judging.studies.launch import launch
import polars as pl
from tests.images import PNG
pages = json.loads({pages!r})
by = User.objects.filter(is_researcher=True).first()
collection = Collection.objects.create(name={name!r}, owner=by)
topic = Topic.objects.create(collection=collection, number="1", title="diet of owls", description="What do owls eat?")
for docno, html in pages.items():
    document = Document.objects.create(collection=collection, docno=docno, title="About " + docno, text={text!r})
    if html:
        Markup.objects.create(document=document, html=html)
for name in {images!r}:
    image = Image(collection=collection, kind="png", sha256="", size=len(PNG), created_by=by)
    image.take_name(name)
    image.file.save("image.png", ContentFile(PNG), save=False)
    image.save()
if {attached!r}:
    attach(topic, filename="pellet.png", content=PNG, by=by)
    attach(topic, filename="what counts.pdf", content=b"%PDF-1.4 counts", by=by)
frame = pl.DataFrame({{"topic": ["1"] * len(pages), "docno": list(pages), "score": [float(-n) for n in range(len(pages))]}})
run = store_run(frame, collection=collection, name="r", by=by)
facts = dict(collection=collection, name={name!r}, overlap=20, created_by=by, instructions="Judge.")
if {compared!r}:
    study = Study.objects.create(kind=Study.Kind.SIDE_BY_SIDE, depth=10, **facts)
    other = store_run(frame.with_columns(score=-pl.col("score")), collection=collection, name="s", by=by)
    study.runs.set([run, other])
    Comparison.objects.create(study=study)
else:
    study = Study.objects.create(depth=50, **facts)
    study.runs.set([run])
study.members.add(by)
launch(study, by=by, seed=1)
print("token", token_of(invite(study, by=by)), study.pk)
"""


def made(shell, name, pages, *, images=(), attached=False, compared=False, text="Owls eat voles. " * 20) -> tuple[str, str]:
    """The token of the study's link, and the study's key; where they are `compared`, of a side-by-side study."""
    facts = {"images": list(images), "attached": attached, "compared": compared, "text": text}
    printed = shell(MAKE.format(pages=json.dumps(pages), name=name, **facts))
    token, study = printed.split("token ")[1].split()
    return token, study


def join(watched, token):
    page = watched.page
    page.goto(f"/join/{token}/")
    page.get_by_label("I have read this and want to take part").check()
    page.get_by_role("button", name="Start judging").click()
    read_instructions(page)
    page.wait_for_selector("form.item")
    page.wait_for_load_state()
    return page
