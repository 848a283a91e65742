"""The real programs that share a task folder with us: each edits, completes, moves and deletes tasks while opus runs
before, after and between. The result is checked on the mail server too."""
import re
import unittest
from datetime import datetime, timezone

from letters import letter
from task_programs import CalendarServer, Todoman, VdirSyncer, debian, newest, radicale, require, xandikos
from workplace import Case

RULES = """\
rules-version: 1
name: programs
rules:
  - id: ask
    when: subject:ask
    then: [{ task: { title: 'Answer {{subject}}', list: next, context: '@office', due: 2026-03-31 17:00 } }]
"""
#: A task of the user's own, linked to a mail by its URL; todoman loses its contexts.
FOREIGN = """\
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Somebody//EN
BEGIN:VTODO
UID:foreign-1
DTSTAMP:20260301T000000Z
SUMMARY:Foreign
URL:mid:ask-three@test.example
CATEGORIES:blue,green
DUE;TZID=Europe/Paris:20260331T170000
X-FOO;BAR=1:keep
END:VTODO
END:VCALENDAR
"""
REPEATING = FOREIGN.replace("foreign-1", "repeating-1").replace("Foreign", "Every week").replace(
    "DUE;TZID=Europe/Paris:20260331T170000", "DTSTART;VALUE=DATE:20260309\nDUE;VALUE=DATE:20260310\nRRULE:FREQ=WEEKLY")


class Shared(Case):
    """Three mails; two have tasks of a rule, the third one of the user's own."""

    def prepare(self, foreign=FOREIGN):
        self.box = self.new_box()
        self.box.add("INBOX", [letter("Ask one"), letter("Ask two", minutes=1)])
        self.box.add("INBOX", letter("Third", "ask-three", minutes=2))
        self.place = self.new_place(self.box, RULES)
        self.run_opus()
        if foreign:
            (self.place.tasks / "next" / "own.ics").write_bytes(foreign.replace("\n", "\r\n").encode())
            self.run_opus()
        return self.place

    def run_opus(self, *words, code=0):
        return self.check(self.place.opus("run", "--yes"), code, *words)

    def item(self, summary):
        return next(item for item in self.place.opus("task", "list", "--all", "--json").json["items"]
                    if item["summary"] == summary)

    def labels(self, name):
        held = next(held for held in self.box.everything() if held.message_id.strip("<>").startswith(name))
        return {flag for flag in held.flags if not flag.startswith("\\")}

    def finish(self, places):
        """Nothing is left to do, every file can be read, and the mail stands where it should."""
        self.assertNothingMore(self.place, self.box)
        self.assertPlaces(self.box, places)
        self.check(self.place.opus("task", "check"))


