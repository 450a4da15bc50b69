"""Workers judge at once on a disk that takes long to write: `python -m tests.site.slow_disk FOLDER 0.5`.

The process that writes has LD_PRELOAD=FOLDER/slow.so, which `library` makes. Says as JSON how their answers were answered, what
is stored, and how often somebody waited for the disk.
"""

import json
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

# While a file names seconds, who writes to the disk waits so long, and leaves a byte in another one.
SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
static void take_long(void) {
    char seconds[16] = "";
    int named = open(FOLDER "/seconds", O_RDONLY);
    if (named < 0) return;
    if (read(named, seconds, sizeof seconds - 1) < 0) abort();
    close(named);
    usleep(atof(seconds) * 1e6);
    int waits = open(FOLDER "/waits", O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (waits < 0 || write(waits, "x", 1) != 1) abort();
    close(waits);
}
int fsync(int file) { take_long(); return ((int (*)(int)) dlsym(RTLD_NEXT, "fsync"))(file); }
int fdatasync(int file) { take_long(); return ((int (*)(int)) dlsym(RTLD_NEXT, "fdatasync"))(file); }
"""
ITEMS, OVERLAP, WORKERS = 4, 3, 6


def library(compiler: str, folder: Path) -> Path:
    made = folder / "slow.so"
    command = [compiler, "-shared", "-fPIC", f'-DFOLDER="{folder}"', "-x", "c", "-", "-o", str(made), "-ldl"]
    subprocess.run(command, input=SOURCE, text=True, check=True)
    return made


def main(folder: Path, seconds: float) -> dict[str, Any]:
    from benchmarks import world

    study = world.prepare(ITEMS, OVERLAP)
    statuses: Counter[int] = Counter()
    (folder / "seconds").write_text(str(seconds))
    threads = [threading.Thread(target=judge, args=[study, statuses]) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    judge(study, statuses)  # what others held when the first of them were through
    (folder / "seconds").unlink()
    stored = world.outcome(study["study"])
    waits = (folder / "waits").stat().st_size if (folder / "waits").exists() else 0
    return {"statuses": statuses, "items": sorted(Counter(stored["items"]).values()), "open": stored["open"], "waits": waits}


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
    print(json.dumps(main(Path(sys.argv[1]), float(sys.argv[2]))))
