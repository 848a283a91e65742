#!/usr/bin/env python3
"""The end-to-end tests: the built program on real servers. Ends with one line, "N passed, N failed".

    run.py                     all of Tests/EndToEnd/test_*.py
    run.py undo restart        only tests whose full name contains one of the words, on every kind of account
    run.py --minutes 30        repeats until the time is over or a test fails
    run.py --jobs 2            in two processes, each with its own servers; each takes the next module when it is free. A test
                               that fails then runs once more, alone; if it passes, it is named as unsteady
    run.py --slowest 20        and lists the 20 slowest tests and modules

The program under test is $OPUS, else .build/debug/opus. The tests need Debian's icalendar and todoman
(.ci/packages test); if this Python has no icalendar, the system's own takes over. Tests that need root (Postfix,
small file systems) are skipped without it.

    OPUS_KINDS=both        without words, each test of a class "…OnIMAP" and its twin "…OnMaildir" on both, not on one of them
    OPUS_KILLS=60          more points in time at which the program is killed (5)
    OPUS_ROUNDS=60         more rounds of random changes by other programs (3; with mbsync 10); OPUS_SEED=N repeats one
    OPUS_MEANWHILE=60      seconds during which another program works on the same account (5)
    OPUS_TASK_KILLS=100    more steps of writing a task file at which it is killed (12)
    OPUS_KILL_POINTS=2000  more steps at which it is killed (24); also OPUS_KILL_BATCH, OPUS_KILL_REAL
    OPUS_SEND_POINTS=168   more places at which a submission breaks (8)
    OPUS_DISK_POINTS=100   more writes that fail (10)
    OPUS_PROCESS_ROUNDS=200  more rounds of several programs at once (5)
    OPUS_WEEKS=8           more weeks of two people's mail (2)
    OPUS_LEDGER_ROUNDS=30  more random lives of the list of deferred mail, with two machines (1); also OPUS_LEDGER_SEED
    OPUS_HAND_KILLS=40     more steps of commands by hand and of the session at which they are killed (2); also OPUS_HAND_FAULTS
    OPUS_WATCH_ROUNDS=500  more rounds of mishaps of a watch (10); also OPUS_WATCH_MINUTES
    OPUS_WATCH_NETWORK=20  cuts of the network under a watch, repeatedly, including those that neither end notices (once)
    OPUS_TESTS_UNTIL=1795000000  with --jobs: no module begins after this time (seconds since 1970), and those left are named.
                           If the time is too short for all of them, the commit decides which modules come first
    OPUS_ACCEPT=1          writes the expected-* files of Tests/Scenarios again; read the difference
"""
import argparse
import importlib.util
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zlib
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.dont_write_bytecode = True


class Result(unittest.TextTestResult):
    """Counts tests, not failures: a test with three failed sub-tests has failed once."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.passed, self.failed, self.times = 0, set(), {}

    def startTest(self, test):
        super().startTest(test)
        self._begun = time.monotonic(), processor_time()

    def stopTest(self, test):
        super().stopTest(test)
        self.times[test.id()] = time.monotonic() - self._begun[0], processor_time() - self._begun[1]

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


def processor_time():
    """Seconds of processor time of this process and of the programs that it has waited for; servers do not count."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def print_slowest(count, times):
    """`times` is {test id: (seconds, processor seconds)}."""
    modules = {}
    for name, (seconds, processor) in times.items():
        before = modules.get(name.partition(".")[0], (0, 0))
        modules[name.partition(".")[0]] = before[0] + seconds, before[1] + processor
    for title, rows in (("tests", times), ("modules", modules)):
        print(f"slowest {title}: seconds, processor seconds")
        for name, (seconds, processor) in sorted(rows.items(), key=lambda row: -row[1][0])[:count]:
            print(f"{seconds:8.1f} {processor:8.1f}  {name}")


