"""opus tasks sync-setup and the syncs after it: a real Radicale, vdirsyncer, and a phone that writes over CalDAV."""
import re
import shutil
import signal
import time
import unittest
import urllib.error

from letters import letter
from task_programs import CalendarServer, debian, newest, require
from watcher import Watching, kind
from workplace import Case

RULES = """\
rules-version: 1
name: phone
rules:
  - id: ask
    auto: true
    when: subject:ask
    then: [{ task: { title: 'Answer {{subject}}', list: next } }]
"""


def radicale(folder, port):
    """With logins: the user is user, the password x."""
    program = require(debian("radicale"), "Radicale")
    config, users = folder.parent / "radicale.conf", folder.parent / "users"
    users.write_text("user:x\n")
    config.write_text(f"[server]\nhosts = 127.0.0.1:{port}\n[auth]\ntype = htpasswd\nhtpasswd_filename = {users}\n"
                      f"htpasswd_encryption = plain\n[storage]\nfilesystem_folder = {folder}\n")
    return [program, "--config", config]


class Phone(Case):
    kind = "imap"

    def begin(self, subjects=("Ask one",)):
        self.box = self.new_box()
        self.box.add("INBOX", [letter(subject, minutes=number) for number, subject in enumerate(subjects)])
        self.place = self.new_place(self.box, RULES)
        (self.place.root / "caldav").write_text("x\n")
        self.opus("run", "--yes")

    def opus(self, *words, code=0, said=(), **options):
        return self.check(self.place.opus(*words, now=None, **options), code, *said)

    def serve(self):
        require(debian("vdirsyncer"), "Debian's vdirsyncer")
        self.server = CalendarServer(self.folder / "calendars", radicale, "/user/")
        self.addCleanup(self.server.stop)

    def set_up(self, *more, code=0, said=(), **options):
        return self.opus("tasks", "sync-setup", "radicale", "--url", f"http://127.0.0.1:{self.server.port}", "--user", "user",
                         "--password-command", "cat caldav", *more, code=code, said=said, **options)

    def there(self, summary, lists=("next", "inbox", "someday", "waiting", "scheduled")):
        """(path, text) of a task on the server."""
        for name in lists:
            for path, body in self.server.items(name).items():
                text = re.sub(r"\r?\n ", "", body.decode())
                if f"SUMMARY:{summary}" in text:
                    return path, text
        return None, ""

    def complete_there(self, summary):
        path, text = self.there(summary)
        done = text.replace("STATUS:NEEDS-ACTION", "STATUS:COMPLETED\r\nPERCENT-COMPLETE:100")
        self.server.request("PUT", path, done.encode())

    def until(self, wanted, patience=30):
        """How long it took."""
        start = time.monotonic()
        while time.monotonic() < start + patience:
            try:
                if wanted():
                    return time.monotonic() - start
            except urllib.error.HTTPError:
                pass  # a task went between two questions
            time.sleep(0.1)
        self.fail(f"waited {patience} s")

    def settings(self):
        return (self.place.root / "opus.yaml").read_text()


