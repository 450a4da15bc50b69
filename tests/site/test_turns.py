"""Judge pages go one at a time through a process on SQLite; nothing else waits, and nobody waits for a slow sender."""

import io
import threading

from ireval_site.laptop.turns import MOST_BYTES, taking_turns


class Application:
    """Says when it was entered, and answers when it may."""

    def __init__(self):
        self.entered = threading.Semaphore(0)
        self.may_answer = threading.Event()
        self.bodies = []

    def __call__(self, environ, start_response):
        self.bodies.append(environ["wsgi.input"].read())
        self.entered.release()
        assert self.may_answer.wait(10)
        return [b"done"]


def ask(answer, path, body=b"", **more):
    environ = {"PATH_INFO": path, "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body), **more}
    thread = threading.Thread(target=lambda: answer(environ, None))
    thread.start()
    return thread


def expect_in(application, count, *threads):
    """So many of the requests get in, and no more, while none has been answered."""
    assert all(application.entered.acquire(timeout=10) for _ in range(count))
    assert not application.entered.acquire(timeout=0.3)
    application.may_answer.set()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


def test_judge_pages_take_turns():
    application = Application()
    answer = taking_turns(application)
    threads = [ask(answer, "/judge/1/", b"grade=2") for _ in range(3)]
    expect_in(application, 1, *threads)
    assert application.bodies == [b"grade=2"] * 3


def test_other_pages_do_not_wait():
    application = Application()
    answer = taking_turns(application)
    threads = [ask(answer, path) for path in ("/judge/1/", "/studies/1/", "/reports/1/")]
    expect_in(application, 3, *threads)


def test_what_is_too_long_for_an_answer_waits_for_nobody():
    application = Application()
    answer = taking_turns(application)
    chunked = {"HTTP_TRANSFER_ENCODING": "chunked", "CONTENT_LENGTH": ""}
    threads = [
        ask(answer, "/judge/1/", b"x" * (MOST_BYTES + 1)),
        ask(answer, "/judge/1/", b"", **chunked),
        ask(answer, "/judge/1/"),
    ]
    expect_in(application, 3, *threads)


def test_a_slow_sender_takes_nobodys_turn():
    class Slow(io.BytesIO):
        def read(self, *arguments):
            assert application.may_answer.wait(10)
            return super().read(*arguments)

    application = Application()
    answer = taking_turns(application)
    slow = ask(answer, "/judge/1/", b"grade=2", **{"wsgi.input": Slow(b"grade=2")})
    quick = ask(answer, "/judge/1/", b"grade=1")
    expect_in(application, 1, slow, quick)
    assert sorted(application.bodies) == [b"grade=1", b"grade=2"]


def test_an_error_gives_the_turn_on():
    def broken(environ, start_response):
        raise ValueError

    answer = taking_turns(broken)
    for _ in range(2):
        thread = ask(lambda environ, start: swallow(answer, environ), "/judge/1/")
        thread.join(10)
        assert not thread.is_alive()


def swallow(answer, environ):
    try:
        answer(environ, None)
    except ValueError:
        return
