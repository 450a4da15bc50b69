"""Settings that would give an installation away are refused at the start, in words that name the variable and its remedy."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from ireval_site import environment
from tests.servers import free_port

ROOT = Path(__file__).resolve().parents[2]
GOOD = "x1y2z3-a4b5c6-d7e8f9-0123456789-abcdef"
HSTS = ("SECURE_HSTS_SECONDS", "SECURE_HSTS_INCLUDE_SUBDOMAINS", "SECURE_HSTS_PRELOAD")


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        ("x", "is shorter than 32 characters"),
        (GOOD[:31], "is shorter than 32 characters"),
        ("secret" * 10, "consists of 5 different characters"),
        ("changeme-" + GOOD, "is a placeholder"),
        ("Django-Insecure-" + GOOD, "is a placeholder"),
    ],
)
def test_a_key_that_can_be_guessed_is_refused(monkeypatch, tmp_path, key, problem):
    monkeypatch.setenv("SECRET_KEY", key)
    with pytest.raises(ImproperlyConfigured, match=rf"^SECRET_KEY {problem}.* Make one with python -c"):
        environment.secret_key(tmp_path, production=False)


def test_former_keys_are_held_to_the_same(monkeypatch):
    monkeypatch.setenv("SECRET_KEY_FALLBACKS", f"{GOOD} {GOOD[::-1]}")
    assert environment.former_keys("SECRET_KEY_FALLBACKS") == [GOOD, GOOD[::-1]]
    monkeypatch.setenv("SECRET_KEY_FALLBACKS", f"{GOOD} changeme")
    with pytest.raises(ImproperlyConfigured, match=r"^SECRET_KEY_FALLBACKS is shorter than 32 characters"):
        environment.former_keys("SECRET_KEY_FALLBACKS")


def test_a_good_key_is_taken(monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET_KEY", GOOD)
    assert environment.secret_key(tmp_path, production=True) == GOOD


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("HTTPS://Ireval.Example.org/", "https://ireval.example.org"),
        (" http://192.0.2.7:8000 ", "http://192.0.2.7:8000"),
        ("https://ireval.example.org/Eval/", "https://ireval.example.org/Eval"),
        ("", ""),
    ],
)
def test_the_public_address_is_read_as_browsers_do(monkeypatch, written, address):
    monkeypatch.setenv("IREVAL_URL", written)
    assert environment.public_address("IREVAL_URL") == address


@pytest.mark.parametrize(
    "written", ["ireval.example.org", "ireval.example.org:8000", "//ireval.example.org", "https://", "https:/x"]
)
def test_a_public_address_without_scheme_or_host_is_refused(monkeypatch, written):
    monkeypatch.setenv("IREVAL_URL", written)
    with pytest.raises(ImproperlyConfigured, match=r"^IREVAL_URL='.*': expected https://host or http://host:port"):
        environment.public_address("IREVAL_URL")


@pytest.mark.parametrize(("written", "level"), [("", "INFO"), ("debug", "DEBUG"), (" Warning ", "WARNING")])
def test_the_level_of_the_log_is_taken_in_any_case(monkeypatch, written, level):
    monkeypatch.setenv("IREVAL_LOG_LEVEL", written)
    assert environment.log_level("IREVAL_LOG_LEVEL") == level


@pytest.mark.parametrize(("variable", "level"), [("debug", "DEBUG"), ("", "ERROR")])
def test_the_variable_says_how_much_celery_logs_and_else_its_command_line(variable, level):
    code = (
        "import django, logging; from ireval_site import celery_app; django.setup(); celery_app.log.setup(loglevel='ERROR'); "
        "print(logging.getLevelName(logging.getLogger().level))"
    )
    done = settings_process(
        code, {"SECRET_KEY": GOOD, "IREVAL_LOG_LEVEL": variable, "DJANGO_SETTINGS_MODULE": "ireval_site.settings"}
    )
    assert done.stdout.strip() == level, done.stderr


def test_the_folder_that_the_key_is_kept_in_is_nobody_elses(tmp_path, monkeypatch):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    environment.secret_key(tmp_path / "data", production=False)
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("address", ["https://ireval.example.org", "http://192.0.2.7:8000", "http://[2001:db8::1]"])
def test_debugging_is_refused_at_a_public_address(monkeypatch, address):
    monkeypatch.setenv("IREVAL_DEBUG", "1")
    with pytest.raises(ImproperlyConfigured, match=r"^IREVAL_DEBUG=1 shows code .* Unset IREVAL_DEBUG"):
        environment.debugging(address)
    monkeypatch.setenv("IREVAL_DEBUG", "0")
    assert environment.debugging(address) is False


@pytest.mark.parametrize("address", ["", "http://localhost:8000", "http://127.0.0.1:8000", "http://[::1]:8000"])
def test_debugging_is_for_this_machine(monkeypatch, address):
    monkeypatch.setenv("IREVAL_DEBUG", "1")
    assert environment.debugging(address) is True


@pytest.mark.parametrize(
    "address",
    ["files", "https://files", "s3://", "s3://key:secret@files", "s3://files:9000/prefix", "s3://Files", "s3://files?a=b"],
)
def test_files_lie_in_a_folder_or_in_a_bucket(monkeypatch, address):
    monkeypatch.setenv("IREVAL_FILES", address)
    with pytest.raises(ImproperlyConfigured, match=r"^IREVAL_FILES=.*: expected s3://bucket or s3://bucket/prefix"):
        environment.file_storage("IREVAL_FILES")
    monkeypatch.setenv("IREVAL_FILES", "s3://files/of/ireval/")
    assert environment.file_storage("IREVAL_FILES")["OPTIONS"] == {"bucket_name": "files", "location": "of/ireval"}
    monkeypatch.setattr(environment, "find_spec", lambda name: None)
    with pytest.raises(ImproperlyConfigured, match=r"pip install -r requirements-s3\.txt"):
        environment.file_storage("IREVAL_FILES")
    monkeypatch.delenv("IREVAL_FILES")
    assert environment.file_storage("IREVAL_FILES")["BACKEND"].endswith(".FileSystemStorage")


@pytest.mark.parametrize("address", ["spark://cluster:7077", "local-cluster[2,1,1024]", "cluster:15002", "sc://", "duckdb"])
def test_a_cluster_listens_as_spark_connect_does(monkeypatch, address):
    monkeypatch.setenv("IREVAL_LOG_ENGINE", address)
    with pytest.raises(ImproperlyConfigured, match=r"^IREVAL_LOG_ENGINE: expected sc://host:15002, .* start-connect-server\.sh"):
        environment.log_engine("IREVAL_LOG_ENGINE")
    monkeypatch.setenv("IREVAL_LOG_ENGINE", "sc://cluster:15002/;token=abc")
    monkeypatch.setattr(environment, "find_spec", lambda name: name)
    assert environment.log_engine("IREVAL_LOG_ENGINE") == "sc://cluster:15002/;token=abc"
    monkeypatch.setattr(environment, "find_spec", lambda name: None)
    with pytest.raises(ImproperlyConfigured, match=r"pip install -r requirements-spark\.txt"):
        environment.log_engine("IREVAL_LOG_ENGINE")
    monkeypatch.delenv("IREVAL_LOG_ENGINE")
    assert environment.log_engine("IREVAL_LOG_ENGINE") == ""


@pytest.mark.parametrize(
    ("variables", "hsts"),
    [
        ({"IREVAL_URL": "https://ireval.example.org"}, [31_536_000, False, False]),
        ({"IREVAL_URL": "https://ireval.example.org", "IREVAL_HSTS_PRELOAD": "1"}, [31_536_000, True, True]),
        ({"IREVAL_URL": "http://ireval.example.org", "IREVAL_HSTS_PRELOAD": "1"}, [0, False, False]),
    ],
)
def test_other_hosts_are_bound_to_https_only_where_that_is_asked_for(variables, hsts):
    code = f"import json; from ireval_site import settings; print(json.dumps([getattr(settings, name) for name in {HSTS}]))"
    done = settings_process(code, {"SECRET_KEY": GOOD, **variables})
    assert json.loads(done.stdout) == hsts, done.stderr


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"SECRET_KEY": "x"}, "SECRET_KEY is shorter than 32 characters"),
        ({"IREVAL_DEBUG": "1", "IREVAL_URL": "https://ireval.example.org", "SECRET_KEY": GOOD}, "IREVAL_DEBUG=1 shows code"),
        ({"IREVAL_URL": "ireval.example.org", "SECRET_KEY": GOOD}, "expected https://host or http://host:port"),
    ],
)
def test_neither_settings_nor_launcher_start_with_them(tmp_path, variables, words):
    assert words in settings_process("import ireval_site.settings", variables).stderr
    command = [sys.executable, "-m", "ireval_site.laptop.serve", "--port", str(free_port())]
    done = subprocess.run(
        command, env=environment_with(variables, tmp_path), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert words in done.stdout
    assert "Traceback" not in done.stderr


def settings_process(code: str, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment_with(variables, ROOT), cwd=ROOT, capture_output=True, text=True, check=False)


def environment_with(variables: dict[str, str], data: Path) -> dict[str, str]:
    named = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "IREVAL_URL", "IREVAL_DEBUG", "IREVAL_HSTS_PRELOAD")
    kept = {key: value for key, value in os.environ.items() if key not in named}
    return {**kept, "IREVAL_DATA": str(data), **variables}


def test_a_database_host_that_vanishes_is_given_up_unless_the_address_says_how():
    options = environment.postgresql("postgres://ireval@10.0.0.9:5432/ireval?connect_timeout=2&sslmode=require")["OPTIONS"]
    assert (options["connect_timeout"], options["sslmode"]) == (2, "require")
    assert 0 < options["tcp_user_timeout"] <= 60_000
    assert 0 < environment.postgresql("postgres://ireval@10.0.0.9/ireval")["OPTIONS"]["connect_timeout"] < 30
