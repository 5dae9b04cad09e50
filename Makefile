# Needs python3 (3.11 or newer) and make; everything else goes into .venv at pinned versions.
PYTHON ?= python3
BIN := .venv/bin
# Modules are compiled when they are first imported, not all of them beforehand, and then kept: a
# process that may not keep them compiles two thousand anew, for seconds, each time.
unexport PYTHONDONTWRITEBYTECODE
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt
READY := .venv/.synsamp-ready
TOOLS := .venv/.synsamp-tools

.PHONY: help setup demo test torture mutants reproduce beyond robustness bench
help:
	@echo "make demo         run every experiment quickly and write one report"
	@echo "make test         lint, types and tests"
	@echo "make torture      all that can go wrong, at length; writes docs/reliability.md"
	@echo "make mutants      put faults into the code and count those that fast tests notice"
	@echo "make reproduce    run the whole paper (goes on where it stopped), write README.md and docs"
	@echo "make beyond       run what goes beyond the paper at full length; writes docs/beyond.md"
	@echo "make robustness   judge claims with one thing changed at a time; writes docs/robustness.md"
	@echo "make bench        measure speed and write docs/benchmarks.md"
	@echo "make peer-NAME    make the virtual environment of a benchmark's peer"

setup: $(TOOLS)

# Reinstalled only when what is wanted changes.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(None if v >= (3, 11) else f"synsamp needs Python 3.11 or newer, $(PYTHON) is {v[0]}.{v[1]}; use: make PYTHON=python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv || { echo "python3 cannot make a virtual environment; on Debian: apt install python3-venv"; exit 1; }
	$(INSTALL) -e .
	@touch $@

# What tests, linters and benchmarks need beside: a user's first minutes do without it.
$(TOOLS): $(READY)
	$(INSTALL) -e '.[dev]'
	@touch $@

demo: $(READY)
	@$(BIN)/synsamp run all --out runs/demo-$$(date +%Y%m%d-%H%M%S)

test: $(TOOLS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2

torture: $(TOOLS)
	SYNSAMP_TORTURE=1 $(BIN)/python -m pytest -n 2 tests/torture --junitxml=.torture.xml
	$(BIN)/python scripts/docs_reliability.py .torture.xml

# The tool brings a web server and a database: it has its own environment.
.venv-mutants/.ready: Makefile
	$(PYTHON) -m venv .venv-mutants
	.venv-mutants/bin/python -m pip install --quiet --disable-pip-version-check cosmic-ray==8.7.0
	@touch $@

mutants: $(TOOLS) .venv-mutants/.ready
	.venv-mutants/bin/python scripts/mutants.py --python $(BIN)/python $(if $(AGAIN),--again) $(if $(SEED),--seed $(SEED)) $(ONLY)

# Stopped or killed, the same command goes on.
reproduce: $(READY)
	$(BIN)/python scripts/reproduce.py

beyond: $(TOOLS)
	$(BIN)/python scripts/beyond.py $(ONLY)

robustness: $(READY)
	$(BIN)/python scripts/robustness.py $(ONLY)

bench: $(TOOLS)
	$(BIN)/python scripts/docs_benchmarks.py

# A peer has its own versions, so its own environment; it takes none of ours.
peer-%: benchmarks/peers/%/requirements.txt
	$(PYTHON) -m venv benchmarks/peers/$*/.venv
	benchmarks/peers/$*/.venv/bin/python -m pip install --quiet --disable-pip-version-check -r $<
