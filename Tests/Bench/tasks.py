#!/usr/bin/env python3
"""Task files: opus beside todoman on the same folder, and the store of task files alone.

    tasks.py --bench PATH [--opus PATH] [--sizes 1000,10000] [--runs 5]

--bench is the program task-bench (release), --opus the program itself. Times are seconds, the median of the runs; cold is
without any cache. At the end each aim of the task files is met or missed; that fails nothing.
"""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SHOWN = re.compile(r"(\w+) (\d+) seconds ([\d.e-]+) peak-MiB ([\d.]+)")
# (what, figure, most)
AIMS = (("list", "seconds", 0.35), ("list", "MiB", 32), ("scan", "seconds", 0.06), ("write", "seconds", 0.6),
        ("write-each", "seconds", 2.0), ("opus warm", "seconds", 0.1))


def store(bench, verb, folder, count=None):
    """(seconds, peak MiB) of one run of task-bench."""
    done = subprocess.run([bench, verb, folder, *([str(count)] if count else [])], capture_output=True, text=True)
    found = SHOWN.search(done.stdout)
    if done.returncode or not found or found[1] == "CHANGED":
        sys.exit(f"tasks: task-bench {verb}: {done.stdout}{done.stderr}")
    return float(found[3]), float(found[4])


def program(command, environment):
    """(seconds, peak MiB) of a whole process."""
    start = time.monotonic()
    done = subprocess.run(["/usr/bin/time", "-f", "%M", *map(str, command)], env=environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"tasks: {command}: {done.stderr}")
    return time.monotonic() - start, int(done.stderr.split()[-1]) / 1024


def middle(figures):
    return tuple(statistics.median(column) for column in zip(*figures))


def todoman(folder, tasks, runs):
    name = next((found for found in ("todoman", "todo") if shutil.which(found)), None)
    if not name:
        return {}
    home = folder / "todoman"
    home.mkdir(exist_ok=True)
    (home / "config.py").write_text(f'path = "{tasks}/*"\ncache_path = "{home}/cache"\ndefault_list = "next"\n')
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    command = [name, "--config", home / "config.py", "list"]
    cold, warm = [], []
    for _ in range(runs):
        (home / "cache").unlink(missing_ok=True)
        cold.append(program(command, environment))
        warm.append(program(command, environment))
    return {"todoman cold": middle(cold), "todoman warm": middle(warm)}


def opus(path, folder, runs):
    """`opus task list` in a workspace whose only account is an empty Maildir."""
    for name in ("cur", "new", "tmp"):
        (folder / "mail" / name).mkdir(parents=True, exist_ok=True)
    (folder / "opus.yaml").write_text(
        f"version: 1\naccounts:\n  - name: work\n    address: a@example.org\n    maildir: {folder}/mail\n")
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8"}
    command = [path, "-C", folder, "task", "list"]
    program(command, environment)
    return {"opus warm": middle([program(command, environment) for _ in range(runs)])}


def measure(options, size, folder):
    tasks = folder / "tasks"
    figures = {}
    for verb in ("write-each", "write"):
        rows = []
        for _ in range(min(options.runs, 3)):
            shutil.rmtree(tasks, ignore_errors=True)
            rows.append(store(options.bench, verb, tasks, size))
        figures[verb] = middle(rows)
    for verb in ("list", "scan"):
        figures[verb] = middle([store(options.bench, verb, tasks) for _ in range(options.runs)])
    if options.opus:
        figures.update(opus(options.opus, folder, options.runs))
    figures.update(todoman(folder, tasks, min(options.runs, 3)))
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True, type=Path)
    parser.add_argument("--opus", type=Path)
    parser.add_argument("--sizes", default="1000,10000", type=lambda text: [int(size) for size in text.split(",")])
    parser.add_argument("--runs", default=5, type=int)
    options = parser.parse_args()
    for size in options.sizes:
        with tempfile.TemporaryDirectory(prefix="opus-tasks-") as folder:
            figures = measure(options, size, Path(folder))
        print(f"\n== {size} task files")
        for name, (seconds, peak) in figures.items():
            print(f"{name:15} {seconds:8.3f} s {peak:7.1f} MiB")
        if size == 10_000:
            for name, unit, most in AIMS:
                if name in figures:
                    figure = figures[name][unit == "MiB"]
                    print(f"{name + ' ' + unit:20} {figure:8.3f} of {most:5} {'met' if figure <= most else 'missed'}")


if __name__ == "__main__":
    main()
