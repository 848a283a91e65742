#!/usr/bin/env python3
"""Runs the long tests in full, and prints the figure that each promise of the program reached.

    soak.py                 everything; hours
    soak.py kills sends     only these: kills, sends, network, undo, disk, processes, tasks, seeded
    soak.py --scale 0.1     a tenth of every figure

Programs: $OPUS, else .build/debug/opus, and the test bundle beside it. Exits with 1 if a promise is broken.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent
REPOSITORY = TESTS.parent

#: Name: the command, the variables for its length, and the wanted figure.
PARTS = {
    "kills": (["run.py", "test_kill_points"], {"OPUS_KILL_POINTS": 1000, "OPUS_KILL_REAL": 200, "OPUS_KILL_BATCH": 100,
                                               "OPUS_KILL_DIALECTS": "cyrus,dovecot"}, 2000),
    # A point with a batch of 500 messages takes several times as long.
    "kills-large": (["run.py", "test_kill_points"], {"OPUS_KILL_POINTS": 60, "OPUS_KILL_REAL": 100, "OPUS_KILL_BATCH": 500,
                                                     "OPUS_KILL_DIALECTS": "cyrus,dovecot"}, None),
    "kills-by-hand": (["run.py", "test_hand_kills"], {"OPUS_HAND_KILLS": 40, "OPUS_HAND_FAULTS": 20}, None),
    "sends": (["run.py", "test_send_faults"], {"OPUS_SEND_POINTS": 168}, 1000),
    "send-faults": (["swift", "SendFaultTests"], {"OPUS_SEND_FAULTS": "all"}, None),
    "network": (["swift", "FaultMatrixTests"], {"OPUS_MATRIX": 300}, 1000),
    "disk": (["run.py", "test_disk_faults"], {"OPUS_DISK_POINTS": 100}, 100),
    "processes": (["run.py", "test_many_processes"], {"OPUS_PROCESS_ROUNDS": 200}, 200),
    "undo": (["swift", "UndoBatchTests"], {"OPUS_UNDO_BATCHES": 1000}, 1000),
    "task-lives": (["swift", "MergeMachineTests"], {"OPUS_TASK_SEQUENCES": 50000}, None),
    "tasks": (["run.py", "test_task_kills", "test_killed_at_any_step"], {"OPUS_TASK_KILLS": 100}, 200),
    "search": (["swift", "SearchAgreementTests"], {"OPUS_SEARCH_QUERIES": 50000}, None),
    "loops": (["swift", "LoopGuardTests"], {}, None),
    "loops-servers": (["run.py", "test_loops"], {}, None),
    "inbox": (["run.py", "test_inbox"], {"OPUS_INBOX_VERBS": 1000}, 1000),
    "watch": (["run.py", "test_watch_life"], {"OPUS_WATCH_ROUNDS": 500}, 500),
    "cuts": (["run.py", "test_watch_network"], {"OPUS_WATCH_NETWORK": 20}, None),
    "weeks": (["run.py", "test_weeks"], {"OPUS_WEEKS": 8}, None),
    "batches": (["run.py", "test_one_batch"], {"OPUS_BATCH_SEEDS": 120}, None),
    "ledger": (["run.py", "test_deferred_machines"], {"OPUS_LEDGER_ROUNDS": 30}, 60),
    "foreign": (["run.py", "test_dovecot", "test_cyrus", "test_courier", "test_zz"], {}, None),
    "seeded": (["seeded.py"], {}, 20),
}
#: Parts that count towards the figure of another part.
TOGETHER = {"kills-large": "kills", "kills-by-hand": "kills", "send-faults": "sends", "task-lives": "tasks",
            "loops-servers": "loops", "cuts": "watch", "batches": "weeks"}
PROMISES = (
    ("P1", "no mail is lost or doubled, whenever we are killed", "kills"),
    ("P2", "no mail is sent twice, and none is lost without a report", "sends"),
    ("P3", "what other clients marked as deleted is left alone", "foreign"),
    ("P5", "a bad network is harmless", "network"),
    ("P11", "task files survive editors, programs and kills", "tasks"),
    ("P12", "undo puts everything back", "undo"),
    ("P16", "no mail loops", "loops"),
    ("P18", "a full or broken disk: fails closed, resumes", "disk"),
    ("P19", "several programs at once", "processes"),
    ("P21", "every message and task is accounted for, week after week", "weeks"),
    ("P24", "two machines and a phone lose no date of deferred mail", "ledger"),
    ("P22", "a session of random verbs, undone to its beginning, leaves the account as it was", "inbox"),
    ("P23", "a watch misses and doubles no mail, whatever happens to it", "watch"),
    ("P20", "the tests would notice", "seeded"),
)


def command(words):
    if words[0] != "swift":
        return [sys.executable, str(TESTS / words[0]), *words[1:]]
    opus = Path(os.environ.get("OPUS", REPOSITORY / ".build" / "debug" / "opus"))
    bundle = next((folder / "magnum-opusPackageTests.xctest"
                   for folder in (opus.resolve().parent, REPOSITORY / ".build" / "debug")
                   if (folder / "magnum-opusPackageTests.xctest").exists()), None)
    if bundle:
        return [str(bundle), "--testing-library", "swift-testing", "--filter", words[1]]
    return ["swift", "test", "--filter", words[1]]


def play(name, scale, figures):
    words, wishes, _ = PARTS[name]
    sized = {key: str(max(1, round(value * scale))) if isinstance(value, int) and key != "OPUS_KILL_BATCH" else str(value)
             for key, value in wishes.items()}
    done = subprocess.run(command(words), env={**os.environ, **sized, "OPUS_FIGURES": str(figures)}, cwd=REPOSITORY)
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--scale", type=float, default=float(os.environ.get("OPUS_SOAK_SCALE", "1")))
    options = parser.parse_args()
    wanted = [name for name in PARTS
              if not options.parts or name in options.parts or TOGETHER.get(name) in options.parts]
    with tempfile.TemporaryDirectory(prefix="opus-soak-") as folder:
        figures = Path(folder) / "figures"
        figures.touch()
        passed = {name: play(name, options.scale, figures) for name in wanted}
        rows = [json.loads(line) for line in figures.read_text().splitlines()]
    return table(passed, rows, options.scale)


def table(passed, rows, scale):
    """Prints each promise with what was played; 1 when one of them is broken or fell short."""
    broken = 0
    print(f"\n{'':4} {'promise':55} {'reached':>8} {'wanted':>7}  outcome")
    for number, words, part in PROMISES:
        parts = [name for name in passed if name == part or TOGETHER.get(name) == part]
        if not parts:
            continue
        mine = [row for row in rows if row["name"] == part]
        reached, failures = sum(row["points"] for row in mine), sum(row["failures"] for row in mine)
        least = round((PARTS[part][2] or 0) * scale)
        good = all(passed[name] for name in parts) and not failures and reached >= least
        outcome = "held" if good else f"{failures} failures" if failures else "fell short or failed"
        broken += not good
        print(f"{number:4} {words:55} {reached or '-':>8} {least or '-':>7}  {outcome}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
