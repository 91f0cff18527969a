PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TESTS ?= tests
JOBS ?= 2

.PHONY: help setup demo test lint types unit bench plugin schemas clean

help:  ## list what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

setup: $(VENV)/ready  ## make the virtual environment with everything the tests need

$(VENV)/ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

demo: setup  ## see it: an agent that stops early is held until the work is done
	@$(BIN)/untildone demo

test: lint types unit  ## everything CI runs

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: setup
	$(BIN)/mypy

unit: setup
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(JOBS) --dist worksteal $(TESTS)
	$(BIN)/coverage combine --quiet
	$(BIN)/python tests/coverage_gate.py

bench: setup  ## print the table of ratios that docs/performance.md quotes
	$(BIN)/python -m bench

plugin: setup  ## write plugin/ and the marketplace file anew
	$(BIN)/python -m untildone.install.plugin .

schemas: setup  ## write the published JSON Schemas anew
	$(BIN)/python -m untildone.cli.schemas src/untildone/schemas

clean:
	rm -rf $(VENV) .coverage* .mypy_cache .ruff_cache .pytest_cache .hypothesis
