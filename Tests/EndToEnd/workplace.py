"""A workspace in a temporary folder and the program under test, for all test modules.

`Case` is the base of all tests; `on_both` makes two test classes of one set of cases, for each kind of account.
"""
import atexit
import functools
import hashlib
import itertools
import json
import os
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import NamedTuple

from boxes import IMAPBox, MaildirBox
from servers import MailServers

REPOSITORY = Path(__file__).resolve().parents[2]
OPUS = os.environ.get("OPUS", str(REPOSITORY / ".build" / "debug" / "opus"))
CLOCK = "2026-03-10T08:30:00+01:00"
HEAD = ("config-version: 1\nme: { name: Ana Ruiz, addresses: [ana@acme.example, ana@example.org] }\n"
        "time-zone: Europe/Paris\ndates: { order: day-month }\n")
NO_RULES = "rules-version: 1\nname: none\nrules: []\n"

_numbers = itertools.count(1)


@functools.cache
def servers():
    """One Dovecot and one Postfix for the whole run."""
    made = MailServers()
    atexit.register(made.stop)
    return made.start()


@functools.cache
def plain_dovecot(capability=None):
    """Another Dovecot that announces less."""
    made = MailServers(smtp=False, capability=capability)
    atexit.register(made.stop)
    return made.start()


