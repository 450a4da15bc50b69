"""Celery beat: what is due at every interval is sent on time, whatever the clock does and however often beat is started."""

import time
from datetime import timedelta

from celery import beat
from celery.schedules import schedule

# After a start, and after the machine was asleep: by then whoever was at work has given a sign of life. It is short: a beat that
# dies before sends nothing, time and again.
FIRST = timedelta(seconds=8)
ASLEEP = 30  # seconds without a look


class Scheduler(beat.Scheduler):
    """Celery's plainest, which keeps nothing on disk; a clock that is put back makes nothing wait.

    Celery's own sends nothing more until the clock says again what it said before.
    """

    looked = 0.0

    def setup_schedule(self) -> None:
        """Let everything be due within seconds: what is due every hour would never come where nothing runs for one."""
        super().setup_schedule()
        for entry in self.intervals():
            entry.last_run_at -= max(entry.schedule.run_every - FIRST, timedelta())

    def wake(self) -> None:
        """Let nothing be due yet: other processes slept, too, and a sweep would take them for dead."""
        for entry in self.intervals():
            entry.last_run_at = max(entry.last_run_at, entry.default_now() + FIRST - entry.schedule.run_every)
        self.populate_heap()

    def intervals(self) -> list[beat.ScheduleEntry]:
        """All but what Celery itself adds, which has an hour of the day."""
        return [entry for entry in self.schedule.values() if isinstance(entry.schedule, schedule)]

    def tick(self, *args, **kwargs) -> float:
        now = time.time()
        if now < self.looked:
            self.put_back(self.looked - now)
        elif self.looked and now > self.looked + ASLEEP:
            self.wake()
        self.looked = now
        return super().tick(*args, **kwargs)

    def put_back(self, seconds: float) -> None:
        """Let everything have run as long ago as it has."""
        for entry in self.schedule.values():
            entry.last_run_at -= timedelta(seconds=seconds)
        self.populate_heap()
