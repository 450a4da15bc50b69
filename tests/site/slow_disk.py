"""Workers judge at once on a disk that takes long to write: `LD_PRELOAD=slow.so python -m tests.site.slow_disk slow.so 0.5`.

Says as JSON how their answers were answered and what is stored.
"""

import ctypes
import json
import sys
import threading
from collections import Counter
from typing import Any

SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
unsigned wait_microseconds = 0;
int fsync(int file) { usleep(wait_microseconds); return ((int (*)(int)) dlsym(RTLD_NEXT, "fsync"))(file); }
int fdatasync(int file) { usleep(wait_microseconds); return ((int (*)(int)) dlsym(RTLD_NEXT, "fdatasync"))(file); }
"""
ITEMS, OVERLAP, WORKERS = 4, 3, 6


def main(library: str, seconds: float) -> dict[str, Any]:
    from benchmarks import world

    study = world.prepare(ITEMS, OVERLAP)
    statuses: Counter[int] = Counter()
    ctypes.c_uint.in_dll(ctypes.CDLL(library), "wait_microseconds").value = int(seconds * 1e6)
    threads = [threading.Thread(target=judge, args=[study, statuses]) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    judge(study, statuses)  # what others held when the first of them were through
    stored = world.outcome(study["study"])
    return {"statuses": statuses, "items": sorted(Counter(stored["items"]).values()), "open": stored["open"]}


def judge(study: dict[str, Any], statuses: Counter[int]) -> None:
    """Come in by the link and judge until nothing is left."""
    from django.test import Client

    from benchmarks.judging import fields, hidden

    client = Client(raise_request_exception=False, SERVER_NAME="localhost")
    client.get(f"/join/{study['token']}/")
    client.post("/join/", {**hidden(client.get("/join/").content.decode()), "agree": "1"})
    page = f"/judge/{study['study']}/"
    while form := fields(client.get(page).content.decode()):
        statuses[client.post(page, {**form, "grade": "2"}).status_code] += 1


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], float(sys.argv[2]))))
