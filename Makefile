SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo test unit e2e lint prose bench soak newcomer docs install clean packages-build packages-test packages-bench

# Debian's own Python: the packages of .ci/packages belong to it.
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
PREFIX ?= /usr/local
# Flags for swift. Without debug information a build takes a seventh less time, and without an index an eighth;
# SWIFT_FLAGS= keeps both, for a debugger and an editor.
SWIFT_FLAGS ?= --disable-index-store -Xswiftc -gnone
# A regular expression for the names of unit tests, such as ^PlannerTests or BatchTiming.
FILTER ?=
# Words in the names of end-to-end tests, such as test_undo or UndoOnIMAP.test_a_triage.
TESTS ?=
# End-to-end tests often wait, so there are three processes more than cores.
JOBS ?= $(shell expr $$(nproc) + 3)
# Without the last flag, the program looks up each generic type by its name when it first needs it, and compares each of
# 12,000 protocol conformances for it: a quarter of the time of a short command.
RELEASE := -c release --static-swift-stdlib $(SWIFT_FLAGS) \
	-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
UNITS = TMPDIR="$$(.ci/scratch)" $(PYTHON) Tests/units.py \
	"$$(swift build $(SWIFT_FLAGS) --show-bin-path)/magnum-opusPackageTests.xctest"

help: ## what can be made
	@grep -hE '^[a-z0-9]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9]+):.*## /  make \1\t/' | expand -t 18

demo: packages-build ## the whole flow on a sample mailbox, without an account
	@swift build $(SWIFT_FLAGS) --product opus >&2
	@"$$(swift build $(SWIFT_FLAGS) --show-bin-path)/opus" demo

test: lint unit ## lint, unit tests, a slice of fuzzing, and the end-to-end tests on real servers
	swift build $(SWIFT_FLAGS) --product fixed-inputs
	$(PYTHON) Tests/fuzz.py --fixed "$$(swift build $(SWIFT_FLAGS) --show-bin-path)/fixed-inputs"
	@$(MAKE) --no-print-directory e2e

unit: packages-build ## the unit tests; FILTER='^PlannerTests' for some of them
	swift build $(SWIFT_FLAGS) --build-tests
ifneq ($(FILTER),)
	$(UNITS) --filter '$(FILTER)'
else
	$(UNITS) --filter '^MIMEParserTests'      # these two keep all cores busy, and other tests have deadlines
	$(UNITS) --filter '^DialectTests'
	$(UNITS) --skip '^(MIMEParserTests|DialectTests)'
endif

e2e: packages-build packages-test ## the end-to-end tests; TESTS='test_undo test_drafts' for some of them
	swift build $(SWIFT_FLAGS)
	TMPDIR="$$(.ci/scratch)" OPUS="$$(swift build $(SWIFT_FLAGS) --show-bin-path)/opus" \
		$(PYTHON) Tests/run.py --jobs $(JOBS) $(TESTS)

lint: packages-test ## format of Swift sources, Python sources compile, wording, circles between files, lines per type, seeded bugs apply
	swift format lint --strict --recursive --parallel Package.swift Sources Tests
	$(PYTHON) -m compileall -q Tests docs/tools
	$(PYTHON) Tests/circles.py --check
	$(PYTHON) Tests/type_sizes.py --check
	$(PYTHON) Tests/prose.py --check
	$(PYTHON) Tests/seeded.py --check

prose: ## lists wording that docs/Style.md rules out
	$(PYTHON) Tests/prose.py

bench: packages-build packages-bench ## first and later syncs, a slow link, triage, search, parsing and task files, each beside its peers
	swift build $(RELEASE) --product opus
	swift build $(RELEASE) --product parse-bench
	swift build $(RELEASE) --product task-bench
	$(PYTHON) Tests/Bench/bench.py --opus "$$(swift build $(RELEASE) --show-bin-path)/opus" \
		--parser "$$(swift build $(RELEASE) --show-bin-path)/parse-bench" \
		--tasks "$$(swift build $(RELEASE) --show-bin-path)/task-bench" $(BENCH_FLAGS)

soak: packages-build packages-test ## fuzzing (FUZZ_SECONDS a target, 300), 100,000 random lives, all bombs, the end-to-end tests for SOAK_MINUTES (30), and the proof of the promises (OPUS_SOAK_SCALE=0.1 for a tenth)
	$(PYTHON) Tests/fuzz.py --seconds $${FUZZ_SECONDS:-300}
	swift build $(SWIFT_FLAGS) --build-tests
	OPUS_RANDOM_SEQUENCES=$${OPUS_RANDOM_SEQUENCES:-100000} OPUS_SEND_FAULTS=$${OPUS_SEND_FAULTS:-all} OPUS_MATRIX=$${OPUS_MATRIX:-all} \
		OPUS_UNDO_BATCHES=$${OPUS_UNDO_BATCHES:-1000} OPUS_TASK_SEQUENCES=$${OPUS_TASK_SEQUENCES:-20000} \
		$(UNITS) --filter "^(DialectTests|TaskStoreTests.MergeMachineTests)"
	swift build $(RELEASE) --product opus
	OPUS_BOMBS=release OPUS="$$(swift build $(RELEASE) --show-bin-path)/opus" $(PYTHON) Tests/run.py test_bombs
	# The program that people install: an optimizer's mistake shows here only.
	OPUS_KINDS=both OPUS_KILLS=$${OPUS_KILLS:-24} OPUS="$$(swift build $(RELEASE) --show-bin-path)/opus" \
		$(PYTHON) Tests/run.py --minutes $${SOAK_MINUTES:-30}
	swift build $(RELEASE) --product model-server
	OPUS="$$(swift build $(RELEASE) --show-bin-path)/opus" SWIFT_FLAGS="$(SWIFT_FLAGS)" $(PYTHON) Tests/soak.py

docs: packages-build packages-test ## renews man pages, completions, the picture and the outputs shown in the documents
	swift build $(SWIFT_FLAGS) --product opus
	$(PYTHON) docs/tools/providers.py
	OPUS="$$(swift build $(SWIFT_FLAGS) --show-bin-path)/opus" $(PYTHON) docs/tools/blocks.py --update
	$(PYTHON) docs/tools/make-man.py "$$(swift build $(SWIFT_FLAGS) --show-bin-path)/opus"
	$(PYTHON) docs/tools/picture.py "$$(swift build $(SWIFT_FLAGS) --show-bin-path)/opus"

newcomer: packages-test ## as root: a newcomer on a clean Debian made by debootstrap, from the build to the first applied plan
	$(PYTHON) Tests/newcomer.py

install: packages-build ## the program, the man pages, the starter rules and the demo's mail, under PREFIX (/usr/local)
	swift build $(RELEASE) --product opus
	@"$$(swift build $(RELEASE) --show-bin-path)/opus" demo | grep -q '^Applied [1-9]' \
		|| { echo "The program was built, but does not play its demo as it should. Please report this."; exit 1; }
	.ci/install "$$(swift build $(RELEASE) --show-bin-path)/opus" "$(DESTDIR)$(PREFIX)"

clean: ## removes what was built
	swift package $(SWIFT_FLAGS) clean
	find Tests .ci -name __pycache__ -type d -prune -exec rm -rf {} +

packages-build packages-test packages-bench: packages-%:
	@.ci/packages $*
