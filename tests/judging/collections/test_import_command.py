"""manage.py import_collection: all the files of a collection, or none."""

import pytest
from django.core.management import CommandError, call_command

from judging.models import Collection
from tests.judging.stored import everything_stored


@pytest.fixture
def files(tmp_path):
    """The smallest complete collection, under the names of its options."""
    content = {
        "documents": '{"_id": "d1", "text": "Owls"}\n{"_id": "d2", "text": "Ducks"}\n{"_id": "d3", "text": "Geese"}\n',
        "topics": '{"_id": "1", "text": "owls"}\n',
        "qrels": "1 0 d1 1\n",
        "run": "1 Q0 d1 1 2 a\n1 Q0 d2 2 1 a\n",
    }
    paths = {kind: tmp_path / f"{kind}.txt" for kind in content}
    for kind, path in paths.items():
        path.write_text(content[kind])
    return paths


def run(files, *options, owner="rita", name="Birds of a feather"):
    named = [argument for kind, path in files.items() for argument in (f"--{kind}", str(path))]
    call_command("import_collection", name, "--owner", owner, *named, *options)


def test_everything_comes_in(files, researcher, capsys):
    run(files, "--shared")
    collection = Collection.objects.get()
    assert (collection.owner, collection.shared) == (researcher, True)
    assert [collection.documents.count(), collection.topics.count()] == [3, 1]
    assert [collection.runs.get().rows, collection.qrels.get().rows] == [2, 1]
    assert "documents.txt: 3 documents imported." in capsys.readouterr().out


def test_several_files_of_a_kind(files, researcher, tmp_path):
    second = tmp_path / "second.run"
    second.write_text("1 Q0 d3 1 2 b\n")
    run(files, "--run", str(second))
    assert set(Collection.objects.get().runs.values_list("name", flat=True)) == {"run", "second"}


def test_result_lists(files, researcher, tmp_path, capsys):
    path = tmp_path / "sites.csv"
    path.write_text("topic,rank,title,system\n1,1,Owls,A\n1,1,Ducks,B\n")
    run(files, "--results", str(path), "--results-format", "csv")
    assert set(Collection.objects.get().runs.values_list("name", flat=True)) == {"run", "A", "B"}
    assert "sites.csv: 2 systems." in capsys.readouterr().out


def test_one_bad_file_spoils_all_and_every_bad_file_is_named(files, researcher, capsys):
    files["topics"].write_text('{"_id": "1", "text": ""}\n')
    files["run"].write_text("1 Q0 d1 1 high a\n")
    before = everything_stored()
    with pytest.raises(CommandError) as refused:
        run(files)
    lines = str(refused.value).splitlines()
    assert lines[0] == "Nothing was imported."
    assert [line.split(":")[0] for line in lines[1:]] == ["topics.txt, line 1", "run.txt, line 1"]
    assert refused.value.returncode == 1
    assert everything_stored() == before
    assert not Collection.objects.exists()
    assert "imported." not in capsys.readouterr().out


def test_only_mentioned_documents(files, researcher):
    run(files, "--only-mentioned")
    assert set(Collection.objects.get().documents.values_list("docno", flat=True)) == {"d1", "d2"}


def test_again_adds_nothing_twice(files, researcher, tmp_path):
    run(files)
    del files["qrels"], files["run"]
    run(files)
    assert Collection.objects.get().documents.count() == 3


def test_a_file_that_is_not_there(files, researcher, tmp_path):
    files["run"] = tmp_path / "nowhere.run"
    with pytest.raises(CommandError, match=r"nowhere.run: cannot be read: No such file"):
        run(files)
    assert not Collection.objects.exists()


def test_somebody_elses_collection_is_left_alone(files, researcher, stranger):
    run(files)
    with pytest.raises(CommandError, match="belongs to rita"):
        run(files, owner="sid")


@pytest.mark.django_db
def test_the_owner_must_be_a_researcher(files):
    with pytest.raises(CommandError, match="There is no researcher “nobody”"):
        run(files, owner="nobody")
