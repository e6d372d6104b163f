# The targets a reader needs: `make book`, `make test`. The rest is for authors; `make help` lists all.
PY ?= python3
VENV ?= .venv
JOBS ?= 2
ARGS ?=
PORT ?= 8000
SHOTS ?= _build/look

BIN := $(VENV)/bin
STAMP := $(VENV)/.stamp
NOTEBOOKS := $(wildcard book/*.ipynb book/*/*.ipynb)
VENDOR := book/_static/vendor
MODULES := tools/vendor/node_modules
COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup book test reproduce reproduce-check bench notebooks lint lock serve look vendor clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: $(STAMP)  ## create .venv from the hashed lock

$(STAMP): requirements.lock tools/uv.lock pyproject.toml
	@$(PY) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed; name one with PY=...")'
	$(PY) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r tools/uv.lock
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

book: $(STAMP)  ## build the site into _build/html, warnings are errors
	$(BIN)/jupyter-book build -W --keep-going -n .

test: $(STAMP)  ## run the tests, the doctests and every notebook
	$(BIN)/python -m pytest -n $(JOBS) $(ARGS)

reproduce: $(STAMP)  ## run what is missing of the papers' tables and figures
	$(BIN)/marginbook reproduce all --jobs $(JOBS) $(ARGS)

reproduce-check: $(STAMP)  ## run each part of the tables and figures again and compare with the stored numbers
	$(BIN)/marginbook reproduce all --check --jobs $(JOBS) $(ARGS)

bench: $(STAMP)  ## measure the engines against scikit-learn
	$(BIN)/python tools/bench.py

notebooks: $(STAMP)  ## run the chapters again and store their outputs
	$(BIN)/python tools/execute.py $(NOTEBOOKS)

lint: $(STAMP)  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

lock: $(STAMP)  ## resolve the dependencies anew into the lock, the constraints and the pinned uv
	$(COMPILE) pyproject.toml --all-extras --generate-hashes $(ARGS) -o requirements.lock
	$(COMPILE) requirements.lock --no-annotate --no-header -o constraints.txt
	echo uv | $(COMPILE) - --generate-hashes --no-annotate --no-header $(ARGS) -o tools/uv.lock

serve: $(STAMP)  ## serve the built site on this machine
	$(BIN)/python -m http.server $(PORT) --bind 127.0.0.1 --directory _build/html

look: $(STAMP)  ## open every built page in Chromium and write screenshots
	$(BIN)/python tools/look.py _build/html $(SHOTS)

vendor:  ## copy MathJax and the widget bundle from their packages (needs npm)
	npm ci --prefix tools/vendor
	rm -rf $(VENDOR)
	mkdir -p $(VENDOR)/mathjax/output/chtml/fonts $(VENDOR)/widgets
	cp $(MODULES)/mathjax/es5/tex-chtml-full.js $(MODULES)/mathjax/LICENSE $(VENDOR)/mathjax/
	cp -r $(MODULES)/mathjax/es5/output/chtml/fonts/woff-v2 $(VENDOR)/mathjax/output/chtml/fonts/
	cp $(MODULES)/@jupyter-widgets/html-manager/dist/embed.js $(VENDOR)/widgets/
	cp $(MODULES)/@jupyter-widgets/html-manager/dist/*.woff2 $(VENDOR)/widgets/
	cp $(MODULES)/@jupyter-widgets/html-manager/dist/embed.js.LICENSE.txt $(VENDOR)/widgets/LICENSE-bundled.txt
	cp $(MODULES)/@jupyter-widgets/schema/LICENSE $(VENDOR)/widgets/
	cp $(MODULES)/@fortawesome/fontawesome-free/LICENSE.txt $(VENDOR)/widgets/LICENSE-fontawesome.txt

clean:  ## remove everything that is built
	rm -rf _build dist build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis $(MODULES)
	rm -rf $(VENV)
