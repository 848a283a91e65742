#!/usr/bin/env python3
"""opus beside mbsync and notmuch: the same mailbox, the same private Dovecot, turn by turn in the same run.

    bench.py --opus PATH --parser PATH [--sizes 1000,10000] [--runs 5] [--out results.json]

Measured: first sync, a later sync with 10 new messages, a dry triage with 20 rules, search; and with --parser (the
program parse-bench) the parser alone beside other parsers, on disk and without a server. Wall time is the median;
"peak" is the largest resident size of any one process. Every side is asked how many messages it holds, and a run in
which they differ fails. Without --opus only the others are measured; --only-parse leaves out all that needs a server.
"""
import argparse
import json
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "Servers")]
from corpus import NEWEST, Corpus, write_maildir  # noqa: E402
from servers import MAIL_UID, MailServers, crlf  # noqa: E402
import clients  # noqa: E402
import parsers  # noqa: E402

QUERIES = [("a rare word", "ledozado"), ("a common word", "budget"), ("sender and word", "from:jensen budget")]


def measure(command, log, environment=None):
    """One run: wall seconds, CPU seconds, peak MB. The command must succeed."""
    with tempfile.NamedTemporaryFile("r") as peak:
        # wait4 reports a child's peak no lower than this interpreter's own, so GNU time, which is small, asks.
        argv = ["/usr/bin/time", "-q", "-o", peak.name, "-f", "%M", *map(str, command)]
        start = time.monotonic()
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                 env=dict(os.environ, **(environment or {})))
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            log.flush()
            tail = Path(log.name).read_bytes()[-2000:].decode(errors="replace")
            raise SystemExit(f"bench: {' '.join(map(str, command))} exited with {child.returncode}\n{tail}")
        return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "peak": int(peak.read().split()[-1]) / 1024}


