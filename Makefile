# Two commands do everything: `make demo` sets up and runs the platform, `make test` passes the tests.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test check sync dev prove bench lock clean

demo: .venv/runtime ## install what is needed and run the main job
	@$(BIN)/headwater demo

test: .venv/dev ## the whole suite
	$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder

check: .venv/dev ## exactly what CI runs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(MAKE) test

sync: .venv/dev ## only install

dev: .venv/runtime ## Dagster's UI on http://127.0.0.1:3000, the lineage page on :3001
	$(BIN)/headwater dev

prove: .venv/dev ## the long runs of the execution law and the fuzzers
	$(BIN)/pytest -m prove --timeout 3600

bench: .venv/dev ## every figure the README claims, side by side in one run
	$(BIN)/python -m bench

lock: .venv/dev ## pin what pyproject.toml allows, for every supported Python
	$(BIN)/uv pip compile --universal --python-version 3.11 --all-extras --no-header --no-annotate --no-emit-index-url --no-emit-find-links --upgrade -q pyproject.toml -o requirements.lock

.venv/bin/pip:
	$(PYTHON) -m venv .venv

.venv/runtime: .venv/bin/pip pyproject.toml requirements.lock
	$(BIN)/pip install -q --disable-pip-version-check -c requirements.lock -e .
	@touch $@

.venv/dev: .venv/bin/pip pyproject.toml requirements.lock
	$(BIN)/pip install -q --disable-pip-version-check -c requirements.lock -e '.[dev]'
	@touch $@ .venv/runtime

clean: ## remove what running made, not what was installed
	rm -rf .headwater
