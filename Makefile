# Redband: what people and CI run. `make` alone lists it.
# The environment is $(VENV); CI sets another place with VENV=...
VENV ?= .venv
BIN := $(VENV)/bin
SHELL := /bin/bash

.PHONY: help env demo test test-quick proof test-hardware check format bench fuzz mutants screenshots clean

help:
	@echo "make demo           play a skirmish with six virtual badges (environment included)"
	@echo "make test           run every test (environment included)"
	@echo "make test-quick     tests of core, host and the badge's parts, for daily work"
	@echo "make proof          all of the long proofs, of which make test plays a share"
	@echo "make env            make only the environment in $(VENV)"
	@echo "make check          ruff, pyright, import rules, rules coverage, size budget"
	@echo "make test-hardware  checks of the board file"
	@echo "make bench          measure and print the tables of docs/performance.md"
	@echo "make fuzz           look for bytes that break the host, for ten minutes (ARGS=--help)"
	@echo "make mutants        change rules and guards, list what no test notices (ARGS=--help)"
	@echo "make screenshots    take the pictures of the page for the README"
	@echo "make clean          remove the environment and caches (demo-data stays)"

# One stamp for each set of packages, so that a second run installs nothing.
$(VENV)/.installed-sim: pyproject.toml constraints.txt tools/make-env
	@tools/make-env "$(VENV)" sim

$(VENV)/.installed-dev: pyproject.toml constraints.txt tools/make-env
	@tools/make-env "$(VENV)" dev

env: $(VENV)/.installed-dev

demo: $(VENV)/.installed-sim
	@exec $(BIN)/redband demo $(ARGS)

# What takes longest begins first. Ports and browsers in real time mostly wait, so there are more
# workers than the two cores that the suite is made for.
TESTS = tests/usb tests/proof tests/tent tests/field tests/host tests/parts tests/core tests/hardware
PYTEST = $(BIN)/python -m pytest --dist worksteal

test: $(VENV)/.installed-dev
	@tools/need-system-package chromium chromium
	@tools/need-system-package poppler-utils pdftotext
	@tools/need-system-package --library libatomic1 libatomic.so.1
	$(PYTEST) -n 4 $(TESTS) tests/device $(ARGS)

test-quick: $(VENV)/.installed-dev
	@tools/need-system-package poppler-utils pdftotext
	$(PYTEST) -n 2 tests/host tests/parts tests/core $(ARGS)

# Of what `make test` plays a share: all of it.
proof: $(VENV)/.installed-dev
	REDBAND_PROOF=1 $(PYTEST) -n 2 -m proof tests/proof tests/parts tests/core tests/host $(ARGS)

test-hardware: $(VENV)/.installed-dev
	$(BIN)/python -m pytest tests/hardware $(ARGS)

check: $(VENV)/.installed-dev
	@tools/need-system-package --library libatomic1 libatomic.so.1
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/check_types.py
	$(BIN)/python tools/check_imports.py
	$(BIN)/python tools/rules_coverage.py
	$(BIN)/python tools/size_budget.py

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.installed-dev
	$(BIN)/python -m tools.bench $(ARGS)

fuzz: $(VENV)/.installed-dev
	$(BIN)/python -m tools.fuzz $(ARGS)

mutants: $(VENV)/.installed-dev
	$(BIN)/python -m tools.mutants $(ARGS)

screenshots: $(VENV)/.installed-dev
	@tools/need-system-package chromium chromium
	@tools/need-system-package --library libatomic1 libatomic.so.1
	$(BIN)/python tools/screenshot.py

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis build
	find . -name __pycache__ -type d -not -path './$(VENV)/*' -prune -exec rm -rf {} +
