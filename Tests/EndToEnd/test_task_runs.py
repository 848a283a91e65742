"""Commands that change task files are runs: safe in a crash, and undone by `opus undo`."""
import os
import re
import subprocess
import unittest

import shim
from figures import note
from letters import letter
from terminal import answered
from workplace import Case, on_both

RULES = """\
rules-version: 1
name: runs
rules:
  - { id: ask, when: 'subject:ask', then: [{ task: { title: 'Answer {{subject}}' } }] }
"""
REPLY = {"In-Reply-To": "<ask-one@test.example>"}
LATER = "2026-03-11T08:30:00+01:00"
KILLS = int(os.environ.get("OPUS_TASK_KILLS", "12"))


class Runs(Case):
    kind = "maildir"

    def setUp(self):
        super().setUp()
        self.place = self.new_place(self.new_box())

    def opus(self, *words, code=0):
        return self.check(self.place.opus(*words), code)

    def add(self, *words):
        return self.opus("task", "add", *words, "--json").json["items"][0]["id"]

    def files(self):
        """{path: bytes} of the tasks."""
        return {name: data for name, (data, _) in self.place.task_files().items() if name.endswith(".ics")}

    def runs(self):
        return [run["command"] for run in self.opus("runs", "--json").json["items"]]

    def waits(self):
        """Whether a change by a command is begun and not ended."""
        return "(tasks)" in [item["account"] for item in self.opus("status", "--json").json["items"]]

    def last(self):
        """The number of the newest run."""
        return int(self.opus("runs", "--limit", "1", "--json").json["items"][0]["id"][2:])

    def test_each_command_is_a_run_and_its_undo_puts_the_file_back(self):
        one, two = self.add("One", "--due", "2026-03-20"), self.add("Two")
        before = self.files()
        for words in (["done", one], ["cancel", one], ["start", one], ["edit", one, "--title", "Other", "--due", "none"],
                      ["move", one, two, "someday"], ["defer", one, "friday"], ["block", one, two],
                      ["project", one, two, "--new", "House"], ["project", one, "--of", two], ["done", one, two]):
            with self.subTest(words):
                self.opus("task", *words)
                self.assertNotEqual(self.files(), before)
                self.assertEqual(self.runs()[0], "task " + words[0])
                shown = self.opus("undo", "--dry-run").out
                self.assertIn("restore the task file", shown)
                self.opus("undo", "--yes")
                self.assertEqual(self.files(), before)
                self.assertIn("already undone", self.opus("undo", self.opus("runs", "--json").json["items"][1]["id"],
                                                          "--yes").out)
        self.opus("undo", "r:0001", "--yes")
        self.assertEqual(len(self.files()), 1)
        self.opus("task", "check")

    def test_an_undo_is_undone(self):
        one = self.add("One")
        self.opus("task", "done", one)
        done = self.files()
        self.opus("undo", "--yes")
        undo = self.opus("runs", "--json").json["items"][0]
        self.assertEqual((undo["command"], undo["undoes"], undo["account"]), ("undo", "r:0002", "(tasks)"))
        self.opus("undo", undo["id"], "--yes")
        self.assertEqual(self.files(), done)

    def test_a_file_edited_since_is_kept_and_reported(self):
        one = self.add("One")
        self.opus("task", "edit", one, "--priority", "high")
        self.place.edit("One", ("PRIORITY:1", "PRIORITY:1\r\nX-OTHER:kept"))
        before = self.files()
        done = self.opus("undo", "--yes", code=1)
        self.assertIn("the task was edited since", done.text)
        self.assertEqual(self.files(), before)
        self.assertIn("was edited since; --force cancels it", self.opus("undo", "r:0001", "--yes", code=1).text)
        self.opus("undo", "r:0001", "--yes", "--force")
        self.assertIn(b"STATUS:CANCELLED", self.place.task("One").read_bytes())
        self.place.task("One").unlink()
        self.assertIn("its file is gone", self.opus("undo", "r:0002", "--yes", code=1).text)

    def test_changes_in_a_folder_that_opus_would_not_make(self):
        one = self.add("One")
        path = self.place.task("One")
        own = self.place.tasks / "R&D, @work"
        own.mkdir()
        path.rename(own / path.name)
        before = self.files()
        for words in (["done", one], ["move", one, "next"]):
            self.opus("task", *words)
            self.assertNotEqual(self.files(), before)
            self.opus("undo", "--yes")
            self.assertEqual(self.files(), before)

    def test_a_file_moved_since_is_kept_on_its_list(self):
        one = self.add("One")
        self.opus("task", "edit", one, "--priority", "high")
        self.opus("task", "move", one, "someday")
        (self.place.tasks / "later").mkdir()
        path = self.place.task("One")
        path.rename(self.place.tasks / "later" / path.name)
        before = self.files()
        for run in ("r:0003", "r:0002", "r:0001"):
            self.assertIn("edited since", self.opus("undo", run, "--yes", code=1).text)
            self.assertEqual(self.files(), before)
        # Moved back and renamed, it is on the list where opus left it.
        (self.place.tasks / "later" / path.name).rename(path.with_name("own name.ics"))
        for run in ("r:0003", "r:0002", "r:0001"):
            self.opus("undo", run, "--yes")
        self.assertEqual(self.files(), {})

    def test_a_change_that_is_already_done_is_not_a_run(self):
        one = self.add("One")
        self.opus("task", "done", one)
        self.opus("task", "done", one)
        self.opus("task", "move", one, "next")
        self.assertEqual(self.runs(), ["task done", "task add"])

    def test_a_refused_change_does_not_stop_the_others_and_queues_nothing(self):
        one, two = self.add("One", "--due", "2026-03-20"), self.add("Two", "--due", "2026-03-10")
        # Two would start after the day on which it is due.
        listed = subprocess.run(self.place.command("task", "edit", "-", "--start", "2026-03-12"), input=f"{one}\n{two}\n", text=True,
                                capture_output=True, env=self.place.environment(), cwd=self.place.root, timeout=60)
        self.assertEqual(listed.returncode, 1, listed.stderr)
        self.assertIn("the start has to be before the due date", listed.stderr)
        self.assertIn("changed", listed.stdout)
        detail = self.opus("runs", "show", "r:0003", "--json").json
        self.assertEqual([step["state"] for step in detail["steps"]], ["confirmed"])

    def test_a_run_of_tasks_does_not_count_as_the_first_triage(self):
        box = self.new_box()
        box.add("INBOX", [letter(f"Away {n}", minutes=n) for n in range(60)])
        place = self.new_place(box, "rules-version: 1\nname: r\nrules:\n  - { id: a, when: 'subject:away', then: [archive] }\n",
                               name="second")
        self.check(place.opus("task", "add", "One"))
        self.check(place.opus("run", "--yes"))
        self.assertEqual(len(box.held("Archive")), 50)

    def test_a_series_of_each_program_continues_or_is_left_to_it(self):
        """Tasks.org moves the dates, Nextcloud too, with a second file for what is done; todoman makes a new task;
        Thunderbird keeps instances beside the master."""
        folder = self.place.tasks / "next"
        folder.mkdir()

        def put(name, *lines):
            whole = ["BEGIN:VCALENDAR", "VERSION:2.0", *lines, "END:VCALENDAR", ""]
            (folder / name).write_bytes("\r\n".join(whole).encode())

        todo = ("BEGIN:VTODO", "END:VTODO")
        series = ("DTSTART;VALUE=DATE:20260306", "DUE;VALUE=DATE:20260307", "RRULE:FREQ=WEEKLY;COUNT=5", "X-KEPT;A=1:b")
        instance = ("RECURRENCE-ID;VALUE=DATE:20260227", "STATUS:COMPLETED")
        put("tasksorg.ics", todo[0], "UID:tasksorg", "SUMMARY:Tasksorg", *series, todo[1])
        put("nextcloud.ics", todo[0], "UID:nextcloud", "SUMMARY:Nextcloud", *series, todo[1])
        put("nextcloud-1.ics", todo[0], "UID:nextcloud", "SUMMARY:Nextcloud", *instance, todo[1])
        put("thunderbird.ics", todo[0], "UID:thunderbird", "SUMMARY:Thunderbird", *series, todo[1],
            todo[0], "UID:thunderbird", "SUMMARY:Thunderbird", *instance, todo[1])
        put("todoman-1.ics", todo[0], "UID:todoman-1", "SUMMARY:Todoman", "STATUS:COMPLETED", todo[1])
        put("todoman-2.ics", todo[0], "UID:todoman-2", "SUMMARY:Todoman", *series, todo[1])
        before = self.files()
        for uid in ("tasksorg", "nextcloud", "todoman-2"):
            self.assertIn("next 2026-03-13", self.opus("task", "done", uid).out)
            text = (folder / f"{uid}.ics").read_bytes()
            for line in (b"DTSTART;VALUE=DATE:20260313\r\n", b"DUE;VALUE=DATE:20260314\r\n", b"FREQ=WEEKLY;COUNT=4\r\n",
                         b"X-KEPT;A=1:b\r\n"):
                self.assertIn(line, text)
        self.assertIn("next 2026-03-13", self.opus("task", "done", "thunderbird").out)
        text = (folder / "thunderbird.ics").read_bytes()
        self.assertTrue(text.startswith(before["next/thunderbird.ics"].removesuffix(b"END:VCALENDAR\r\n")))
        self.assertIn(b"RECURRENCE-ID;VALUE=DATE:20260306\r\n", text)
        for name in ("nextcloud-1.ics", "todoman-1.ics"):
            self.assertEqual((folder / name).read_bytes(), before[f"next/{name}"])
        shown = self.opus("task", "show", "tasksorg", "--json").json
        self.assertEqual((shown["task"]["start"], shown["nextOccurrence"]), ("2026-03-13", "2026-03-20"))
        self.assertIn("FREQ=WEEKLY;COUNT=4, then ", self.opus("task", "show", "tasksorg").out)
        for number in (1, 2, 3, 4):
            self.opus("undo", f"r:{number:04}", "--yes")
        self.assertEqual(self.files(), before)
        self.opus("task", "check")

    def test_killed_at_any_step_the_change_is_complete_and_can_be_undone(self):
        one = self.add("One")
        path = self.place.task("One")
        old, count = path.read_bytes(), self.folder / "count"
        # The first time has more steps: opus prepares the store for what it has not done before.
        self.opus("task", "done", one)
        self.opus("undo", "--yes")
        self.check(self.place.opus("task", "done", one, environment=shim.counting(self.place, count)))
        new, total = path.read_bytes(), int(count.read_text())
        self.opus("undo", "--yes")
        killed = waiting = finished = failed = 0
        for number in range(KILLS):
            step, when = 1 + number * total // KILLS, ("before", "after", "torn")[number % 3]
            with self.subTest(f"killed {when} step {step} of {total}"):
                last = self.last()
                killed += self.place.opus("task", "done", one, environment=shim.killing(self.place, step, when)).code != 0
                try:
                    self.assertIn(path.read_bytes(), (old, new))
                    waiting += self.waits()
                    self.opus("run", "--yes")  # ends what was begun
                    self.assertFalse(self.waits())
                    self.assertIn(path.read_bytes(), (old, new))
                    if path.read_bytes() == new:
                        finished += 1
                        self.assertEqual(self.last(), last + 1)  # one run, whatever the interruption
                        self.opus("undo", "--yes")
                    self.assertEqual(path.read_bytes(), old)
                    self.assertEqual(len(self.files()), 1)
                except AssertionError:
                    failed += 1
                    raise
        note("tasks", f"{killed} killed, {finished} of them finished by the next run and taken back", KILLS, failed)
        self.assertGreaterEqual(killed, KILLS // 2)
        self.assertGreater(finished, 0)
        self.assertGreater(waiting, 0)  # as `opus status` said


@on_both
class WithMail:
    """The mail follows a command's change, and follows it back."""

    def prepare(self, settings=""):
        self.box = self.new_box()
        self.box.add("INBOX", [letter("Ask one"), letter("Ask two", minutes=1)])
        self.place = self.new_place(self.box, RULES, settings=settings)
        self.run_opus()
        return next(item["id"] for item in self.place.opus("task", "list", "--json").json["items"]
                    if item["summary"] == "Answer Ask one")

    def run_opus(self, *words, code=0, now=LATER):
        return self.check(self.place.opus("run", "--yes", now=now), code, *words)

    def last(self, command):
        return next(run["id"] for run in self.place.opus("runs", "--json").json["items"] if run["command"] == command)

    def test_undoing_the_change_of_the_file_brings_the_mail_back(self):
        one = self.prepare()
        before = self.place.task("Answer Ask one").read_bytes()
        self.check(self.place.opus("task", "done", one))
        self.run_opus("is done: its mail goes to the archive")
        self.assertPlaces(self.box, {"ask-one": "Archive", "ask-two": "INBOX"})
        self.check(self.place.opus("undo", self.last("task done"), "--yes"))
        self.assertEqual(self.place.task("Answer Ask one").read_bytes(), before)
        self.run_opus("is open: its mail returns to the inbox")
        self.assertPlaces(self.box, {"ask-one": "INBOX", "ask-two": "INBOX"})
        self.assertNothingMore(self.place, self.box, now=LATER)

    def test_a_change_undone_before_the_next_run_moves_no_mail(self):
        one = self.prepare()
        self.check(self.place.opus("task", "move", one, "someday"))
        self.check(self.place.opus("undo", "--yes"))
        self.assertNothingMore(self.place, self.box, now=LATER)
        self.assertPlaces(self.box, {"ask-one": "INBOX", "ask-two": "INBOX"})

    def test_the_mail_of_a_repeating_task_is_archived_with_the_last_occurrence(self):
        one = self.prepare()
        self.place.edit("Answer Ask one",
                        ("END:VTODO", "DUE;VALUE=DATE:20260312\r\nRRULE:FREQ=WEEKLY;COUNT=2\r\nX-OTHER;A=1:kept\r\nEND:VTODO"))
        self.run_opus()
        before = self.place.task("Answer Ask one").read_bytes()
        self.check(self.place.opus("task", "done", one), 0, "next 2026-03-19")
        text = self.place.task("Answer Ask one").read_bytes()
        for line in (b"DUE;VALUE=DATE:20260319\r\n", b"RRULE:FREQ=WEEKLY;COUNT=1\r\n", b"X-OTHER;A=1:kept\r\n",
                     b"STATUS:NEEDS-ACTION\r\n"):
            self.assertIn(line, text)
        self.run_opus()
        self.assertPlaces(self.box, {"ask-one": "INBOX"})
        # Undone and done again gives the same result.
        self.check(self.place.opus("undo", self.last("task done"), "--yes"))
        self.assertEqual(self.place.task("Answer Ask one").read_bytes(), before)
        self.check(self.place.opus("task", "done", one))
        self.assertIn(b"DUE;VALUE=DATE:20260319\r\n", self.place.task("Answer Ask one").read_bytes())
        self.run_opus()
        self.assertPlaces(self.box, {"ask-one": "INBOX"})
        self.check(self.place.opus("task", "done", one))
        self.assertIn(b"STATUS:COMPLETED\r\n", self.place.task("Answer Ask one").read_bytes())
        self.run_opus("is done: its mail goes to the archive")
        self.assertPlaces(self.box, {"ask-one": "Archive", "ask-two": "INBOX"})
        self.assertNothingMore(self.place, self.box, now=LATER)

    def test_scheduled_mail_of_a_repeating_task_waits_for_the_next_day(self):
        one = self.prepare()
        self.place.edit("Answer Ask one", ("END:VTODO", "DTSTART;VALUE=DATE:20260312\r\nRRULE:FREQ=WEEKLY\r\nEND:VTODO"))
        self.check(self.place.opus("task", "move", one, "scheduled"))
        self.run_opus()
        self.assertPlaces(self.box, {"ask-one": "Deferred"})
        self.run_opus(now="2026-03-12T10:00:00+01:00")
        self.assertPlaces(self.box, {"ask-one": "INBOX"})
        self.check(self.place.opus("task", "done", one))
        self.run_opus(now="2026-03-12T11:00:00+01:00")
        self.assertPlaces(self.box, {"ask-one": "Deferred"})
        self.run_opus(now="2026-03-19T10:00:00+01:00")
        self.assertPlaces(self.box, {"ask-one": "INBOX"})


class Words(Case):
    """What a person wrote in the notes stays when opus adds a line to them."""

    kind = "maildir"

    def prepare(self, notes):
        self.box = self.new_box()
        self.box.add("INBOX", letter("Ask one"))
        self.place = self.new_place(self.box, RULES)
        self.check(self.place.opus("run", "--yes"))
        self.place.edit("Answer Ask one", ("DESCRIPTION:", f"DESCRIPTION:{notes}\\n"))
        self.check(self.place.opus("run", "--yes"))

    def notes(self):
        text = self.place.task("Answer Ask one").read_bytes().replace(b"\r\n ", b"").decode()
        return re.search("\nDESCRIPTION:(.*)\r\n", text)[1]

    def test_backslashes_that_escape_nothing(self):
        self.prepare(r"See https\://acme.example and C:\temp\x")
        self.box.add("INBOX", letter("Re: Ask one", minutes=600, headers=REPLY))
        self.check(self.place.opus("run", "--yes", now=LATER), 0, "has a reply")
        self.assertIn(r"See https\\://acme.example and C:\\temp\\x\nReply 2026", self.notes())

    def test_long_notes_of_a_wait_that_is_overdue(self):
        long = "\\n".join(f"Line {number:05} of mine" for number in range(6_000))
        self.prepare(long)
        uid = self.place.task("Answer Ask one").stem
        self.check(self.place.opus("task", "edit", uid, "--contact", "bob@acme.example", "--start", "2026-03-10"))
        self.check(self.place.opus("task", "move", uid, "waiting"))
        for _ in range(2):
            self.check(self.place.opus("run", "--yes", now=LATER))
        self.assertTrue(self.notes().startswith(long + "\\nWait: overdue"), self.notes()[-300:])
        self.assertNothingMore(self.place, self.box, now=LATER)


class Conflicts(Case):
    """A change that was decided before its task's file was edited, and what a person makes of it."""

    kind = "maildir"

    def prepare(self):
        """A reply must be noted while the file cannot be read; after the repair, it has other notes, with a parameter that
        opus does not read and would lose."""
        box = self.new_box()
        box.add("INBOX", letter("Ask one"))
        self.place = self.new_place(box, RULES)
        self.check(self.place.opus("run", "--yes"))
        box.add("INBOX", letter("Re: Ask one", minutes=600, headers=REPLY))
        self.file = self.place.task("Answer Ask one")
        whole = self.file.read_bytes()
        self.file.write_bytes(whole + b"<<<<<<< mine\r\n")
        self.check(self.place.opus("run", "--yes", now=LATER), 1)
        self.file.write_bytes(whole.replace(b"DESCRIPTION:", b"DESCRIPTION;X-MINE=1:My own words.\\n\\n"))
        done = self.check(self.place.opus("run", "--yes", now=LATER), 0, "1 × task changed on both sides: see opus task conflicts")
        self.assertNotIn("task changed\n", done.text)
        conflict, = self.conflicts()
        self.assertEqual(conflict["field"], "notes")
        self.assertIn("My own words.", conflict["theirs"])
        self.assertIn("from Bob Singh", conflict["ours"])
        return conflict

    def conflicts(self):
        return self.place.opus("task", "conflicts", "--json").json["items"]

    def settle(self, side, conflict, code=0):
        return self.check(self.place.opus("task", "conflicts", f"--{side}", conflict["id"], now=LATER), code)

    def nothing_left(self, conflict, side):
        self.assertEqual(self.conflicts(), [])
        self.assertIn("no-such-conflict", self.place.opus("task", "conflicts", f"--{side}", conflict["id"], "--json").err)
        self.settle(side, conflict, code=66)
        self.check(self.place.opus("task", "check"))

    def test_the_value_in_the_file_can_be_kept(self):
        conflict = self.prepare()
        before = self.file.read_bytes()
        self.assertIn("No conflicts.", self.settle("theirs", conflict).text)
        self.assertEqual(self.file.read_bytes(), before)
        self.nothing_left(conflict, "theirs")
        # It is not asked again.
        self.check(self.place.opus("run", "--yes", now=LATER))
        self.assertEqual((self.conflicts(), self.file.read_bytes()), ([], before))

    def test_our_value_can_be_chosen_and_undone(self):
        conflict = self.prepare()
        before = self.file.read_bytes()
        self.settle("ours", conflict)
        notes = self.file.read_bytes().replace(b"\r\n ", b"")
        self.assertIn(b"from Bob Singh", notes)
        self.assertNotIn(b"My own words.", notes)
        self.nothing_left(conflict, "ours")
        self.check(self.place.opus("undo", "--yes", now=LATER))
        self.assertEqual(self.file.read_bytes(), before)

    def test_a_file_changed_again_keeps_its_conflict(self):
        conflict = self.prepare()
        self.place.edit("Answer Ask one", ("My own words.", "Third words."), ("STATUS:NEEDS-ACTION", "STATUS:IN-PROCESS"))
        self.check(self.place.opus("run", "--yes", now=LATER))
        again, = self.conflicts()
        self.assertEqual(again["id"], conflict["id"])
        self.settle("ours", conflict)
        text = self.file.read_bytes().replace(b"\r\n ", b"")
        self.assertIn(b"from Bob Singh", text)
        self.assertIn(b"STATUS:IN-PROCESS\r\n", text)  # what ours says nothing of stays
        self.nothing_left(conflict, "ours")

    def test_a_conflict_ends_when_the_file_agrees_and_can_restore_a_missing_file(self):
        conflict = self.prepare()
        wanted = conflict["ours"].replace("\n", "\\n").replace(",", "\\,").replace(";", "\\;")
        text = re.sub(rb"DESCRIPTION[^:]*:.*?\r\n(?! )", b"DESCRIPTION:" + wanted.encode().replace(b"\\", b"\\\\") + b"\r\n",
                      self.file.read_bytes(), flags=re.S)
        whole = self.file.read_bytes()
        self.file.write_bytes(text)
        self.assertEqual(self.conflicts(), [])
        self.file.write_bytes(whole)
        conflict = self.prepare_again(whole)
        self.file.unlink()
        self.settle("ours", conflict)
        self.assertIn(b"from Bob Singh", self.place.task("Answer Ask one").read_bytes().replace(b"\r\n ", b""))

    def prepare_again(self, _):
        """The same in another workspace: what is settled is settled."""
        self.folder = self.folder / "again"
        self.folder.mkdir()
        return self.prepare()


class Question(Case):
    """On a terminal, opus asks before the mail of a finished task goes to the trash."""

    kind = "maildir"

    def prepare(self):
        box = self.new_box()
        box.add("INBOX", letter("Ask one"))
        place = self.new_place(box, RULES, settings="tasks: { when-done: trash }\n", name=f"place-{box.folder.name}")
        self.check(place.opus("run", "--yes"))
        place.edit("Answer Ask one", ("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
        return box, place

    def test_yes(self):
        for words in (b"y\n", b"YES\n"):
            box, place = self.prepare()
            code, output = answered(place, ["run"], words)
            self.assertIn('Task “Answer Ask one” is finished: move its mail to the trash? [y/N]', output)
            self.assertEqual(code, 0, output)
            self.assertPlaces(box, {"ask-one": "Trash"})
            self.assertNothingMore(place, box)

    def test_no_is_not_asked_again(self):
        for words in (b"n\n", b"\n", b"yikes\n"):
            with self.subTest(words):
                box, place = self.prepare()
                code, output = answered(place, ["run"], words)
                self.assertEqual(code, 0, output)
                self.assertPlaces(box, {"ask-one": "INBOX"})
                self.assertNothingMore(place, box)

    def test_the_end_of_the_input_is_not_an_answer(self):
        for words in (b"\x04", None):
            with self.subTest(words):
                box, place = self.prepare()
                answered(place, ["run"], words)
                self.assertPlaces(box, {"ask-one": "INBOX"})
                # It is asked again.
                code, output = answered(place, ["run", "--yes"], b"y\n")
                self.assertEqual(code, 0, output)
                self.assertPlaces(box, {"ask-one": "Trash"})

    def test_without_a_terminal_nothing_is_trashed_until_it_is_allowed(self):
        box, place = self.prepare()
        self.assertIn("needs-yes", place.opus("run", "--json").err)
        for words in (["run", "--yes"], ["run", "--yes", "--json"]):
            self.assertIn("needs your confirmation", self.check(place.opus(*words)).out)
            self.assertPlaces(box, {"ask-one": "INBOX"})
        self.check(place.opus("run", "--yes", "--allow-trash"))
        self.assertPlaces(box, {"ask-one": "Trash"})


if __name__ == "__main__":
    unittest.main()
