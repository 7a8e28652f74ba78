# `make run`: the whole process, from an empty machine with Python 3.11 or newer to a figure of merit.
# `make test`: what CI runs. Both do all their own set-up, and do it once.

PYTHON ?= python3
BIN := .venv/bin
# The CPU build, so that no install pulls gigabytes for a GPU that is not there; for one that is: make TORCH=torch==2.13.0
TORCH ?= torch==2.13.0$(if $(filter Linux,$(shell uname -s)),+cpu)
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu

PROBLEM ?= smoke
RUNS ?= 5
ORG ?= me
SYSTEM ?= my-system
# The current edition of the rules, as rules/edition.py has it: the newest
EDITION := $(shell ls rules | grep -E '^v[0-9]+\.[0-9]+$$' | sort -V | tail -n 1)
OUT := build/results/$(EDITION)

PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: run test lint setup clean

run: setup
	$(BIN)/python implementations/pytorch/submit.py --problem $(PROBLEM) --runs $(RUNS) --org $(ORG) --system $(SYSTEM) --out $(OUT)
	$(BIN)/python compliance/check.py build/results
	$(BIN)/python results/summarize.py build/results

test: setup lint
	$(BIN)/python -m pytest

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

setup: .venv/done

.venv/done: requirements.txt Makefile
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "found Python %d.%d, wanted 3.11 or newer" % sys.version_info[:2])'
	$(PYTHON) -m venv .venv
	$(PIP) -r requirements.txt "$(TORCH)" || \
	$(PIP) -r requirements.txt "$(TORCH)" --extra-index-url $(TORCH_INDEX)
	touch $@

clean:
	rm -rf .venv build data
