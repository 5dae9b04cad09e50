# Needs python3 (3.11 or newer) and make; everything else goes into .venv at pinned versions.
PYTHON ?= python3
BIN := .venv/bin
# pip does not compile modules; Python does at the first import and caches them. Without the cache
# every process would compile two thousand modules, which takes seconds.
unexport PYTHONDONTWRITEBYTECODE
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt
READY := .venv/.synsamp-ready
TOOLS := .venv/.synsamp-tools

.PHONY: help setup demo test dist-check torture mutants nightly reproduce reproduce-long dependence beyond robustness sampling-gain pages docs bench lab lab-pictures lab-recording
help:
	@echo "make demo         run every experiment quickly and write one report"
	@echo "make lab          build the browser's engine (needs LLVM's lld) and lab.html, the lab in one file"
	@echo "make test         lint, types and tests"
	@echo "make torture      long stress tests; writes docs/reference/reliability.md"
	@echo "make mutants      mutation testing: how many faults do fast tests catch?"
	@echo "make nightly      mutation testing on the sample of this day"
	@echo "make reproduce    run the whole paper (continues after a stop); writes README.md and docs"
	@echo "make reproduce-long   the same with more seeds, about 3 h on two cores"
	@echo "make dependence   Fig. 5 in three normalisations with three voices, and θ0; about 3.6 h"
	@echo "make beyond       run all experiments beyond the paper; writes docs/reference/beyond-claims.md"
	@echo "make robustness   sensitivity analysis; writes docs/paper/sensitivity.md"
	@echo "make sampling-gain   averages over samples against Adam and ensembles, 8 seeds"
	@echo "make pages        write all these pages again from the stored results"
	@echo "make docs         build the site in docs/_build/html"
	@echo "make dist-check   build wheel and source distribution, install and try them elsewhere"
	@echo "make lab-pictures take the pictures of the lab in docs (needs chromium)"
	@echo "make lab-recording    record the run that plays in browsers without WebAssembly"
	@echo "make bench        measure speed and write docs/reference/benchmarks.md"
	@echo "make peer-NAME    install a tool that a benchmark compares with, e.g. make peer-brian2"

setup: $(TOOLS)

# Reinstalled only when the requirements change.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(None if v >= (3, 11) else f"synsamp needs Python 3.11 or newer, $(PYTHON) is {v[0]}.{v[1]}; use: make PYTHON=python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv || { echo "python3 cannot make a virtual environment; on Debian: apt install python3-venv"; exit 1; }
	$(INSTALL) -e .
	@touch $@

# Needed only by tests, linters and benchmarks, so that `make demo` starts sooner.
$(TOOLS): $(READY)
	$(INSTALL) -e '.[dev]'
	@touch $@

demo: $(READY)
	@$(BIN)/synsamp run all --out runs/demo-$$(date +%Y%m%d-%H%M%S)

# Some minutes: everything is compiled anew.
lab: $(READY)
	$(BIN)/python -m synsamp.lab.wasm lab.html

# Two test workers: small matrices are faster on one thread each.
test: $(TOOLS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2

torture: $(TOOLS)
	SYNSAMP_TORTURE=1 $(BIN)/python -m pytest -n 2 tests/torture tests/report/test_hostile_words.py tests/rule/test_pilot.py tests/statistical/test_simulation_calibration.py --junitxml=.torture.xml
	$(BIN)/python -m tools.reliability .torture.xml

# Cosmic Ray brings a web server and a database, so it has its own environment.
.venv-mutants/.ready: Makefile
	$(PYTHON) -m venv .venv-mutants
	.venv-mutants/bin/python -m pip install --quiet --disable-pip-version-check cosmic-ray==8.7.0
	@touch $@

mutants: $(TOOLS) .venv-mutants/.ready
	.venv-mutants/bin/python -m tools.mutants --python $(BIN)/python $(if $(AGAIN),--again) $(if $(SEED),--seed $(SEED)) $(ONLY)

# A new sample of faults every day; fails if too few are caught.
nightly: $(TOOLS) .venv-mutants/.ready
	.venv-mutants/bin/python -m tools.mutants --python $(BIN)/python --sample 12 --seed $$(date +%Y%m%d) --least 75

# After a stop the same command continues.
reproduce: $(READY)
	$(BIN)/python -m tools.reproduce

reproduce-long: $(READY)
	$(BIN)/python -m tools.reproduce --long $(ONLY)

dependence: $(READY)
	$(BIN)/python -m tools.dependence $(ONLY)

beyond: $(TOOLS)
	$(BIN)/python -m tools.beyond $(ONLY)

robustness: $(READY)
	$(BIN)/python -m tools.robustness $(ONLY)

# MNIST must be there: `synsamp data fetch mnist`.
sampling-gain: $(TOOLS)
	$(BIN)/python -m tools.sampling_gain

# Reference pages come from the code; an error in a notebook or a broken link fails.
DOCS := .venv/.synsamp-docs
$(DOCS): $(TOOLS) docs/requirements.txt
	$(INSTALL) -r docs/requirements.txt
	@touch $@

docs: $(DOCS)
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html
	$(BIN)/python -m tools.check_site docs/_build/html
	@echo "open docs/_build/html/index.html"

pages: $(READY)
	$(BIN)/python -m tools.pages

bench: $(TOOLS)
	$(BIN)/python -m benchmarks --write $(ONLY)

# Both need Debian's chromium or a few minutes; their results are under version control.
lab-pictures: $(TOOLS)
	$(BIN)/python -m tools.lab_pictures $(ONLY)

lab-recording: $(READY)
	$(BIN)/python -m tools.lab_recording

# A peer pins other versions, so it has its own environment.
peer-%: benchmarks/peers/%/requirements.txt
	$(PYTHON) -m venv benchmarks/peers/$*/.venv
	benchmarks/peers/$*/.venv/bin/python -m pip install --quiet --disable-pip-version-check -r $<

dist-check: $(READY)
	$(BIN)/python -m tools.dist_check
