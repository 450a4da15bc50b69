"""The script that other sites embed: each record arrives once, whatever becomes of the page, the server and the other tabs."""

import http.server
import json
import threading
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

SCRIPT = Path(__file__).resolve().parents[2] / "judging" / "static" / "judging" / "ireval-log.js"
PAGE = """<!doctype html><title>Shop</title>
<script src="{server}/ireval-log.js" data-key="w_key" data-application="shop"></script>
<a id="result" href="#there" data-ireval-object="d7" data-ireval-position="2">A result</a>"""


class Server:
    """Stands for ireval: serves the script, keeps what comes, and can be down. By another name it is the shop's as well."""

    def __init__(self):
        self.records, self.status, self.requests = [], 200, []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                is_script = self.path.endswith(".js")
                self.answer(
                    200, *((SCRIPT.read_bytes(), "text/javascript") if is_script else (server.page.encode(), "text/html"))
                )

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                server.requests.append((self.path, self.headers["Content-Type"], self.headers.get("Cookie")))
                if server.status == 200:
                    server.records += json.loads(body)
                self.answer(server.status, b"{}", "application/json")

            def answer(self, status, body, kind):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Access-Control-Allow-Origin", "*")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.shop = f"http://localhost:{self.http.server_port}/"
        self.page = PAGE.format(server=f"http://127.0.0.1:{self.http.server_port}")
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def distinct(self):
        """As the real one counts: what was sent twice, word for word, is one record."""
        return [json.loads(text) for text in dict.fromkeys(json.dumps(record, sort_keys=True) for record in self.records)]

    def wait_for_request(self, page):
        for _ in range(150):
            if self.requests:
                return
            page.wait_for_timeout(100)
        raise AssertionError("nobody asked")

    def wait_for(self, page, count):
        for _ in range(150):
            if len(self.distinct()) >= count:
                return self.distinct()
            page.wait_for_timeout(100)
        raise AssertionError(f"{len(self.distinct())} of {count} records came: {self.records}")


@pytest.fixture
def server():
    started = Server()
    yield started
    started.http.shutdown()


@pytest.fixture
def shop(chromium, server):
    """Opens pages of another site in one browser; `shop(prepared=…)` runs a script in them first."""
    contexts = []

    def open_one(prepared="", context=None):
        context = context or chromium.new_context()
        contexts.append(context)
        if prepared:
            context.add_init_script(prepared)
        tab = context.new_page()
        tab.goto(server.shop)
        return tab

    yield open_one
    for context in contexts:
        context.close()


def test_queries_events_and_clicks_arrive_complete_and_without_cookies(server, shop):
    page = shop()
    query_id = page.evaluate("ireval.query({user_query: 'owls', query_response_hit_ids: ['d7']})")
    page.evaluate("ireval.event({action_name: 'purchase', event_attributes: {value: 9.5}})")
    page.click("#result")
    query, purchase, click = server.wait_for(page, 3)
    assert (query["user_query"], query["query_id"], query["application"]) == ("owls", query_id, "shop")
    assert (purchase["action_name"], purchase["query_id"]) == ("purchase", query_id)
    assert click["action_name"] == "click"
    assert click["event_attributes"] == {"object": {"object_id": "d7"}, "position": {"ordinal": 2}}
    assert len({record["client_id"] for record in (query, purchase, click)}) == 1
    assert len({record["session_id"] for record in (query, purchase, click)}) == 1
    assert len({record.get("event_id") for record in (query, purchase, click)}) == 3
    assert all(record["timestamp"].endswith("Z") for record in (query, purchase, click))
    for path, kind, cookie in server.requests:
        assert path == "/api/v1/log/?key=w_key"
        assert kind.startswith("text/plain")
        assert cookie is None
    assert len(server.requests) == 1


def test_a_page_that_is_closed_at_once_loses_nothing(server, shop):
    page = shop()
    other = page.context.new_page()
    page.evaluate("ireval.query({user_query: 'last words'})")
    page.click("#result")
    page.close(run_before_unload=True)
    assert [record.get("action_name") for record in server.wait_for(other, 2)] == [None, "click"]


@pytest.mark.slow
def test_records_wait_while_the_server_is_down(server, shop):
    page = shop()
    server.status = 503
    for number in range(60):
        page.evaluate("number => ireval.event({action_name: `a${number}`})", number)
    page.wait_for_timeout(3000)
    assert len(server.requests) >= 1
    assert server.records == []
    server.status = 200
    assert [record["action_name"] for record in server.wait_for(page, 60)] == [f"a{number}" for number in range(60)]


