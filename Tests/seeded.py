#!/usr/bin/env python3
"""Seeded bugs: one safety is taken away at a time (Models/SeededBug.swift), and the suites have to notice.

    seeded.py                       every bug
    seeded.py resendAfterDot …      only these

Needs a debug build with its tests: the bugs are not in a release build. Programs: $OPUS, else .build/debug/opus, and
the test bundle beside it. Ends with 1 when a bug was not caught.
"""
import os
import re
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parent
REPOSITORY = TESTS.parent
sys.path.insert(0, str(TESTS / "Kill"))
from figures import note  # noqa: E402

EXECUTOR = ("swift", "ExecutorTests")
SINKS = ("swift", "SinkScenarioTests")
NETWORK = ("swift", "FaultMatrixTests")
SENDS = ("swift", "SendFaultTests")
STORE = ("swift", "MailStoreTests|PipelineTests")
COMMANDS = ("swift", "IMAPProtocolTests|IMAPClientTests")
PROCESSES = ("run.py", "test_many_processes")
FAST = (EXECUTOR, SINKS, SENDS, NETWORK, STORE, COMMANDS, PROCESSES)
#: The suite that should notice comes first; the others are asked when it does not.
FIRST = {"plainExpunge": COMMANDS, "noIdempotencyKey": STORE, "noLock": PROCESSES}
LIMIT = 300


def bugs():
    """As the source has them."""
    text = (REPOSITORY / "Sources" / "Models" / "SeededBug.swift").read_text()
    return re.findall(r"^    case (\w+)$", text, re.MULTILINE)


def command(suite):
    if suite[0] == "run.py":
        return [sys.executable, str(TESTS / "run.py"), suite[1]]
    opus = Path(os.environ.get("OPUS", REPOSITORY / ".build" / "debug" / "opus")).resolve()
    return [str(opus.parent / "magnum-opusPackageTests.xctest"), "--testing-library", "swift-testing", "--filter",
            suite[1]]


def notices(suite, bug):
    """Whether the suite fails with the bug. One that hangs or crashes has noticed too."""
    environment = {**os.environ, "OPUS_SEEDED_BUG": bug, "OPUS_MATRIX": "12", "OPUS_SEND_FAULTS": "64",
                   "OPUS_PROCESS_ROUNDS": "2", "OPUS_FIGURES": ""}
    try:
        done = subprocess.run(command(suite), env=environment, cwd=REPOSITORY, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def main():
    known = bugs()
    chosen = sys.argv[1:] or known
    if unknown := set(chosen) - set(known):
        print(f"seeded: no bug {', '.join(sorted(unknown))}", file=sys.stderr)
        return 64
    healthy = [suite for suite in FAST if not sys.argv[1:] and notices(suite, "")]
    for suite in healthy:
        print(f"seeded: {suite[1]} fails without a bug", file=sys.stderr)
    missed = 0
    for bug in chosen:
        start = time.monotonic()
        first = FIRST.get(bug, EXECUTOR)
        suites = [first, *(suite for suite in FAST if suite != first)]
        caught = next((suite[1] for suite in suites if notices(suite, bug)), None)
        missed += caught is None
        print(f"{bug:26} {'caught by ' + caught if caught else 'NOT CAUGHT':40} {time.monotonic() - start:6.1f} s",
              flush=True)
    note("seeded", "caught", len(chosen) - missed, missed)
    return 1 if missed or healthy else 0


if __name__ == "__main__":
    sys.exit(main())
