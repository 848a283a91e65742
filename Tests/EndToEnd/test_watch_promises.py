"""`opus watch` as a user sees it: which mail is where, what was reported, and that two programs at once do no harm."""
import json
import signal
import threading
import time
import unittest
from datetime import datetime, timedelta, timezone

from letters import letter
from servers import MailServers
from watcher import PATIENCE, Watching, brought, kind
from wiretap import Wiretap
from workplace import Case

RULES = ("rules-version: 1\nrules:\n"
         "  - { id: news, auto: true, when: 'subject:news', then: archive }\n"
         "  - { id: act, auto: true, when: 'subject:act', then: [{ copy: Kept }, { task: 'Do {{subject}}' }, archive] }\n")
TODO = "  - { id: todo, auto: true, when: 'subject:todo', then: [{ task: 'Do {{subject}}' }] }\n"


class Promises(Case):
    kind = "imap"

    def watched(self, settings="", rules=RULES, on=None):
        self.box = self.new_box(on=on)
        self.box.create("Kept")
        self.box.add("INBOX", letter("First", "first"))
        self.wire = self.enterContext(Wiretap(self.box.servers.imap_port))
        self.place = self.new_place(self.box, rules=rules)
        self.account = self.box.yaml(port=self.wire.port, security="none", host="127.0.0.1")
        self.place.configure(self.account, settings)
        self.check(self.place.opus("run", "--yes", now=None))

    def comes_to(self, name, *mailboxes, box=None, patience=PATIENCE):
        end = time.monotonic() + patience
        while (box or self.box).where(f"{name}@test.example") != list(mailboxes):
            self.assertLess(time.monotonic(), end, f"{name} is in {(box or self.box).where(f'{name}@test.example')}")
            time.sleep(0.1)

    def test_an_order_of_another_program_is_carried_out_while_the_watch_runs(self):
        self.watched("command-mailboxes: Opus\npeople: { Bob: bob@acme.example }\n")
        self.box.add("INBOX", [letter("Plan", "plan"), letter("Ask Bob", "ask")])
        with Watching(self.place) as watching:
            watching.until(kind("listening"))
            self.box.move("<plan@test.example>", "INBOX", "Opus/Task")
            self.box.move("<ask@test.example>", "INBOX", "Opus/Delegate Bob")
            self.comes_to("plan", "Archive")
            self.comes_to("ask", "Archive")
            self.place.task("Plan")
            self.assertEqual(len(self.box.held("Drafts")), 1)
            time.sleep(2)
            self.assertEqual(len(self.box.held("Drafts")), 1)

    def test_a_mail_that_becomes_a_draft_is_reported(self):
        self.watched(rules="rules-version: 1\nrules:\n"
                           "  - { id: fwd, auto: true, when: 'subject:pass', then: [{ forward: { to: bob@acme.example, send: now } }, archive] }\n")
        with Watching(self.place, form="--color=never") as watching:
            time.sleep(2)
            self.box.add("INBOX", letter("Pass on", "pass"))
            self.comes_to("pass", "Archive")
            end = time.monotonic() + PATIENCE
            while "rule fwd makes a draft instead of sending" not in watching.text and time.monotonic() < end:
                time.sleep(0.1)
            self.assertIn("rule fwd makes a draft instead of sending", watching.text)

    def test_a_watch_finishes_what_a_killed_one_began_without_a_question(self):
        """It has nobody to ask: the mail of a completed task, mail that comes back, and an order to undo."""
        self.watched("command-mailboxes: Opus\n", RULES + TODO)

        def complete():
            self.place.edit("Do Todo", ("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))

        def defer():
            item, = self.place.opus("list", "subject:later", "--json", now=None).json["items"]
            when = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() + 4))
            self.check(self.place.opus("defer", item["id"], when, now=None))
            self.comes_to("later", "Deferred")

        def take_back():
            self.comes_to("news", "Archive")
            self.box.move("<news@test.example>", "Archive", "Opus/Undo")

        for name, begin, mailbox in (("todo", complete, "Archive"), ("later", defer, "INBOX"), ("news", take_back, "INBOX")):
            with self.subTest(name):
                with Watching(self.place) as watching:
                    watching.until(kind("listening"))
                    self.box.add("INBOX", letter(name.title(), name))
                    watching.until(kind("applied") if name != "later" else brought(1))
                    self.wire.refuse(f"^UID MOVE \\S+ {mailbox}", "",
                                     before=lambda match, watching=watching: watching.signal(signal.SIGKILL))
                    begin()
                    self.assertEqual(watching.process.wait(PATIENCE), -signal.SIGKILL)
                self.wire.open()
                self.wire.cut()
                self.assertNotEqual(self.box.where(f"{name}@test.example"), [mailbox])
                with Watching(self.place) as watching:
                    self.comes_to(name, mailbox)
                    watching.until(kind("listening"))
                    account, = self.place.opus("status", "--json", now=None).json["items"]
                    self.assertEqual((account["waiting"], account["interruptedRuns"]), ([], []))
        runs = {run["command"] for run in self.place.opus("runs", "--json", now=None).json["items"]}
        self.assertEqual(runs, {"watch", "defer", "undo"})

    def test_many_completed_tasks_wait_and_the_status_and_the_hook_say_so(self):
        self.watched("brakes: { count: 2 }\nwatch: { hook: [sh, -c, 'cat >> told'], events: [failed] }\n", RULES + TODO)
        reason = "4 changed tasks would move 4 messages, more than 2"

        def setbacks():
            return self.place.opus("status", "--json", now=None).json["watch"]["setbacks"]

        with Watching(self.place) as watching:
            watching.until(kind("listening"))
            self.box.add("INBOX", [letter(f"Todo {number}", f"todo{number}") for number in range(4)])
            watching.until(kind("applied"))
            beside = self.place.tasks.with_name("beside")
            beside.mkdir()
            files = [self.place.task(f"Do Todo {number}") for number in range(4)]
            for file in files:
                text = file.read_bytes().replace(b"STATUS:NEEDS-ACTION", b"STATUS:COMPLETED")
                (beside / file.name).write_bytes(text)
            for file in files:
                (beside / file.name).rename(file)
            _, seen = watching.until(lambda event: event["type"] == "followed" and event["tasks"])
            self.assertEqual([line.partition(";")[0] for line in setbacks()], [reason])
            self.check(self.place.opus("status", now=None), 0, "! " + reason)
            watching.signal(signal.SIGHUP)
            watching.until(kind("listening"), seen)
            self.assertEqual(len(watching.all("followed")), 1, "once")
            self.assertEqual(self.box.where("todo0@test.example"), ["INBOX"])
            self.check(self.place.opus("run", "--yes", "--allow-mass-move", now=None))
            self.comes_to("todo0", "Archive")
            watching.signal(signal.SIGHUP)
            end = time.monotonic() + PATIENCE
            while setbacks():
                self.assertLess(time.monotonic(), end, "the status still says that tasks wait")
                time.sleep(0.1)
        told = [json.loads(line) for line in (self.place.root / "told").read_text().splitlines()]
        self.assertEqual([(event["event"], event["messages"]) for event in told], [("failed", [])])

    def test_a_step_that_is_refused_for_good_reaches_the_hook(self):
        self.watched("watch: { hook: [sh, -c, 'cat >> told'], events: [failed] }\n")
        with Watching(self.place) as watching:
            watching.until(kind("listening"))
            self.wire.refuse("^UID MOVE", "NO [NOPERM] this mailbox takes nothing")
            self.box.add("INBOX", letter("News 1", "news"))
            told, end = self.place.root / "told", time.monotonic() + PATIENCE
            while not (told.exists() and told.read_text().endswith("\n")):
                self.assertLess(time.monotonic(), end, watching.text[-1500:])
                time.sleep(0.1)
            event = json.loads(told.read_text().splitlines()[0])
            self.assertEqual((event["event"], event["count"], event["account"]), ("failed", 1, "work"))
            self.assertNotIn("News 1", told.read_text())
        self.comes_to("news", "INBOX")
        self.check(self.place.opus("status", now=None), 0, "this mailbox takes nothing")

    def test_mail_that_comes_back_only_at_a_later_try_reaches_the_hook(self):
        self.watched("watch: { hook: [sh, -c, 'cat >> told'], events: [returned] }\n")
        item = next(item for item in self.place.opus("list", "--all", "--json", now=None).json["items"])
        with Watching(self.place) as watching:
            watching.until(kind("listening"))
            self.wire.refuse('^UID MOVE [^ ]+ "?INBOX', "NO [INUSE] later", times=1)
            soon = datetime.now(timezone.utc) + timedelta(seconds=5)
            self.check(self.place.opus("defer", item["id"], soon.strftime("%Y-%m-%dT%H:%M:%SZ"), now=None))
            told, end = self.place.root / "told", time.monotonic() + 2 * PATIENCE
            while not (told.exists() and told.read_text().endswith("\n")):
                self.assertLess(time.monotonic(), end, watching.text[-1500:])
                time.sleep(0.1)
            event, = [json.loads(line) for line in told.read_text().splitlines()]
            self.assertEqual((event["event"], event["count"], event["account"]), ("returned", 1, "work"))
            self.assertEqual(len(event["messages"]), 1)

    def test_an_account_that_is_added_to_the_settings_is_watched_and_one_that_is_removed_is_not(self):
        self.watched()
        other = self.new_box()
        with Watching(self.place) as watching:
            _, number = watching.until(kind("listening"))
            self.place.configure(self.account + other.yaml(name="other"))
            _, number = watching.until(kind("new-settings"), number)
            watching.until(lambda event: event["type"] == "listening" and event["account"] == "other", number)
            other.add("INBOX", letter("News 1", "news1"))
            self.comes_to("news1", "Archive", box=other)
            self.place.configure(self.account)
            _, number = watching.until(kind("new-settings"), number)
            watching.until(kind("listening"), number)
            other.add("INBOX", letter("News 2", "news2"))
            self.box.add("INBOX", letter("News 3", "news3"))
            self.comes_to("news3", "Archive")
            time.sleep(2)
            self.comes_to("news2", "INBOX", box=other)

    def test_an_account_without_a_server_does_not_hold_back_the_others(self):
        self.watched()
        server = self.enterContext(MailServers(smtp=False))
        other = self.new_box(on=server)
        server.pause()
        self.place.configure(other.yaml(name="other") + self.account)
        with Watching(self.place) as watching:
            watching.until(lambda event: event["type"] == "lost" and event["account"] == "other")
            self.box.add("INBOX", letter("News 1", "news1"))
            self.comes_to("news1", "Archive")
            server.resume()
            other.add("INBOX", letter("News 2", "news2"))
            self.comes_to("news2", "Archive", box=other, patience=40)

    def test_runs_beside_the_watch_and_deliveries_do_everything_once(self):
        self.watched()
        failures = []

        def run():
            for _ in range(4):
                done = self.place.opus("run", "--yes", now=None)
                if done.code:
                    failures.append(str(done))

        with Watching(self.place) as watching:
            watching.until(kind("listening"))
            runs = [threading.Thread(target=run) for _ in range(2)]
            for thread in runs:
                thread.start()
            for number in range(12):
                self.box.add("INBOX", letter(f"Act {number}", f"act{number}"))
                time.sleep(0.2)
            for thread in runs:
                thread.join()
            for number in range(12):
                self.comes_to(f"act{number}", "Archive", "Kept")
            self.assertEqual(watching.all("lost"), [])
        self.assertEqual(failures, [])
        for number in range(12):
            self.place.task(f"Do Act {number}")
        self.assertEqual(len([name for name in self.place.task_files() if name.endswith(".ics")]), 12)

    def test_a_step_at_which_the_server_drops_the_connection_holds_back_no_other_mail(self):
        self.watched()
        with Watching(self.place) as watching:
            watching.until(kind("listening"))
            self.wire.refuse(r"(?s)^APPEND Kept.*Subject: Act 1\r", "", before=lambda match: self.wire.cut())
            self.box.add("INBOX", [letter(f"Act {number}", f"act{number}") for number in range(3)] + [letter("News 1", "news")])
            for number in (0, 2):
                self.comes_to(f"act{number}", "Archive", "Kept", patience=40)
            self.comes_to("news", "Archive", patience=40)
            self.comes_to("act1", "INBOX")
            self.check(self.place.opus("status", now=None), 0, "the server closed the connection")
            self.wire.open()
            self.comes_to("act1", "Archive", "Kept", patience=100)
            self.assertEqual(watching.all("ended"), [])
        self.assertEqual(self.box.subjects("Kept"), ["Act 0", "Act 1", "Act 2"])


if __name__ == "__main__":
    unittest.main()
