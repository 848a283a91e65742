"""Using tasks from the command line."""
import re
import subprocess
import unittest

from letters import letter
from terminal import on_terminal
from workplace import Case

HOSTILE = "Pay\x1b[31m now\x07 \u202egnp\u202c \x1b]0;title\x07"


class TaskCommands(Case):
    kind = "maildir"

    def setUp(self):
        super().setUp()
        self.box = self.new_box()
        self.place = self.new_place(self.box)

    def opus(self, *words, code=0, now=None):
        return self.check(self.place.opus(*words, **({"now": now} if now else {})), code)

    def add(self, *words):
        return self.opus("task", "add", *words, "--json").json["items"][0]

    def titles(self, *words, now=None):
        return [item["summary"] for item in self.opus(*words, "--json", now=now).json["items"]]

    def test_add_with_natural_dates_writes_one_file(self):
        item = self.add("Pay", "the", "rent", "--due", "next friday", "--priority", "high", "-c", "@home",
                        "--notes", "to the landlord")
        self.assertEqual((item["summary"], item["due"], item["priority"], item["categories"], item["list"]),
                         ("Pay the rent", "2026-03-20", 1, ["@home"], "next"))
        path, = self.place.tasks.glob("next/*.ics")
        self.assertEqual(path.stem, item["uid"])
        self.assertIn(b"DUE;VALUE=DATE:20260320\r\n", path.read_bytes())
        self.assertEqual(self.opus("task", "path", item["id"]).out.strip(), str(path))
        document = self.opus("task", "path", item["id"], "--json").json
        self.assertEqual((document["schema"], document["path"]), ("opus.task-path/1", str(path)))
        self.assertTrue(document["id"])
        self.assertEqual(self.opus("task", "path", "--json").json,
                         {"schema": "opus.task-path/1", "path": str(self.place.tasks)})
        self.assertIn("is not a date", self.opus("task", "add", "x", "--due", "someday soon", code=64).err)
        self.assertIn("no-title", self.place.opus("task", "add", " ", "--json").err)

    def test_business_days_are_those_of_the_work_hours(self):
        # CLOCK is a Tuesday; the week ends on Thursday.
        self.place.configure(self.place.accounts, "work-hours: { days: sun-thu }\n")
        self.assertEqual(self.add("Three", "--due", "+3 business days")["due"], "2026-03-15")
        self.place.write_rules("rules-version: 1\nname: r\nrules:\n"
                               "  - { id: due, when: subject:three, then: { task: { title: Mail, due: 3bd } } }\n")
        self.box.add("INBOX", letter("Three"))
        self.opus("run", "--yes")
        items = self.opus("task", "list", "--json").json["items"]
        self.assertEqual([item["due"] for item in items if item["summary"] == "Mail"], ["2026-03-15"])

    def test_an_editor_that_removes_the_file_or_changes_its_uid_is_reported(self):
        for script, words in (('rm "$1"', "The file is gone: the task counts as deleted."),
                              ('sed -i s/^UID.*/UID:other/ "$1"', "The file has another UID: this task counts as deleted, and the file as a new one.")):
            with self.subTest(script):
                item = self.add("Call Ann")
                editor = self.folder / "editor"
                editor.write_text(f"#!/bin/sh\n{script}\n")
                editor.chmod(0o700)
                code, out = on_terminal(self.place.command("task", "edit", item["id"]), self.place.environment(EDITOR=str(editor)), self.place.root)
                self.assertEqual(code, 0, out)
                self.assertIn(words, out)

    def test_edit_changes_only_the_named_fields(self):
        item = self.add("Pay rent", "--due", "2026-03-20", "-c", "@home")
        path, = self.place.tasks.glob("next/*.ics")
        path.write_bytes(path.read_bytes().replace(b"END:VTODO", b"X-FOO;BAR=1:keep\r\nEND:VTODO"))
        self.opus("task", "edit", item["id"], "--title", "Pay the rent", "--due", "none", "--add-context", "@bank",
                  "--priority", "5", "--contact", "Ann")
        text = path.read_bytes().decode()
        self.assertIn("X-FOO;BAR=1:keep\r\n", text)
        self.assertNotIn("DUE", text)
        self.assertIn("SUMMARY:Pay the rent\r\n", text)
        self.assertIn("CATEGORIES:@home,@bank\r\n", text)
        self.assertIn("nothing-to-change", self.place.opus("task", "edit", item["id"], "--json").err)

    def test_the_zone_of_the_workspace_decides_on_which_day_a_start_is(self):
        for zone, due, start, written in (
                ("America/Los_Angeles", "DUE;VALUE=DATE:20260320", "2026-03-12 17:30", "DTSTART;VALUE=DATE:20260312"),
                ("Australia/Sydney", "DUE;VALUE=DATE:20260320", "2026-03-12 00:30", "DTSTART;VALUE=DATE:20260312"),
                ("America/Los_Angeles", "DUE:20260320T200000Z", "2026-03-12", "DTSTART:20260312T070000Z"),
                ("America/Los_Angeles", "DUE:20260320T170000", "2026-03-18 09:00", "DTSTART:20260318T090000")):
            with self.subTest(zone=zone, due=due):
                settings = self.place.root / "opus.yaml"
                settings.write_text(re.sub("time-zone: .*", f"time-zone: {zone}", settings.read_text()))
                path = self.place.tasks / "next" / "zone.ics"
                path.parent.mkdir(exist_ok=True)
                path.write_text("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nBEGIN:VTODO\r\nUID:zone\r\n"
                                f"DTSTAMP:20260301T000000Z\r\nSUMMARY:Zone\r\n{due}\r\nEND:VTODO\r\nEND:VCALENDAR\r\n", newline="")
                self.opus("task", "edit", "zone", "--start", start)
                self.assertIn(written + "\n", path.read_text())
                path.unlink()

    def test_status_of_several_from_standard_input(self):
        ids = [self.add(title)["id"] for title in ("One", "Two", "Three")]
        command = self.place.command("task", "done", "-")
        done = subprocess.run(command, input="\n".join(ids[:2]), text=True, capture_output=True,
                              env=self.place.environment(), cwd=self.place.root, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.titles("task", "list"), ["Three"])
        self.opus("task", "reopen", ids[0])
        self.opus("task", "start", ids[0])
        self.opus("task", "cancel", ids[2])
        states = {item["summary"]: item["status"] for item in self.opus("task", "list", "--all", "--json").json["items"]}
        self.assertEqual(states, {"One": "in-process", "Two": "completed", "Three": "cancelled"})

    def test_a_task_that_is_already_so_is_reported_as_unchanged(self):
        one, two = (self.add(title)["id"] for title in ("One", "Two"))
        before = self.opus("runs").out
        for change in (("reopen", one), ("move", one, "next"), ("edit", one, "--remove-context", "zz"), ("defer", one, "none"),
                       ("project", one, "--none")):
            self.assertEqual(self.opus("task", *change).text.strip(), f"unchanged  {one}  One")
        self.assertEqual(self.opus("runs").out, before)
        self.opus("task", "done", one)
        self.assertEqual(self.opus("task", "done", one, two).out, f"unchanged  {one}  One\ndone  {two}  Two\n")

    def test_a_task_keeps_a_title(self):
        one = self.add("One")["id"]
        self.assertIn("a task needs a title", self.opus("task", "edit", one, "--title", " ", code=64).err)
        self.assertEqual(self.titles("task", "list"), ["One"])

    def test_ids_are_prefixes_of_hash_or_uid_or_rows_of_the_last_list(self):
        items = [self.add(title) for title in ("One", "Two")]
        self.opus("task", "show", items[0]["uid"][:13])
        self.opus("task", "show", items[0]["id"][2:])
        self.assertIn("no row 1", self.opus("task", "show", "1", code=66).err)
        shown = self.place.opus("task", "list", environment={"OPUS_FORCE_TTY": "1"})
        second = next(line for line in shown.out.splitlines() if " 2  t:" in line or line.strip().startswith("2  "))
        title = "One" if "One" in second else "Two"
        self.assertIn(title, self.opus("task", "done", "2").out)
        # A further list that no person saw changes no row.
        self.opus("task", "list")
        self.assertIn(title, self.opus("task", "show", "2").out)

    def test_filters_and_sorting(self):
        self.add("Call Ann", "-c", "@phone", "--due", "2026-03-12")
        self.add("Buy milk", "-c", "@shop", "--due", "2026-03-09", "--priority", "low")
        self.add("Über­raschung planen".replace("\u00ad", ""), "--list", "someday")
        self.assertEqual(self.titles("task", "list", "-c", "phone"), ["Call Ann"])
        self.assertEqual(self.titles("task", "list", "--due", "tomorrow"), ["Buy milk"])
        self.assertEqual(self.titles("task", "list", "--overdue"), ["Buy milk"])
        self.assertEqual(self.titles("task", "list", "--text", "uberr"), ["Überraschung planen"])
        self.assertEqual(self.titles("task", "list", "someday"), ["Überraschung planen"])
        self.assertEqual(self.titles("task", "list", "--sort", "summary"),
                         ["Buy milk", "Call Ann", "Überraschung planen"])
        self.assertEqual(self.titles("task", "list", "--sort", "summary", "--reverse")[0], "Überraschung planen")
        self.assertIn("the task folder has no list", self.opus("task", "list", "nowhere", code=66).err)

    def test_next_is_what_can_be_done_now(self):
        paint = self.add("Paint", "-c", "@home")
        buy = self.add("Buy colour", "-c", "@shop")
        self.opus("task", "block", paint["id"], buy["id"])
        self.add("Later", "--start", "friday")
        self.add("Idea", "--list", "someday")
        self.add("Undecided", "--list", "inbox")
        self.add("Ann owes", "--list", "waiting", "--contact", "Ann")
        self.assertEqual(self.titles("next"), ["Buy colour"])
        self.assertEqual(self.titles("next", "@home"), [])
        self.assertEqual(self.titles("scheduled"), ["Later"])
        self.assertEqual(self.titles("someday"), ["Idea"])
        self.assertEqual(self.titles("waiting"), ["Ann owes"])
        self.assertIn("Ann\t", self.opus("waiting").out)
        self.opus("task", "done", buy["id"])
        self.assertEqual(self.titles("next"), ["Paint"])
        self.assertEqual(self.titles("next", now="2026-03-13T00:01:00+01:00"), ["Later", "Paint"])
        self.assertIn("waits for", self.opus("task", "block", buy["id"], paint["id"], code=64).err)
        self.assertIn("cannot wait for itself", self.opus("task", "block", buy["id"], buy["id"], code=64).err)
        self.opus("task", "block", paint["id"], "--remove")
        self.assertNotIn(b"DEPENDS-ON", self.place.task("Paint").read_bytes())

    def test_projects_and_what_comes_next_for_them(self):
        pack = self.add("Pack")
        house = self.opus("task", "project", pack["id"], "--new", "Move house", "--json").json["items"][0]["parent"]
        self.assertEqual(self.titles("next"), ["Pack"])
        found, = self.opus("projects", "--json").json["items"]
        self.assertEqual((found["project"]["uid"], found["open"], found["done"], found["next"]),
                         (house, 1, 0, pack["uid"]))
        self.assertEqual(self.titles("task", "list", "--project", house), ["Move house", "Pack"])
        self.assertIn("part of", self.opus("task", "project", house, "--of", pack["id"], code=64).err)
        self.opus("task", "done", pack["id"])
        self.assertEqual(self.titles("next"), ["Move house"])
        self.opus("task", "project", pack["id"], "--none")
        self.assertEqual(self.opus("projects", "--json").json["items"], [])

    def test_a_task_of_a_mail_and_back(self):
        self.box.add("INBOX", letter("Can you look"))
        self.opus("sync")
        mail = self.opus("list", "--json").json["items"][0]["id"]
        self.opus("task", "from", mail, "--due", "friday", "-c", "@office")
        item, = self.opus("task", "list", "--json").json["items"]
        self.assertEqual((item["summary"], item["due"], item["messageID"]),
                         ("Can you look", "2026-03-13", "can-you-look@test.example"))
        self.assertIn("Can you look", self.opus("task", "show", item["id"]).out.partition("Mail")[2])
        self.assertIn(item["id"], self.opus("show", mail).out)
        self.opus("task", "from", mail)
        self.assertEqual(len(self.titles("task", "list")), 1)
        self.opus("task", "done", item["id"])
        self.opus("run", "--yes")
        self.assertPlaces(self.box, {"can-you-look": "Archive"})

    def test_a_task_of_a_mail_can_be_undone(self):
        self.box.add("INBOX", letter("Can you look"))
        self.opus("sync")
        self.opus("task", "from", self.opus("list", "--json").json["items"][0]["id"])
        self.opus("undo", "--yes")
        self.assertEqual(self.titles("task", "list"), [])

    def test_search_finds_mail_and_tasks(self):
        self.box.add("INBOX", letter("Quarterly report"))
        self.opus("sync")
        self.add("Write the report", "--notes", "with numbers")
        found = self.opus("search", "--in", "all", "report", "--json").json
        self.assertEqual(([m["subject"] for m in found["messages"]], [t["summary"] for t in found["tasks"]]),
                         (["Quarterly report"], ["Write the report"]))
        self.assertIn("Write the report", self.opus("search", "--in", "tasks", "numbers").out)
        self.assertNotIn("Write", self.opus("search", "report").out)
        # A word begins anywhere in scripts without spaces, and after their letters.
        self.add("日本語のメモ12", "--notes", "ภาษาไทยวันนี้")
        for word in ("メモ", "12", "วันนี้"):
            self.assertIn("メモ", self.opus("search", "--in", "tasks", word).out, word)
        self.assertNotIn("Write", self.opus("search", "--in", "tasks", "port").out)

    def test_hostile_titles_are_harmless_on_the_screen(self):
        (self.place.tasks / "next").mkdir(parents=True)
        (self.place.tasks / "next" / "x.ics").write_text(
            f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VTODO\r\nUID:x\x1b[2J\r\nSUMMARY:{HOSTILE}\r\nCONTACT:{HOSTILE}\r\n"
            f"CATEGORIES:{HOSTILE}\r\nDESCRIPTION:{HOSTILE}\r\nEND:VTODO\r\nEND:VCALENDAR\r\n", newline="")
        for words in (["task", "list"], ["next"], ["task", "list", "--text", "pay"]):
            self.assertHarmlessText(self.opus(*words))
        identifier = self.opus("task", "list").out.split("\t")[0]
        for words in (["task", "show", identifier], ["task", "edit", identifier, "--title", HOSTILE.replace("\0", "")],
                      ["task", "move", identifier, "waiting"], ["waiting"], ["task", "check"], ["run", "--yes"]):
            self.assertHarmlessText(self.place.opus(*words))

    def assertHarmlessText(self, done):
        for bad in ("\x1b", "\x07", "\u202e"):
            self.assertNotIn(bad, done.text, str(done))

    def test_check_reports_damaged_and_inconsistent_tasks(self):
        self.opus("task", "check")
        item = self.add("Alone", "-c", "@home")
        path, = self.place.tasks.glob("next/*.ics")
        path.write_bytes(path.read_bytes().replace(
            b"END:VTODO", b"RELATED-TO:gone\r\nRELATED-TO;RELTYPE=DEPENDS-ON:" + item["uid"].encode() + b"\r\nEND:VTODO"))
        (self.place.tasks / "next" / "broken.ics").write_text("BEGIN:VCALENDAR\n")
        done = self.opus("task", "check", code=1)
        for words in ("broken.ics:1:", "its project is not in any list: gone", "it waits for itself"):
            self.assertIn(words, done.out)


if __name__ == "__main__":
    unittest.main()
