"""Killed at every step of a write, a task file is the old one or the new one, whole; the next try ends the work.

OPUS_TASK_KILLS says how many steps are tried, spread over all (12).
"""
import os

import shim
from figures import note
from workplace import Case

POINTS = int(os.environ.get("OPUS_TASK_KILLS", "12"))
OLD = (b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VTODO\r\nUID:other\r\nSUMMARY;LANGUAGE=en:Paint the fence\r\n"
       b"X-OTHER;P=1:kept\r\nLINK;LINKREL=SOURCE:https://example.org\r\nEND:VTODO\r\nEND:VCALENDAR\r\n")
DONE = ("task", "done", "other")


class TaskKills(Case):
    kind = "maildir"

    def test_a_kill_at_any_step_of_a_write(self):
        place = self.new_place(self.new_box())
        self.check(place.opus("task", "list"))
        count = self.folder / "count"
        # The first time has more to do than the later ones.
        self.fresh(place)
        self.check(place.opus(*DONE))
        file = self.fresh(place)
        self.check(place.opus(*DONE, environment=shim.counting(place, count)))
        new, total, failed = file.read_bytes(), int(count.read_text()), 0
        self.assertIn(b"STATUS:COMPLETED", new)
        self.assertGreater(total, 5)
        killed = written = 0
        for number in range(POINTS):
            step, when = 1 + number * total // POINTS, ("before", "after", "torn")[number % 3]
            with self.subTest(f"killed {when} step {step} of {total}"):
                file = self.fresh(place)
                code = place.opus(*DONE, environment=shim.killing(place, step, when)).code
                killed += code != 0
                try:
                    self.assertIn(file.read_bytes(), (OLD, new))
                    tasks = [path.name for path in file.parent.glob("*") if path.suffix == ".ics"]
                    self.assertEqual(tasks, ["other.ics"])
                    written += file.read_bytes() == new
                    self.assertIn(place.opus(*DONE).code, (0, 66))
                    self.assertEqual(file.read_bytes(), new)
                except AssertionError:
                    failed += 1
                    raise
        note("tasks", f"{killed} killed, {written} of them with the new file there", POINTS, failed)
        self.assertGreaterEqual(killed, POINTS // 2)

    def fresh(self, place):
        folder = place.tasks / "next"
        folder.mkdir(exist_ok=True)
        for path in folder.iterdir():
            if path.name != "displayname":
                path.unlink()
        (folder / "other.ics").write_bytes(OLD)
        return folder / "other.ics"
