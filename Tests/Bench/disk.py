"""A Maildir of any size on this disk: opus beside mu and notmuch on the same files in the same run, without a server.

Parts: scratch (index and threads from nothing), searches, lists (what opus shows, as whole processes), idle (a run and a
sync with nothing new), start (--version), growth (what a message costs at every size, and what mail that is there costs).
All programs must hold the same number of messages, else the bench fails. notmuch takes minutes from 100,000 messages on:
--quick leaves it out there.
"""
import os
import shutil
import sqlite3
import subprocess
from datetime import timedelta

import clients
from corpus import NEWEST, Corpus, write_maildir

SCRATCH, SEARCH, LIST, IDLE, START, NEW = (
    "index and threads from a Maildir", "search of a Maildir", "shown of a Maildir", "nothing new in a Maildir",
    "start", "100 new in a Maildir")
PARTS = ("scratch", "searches", "lists", "idle", "start", "growth")
#: (name, words of opus, of notmuch, of mu)
QUERIES = [
    ("rare word", "ledozado", "ledozado", "ledozado"),
    ("common word", "budget", "budget", "budget"),
    ("two words", "budget meeting", "budget and meeting", "budget meeting"),
    ("phrase", '"review draft"', '"review draft"', '"review draft"'),
    ("from and word", "from:jensen budget", "from:jensen and budget", "from:jensen budget"),
    ("prefix", "ledo*", "ledo*", "ledo*"),
    ("CJK", "会議", "会議", "会議"),
]
SHOWN = 50
MANY = 100_000
ADDED = 100


