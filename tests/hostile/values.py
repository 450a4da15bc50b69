"""What nobody should send, and somebody does."""

from typing import Any

SCRIPT = "<script>canary()</script>"
INJECTED = "X-Injected"
# Its product would stand on a page whose template executed what was sent.
PRODUCT = (1234, 5678)

NUMBERS = [
    "0", "-1", "1", "9" * 18, "9" * 19, str(2**63), str(-(2**63) - 1), "9" * 5000, "1e400", "-1e400", "1e308", "1e-400",
    "NaN", "Infinity", "-0", "0x10", "1_000", "٣", "²", "１", "½", "1.5", "00001", "+1", " 1", "1,5", "1e5",
]  # fmt: skip

TEXTS = [
    "", " ", "\0", "a\0b", "\ud800", "\udfff\ud800", "\u202eevil\u202c", "\u200b", "\ufeff", "a" * 100_000, "é" * 5_000,
    "🦉" * 300, "=1+1", "\t=1", "\r=1", "@SUM(A1)", "＝1", SCRIPT, f'">{SCRIPT}', f"';{SCRIPT}", f"</title>{SCRIPT}",
    f"</script>{SCRIPT}", f"{{{{{PRODUCT[0]}*{PRODUCT[1]}}}}}", "{% load x %}", "%(x)s", "%s%n", "{0}", "${7*7}",
    "' OR 1=1 --", '"; DROP TABLE judging_study; --', "\\", "%00", "%ED%A0%80", "../../../../etc/passwd",
    f"a\r\n{INJECTED}: 1", f"a\n{INJECTED}: 1", "a\u2028b", "javascript:alert(1)", "http://[", "//example.com", "1" * 300,
    "null", "true", "[]", "{}", "[" * 5000, "2026-13-45", "0001-01-01", "9999-12-31T23:59:59Z", "2026-02-30T25:61:61+99:99",
    "00000000-0000-0000-0000-000000000000", "aWdub3Jl", "w1", "w9999999999999999999", "AP nDCG@0 P@-1", "nDCG@99999999999",
    "RBP(p=2)", "x" * 65, "\x1b[31m", "\x7f", "e\u0301" * 50, "(a+)+$", "*", "?", "a.b[c]",
]  # fmt: skip

NODES: list[Any] = [
    None, True, False, 0, -1, 1.5, 10**30, -(10**400), [], {}, [[]], [None], {"a": {"b": []}}, "", [1] * 1000, {"": ""},
    [{}] * 50, {"__proto__": 1}, {"id": 1, "pk": 2}, [True, "1", 1.0], {"$ne": None},
]  # fmt: skip

# Written into JSON as they stand, for what Python's own writer does not write.
RAW_NODES = [
    "1e400", "-1e400", "NaN", "Infinity", "1" * 5000, '"\\ud800"', '"\\u0000"', "[" * 3000 + "]" * 3000,
    '{"a":' * 3000 + "1" + "}" * 3000, "01", "'x'", '"\x01"', "1e308", "-0.0", '{"a":1,"a":2}',
]  # fmt: skip

BODIES = [
    b"", b"{", b"}", b'{"a":', b"[]", b'""', b"null", b"\xff\xfe", b"\xed\xa0\x80", b"\xef\xbb\xbf{}", b"\x00", b"a=%",
    b"a=%FF&a=%00", b"&" * 2000, b"=&" * 1000, b"--x", b"--x\r\n",
    b"--x\r\nContent-Disposition: form-data\r\n\r\na\r\n--x--\r\n",
    b'--x\r\nContent-Disposition: form-data; name="a"; filename="../../x\x00"\r\n\r\nb\r\n--x--\r\n',
    b"--x\r\nContent-Disposition: form-data; name*=bogus''a; name=file\r\n\r\nb\r\n--x--\r\n", b"PAR1" + b"\0" * 50 + b"PAR1",
    b"\x1f\x8b\x08\0",
]  # fmt: skip

CONTENT_TYPES = [
    "", "application/json", "application/x-www-form-urlencoded", "multipart/form-data", "multipart/form-data; boundary=x",
    "text/plain", "multipart/form-data; boundary=" + "x" * 300, "application/json; charset=utf-7",
    "application/json; charset=hex", "application/x-ndjson", "application/octet-stream", "text/csv", "*/*", "nonsense",
    "application/xml", "multipart/mixed; boundary=x",
]  # fmt: skip

HEADERS = {
    "Accept": [
        "", "*/*", "text/html", "text/csv", "application/json; version=99", "a" * 5000, ";q=x", "text/html;q=NaN", ",,,",
        "application/*",
    ],
    "Accept-Language": ["it", "xx-XX", "a" * 5000, "*;q=9", ";;", "it;q=1e400", "../..", "zh-Hant-TW,it;q=0.1", "\xff"],
    "Accept-Encoding": ["gzip;q=x", "br, zstd", "identity;q=0"],
    "Range": ["bytes=0-", "bytes=5-1", "bytes=-" + "9" * 400, "lines=1-2", "bytes=0-0," * 300],
    "If-None-Match": ["*", '"', "W/", '"' + "a" * 5000 + '"'],
    "If-Modified-Since": ["0", "Thu, 99 Xxx 9999 99:99:99 GMT", "Mon, 01 Jan 0001 00:00:00 GMT"],
    "X-Requested-With": ["XMLHttpRequest", SCRIPT],
    "HX-Request": ["true", "false"],
    "HX-Target": ["report-progress", SCRIPT, "a" * 5000, "results"],
    "HX-Current-URL": ["http://[", f"http://testserver/{SCRIPT}", "%ED%A0%80", "javascript:1"],
    "HX-Prompt": [SCRIPT, "\xff"],
    "HX-Trigger-Name": ["", SCRIPT],
    "HX-Boosted": ["true"],
    "HX-History-Restore-Request": ["true"],
    "Cookie": ["sessionid=" + "a" * 5000, "=;=;", "django_language=../../x", "messages=x"],
    "Referer": ["http://[", SCRIPT, "https://example.com/", "%00"],
    "Origin": ["null", "http://[", "https://example.com"],
    "Authorization": ["Token", "Token a b", "Basic =", "Token \xff", "Bearer " + "a" * 5000, "Token ireval_" + "0" * 64],
    "X-Forwarded-For": ["::1", "999.1.1.1", SCRIPT, "," * 300],
    "X-Forwarded-Proto": ["https", "x"],
    "User-Agent": ["", "a" * 5000, SCRIPT],
    "Content-Length": ["0", "9" * 30],
    "X-HTTP-Method-Override": ["DELETE"],
    "Expect": ["100-continue"],
    "Content-Encoding": ["gzip", "x"],
    "Content-Disposition": ["attachment; filename=\"../x\"", "attachment; filename*=bogus''x"],
}  # fmt: skip

METHODS = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get", "X" * 300,
]  # fmt: skip

# Of an answer: parts of the machinery that nobody outside should see.
LEAKS = [
    b"Traceback (most recent call last)", b"site-packages", b'File "/', b"OperationalError", b"IntegrityError", b"DataError",
    b"SELECT ", b"INSERT INTO", b"psycopg", b"sqlite3", b"object at 0x",
]  # fmt: skip
