"""What died is started again, after pauses that grow; only what cannot start in the first place ends the launcher."""

import errno
import os
import signal

import pytest

from ireval_site.laptop import supervisor
from ireval_site.laptop.reaper import Reaper
from ireval_site.laptop.supervisor import ServiceDied, Supervisor
from tests.site.processes import wait_until

DIES = ["sh", "-c", "echo no memory; exit 3"]
LIVES = ["sleep", "1000"]


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """A supervisor that hardly pauses before the first few restarts."""
    monkeypatch.setattr(supervisor, "FIRST_PAUSE_SECONDS", 0.001)
    watched = Supervisor(Reaper(), tmp_path / "log")
    yield watched
    watched.stop()


def look_until(watched: Supervisor, happened) -> bool:
    def look() -> bool:
        watched.look(started=True)
        return happened()

    return wait_until(look)


def test_the_web_goes_on_whatever_celery_does(watched):
    watched.start("web", LIVES)
    watched.start("celery", DIES)
    web, celery = watched.services
    assert look_until(watched, lambda: celery.pause > 0.1)
    assert web.process.poll() is None


def test_pauses_grow_up_to_eight_seconds_and_are_forgotten_after_a_quiet_time(watched, monkeypatch):
    monkeypatch.setattr(supervisor, "FIRST_PAUSE_SECONDS", 0.5)
    watched.start("celery", LIVES)
    (celery,) = watched.services
    assert [celery.next_pause(ran_seconds=1) for _ in range(7)] == [0.5, 1, 2, 4, 8, 8, 8]
    assert celery.next_pause(ran_seconds=supervisor.QUIET_SECONDS) == 0.5


def test_what_dies_while_everything_starts_is_an_error_with_the_end_of_its_log(watched):
    watched.start("web", DIES)
    watched.services[0].process.wait()
    with pytest.raises(ServiceDied, match=r"web ended while starting \(exit code 3\)(.|\n)*no memory"):
        watched.look(started=False)


def test_a_long_log_begins_anew_and_its_process_writes_on(watched, monkeypatch, capfd):
    monkeypatch.setattr(supervisor, "LOG_BYTES", 500)
    watched.start("web", ["sh", "-c", "while :; do echo WARNING owls; sleep 0.01; done"])
    log, former = watched.logs / "web.log", watched.logs / "web.log.1"
    assert look_until(watched, former.exists)
    assert look_until(watched, lambda: log.read_bytes().startswith(b"WARNING owls\n"))
    assert "web | WARNING owls" in capfd.readouterr().out


def test_a_log_that_somebody_took_away_stops_nothing(watched):
    watched.start("web", LIVES)
    (watched.logs / "web.log").unlink()
    watched.look(started=True)
    assert watched.services[0].process.poll() is None


def test_what_cannot_be_started_for_want_of_memory_is_tried_again(watched, monkeypatch, capfd):
    watched.start("celery", LIVES)
    (celery,) = watched.services
    first = celery.process.pid
    with monkeypatch.context() as patched:
        patched.setattr(watched, "begin", no_memory)
        os.kill(first, signal.SIGKILL)
        assert look_until(watched, lambda: "celery cannot be started: [Errno 12]" in capfd.readouterr().out)
    assert look_until(watched, lambda: celery.process is not None and celery.process.pid != first)


def no_memory(*_):
    raise OSError(errno.ENOMEM, "Cannot allocate memory")


def test_a_killed_reaper_is_replaced_before_the_next_restart(watched):
    watched.start("celery", LIVES)
    (celery,) = watched.services
    os.kill(watched.reaper.process.pid, signal.SIGKILL)
    watched.reaper.process.wait()
    first = celery.process.pid
    os.kill(first, signal.SIGKILL)
    assert look_until(watched, lambda: celery.process is not None and celery.process.pid != first)
    assert watched.reaper.process.poll() is None