class Disk:
    def __init__(self, record, folder, opus, before, quick):
        self.record, self.folder, self.quick = record, folder, quick
        self.programs = clients.programs(opus.resolve(), before.resolve() if before else None)
        self.mail, self.made = folder / "mail", 0

    def all(self, size, parts):
        self.size, self.count = size, int(size.rstrip("l"))
        messages, total = write_maildir(self.mail, Corpus(light=size.endswith("l")).mailbox(self.count))
        print(f"\n== {size}: {messages:,} messages in a Maildir, {total / 1e6:.0f} MB", flush=True)
        self.settings()
        self.scratch()
        if "searches" in parts:
            self.searches()
        if "lists" in parts:
            self.lists()
        if "start" in parts:
            self.note(START, [(label, [program, "--version"], {}) for label, program in self.programs])
        if "idle" in parts:
            self.note(IDLE, [entry for label, program in self.programs for entry in (
                (label + ", run", self.opus(label, program, "run", "--yes"), {}),
                (label + ", sync", self.opus(label, program, "sync"), {}))])
        if "growth" in parts:
            self.note(NEW, [(label, self.opus(label, program, "sync"), {}) for label, program in self.programs],
                      before=self.deliver)

    # MARK: The programs

    def settings(self):
        for label, _ in self.programs:
            home = self.folder / label.replace(" ", "-")
            for name in ("rules", "tasks"):
                (home / name).mkdir(parents=True, exist_ok=True)
            (home / "opus.yaml").write_text(
                "config-version: 1\nme: { name: Ana Ruiz, addresses: [ana@acme.example] }\ntime-zone: Europe/Paris\n"
                f"accounts:\n  - name: bench\n    address: ana@acme.example\n    maildir: {self.mail}\n")
        (self.folder / "notmuchrc").write_text(
            f"[database]\npath={self.folder}/notmuch\nmail_root={self.mail}\n[user]\nname=Ana\n"
            "primary_email=ana@acme.example\n[new]\ntags=new\n[maildir]\nsynchronize_flags=false\n")
        self.notmuch = shutil.which("notmuch") and not (self.quick and self.count >= MANY)
        self.mu = shutil.which("mu")
        self.environment = {"NOTMUCH_CONFIG": str(self.folder / "notmuchrc")}

    def opus(self, label, program, *words):
        return [program, "--workspace", self.folder / label.replace(" ", "-"), *words]

    def put_away(self, path):
        """Removed at the end: files that go right before a run make those of the run dearer."""
        if path.exists():
            self.made += 1
            (self.folder / "attic").mkdir(exist_ok=True)
            path.rename(self.folder / "attic" / f"{path.name}-{self.made}")

    # MARK: Parts

    def scratch(self):
        """Every part needs what it leaves."""
        entries = [(label, lambda home=self.folder / label.replace(" ", "-"): self.put_away(home / ".opus"),
                    self.opus(label, program, "sync"), {}) for label, program in self.programs]
        if self.mu:
            home = f"--muhome={self.folder}/mu"
            entries.append(("mu index", lambda: self.put_away(self.folder / "mu"), [
                "sh", "-c", f"mu init --quiet {home} --maildir={self.mail} && mu index --quiet {home}"], {}))
        if self.notmuch:
            entries.append(("notmuch new", self.wipe_notmuch, ["notmuch", "new", "--quiet"], self.environment))
        runs = self.record.turns(entries, runs=0 if self.count >= MANY else None)
        self.record.note(SCRATCH, self.size, runs)
        self.same()

    def wipe_notmuch(self):
        self.put_away(self.folder / "notmuch")
        (self.folder / "notmuch").mkdir()

    def same(self):
        held = {label: self.held(label) for label, _ in self.programs}
        if self.mu:
            held["mu"] = len(self.output(["mu", "find", f"--muhome={self.folder}/mu", "--fields", "i", ""]).splitlines())
        if self.notmuch:
            held["notmuch"] = int(self.output(["notmuch", "count", "--output=files", "--exclude=false", "*"]))
        print("  held: " + ", ".join(f"{label} {count}" for label, count in held.items()), flush=True)
        if set(held.values()) != {self.count}:
            raise SystemExit(f"bench: not every program holds {self.count} messages: {held}")

    def held(self, label):
        store = self.folder / label.replace(" ", "-") / ".opus/store.sqlite"
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as db:
            return db.execute("SELECT count(*) FROM placement").fetchone()[0]

    def output(self, command):
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True,
                              env=dict(os.environ, **self.environment)).stdout

    def searches(self):
        for name, words, notmuch, mu in QUERIES:
            entries = [(label, self.opus(label, program, "search", "--limit", str(SHOWN), words), {})
                       for label, program in self.programs]
            if self.mu:
                # mu reports "no matches" as an error.
                entries.append(("mu find", ["sh", "-c", 'mu "$@" || true', "mu", "find", f"--muhome={self.folder}/mu",
                                            "-n", str(SHOWN), "--sortfield=date", "--reverse", mu], {}))
            if self.notmuch:
                entries.append(("notmuch search", ["notmuch", "search", f"--limit={SHOWN}", notmuch], self.environment))
            self.note(f"{SEARCH}, {name}", entries)

    def lists(self):
        for words in ("list", "threads", "status", "next"):
            entries = [(label, self.opus(label, program, words), {}) for label, program in self.programs
                       if self.knows(label, program, words)]
            if words == "list" and self.notmuch:
                entries.append(("notmuch search", ["notmuch", "search", "--limit=500", "*"], self.environment))
            if entries:
                self.note(f"{LIST}, {words}", entries)

    def knows(self, label, program, words):
        return not subprocess.run(list(map(str, self.opus(label, program, words))), capture_output=True).returncode

    def deliver(self):
        """Mail that came since the last turn, newer than all."""
        later = Corpus(seed=14 + self.made, light=True)
        self.made += 1
        for index in range(ADDED):
            text, _, _ = later.message(NEWEST + timedelta(minutes=self.made * ADDED + index))
            (self.mail / "new" / f"18{self.made:08}.M{index}P1.new").write_bytes(text)

    def note(self, title, entries, before=None):
        turns = self.record.turns([(label, lambda: None, command, environment) for label, command, environment in entries],
                                  before=before)
        self.record.note(title, self.size, turns)


def run(record, sizes, folder, opus, before, quick, parts):
    for size in sizes:
        disk = Disk(record, folder / f"disk-{size}", opus, before, quick)
        disk.folder.mkdir(parents=True)
        disk.all(size, parts)
        shutil.rmtree(disk.folder)
