# `make` lists the targets. It needs only make and Python 3.11 or newer.

PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= logical
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check
PYTEST := $(BIN)/pytest --numprocesses=$(JOBS) --maxprocesses=4 --dist=worksteal
OPENAPI := tools/openapi_checks
UV     := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
          --no-header --no-annotate --no-emit-index-url --no-strip-extras
# Markers of tests that start servers or use random input; they run without coverage
RANDOMIZED := crash or races or fuzz or faults
# Tests of lists and searches, which read from a replica right after a write
REPLICATED := tests/api/subscriptions/test_list_subscriptions.py \
              tests/api/subscriptions/test_search_subscriptions.py \
              tests/api/issues/test_list_issues.py tests/api/issues/test_list_copies.py \
              tests/api/test_list_subscribers.py
SLOWEST := --durations=25 --durations-min=5
BRIEF := --hypothesis-profile=brief $(SLOWEST)
LONG := --timeout=7200
# The tests start masthead some hundred times: it must not be compiled each time
unexport PYTHONDONTWRITEBYTECODE

# The steps of `check`, in order; CI runs them one by one
CHECKS := $(VENV)/.bench lint types imports docs cover chance last-release test-replica-briefly

.DEFAULT_GOAL := help
.PHONY: help setup dev demo migrate check checks lint format types imports docs openapi openapi-checks messages \
        test test-postgres smoke cover chance last-release test-replica test-replica-briefly pictures faults crash races fuzz bench \
        bench-full bench-smoke year lock audit pins build clean

help: ## List the targets
	@awk -F ':.*## ' '/^## / { print "\n" substr($$0, 4) } \
		/^[a-z-]+:.*## / { printf "  \033[1m%-14s\033[0m %s\n", $$1, $$2 }' Makefile

## Run

demo: $(VENV)/.run ## Serve a demo publication; print its address and an API key
	@$(BIN)/masthead demo

dev: $(VENV)/.dev ## Serve on localhost, with the MASTHEAD_* settings
	@$(BIN)/masthead serve

migrate: $(VENV)/.run ## Upgrade the database to this version
	@$(BIN)/masthead migrate

## Develop

setup: $(VENV)/.dev ## Install everything for development into .venv

check: $(CHECKS) ## Run all checks, as CI does

checks:
	@echo $(CHECKS)

lint: $(VENV)/.dev ## Find mistakes and unformatted code
	$(BIN)/ruff check
	$(BIN)/ruff format --check

format: $(VENV)/.dev ## Format the code and fix what can be fixed automatically
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

types: $(VENV)/.bench ## Check the types (mypy, strict)
	$(BIN)/mypy

imports: $(VENV)/.dev ## Check the import rules between layers
	$(BIN)/lint-imports --no-logo

docs: $(VENV)/.dev ## Check the spelling
	$(BIN)/codespell

openapi: $(VENV)/.dev ## Update tests/golden/openapi.json and docs/api.md after an intended change
	$(BIN)/python -m tests.golden

openapi-checks: $(OPENAPI)/node_modules ## Lint tests/golden/openapi.json and compile TypeScript clients; needs node 20.19 or newer
	cd $(OPENAPI) && REDOCLY_TELEMETRY=off npm run --silent check

$(OPENAPI)/node_modules: $(OPENAPI)/package-lock.json
	cd $(OPENAPI) && npm ci --no-audit --no-fund
	@touch $@

messages: $(VENV)/.dev ## Collect the texts of pages and emails for the translations
	$(BIN)/python tools/messages.py

test: $(VENV)/.dev ## Run the whole suite on SQLite and PostgreSQL
	$(PYTEST)

test-postgres: $(VENV)/.dev ## Run the whole suite on PostgreSQL alone
	$(PYTEST) --backend=postgres

smoke: $(VENV)/.dev ## Run the quick tests on SQLite
	$(PYTEST) --backend=sqlite tests/model tests/api

cover: $(VENV)/.dev ## Run the deterministic tests; require 100 % branch coverage of the core packages
	$(PYTEST) --backend=brief -m 'not ($(RANDOMIZED))' --cov --cov-report= $(SLOWEST)
	$(BIN)/coverage report --fail-under=100