def test_the_next_page_sends_what_the_last_could_not(server, shop):
    page = shop()
    other = page.context.new_page()  # without any page the browser may end
    server.status = 503
    page.evaluate("ireval.query({user_query: 'lost?'})")
    page.close(run_before_unload=True)
    server.wait_for_request(other)
    server.status = 200
    much_later = "const now = Date.now; Date.now = () => now() + 60000"
    page = shop(prepared=much_later, context=other.context)
    assert server.wait_for(page, 1)[0]["user_query"] == "lost?"
    page.wait_for_timeout(500)
    assert page.evaluate("Object.keys(localStorage).filter((name) => name.includes('buffer')).length") == 0


def test_two_tabs_are_one_browser_and_each_record_comes_once(server, shop):
    tab = shop()
    other = shop(context=tab.context)
    for number in range(5):
        tab.evaluate("number => ireval.event({action_name: `one${number}`})", number)
        other.evaluate("number => ireval.event({action_name: `other${number}`})", number)
    records = server.wait_for(tab, 10)
    assert len(server.records) == len(records) == 10
    assert len({record["client_id"] for record in records}) == len({record["session_id"] for record in records}) == 1


def test_a_visit_ends_after_half_an_hour(server, shop):
    page = shop()
    page.evaluate("ireval.event({action_name: 'before'})")
    page.evaluate("() => { const now = Date.now; Date.now = () => now() + 31 * 60000; ireval.event({action_name: 'after'}) }")
    before, after = server.wait_for(page, 2)
    assert before["session_id"] != after["session_id"]
    assert before["client_id"] == after["client_id"]


@pytest.mark.slow
def test_of_too_many_the_oldest_go_and_are_counted(server, shop):
    server.status = 503
    page = shop()
    page.evaluate("for (let number = 0; number < 620; number++) ireval.event({action_name: `a${number}`})")
    assert page.evaluate("ireval.dropped") == 120
    server.status = 200
    names = [record["action_name"] for record in server.wait_for(page, 500)]
    assert len(names) == 500
    assert names[-1] == "a619"


@pytest.mark.parametrize("wish", ["globalPrivacyControl', {get: () => true}", "doNotTrack', {get: () => '1'}"])
def test_who_does_not_want_it_is_left_alone(server, shop, wish):
    page = shop(prepared=f"Object.defineProperty(Navigator.prototype, '{wish})")
    assert page.evaluate("typeof ireval.query({user_query: 'owls'})") == "string"
    page.click("#result")
    page.wait_for_timeout(2500)
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    page.reload()
    assert server.requests == []
    assert page.evaluate("localStorage.length") == 0


def test_it_works_where_storage_is_forbidden(server, shop):
    page = shop(prepared="Object.defineProperty(window, 'localStorage', {get: () => { throw new Error('forbidden') }})")
    page.evaluate("ireval.query({user_query: 'owls'}); ireval.event({action_name: 'saw'})")
    query, event = server.wait_for(page, 2)
    assert query["client_id"] == event["client_id"]


def test_large_records_are_sent_as_well(server, shop):
    page = shop()
    page.evaluate("for (let number = 0; number < 4; number++) ireval.event({action_name: 'large', message: 'x'.repeat(30000)})")
    assert len(server.wait_for(page, 4)) == 4


@pytest.mark.slow
def test_what_the_server_refuses_is_not_sent_again(server, shop):
    page = shop()
    server.status = 401
    page.evaluate("ireval.event({action_name: 'a'})")
    page.wait_for_timeout(5500)
    assert len(server.requests) == 1


@pytest.mark.slow
@pytest.mark.database
def test_the_real_server_counts_each_once(site, shell, chromium, shop, server):
    """Across origins, with the demo's own key: text/plain, no question asked before, and a beacon besides."""
    key = shell(
        "from judging.logs.keys import key_text; from judging.models import Site; print(key_text(Site.objects.get().keys.get()))"
    )
    server.page = PAGE.format(server=f"{site}/static/judging").replace("w_key", key)
    page = shop()
    with page.expect_response("**/api/v1/log/**") as answer:
        page.evaluate("ireval.query({user_query: 'from a shop'}); ireval.click('d1', 1)")
        page.evaluate("dispatchEvent(new Event('pagehide')); dispatchEvent(new Event('pagehide'))")
    assert answer.value.ok
    page.wait_for_timeout(3000)
    query, event = "Query.objects.filter(text='from a shop').count()", "Event.objects.filter(object='d1').count()"
    assert shell(f"from judging.models import Event, Query; print({query}, {event})") == "1 1"


def test_it_is_small():
    assert len(SCRIPT.read_bytes()) < 5000
