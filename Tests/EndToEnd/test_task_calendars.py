"""Calendar files that hold several components, as programs export whole lists and as Thunderbird keeps what was done of a
series: read whole, and changed in place. Files of events are left alone."""
import json
import subprocess

from letters import letter
from oracle import later
from task_programs import Todoman, debian, newest, require
from test_task_programs import Shared
from workplace import OPUS

#: As the export of Nextcloud's Tasks writes a list.
LIST = """\
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//SabreDAV//SabreDAV//EN
X-WR-CALNAME:Household
BEGIN:VTODO
UID:home-milk
CREATED:20260301T102030Z
DTSTAMP:20260301T102030Z
SUMMARY:Buy milk
DUE;VALUE=DATE:20260331
X-FOO;BAR=1:keep
END:VTODO
BEGIN:VEVENT
UID:home-fair
DTSTAMP:20260301T102030Z
DTSTART;VALUE=DATE:20260401
SUMMARY:Fair
END:VEVENT
BEGIN:VTODO
UID:home-bread
CREATED:20260301T102030Z
DTSTAMP:20260301T102030Z
SUMMARY:Bake bread
PRIORITY:5
END:VTODO
END:VCALENDAR
""".replace("\n", "\r\n").encode()
#: As Thunderbird keeps a series of which one occurrence is done.
SERIES = """\
BEGIN:VCALENDAR
PRODID:-//Mozilla.org/NONSGML Mozilla Calendar V1.1//EN
VERSION:2.0
BEGIN:VTODO
UID:plants
DTSTAMP:20260302T070809Z
SUMMARY:Water the plants
RRULE:FREQ=WEEKLY
DTSTART;VALUE=DATE:20260302
DUE;VALUE=DATE:20260303
END:VTODO
BEGIN:VTODO
UID:plants
DTSTAMP:20260302T070809Z
SUMMARY:Water the plants
RECURRENCE-ID;VALUE=DATE:20260302
STATUS:COMPLETED
PERCENT-COMPLETE:100
COMPLETED:20260302T073000Z
DTSTART;VALUE=DATE:20260302
DUE;VALUE=DATE:20260303
END:VTODO
END:VCALENDAR
""".replace("\n", "\r\n").encode()
EVENTS = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:e1\r\nSUMMARY:Fair\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"


class Files(Shared):
    def start(self, **files):
        self.prepare(foreign=None)
        for name, content in files.items():
            (self.place.tasks / "next" / f"{name}.ics").write_bytes(content)
        return self.place

    def file(self, name):
        return (self.place.tasks / "next" / f"{name}.ics").read_bytes()

    def titles(self, *words):
        return [item["summary"] for item in self.check(self.place.opus(*words, "--json")).json["items"]]


