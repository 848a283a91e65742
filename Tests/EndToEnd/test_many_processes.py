"""Two to eight programs at once on one workspace: they wait for each other, no lock error reaches a person, and nothing is
done twice.

OPUS_PROCESS_ROUNDS says how many rounds are played (5).
"""
import fcntl
import os
import subprocess
import time
import unittest

import shim
from batch import RUN, Batch
from boxes import MaildirBox
from figures import note
from letters import letter
from model import Model
from oracle import settle
from workplace import Case, Workplace

ROUNDS = int(os.environ.get("OPUS_PROCESS_ROUNDS", "5"))
MESSAGES = 24


class ManyProcesses(Case):
    def test_one_works_and_the_others_wait(self):
        model = Model()
        self.addCleanup(model.stop)
        batch, failed = Batch(MESSAGES, self.folder, model), 0
        for number in range(ROUNDS):
            count = 2 + number % 7
            with self.subTest(f"round {number + 1}: {count} programs"):
                try:
                    self.round(batch, count)
                except BaseException:
                    failed += 1
                    raise
        note("processes", "waited for each other", ROUNDS, failed)

    def round(self, batch, count):
        place = batch.fresh()
        running = [subprocess.Popen(place.command(*RUN, "--json"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True, env=place.environment(), cwd=place.root)
                   for _ in range(count)]
        ended = [(process, *process.communicate(timeout=120)) for process in running]
        for process, out, err in ended:
            self.assertEqual(process.returncode, 0, f"{out[-1500:]}\n{err[-1500:]}")
        problems, asked = settle(batch, place)
        self.assertEqual((problems, asked), ([], 0))
        batch.forget(place)


class WaitsForTheLock(Case):
    """A watch holds the lock for a moment only, so others wait for it: on a thread that may wait, which is a work thread,
    or the first thread if the command has nothing else to wait for."""

    def test_the_thread_that_waits_is_one_that_may_wait(self):
        box = MaildirBox(self.folder / "Maildir")
        box.add("INBOX", [letter("One")])
        place = Workplace(self.folder / "workspace", box.yaml())
        self.check(place.opus("sync"))
        for words, expected in ((["sync"], "opus-work"), (["task", "add", "Call Ana"], "opus")):
            with self.subTest(" ".join(words)), open(place.root / ".opus" / "lock", "r+") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                lock.write("1\nbrief\n")
                lock.flush()
                note = self.folder / f"{words[0]}.sleeps"
                process = subprocess.Popen(place.command(*words), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL, cwd=place.root,
                                           env=place.environment() | shim.sleeping(place, note))
                threads = self.sleeping_threads(note)
                fcntl.flock(lock, fcntl.LOCK_UN)
                self.assertEqual(process.wait(30), 0)
                self.assertEqual(threads, {expected})

    def sleeping_threads(self, note):
        """The names of the threads that wait for the lock, which they try every 20 ms."""
        end, found = time.monotonic() + 20, set()
        while time.monotonic() < end and not found:
            time.sleep(0.02)
            lines = note.read_text().splitlines() if note.exists() else []
            found = {line.split(" ", 1)[1] for line in lines if line.startswith("20000 ")}
        return found


if __name__ == "__main__":
    unittest.main()
