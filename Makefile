# One command each. Every target creates what it needs in .venv and nothing elsewhere.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
# LOCKED=yes installs the versions of requirements-dev.lock instead of the newest ones.
VERSIONS := $(if $(LOCKED),--constraint requirements-dev.lock)
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check $(VERSIONS)
DEV := .venv/.dev
DOCS := .venv/.docs
BENCH := .venv/.bench
# Threads that share small products wait for each other in a loop, and keep the other process of the
# tests from its core; make portable has tests with several.
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

# Without Python's cache of compiled modules, collecting the tests takes twice as long, and each
# process that a test starts a third of a second longer.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo quick test test-browser test-device check portable bench attack docs pictures strict lock clean

demo: $(DEV)
	@mkdir -p demo
	$(BIN)/certo compare examples/tumours.csv --target diagnosis --report demo/compare.html
	$(BIN)/certo fit examples/tumours.csv --target diagnosis --out demo/tumours.certo --report demo/tumours.html
	$(BIN)/certo verify demo/tumours.certo examples/tumours.csv
	$(BIN)/certo proof demo/tumours.certo examples/tumours.csv --out demo/proof
	$(BIN)/python -m certo.verify demo/proof
	@echo "Open demo/tumours.html and demo/compare.html in a browser to see the reports."

# A minute: fewer examples and parameters of each test, no slow ones, no pages of the documentation;
# in one process, so that ARGS=--pdb works.
# ARGS may also be files, or -k and a word.
quick: $(DEV)
	$(ONE_THREAD) $(BIN)/python -m pytest -n 0 -q --quick $(ARGS)

# With -rs it says which tests were skipped, and why: those of the laboratory without a browser.
test: $(DEV)
	$(ONE_THREAD) $(BIN)/python -m pytest -rs $(ARGS)

# The laboratory in a browser, which is installed if there is none.
test-browser: $(DEV)
	.ci/browser $(BIN)/python
	$(BIN)/python -m pytest -n 0 -rs tests/lab/test_server_browser*.py $(ARGS)

# The code for GPUs, with PyTorch, which is installed if the package index has it; on a computer
# without a GPU PyTorch uses the processor, and what needs a GPU is skipped.
test-device: $(DEV)
	.ci/device $(BIN)/python
	$(BIN)/python -m pytest -n 0 -rs tests/scale/test_device*.py tests/estimators/test_device.py tests/test_device_claims.py $(ARGS)

check: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Adds the modules that pass mypy's strict checks to the list of those that must (pyproject.toml).
strict: $(DEV)
	$(BIN)/python .ci/strict.py

# The numerical tests, and claims exchanged, under the arithmetic of several processors: an hour on
# two cores; with ARGS=--quick ten minutes.
portable: $(DEV)
	$(BIN)/python -m tests.portable $(ARGS)

bench: $(BENCH)
	$(BIN)/python -m benchmarks $(ARGS)

# About 149,000 corrupted claims, the bounds on simulated data, and 12,000 damaged files: half an
# hour on two cores.
attack: $(DEV)
	$(BIN)/python -m benchmarks mutations coverage fuzz

docs: $(DOCS)
	$(BIN)/sphinx-build -W -q -b html -d docs/_build/doctrees docs docs/_build/html
	@echo "Open docs/_build/html/index.html in a browser."

# Those of the documentation, which are kept in the repository.
pictures: $(DEV)
	$(BIN)/python -m docs.pictures
	$(BIN)/python -m docs.lab_pictures

# The versions that are installed now, with which everything was tested.
lock: $(DOCS)
	@echo "# Versions for development: make lock writes them, make LOCKED=yes installs them." > requirements-dev.lock
	$(BIN)/python -m pip freeze --exclude-editable | grep -v ' @ ' >> requirements-dev.lock

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Certo needs Python 3.11 or newer; $(PYTHON) is older. Run: make PYTHON=/path/to/python3.11 ..."; exit 1; }
	$(PYTHON) -m venv .venv

$(DEV): pyproject.toml | .venv/bin/python
	@echo "Installing into .venv (a minute or two the first time) …"
	$(INSTALL) --editable '.[dev]'
	@touch $@

$(DOCS): $(DEV)
	$(INSTALL) --editable '.[docs]'
	@touch $@

# LIBLINEAR needs a C++ compiler; the benchmarks leave out rivals that are not there.
$(BENCH): $(DEV)
	@$(INSTALL) --editable '.[bench]' || \
		echo "LIBLINEAR and oneDAL could not be installed; they are left out."
	@touch $@

clean:
	rm -rf .venv demo docs/_build
