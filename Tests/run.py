#!/usr/bin/env python3
"""The end-to-end tests: the built program on real servers. Ends with one line, "N passed, N failed".

    run.py                     all of Tests/EndToEnd/test_*.py
    run.py undo restart        only tests whose full name holds one of the words
    run.py --minutes 30        again and again, until the time is over or a test fails
    run.py --jobs 2            in two processes, each with servers of its own and every other module

The program under test is $OPUS, else .build/debug/opus. The tests need Debian's icalendar and todoman
(.ci/packages test); when this Python has no icalendar, the system's own goes on in its place. What needs root (Postfix,
small file systems) is skipped without it.

    OPUS_KILLS=60          more points in time at which the program is killed (12)
    OPUS_ROUNDS=60         more rounds of random changes by other programs (3; with mbsync 10); OPUS_SEED=N repeats one
    OPUS_MEANWHILE=60      seconds during which another program works on the same account (5)
    OPUS_TASK_KILLS=100    more steps of writing a task file at which it is killed (12)
    OPUS_KILL_POINTS=2000  more steps at which it is killed (60); also OPUS_KILL_BATCH, OPUS_KILL_REAL
    OPUS_SEND_POINTS=168   more places at which a submission breaks (8)
    OPUS_DISK_POINTS=100   more writes that fail (10)
    OPUS_PROCESS_ROUNDS=200  more rounds of several programs at once (5)
    OPUS_ACCEPT=1          writes the expected-* files of Tests/Scenarios anew; read the difference
"""
import argparse
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.dont_write_bytecode = True


class Result(unittest.TextTestResult):
    """Counts tests, not failures: a test with three failed sub-tests has failed once."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.passed, self.failed = 0, set()

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1

    def addError(self, test, error):
        # A class or module that could not be set up is an error of its own, and none of its tests ran.
        super().addError(test, error)
        self.failed.add(test.id())

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.failed.add(test.id())

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error:
            self.failed.add(test.id())

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.failed.add(test.id())


def tests(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from tests(item)
        else:
            yield item


def run_once(words, share):
    found = unittest.defaultTestLoader.discover(str(TESTS / "EndToEnd"), pattern="test_*.py")
    chosen = [t for t in tests(found) if not words or any(word in t.id() for word in words)]
    if share:
        number, count = map(int, share.split("/"))
        # What reads the transcripts of all the others belongs to each share.
        modules = sorted({module(t) for t in chosen} - {LAST})
        own = {*modules[number::count], LAST}
        chosen = [t for t in chosen if module(t) in own]
    result = unittest.TextTestRunner(verbosity=2, resultclass=Result).run(unittest.TestSuite(chosen))
    return result.passed, len(result.failed), len(result.skipped), len(chosen)


#: Reads what the servers of this process heard.
LAST = "test_zz_transcripts"


def module(test):
    """A module that cannot be loaded is a test too, and has another kind of id."""
    return test.id().removeprefix("unittest.loader._FailedTest.").removeprefix("setUpClass (").partition(".")[0]


def run_shares(count, words):
    """Each share's output follows when it is done; the sums come last."""
    running = []
    for number in range(count):
        output = tempfile.TemporaryFile("w+")
        running.append((output, subprocess.Popen(
            [sys.executable, __file__, *words, "--share", f"{number}/{count}"], stdout=output, stderr=output)))
    sums, good = {"passed": 0, "failed": 0, "skipped": 0}, True
    try:
        for output, process in running:
            good = process.wait() == 0 and good
            output.seek(0)
            text = output.read()
            sys.stderr.write(text)
            for line in text.splitlines()[-2:]:
                for part in line.split(", "):
                    amount, _, word = part.partition(" ")
                    if word in sums and amount.isdigit():
                        sums[word] += int(amount)
    finally:
        for _, process in running:
            if process.poll() is None:
                process.terminate()
                process.wait()
    sys.stderr.flush()
    if sums["skipped"]:
        print(f"{sums['skipped']} skipped")
    print(f"{sums['passed']} passed, {sums['failed']} failed", flush=True)
    return 0 if good and not sums["failed"] and sums["passed"] else 1


def find_icalendar():
    system = "/usr/bin/python3"
    if importlib.util.find_spec("icalendar") or os.path.realpath(sys.executable) == os.path.realpath(system):
        return
    os.execv(system, [system, *sys.argv])


def main():
    find_icalendar()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--share", help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ["OPUS"] = str(Path(os.environ.get("OPUS", TESTS.parent / ".build" / "debug" / "opus")).resolve())
    if options.jobs > 1:
        return run_shares(options.jobs, options.words)
    sys.path[:0] = [str(TESTS / "EndToEnd"), str(TESTS / "Servers"), str(TESTS / "Scenarios"), str(TESTS / "Kill")]

    end, rounds = time.monotonic() + options.minutes * 60, 0
    passed = failed = skipped = 0
    while True:
        done = run_once(options.words, options.share)
        rounds += 1
        passed, failed, skipped = passed + done[0], failed + done[1], skipped + done[2]
        if failed or done[3] == 0 or time.monotonic() >= end:
            break
    sys.stderr.flush()
    if done[3] == 0:
        print("no such test")
    if options.minutes:
        print(f"{rounds} rounds")
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed or done[3] == 0 else 0


def _end(*_):
    """Ended from outside, the private servers end too; a second signal does not disturb that."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(143)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _end)
    sys.exit(main())
