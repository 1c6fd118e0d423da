# make demo                     install, solve one instance of each family in several ways, write a report
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
	$(BIN)/python -m training generate fjsp --count 1 --jobs 10 --machines 6 --out $(DEMO)/fjsp
	$(BIN)/python -m training generate mtsp --count 1 --cities 50 --salesmen 3 --out $(DEMO)/mtsp
	$(BIN)/python -m training generate upms --count 1 --kind operators --jobs 20 --machines 4 --out $(DEMO)/upms
	$(BIN)/python -m training generate spark --count 1 --jobs 10 --executors 20 --out $(DEMO)/spark
	$(BIN)/python -m training evaluate --instances ta01 --solvers spt-twkr,pilot,tuned,policy --out $(DEMO)/1
	$(BIN)/python -m training evaluate --instances $(DEMO)/fjsp --solvers mwkr,pair,pilot --out $(DEMO)/2
	$(BIN)/python -m training evaluate --instances $(DEMO)/mtsp --solvers nearest,insertion,tuned --out $(DEMO)/3
	$(BIN)/python -m training evaluate --instances $(DEMO)/upms --solvers eft,atcs,pilot --out $(DEMO)/4
	$(BIN)/python -m training evaluate --instances $(DEMO)/spark --solvers fifo,sjf-cp,fair --out $(DEMO)/5
	$(BIN)/python -m training evaluate --instances ta01 $(DEMO)/fjsp $(DEMO)/mtsp $(DEMO)/upms --solvers cp-sat \
		--time-limit 10 --workers 2 --out $(DEMO)/6
	$(BIN)/python -m training report $(foreach number,1 2 3 4 5 6,$(DEMO)/$(number)) --out $(DEMO)/report.html

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
