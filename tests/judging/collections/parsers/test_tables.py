"""CSV and TSV tables, with a header under any of the usual names, and MS MARCO's without one."""

import pytest

from judging.collections.parsers import ParsedDocument, ParsedTopic


def test_csv_documents_with_quoted_fields_over_lines(files):
    content = (
        'Doc ID,Title,Abstract,Year,url\r\nd1,"One, two","first\r\nsecond ""quoted""",1999,http://x.org\r\n\r\nd2,,Text,2000,\r\n'
    )
    assert files.read("documents", "d.csv", content) == [
        ParsedDocument("d1", "One, two", 'first\nsecond "quoted"', "http://x.org", 2),
        ParsedDocument("d2", "", "Text", "", 5),
    ]


def test_csv_topics(files):
    content = "qid,query,description,narrative,notes\n1,owls,What do owls eat?,Voles count.,x\n"
    assert files.read("topics", "t.csv", content) == [ParsedTopic("1", "owls", "What do owls eat?", "Voles count.", (), 2)]


def test_semicolons_as_spreadsheets_in_much_of_europe_write_them(files):
    content = "\ufeffid;title;text\nd1;Eins, zwei;Text\n"
    assert files.read("documents", "d.csv", content) == [ParsedDocument("d1", "Eins, zwei", "Text", "", 2)]


def test_tsv_with_a_header_follows_the_rules_of_quoting(files):
    content = 'id\ttitle\ttext\nd1\tT\t"a\tb"\n'
    assert files.read("documents", "d.tsv", content) == [ParsedDocument("d1", "T", "a\tb", "", 2)]


def test_ms_marcos_tables_have_no_header_and_no_quoting(files):
    assert files.read("documents", "collection.tsv", '0\t"The presence of\n1\tcommunication\n') == [
        ParsedDocument("0", "", '"The presence of', "", 1),
        ParsedDocument("1", "", "communication", "", 2),
    ]
    assert files.read("documents", "docs.tsv", "D1\thttps://x.org\tT\tAll of it.\n") == [
        ParsedDocument("D1", "T", "All of it.", "https://x.org", 1)
    ]
    assert files.read("topics", "queries.tsv", "121352\tdefine extreme\n") == [
        ParsedTopic("121352", "define extreme", "", "", (), 1)
    ]
    assert files.warnings("topics", "queries.tsv", "1\tx\n") == [
        "queries.tsv, line 1: no header; the columns are taken as qid, query"
    ]


def test_the_first_of_several_names_is_taken(files):
    content = "abstract,text,id,docno\nleft out,taken,left out,d1\n"
    assert files.read("documents", "d.csv", content) == [ParsedDocument("d1", "", "taken", "", 2)]


NAMES = '"docno", "doc_id", "docid", "document_id", "id" or "_id"'


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        (
            "d.csv",
            "id,title,text\na,b\nb,c,d,e\nc,d,e\n",
            ["d.csv, line 2: expected 3 columns, found 2", "d.csv, line 3: expected 3 columns, found 4"],
        ),
        ("d.csv", "name,text\na,b\n", [f"d.csv, line 1: no column for the document id; expected {NAMES}, found: name, text"]),
        ("d.tsv", "name\ttext\na\tb\n", [f"d.tsv, line 1: no column for the document id; expected {NAMES}, found: name, text"]),
        ("d.csv", "id,text\n,b\nb,\n", [
            'd.csv, line 2: missing document id in column "id"',
            "d.csv, line 3: document b has neither title nor text; expected at least one of them",
        ]),
        ("d.csv", "id,text\na,x\na,y\n", ["d.csv, line 3: duplicate document a; it was first on line 2"]),
        (
            "d.csv",
            'id,text\na,"never\nclosed\n',
            [
                "d.csv, line 2: not readable as a table separated by commas: "
                "a quoted field begins in this row and is never closed"
            ],
        ),
        (
            "d.csv",
            'id,text\na,"b"c\nd,\n',
            [
                "d.csv, line 2: not readable as a table separated by commas: ',' expected after '\"'",
                "d.csv, line 3: document d has neither title nor text; expected at least one of them",
            ],
        ),
        ("d.csv", "id,text\n", ["d.csv: no documents found; read as CSV table with a header"]),
        ("queries.tsv", "1\ta\n2\tb\tc\n3\n", [
            "queries.tsv, line 2: expected 2 columns, found 3",
            "queries.tsv, line 3: expected 2 columns, found 1",
        ]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(files, name, content, expected):
    assert files.problems("topics" if name.startswith("q") else "documents", name, content) == expected


def test_a_field_longer_than_pythons_default_limit_is_read(files):
    text = "word " * 50_000
    assert files.read("documents", "d.csv", f'id,text\na,"{text}"\n')[0].text == text.strip()


def test_a_quote_left_open_does_not_gather_the_file(files, monkeypatch):
    monkeypatch.setattr("judging.collections.parsers.tables.MAX_LENGTH", 1000)
    content = 'id,text\na,"open\n' + "b,c\n" * 1000
    assert files.problems("documents", "d.csv", content) == [
        "d.csv, line 334: the row is longer than 1,000 characters; is a quote left open?"
    ]
