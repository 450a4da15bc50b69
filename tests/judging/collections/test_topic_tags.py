"""Tags of topics in a collection: they come with files, are edited by its owner, and narrow down its list of topics."""

import pytest
from django.urls import reverse

from ireval.io.files import BadFile
from judging.collections.imports import import_topics
from judging.collections.topic_tags import set_tags, tag_counts, with_tag
from judging.errors import BadFields
from judging.models import AuditEntry, Collection, Topic

pytestmark = pytest.mark.django_db
ODD = ["hard", "hard ", "Hard", "har", "%", "_", "'", '"', "\\", "$", "é", "🦉", "air travel", "[]", "null", "1", "?", "-- x"]


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_text(content)
        return path

    return write


def tags_of(collection):
    return dict(collection.topics.values_list("number", "tags"))


def test_they_come_with_topics(collection, researcher, write):
    imported = import_topics(collection, write("t.csv", 'qid,query,type\n3,duck songs,"nav, hard"\n4,geese,\n'), by=researcher)
    assert imported.counts == {"added": 2, "already_there": 0, "tagged": 0}
    assert tags_of(collection) == {"1": [], "2": [], "3": ["nav", "hard"], "4": []}
    assert not AuditEntry.objects.exists(), "who imported it stands with the upload"


def test_the_same_topics_again_bring_their_tags_and_leave_others_alone(collection, researcher, write):
    set_tags(collection.topics.get(number="2"), ["nav"], by=researcher)
    path = write("t.csv", "qid,query,description,tags\n1,diet of owls,What do owls eat?,hard\n")
    assert import_topics(collection, path, by=researcher).counts == {"added": 0, "already_there": 1, "tagged": 1}
    assert tags_of(collection) == {"1": ["hard"], "2": ["nav"]}
    again = import_topics(collection, path, by=researcher)
    assert again.counts["tagged"] == 0 and again.notes == ["0 topics imported.", "1 topic already here, with the same words."]
    without = write("t.csv", "qid,query,description,tags\n1,diet of owls,What do owls eat?,\n")
    import_topics(collection, without, by=researcher)
    assert tags_of(collection)["1"] == ["hard"]


def test_a_table_of_topics_and_tags_tags_what_is_there(collection, researcher, write):
    imported = import_topics(collection, write("kinds.tsv", "topic\ttags\n2\thard; nav\n1\tnav\n"), by=researcher)
    assert tags_of(collection) == {"1": ["nav"], "2": ["hard", "nav"]}
    assert imported.notes == ["2 topics given the tags of the file."]
    entry = AuditEntry.objects.get()
    assert (entry.about, entry.by, entry.collection) == ("tags by kinds.tsv, topics 2, 1", researcher, collection)


def test_a_topic_that_is_not_there_needs_its_words(collection, researcher, write):
    with pytest.raises(BadFile) as refused:
        import_topics(collection, write("kinds.tsv", "topic\ttags\n1\tnav\n9\tnav\n"), by=researcher)
    assert [str(problem) for problem in refused.value.problems] == ["kinds.tsv, line 3: topic 9 has no title; expected its query"]
    assert tags_of(collection) == {"1": [], "2": []}


def test_setting_them_is_noted_with_what_was_there(collection, researcher):
    topic = collection.topics.get(number="1")
    assert set_tags(topic, ["hard, nav", "hard"], by=researcher).tags == ["hard", "nav"]
    set_tags(topic, ["hard", "nav"], by=researcher)
    set_tags(topic, [], by=researcher)
    assert list(AuditEntry.objects.order_by("id").values_list("about", flat=True)) == [
        "tags of topic 1: none → hard, nav", "tags of topic 1: hard, nav → none",
    ]  # fmt: skip


def test_where_the_tags_cannot_be_stored_nothing_is_noted(collection, researcher, monkeypatch):
    def fail(self, **options):
        raise RuntimeError("no room")

    monkeypatch.setattr(Topic, "save", fail)
    with pytest.raises(RuntimeError):
        set_tags(collection.topics.get(number="1"), ["hard"], by=researcher)
    assert not AuditEntry.objects.exists()


