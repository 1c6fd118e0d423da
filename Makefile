# make demo                     install, solve one instance in six ways, write a report
# make test [SHARED=../shared]  install with test tools, run the whole suite (with SHARED also on the public files)
# make lint                     ruff and mypy
# make bench SHARED=../shared   every published number, measured again

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := demo
JSSENV := $(VENV)/jssenv/bin/python
PINS := setup.cfg constraints.txt

.PHONY: demo test lint bench clean
.DELETE_ON_ERROR:

demo: $(VENV)/.stamp-run
	$(BIN)/python -m training warm-up
	$(BIN)/python -m training evaluate --family jsp --instances ta01 --solvers spt-twkr,pilot,tuned,policy \
		--out $(DEMO)/heuristics
	$(BIN)/python -m training evaluate --family jsp --instances ta01 --solvers cp-sat,auto --time-limit 15 \
		--out $(DEMO)/exact
	$(BIN)/python -m training report $(DEMO)/heuristics $(DEMO)/exact --out $(DEMO)/report.html

test: $(VENV)/.stamp-test
	$(BIN)/python -m training warm-up
	$(BIN)/python -m pytest -n 2 $(if $(SHARED),--shared=$(SHARED))

lint: $(VENV)/.stamp-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.stamp-test $(JSSENV)
	$(BIN)/python -m training warm-up
	$(BIN)/python -m benchmarks --shared $(SHARED) --jssenv $(JSSENV)

# The environment that ours is compared with needs older packages, so it lives apart.
$(JSSENV): | $(VENV)/.stamp-test
	$(PYTHON) -m venv $(VENV)/jssenv
	$@ -m pip install -qq --disable-pip-version-check JSSEnv==1.1.0

# The stamps hold a checksum of what pins the installation, so that a checkout or a copy installs nothing twice.
$(VENV)/.stamp-run: $(PINS)
	@sh .ci/install.sh $(PYTHON) $(VENV) .stamp-run .

$(VENV)/.stamp-test: $(PINS)
	@sh .ci/install.sh $(PYTHON) $(VENV) .stamp-test '.[test]'

clean:
	rm -rf $(VENV) $(DEMO) build *.egg-info
