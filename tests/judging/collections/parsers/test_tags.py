"""Tags of topics: under which names and in which shapes files have them, and what becomes of bad ones."""

import pytest

from judging.collections.parsers.tag_lists import LONGEST_TAG, MOST_TAGS

NUMBERED = ", ".join(str(number) for number in range(MOST_TAGS + 1))


@pytest.mark.parametrize(
    ("name", "content", "tags"),
    [
        ("t.xml", "<topic number='1' type='faceted'><query>q</query></topic>", ["faceted"]),
        ("t.xml", "<topic number='1' TYPE='a, b;a'><query>q</query><category> c\n d </category></topic>", ["a", "b", "c d"]),
        ("t.xml", "<topic number='1'><query>q</query><tags><tag>a</tag><tag>b</tag></tags></topic>", ["a", "b"]),
        ("t.xml", "<topic number='1'><type>a</type><query>q</query><type>b</type></topic>", ["a", "b"]),
        ("t.xml", "<topic number='1'><subtopic type='nav'>s</subtopic><query>q</query></topic>", []),
        ("t.txt", '<top type="a &amp; b" category=c>\n<num> 1\n<title> q\n</top>', ["a & b", "c"]),
        ("t.txt", "<top subtype='x'>\n<num> 1\n<title> q\n<TYPE> hard, nav\n<narr> N\n</top>", ["hard", "nav"]),
        ("t.csv", 'topic,query,Type,Category,tags\n1,q,"nav, easy",sports,hard;nav\n', ["hard", "nav", "easy", "sports"]),
        ("t.tsv", "topic\tquery\ttags\n1\tq\t ; hard,  air  travel,\n", ["hard", "air travel"]),
        ("t.tsv", "topic\tquery\tkind\n1\tq\thard\n", []),
        ("t.jsonl", '{"qid": 1, "query": "q", "tags": ["a", "b, c", 7, null], "type": "a"}', ["a", "b", "c", "7"]),
        ("t.jsonl", '{"_id": "1", "text": "q", "category": "a"}', ["a"]),
    ],
)
def test_tags_are_read_wherever_they_stand(files, name, content, tags):
    (topic,) = files.read("topics", name, content)
    assert (topic.title, list(topic.tags)) == ("q", tags)


NO_TEXTS = "expected a text or a list of texts"
UNPRINTABLE = "contains a character that cannot be printed"


@pytest.mark.parametrize(
    ("name", "content", "line", "reason"),
    [
        ("t.jsonl", '{"qid": "1", "query": "q", "type": {"a": 1}}', 1, NO_TEXTS),
        ("t.jsonl", '{"qid": "1", "query": "q", "tags": [["a"]]}', 1, NO_TEXTS),
        ("t.jsonl", '{"qid": "1", "query": "q", "category": true}', 1, NO_TEXTS),
        ("t.jsonl", '{"qid": "1", "query": "q", "tags": "a\\u0000b"}', 1, f"'a\\x00b' {UNPRINTABLE}"),
        ("t.jsonl", '{"qid": "1", "query": "q", "tags": "\\ud800"}', 1, f"'\\ud800' {UNPRINTABLE}"),
        (
            "t.jsonl",
            '{"qid": "1", "query": "q", "tags": "\\ud800' + "a" * 61 + '"}',
            1,
            f"'\\ud800{'a' * 59}' {UNPRINTABLE}",
        ),
        ("t.csv", f"qid,query,type\n1,q,{'a' * 61}\n", 2, f"“{'a' * 60}…” has 61 characters; at most {LONGEST_TAG} are accepted"),
        ("t.csv", f'qid,query,type\n1,q,"{NUMBERED}"\n', 2, f"there are 21; at most {MOST_TAGS} are accepted"),
        (
            "t.xml",
            f"<topics>\n<topic number='1' type='{NUMBERED}'>q</topic></topics>",
            2,
            "there are 21; at most 20 are accepted",
        ),
    ],
)
def test_a_file_that_was_fine_before_there_were_tags_is_fine_with_a_warning(files, name, content, line, reason):
    (topic,) = files.read("topics", name, content)
    assert (topic.title, topic.tags) == ("q", ())
    assert files.warnings("topics", name, content) == [f"{name}, line {line}: the tags of topic 1 are left out: {reason}"]


def test_where_a_line_is_about_tags_alone_bad_ones_are_wrong(files):
    content = f"topic\ttags\n1\thard\n2\t{'a' * 61}\n3\t\n"
    assert files.problems("topics", "tags.tsv", content) == [
        f"tags.tsv, line 3: tags of topic 2: “{'a' * 60}…” has 61 characters; at most 60 are accepted",
        "tags.tsv, line 4: topic 3 has no title; expected its query",
    ]
    (topic,) = files.read("topics", "tags.tsv", "topic\ttags\n1\thard, nav\n")
    assert (topic.number, topic.title, topic.tags) == ("1", "", ("hard", "nav"))


@pytest.mark.parametrize("query", ["type", "tags", "category"])
def test_a_query_that_is_called_like_a_column_makes_no_header(files, query):
    (topic,) = files.read("topics", "queries.tsv", f"121352\t{query}\n")
    assert (topic.number, topic.title, topic.tags) == ("121352", query, ())