chance: $(VENV)/.dev ## Run the other tests briefly: races, crashes, faults and random input
	$(PYTEST) -m '($(RANDOMIZED)) and not faults' --numprocesses=3 $(BRIEF)
	$(PYTEST) -m faults --numprocesses=3 $(BRIEF) || { \
		echo 'A busy machine may miss deadlines: what failed runs once more, alone.'; \
		$(BIN)/pytest -m faults --last-failed --last-failed-no-failures=none $(BRIEF); }

last-release: $(VENV)/.dev ## Run tests of the last release on databases that this version has migrated
	$(BIN)/python tools/last_release.py

test-replica: $(VENV)/.dev ## Run the whole suite on PostgreSQL, with masthead reading from a replica
	MASTHEAD_TEST_REPLICA=yes $(PYTEST) --backend=postgres

test-replica-briefly: $(VENV)/.dev # The lists, whose reads a replica answers
	MASTHEAD_TEST_REPLICA=yes $(PYTEST) --backend=postgres $(REPLICATED)

pictures: $(VENV)/.dev ## Take the pictures of the README and docs again, in a real browser
	MASTHEAD_TEST_PICTURES=docs/pictures $(BIN)/pytest -q tests/web/browser -k saved_for_the_readme

## Long test runs

faults: $(VENV)/.dev ## Inject faults into everything masthead depends on; writes docs/reliability.md
	MASTHEAD_TEST_ROUNDS=40 $(BIN)/pytest -m 'faults or crash' $(LONG) \
		-p tests.support.reliability --reliability=docs/reliability.md

crash: $(VENV)/.dev ## Kill the server 200 times under load; check that no acknowledged write is lost
	MASTHEAD_TEST_ROUNDS=200 $(BIN)/pytest -m crash $(LONG)

races: $(VENV)/.dev ## Run the race tests with 200 rounds
	MASTHEAD_TEST_ROUNDS=200 $(BIN)/pytest -m races $(LONG)

fuzz: $(VENV)/.dev ## Run the fuzz tests with many more examples
	$(PYTEST) -m fuzz --hypothesis-profile=long $(LONG)

## Benchmarks: they need the system package wrk, and write docs/performance.md

bench: $(VENV)/.bench ## Measure everything on small data (15 minutes)
	$(BIN)/python -m bench

bench-full: $(VENV)/.bench ## Measure everything with up to ten million copies (45 minutes)
	$(BIN)/python -m bench --preset full

bench-smoke: $(VENV)/.bench ## Run the whole benchmark on very little data, to check that it works
	$(BIN)/python -m bench --preset smoke --results .bench --page .bench/performance.md

year: $(VENV)/.bench ## Simulate a year of a publisher with 500,000 subscribers; writes docs/growth.md
	$(BIN)/python -m bench.year

## Maintain

lock: UPGRADE := --upgrade
lock: pins ## Update all pinned dependencies to the newest compatible versions

audit: pins ## Check that the pins match requirements/*.in and are compatible
	git diff --exit-code --stat -- requirements
	$(PIP) check

pins: $(VENV)/.dev
	$(UV) $(UPGRADE) requirements/run.in -o requirements/run.txt
	$(UV) $(UPGRADE) requirements/build.in -o requirements/build.txt
	$(UV) $(UPGRADE) requirements/otel.in -o requirements/otel.txt -c requirements/run.txt
	$(UV) $(UPGRADE) requirements/dev.in -o requirements/dev.txt \
		-c requirements/run.txt -c requirements/build.txt -c requirements/otel.txt
	$(UV) $(UPGRADE) requirements/bench.in -o requirements/bench.txt \
		-c requirements/run.txt -c requirements/dev.txt

build: $(VENV)/.dev ## Build the wheel and the source distribution into dist/
	$(BIN)/python -m hatchling build

clean: ## Remove everything that make has created
	rm -rf $(VENV) .bench build dist htmlcov .coverage* .*_cache .hypothesis .schemathesis

# Installed once, and again when the pins change

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "masthead needs Python 3.11 or newer; '$(PYTHON)' says: $$($(PYTHON) --version 2>&1)" >&2; \
		echo "Name another one: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements/run.txt requirements/build.txt pyproject.toml | $(BIN)/pip
	$(PIP) install --require-hashes -r requirements/run.txt -r requirements/build.txt
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@

$(VENV)/.bench: $(VENV)/.dev requirements/bench.txt
	$(PIP) install --require-hashes -r requirements/bench.txt
	@touch $@
