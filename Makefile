PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TESTS ?= tests
# One more than the cores of CI: many tests wait for programs.
JOBS ?= 3
KILLS ?= 1000
SEED ?= 17
# COVERAGE=1 measures branch coverage, which `make coverage-gate` then judges. That takes half as long
# again, so of the slow tests only those are measured that reach what no quick test does.
OPTIONS = -n $(JOBS) --dist worksteal --durations=25 --durations-min=5
MEASURED = $(BIN)/$(if $(COVERAGE),coverage run -m pytest,pytest) $(OPTIONS)

.PHONY: help setup demo test test-slow coverage-gate lint types unit faults bench coming-from integrity clients queue-faults plugin schemas docs commands scenes pictures clean

help:  ## list what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

setup: $(VENV)/ready  ## make the virtual environment with everything the tests need

$(VENV)/ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

demo: setup  ## see it: an agent that stops early is held until the work is done
	@$(BIN)/untildone demo

test: lint types unit  ## format, lint, types and the quick tests: a few minutes

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: setup
	$(BIN)/mypy

unit: setup
	$(MEASURED) -m 'not slow' $(TESTS)

test-slow: setup  ## the tests that take minutes: real clients, languages, kills at every step
	$(MEASURED) -m 'slow and measured' $(TESTS)
	$(BIN)/pytest $(OPTIONS) -m 'slow and not measured' $(TESTS)

coverage-gate: setup  ## judge the coverage that `make test test-slow COVERAGE=1` measured
	$(BIN)/coverage combine --quiet
	$(BIN)/python tests/coverage_gate.py

faults: setup  ## let go wrong what can, and print fault, expected, seen
	@UNTILDONE_TEST_KILLS=$(KILLS) UNTILDONE_TEST_STEP=1 PYTHONPATH=tests:. \
		$(BIN)/python -m faults -n $(JOBS) --dist worksteal

queue-faults: setup  ## let go wrong what can in the queue, and print fault, expected, seen
	@echo "50 random moments, SEED=$(SEED)"
	@UNTILDONE_TEST_QUEUE_KILLS=50 UNTILDONE_TEST_SEED=$(SEED) UNTILDONE_TEST_STEP=1 PYTHONPATH=tests:. \
		$(BIN)/python -m faults.queue_table -n $(JOBS) --dist worksteal

bench: setup  ## print the table of ratios that docs/performance.md quotes
	$(BIN)/python -m bench

coming-from: setup  ## show that every feature of docs/coming-from.md is noticed when it is gone
	$(BIN)/python -m bench.coming_from $(if $(ONLY),--only $(ONLY)) --jobs $(JOBS)

integrity: setup  ## play ways of faking completion and honest changes; CASES=DIR TOOLS=DIR for others
	$(BIN)/python -m bench.integrity --jobs $(JOBS) $(if $(CASES),--cases $(CASES)) $(if $(TOOLS),--tools $(TOOLS))

# CODEX=0.167.0 and the like try another version of a client.
clients: setup  ## play the scenarios with every real client and print what changed in docs/agents.md
	@UNTILDONE_CODEX=$(CODEX) UNTILDONE_GEMINI=$(GEMINI) UNTILDONE_QWEN=$(QWEN) UNTILDONE_COPILOT=$(COPILOT) \
		UNTILDONE_OPENCODE=$(OPENCODE) PYTHONPATH=tests:. $(BIN)/python -m clients.matrix $(if $(WRITE),--write)

pictures: setup  ## make the pictures of README and docs from real runs; needs chromium
	$(BIN)/python -m bench.pictures docs/pictures
	$(BIN)/python -m bench.live_page_picture docs/pictures

plugin: setup  ## write plugin/ and the marketplace file anew
	$(BIN)/python -m untildone.install.plugin .

schemas: setup  ## write the published JSON Schemas anew
	$(BIN)/python -m untildone.cli.schemas src/untildone/schemas

docs: setup  ## build the documentation as a site in build/docs/site, with every link checked
	@rm -rf build/docs && $(BIN)/python -m docs_site build build/docs

commands: setup  ## write docs/commands.md anew from the commands' help
	$(BIN)/python -m docs_site commands

scenes: setup  ## record the terminal scenes of the docs anew, from real runs in tmux
	PYTHONPATH=tests:. $(BIN)/python -m docs_site scenes

clean:
	rm -rf $(VENV) .coverage* .mypy_cache .ruff_cache .pytest_cache .hypothesis
