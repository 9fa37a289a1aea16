# make demo: fit, compare, draw. make test: all checks. Each makes .venv and installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help demo collect-demo test lint types unit benchmarks clean

help:
	@echo "make demo          fit and compare models on runs of clasp that come with the package, write a report to out/demo"
	@echo "make collect-demo  generate ten instances, run clasp on them, compute features, say what was collected"
	@echo "make test          ruff, mypy, pytest with doctests"
	@echo "make benchmarks    speed of training and prediction, as ratios"
	@echo "make clean         remove the virtual environment and outputs"

$(VENV)/.demo: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python >= 3.11 is needed: make PYTHON=python3.12 ...") if sys.version_info < (3, 11) else 0'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[plots]'
	@touch $@

$(VENV)/.solvers: $(VENV)/.demo
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[solvers]'
	@touch $@

$(VENV)/.dev: $(VENV)/.demo
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(VENV)/.demo
	$(BIN)/bayes-distnet demo --out out/demo

COLLECTED := out/collect-demo

collect-demo: $(VENV)/.solvers
	rm -rf $(COLLECTED) && mkdir -p $(COLLECTED)
	$(BIN)/bayes-distnet generate factoring 10 --out $(COLLECTED)/instances
	$(BIN)/bayes-distnet collect $(COLLECTED)/instances --solver clasp --seeds 20 --cutoff 10 \
		--store $(COLLECTED)/runs.sqlite --repeat 20
	$(BIN)/bayes-distnet features $(COLLECTED)/instances --out $(COLLECTED)/features.csv --costs $(COLLECTED)/costs.csv
	$(BIN)/bayes-distnet info $(COLLECTED)/runs.sqlite

test: lint types unit

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

unit: $(VENV)/.dev
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal

benchmarks: $(VENV)/.demo
	$(BIN)/python benchmarks/train.py
	$(BIN)/python benchmarks/predict.py
	$(BIN)/python benchmarks/execute.py

clean:
	rm -rf $(VENV) out build dist
