# `make run`: the whole process, from an empty machine with Python 3.11 or newer to a figure of merit.
# `make test`: style, types, and all tests but slow ones; CI runs it on every change. `make test-slow`: the slow ones, once a
# week, and before a change of benchmark/, implementations/ or harness/ is handed in.
# The first of them sets up .venv, and the others use it.

PYTHON ?= python3
BIN := .venv/bin
# The build of PyTorch: cpu, cuda (PyPI's, for NVIDIA GPUs), or none, to install another build into .venv by hand. By
# default the one that .venv has, or cpu; another one makes .venv anew
HAS := $(shell cat .venv/torch 2>/dev/null)
TORCH ?= $(or $(HAS),cpu)
OTHER := $(if $(HAS),$(filter-out $(HAS),$(TORCH)))
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu

PROBLEM ?= smoke
RUNS ?= 5
ORG ?= me
SYSTEM ?= my-system
# The current edition of the rules, as rules/current.py has it: the newest that is no draft
EDITION := $(shell grep -L '^draft: true$$' rules/v*/limits.yaml | cut -d / -f 2 | sort -V | tail -n 1)
OUT := build/results/$(EDITION)

# Packages come from one index, and each must have a digest that requirements/ lists. They are compiled afterwards, by
# all processors at once: pip uses one
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-compile
# What a Python is asked for the folder of its packages
LIBRARY := -c 'import sysconfig; print(sysconfig.get_path("purelib"))'
TOOLS := build/tools/bin
UV := $(TOOLS)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-annotate \
	--custom-compile-command 'make lock'

.PHONY: run test test-slow lint mutants setup completion docs dlio lock sbom clean

run: setup
	$(BIN)/python harness/submit.py --problem $(PROBLEM) --runs $(RUNS) --org $(ORG) --system $(SYSTEM) --out $(OUT)
	$(BIN)/python compliance/check.py build/results
	$(BIN)/python results/summarize.py build/results

test: setup lint
	$(BIN)/python -m pytest -m "not slow"

# Tests that make runs, start programs, open a browser, or take seconds
test-slow: setup
	$(BIN)/python -m pytest -m slow

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Measures whether tests notice changes of the code, in a sample of 20 for each module (docs/testing.md).
# CI runs it once a week
mutants: setup
	$(BIN)/python tests/mutants.py $(MUTANTS)

setup: .venv/done

ifneq ($(OTHER),)
.PHONY: .venv/done
endif
.venv/done: $(wildcard requirements/*.txt) requirements/clone.pth Makefile
	$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(not (3, 11) <= v < (3, 15) and "found Python %d.%d, wanted 3.11 to 3.14: others have no build of this PyTorch" % v[:2])'
	case "$(TORCH)" in cpu|cuda|none) ;; *) echo "TORCH: found $(TORCH), wanted cpu, cuda or none" >&2; exit 1;; esac
	$(PYTHON) -m venv $(if $(OTHER),--clear) .venv
	$(PIP) -r requirements/common.txt
ifeq ($(TORCH),cpu)
	$(PIP) --no-deps -r requirements/cpu.txt 2>/dev/null || \
	$(PIP) --no-deps -r requirements/cpu.txt --index-url $(TORCH_INDEX)
else ifneq ($(TORCH),none)
	$(PIP) -r requirements/$(TORCH).txt
endif
	cp requirements/clone.pth "$$($(BIN)/python $(LIBRARY))"
	$(BIN)/python -m compileall -qq -j 0 .venv/lib || true  # packages hold some files for newer Pythons
	echo $(TORCH) > .venv/torch
	touch $@

# Writes the completion of commands for bash. Then: `source build/completion.bash`
completion: setup
	mkdir -p build
	$(BIN)/python integrations/completion.py > build/completion.bash
	@echo "source $(CURDIR)/build/completion.bash"

# Builds the documents as a site, build/docs/html/index.html, in an environment of its own
docs: setup build/mkdocs/done
	$(BIN)/python perf/docs.py --out build/docs
	NO_MKDOCS_2_WARNING=1 build/mkdocs/bin/mkdocs build --strict --quiet --config-file build/docs/mkdocs.yml

build/mkdocs/done: requirements/docs.txt
	$(PYTHON) -m venv build/mkdocs
	build/mkdocs/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/docs.txt
	touch $@

# DLIO in an environment of its own, where it reads with the packages of .venv (docs/io.md)
dlio: setup build/dlio/done

build/dlio/done: requirements/dlio.txt
	$(BIN)/python -m venv build/dlio
	build/dlio/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $<
	$(BIN)/python $(LIBRARY) > "$$(build/dlio/bin/python $(LIBRARY))/project.pth"
	build/dlio/bin/python perf/storage/launch.py --help > /dev/null
	touch $@

# The tools of `make lock` and `make sbom`, in an environment of their own
build/tools/done: requirements/tools.txt
	$(PYTHON) -m venv build/tools
	$(TOOLS)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/tools.txt
	touch $@

# Resolves pyproject.toml again, and writes the digests of all packages: requirements/README.md
lock: build/tools/done
	grep -oE '"torch==[0-9.]+"' pyproject.toml | tr -d '"' | $(UV) - -o requirements/cuda.txt
	$(UV) --group dev pyproject.toml -o requirements/common.txt \
	$$(grep -oE '^(torch|triton|nvidia|cuda)[a-z0-9-]*' requirements/cuda.txt | sed 's/^/--no-emit-package /')
	$(UV) --group pyproject.toml:docs -o requirements/docs.txt
	$(UV) --no-deps --group pyproject.toml:dlio -o requirements/dlio.txt
	printf 'cryptography\nmsgspec\nnumpy\npy-landlock; sys_platform == "linux"\npyyaml\nscipy\n' | $(UV) -c requirements/common.txt - -o requirements/judge.txt
	grep -oE '"onnx[a-z]*==[0-9.]+"' pyproject.toml | tr -d '"' | $(UV) -c requirements/common.txt - -o requirements/export.txt
	for list in energy tuning tools; do $(UV) -c requirements/common.txt --group $$list -o requirements/$$list.txt || exit; done

# Writes a software bill of materials (CycloneDX) of what is installed here, with licences
sbom: setup build/tools/done
	$(TOOLS)/cyclonedx-py environment $(BIN)/python --pyproject pyproject.toml --mc-type application \
	--output-reproducible --of JSON -o requirements/sbom.json

clean:
	rm -rf .venv build data