class RealServer(Phone):
    def test_a_task_completed_on_the_phone_moves_its_mail_within_a_minute(self):
        self.serve()
        self.begin()
        done = self.set_up("--json").json
        self.assertEqual((done["schema"], done["program"], done["tasks"]), ("opus.task-sync-setup/1", "vdirsyncer", 1))
        self.assertIn("Answer Ask one", self.there("Answer Ask one")[1])
        self.assertIn("sync-command: [vdirsyncer, ", self.settings())
        self.assertNotIn("\"x\"", (self.place.root / "vdirsyncer.conf").read_text())
        self.opus("config", "set", "tasks.sync-every", "5s")
        with Watching(self.place) as watching:
            watching.until(kind("listening"))
            self.complete_there("Answer Ask one")
            took = self.until(lambda: self.box.where("ask-one@test.example") == ["Archive"], patience=60)
            self.assertLess(took, 60)
            # And the other way: a task that a rule makes is on the phone soon after.
            self.box.add("INBOX", letter("Ask two"))
            self.until(lambda: self.there("Answer Ask two")[0])
            watching.interrupt()
            self.assertEqual(watching.all("sync-failed"), [])
        self.opus("tasks", "check")

    def test_the_newest_vdirsyncer_syncs_by_command_and_by_run(self):
        self.serve()
        self.begin(("Ask one", "Ask two", "Ask three"))
        if program := newest("vdirsyncer"):
            old = self.place.environment
            self.place.environment = lambda **more: {**old(), "PATH": f"{program.parent}:/usr/bin:/bin", **more}
        self.set_up(said=("Synced with Radicale: 3 tasks", "both versions stay"))
        items = {item["summary"]: item["id"] for item in self.opus("task", "list", "--json").json["items"]}
        self.opus("task", "done", items["Answer Ask one"])
        self.until(lambda: "STATUS:COMPLETED" in self.there("Answer Ask one")[1])
        # What was done on the phone counts in the same run.
        self.complete_there("Answer Ask two")
        self.opus("run", "--yes", said=("is done: its mail goes to the archive",))
        self.assertPlaces(self.box, {"ask-one": "Archive", "ask-two": "Archive", "ask-three": "INBOX"})
        # The last task of a list goes to another one: vdirsyncer alone would refuse that.
        for name in items:
            self.opus("task", "move", items[name], "someday")
        self.until(lambda: not self.server.items("next") and len(self.server.items("someday")) == 3)
        self.opus("tasks", "sync", said=("Synced the tasks",))
        self.assertEqual(len(list(self.place.tasks.glob("someday/*.ics"))), 3)

    def test_sync_setup_explains_common_obstacles(self):
        self.serve()
        self.begin()
        before, own = self.settings(), self.place.root / "vdirsyncer.conf"
        (self.place.root / "caldav").write_text("wrong\n")
        done = self.set_up(code=77, said=("refused the login", "--password-command"))
        self.assertEqual(done.err.count("next:"), 1)
        self.assertEqual((self.settings(), own.exists()), (before, False))
        (self.place.root / "caldav").write_text("x\n")
        own.write_text("[general]\n# mine\n")
        self.set_up(code=73, said=("you wrote or changed it", "--config FILE"))
        self.assertEqual(own.read_text(), "[general]\n# mine\n")
        own.unlink()
        self.set_up()
        files = {path: path.read_bytes() for path in (own, self.place.root / "opus.yaml")}
        self.set_up(said=("Synced with Radicale: 1 task in",))
        self.assertEqual({path: path.read_bytes() for path in files}, files)
        # A file that only opus wrote is renewed; one that was changed since is a person's.
        self.set_up("--conflict", "server", said=("version of the server is kept",))
        self.assertIn('conflict_resolution = "b wins"', own.read_text())
        own.write_text(own.read_text() + "# mine\n")
        self.set_up(code=73, said=("you wrote or changed it",))

    def test_a_conflict_is_reported_and_loses_nothing(self):
        self.serve()
        self.begin()
        self.set_up()
        path, text = self.there("Answer Ask one")
        self.server.request("PUT", path, text.replace("SUMMARY:Answer", "SUMMARY:Phone says answer").encode())
        item, = self.opus("task", "list", "--json").json["items"]
        # Its edit and the one on the phone: both are still there, and opus says so once.
        self.opus("task", "edit", item["id"], "--title", "Here")
        self.until(lambda: "failure" in (self.place.root / ".opus" / "tasks-sync.json").read_text())
        self.opus("task", "list", said=("a task of list next changed here and on the server", "--conflict here", "Here"))
        self.assertNotIn("not synced", self.opus("task", "list").text)
        self.opus("status", said=("not synced",))
        self.assertIn("Phone says answer", self.there("Phone says answer")[1])


    def summaries(self):
        return sorted(item["summary"] for item in self.opus("task", "list", "--json").json["items"])

    def test_another_server_gets_the_tasks_and_deletes_none(self):
        self.serve()
        first = self.server
        self.begin()
        self.opus("task", "add", "Mine", "--list", "next")
        self.set_up()
        own = self.place.root / "vdirsyncer.conf"
        text = own.read_text()
        self.opus("tasks", "sync-setup", "radicale", "--url", "http://127.0.0.1:1", "--user", "user", "--password-command",
                  "cat caldav", code=69, said=("--url",))
        self.assertEqual(own.read_text(), text)
        self.opus("tasks", "sync", said=("Synced the tasks",))
        self.server = CalendarServer(self.folder / "others", radicale, "/user/")
        self.addCleanup(self.server.stop)
        self.set_up(said=("2 tasks",))
        self.assertTrue(self.there("Answer Ask one")[0] and self.there("Mine")[0])
        self.opus("task", "add", "Third", "--list", "next")
        self.opus("tasks", "sync")
        # The first server never had the third task.
        self.server = first
        self.set_up(said=("3 tasks",))
        self.assertTrue(self.there("Third")[0])
        self.opus("run", "--yes")
        self.assertEqual(self.summaries(), ["Answer Ask one", "Mine", "Third"])
        self.assertEqual(list((self.place.root / ".opus").glob("*.earlier")), [])

    def test_a_server_that_lost_its_tasks_gets_them_again(self):
        self.serve()
        self.begin()
        self.set_up()
        for path in self.server.items("next"):
            self.server.request("DELETE", path)
        self.set_up(said=("1 task",))
        self.assertTrue(self.there("Answer Ask one")[0])
        self.opus("run", "--yes")
        self.assertEqual(self.summaries(), ["Answer Ask one"])

    def test_the_sync_works_again_after_a_changed_password_and_a_lost_store(self):
        self.serve()
        self.begin()
        self.set_up()
        (self.folder / "users").write_text("user:y\n")
        self.opus("task", "add", "While away", "--list", "next")
        self.opus("tasks", "sync", code=75)
        (self.place.root / "caldav").write_text("wrong\n")
        self.opus("tasks", "sync", code=75, said=("refused the login",))
        (self.place.root / "caldav").write_text("y\n")
        self.opus("tasks", "sync", said=("Synced the tasks",))
        there = [file.read_text(errors="replace") for file in self.server.folder.rglob("*.ics")]
        self.assertTrue(any("SUMMARY:While away" in text for text in there), there)
        shutil.rmtree(self.place.root / ".opus")
        self.opus("tasks", "sync", said=("Synced the tasks",))
        self.assertEqual(self.summaries(), ["Answer Ask one", "While away"])

    def test_a_repeated_setup_follows_moves_and_deletes_nothing_by_mistake(self):
        self.serve()
        self.begin()
        self.set_up()
        for path in self.place.tasks.glob("next/*.ics"):
            (self.place.tasks / "home").mkdir()
            path.rename(self.place.tasks / "home" / path.name)
        self.set_up(said=("1 task",))
        self.assertEqual((len(self.server.items("next")), len(self.server.items("home"))), (0, 1))
        self.assertEqual(self.summaries(), ["Answer Ask one"])
        for number in range(12):
            self.opus("task", "add", f"Task {number}", "--list", "next")
        self.opus("tasks", "sync")
        for path in self.place.tasks.glob("next/*.ics"):
            path.unlink()
        self.set_up(code=75, said=("12 of 13 task files are missing", "--allow-mass-delete"))
        self.assertEqual(len(self.server.items("next")), 12)

    def on_two_machines(self, subject):
        """Two workspaces on one account and one calendar server: each has made the task of this mail by itself."""
        self.serve()
        self.begin((subject,))
        first = self.place
        self.set_up()
        second = self.place = self.new_place(self.box, RULES, name="second")
        (second.root / "caldav").write_text("x\n")
        self.opus("run", "--yes")
        self.set_up()
        return first, second

    def test_two_machines_that_make_the_same_task_agree(self):
        # Longer than a line of a calendar file, with blanks where a program may fold it.
        subject = "Ask " + "about the plans for the next quarter, " * 4 + "please"
        first, second = self.on_two_machines(subject)
        for self.place in (first, second, first):
            self.opus("tasks", "sync", said=("nothing new here",))
        task, = first.opus("task", "list", "--json", now=None).json["items"]
        self.place = first
        # The server ends a value at a comma.
        self.opus("task", "edit", task["id"], "--context", "@office", "--context", "red")
        for self.place in (first, second, first):
            self.opus("tasks", "sync")
        for place in (first, second):
            self.assertIn(b"X-OPUS-CONTEXT:@office\\,red", next(place.tasks.glob("next/*.ics")).read_bytes())
        self.opus("task", "done", task["id"])
        for self.place in (first, second):
            self.opus("tasks", "sync")
        self.assertEqual(second.opus("task", "list", "--json", now=None).json["items"], [])

    def test_a_list_that_is_on_one_machine_only_is_reported(self):
        first, second = self.on_two_machines("Ask one")
        task, = first.opus("task", "list", "--json", now=None).json["items"]
        self.place = first
        self.opus("task", "move", task["id"], "reference")
        for self.place in (first, second):
            self.assertNotIn("this machine only", self.opus("tasks", "sync").text)
        self.assertEqual([path.parent.name for path in second.tasks.glob("*/*.ics")], ["reference"])
        self.place = first
        self.opus("task", "move", task["id"], "home")
        done = self.opus("tasks", "sync", "--json").json
        self.assertEqual(done["listsOnlyHere"], ["home"])
        self.opus("tasks", "sync", said=("the tasks of the list “home” are on this machine only",))
        self.opus("run", "--yes", said=("the tasks of the list “home” are on this machine only",))
        self.assertNotIn("home", self.opus("run", "--yes").text)
        # Of a configuration that a person changed, opus does not know what it syncs.
        own = self.place.root / "vdirsyncer.conf"
        text = own.read_text()
        own.write_text(text + "# mine\n")
        self.assertNotIn("this machine only", self.opus("tasks", "sync").text)
        own.write_text(text)
        self.set_up()
        self.assertNotIn("this machine only", self.opus("tasks", "sync").text)
        self.assertEqual(len(self.server.items("home")), 1)

    def test_a_server_that_a_person_names_in_the_configuration_is_not_trusted(self):
        self.serve()
        self.begin()
        self.set_up()
        other = CalendarServer(self.folder / "others", radicale, "/user/")
        self.addCleanup(other.stop)
        own = self.place.root / "vdirsyncer.conf"
        own.write_text(own.read_text().replace(str(self.server.port), str(other.port)))
        self.opus("tasks", "sync", code=75, said=("vdirsyncer discover tasks, then opus tasks sync",))
        self.assertEqual(self.summaries(), ["Answer Ask one"])

    def test_another_configuration_has_its_own_memory(self):
        self.serve()
        first = self.server
        self.begin()
        self.set_up()
        self.server = CalendarServer(self.folder / "others", radicale, "/user/")
        self.addCleanup(self.server.stop)
        # Only the second server gets this one before the first is synced again.
        self.opus("task", "add", "Second", "--list", "next")
        self.set_up("--config", str(self.place.root / "second.conf"))
        self.assertTrue(self.there("Second")[0])
        self.opus("tasks", "sync")
        self.server = first
        self.assertTrue(self.there("Second")[0])
        self.assertEqual(self.summaries(), ["Answer Ask one", "Second"])

    def test_the_setup_follows_a_workspace_that_was_moved(self):
        self.serve()
        self.begin()
        self.set_up()
        moved = self.place.root.rename(self.place.root.with_name("moved"))
        self.place.root = moved
        self.opus("tasks", "sync", code=75)
        self.set_up()
        self.assertIn(f"{moved}/vdirsyncer.conf", self.settings())
        self.opus("tasks", "sync", said=("Synced the tasks",))