class WithTodoman:
    """The same for each todoman."""

    def program(self):
        raise NotImplementedError

    def start(self, **options):
        program = self.program()
        self.prepare(**options)
        return Todoman(self.place, program)

    def test_completed(self):
        todo = self.start()
        todo.run("done", todo.number("Answer Ask one"))
        self.run_opus("is done: its mail goes to the archive")
        item = self.item("Answer Ask one")
        self.assertEqual((item["status"], item["messageID"], item["rule"], item["categories"]),
                         ("completed", "ask-one@test.example", "ask", ["@office"]))
        # What todoman lost is there again for every other program.
        self.assertIn(b"CATEGORIES:@office\r\n", self.place.task("Answer Ask one").read_bytes())
        self.finish({"ask-one": "Archive", "ask-two": "INBOX"})

    def test_edited_while_opus_edits_too(self):
        todo = self.start()
        todo.tasks()  # it has read the file before we change it
        self.check(self.place.opus("task", "edit", self.item("Answer Ask one")["id"], "--contact", "Ann"))
        todo.run("edit", "--priority", "high", "--due", "2026-04-02 09:00",
                 todo.number("Answer Ask one"))
        self.run_opus()
        item = self.item("Answer Ask one")
        self.assertEqual((item["contact"], item["due"], item["categories"], item["messageID"]),
                         ("Ann", "2026-04-02T09:00:00+02:00", ["@office"], "ask-one@test.example"))
        self.assertLess(item["priority"], 5)
        self.finish({"ask-one": "INBOX"})
        self.check(self.place.opus("task", "edit", item["id"], "--title", "Answered soon"))
        self.assertIn("Answered soon", todo.tasks())

    def test_moved_to_another_list(self):
        todo = self.start()
        self.check(self.place.opus("task", "add", "Some idea", "--list", "someday"))
        self.run_opus()
        todo.run("move", "--list", todo.list_name("someday"), todo.number("Answer Ask one"))
        self.run_opus("is for someday: its mail is deferred without a date")
        self.assertEqual(self.item("Answer Ask one")["list"], "someday")
        todo.run("move", "--list", todo.list_name("next"), todo.number("Answer Ask one"))
        self.run_opus("its mail returns to the inbox")
        self.finish({"ask-one": "INBOX"})

    def test_deleted_and_flushed(self):
        todo = self.start()
        todo.run("delete", "--yes", todo.number("Answer Ask one"))
        self.run_opus("was deleted; its mail stays")
        todo.run("done", todo.number("Answer Ask two"))
        self.run_opus()
        todo.run("delete", "--yes", todo.number("Answer Ask two"))
        self.assertNotIn("deleted", self.run_opus().text)
        self.finish({"ask-one": "INBOX", "ask-two": "Archive"})

    def test_cancelled(self):
        todo = self.start()
        todo.run("cancel", todo.number("Answer Ask one"))
        self.run_opus("is cancelled: its mail goes to the archive")
        self.finish({"ask-one": "Archive"})

    def test_a_new_task_belongs_to_opus_from_then_on(self):
        todo = self.start()
        todo.run("new", "--list", todo.list_name("next"), "--due", "2026-03-20 12:00", "Buy milk")
        self.run_opus()
        item = self.item("Buy milk")
        self.assertEqual(item["due"], "2026-03-20T12:00:00+01:00")
        self.check(self.place.opus("task", "done", item["id"]))
        self.assertTrue(todo.tasks()["Buy milk"]["completed"])
        self.finish({})

    def test_contexts_that_it_loses_are_restored(self):
        todo = self.start()
        self.box.mark("INBOX", "ask-three@test.example", add=["blue", "green"])
        self.run_opus()
        todo.run("edit", "--priority", "high", todo.number("Foreign"))
        self.run_opus()
        self.assertEqual(self.labels("ask-three"), {"blue", "green"})
        self.assertIn(b"X-FOO;BAR=1:keep", (self.place.tasks / "next" / "own.ics").read_bytes())
        self.finish({"ask-three": "INBOX"})

    def test_a_repeating_task_continues(self):
        todo = self.start(foreign=REPEATING)
        self.assertIn("Every week", todo.tasks())
        todo.run("done", todo.number("Every week"))
        self.run_opus()
        items = [item for item in self.place.opus("task", "list", "--all", "--json").json["items"]
                 if item["summary"] == "Every week"]
        self.assertEqual(sorted(item["status"] for item in items), ["completed", "open"])
        later = next(item for item in items if item["status"] == "open")
        # The next one after the completion, by todoman's clock.
        self.assertGreater(later["due"], "2026-03-10")
        self.assertNothingMore(self.place, self.box)
        self.check(self.place.opus("task", "check"))

    def test_a_repeating_task_that_opus_continued_is_one_task_there_too(self):
        todo = self.start(foreign=REPEATING)
        before = todo.tasks()["Every week"]["due"]
        path = self.place.task("Every week")
        old = path.read_bytes()
        self.check(self.place.opus("task", "done", self.item("Every week")["id"]), 0, "next ")
        after = todo.tasks()["Every week"]
        self.assertEqual((after["due"] - before, after["completed"], after.get("recurring", True)), (7 * 86_400, False, True))
        self.assertEqual(len([path for path in self.place.tasks.glob("*/*.ics") if b"Every week" in path.read_bytes()]), 1)
        self.check(self.place.opus("undo", "--yes"))
        self.assertEqual(path.read_bytes(), old)
        self.assertEqual(todo.tasks()["Every week"]["due"], before)
        # todoman has let it go on its way meanwhile: ours goes on from there.
        self.check(self.place.opus("task", "done", self.item("Every week")["id"]))
        todo.run("done", todo.number("Every week"))
        self.run_opus()
        items = [item for item in self.place.opus("task", "list", "--all", "--json").json["items"]
                 if item["summary"] == "Every week"]
        self.assertEqual(sorted(item["status"] for item in items), ["completed", "open"])
        self.assertNothingMore(self.place, self.box)
        self.check(self.place.opus("task", "check"))

    def test_a_due_time_that_it_writes_in_utc_is_not_an_edit(self):
        todo = self.start()
        before = self.item("Foreign")["due"]
        todo.run("edit", "--priority", "low", todo.number("Foreign"))
        self.run_opus()
        moments = [datetime.fromisoformat(due if "+" in due else due + "+02:00").astimezone(timezone.utc)
                   for due in (before, self.item("Foreign")["due"])]
        self.assertEqual(moments[0], moments[1])


