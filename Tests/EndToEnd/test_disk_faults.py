"""The n-th write to disk fails: the program says so, changes nothing more, and goes on when there is room again.

ENOSPC and EIO, once or from there on. OPUS_DISK_POINTS says how many points are tried (10).
"""
import errno
import os
import sqlite3
import unittest

import shim
from batch import RUN, Batch
from figures import note
from model import Model
from oracle import settle
from workplace import Case

POINTS = int(os.environ.get("OPUS_DISK_POINTS", "10"))
MESSAGES = 24
ERRORS = (errno.ENOSPC, errno.EIO)
#: 1: some steps failed; 73: cannot create output; 74: input or output error; 75: for now.
CODES = (0, 1, 73, 74, 75)


class DiskFaults(Case):
    def test_a_write_that_fails(self):
        model = Model()
        self.addCleanup(model.stop)
        batch = Batch(MESSAGES, self.folder, model)
        place, count = batch.fresh(), self.folder / "count"
        self.check(place.opus(*RUN, environment=shim.counting(place, count)))
        total, said, failed = int(count.read_text()), 0, 0
        self.assertGreater(total, 100, "the shim counts no steps")
        for number in range(POINTS):
            step, error = 1 + number * total // POINTS, ERRORS[number % 2]
            times = 1 if number % 4 < 2 else 1_000_000
            with self.subTest(f"{errno.errorcode[error]} at step {step} of {total}, {times} times"):
                try:
                    code = self.point(batch, step, error, times)
                    said += code != 0
                    if times > 1 and step < total // 2:
                        # The last third of the steps is the checkpoint of the store, which can wait for the next command.
                        self.assertNotEqual(code, 0, "half of the work was not written, and nobody was told")
                except BaseException:
                    failed += 1
                    raise
        note("disk", f"{said} said so", POINTS, failed)

    def point(self, batch, step, error, times):
        """The exit code of the program."""
        place = batch.fresh()
        done = place.opus(*RUN, environment=shim.failing(place, step, error, times))
        self.assertIn(done.code, CODES, str(done))
        self.assertNotIn("Fatal error", done.err, str(done))
        if times > 1 and step < 100:
            # Nothing can be written from the beginning: then nothing may have been done either.
            self.assertIn(done.code, (73, 74), str(done))
            self.assertRegex(done.text.lower(), "space|input/output", str(done))
            self.assertEqual(batch.model.state().deliveries, [], str(done))
        self.sound(place)
        problems, asked = settle(batch, place)
        self.assertEqual(problems, [], str(done))
        self.assertLessEqual(asked, 1)
        self.sound(place)
        batch.forget(place)
        return done.code

    def sound(self, place):
        for path in (place.root / ".opus").rglob("*.sqlite"):
            database = sqlite3.connect(path)
            found = database.execute("PRAGMA integrity_check").fetchall()
            database.close()
            self.assertEqual(found, [("ok",)], str(path))


if __name__ == "__main__":
    unittest.main()
