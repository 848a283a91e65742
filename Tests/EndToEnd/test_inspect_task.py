"""`opus inspect task`: task files of other programs, held against a reading of them by Python's `icalendar`."""
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from workplace import OPUS, REPOSITORY

try:
    import icalendar
except ImportError:
    icalendar = None

FILES = sorted((REPOSITORY / "Tests" / "Fixtures" / "tasks").glob("*.ics"))
STATUS = {"NEEDS-ACTION": "open", "IN-PROCESS": "in-process", "COMPLETED": "completed", "CANCELLED": "cancelled"}


def inspect(*words, data=None):
    return subprocess.run([OPUS, "inspect", "task", *map(str, words)], input=data, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)


def first(value):
    return value[0] if isinstance(value, list) else value


def written(value):
    return [one.to_ical() for one in (value if isinstance(value, list) else [value])]


def task_of(data):
    """The first VTODO as `icalendar` reads it; None where it cannot."""
    try:
        calendar = icalendar.Calendar.from_ical(data.decode("utf-8-sig"))
    except ValueError:
        return None
    return next((part for part in calendar.walk("VTODO") if "RECURRENCE-ID" not in part), None)


class InspectTask(unittest.TestCase):
    def test_a_file_comes_back_as_it_was(self):
        self.assertGreaterEqual(len(FILES), 60)
        for file in FILES:
            with self.subTest(file.stem):
                self.assertEqual(inspect(file, "--roundtrip").stdout, file.read_bytes())
                self.assertEqual(inspect("-", "--roundtrip", data=file.read_bytes()).stdout, file.read_bytes())

    @unittest.skipUnless(icalendar, "python3-icalendar is not installed")
    def test_icalendar_reads_the_same_before_and_after_a_change(self):
        compared = 0
        for file in FILES:
            with self.subTest(file.stem):
                theirs = task_of(file.read_bytes())
                ours = json.loads(inspect(file, "--json").stdout)
                self.assertEqual(ours["schema"], "opus.task/1")
                if theirs is None:
                    continue
                compared += self.compare(ours["task"], theirs)
                done = inspect(file, "--set", "SUMMARY=Neu; jetzt, ü", "--set", "PRIORITY=1", "--now", "2026-03-10T08:30:00Z")
                self.assertEqual(done.returncode, 0, done.stderr)
                after = task_of(done.stdout)
                self.assertEqual(str(first(after["SUMMARY"])), "Neu; jetzt, ü")
                self.assertEqual(int(first(after["PRIORITY"])), 1)
                same = set(theirs) - {"SUMMARY", "PRIORITY", "DTSTAMP", "LAST-MODIFIED", "SEQUENCE"}
                self.assertEqual({name: written(theirs[name]) for name in same}, {name: written(after[name]) for name in same})
        self.assertGreater(compared, 150)

    def compare(self, ours, theirs):
        count = 0
        for name, mine in (("UID", ours["uid"]), ("SUMMARY", ours["summary"]), ("RRULE", None)):
            if name in theirs and mine is not None:
                self.assertEqual(mine, " ".join(str(first(theirs[name])).split()) if name == "SUMMARY" else str(theirs[name]))
                count += 1
        if "STATUS" in theirs and str(theirs["STATUS"]).upper() in STATUS:
            self.assertEqual(ours["status"], STATUS[str(theirs["STATUS"]).upper()])
            count += 1
        if "PRIORITY" in theirs:
            self.assertEqual(ours["priority"], int(theirs["PRIORITY"]))
            count += 1
        for name, mine in (("DUE", "due"), ("DTSTART", "start")):
            value = getattr(theirs.get(name), "dt", None)
            if value is not None:
                self.assertTrue(ours[mine].startswith(value.isoformat()[:16]), f"{ours[mine]} is not {value}")
                count += 1
        self.assertEqual("RRULE" in theirs, "recurrence" in ours)
        return count + 1

    def test_unreadable_files_are_reported_with_the_line(self):
        with tempfile.TemporaryDirectory() as folder:
            cut = Path(folder) / "cut.ics"
            cut.write_bytes(b"BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:u1\r\n")
            done = inspect(cut)
            self.assertEqual(done.returncode, 65)
            self.assertIn(b"cut.ics:2: BEGIN:VTODO has no END:VTODO", done.stderr)
            large = Path(folder) / "large.ics"
            large.write_bytes(b"X" * (2 << 20))
            self.assertEqual(inspect(large).returncode, 65)
        self.assertEqual(inspect("/nowhere.ics").returncode, 66)
        self.assertEqual(inspect(FILES[0], "--set", "DUE=tomorrow").returncode, 64)
        self.assertEqual(inspect(FILES[0], "--roundtrip", "--complete").returncode, 64)

    def test_a_repeating_task_continues_as_its_program_does_it(self):
        files = {file.stem: file for file in FILES}
        done = inspect(files["tasksorg-repeat"], "--complete")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"DUE;VALUE=DATE:20260417\r\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=FR\r\n", done.stdout)
        self.assertNotIn(b"COMPLETED", done.stdout)
        done = inspect(files["thunderbird-overrides"], "--complete")
        self.assertEqual(done.returncode, 0, done.stderr)
        end = b"END:VCALENDAR\r\n"
        self.assertTrue(done.stdout.startswith(files["thunderbird-overrides"].read_bytes().removesuffix(end)))
        self.assertIn(b"RECURRENCE-ID;TZID=Europe/Paris:20260330T090000\r\n", done.stdout)

    def test_no_control_character_of_a_file_reaches_the_terminal(self):
        evil = (b"BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:u\x1b[2J\r\nSUMMARY:\x1b]0;x\x07\xe2\x80\xae evil\r\n"
                b"CONTACT:\x1b[31m\r\nDESCRIPTION:a\x1b[1mb\r\nEND:VTODO\r\nEND:VCALENDAR\r\n")
        done = inspect("-", data=evil)
        self.assertEqual(done.returncode, 0, done.stderr)
        for harmful in (b"\x1b", b"\x07", b"\xe2\x80\xae"):
            self.assertNotIn(harmful, done.stdout)


if __name__ == "__main__":
    unittest.main()