class DebianTodoman(WithTodoman, Shared):
    def program(self):
        return require(debian("todoman", "todo"), "Debian's todoman")


class NewestTodoman(WithTodoman, Shared):
    def program(self):
        return require(newest("todo"), "PyPI's todoman", is_debian=False)


class WithServer:
    """vdirsyncer between us and a CalDAV server, as an example of programs that use CalDAV."""

    LISTS = ["inbox", "next", "waiting", "scheduled", "someday"]

    #: The server's command, and where it keeps a user's lists.
    command, home = None, None

    def syncer(self):
        return require(debian("vdirsyncer"), "Debian's vdirsyncer")

    def start(self):
        program = self.syncer()
        self.prepare()
        server = CalendarServer(self.folder / "calendars", type(self).command, self.home)
        self.addCleanup(server.stop)
        sync = VdirSyncer(self.place, server, program)
        sync.configure(self.LISTS)
        sync.sync()
        self.run_opus()
        return server, sync

    def on_server(self, server, summary, lists=None):
        """(list, path, text) of a task."""
        for name in lists or self.LISTS:
            for path, body in server.items(name).items():
                text = re.sub(r"\r?\n ", "", body.decode())
                if f"SUMMARY:{summary}" in text:
                    return name, path, text
        return None

    def test_completed_there_and_here(self):
        server, sync = self.start()
        _, path, text = self.on_server(server, "Answer Ask one")
        server.request("PUT", path, text.replace("STATUS:NEEDS-ACTION", "STATUS:COMPLETED\r\nPERCENT-COMPLETE:100")
                       .encode())
        self.check(self.place.opus("task", "done", self.item("Answer Ask two")["id"]))
        sync.sync()
        self.run_opus("is done: its mail goes to the archive")
        self.assertIn("STATUS:COMPLETED", self.on_server(server, "Answer Ask two")[2])
        sync.sync()
        self.finish({"ask-one": "Archive", "ask-two": "Archive", "ask-three": "INBOX"})

    def test_edited_there_with_everything_kept(self):
        server, sync = self.start()
        _, path, text = self.on_server(server, "Foreign")
        server.request("PUT", path, text.replace("SUMMARY:Foreign", "SUMMARY:Foreign\r\nPRIORITY:1").encode())
        sync.sync()
        self.run_opus()
        item = self.item("Foreign")
        self.assertEqual((item["priority"], item["categories"]), (1, ["blue", "green"]))
        self.check(self.place.opus("task", "edit", item["id"], "--title", "Foreign words"))
        sync.sync()
        text = self.on_server(server, "Foreign words")[2]
        self.assertIn("X-FOO;BAR=1:keep", text)
        self.assertIn("URL:mid:ask-three@test.example", text)
        self.finish({"ask-three": "INBOX"})

    def test_moved_there_between_two_lists(self):
        server, sync = self.start()
        _, path, text = self.on_server(server, "Answer Ask one")
        server.request("PUT", path.replace("/next/", "/someday/"), text.encode())
        server.request("DELETE", path)
        sync.sync()
        self.run_opus("is for someday")
        self.assertEqual(self.item("Answer Ask one")["list"], "someday")
        self.check(self.place.opus("task", "move", self.item("Answer Ask one")["id"], "next"))
        sync.sync()
        self.assertEqual(self.on_server(server, "Answer Ask one")[0], "next")
        self.run_opus("returns to the inbox")
        self.finish({"ask-one": "INBOX"})

    def test_deleted_there(self):
        server, sync = self.start()
        server.request("DELETE", self.on_server(server, "Answer Ask one")[1])
        sync.sync()
        self.run_opus("was deleted; its mail stays")
        sync.sync()
        self.assertIsNone(self.on_server(server, "Answer Ask one"))
        self.finish({"ask-one": "INBOX"})

    def test_made_there(self):
        server, sync = self.start()
        server.request("PUT", self.home + "inbox/made.ics",
                       FOREIGN.replace("foreign-1", "made-1").replace("Foreign", "Made there")
                       .replace("ask-three", "nobody").replace("\n", "\r\n").encode())
        sync.sync()
        self.run_opus()
        item = self.item("Made there")
        self.assertEqual((item["list"], item["due"]), ("inbox", "2026-03-31T17:00:00"))
        self.finish({})