def tests(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from tests(item)
        else:
            yield item


def run_once(words, queue, exact=False):
    """Returns (passed, failed, skipped, chosen, times). With `queue`, runs the modules whose names come from that pipe."""
    found = unittest.defaultTestLoader.discover(str(TESTS / "EndToEnd"), pattern="test_*.py")
    chosen = [t for t in tests(found) if not words or any(is_named(word, t.id(), exact) for word in words)]
    if exact and (missing := [word for word in words if not any(is_named(word, t.id(), exact) for t in chosen)]):
        raise SystemExit(f"no such test: {', '.join(missing)}")
    if not words and os.environ.get("OPUS_KINDS") != "both":
        chosen = on_one_kind(chosen)
    if queue is not None:
        chosen = from_queue(chosen, queue)
    result = unittest.TextTestRunner(verbosity=2, resultclass=Result).run(Suite(chosen))
    if queue is not None:
        sys.stderr.flush()
        for name in sorted(result.failed):
            print(FAILED + name)
    return result.passed, len(result.failed), len(result.skipped), result.testsRun, result.times


def is_named(word, name, exact):
    """`exact` words are names of tests or of classes."""
    return name == word or name.startswith(word + ".") if exact else word in name


#: Classes with the same tests on two kinds of account end with these.
KINDS = ("OnIMAP", "OnMaildir")


def on_one_kind(chosen):
    """Leaves out each test on one of two kinds of account. Which one depends on its name alone, half of them each."""
    names = {test.id() for test in chosen}
    return [test for test in chosen if (twin := twin_of(test.id())) not in names or is_kept(test.id(), twin)]


def twin_of(name):
    """The name of the same test on the other kind of account, or nothing."""
    module_name, _, rest = name.partition(".")
    kind = next((kind for kind in KINDS if rest.partition(".")[0].endswith(kind)), None)
    return kind and f"{module_name}.{rest.replace(kind, KINDS[1 - KINDS.index(kind)])}"


def is_kept(name, twin):
    first, second = sorted((name, twin))
    return name == (first, second)[zlib.crc32(first.encode()) % 2]


class Suite(unittest.TestSuite):
    """Tests that come from any iterable, one after the other."""

    _cleanup = False

    def __init__(self, chosen):
        super().__init__()
        self._tests = chosen

    def __iter__(self):
        return iter(self._tests)


def from_queue(chosen, queue):
    """Yields the tests of one module after the other; which module is next is read from the pipe."""
    by_module = {}
    for test in chosen:
        by_module.setdefault(module(test), []).append(test)
    while time.time() < LATEST and (name := next_name(queue)):
        if name in LONGEST and time.time() + LONGEST_TAKES > LATEST:
            print(LEFT + name, flush=True)
            continue
        yield from by_module.get(name, ())
    yield from by_module.get(LAST, [])


#: Reads the transcripts of the servers of this process, so each process runs it, as its last module.
LAST = "test_zz_transcripts"
#: The modules that take longest, so that no process begins one of them when the others are done. See --slowest.
LONGEST = ("test_trouble", "test_hand_kills", "test_waits", "test_write", "test_daemon", "test_weeks", "test_drafts",
           "test_watch_promises", "test_inbox", "test_task_sync", "test_cyrus", "test_task_programs", "test_first_day",
           "test_later_decisions", "test_strange_servers", "test_watch_trouble", "test_bad_messages", "test_kill_points",
           "test_watch_network", "test_deferred_machines", "test_watch", "test_answer", "test_logins", "test_delegated_mail",
           "test_sent_copies", "test_bombs", "test_courier", "test_kill", "test_oauth", "test_pigeonhole", "test_docs")
#: The length of a module's name in the queue.
RECORD = 64
#: Begins the line in which a process of several names a test that failed, or a module that it left out.
FAILED, LEFT = "failed: ", "left out: "
#: No module begins after this time, so that a slow machine ends with a result and not at a limit of its owner.
LATEST = float(os.environ.get("OPUS_TESTS_UNTIL", "inf"))
#: Seconds that all modules need on a machine of the usual speed, and the longest module on a slow one.
ALL_TAKE, LONGEST_TAKES = 1500, 400
#: With more failures than these, the program is at fault, and nothing is repeated.
MOST_REPEATED = 10


def module(test):
    """A module that cannot be loaded is a test too, and has another kind of id."""
    return test.id().removeprefix("unittest.loader._FailedTest.").removeprefix("setUpClass (").partition(".")[0]


def next_name(queue):
    """The name of the next module, or nothing when the queue is empty."""
    return os.read(queue, RECORD).decode().rstrip("\0")


def fill_queue():
    """A pipe from which each process takes the name of its next module."""
    names = sorted(path.stem for path in (TESTS / "EndToEnd").glob("test_*.py") if path.stem != LAST)
    if time.time() + ALL_TAKE < LATEST:
        names.sort(key=lambda name: LONGEST.index(name) if name in LONGEST else len(LONGEST))
    else:
        # Some modules will not run. With each commit, these are others.
        head = commit()
        names.sort(key=lambda name: zlib.crc32(f"{head} {name}".encode()))
    queue, end = os.pipe()
    os.write(end, b"".join(name.encode().ljust(RECORD, b"\0") for name in names))
    os.close(end)
    return queue


def commit():
    """The commit of this working copy, or nothing."""
    asked = subprocess.run(["git", "rev-parse", "HEAD"], cwd=TESTS, capture_output=True, text=True, check=False)
    return asked.stdout.strip()


def run_jobs(count, words, slowest):
    """Prints the output of each process when it is done, and the sums at the end."""
    running, queue = [], fill_queue()
    for _ in range(count):
        output = tempfile.TemporaryFile("w+")
        running.append((output, subprocess.Popen(
            [sys.executable, __file__, *words, "--slowest", str(slowest), "--queue", str(queue)], stdout=output,
            stderr=output, pass_fds=[queue])))
    sums, good, failed, left, crashed = {"passed": 0, "failed": 0, "skipped": 0}, True, [], [], False
    try:
        for output, process in running:
            good = process.wait() == 0 and good
            output.seek(0)
            text = output.read()
            sys.stderr.write(text)
            failed += [line.removeprefix(FAILED) for line in text.splitlines() if line.startswith(FAILED)]
            left += [line.removeprefix(LEFT) for line in text.splitlines() if line.startswith(LEFT)]
            crashed = crashed or re.fullmatch(r"\d+ passed, \d+ failed", (text.splitlines() or [""])[-1]) is None
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
    left += iter(lambda: next_name(queue), "")
    if left:
        print(f"NOT RUN, the time was over: {', '.join(left)}")
    if not crashed and 0 < len(failed) <= MOST_REPEATED and len(failed) == sums["failed"] and pass_alone(failed):
        print(f"unsteady, passed only in the second run: {', '.join(failed)}")
        sums["passed"], sums["failed"], good = sums["passed"] + len(failed), 0, True
    if sums["skipped"]:
        print(f"{sums['skipped']} skipped")
    print(f"{sums['passed']} passed, {sums['failed']} failed", flush=True)
    return 0 if good and not sums["failed"] and sums["passed"] else 1


def pass_alone(names):
    """Whether these tests pass in one more process, while nothing else runs."""
    # If a class could not be set up, all of it runs again.
    names = [re.sub(r"^(setUp|tearDown)(Class|Module) \((.*)\)$", r"\3", name) for name in names]
    print(f"once more, alone: {', '.join(names)}", flush=True)
    return subprocess.call([sys.executable, __file__, "--exact", *names]) == 0


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
    parser.add_argument("--slowest", type=int, default=0)
    parser.add_argument("--queue", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--exact", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ["OPUS"] = str(Path(os.environ.get("OPUS", TESTS.parent / ".build" / "debug" / "opus")).resolve())
    if options.jobs > 1:
        return run_jobs(options.jobs, options.words, options.slowest)
    sys.path[:0] = [str(TESTS / "EndToEnd"), str(TESTS / "Servers"), str(TESTS / "Scenarios"), str(TESTS / "Kill")]

    end, rounds = time.monotonic() + options.minutes * 60, 0
    passed = failed = skipped = 0
    while True:
        done = run_once(options.words, options.queue, options.exact)
        rounds += 1
        passed, failed, skipped = passed + done[0], failed + done[1], skipped + done[2]
        if failed or done[3] == 0 or time.monotonic() >= end:
            break
    sys.stderr.flush()
    if done[3] == 0:
        print("no such test")
    if options.slowest:
        print_slowest(options.slowest, done[4])
    if options.minutes:
        print(f"{rounds} rounds")
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {failed} failed", flush=True)
    # A process that got no module from the queue has nothing to report.
    return 1 if failed or (done[3] == 0 and options.queue is None) else 0


def _end(*_):
    """Ended from outside, the private servers end too; a second signal does not disturb that."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # unittest takes any other exception for an error of the test, and goes on.
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _end)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(143)
