# `make` alone lists what can be done. It asks for make and Python 3.11 or newer, nothing else.

PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= logical
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check
PYTEST := $(BIN)/pytest --numprocesses=$(JOBS) --maxprocesses=4
UV     := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
          --no-header --no-annotate --no-emit-index-url
# Where every branch is tested
PROVEN := masthead/model/*,masthead/services/*,masthead/store/*,masthead/api/*
# What runs servers and rolls dice: measuring its branches would only slow it down
CHANCE := crash or races or fuzz or faults

.DEFAULT_GOAL := help
.PHONY: help setup dev demo migrate check lint format types imports docs openapi test test-postgres \
        smoke cover chance pictures faults crash races fuzz bench bench-full bench-smoke lock audit pins build clean

help: ## List the targets
	@awk -F ':.*## ' '/^## / { print "\n" substr($$0, 4) } \
		/^[a-z-]+:.*## / { printf "  \033[1m%-14s\033[0m %s\n", $$1, $$2 }' Makefile

## To run

demo: $(VENV)/.run ## Serve a demo publication and print how to ask it
	@$(BIN)/masthead demo

dev: $(VENV)/.dev ## Serve on localhost, as MASTHEAD_* settings say
	@$(BIN)/masthead serve

migrate: $(VENV)/.run ## Bring the database up to this version
	@$(BIN)/masthead migrate

## To work on it

setup: $(VENV)/.dev ## Install everything for development into .venv

check: $(VENV)/.bench lint types imports docs cover chance ## Run every gate, as CI does

lint: $(VENV)/.dev ## Look for mistakes and unformatted code
	$(BIN)/ruff check
	$(BIN)/ruff format --check

format: $(VENV)/.dev ## Format the code and mend what can be mended
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

types: $(VENV)/.bench ## Check the types, strictly
	$(BIN)/mypy

imports: $(VENV)/.dev ## Check that imports go down the stairs only
	$(BIN)/lint-imports --no-logo

docs: $(VENV)/.dev ## Check the spelling
	$(BIN)/codespell

openapi: $(VENV)/.dev ## Write down the API's description after a change that is meant
	$(BIN)/python -m tests.golden

test: $(VENV)/.dev ## Run the whole suite on SQLite and PostgreSQL
	$(PYTEST)

test-postgres: $(VENV)/.dev ## Run the whole suite on PostgreSQL alone
	$(PYTEST) --backend=postgres

smoke: $(VENV)/.dev ## Run what is quick, on SQLite
	$(PYTEST) --backend=sqlite tests/model tests/api

cover: $(VENV)/.dev ## Run what needs no chance, and ask for every branch of the inner rooms
	$(PYTEST) -m 'not ($(CHANCE))' --cov --cov-report=
	$(BIN)/coverage report --include='$(PROVEN)' --fail-under=100

chance: $(VENV)/.dev ## Run the rest: races, crashes and random input, for a short while
	$(PYTEST) -m '$(CHANCE)'

pictures: $(VENV)/.dev ## Take the README's pictures of the pages anew, in a real browser
	MASTHEAD_TEST_PICTURES=docs/pictures $(BIN)/pytest -q tests/web/browser -k pictured

## Long campaigns

faults: $(VENV)/.dev ## Break everything masthead depends on; writes docs/reliability.md
	MASTHEAD_TEST_ROUNDS=40 $(BIN)/pytest -m 'faults or crash' \
		-p tests.support.reliability --reliability=docs/reliability.md

crash: $(VENV)/.dev ## Kill the server 200 times under load; no acknowledged write may be lost
	MASTHEAD_TEST_ROUNDS=200 $(BIN)/pytest -m crash

races: $(VENV)/.dev ## Let writers race 200 times
	MASTHEAD_TEST_ROUNDS=200 $(BIN)/pytest -m races

fuzz: $(VENV)/.dev ## Look for surprises with a great deal of random input
	$(PYTEST) -m fuzz --hypothesis-profile=long

## Measurements: they need wrk from the system's packages, and write docs/performance.md

bench: $(VENV)/.bench ## Measure everything on small data: a quarter of an hour
	$(BIN)/python -m bench

bench-full: $(VENV)/.bench ## Measure everything up to ten million copies: three quarters
	$(BIN)/python -m bench --preset full

bench-smoke: $(VENV)/.bench ## Measure next to nothing, to see that all of it works
	$(BIN)/python -m bench --preset smoke --results .bench --page .bench/performance.md

## Keeping house

lock: UPGRADE := --upgrade
lock: pins ## Move every pin to the newest version that fits

audit: pins ## Check that the pins follow from requirements/*.in, and fit together
	git diff --exit-code --stat -- requirements
	$(PIP) check

pins: $(VENV)/.dev
	$(UV) $(UPGRADE) requirements/run.in -o requirements/run.txt
	$(UV) $(UPGRADE) requirements/build.in -o requirements/build.txt
	$(UV) $(UPGRADE) requirements/dev.in -o requirements/dev.txt \
		-c requirements/run.txt -c requirements/build.txt
	$(UV) $(UPGRADE) requirements/bench.in -o requirements/bench.txt \
		-c requirements/run.txt -c requirements/dev.txt

build: $(VENV)/.dev ## Build the wheel and the source distribution into dist/
	$(BIN)/python -m hatchling build

clean: ## Remove everything that make has made
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
