"""What ireval takes of a laptop: megabytes of .venv, seconds until it is ready, megabytes of memory while nothing goes on.

    python -m benchmarks.install             in a new virtualenv, as `make demo` makes it
    python -m benchmarks.install --venv DIR  in one that is there

Memory is the sum over all processes of what each has for itself and its share of what several have (PSS), so for Linux alone.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from tests.servers import free_port
from tests.site.processes import descendants

ROOT = Path(__file__).resolve().parents[1]
STARTS = 5
LARGEST = 8
SERVERS = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "IREVAL_URL", "PYTHONDONTWRITEBYTECODE")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venv", type=Path, help="measure this virtualenv, and install none")
    parser.add_argument("--idle", type=int, default=60, help="seconds of rest before memory is measured (60)")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="ireval-install-"))
    try:
        venv = (options.venv or install(folder)).resolve()
        sizes(venv)
        environment = {name: value for name, value in os.environ.items() if name not in SERVERS} | {"IREVAL_DATA": str(folder)}
        python = str(venv / "bin" / "python")
        print(f"demo, first start: {demo(python, environment, options.idle)}")
        print(f"serve, first start of an empty site: {start(python, {**environment, 'IREVAL_DATA': f'{folder}/empty'}):.1f} s")
        warm = [start(python, environment) for _ in range(STARTS)]
        print(f"serve, warm: {statistics.median(warm):.1f} s (median of {STARTS}, {min(warm):.1f} to {max(warm):.1f})")
        print(f"serve, idle for {options.idle} s: {idle(python, environment, options.idle)}")
        print(f".venv after all this: {megabytes(venv)} MB")
        print(f"collectstatic: {collected(python, environment, folder / 'static')}")
    finally:
        shutil.rmtree(folder)


def install(folder: Path) -> Path:
    begun = time.monotonic()
    subprocess.run(["make", "runtime", f"VENV={folder / '.venv'}"], cwd=ROOT, check=True, capture_output=True)
    print(f"installed in {time.monotonic() - begun:.0f} s")
    return folder / ".venv"


def sizes(venv: Path) -> None:
    (packages,) = venv.glob("lib/python3*/site-packages")
    by_size = sorted(((megabytes(path), path.name) for path in packages.iterdir()), reverse=True)[:LARGEST]
    print(f".venv: {megabytes(venv)} MB; " + ", ".join(f"{name} {size}" for size, name in by_size))


def megabytes(path: Path) -> int:
    return int(subprocess.run(["du", "-sm", path], capture_output=True, text=True, check=True).stdout.split()[0])


class Site:
    """A launcher that is ready; `seconds` says how long it took from its very beginning."""

    def __init__(self, python: str, environment: dict[str, str], *arguments: str) -> None:
        command = [python, "-m", "ireval_site.laptop.serve", "--port", str(free_port()), *arguments]
        begun = time.monotonic()
        self.launcher = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        assert self.launcher.stdout
        lines = iter(self.launcher.stdout.readline, "")
        assert any("Ready in" in line for line in lines), "the launcher ended"
        self.seconds = time.monotonic() - begun

    def __enter__(self) -> "Site":
        return self

    def __exit__(self, *_: object) -> None:
        self.launcher.terminate()
        self.launcher.communicate()

    def memory(self) -> str:
        processes = {process: name(process) for process in (self.launcher.pid, *descendants(self.launcher.pid))}
        each = {process: pss(process) for process in processes}
        listed = ", ".join(f"{processes[process]} {each[process]:.0f}" for process in sorted(each))
        return f"{sum(each.values()):.0f} MB ({listed})"


def start(python: str, environment: dict[str, str]) -> float:
    with Site(python, environment) as site:
        return site.seconds


def demo(python: str, environment: dict[str, str], seconds: int) -> str:
    with Site(python, environment, "--demo") as site:
        time.sleep(seconds)
        return f"{site.seconds:.1f} s; {seconds} s later {site.memory()}"


def idle(python: str, environment: dict[str, str], seconds: int) -> str:
    with Site(python, environment) as site:
        time.sleep(seconds)
        return site.memory()


def name(process: int) -> str:
    command = Path(f"/proc/{process}/comm").read_text().strip()
    if command.startswith("python"):
        words = Path(f"/proc/{process}/cmdline").read_text().split("\0")
        return next((Path(word).name for word in words[1:] if not word.startswith("-")), command)
    return command


def pss(process: int) -> float:
    (kilobytes,) = re.findall(r"^Pss:\s+(\d+)", Path(f"/proc/{process}/smaps_rollup").read_text(), re.MULTILINE)
    return int(kilobytes) / 1024


def collected(python: str, environment: dict[str, str], folder: Path) -> str:
    begun = time.monotonic()
    command = [python, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, env={**environment, "IREVAL_STATIC": str(folder)}, check=True)
    return f"{time.monotonic() - begun:.1f} s, {megabytes(folder)} MB"


if __name__ == "__main__":
    main()
