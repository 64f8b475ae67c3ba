.DEFAULT_GOAL := help
.PHONY: help setup demo test cluster-test lint format bench bench-smoke quality check-fixes planted fuzz reproduce docs site screenshots lock clean

BIN := .venv/bin

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup:  ## Make .venv and find or install Java (quick when there is nothing to do)
	@scripts/setup.sh

demo: setup  ## Ask why a row is missing, on a small example
	@$(BIN)/python examples/running_example.py

test: setup  ## Run the tests, in two processes (WORKERS=1: in one)
	$(BIN)/pytest -n $(or $(WORKERS),2) --dist loadfile --no-loadscope-reorder

cluster-test: setup  ## Ask many questions on a real cluster, under several settings, and break it (takes a while)
	$(BIN)/pytest -m cluster tests/cluster --junitxml build/cluster.xml

lint: setup  ## Check style, types and the layers of the package
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup  ## Put the code into the common format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: setup  ## Measure questions against their queries and write docs/performance.md (NAMES="Q3 D1": only these)
	$(BIN)/python -m bench
	$(BIN)/python -m bench.speed $(NAMES)

bench-smoke: setup  ## A few of the benchmarks, on little data
	$(BIN)/python -m bench.speed --smoke --scale 0.1 --rows 20000 --repetitions 1

quality: setup  ## Compare the answers with the exact oracle on generated questions; writes docs/quality.md
	$(BIN)/python -m bench.quality

check-fixes: setup  ## Apply every fix that the answers of the tests print to the queries that were asked about, and count
	$(BIN)/pytest -q -n0 -p tests.printed.plugin --deselect tests/test_why_not.py::test_the_jobs_have_names \
		tests/test_causes.py tests/test_fixes.py tests/test_why_not.py tests/test_pairs.py tests/test_other_values.py \
		tests/test_alternatives.py tests/scenarios/test_scenarios.py tests/robust/test_odd_data.py tests/printed

planted: setup  ## Ask about planted bugs, and judge each answer by the commit that undoes the bug
	$(BIN)/python -m tests.planted.judge

fuzz: setup  ## Try the laws on generated queries and questions (MINUTES=60, SEED=0; WRITE=docs/fuzz.json: keep the counts)
	$(BIN)/python -m bench.fuzz --minutes $(or $(MINUTES),60) --seed $(or $(SEED),0) $(if $(WRITE),--write $(WRITE))

reproduce: setup  ## Ask the paper's questions, TPC-H at SCALE=1, and write docs/reproduction.md (NAMES="Q3 C1": only these)
	$(BIN)/python -m bench.reproduce --scale $(or $(SCALE),1) $(NAMES)

docs: setup  ## Make the generated parts of the documentation again
	$(BIN)/python -m scripts.make_docs

site: setup  ## Build the documentation as a site in build/site
	$(BIN)/mkdocs build --strict

screenshots: setup  ## Make the pictures in docs/img again
	$(BIN)/python -m scripts.make_screenshots

lock:  ## Rewrite requirements-dev.lock from pyproject.toml (UPGRADE=1: with newer versions)
	scripts/lock.sh $(if $(UPGRADE),--upgrade)

clean:  ## Remove .venv and everything that was generated
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	rm -rf spark-warehouse metastore_db derby.log
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
