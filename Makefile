# On a fresh machine with Python 3.11 or later, `make demo` or `make test` alone does everything.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$p"; break; }; done)
VENV ?= .venv
BIN := $(VENV)/bin
PACKAGES := src/isoflop theory numeric derivations

PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# A plain path entry to src costs nothing at start-up and type checkers follow it; the import hook that setuptools
# writes by default for mapped packages adds 35 modules (5 ms) to every start of Python. The hook remains for a
# checkout without links, and for a setuptools that no longer offers the plain entry.
PLAIN := $(if $(wildcard src/isoflop/theory/__init__.py),--config-settings editable_mode=compat)
define install
	@echo "setting up $(VENV): this takes about a minute"
	$(PIP) install $(PLAIN) --editable '$(1)' || $(PIP) install --editable '$(1)'
endef

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo test test-oldest test-slow lint format generate pages bench studies wheel clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

$(VENV)/made:
	@test -n "$(PYTHON)" || { echo "isoflop needs Python 3.11 or later; none found (set PYTHON=...)" >&2; exit 1; }
	"$(PYTHON)" -m venv $(VENV)
	@touch $@

$(VENV)/core: $(VENV)/made pyproject.toml src/isoflop/_version.py
	$(call install,.)
	@touch $@

$(VENV)/dev: $(VENV)/made pyproject.toml src/isoflop/_version.py
	$(call install,.[dev])
	@touch $@ $(VENV)/core

demo: $(VENV)/core  ## the cost of overtraining, a proof, and the theory against twelve published benchmarks
	@echo "[1/3] isoflop penalty: what ten times the optimal tokens per param cost"
	@$(BIN)/isoflop penalty --law besiroglu2024 --ratio 0.1 1 10
	@echo; echo "[2/3] isoflop prove: the exponent of the compute law"
	@$(BIN)/isoflop prove 'alpha == beta*gamma/(beta + gamma)'
	@echo; echo "[3/3] isoflop check: derived envelopes against compute laws fitted by others"
	@$(BIN)/isoflop check
	@echo
	@echo "The envelope of each params+tokens law was derived, proved and set beside the compute law that was"
	@echo "fitted to the same benchmark on its own. The theory predicts eleven of the twelve to 0.02 in accuracy."
	@echo "To go on:"
	@echo "  $(BIN)/isoflop"
	@echo "  $(BIN)/isoflop penalty --law besiroglu2024 --params 7B --tokens 2T --within 1%"
	@echo "  $(BIN)/isoflop derive --format latex"

# One thread a process: there are as many processes as cores.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto

test: $(VENV)/dev  ## the fast tests, a process a core
	$(PYTEST) -m 'not slow' --dist loadfile

# The lower bounds of pyproject.toml as they stand there, in an environment of their own.
OLDEST := $(VENV)/oldest
OLDEST_OF = sed -n '/^dependencies/,/^]/s/^ *"\([a-z]*\)>=\([0-9.]*\)",$$/\1==\2/p' pyproject.toml
test-oldest: pyproject.toml  ## the fast tests with the oldest libraries that pyproject.toml allows
	"$(PYTHON)" -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip --disable-pip-version-check --quiet install $(PLAIN) --editable '.[test]' $$($(OLDEST_OF))
	$(OLDEST)/bin/python -m pytest -m "not slow" -W ignore::DeprecationWarning --numprocesses auto --dist loadfile tests

test-slow: $(VENV)/dev  ## the slow tests, a process a core
	$(PYTEST) -m slow --dist worksteal -o faulthandler_timeout=2400

lint: $(VENV)/dev  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/dev  ## let ruff fix what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

pages: $(VENV)/dev  ## write what the commands print now into README.md and docs/
	PYTHONPATH=. $(BIN)/python -m tests.test_pages

generate: $(VENV)/dev  ## print the numeric modules from the proved formulas
	$(BIN)/python -m isoflop.theory.code.codegen

# Byte code first: an installed package has it, a checkout need not.
bench: $(VENV)/dev  ## speed, as ratios within one run
	$(BIN)/python -m compileall -q $(PACKAGES)
	$(BIN)/python tests/benchmarks/run.py

studies: $(VENV)/dev  ## the optimum on 1,000 random problems, and the coverage of intervals (needs the public runs)
	$(BIN)/python tests/studies/optimum.py
	$(BIN)/python tests/studies/coverage.py

# Without build/, which would ship modules that no longer exist.
wheel: $(VENV)/dev  ## dist/*.whl
	rm -rf build dist
	$(BIN)/python -m build --wheel
	rm -rf build

clean:  ## remove what make made
	rm -rf $(VENV) build dist src/isoflop.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find $(PACKAGES) tests examples -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