class Bench:
    def __init__(self, options, servers, folder):
        self.options, self.servers, self.folder = options, servers, folder
        self.rows = []
        self.log = open(folder / "log", "wb")

    def turns(self, title, size, entries, runs=None):
        """entries: [(label, prepare, command, environment)], run in turns."""
        self.record(title, size, self.measured(entries, runs))

    def measured(self, entries, runs=None):
        """The figures of each label; the first turn is not counted."""
        results = {label: [] for label, *_ in entries}
        for turn in range((runs or self.options.runs) + 1):
            # Every other turn goes the other way round: nobody is always the one after a cold cache.
            for label, prepare, command, environment in (entries if turn % 2 else entries[::-1]):
                prepare()
                figures = measure(command, self.log, environment)
                if turn:
                    results[label].append(figures)
        return results

    def record(self, title, size, results):
        base = results.get("opus")
        print(f"\n{title}, {size:,} messages")
        for label, runs in results.items():
            wall = [r["wall"] for r in runs]
            row = {"group": title, "size": size, "label": label, "wall": statistics.median(wall),
                   "fastest": min(wall), "slowest": max(wall), "cpu": statistics.median(r["cpu"] for r in runs),
                   "peak": max(r["peak"] for r in runs), "runs": len(runs)}
            ratio = ""
            if base and label != "opus":
                ratio = f"   opus takes {statistics.median(r['wall'] for r in base) / row['wall']:.2f} x the time, " \
                        f"{max(r['peak'] for r in base) / row['peak']:.2f} x the memory"
                row["opus_time_ratio"] = statistics.median(r["wall"] for r in base) / row["wall"]
                row["opus_memory_ratio"] = max(r["peak"] for r in base) / row["peak"]
            print(f"  {label:<28} {row['wall']:8.3f} s  ({row['fastest']:.3f} - {row['slowest']:.3f})"
                  f"  cpu {row['cpu']:7.3f} s  peak {row['peak']:6.1f} MB{ratio}", flush=True)
            self.rows.append(row)

    def same_number(self, size, sides):
        """Every side is asked what it holds; a figure about different work is no figure."""
        held = {side.label: side.count() for side in sides}
        print("  held: " + ", ".join(f"{label} {count:,}" for label, count in held.items()), flush=True)
        wrong = {label: count for label, count in held.items() if count != size}
        if wrong:
            raise SystemExit(f"bench: there are {size} messages on the server, but: {wrong}")

    # One size

    def run(self, size):
        user = f"bench{size}"
        home = self.servers.add_user(user)
        corpus = Corpus()
        count, total = write_maildir(home, corpus.mailbox(size), owner=MAIL_UID if os.geteuid() == 0 else None)
        print(f"\n== {count:,} messages, {total / 1e6:.0f} MB, {total / count / 1024:.0f} KB each")
        folder = self.folder / str(size)
        sides = clients.make(self.options.opus, folder, self.servers, user)
        self.turns("first sync", size, [(s.label, s.wipe, s.sync, s.environment) for s in sides])
        self.same_number(size, sides)

        size = self.later_syncs(size, user, corpus, sides)
        self.same_number(size, sides)

        self.turns("triage, 20 rules, dry", size, [
            (s.label if s.label == "opus" else f"{s.label}: 20 counts", _nothing, s.triage, s.environment)
            for s in sides if s.triage])
        for name, query in QUERIES:
            self.turns(f"search, {name}", size, [
                (s.label if s.label == "opus" else "notmuch search", _nothing, s.search(query), s.environment)
                for s in sides if s.search])
        shutil.rmtree(folder)
        self.servers.remove_user(user)

    def parse(self, size):
        """The parser alone, over the same messages on disk."""
        folder = self.folder / f"parse-{size}"
        count, total = write_maildir(folder / "mail", Corpus().mailbox(size))
        sides = parsers.make(self.options.parser.resolve(), folder / "mail", folder)
        parsers.same_work(sides)
        results = self.measured([side.entry() for side in sides if not side.missing])
        parsers.record(self, count, total, sides, results)
        shutil.rmtree(folder)

    def later_syncs(self, size, user, corpus, sides):
        """10 new messages before each turn, which all sides then fetch. Returns how many there are then."""
        results, added = {s.label: [] for s in sides}, 0
        for turn in range(self.options.runs + 1):
            client = self.servers.imap(user)
            for _ in range(10):
                added += 1
                client.append("INBOX", None, None, crlf(corpus.message(NEWEST + timedelta(minutes=added))[0]))
            client.logout()
            for side in (sides if turn % 2 else sides[::-1]):
                figures = measure(side.sync, self.log, side.environment)
                if turn:
                    results[side.label].append(figures)
        self.record("later sync, 10 new", size + added, results)
        self.turns("later sync, nothing new", size + added, [(s.label, _nothing, s.sync, s.environment) for s in sides])
        return size + added


def _nothing():
    pass


def machine():
    model = next((line.partition(":")[2].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "")
    versions = [subprocess.run(command, capture_output=True, text=True).stdout.split("\n")[0]
                for command in (["mbsync", "--version"], ["notmuch", "--version"], ["dovecot", "--version"])]
    return f"{model}, {os.cpu_count()} cores, Linux {platform.release()}; {versions[0]}, {versions[1]}, dovecot {versions[2]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opus", type=Path)
    parser.add_argument("--parser", type=Path, help="the program parse-bench")
    parser.add_argument("--only-parse", action="store_true")
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    for program in filter(None, (options.opus, options.parser)):
        if not os.access(program, os.X_OK):
            raise SystemExit(f"bench: {program} is not a program")
    print(machine())
    sizes = list(map(int, options.sizes.split(",")))
    folder = Path(tempfile.mkdtemp(prefix="opus-bench-"))
    try:
        bench = Bench(options, None, folder)
        if options.parser:
            for size in sizes:
                bench.parse(size)
            parsers.memory(bench, options.parser.resolve(), folder, measure)
        if not options.only_parse:
            with MailServers(smtp=False) as bench.servers:
                for size in sizes:
                    bench.run(size)
        if options.out:
            options.out.write_text(json.dumps({"machine": machine(), "rows": bench.rows}, indent=1) + "\n")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _end(*_):
    """Ended from outside, the private servers end too; a second signal does not disturb that."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(143)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _end)
    main()