@functools.cache
def share():
    """The sample mail and the starter rules, for a program that was not built in this folder."""
    folder = Path(tempfile.mkdtemp(prefix="opus-share-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "demo").symlink_to(REPOSITORY / "Sources" / "opus" / "DemoMail")
    (folder / "rules").symlink_to(REPOSITORY / "rules")
    return str(folder)


class Done(NamedTuple):
    """A command that has ended."""

    command: str
    code: int
    out: str
    err: str
    seconds: float
    #: The most memory it held, in KiB, if it was measured.
    peak: int | None

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def error(self):
        """What --json says about a failure."""
        return json.loads(self.err.strip().splitlines()[-1])

    @property
    def text(self):
        return self.out + self.err

    def __str__(self):
        return f"$ opus {self.command}\n[{self.code}]\n{self.out[-3000:]}\n{self.err[-3000:]}"


class Workplace:
    """A folder with opus.yaml, rules/ and tasks/."""

    def __init__(self, folder, accounts, rules=None, settings="", password=None):
        self.root = Path(folder)
        self.root.mkdir(parents=True, exist_ok=True)
        self.tasks = self.root / "tasks"
        self.tasks.mkdir(exist_ok=True)
        self.settings, self.accounts = settings, accounts
        self.write_rules(rules if rules is not None else NO_RULES)
        (self.root / "password").write_text((password or MailServers.password) + "\n")
        (self.root / "password").chmod(0o600)
        self.configure(accounts, settings)

    def configure(self, accounts, settings=""):
        (self.root / "opus.yaml").write_text(f"{HEAD}{settings}accounts:\n{accounts}")

    def write_rules(self, rules):
        """Text of one file, {name: text}, or a folder to copy."""
        target = self.root / "rules"
        shutil.rmtree(target, ignore_errors=True)
        if isinstance(rules, Path):
            shutil.copytree(rules, target)
            return
        target.mkdir()
        for name, text in (rules if isinstance(rules, dict) else {"10-test.yaml": rules}).items():
            (target / name).write_text(text)

    def environment(self, **more):
        # A build with seeded bugs (Tests/seeded.py) has to know which one is chosen.
        seeded = {name: os.environ[name] for name in ("OPUS_SEEDED_BUG",) if name in os.environ}
        return {"PATH": os.environ["PATH"], "OPUS_SHARE": os.environ.get("OPUS_SHARE") or share(), "LANG": "C.UTF-8",
                "HOME": str(self.root / "home"), "TMPDIR": str(self.root.parent), **seeded, **more}

    def command(self, *words, now=CLOCK):
        clock = ["--now", now] if now else []
        return [OPUS, "--workspace", str(self.root), *clock, *map(str, words)]

    def opus(self, *words, now=CLOCK, environment=None, timeout=120, stdin=subprocess.DEVNULL, measured=False, **options):
        """Runs a command to its end; `measured`: with its peak memory."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            start = time.monotonic()
            process = subprocess.Popen(self.command(*words, now=now), stdin=stdin, stdout=out, stderr=err,
                                       env=self.environment(**(environment or {})), cwd=self.root, **options)
            code, peak = wait(process, timeout, measured)
            seconds = time.monotonic() - start
            out.seek(0), err.seek(0)
            return Done(" ".join(map(str, words)), code, out.read().decode("utf-8", "surrogateescape"),
                        err.read().decode("utf-8", "surrogateescape"), seconds, peak)

    def start(self, *words, now=CLOCK, **options):
        """Starts a command and does not wait; its own process group, so that it can be killed alone."""
        return subprocess.Popen(self.command(*words, now=now), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, env=self.environment(), cwd=self.root,
                                start_new_session=True, **options)

    def task_files(self):
        """{path: (bytes, time)} of everything in the task folder."""
        return {str(path.relative_to(self.tasks)): (path.read_bytes(), path.stat().st_mtime_ns)
                for path in sorted(self.tasks.rglob("*")) if path.is_file()}

    def task(self, summary):
        """The one task file with this title."""
        found = [path for path in self.tasks.glob("*/*.ics")
                 if f"\nSUMMARY:{summary}\r\n".encode() in path.read_bytes().replace(b"\r\n ", b"")]
        if len(found) != 1:
            raise LookupError(f"{len(found)} tasks {summary!r}")
        return found[0]

    def edit(self, summary, *changes):
        """Replaces text in a task's file, as an editor does: a new file under the old name."""
        path = self.task(summary)
        text = path.read_bytes()
        for old, new in changes:
            if old.encode() not in text:
                raise LookupError(f"{old!r} is not in {path}")
            text = text.replace(old.encode(), new.encode(), 1)
        beside = path.with_name(path.name + ".tmp")
        beside.write_bytes(text)
        beside.rename(path)
        return path


def wait(process, timeout, measured=False):
    """(exit code, peak memory in KiB if `measured`); kills it when it takes too long.

    The peak is read while the process runs: what wait4 reports would be the tests' own, from before the exec.
    """
    end, peak = time.monotonic() + timeout, 0 if measured else None
    with os.fdopen(os.pidfd_open(process.pid)) as running:
        ended = select.poll()
        ended.register(running, select.POLLIN)
        while not ended.poll(4 if measured else timeout * 1_000):
            if measured:
                peak = max(peak, high_water(process.pid))
            if time.monotonic() > end:
                process.kill()
                process.wait()
                raise AssertionError(f"took more than {timeout} s: {' '.join(map(str, process.args))}")
    return process.wait(), peak


def high_water(pid):
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    found = re.search(r"VmHWM:\s*(\d+) kB", status)
    return int(found[1]) if found else 0


class Case(unittest.TestCase):
    kind = "imap"
    maxDiff = 4000

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="opus-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def new_box(self, kind=None, on=None):
        if (kind or self.kind) == "imap":
            return IMAPBox(on or servers(), f"u{next(_numbers)}")
        return MaildirBox(self.folder / f"Maildir{next(_numbers)}")

    def new_place(self, box, rules=None, settings="", extra="", smtp=None, name="workspace", **options):
        """A workspace with one account. `smtp` is "starttls" or "tls"."""
        if smtp:
            port = servers().submission_port if smtp == "starttls" else servers().smtps_port
            extra += f"    smtp: {{ host: localhost, port: {port}, security: {smtp}, ca-file: {servers().ca_file} }}\n"
            if box.kind == "maildir":
                extra += "    login: { user: ana, password-command: [cat, password] }\n"
        return Workplace(self.folder / name, box.yaml(extra=extra), rules, settings, **options)

    def check(self, done, code=0, *words):
        """The command ended like that, and said so."""
        self.assertEqual(done.code, code, str(done))
        for word in words:
            self.assertIn(word, done.text, str(done))
        return done

    def assertNothingMore(self, place, *boxes, now=CLOCK, code=0, says="Nothing to do."):
        """A further run has nothing to do and changes nothing, on the account or on disk."""
        before = [box.fingerprint() for box in boxes], place.task_files()
        done = place.opus("run", "--yes", now=now)
        self.check(done, code)
        self.assertEqual(done.out, says + "\n", str(done))
        after = [box.fingerprint() for box in boxes], place.task_files()
        self.assertEqual(after, before)

    def assertPlaces(self, box, expected):
        """`expected` is {message name: mailbox}; each message is there, and nowhere else."""
        found = {}
        for held in box.everything():
            found.setdefault(held.message_id.strip("<>").partition("@")[0], []).append(held.mailbox)
        self.assertEqual({name: found.get(name, []) for name in expected},
                         {name: [mailbox] for name, mailbox in expected.items()})


def on_both(cases):
    """Two test classes of one: on a Dovecot account, and on a Maildir."""
    module = sys.modules[cases.__module__]
    for kind, label in (("imap", "OnIMAP"), ("maildir", "OnMaildir")):
        name = cases.__name__ + label
        made = type(name, (cases, Case), {"kind": kind, "__module__": cases.__module__, "__doc__": cases.__doc__})
        setattr(module, name, made)
    return cases


def digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def file_limit(size):
    """For `preexec_fn`: no file may grow beyond `size` bytes; writing more is an error, as on a full disk."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit
