"""Two to eight programs at once on one workspace: one works, the others say so with exit 75, and nothing is done twice.

OPUS_PROCESS_ROUNDS says how many rounds are played (5).
"""
import json
import os
import subprocess
import unittest

from batch import RUN, Batch
from figures import note
from model import Model
from oracle import settle
from workplace import Case

ROUNDS = int(os.environ.get("OPUS_PROCESS_ROUNDS", "5"))
MESSAGES = 24


class ManyProcesses(Case):
    def test_one_works_and_the_others_say_so(self):
        model = Model()
        self.addCleanup(model.stop)
        batch, waited, failed = Batch(MESSAGES, self.folder, model), 0, 0
        for number in range(ROUNDS):
            count = 2 + number % 7
            with self.subTest(f"round {number + 1}: {count} programs"):
                try:
                    waited += self.round(batch, count)
                except BaseException:
                    failed += 1
                    raise
        note("processes", f"{waited} told to come back", ROUNDS, failed)
        self.assertGreater(waited, 0)

    def round(self, batch, count):
        """How many were turned away."""
        place = batch.fresh()
        running = [subprocess.Popen(place.command(*RUN, "--json"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True, env=place.environment(), cwd=place.root)
                   for _ in range(count)]
        ended = [(process, *process.communicate(timeout=120)) for process in running]
        turned_away = 0
        for process, out, err in ended:
            self.assertIn(process.returncode, (0, 75), f"{out[-1500:]}\n{err[-1500:]}")
            if process.returncode == 75:
                turned_away += 1
                words = json.loads(err.strip().splitlines()[-1])
                self.assertIn("opus", json.dumps(words).lower(), err)
        self.assertLess(turned_away, count, "none of them worked")
        problems, asked = settle(batch, place)
        self.assertEqual((problems, asked), ([], 0))
        batch.forget(place)
        return turned_away


if __name__ == "__main__":
    unittest.main()
