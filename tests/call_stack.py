"""Room for the frames of deep calls.

CPython keeps frames in pieces of 16 KB, and gives a piece back to the system whenever a call returns across its edge. A loop just
there calls 300 times as slowly, and pytest and Django together are deep enough for several edges; under a web server, Django is
not. A frame that asks for much gets a piece as large, and whatever it calls lies beside it. Python 3.11 and 3.12 need this, later
ones keep a spare piece (github.com/python/cpython/issues/142183).
"""

ROOM = 33_000  # values on a stack: CPython maps 512 KB for it, of which half are left; only what is used becomes memory


def with_room(function):
    """The same function, the frames of whose calls lie in one piece."""

    def call(*args, **named):
        return function(*args, **named)

    call.__code__ = call.__code__.replace(co_stacksize=ROOM)
    return call
