"""Reports of logs read a streaming replica where there is one: a real one, made by pg_basebackup."""

import os
import shutil
import subprocess
import sys

import pytest
from django.db import connection

from tests.servers import Cluster, reaper_and_folder

pytestmark = [pytest.mark.database, pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL has replicas")]

# What a site with a replica does, in a process of its own: records go to the one, and are counted at the other.
REPORT = """
import django, time
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from datetime import timedelta
from django.db import connections
from django.utils import timezone
from judging.logs.intake import receive
from judging.models import Arm, Experiment, Site, User
from metrics import pipeline
from metrics.kinds.ab.parts import AB
from metrics.kinds.experiment_reports import request_experiment_report
from metrics.logs import frames

now = timezone.now()
user = User.objects.create_user("rita", is_researcher=True)
site = Site.objects.create(name="shop", slug="shop", owner=user)
experiment = Experiment.objects.create(site=site, name="e", created_by=user, state="running", started=now - timedelta(days=1))
for name in ("control", "new"):
    Arm.objects.create(experiment=experiment, name=name, is_control=name == "control")
receive(site, [
    {"user_query": "owls", "query_id": f"q{n}", "client_id": f"c{n}", "timestamp": (now - timedelta(minutes=5)).isoformat(),
     "query_attributes": {"experiment": "e", "arm": ("control", "new")[n % 2]}} for n in range(10)
])
with connections["replica"].cursor() as cursor:
    for _ in range(100):
        cursor.execute("SELECT to_regclass('judging_query') IS NOT NULL")
        if cursor.fetchone()[0]:
            cursor.execute("SELECT count(*), pg_is_in_recovery() FROM judging_query")
            if cursor.fetchone() == (10, True):
                break
        time.sleep(0.1)
assert frames.source().alias == "replica"
report = request_experiment_report(experiment)
pipeline.begin(AB, report.pk)
pipeline.compute_part(AB, report.pk, "0")
pipeline.publish_if_complete(AB, report.pk)
report.refresh_from_db()
assert report.is_done and report.as_of <= timezone.now()
assert frames.as_fresh_as(timezone.now()) < timezone.now()
print(report.result["behaviour"]["experiment"]["n"])
"""


def test_records_are_read_where_nobody_writes(tmp_path):
    with reaper_and_folder() as (reaper, folder), reaper_and_folder() as (other, place):
        primary = Cluster(reaper, folder, durable=False)
        primary.start()
        replica = Cluster(other, place, durable=False)
        shutil.rmtree(replica.data)
        command = [replica.programs / "pg_basebackup", "-D", replica.data, "-R", "-X", "stream", "-h", "127.0.0.1"]
        command += ["-p", str(primary.port), "-U", "postgres", "--checkpoint", "fast"]
        subprocess.run(command, check=True, cwd=place, **replica.account)
        replica.start()
        environment = {
            **os.environ,
            "DATABASE_URL": primary.url,
            "REPLICA_URL": replica.url,
            "IREVAL_DATA": str(tmp_path),
            "DJANGO_SETTINGS_MODULE": "ireval_site.settings",
        }
        process = subprocess.run([sys.executable, "-c", REPORT], env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    assert process.stdout.strip() == "[5, 5]"
