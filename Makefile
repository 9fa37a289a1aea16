# `make help` lists the targets. Those that need Python packages make .venv and install them first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --editable
PYTEST := $(BIN)/python -m pytest --numprocesses 2 --dist worksteal

.PHONY: help demo collect-demo check test lint types chromium fast-tests all-tests fuzz docs coverage benchmarks clean

help: ## list all targets
	@awk -F ' *## *' '/^[a-z-]+:.*## /{sub(/:.*/, "", $$1); printf "make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/.demo: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python >= 3.11 is needed: make PYTHON=python3.12 ...") if sys.version_info < (3, 11) else 0'
	$(PYTHON) -m venv $(VENV)
	$(PIP) '.[plots]'
	@touch $@

$(VENV)/.solvers: $(VENV)/.demo
	$(PIP) '.[solvers]'
	@touch $@

$(VENV)/.dev: $(VENV)/.demo
	$(PIP) '.[dev]'
	@touch $@

demo: $(VENV)/.demo ## fit and compare models on shipped runs of clasp, write a report to out/demo
	$(BIN)/bayes-distnet demo --out out/demo

COLLECTED := out/collect-demo

collect-demo: $(VENV)/.solvers ## generate ten instances, run clasp on them, compute their features (Linux)
	rm -rf $(COLLECTED) && mkdir -p $(COLLECTED)
	$(BIN)/bayes-distnet generate factoring 10 --out $(COLLECTED)/instances
	$(BIN)/bayes-distnet collect $(COLLECTED)/instances --solver clasp --seeds 20 --cutoff 10 \
		--store $(COLLECTED)/runs.sqlite --repeat 20
	$(BIN)/bayes-distnet features $(COLLECTED)/instances --out $(COLLECTED)/features.csv --costs $(COLLECTED)/costs.csv
	$(BIN)/bayes-distnet info $(COLLECTED)/runs.sqlite

check: lint types fast-tests ## daily: lint, types, tests not marked slow

test: lint types all-tests docs ## everything: lint, types, all tests and doctests, the site

lint: $(VENV)/.dev ## ruff (rules, format), numpydoc (public docstrings)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m numpydoc lint $$(find src -name '*.py')

types: $(VENV)/.dev ## mypy
	$(BIN)/mypy

# Tests of pages skip themselves without a browser.
chromium: ## install Debian's Chromium for tests of pages, if it is missing, as root on a Debian-like system
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null \
		|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
			&& { apt-get update -qq; apt-get install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1; } \
		|| echo 'no Chromium: tests of pages are skipped'

fast-tests: $(VENV)/.dev ## tests and doctests that are not marked slow
	$(PYTEST) -m 'not slow'

all-tests: $(VENV)/.dev chromium ## all tests and doctests
	$(PYTEST)

MINUTES ?= 10

fuzz: $(VENV)/.dev ## search for inputs that break the package, MINUTES=10 long
	$(BIN)/python scripts/fuzz.py --minutes $(MINUTES)

SITE := out/docs

docs: $(VENV)/.dev ## the documentation site in out/docs/html, warnings are errors; tutorials are run and kept in out/docs-cache
	$(BIN)/python -m sphinx -b html -W --keep-going -q -d $(SITE)/doctrees docs $(SITE)/html
	$(BIN)/python scripts/check_site.py $(SITE)/html
	@echo "The site: $(SITE)/html/index.html"

# On its own: tests take about half as long again when lines are counted.
coverage: $(VENV)/.dev chromium ## all tests and doctests, then the share of lines that they reach, per module
	$(PYTEST) --cov --cov-report=term

benchmarks: $(VENV)/.demo ## speed of training and prediction, as ratios
	$(BIN)/python benchmarks/train.py
	$(BIN)/python benchmarks/predict.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/execute.py

clean: ## remove the virtual environment and all outputs
	rm -rf $(VENV) out build dist docs/api .coverage*
