# Every target sets up what it needs; python3 (3.11 or newer), git and make are enough to begin with.
PYTHON ?= python3
UV := $(or $(shell command -v uv 2>/dev/null),.tools/bin/uv)
CREWAI := UV_PROJECT_ENVIRONMENT=.venv-crewai
BENCH := UV_PROJECT_ENVIRONMENT=.venv-bench
LLM := UV_PROJECT_ENVIRONMENT=.venv-llm
DOCS := UV_PROJECT_ENVIRONMENT=.venv-docs
WIDE := UV_PROJECT_ENVIRONMENT=.venv-wide
FUZZ := UV_PROJECT_ENVIRONMENT=.venv-fuzz
EXECUTIONS ?= 100000
# uv trusts what git and pip trust, a company's own certificates among them
export UV_SYSTEM_CERTS ?= true
ARGS ?=

.PHONY: demo pictures test test-crewai test-llm test-wide matrix docs lint types wheel bench coverage mutation quality fuzz sync sync-crewai

demo: sync  ## Evaluate a LangGraph agent with langsmith.evaluate, offline
	.venv/bin/python examples/weather_agent.py

pictures: sync  ## The README's pictures of the demo and its report (Chromium: Debian's package)
	.venv/bin/python .ci/pictures.py

test: sync  ## The tests, with today's pydantic and openai
	.venv/bin/python -m pytest -n auto $(ARGS)

test-crewai: sync-crewai  ## The same tests beside crewai, which pins older ones
	.venv-crewai/bin/python -m pytest -n auto $(ARGS)

test-llm: | $(UV)  ## The judge with a small real model behind a server on this machine, and with langchain-openai
	$(LLM) $(UV) sync --locked --quiet --group llm-server
	.venv-llm/bin/python -m pytest tests/judge/test_real_model.py tests/judge/test_faults.py tests/judge/test_retries.py \
	  tests/judge/test_identity.py tests/examples/test_judge_offline.py -k "real_model or ChatOpenAI or small_model" $(ARGS)

test-wide: | $(UV)  ## The bulk engine on Ray, and the report in Chromium (Debian's package, if you have it)
	$(WIDE) $(UV) sync --locked --quiet --group ray --group browser
	.venv-wide/bin/python -m pytest tests/bulk tests/report $(ARGS)

matrix: | $(UV)  ## The whole suite on each Python, with the oldest and the newest versions, and against the wheel; an hour
	$(UV) tool run --from 'nox[uv]>=2025.2' nox $(ARGS)

fuzz: | $(UV)  ## Every way into the package against broken input, into docs/quality/fuzz.json (ARGS="--minutes 60")
	$(FUZZ) $(UV) sync --locked --quiet --group fuzz
	.venv-fuzz/bin/python -m tests.fuzz.run --executions $(EXECUTIONS) $(ARGS)

docs: | $(UV)  ## The documentation, into build/site; any warning is an error
	$(DOCS) $(UV) sync --locked --quiet --group docs
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --quiet

lint: sync
	.venv/bin/ruff check

types: sync
	.venv/bin/mypy

wheel: | $(UV)  ## Build, install into an empty environment, import and score there
	UV=$(UV) .ci/check-wheel

bench: | $(UV)  ## Ratios against a plain loop and against agentevals
	$(BENCH) $(UV) sync --locked --quiet --group bench
	.venv-bench/bin/python benchmarks/bench_scoring.py $(ARGS)

coverage: | $(UV)  ## The branches that the tests take in both worlds, on Ray and in Chromium too; fails below 95 %
	$(WIDE) $(UV) sync --locked --quiet --group ray --group browser --group quality
	$(CREWAI) $(UV) sync --locked --quiet --no-group latest --extra crewai --group quality
	.venv-wide/bin/coverage erase
	COVERAGE_FILE=.coverage.wide .venv-wide/bin/coverage run -m pytest -n auto $(ARGS)
	COVERAGE_FILE=.coverage.crewai .venv-crewai/bin/coverage run -m pytest -n auto tests/adapters tests/examples
	mkdir -p build
	.venv-wide/bin/coverage combine --quiet
	.venv-wide/bin/coverage json --quiet -o build/coverage.json
	.venv-wide/bin/python -m tests.quality.coverage_table build/coverage.json

mutation: | $(UV)  ## Small faults put into matching, checks and parsers: do the tests notice? ARGS="--per-file 20 checks/"
	$(UV) sync --locked --quiet --group quality
	.venv/bin/python -m tests.quality.mutation $(ARGS)
	.venv/bin/python -m tests.quality.mutation_table

quality:  ## docs/quality.md from the figures in docs/quality
	$(PYTHON) -m tests.quality.page

sync: | $(UV)
	$(UV) sync --locked --quiet

sync-crewai: | $(UV)
	$(CREWAI) $(UV) sync --locked --quiet --no-group latest --extra crewai

.tools/bin/uv:
	$(PYTHON) -m venv .tools
	.tools/bin/python -m pip install --quiet --disable-pip-version-check uv
