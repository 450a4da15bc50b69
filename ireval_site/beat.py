"""Keeps the beat that a Celery worker carries (`celery worker --beat`) beating: it is a process of its own, and may die alone.

Without it the worker goes on, but nothing that was lost on its way is ever sent again.
"""

import logging

from celery import bootsteps
from celery.worker.consumer import Consumer
from celery.worker.worker import WorkController

log = logging.getLogger(__name__)

LOOK_SECONDS = 2.0


class KeepBeat(bootsteps.StartStopStep):
    """Looks again and again while the broker is there; a broken connection ends the consumer's timers, a new one starts them."""

    requires = ("celery.worker.consumer:Connection",)

    def include_if(self, consumer: Consumer) -> bool:
        return consumer.controller.beat is not None

    def start(self, consumer: Consumer) -> None:
        self.looking = consumer.timer.call_repeatedly(LOOK_SECONDS, start_if_dead, (consumer.controller,))

    def stop(self, consumer: Consumer) -> None:
        self.looking.cancel()


def start_if_dead(worker: WorkController) -> None:
    if worker.beat.is_alive() or worker.blueprint.state != bootsteps.RUN:
        return
    log.warning("beat ended (exit code %s); starting it again", worker.beat.exitcode)
    step = worker.blueprint["celery.worker.components.Beat"]
    step.obj = step.create(worker)
    step.start(worker)
