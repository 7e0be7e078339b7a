# `make` lists the targets. It needs only make and Python 3.11 or newer.

PYTHON ?= python3
VENV   ?= .venv
# One more than cores: some tests wait for servers
JOBS   ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
BIN    := $(VENV)/bin
PYTEST := $(BIN)/pytest --numprocesses=$(JOBS) --maxprocesses=4 --dist=worksteal
OPENAPI := tools/openapi_checks
UV     := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
          --no-header --no-annotate --no-emit-index-url --no-strip-extras
# Of the tests that kill servers, break things, let writers meet or take random input, the short
# forms
CHANCE := crash or races or faults or fuzz
SLOWEST := --durations=25 --durations-min=2
# The tests start masthead some hundred times: it must not be compiled each time
unexport PYTHONDONTWRITEBYTECODE

# The steps of `check`, two at a time, as most use one core. Tests are collected once, and while
# those of `chance` wait, the others run
CHECKS := lint imports docs types test-and-chance

.DEFAULT_GOAL := help
.PHONY: help setup dev demo migrate check lint format types imports docs openapi clients schema \
        openapi-checks messages postgres-tests test chance test-and-chance smoke last-release \
        pictures campaign mutants flaky bench bench-full year lock audit pins clean release-check \
        build deb release publish next-version

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

check: $(VENV)/.bench ## Run all checks, as CI does; make campaign has the long ones
	@$(MAKE) --no-print-directory --jobs=2 $(CHECKS)

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

clients: $(VENV)/.dev ## Generate clients/ again after a change of the API
	$(BIN)/python -m tools.clients

schema: $(VENV)/.dev ## Update tests/golden/schema.*.sql after a new migration
	$(BIN)/python -m tests.golden.write_schema

openapi-checks: $(OPENAPI)/node_modules $(VENV)/.dev ## Lint tests/golden/openapi.json and compile TypeScript clients; needs node 20.19 or newer
	cd $(OPENAPI) && REDOCLY_TELEMETRY=off npm run --silent check
	$(PYTEST) --backend=both tests/clients/test_typescript.py

$(OPENAPI)/node_modules: $(OPENAPI)/package-lock.json
	cd $(OPENAPI) && npm ci --no-audit --no-fund
	@touch $@

postgres-tests: $(VENV)/.dev ## Choose again which tests of make check also run on PostgreSQL (15 minutes)
	$(BIN)/python -m tools.postgres_tests

messages: $(VENV)/.dev ## Collect the texts of pages and emails for the translations
	$(BIN)/python tools/messages.py

test: $(VENV)/.dev ## Run the quick tests on SQLite, and those of most SQL statements on PostgreSQL
	$(PYTEST) -m 'not (slow or check or $(CHANCE))' $(SLOWEST)

chance: $(VENV)/.dev ## Run the short forms of the tests with kills, faults, races and random input
	$(PYTEST) -m '($(CHANCE)) and not slow' $(SLOWEST)

test-and-chance: $(VENV)/.dev
	$(PYTEST) -m 'not slow' $(SLOWEST)

smoke: $(VENV)/.dev ## Run the quick tests on SQLite
	$(PYTEST) --backend=sqlite -m 'not slow' tests/model tests/api/subscriptions \
		tests/clients/test_operations.py tests/clients/test_retries.py

last-release: $(VENV)/.dev ## Run tests of the last release on databases that this version has migrated
	$(BIN)/python tools/last_release.py

pictures: $(VENV)/.dev ## Take the pictures of the README and docs again, in a real browser
	MASTHEAD_TEST_PICTURES=docs/pictures $(BIN)/pytest -q tests/web/browser -k saved_for_the_readme

## Long test runs

campaign: $(VENV)/.bench ## Run every test at length, or PARTS="races faults"; writes docs/reliability.md
	$(BIN)/python -m tools.campaign $(PARTS)

mutants: $(VENV)/.dev ## Change the code in 400 places, one at a time: a test must notice (1 hour)
	$(BIN)/python -m tools.mutants $(MUTANTS)

flaky: $(VENV)/.dev ## Run the tests of make check 20 times, in random order, also on a busy machine
	$(BIN)/python -m tools.flaky $(RUNS)