def test_bad_ones_change_nothing(collection, researcher):
    with pytest.raises(BadFields):
        set_tags(collection.topics.get(number="1"), ["a" * 61], by=researcher)
    assert not AuditEntry.objects.exists()


def test_both_databases_find_a_tag_exactly_as_python_does(collection):
    lists = [[tag] for tag in ODD] + [[], ["nav", "hard"], ODD[:20]]
    Topic.objects.bulk_create(Topic(collection=collection, number=f"x{n}", title="q", tags=tags) for n, tags in enumerate(lists))
    for tag in [*ODD, "nav", "none of them", ""]:
        numbers = with_tag(collection.topics.all(), tag).order_by("id").values_list("number", flat=True)
        assert list(numbers) == [f"x{n}" for n, tags in enumerate(lists) if tag in tags], tag


def test_tags_are_counted(collection):
    collection.topics.filter(number="1").update(tags=["nav", "hard"])
    collection.topics.filter(number="2").update(tags=["nav"])
    assert tag_counts(collection.topics.all()) == [("hard", 1), ("nav", 2)]


@pytest.fixture
def tagged(collection):
    collection.topics.filter(number="1").update(tags=["hard", "a & b"])
    collection.topics.filter(number="2").update(tags=["hard"])
    return collection


def shown(client, collection, **query):
    page = client.get(reverse("topics", args=[collection.pk]), query)
    return [topic.number for topic in page.context["page"]], page.content.decode()


def test_a_link_shows_the_topics_of_a_tag(rita, tagged):
    numbers, page = shown(rita, tagged)
    assert numbers == ["1", "2"]
    assert f'href="/collections/{tagged.pk}/topics/?tag=a%20%26%20b"' in page
    assert '<option value="hard">hard (2)</option>' in page
    numbers, page = shown(rita, tagged, tag="a & b")
    assert numbers == ["1"]
    assert '<option value="a &amp; b" selected>' in page
    assert shown(rita, tagged, tag="hard", q="swallow")[0] == ["2"]
    assert shown(rita, tagged, tag="\0hard")[0] == ["1", "2"]


def test_a_tag_that_no_topic_has_is_ignored(rita, tagged, collection):
    every, _ = shown(rita, tagged)
    numbers, page = shown(rita, tagged, tag="easy")
    assert numbers == every and "easy (" not in page and ">Clear<" not in page


def test_without_tags_nothing_speaks_of_them(rita, collection):
    page = shown(rita, collection)[1]
    assert 'name="tag"' not in page and ">Tags<" not in page


def test_the_owner_edits_them(rita, tagged):
    topic = tagged.topics.get(number="1")
    form = rita.get(reverse("topic_tags", args=[topic.pk])).content.decode()
    assert 'value="hard, a &amp; b"' in form
    answer = rita.post(reverse("topic_tags", args=[topic.pk]), {"tags": " easy;nav "})
    assert answer.url == reverse("topic", args=[topic.pk])
    assert tags_of(tagged)["1"] == ["easy", "nav"]
    assert "?tag=easy" in rita.get(answer.url).content.decode()
    rita.post(reverse("topic_tags", args=[topic.pk]), {"tags": ""})
    assert tags_of(tagged)["1"] == []


def test_a_bad_one_is_said_and_what_was_written_is_kept(rita, tagged):
    answer = rita.post(reverse("topic_tags", args=[tagged.topics.get(number="1").pk]), {"tags": "fine, " + "a" * 61})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "has 61 characters; at most 60 are accepted" in page and f'value="fine, {"a" * 61}"' in page
    assert tags_of(tagged)["1"] == ["hard", "a & b"]


def test_readers_of_a_shared_collection_see_them_and_change_nothing(client, stranger, tagged):
    Collection.objects.update(shared=True)
    client.force_login(stranger)
    topic = tagged.topics.get(number="1")
    page = client.get(reverse("topic", args=[topic.pk])).content.decode()
    assert "?tag=hard" in page and "Edit tags" not in page
    assert client.post(reverse("topic_tags", args=[topic.pk]), {"tags": "mine"}).status_code == 404
    assert tags_of(tagged)["1"] == ["hard", "a & b"]