class OwnProgram(Phone):
    """`sync-command` is any program: a script that counts its calls, and fails while the file away is there."""

    kind = "maildir"

    def begin(self, *arguments, every="never", script="test ! -e away || { echo 'error: no route' >&2; exit 1; }"):
        super().begin(*arguments)
        (self.place.root / "sync.sh").write_text(f"echo call >> calls\n{script}\n")
        self.opus("config", "set", "tasks.sync-command", "[sh, sync.sh]")
        self.opus("config", "set", "tasks.sync-every", every)

    def calls(self):
        file = self.place.root / "calls"
        return len(file.read_text().split()) if file.exists() else 0

    def test_many_changes_cause_few_syncs_and_no_command_waits_for_them(self):
        self.begin(script="sleep 1")
        start = time.monotonic()
        for number in range(8):
            self.opus("task", "add", f"Task {number}")
        spent = time.monotonic() - start
        self.until(lambda: self.calls() >= 1)
        time.sleep(2.5 + spent / 2)
        self.assertLessEqual(self.calls(), 2 + spent / 3)
        self.until(lambda: not self.running())
        # At rest nothing is synced.
        calls = self.calls()
        self.opus("task", "list")
        self.opus("task", "done", "none", code=66)
        time.sleep(2.5)
        self.assertEqual(self.calls(), calls)

    def running(self):
        import subprocess
        found = subprocess.run(["pgrep", "-f", f"{self.place.root}.*--after-change"], capture_output=True, text=True)
        return found.stdout.split()

    def test_a_failure_is_reported_once_and_stops_nothing(self):
        self.begin(every="5s")
        (self.place.root / "away").touch()
        done = self.opus("run", "--yes")
        self.assertEqual(done.err.count("the tasks are not synced: no route"), 1)
        self.assertNotIn("not synced", self.opus("run", "--yes").text)
        self.opus("tasks", "sync", code=75, said=("no route",))
        self.opus("status", said=("not synced: no route", "opus tasks sync"))
        with Watching(self.place) as watching:
            watching.until(kind("listening"))
            (self.place.root / "away").unlink()
            watching.until(kind("sync-recovered"))
            self.assertEqual(watching.all("sync-failed"), [])
            (self.place.root / "away").touch()
            watching.until(kind("sync-failed"))
            calls = self.calls()
            self.until(lambda: self.calls() > calls)
            self.assertEqual(len(watching.all("sync-failed")), 1)
            watching.interrupt()
            self.assertEqual(watching.process.wait(10), 130)
        self.assertNotIn("not synced", self.opus("status").text.replace("the tasks are not synced: no route", ""))

    def test_a_failure_counts_also_if_opus_was_started_with_ignored_children(self):
        self.begin()
        (self.place.root / "away").touch()
        self.opus("tasks", "sync", code=75, said=("no route",), preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))

    def test_a_folder_that_is_gone_is_not_synced_away(self):
        self.begin()
        for number in range(8):
            self.opus("task", "add", f"Task {number}", "--list", "next")
        self.opus("tasks", "sync")
        calls = self.calls()
        for path in self.place.tasks.glob("next/*.ics"):
            path.unlink()
        self.opus("tasks", "sync", code=75, said=("task files are missing", "--allow-mass-delete"))
        self.assertEqual(self.calls(), calls)
        self.opus("tasks", "sync", "--allow-mass-delete")
        self.assertEqual(self.calls(), calls + 1)

    def test_missing_and_wrong_arguments_are_reported(self):
        self.begin()
        for words, code, said in (
            (("fastmail",), 64, ("the user name at Fastmail", "--user")),
            (("fastmail", "--user", "a@fastmail.com"), 64, ("app password", "--password-command")),
            (("radicale",), 64, ("its address is missing", "--url")),
            (("radicale", "--url", "http://cloud.example.org", "--user", "a", "--password-command", "cat x"), 64,
             ("unencrypted", "--url https://cloud.example.org")),
            (("radicale", "--url", "https://a:b@cloud.example.org"), 64, ("not the address",)),
            (("icloud",), 69, ("Reminders",)), (("google",), 69, ("no tasks",)),
            (("nothing",), 64, ("one of: radicale, nextcloud",)),
            (("nextcloud", "--url", "cloud.example.org", "--user", "a", "--password-command", "cat x", "--with", "pimsync"),
             69, ("pimsync is not installed",)),
        ):
            with self.subTest(words):
                self.opus("tasks", "sync-setup", *words, code=code, said=said)
        self.assertEqual(sorted(path.name for path in self.place.root.glob("*.conf")), [])
        self.opus("config", "set", "tasks.sync-every", "1s", code=78, said=("from 5s to 24h",))

    def test_the_configuration_of_pimsync(self):
        self.begin()
        text = self.opus("tasks", "sync-setup", "nextcloud", "--url", "cloud.example.org", "--user", "an\"a", "--with",
                         "pimsync", "--password-command", "pass show cloud", "--conflict", "server", "--print").out
        for line in ("status_path ", "\ttype vdir/icalendar\n", "\tfileext ics\n", "\ttype caldav\n",
                     '\turl "https://cloud.example.org/remote.php/dav/"\n', '\tusername "an\\"a"\n',
                     '\t\tcmd "pass" "show" "cloud"\n', "\tstorage_a local\n", '\tcollection "next"\n',
                     "\ton_empty skip\n", "\tconflict_resolution keep b\n"):
            self.assertIn(line, text)
        self.assertFalse((self.place.root / "pimsync.conf").exists())


if __name__ == "__main__":
    unittest.main()
