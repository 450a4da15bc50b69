"""Rest for the garbage collector while modules are loaded: they stay, and looking through them took a quarter of a start."""

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Keep what was loaded from the collector for good, half a megabyte of garbage with it: to look for that takes 0.2 s."""
    rests = not gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if not rests:
            gc.enable()
