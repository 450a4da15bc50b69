"""Files that must be refused, with what the message has to say; a collection of birds (conftest) is where they are sent."""

import gzip
import lzma
from collections.abc import Callable
from dataclasses import dataclass

RESULT = "1 Q0 d1 1 9.5 bm25\n"


@dataclass(frozen=True)
class Bad:
    name: str
    kind: str
    content: bytes
    line: int
    says: str
    format: str = "auto"


def bomb(text: bytes, times: int, compress: Callable[[bytes], bytes] = gzip.compress) -> bytes:
    return compress(text * times)


DOCUMENTS = "".join(f'{{"_id": "d{number}", "text": "a"}}\n' for number in range(1000))

BAD_FILES = [
    # wrong column counts
    Bad("five columns", "run", (RESULT + "1 Q0 d2 2 9.1\n").encode(), 2, "expected 6 columns"),
    Bad("five columns of qrels", "qrels", b"1 0 d1 1\n1 0 d2 1 x\n", 2, "expected 4 columns"),
    Bad("three columns", "qrels", b"1 0 d1 1\n1 0 d2\n", 2, "expected 4 columns"),
    Bad("short csv row", "documents", b"docno,title,text\nx1,One,Text\nx2\n", 3, "expected"),
    Bad("csv without ids", "documents", b"name,words\nx1,One\n", 1, "column"),
    Bad("results without a rank", "results", b"topic,title\n1,Owls\n", 1, "no column for the rank"),
    Bad("short row of results", "results", b"topic,rank,title\n1,1,Owls\n1,2\n", 3, "expected 3 columns"),
    # duplicates
    Bad("rank twice", "results", b"topic,rank,title\n1,1,Owls\n1,1,Ducks\n", 3, "rank 1 of topic 1 again"),
    Bad("url twice", "results", b"topic,rank,url\n1,1,http://x.org\n1,2,http://x.org\n", 3, "of topic 1 again"),
    Bad("document twice in a ranking", "run", (RESULT + RESULT.replace(" 1 ", " 2 ")).encode(), 2, "again"),
    Bad("document graded twice", "qrels", b"1 0 d1 1\n1 0 d1 0\n", 2, "again"),
    Bad("document twice", "documents", b'{"_id": "x", "text": "a"}\n{"_id": "x", "text": "b"}\n', 2, "duplicate document x"),
    Bad("topic twice", "topics", b'{"_id": "9", "text": "a"}\n{"_id": "9", "text": "b"}\n', 2, "duplicate topic 9"),
    # ids that the collection does not know
    Bad("unknown topic in a run", "run", (RESULT + "7 Q0 d1 1 9.5 bm25\n").encode(), 2, "topic 7 is not in the collection"),
    Bad("unknown topic in qrels", "qrels", b"1 0 d1 1\n7 0 d1 1\n", 2, "topic 7 is not in the collection"),
    Bad("unknown topic in results", "results", b"topic,rank,title\n1,1,Owls\n7,1,Owls\n", 3, "topic 7 is not in the collection"),
    Bad("no known topic in results", "results", b"topic,rank,title\n7,1,Owls\n", 0, "is this the wrong file"),
    Bad("no known topic", "run", b"7 Q0 d1 1 9.5 bm25\n", 0, "is this the wrong file"),
    Bad("no known document", "run", b"1 Q0 x1 1 9.5 bm25\n1 Q0 x2 2 9 bm25\n", 0, "is this the wrong file"),
    Bad("no known document in qrels", "qrels", b"1 0 x1 1\n", 0, "is this the wrong file"),
    # numbers that are none
    Bad("score NaN", "run", (RESULT + "1 Q0 d2 2 NaN bm25\n").encode(), 2, "expected a finite number"),
    Bad("score infinite", "run", (RESULT + "1 Q0 d2 2 inf bm25\n").encode(), 2, "expected a finite number"),
    Bad("score a word", "run", (RESULT + "1 Q0 d2 2 high bm25\n").encode(), 2, "expected a number"),
    Bad("grade a fraction", "qrels", b"1 0 d1 1\n1 0 d2 0.5\n", 2, "expected a whole number"),
    Bad("rank a word", "results", b"topic,rank,title\n1,first,Owls\n", 2, "expected a whole number"),
    Bad("rank below zero", "results", b'{"topic": "1", "rank": -1, "title": "Owls"}\n', 1, "expected a whole number"),
    # no text
    Bad("only a blank", "run", b" \n", 0, "expected"),
    Bad("only blank lines", "documents", b"\n\n\n", 0, "empty"),
    Bad("binary run", "run", b"\x7fELF\0\0\0\x01" * 100, 0, "binary"),
    Bad("binary documents", "documents", b"\x7fELF\0\0\0\x01" * 100, 0, "binary"),
    Bad("binary topics", "topics", bytes(range(256)) * 8, 0, ""),
    Bad("zip archive", "documents", b"PK\x03\x04" + b"\0" * 60, 0, "zip"),
    Bad("Latin-1 documents", "documents", '{"_id": "x", "text": "Vögel"}\n'.encode("latin-1"), 1, "not UTF-8"),
    Bad("Latin-1 topics", "topics", "<top><num>9<title>Vögel</top>\n".encode("latin-1"), 1, "not UTF-8"),
    Bad("Latin-1 run", "run", (RESULT + "1 Q0 vögel 2 9.1 bm25\n").encode("latin-1"), 2, "not UTF-8"),
    # archives that are broken, or too good
    Bad("gz bomb of results", "results", bomb(b'{"topic": "1", "title": "' + b"owl " * 2**20, 2), 0, "unpacks to more than"),
    Bad("cut gz", "run", gzip.compress(RESULT.encode() * 1000)[:-20], 0, "damaged or cut short"),
    Bad("cut xz", "documents", lzma.compress(DOCUMENTS.encode())[:-20], 0, "damaged or cut short"),
    Bad("gz bomb of a run", "run", bomb(RESULT.encode(), 300_000), 0, "unpacks to more than"),
    Bad(
        "xz bomb of documents",
        "documents",
        bomb(b'{"_id": "x", "text": "' + b"owl " * 2**20, 2, lzma.compress),
        0,
        "unpacks to more than",
    ),
    Bad("gz bomb of qrels", "qrels", bomb(b"1 0 d1 1\n", 300_000), 0, "unpacks to more than"),
    # other than what is there
    Bad("another text for a document", "documents", b'{"_id": "d1", "text": "other"}\n', 1, "in the collection already"),
    Bad("another title for a topic", "topics", b'{"_id": "1", "text": "other"}\n', 1, "in the collection already"),
    Bad("SMART qrels unannounced", "qrels", b"1 184 2\n1 29 3\n", 0, "choose SMART’s qrels"),
    Bad("a zero byte in an id", "qrels", b'{"topic": "1", "docno": "d\\u0000", "grade": 1}\n', 1, "without zero bytes"),
    Bad("an id that is too long", "qrels", b"1 0 " + b"d" * 201 + b" 1\n", 0, "has 201 characters; expected at most 200"),
    Bad("codes that Cranfield lacks", "qrels", b"1 184 2\n1 29 9\n", 2, "the code is 9", format="smart"),
    Bad("a topic without a query", "topics", b'{"_id": "9", "text": ""}\n', 1, "no title"),
    Bad("nothing to show", "results", b"topic,rank,docno,title\n1,1,d1,Owls\n1,2,d2,\n", 3, "nothing to show"),
    Bad("an array of results", "results", b'[{"topic": "1", "rank": 1, "title": "Owls"}]', 0, "one JSON array"),
    Bad(
        "a name for a system that is too long", "results", b"topic,rank,title,system\n1,1,Owls," + b"s" * 121, 2, "cannot be used"
    ),
    Bad("a document without a word", "documents", b'{"_id": "x", "text": ""}\n', 1, "neither title nor text"),
]
