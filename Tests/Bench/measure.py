"""Whole processes, measured from outside and in turns; and the rows that are printed of it."""
import os
import shlex
import signal
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

# Who takes this long takes one turn, and the first one counts.
LONG = 60.0


def measure(command, log, environment=None):
    """One run: wall seconds, CPU seconds, peak MiB. The command must succeed."""
    with tempfile.NamedTemporaryFile("r") as peak:
        # wait4 reports a child's peak no lower than this interpreter's own, so GNU time, which is small, asks.
        argv = ["/usr/bin/time", "-q", "-o", peak.name, "-f", "%M", *map(str, command)]
        start = time.monotonic()
        child = start_process(argv, log, environment)
        status, usage = end_process(child)
        wall = time.monotonic() - start
        if status:
            log.flush()
            tail = Path(log.name).read_bytes()[-2000:].decode(errors="replace")
            raise SystemExit(f"bench: {shlex.join(map(str, command))} exited with {status}\n{tail}")
        return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "peak": int(peak.read().split()[-1]) / 1024}


def start_process(command, log, environment=None):
    """In a process group of its own, so that it can be ended with all that it started."""
    return subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                            env=dict(os.environ, **(environment or {})), start_new_session=True)


def end_process(child):
    """Waits for it, (status, usage); where the bench is ended meanwhile, so is the process."""
    try:
        _, status, usage = os.wait4(child.pid, 0)
    except BaseException:
        os.killpg(child.pid, signal.SIGTERM)
        raise
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage


class Record:
    """All rows of this bench. `turns` measures, `note` prints and keeps."""

    def __init__(self, folder, runs):
        self.rows, self.runs = [], runs
        self.log = open(folder / "log", "wb")

    def turns(self, entries, runs=None, before=None):
        """{label: figures of each turn} of [(label, prepare, command, environment)].

        The first turn is not counted, except where there is to be only one (`runs` 0) or it took very long. Each turn
        another one begins, so that nobody is always the one that comes after a cold cache. `before` runs at the start
        of each turn.
        """
        runs = self.runs if runs is None else runs
        results, done = {label: [] for label, *_ in entries}, set()
        for turn in range(runs + 1):
            if before:
                before()
            first = turn % len(entries)
            for label, prepare, command, environment in entries[first:] + entries[:first]:
                if label in done:
                    continue
                prepare()
                figures = measure(command, self.log, environment)
                if turn or not runs or figures["wall"] > LONG:
                    results[label].append(figures)
                if figures["wall"] > LONG:
                    done.add(label)
        return results

    def note(self, title, size, results, things="messages"):
        """Medians of what `turns` gave; counts of bytes and turns where the runs have them."""
        print(f"\n{title}, {size} {things}")
        base = results.get("opus")
        for label, runs in results.items():
            wall = [run["wall"] for run in runs]
            row = {"group": title, "size": size, "label": label, "wall": statistics.median(wall),
                   "fastest": min(wall), "slowest": max(wall), "cpu": statistics.median(run["cpu"] for run in runs),
                   "peak": max(run["peak"] for run in runs), "runs": len(runs)}
            row |= {key: statistics.median_low(run[key] for run in runs)
                    for key in ("connections", "up", "down", "turns") if key in runs[0]}
            if base and label != "opus":
                row["opus_time_ratio"] = statistics.median(run["wall"] for run in base) / row["wall"]
                row["opus_memory_ratio"] = max(run["peak"] for run in base) / row["peak"]
            print("  " + line(row), flush=True)
            self.rows.append(row)

    def find(self, group, size, label, key="wall"):
        """A figure of a row, or None where it was not measured."""
        return next((row.get(key) for row in self.rows
                     if (row["group"], row.get("size"), row["label"]) == (group, size, label)), None)


def line(row):
    text = (f"{row['label']:<28} {row['wall']:8.3f} s  ({row['fastest']:.3f} - {row['slowest']:.3f}, {row['runs']})"
            f"  cpu {row['cpu']:7.3f} s  peak {row['peak']:6.1f} MiB")
    if "down" in row:
        text += f"  up {kilobytes(row['up'])}  down {kilobytes(row['down'])}  {row['turns']} turns"
        text += f" on {row['connections']} connections" if row["connections"] != 1 else ""
    if "opus_time_ratio" in row:
        text += f"  opus: {row['opus_time_ratio']:.2f} x time, {row['opus_memory_ratio']:.2f} x memory"
    return text


def kilobytes(count):
    return f"{count / 1000:,.1f} kB"