## Benchmarks: they need the system package wrk, and write docs/performance.md

bench: $(VENV)/.bench ## Measure everything on small data (15 minutes)
	$(BIN)/python -m bench

bench-full: $(VENV)/.bench ## Measure everything with up to ten million copies (90 minutes)
	$(BIN)/python -m bench --preset full

year: $(VENV)/.bench ## Simulate a year of a publisher with 500,000 subscribers; writes docs/growth.md
	$(BIN)/python -m bench.year

## Maintain

lock: UPGRADE := --upgrade
lock: pins ## Update all pinned dependencies to the newest compatible versions

audit: $(VENV)/.dev pins ## Check that the pins match requirements/*.in and are compatible
	git diff --exit-code --stat -- requirements
	$(BIN)/uv pip check --python $(BIN)/python

pins: $(VENV)/.uv
	$(UV) $(UPGRADE) requirements/uv.in -o requirements/uv.txt
	$(UV) $(UPGRADE) requirements/run.in -o requirements/run.txt
	$(UV) $(UPGRADE) requirements/build.in -o requirements/build.txt
	$(UV) $(UPGRADE) requirements/otel.in -o requirements/otel.txt -c requirements/run.txt
	$(UV) $(UPGRADE) requirements/dev.in -o requirements/dev.txt \
		-c requirements/run.txt -c requirements/build.txt -c requirements/otel.txt
	$(UV) $(UPGRADE) requirements/bench.in -o requirements/bench.txt \
		-c requirements/run.txt -c requirements/dev.txt

clean: ## Remove everything that make has created
	rm -rf $(VENV) .bench .campaign .flaky .mutants build dist htmlcov .coverage* .*_cache .hypothesis \
		.schemathesis

## Release: docs/releasing.md has the steps

release-check: $(VENV)/.dev ## Say what is in the way of a release
	$(BIN)/python tools/release.py check $(VERSION)

build: $(VENV)/.dev ## Build the wheel and the source distribution into dist/
	$(BIN)/python -m hatchling build

deb: $(VENV)/.dev ## Build a package for this release of Debian into dist/; needs dpkg-deb
	$(BIN)/python -m tools.deb dist

release: $(VENV)/.dev ## Set VERSION and date of the changelog, build, commit and tag
	$(BIN)/python tools/release.py release $(VERSION)

publish: $(VENV)/.dev ## Push the tag of VERSION, and upload its distributions
	@test -f dist/masthead-$(VERSION).tar.gz || { \
		echo "dist/ has no version '$(VERSION)': make release VERSION=… builds it" >&2; exit 1; }
	git push --atomic origin HEAD v$(VERSION)
	$(BIN)/uv publish dist/masthead-$(VERSION)*

next-version: $(VENV)/.dev ## Begin the development of VERSION
	$(BIN)/python tools/release.py next $(VERSION)

# Installed once, and again when the pins change

.PHONY: usable
# Before anything is used: is .venv of a Python that runs, and of the one that was named?
usable:
	@[ ! -e $(VENV)/.uv ] || $(BIN)/python -c '' 2>/dev/null || { \
		echo "The Python of $(VENV) does not run: delete the folder (rm -r $(VENV))," \
			"then run make again." >&2; exit 1; }
	@[ ! -e $(VENV)/.uv ] || $(BIN)/python tools/install.py check \
		$(if $(filter command environment,$(firstword $(origin PYTHON))),$(PYTHON))

$(VENV)/.uv: requirements/uv.txt | usable
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "masthead needs Python 3.11 or newer, and $(PYTHON) is" \
			"'$$($(PYTHON) --version 2>&1)':" \
			"name another one (make $(MAKECMDGOALS) PYTHON=/path/to/python3)." >&2; exit 1; }
	@$(PYTHON) tools/install.py environment $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.uv requirements/run.txt requirements/build.txt pyproject.toml
	@$(BIN)/python tools/install.py packages run build --masthead
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	@$(BIN)/python tools/install.py packages dev
	@touch $@

$(VENV)/.bench: $(VENV)/.dev requirements/bench.txt
	@$(BIN)/python tools/install.py packages bench
	@touch $@
