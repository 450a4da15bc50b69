# What a newcomer, a developer and CI run. Written for GNU make 3.81, which macOS still ships.

VENV ?= .venv
PORT ?= 8000
PY = $(VENV)/bin/python
# The Pythons to try, in this order; `make demo PYTHON=/path/to/python3.12` names one.
PYTHON ?=
PYTHONS = $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11
# Wheels exist for these; 3.15 waits for some packages.
VERSIONS = (3, 11) <= sys.version_info < (3, 15)
PIP_INSTALL = PYTHONDONTWRITEBYTECODE=1 $(PY) -m pip install --quiet --disable-pip-version-check --no-input --no-compile --require-hashes

# Without compiled files every process would start a second later; pip leaves them out, the first start writes those in use.
unexport PYTHONDONTWRITEBYTECODE
# A virtualenv that is active elsewhere, or a PYTHONPATH, must not leak into this one.
unexport PYTHONPATH PYTHONHOME

.DEFAULT_GOAL := help
.PHONY: help demo serve test soak check docs bench release clean requirements runtime development

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

demo: runtime  ## the application with a demo collection, on http://127.0.0.1:8000/ (PORT=… for another port)
	@PORT=$(PORT) $(PY) -m ireval_site.laptop.serve --demo $(ARGS)

serve: runtime  ## the same without loading the demo
	@PORT=$(PORT) $(PY) -m ireval_site.laptop.serve $(ARGS)

test: development  ## the library's tests, and the application's on SQLite (DATABASES=postgres or sqlite,postgres; IREVAL_SLOW=1 for the slow, too)
	@$(PY) -m tests.pairs $(DATABASES) $(ARGS)
DATABASES = sqlite

soak: development  ## the long forms of tests, and all examples of properties, on SQLite (ARGS="-k matrix" for some); 200 kills each way (KILLS=0: none)
	@IREVAL_SOAK=1 $(PY) -m pytest -q -m "soak or hypothesis" -o faulthandler_timeout=7200 $(ARGS)
	@test $(KILLS) = 0 || $(PY) -m benchmarks.faults --kills $(KILLS)
KILLS ?= 200

check: development  ## style, types, templates, imports, settings, migrations, documentation, dependencies: whatever fails
	@failed=; check() { echo "$$*"; "$$@" || failed=1; }; export IREVAL_LOG_LEVEL=WARNING; \
	check $(VENV)/bin/ruff check . ; \
	check $(VENV)/bin/ruff format --check . ; \
	check $(VENV)/bin/mypy . ; \
	check $(VENV)/bin/lint-imports ; \
	check find $(TEMPLATES) -exec $(VENV)/bin/djade --check --target-version 5.2 {} + ; \
	check sh -c "! grep -rnE '.{161}' templates" ; \
	check env $(PRODUCTION) $(PY) manage.py check --deploy --fail-level WARNING ; \
	check $(PY) manage.py makemigrations --check --dry-run ; \
	check $(SITE) ; \
	check $(PY) .ci/check_sbom.py ; \
	check $(PY) .ci/audit.py ; \
	test -z "$$failed"
# That one stands within sentences: it must not end with the line break that djade would give it.
TEMPLATES = templates -name '*.html' ! -name _pay.html
# Settings as a server has them. The check connects to nothing; the key only has to look like one.
PRODUCTION = SECRET_KEY=for-this-check-only-0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEFG IREVAL_URL=https://ireval.example \
	DATABASE_URL=postgres://ireval@localhost/ireval REDIS_URL=redis://localhost:6379/0

docs: development  ## the documentation as a site, in build/docs; the application shows the same pages under /docs/
	@$(SITE)
SITE = $(VENV)/bin/zensical build --strict --clean

bench: development  ## how fast judging is, on SQLite and on PostgreSQL
	$(PY) -m benchmarks.judging $(ARGS)
	$(PY) -m benchmarks.judging --postgres $(ARGS)

release: development  ## wheel, image, documentation, bill of materials and checksums of the version that is tagged, in dist/
	@VENV=$(VENV) .ci/release

clean:  ## remove caches and the virtualenv; never var/, where judgements are
	rm -rf $(VENV) .venv-pins .venv-spark build dist .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

requirements:  ## pin again what pyproject.toml asks for, newest versions, with hashes
	@test -x .venv-pins/bin/uv || { $(PY) -m venv .venv-pins && .venv-pins/bin/python -m pip install --quiet uv; }
	.venv-pins/bin/uv pip compile $(PIN) --upgrade pyproject.toml --extra server --output-file requirements.txt
	.venv-pins/bin/uv pip compile $(PIN) --upgrade --group s3 --constraint requirements.txt --output-file requirements-s3.txt
	.venv-pins/bin/uv pip compile $(PIN) --upgrade --group spark --constraint requirements.txt --output-file requirements-spark.txt
	.venv-pins/bin/uv pip compile $(PIN) --upgrade --group cluster --constraint requirements-spark.txt --output-file requirements-cluster.txt
	.venv-pins/bin/uv pip compile $(PIN) --upgrade --group test --group check --constraint requirements.txt --constraint requirements-s3.txt --constraint requirements-spark.txt --output-file requirements-dev.txt
PIN = --quiet --universal --generate-hashes --python-version 3.11 --no-header --no-emit-index-url

# Installed again only when the pins differ from those that were installed.
runtime: $(PY)
	@cmp -s requirements.txt $(VENV)/requirements.txt || { \
	  echo "Installing what ireval needs (165 MB to fetch, once) …" && $(PIP_INSTALL) -r requirements.txt && \
	  { $(PY) ireval_site/laptop/slim.py || echo "$(VENV) stays larger than it need be."; } && cp requirements.txt $(VENV)/; }

development: runtime  ## the virtualenv and all tools
	@cmp -s requirements-dev.txt $(VENV)/requirements-dev.txt || { \
	  echo "Installing the test tools (200 MB, once) …" && \
	  $(PIP_INSTALL) -r requirements.txt -r requirements-dev.txt && cp requirements-dev.txt $(VENV)/; }

$(PY):
	@for python in $(PYTHONS); do \
	  if $$python -c 'import sys; sys.exit(not ($(VERSIONS)))' 2>/dev/null; then break; fi; python=; \
	done; \
	if [ -z "$$python" ]; then \
	  echo "ireval needs Python 3.11, 3.12, 3.13 or 3.14; python3 here is: $$(python3 --version 2>&1)."; \
	  echo "Install one of them, or name it: make demo PYTHON=/path/to/python3.12"; exit 1; \
	fi; \
	if ! $$python -c 'import venv, ensurepip' 2>/dev/null; then \
	  echo "$$python cannot make virtual environments. On Debian and Ubuntu: sudo apt install python3-venv"; exit 1; \
	fi; \
	echo "Making $(VENV) with $$($$python --version) …"; $$python -m venv $(VENV) && \
	{ $(PY) -m pip uninstall --quiet --yes setuptools 2>/dev/null || true; }  # only 3.11 still puts it there