class WithRadicale(WithServer, Shared):
    command, home = staticmethod(radicale), "/user/"


class WithXandikos(WithServer, Shared):
    command, home = staticmethod(xandikos), "/user/calendars/"


class NewestVdirSyncer(WithServer, Shared):
    command, home = staticmethod(radicale), "/user/"

    def syncer(self):
        return require(newest("vdirsyncer"), "PyPI's vdirsyncer", is_debian=False)


class WithLibraries(Shared):
    """Programs of people's own, with the two usual libraries of Python."""

    def rewrite(self, summary, change):
        path = self.place.task(summary)
        path.write_bytes(change(path.read_bytes()))

    def vobject(self):
        try:
            import vobject
        except ImportError:
            require(None, "python3-vobject")
        return vobject

    def test_vobject_completes_edits_and_rewrites(self):
        vobject = self.vobject()
        self.prepare()

        def complete(content):
            calendar = vobject.readOne(content.decode())
            calendar.vtodo.status.value = "COMPLETED"
            return calendar.serialize().encode()

        self.rewrite("Answer Ask one", complete)
        self.rewrite("Answer Ask two", lambda content: vobject.readOne(content.decode()).serialize().encode())
        self.run_opus("is done: its mail goes to the archive")
        self.assertEqual(self.item("Answer Ask two")["categories"], ["@office"])
        self.finish({"ask-one": "Archive", "ask-two": "INBOX"})

    def test_icalendar_completes_edits_and_deletes(self):
        import icalendar
        self.prepare()

        def change(content):
            calendar = icalendar.Calendar.from_ical(content)
            todo, = calendar.walk("VTODO")
            todo["STATUS"] = "COMPLETED"
            todo.add("COMPLETED", datetime(2026, 3, 10, 7, 0, tzinfo=timezone.utc))
            return calendar.to_ical()

        self.rewrite("Answer Ask one", change)
        self.run_opus("is done: its mail goes to the archive")
        self.place.task("Answer Ask two").unlink()
        self.run_opus("was deleted; its mail stays")
        self.finish({"ask-one": "Archive", "ask-two": "INBOX"})


if __name__ == "__main__":
    unittest.main()
