#!/usr/bin/env python3
"""opus beside mbsync, mbsync with an index (mu, notmuch), offlineimap and the raw limit: the same mailbox on the same
private Dovecot over TLS, turn by turn in the same run.

    bench.py --opus PATH --parser PATH --tasks PATH [--sizes 1000,10000] [--runs 5] [--quick] [--only PART,PART] [--out results.json]

A size with an l, such as 100000l, is a mailbox of light messages. Parts: first, listed, later, counted (bytes and turns),
far (40 ms round trip), link (20 Mbit/s and 50 ms; as root), triage, search, sorting (20 and 200 rules beside imapfilter
and sieve-filter, which takes root), and without a server: with --parser (the program parse-bench) parse, the parser alone
beside other parsers; with --tasks (the program task-bench) tasks, a folder of task files beside todoman; keys, the
time from a key to the next message in opus inbox; watch, the time from a delivery to the applied rule; and scratch, searches, lists, idle, start and growth, a Maildir of any
size beside mu and notmuch (only where --only names them: they are for 10000l, 100000l and 1000000l).

Wall time is the median, "peak" is the largest resident size of any one process. All sides must hold the same messages as
the server, else the run fails. At the end each aim is met or missed; that fails nothing. --quick leaves out what takes
minutes: notmuch and offlineimap from 10,000 messages on (offlineimap is never measured above 10,000). Without --opus only
the others are measured. --before PATH lets an earlier opus take part: each change of speed is seen in one run.
"""
import argparse
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "Servers")]
from box import Mailbox  # noqa: E402
from corpus import Corpus, write_maildir  # noqa: E402
from measure import Record, measure  # noqa: E402
from servers import MailServers  # noqa: E402
from syncs import Syncs  # noqa: E402
import aims  # noqa: E402
import clients  # noqa: E402
import disk  # noqa: E402
import keys  # noqa: E402
import limits  # noqa: E402
import sorting  # noqa: E402
import link  # noqa: E402
import parsers  # noqa: E402
import tasks  # noqa: E402
import watching  # noqa: E402

SYNCS = ("first", "later", "listed", "counted", "far")
QUESTIONS = ("triage", "search", "sorting")
ON_DISK = ("parse", "tasks", "keys")
PARTS = (*ON_DISK, *SYNCS, *QUESTIONS, "link", "watch")
NAMED = disk.PARTS
QUERIES = [("a rare word", "ledozado"), ("a common word", "budget"), ("sender and word", "from:jensen budget")]
# From here on these take minutes a turn.
MANY = 10_000
LINK_SIZE = 1000


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.record = Record(folder, options.runs)

    def run(self):
        wanted = set(self.options.only)
        if "parse" in wanted and self.options.parser:
            self.parsers()
        if "tasks" in wanted and self.options.tasks:
            sizes = [int(size) for size in self.options.sizes if not size.endswith("l")]
            tasks.run(self.record, sizes, self.folder, self.options.tasks, self.options.opus, self.options.before)
        if "keys" in wanted and self.options.opus:
            keys.run(self.record, self.options.sizes, self.folder, self.options.opus)
        if wanted & {*NAMED} and self.options.opus:
            disk.run(self.record, self.options.sizes, self.folder, self.options.opus, self.options.before,
                     self.options.quick, wanted)
        if not wanted - {*ON_DISK, *NAMED}:
            return
        start = measure([sys.executable, limits.__file__, "nothing"], self.record.log)["wall"]
        print(f"\nthe raw limit is a program in Python; of each of its times {start:.3f} s are Python's start")
        with MailServers(smtp=False) as servers:
            if wanted & {*SYNCS, *QUESTIONS}:
                for size in self.options.sizes:
                    self.mailbox(servers, size, wanted)
            if "link" in wanted:
                self.link(servers)
            if "watch" in wanted:
                watching.run(self.record, servers, self.options.sizes[0], self.folder / "watch",
                             clients.programs(self.options.opus, self.options.before))

    def mailbox(self, servers, size, wanted):
        """All that is measured of one mailbox; each part goes on where the one before it ended."""
        mailbox = Mailbox(servers, size, f"bench{size}")
        print(f"\n== {size}: {mailbox}", flush=True)
        folder = self.folder / size
        sides = clients.make(self.options.opus, self.options.before, folder, clients.Account(servers, mailbox.user),
                             self.peers(mailbox.messages))
        self.enough_room(mailbox, len(sides))
        syncs = Syncs(self.record, mailbox, sides)
        if "first" not in wanted:
            syncs.prepare()
        for part in SYNCS:
            if part in wanted:
                getattr(syncs, part)()
        for part in ("triage", "search"):
            if part in wanted:
                getattr(self, part)(size, sides)
        if "sorting" in wanted:
            sorting.measure(self.record, folder / "sorting", servers, mailbox,
                            clients.programs(self.options.opus, self.options.before))
        shutil.rmtree(folder)
        mailbox.remove()

    def enough_room(self, mailbox, sides):
        """What a run leaves is deleted at the end only."""
        needed, free = mailbox.bytes * sides * (self.options.runs + 4), shutil.disk_usage(self.folder).free
        if free < needed:
            raise SystemExit(f"bench: {self.folder} has {free / 1e9:.1f} GB left, {mailbox.size} messages may need "
                             f"{needed / 1e9:.1f} GB; set TMPDIR to a folder with more, or take fewer --runs")

    def peers(self, messages):
        """Those that take part at this size, beside mbsync and the raw limit."""
        kinds = [clients.MbsyncMu]
        if messages < MANY or not self.options.quick:
            kinds.append(clients.MbsyncNotmuch)
            if messages <= MANY:
                kinds.append(clients.Offlineimap)
        return kinds

    def link(self, servers):
        if reason := link.missing():
            return print(f"\nno slow link: {reason}")
        size = min((int(size.rstrip("l")) for size in self.options.sizes), default=LINK_SIZE)
        mailbox = Mailbox(servers, str(min(size, LINK_SIZE)), "benchlink")
        folder = self.folder / "link"
        sides = clients.make(self.options.opus, self.options.before, folder, clients.Account(servers, mailbox.user), [])
        Syncs(self.record, mailbox, sides).on_link()
        shutil.rmtree(folder)
        mailbox.remove()

    def triage(self, size, sides):
        self.beside("triage, 20 rules, dry", size, [
            (side.label if isinstance(side, clients.Opus) else f"{side.label}: 20 counts", side.triage, side.environment)
            for side in sides if side.triage])

    def search(self, size, sides):
        for name, query in QUERIES:
            self.beside(f"search, {name}", size, [
                (side.label if isinstance(side, clients.Opus) else "notmuch search", side.search(query), side.environment)
                for side in sides if side.search])

    def beside(self, title, size, entries):
        if entries:
            turns = self.record.turns([(label, lambda: None, *rest) for label, *rest in entries])
            self.record.note(title, size, turns)

    def parsers(self):
        for size in self.options.sizes:
            if not size.endswith("l"):
                self.parse(int(size))
        parsers.memory(self.record, self.options.parser.resolve(), self.folder, measure)

    def parse(self, size):
        """The parser alone, over the same messages on disk."""
        folder = self.folder / f"parse-{size}"
        count, total = write_maildir(folder / "mail", Corpus().mailbox(size))
        sides = parsers.make(self.options.parser.resolve(), folder / "mail", folder)
        parsers.same_work(sides)
        results = self.record.turns([side.entry() for side in sides if not side.missing])
        parsers.record(self.record, count, total, sides, results)
        shutil.rmtree(folder)


