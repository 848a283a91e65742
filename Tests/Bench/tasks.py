"""Task files: opus beside todoman on the same folder, and the store of task files alone (the program task-bench).

Both must list the same tasks, else the bench fails. todoman's cache is taken away for its cold rows; opus knows the files
from its last run, or nothing. What was written is not deleted before the end: some file systems give out a number that
was free a minute ago much later than a fresh one, and making files takes ten times as long meanwhile.
"""
import datetime
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import clients
from measure import measure

LIST, SCAN, WRITE, WRITE_EACH = ("tasks listed", "tasks looked at again, nothing changed", "tasks written together",
                                 "tasks written one after the other")
OPUS_NEW, OPUS, STORE = "opus, nothing known", "opus", "opus, the store alone"
SHOWN = re.compile(r"(\w+) (\d+) seconds ([\d.e-]+) cpu ([\d.e-]+) peak-MiB ([\d.]+)")
# Each is on the disk before the next: what the disk takes is the figure, and few tell it.
ONE_BY_ONE = 200
ENVIRONMENT = {"LANG": "C.UTF-8", "TZ": "UTC"}


class Tasks:
    def __init__(self, record, folder, bench, opus, before):
        self.record, self.folder, self.bench, self.opus, self.before = record, folder, bench, opus, before
        self.tasks, self.written = folder / "tasks", 0
        folder.mkdir(parents=True)

    def all(self, size):
        self.write(WRITE, "write", size, size)
        self.write(WRITE_EACH, "write-each", size, min(size, ONE_BY_ONE))
        self.store("write", self.tasks, size)
        self.list(size)
        runs = [self.store("scan", self.tasks) for _ in range(self.record.runs)]
        self.record.note(SCAN, size, {STORE: runs}, "files")

    def write(self, title, verb, size, count):
        """With one by one, the figure is for as many as `size`."""
        share, ours, raw = size / count, [], []
        for _ in range(min(self.record.runs, 3)):
            ours.append(scaled(self.store(verb, self.fresh(), count), share))
            raw.append(scaled(self.store("raw-" + verb, self.fresh(), count), share))
        self.record.note(title, size, {"opus": ours, "raw limit": raw}, "files")

    def fresh(self):
        self.written += 1
        return self.folder / f"written-{self.written}"

    def store(self, verb, folder, count=None):
        """Figures of one run of task-bench: of what it timed, not of its start."""
        command = [self.bench, verb, folder, *([str(count)] if count else [])]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        found = SHOWN.search(done.stdout)
        if done.returncode or not found or found[1] == "CHANGED":
            raise SystemExit(f"bench: task-bench {verb}: {done.stdout}{done.stderr}")
        return {"wall": float(found[3]), "cpu": float(found[4]), "peak": float(found[5])}

    def list(self, size):
        opus = [self.opus, "task", "list", "--workspace"] if self.opus else None
        todoman = self.todoman()
        entries = [(STORE, lambda: None, [self.bench, "list", self.tasks], ENVIRONMENT)]
        if opus:
            for name in ("new", "known"):
                self.workspace(self.folder / name)
            run = [self.opus, "run", "--yes", "--workspace", self.folder / "known"]
            measure(run, self.record.log, ENVIRONMENT)
            entries = [(OPUS, lambda: None, [*opus, self.folder / "known"], ENVIRONMENT),
                       (OPUS_NEW, lambda: None, [*opus, self.folder / "new"], ENVIRONMENT)] + entries
        if opus and self.before:
            self.workspace(self.folder / "before")
            measure([self.before, "run", "--yes", "--workspace", self.folder / "before"], self.record.log, ENVIRONMENT)
            entries.append((clients.BEFORE, lambda: None,
                            [self.before, "task", "list", "--workspace", self.folder / "before"], ENVIRONMENT))
        if todoman:
            cache = self.folder / "todoman/cache"
            entries += [("todoman, no cache", lambda: cache.unlink(missing_ok=True), [*todoman, "list"], ENVIRONMENT),
                        ("todoman", lambda: subprocess.run(list(map(str, [*todoman, "list"])), capture_output=True,
                                                           env=dict(os.environ, **ENVIRONMENT), check=True),
                         [*todoman, "list"], ENVIRONMENT)]
        if opus and todoman:
            self.same([*opus, self.folder / "new"], [*opus, self.folder / "known"], todoman)
        self.record.note(LIST, size, self.record.turns(entries), "files")

    def workspace(self, folder):
        for name in ("cur", "new", "tmp"):
            (folder / "mail" / name).mkdir(parents=True)
        (folder / "rules").mkdir()
        (folder / "tasks").symlink_to(self.tasks)
        (folder / "opus.yaml").write_text(
            "config-version: 1\nme: { name: A, addresses: [a@example.org] }\ntime-zone: Etc/UTC\naccounts:\n"
            f"  - name: work\n    address: a@example.org\n    maildir: {folder}/mail\n")

    def todoman(self):
        name = next((found for found in ("todoman", "todo") if shutil.which(found)), None)
        if not name:
            print("\nno todoman here: opus lists tasks alone")
            return None
        home = self.folder / "todoman"
        home.mkdir()
        (home / "config.py").write_text(
            f'path = "{self.tasks}/*"\ncache_path = "{home}/cache"\ndefault_list = "next"\n'
            'date_format = "%Y-%m-%d"\ntime_format = "%H:%M"\n')
        return [name, "--config", home / "config.py"]

    def same(self, new, known, todoman):
        """Every program must show the same titles with the same days."""
        shown = {label: sorted((item["summary"], item.get("due")) for item in output([*command, "--json"])["items"])
                 for label, command in ((OPUS_NEW, new), (OPUS, known))}
        shown["todoman"] = sorted((item["summary"], day(item["due"])) for item in
                                  output([*todoman, "--porcelain", "list"]))
        print("  found: " + ", ".join(f"{label} {len(tasks)}" for label, tasks in shown.items()), flush=True)
        if not shown[OPUS] or any(tasks != shown[OPUS] for tasks in shown.values()):
            raise SystemExit("bench: opus and todoman do not list the same tasks")


def output(command):
    return json.loads(subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True,
                                     env=dict(os.environ, **ENVIRONMENT)).stdout)


def day(seconds):
    return seconds and datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).date().isoformat()


def scaled(figures, share):
    return {key: value * share if key in ("wall", "cpu") else value for key, value in figures.items()}


def run(record, sizes, folder, bench, opus, before=None):
    for size in sizes:
        print(f"\n== {size} task files", flush=True)
        Tasks(record, Path(folder) / f"tasks-{size}", bench, opus, before).all(size)