class CalendarFiles(Files):
    def test_a_list_in_one_file(self):
        self.start(household=LIST)
        self.assertLessEqual({"Buy milk", "Bake bread"}, set(self.titles("task", "list")))
        self.assertLessEqual({"Buy milk", "Bake bread"}, set(self.titles("next")))
        self.assertEqual(self.check(self.place.opus("task", "list", "--json")).json["malformed"], [])
        self.run_opus()
        self.check(self.place.opus("task", "done", "home-bread"))
        before, after = LIST.split(b"\r\n"), self.file("household").split(b"\r\n")
        self.assertEqual((after[:19], after[-3:]), (before[:19], before[-3:]))
        self.assertIn(b"STATUS:COMPLETED", after)
        self.assertEqual(self.item("Buy milk")["status"], "open")
        self.run_opus()
        self.check(self.place.opus("task", "check"))
        self.assertNothingMore(self.place, self.box)

    def test_a_task_that_a_program_puts_into_the_file_of_another(self):
        self.start(household=LIST)
        old = self.place.task("Answer Ask one")
        home = self.place.tasks / "next" / "household.ics"
        task = old.read_bytes().partition(b"BEGIN:VTODO")[2].partition(b"END:VCALENDAR")[0]
        home.write_bytes(LIST.replace(b"END:VCALENDAR", b"BEGIN:VTODO" + task + b"END:VCALENDAR"))
        self.check(self.place.opus("run", "--yes"), 1, "the same UID")
        old.unlink()
        self.assertNothingMore(self.place, self.box)
        self.check(self.place.opus("task", "done", old.stem))
        self.run_opus("is done: its mail goes to the archive")
        self.finish({"ask-one": "Archive"})

    def test_times_in_zones_that_other_programs_name_in_their_own_way(self):
        # 12:00 on 9 March in each zone, and 08:00 on the 10th; the clock is 08:30 on the 10th in Paris.
        zones = {"Windows": "W. Europe Standard Time", "Evolution": "/freeassociation.sourceforge.net/Europe/Paris",
                 "Citadel": "/citadel.org/20260101_1/Europe/Paris", "Outlook": "Customized Time Zone"}

        def todo(name, zone, line):
            lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VTODO", f"UID:{name}", "DTSTAMP:20260301T000000Z", f"SUMMARY:{name}",
                     line.replace("ZONE", zone), "END:VTODO", "END:VCALENDAR", ""]
            return "\r\n".join(lines).encode()

        files = {}
        for name, zone in zones.items():
            files[f"late-{name}"] = todo(f"late {name}", zone, "DUE;TZID=ZONE:20260309T120000")
            files[f"soon-{name}"] = todo(f"soon {name}", zone, "DUE;TZID=ZONE:20260310T090000")
            files[f"later-{name}"] = todo(f"later {name}", zone, "DTSTART;TZID=ZONE:20260310T120000")
        files["far"] = todo("far", "Tokyo Standard Time", "DUE;TZID=ZONE:20260310T160000")
        self.start(**files)
        self.assertEqual(set(self.titles("task", "list", "--overdue")), {f"late {name}" for name in zones} | {"far"})
        self.assertFalse([title for title in self.titles("next") if title.startswith("later")])
        self.assertLessEqual({f"later {name}" for name in zones}, set(self.titles("scheduled")))
        # Times are shown in the zone of the workspace.
        shown = {line.split("\t")[3]: line.split("\t")[2] for line in self.check(self.place.opus("task", "list")).out.splitlines()}
        self.assertEqual(shown["far"], "2026-03-10T08:00:00+01:00")
        self.assertEqual(shown["soon Windows"], "2026-03-10T09:00:00+01:00")
        self.assertEqual(shown["soon Outlook"], "2026-03-10T09:00:00")

    def test_a_change_is_undone_byte_for_byte(self):
        self.start(household=LIST)
        self.run_opus()
        self.check(self.place.opus("task", "edit", "home-milk", "--title", "Oat milk"))
        self.assertIn(b"SUMMARY:Oat milk\r\n", self.file("household"))
        self.check(self.place.opus("undo", "--yes"))
        self.assertEqual(self.file("household"), LIST)

    def test_a_shared_file_is_not_moved(self):
        self.start(household=LIST)
        answer = self.check(self.place.opus("task", "move", "home-milk", "someday"), 65, "holds 2 tasks")
        self.assertNotIn("moved", answer.text)
        self.assertEqual(self.file("household"), LIST)

    def test_a_series_with_instances(self):
        self.start(plants=SERIES)
        self.run_opus()
        self.assertEqual(self.item("Water the plants")["due"], "2026-03-10")
        self.check(self.place.opus("task", "done", "plants"))
        end = b"END:VCALENDAR\r\n"
        self.assertTrue(self.file("plants").startswith(SERIES[:-len(end)]))
        self.assertIn(b"RECURRENCE-ID;VALUE=DATE:20260309\r\n", self.file("plants"))
        self.assertEqual(self.item("Water the plants")["due"], "2026-03-17")
        self.run_opus()
        self.check(self.place.opus("task", "check"))
        self.assertNothingMore(self.place, self.box)
        self.check(self.place.opus("undo", "--yes"))
        self.assertEqual(self.file("plants"), SERIES)

    def test_a_series_whose_last_date_another_program_completes(self):
        both = SERIES.replace(b"FREQ=WEEKLY", b"FREQ=WEEKLY;COUNT=2").replace(
            b"DUE;VALUE=DATE:20260303\r\nEND", b"DUE;VALUE=DATE:20260303\r\nURL:mid:ask-three@test.example\r\nEND", 1)
        self.start(plants=both)
        self.run_opus()
        self.check(self.place.opus("task", "link", "plants"))
        self.assertEqual(self.item("Water the plants")["status"], "open")
        self.assertPlaces(self.box, {"ask-three": "INBOX"})
        head, instance, end = both.partition(b"BEGIN:VTODO\r\nUID:plants\r\nDTSTAMP:20260302T070809Z\r\nSUMMARY:Water the "
                                             b"plants\r\nRECURRENCE-ID")
        done = both.replace(b"END:VCALENDAR\r\n", (instance + end).replace(b"20260302", b"20260309"))
        (self.place.tasks / "next" / "plants.ics").write_bytes(done)
        self.run_opus("task “Water the plants” is done: its mail goes to the archive")
        self.assertEqual(self.file("plants"), done)
        self.assertEqual(self.item("Water the plants")["status"], "completed")
        self.assertNotIn("Water the plants", self.titles("task", "list"))
        self.check(self.place.opus("task", "reopen", "plants"), 65, "repeating task")
        self.assertEqual(self.file("plants"), done)
        self.finish({"ask-three": "Archive"})

    def test_mail_waits_for_the_date_of_a_series_that_is_not_done(self):
        self.prepare(foreign=None)
        path = self.place.task("Answer Ask one")
        scheduled = self.place.tasks / "scheduled" / path.name
        scheduled.parent.mkdir(exist_ok=True)
        text = path.read_bytes().replace(b"STATUS:", b"DTSTART;VALUE=DATE:20260305\r\nRRULE:FREQ=WEEKLY;COUNT=4\r\nSTATUS:")
        uid = next(line for line in text.split(b"\r\n") if line.startswith(b"UID:"))

        def done(text, day):
            lines = [b"BEGIN:VTODO", uid, b"RECURRENCE-ID;VALUE=DATE:202603%02d" % day, b"STATUS:COMPLETED", b"END:VTODO"]
            return text.replace(b"END:VCALENDAR", b"\r\n".join([*lines, b"END:VCALENDAR"]))

        path.unlink()
        text = done(text, 5)
        scheduled.write_bytes(text)
        self.assertNotIn("without a start", self.run_opus().text)
        self.assertPlaces(self.box, {"ask-one": "Deferred"})
        self.assertIn("12 Mar", self.place.opus("defer", "--list").text)
        scheduled.write_bytes(done(text, 12))
        self.run_opus("starts later")
        self.assertIn("19 Mar", self.place.opus("defer", "--list").text)
        self.finish({"ask-one": "Deferred"})

    def test_a_line_that_is_not_utf8_is_left_alone(self):
        self.prepare(foreign=None)
        path = self.place.task("Answer Ask one")
        text = path.read_bytes().replace(b"DESCRIPTION:", b"DESCRIPTION:f\xfcr Bo. ")
        path.write_bytes(text)
        self.box.add("INBOX", letter("Re: One", "re-one", "Carl <carl@acme.example>", minutes=600,
                                     headers={"In-Reply-To": "<ask-one@test.example>"}))
        for now in (later(700), later(800)):
            self.check(self.place.opus("run", "--yes", now=now), 1, "waiting change a task", "is not UTF-8")
        self.assertEqual(path.read_bytes(), text)
        self.check(self.place.opus("task", "check"), 1, "cannot be read")
        self.check(self.place.opus("task", "edit", path.stem, "--due", "2026-04-02"))
        self.assertIn(b"f\xfcr Bo.", path.read_bytes())
        path.write_bytes(path.read_bytes().replace(b"f\xfcr", "für".encode()))
        self.check(self.place.opus("run", "--yes", now=later(900)), 0, "1 × task changed\n")
        self.assertIn("für Bo.", path.read_text())
        self.assertIn("Reply ", path.read_text())

    def test_events_are_left_alone_and_counted(self):
        self.start(fair=EVENTS.encode(), household=LIST)
        for command in (["status"], ["task", "list"], ["task", "check"]):
            self.check(self.place.opus(*command), 0, "1 calendar file in the task folder holds events and no task")
            self.assertEqual(self.check(self.place.opus(*command, "--json")).json["eventFiles"], 1)
        self.run_opus()
        self.assertEqual(self.file("fair"), EVENTS.encode())

    def test_inspect_says_what_each_component_is(self):
        self.start(household=LIST, plants=SERIES, fair=EVENTS.encode())

        def roles(name):
            done = subprocess.run([OPUS, "inspect", "task", "--json", self.place.tasks / "next" / f"{name}.ics"],
                                  stdout=subprocess.PIPE, check=True, timeout=60)
            found = json.loads(done.stdout)
            return [(one["component"], one["role"]) for one in found["components"]], len(found["tasks"])

        self.assertEqual(roles("household"), ([("VTODO", "task"), ("VEVENT", "other"), ("VTODO", "task")], 2))
        self.assertEqual(roles("plants"), ([("VTODO", "series"), ("VTODO", "instance")], 1))
        self.assertEqual(roles("fair"), ([("VEVENT", "other")], 0))
        text = self.check(self.place.opus("inspect", "task", "tasks/next/household.ics"), 0, "not a task; left alone")
        self.assertIn("Bake bread", text.text)
        done = self.place.opus("inspect", "task", "tasks/next/household.ics", "--uid", "home-milk", "--complete")
        self.check(done, 0, "STATUS:COMPLETED")
        self.check(self.place.opus("inspect", "task", "tasks/next/household.ics", "--complete"), 64, "holds 2 tasks")


class WithTodoman:
    """What opus wrote into such files, read by todoman."""

    def test_todoman_reads_what_opus_wrote(self):
        program = self.program()
        self.start(household=LIST, plants=SERIES)
        todo = Todoman(self.place, program)
        self.check(self.place.opus("task", "done", "home-bread"))
        self.check(self.place.opus("task", "done", "plants"))
        seen = todo.tasks()
        self.assertLessEqual({"Buy milk", "Bake bread", "Water the plants"}, set(seen))
        self.assertTrue(seen["Bake bread"]["completed"])
        self.assertFalse(seen["Buy milk"]["completed"])


class DebianTodoman(WithTodoman, Files):
    def program(self):
        return require(debian("todoman", "todo"), "todoman")


class NewestTodoman(WithTodoman, Files):
    def program(self):
        return require(newest("todo"), "the newest todoman", is_debian=False)