def machine():
    model = next((line.partition(":")[2].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "")
    versions = [f"{name} {version(name)}" for name in ("mbsync", "mu", "notmuch", "offlineimap", "dovecot", "todoman")]
    return f"{model}, {os.cpu_count()} cores, Linux {platform.release()}; {', '.join(versions)}"


def version(name):
    program = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if not program:
        return "(not installed)"
    said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    return next((word for word in said.split() if word[0].isdigit()), "")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opus", type=Path)
    parser.add_argument("--before", type=Path, help="an earlier opus, measured in the same turns")
    parser.add_argument("--parser", type=Path, help="the program parse-bench")
    parser.add_argument("--tasks", type=Path, help="the program task-bench")
    parser.add_argument("--sizes", default="1000,10000", type=lambda text: text.split(","))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes a turn")
    parser.add_argument("--only", default=",".join(PARTS), type=lambda text: text.split(","), metavar="PART,PART")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    for program in filter(None, (options.opus, options.before, options.parser, options.tasks)):
        if not os.access(program, os.X_OK):
            parser.error(f"{program} is not a program")
    if unknown := [part for part in options.only if part not in (*PARTS, *NAMED)]:
        parser.error(f"no part is called {unknown[0]}; the parts are {', '.join((*PARTS, *NAMED))}")
    if wrong := [size for size in options.sizes if not size.removesuffix("l").isdigit()]:
        parser.error(f"{wrong[0]!r} is not a size; a size is a number, such as 1000, or 100000l for light messages")
    return options


def main():
    options = arguments()
    print(machine())
    folder = Path(tempfile.mkdtemp(prefix="opus-bench-"))
    try:
        bench = Bench(options, folder)
        bench.run()
        aims.show(bench.record)
        if options.out:
            options.out.write_text(json.dumps({"machine": machine(), "rows": bench.record.rows}, indent=1) + "\n")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _end(*_):
    """Ended from outside, the private servers end too; a second signal does not disturb that."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("bench: ended from outside (SIGTERM)", file=sys.stderr)
    sys.exit(143)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _end)
    main()
