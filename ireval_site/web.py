"""The web server, for a team: `python -m ireval_site.web --host 0.0.0.0 --workers 4`.

Granian with the options that ireval needs: a worker that dies is started again, and a port that somebody uses is refused.
"""

import argparse
import runpy
import sys

from django.core.exceptions import ImproperlyConfigured

from ireval_site import environment
from ireval_site.port import CannotServe, check_port
from ireval_site.shared_counts import share_counts


def main(arguments: list[str]) -> None:
    """Serve until asked to stop; ends with the reason where the port is taken."""
    try:
        options = parse(arguments)
        check_port(options.host, options.port)
        share_counts()
    except (CannotServe, ImproperlyConfigured) as problem:
        sys.exit(str(problem))
    sys.argv = command(options)
    runpy.run_module("granian", run_name="__main__", alter_sys=True)  # in this process, which may have loaded the application


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m ireval_site.web", description="Serve ireval's pages.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (this machine only)")
    parser.add_argument("--port", type=int, default=environment.number("PORT", 8000), help="port to listen on (8000)")
    parser.add_argument("--workers", type=int, default=2, help="processes (2)")
    parser.add_argument("--threads", type=int, default=4, help="threads of each, for visitors with slow connections (4)")
    return parser.parse_args(arguments)


def command(options: argparse.Namespace) -> list[str]:
    return [
        *("granian", "--interface", "wsgi", "--no-ws", "--log-level", "warning"),
        *("--host", options.host, "--port", str(options.port)),
        *("--workers", str(options.workers), "--blocking-threads", str(options.threads), "--respawn-failed-workers"),
        "ireval_site.wsgi:application",
    ]


if __name__ == "__main__":
    main(sys.argv[1:])
