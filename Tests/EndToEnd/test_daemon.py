"""`opus watch` by itself: it decides as mail comes, follows its files, and says what it does."""
import email.utils
import json
import os
import shutil
import signal
import socket
import threading
import time
import unittest
from datetime import datetime, timedelta, timezone

from letters import letter
from servers import MailServers
from watcher import PATIENCE, Watching, brought, kind, reached
from wiretap import Wiretap
from workplace import Case

AUTO = ("rules-version: 1\nrules:\n"
        "  - { id: news, auto: true, when: 'subject:news', then: archive }\n"
        "  - { id: bills, when: 'subject:bill', then: archive }\n"
        "  - { id: both, auto: true, when: 'subject:both', then: archive }\n")
LABEL_BOTH = "  - { id: marks, when: 'subject:both', then: [{ label: seen-by-marks }] }\n"


def first(text):
    """The rule file with a rule that marks before the others."""
    return text.replace("rules:\n", "rules:\n" + LABEL_BOTH, 1)


class Daemon(Case):
    kind = "imap"

    def watched(self, rules=AUTO, settings="", extra=""):
        box = self.new_box()
        box.add("INBOX", letter("First"))
        wire = self.enterContext(Wiretap(box.servers.imap_port))
        place = self.new_place(box, rules=rules)
        place.configure(box.yaml(port=wire.port, security="none", host="127.0.0.1", extra=extra), settings)
        return box, wire, place

    def comes_to(self, box, name, mailbox, patience=PATIENCE):
        """How long it takes until the message is there."""
        start = time.monotonic()
        while time.monotonic() < start + patience:
            if box.where(f"{name}@test.example") == [mailbox]:
                return time.monotonic() - start
            time.sleep(0.05)
        self.fail(f"{name} is not in {mailbox}")

    def idles(self, wire):
        """Until it waits, and goes on waiting: its own move is news too."""
        end, last = time.monotonic() + PATIENCE, None
        while time.monotonic() < end:
            heard = wire.commands
            if heard and heard[-1] == "IDLE" and len(heard) == last:
                return
            last = len(heard)
            time.sleep(1)
        self.fail("it does not wait")

    # What it decides

    def test_a_watch_answers_mail_that_comes_after_it_saw_the_rule(self):
        def ask(subject, seconds=0):
            arrived = time.time() + seconds
            headers = {"Date": email.utils.formatdate(arrived)}
            box.add("INBOX", letter(subject, sender=f"{subject} <{subject.lower()}@far.example>", headers=headers), received=arrived)

        rule = "  - { id: away, auto: true, when: 'to:me', then: { vacation: Away } }\n"
        box, _, place = self.watched("rules-version: 1\nrules:\n" + rule)
        ask("Before", -25 * 3600)
        with Watching(place) as watching:
            _, seen = watching.until(kind("listening"))
            self.assertEqual(box.held("Drafts"), [])
            ask("After")
            watching.until(kind("applied"), seen)
            self.assertEqual(box.subjects("Drafts"), ["Auto: After"])
            self.assertEqual(watching.interrupt(), 130)

    def test_a_rule_with_auto_is_applied_as_mail_comes_and_no_other(self):
        box, _, place = self.watched(first(AUTO))
        with Watching(place) as watching:
            watching.until(kind("listening"))
            box.add("INBOX", [letter("Bill 1", "bill"), letter("Both 1", "both"), letter("News 1", "news")])
            self.comes_to(box, "news", "Archive")
            event, _ = watching.until(kind("applied"))
            self.assertEqual(event["run"]["confirmed"], 1)
            watching.interrupt()
        self.assertPlaces(box, {"bill": "INBOX", "both": "INBOX", "news": "Archive", "first": "INBOX"})
        run, = self.check(place.opus("runs", "--json", now=None)).json["items"]
        self.assertEqual((run["command"], run["confirmed"]), ("watch", 1))
        self.check(place.opus("undo", "--yes", now=None))
        self.assertPlaces(box, {"news": "INBOX"})
        self.check(place.opus("run", "--yes", now=None))
        self.assertPlaces(box, {"bill": "Archive", "both": "Archive", "news": "INBOX"})

    def test_opus_sends_only_the_needed_commands_between_new_mail_and_its_move(self):
        box, wire, place = self.watched()
        with Watching(place) as watching:
            for name in ("news1", "news2"):
                self.idles(wire)
                heard = len(wire.commands)
                box.add("INBOX", letter(name.title(), name))
                self.comes_to(box, name, "Archive")
                said = [" ".join(words.split()[:2 if words.startswith("UID") else 1]) for words in wire.commands[heard:]]
                move = said.index("UID MOVE")
                # The check of the message and the number of the destination belong to the move.
                self.assertEqual(said[:move], ["", "LIST", "EXAMINE", "UID FETCH", "SELECT", "STATUS", "UID FETCH"])
            watching.interrupt()
        self.assertEqual(sum(words.startswith("NOTIFY") for words in wire.commands), 1, "once a session")

    def test_settings_and_rules_that_are_links_into_another_folder_are_followed(self):
        _, _, place = self.watched(settings="watch: { apply: all }\n")
        folder = self.folder / "dotfiles"
        folder.mkdir()
        for link in (place.root / "opus.yaml", place.root / "rules" / "10-test.yaml"):
            link.rename(folder / link.name)
            link.symlink_to(folder / link.name)

        def edit(name, old, new):
            text = (folder / name).read_text()
            self.assertIn(old, text)
            (folder / "new").write_text(text.replace(old, new))
            (folder / "new").rename(folder / name)

        with Watching(place) as watching:
            _, seen = watching.until(kind("listening"))
            for turn in range(2):
                edit("10-test.yaml", f"news{'' if turn == 0 else turn - 1}'", f"news{turn}'")
                _, seen = watching.until(kind("new-rules"), after=seen)
                edit("opus.yaml", *(("apply: all", "apply: none") if turn == 0 else ("apply: none", "apply: all")))
                _, seen = watching.until(kind("new-settings"), after=seen)
                _, seen = watching.until(kind("listening"), after=seen)
            watching.interrupt()

    def test_a_rule_file_that_is_still_being_written_is_not_used(self):
        rule = "  - { id: news, auto: true, when: 'subject:news'UNLESS, then: archive }\n"
        head = "rules-version: 1\nrules:\n"
        box, _, place = self.watched(head + rule.replace("UNLESS", ", unless: 'subject:keep'"))
        file = place.root / "rules" / "10-test.yaml"
        with Watching(place) as watching:
            _, seen = watching.until(kind("listening"))
            # A program writes the file in many pieces, and the exception last.
            written = threading.Event()

            def write():
                text = head + rule.replace("UNLESS", "")
                while not written.is_set():
                    file.write_text(text)
                    text += "#\n"
                    time.sleep(0.2)

            writer = threading.Thread(target=write, daemon=True)
            writer.start()
            box.add("INBOX", letter("News to keep", "keep"))
            _, seen = watching.until(brought(1), after=seen)
            _, seen = watching.until(kind("listening"), after=seen)
            written.set()
            writer.join()
            file.write_text(head + rule.replace("UNLESS", ", unless: 'subject:keep'").replace("news'", "new'"))
            _, seen = watching.until(kind("new-rules"), after=seen)
            box.add("INBOX", letter("New mail", "new"))
            _, seen = watching.until(kind("applied"), after=seen)
            watching.interrupt()
        self.assertPlaces(box, {"keep": "INBOX", "new": "Archive"})

    def test_apply_all_needs_no_mark_in_the_rules_and_apply_none_ignores_it(self):
        box, _, place = self.watched(settings="watch: { apply: all }\n")
        with Watching(place) as watching:
            watching.until(kind("listening"))
            box.add("INBOX", letter("Bill 1", "bill"))
            self.comes_to(box, "bill", "Archive")
            text = (place.root / "opus.yaml").read_text()
            (place.root / "opus.yaml").write_text(text.replace("apply: all", "apply: none"))
            _, number = watching.until(kind("new-settings"))
            _, number = watching.until(kind("listening"), number)
            box.add("INBOX", letter("News 1", "news"))
            watching.until(brought(1), number)
            watching.interrupt()
        self.assertPlaces(box, {"bill": "Archive", "news": "INBOX"})

    def test_a_brake_holds_the_whole_plan_until_a_person_decides(self):
        box, _, place = self.watched(settings="brakes: { share: 20, count: 2 }\n")
        self.check(place.opus("run", "--yes", now=None))
        with Watching(place) as watching:
            watching.until(kind("listening"))
            box.add("INBOX", [letter(f"News {n}", f"news{n}") for n in range(4)])
            event, number = watching.until(kind("held"))
            self.assertIn("more than 20 %", event["message"])
            # The file that `status` reads is written a moment later.
            end = time.monotonic() + PATIENCE
            while "nothing was applied (opus run)" not in self.check(place.opus("status", now=None)).text:
                self.assertLess(time.monotonic(), end)
                time.sleep(0.1)
            box.add("INBOX", letter("Lunch", "lunch"))
            watching.until(brought(1), number)
            self.assertEqual(len(watching.all("held")), 1, "once")
            self.assertEqual(len(box.held("INBOX")), 6)
            plan = self.check(place.opus("run", "--dry-run", "--json", now=None)).json["plans"][0]["id"]
            self.check(place.opus("triage", "--yes", "--plan", plan, now=None))
            self.comes_to(box, "news0", "Archive")
            box.add("INBOX", letter("News 9", "news9"))
            self.comes_to(box, "news9", "Archive")
            item, = self.check(place.opus("status", "--json", now=None)).json["items"]
            self.assertNotIn("heldPlan", item["watch"])

    def test_the_screener_holds_strangers_as_their_mail_comes(self):
        box, _, place = self.watched(settings="screener: on\n")
        self.check(place.opus("run", "--yes", now=None))
        with Watching(place) as watching:
            watching.until(kind("listening"))
            box.add("INBOX", letter("News from a stranger", "stranger", sender="Eve <eve@x.example>"))
            self.comes_to(box, "stranger", "Screener")
            box.add("INBOX", letter("News of Bob", "known"))
            self.comes_to(box, "known", "Archive")
            self.check(place.opus("screener", "approve", "eve@x.example", now=None))
            self.comes_to(box, "stranger", "Archive")

    def test_deferred_mail_returns_when_its_time_has_come(self):
        box, _, place = self.watched()
        self.check(place.opus("sync", now=None))
        ids = {item["subject"]: item["id"] for item in place.opus("list", "--json", now=None).json["items"]}
        with Watching(place) as watching:
            _, number = watching.until(kind("listening"))
            when = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() + 6))
            self.check(place.opus("defer", ids["First"], when, now=None))
            self.assertPlaces(box, {"first": "Deferred"})
            self.comes_to(box, "first", "INBOX")

    # What it follows

    def test_an_edited_rule_file_counts_at_once_and_a_broken_one_changes_nothing(self):
        box, _, place = self.watched()
        with Watching(place) as watching:
            _, number = watching.until(kind("listening"))
            place.write_rules("rules-version: 1\nrules: [ broken\n")
            event, number = watching.until(kind("broken-rules"), number)
            self.assertIn("last good rules stay in force", event["message"])
            box.add("INBOX", letter("News 1", "news"))
            self.comes_to(box, "news", "Archive")
            place.write_rules(AUTO.replace("subject:news", "subject:weekly"))
            box.add("INBOX", letter("Weekly", "weekly"))
            self.comes_to(box, "weekly", "Archive")
            self.assertEqual(len(watching.all("broken-rules")), 1, "once")
            place.write_rules(AUTO.replace("subject:news", "subject:first"))
            self.comes_to(box, "first", "Archive")

    def test_a_rules_folder_that_is_replaced_by_another_one_is_followed(self):
        box, _, place = self.watched()
        rules, new = place.root / "rules", place.root / "new"
        with Watching(place) as watching:
            _, seen = watching.until(kind("listening"))
            shutil.copytree(rules, new)
            rules.rename(place.root / "old")
            new.rename(rules)
            time.sleep(2)
            (rules / "10-test.yaml").write_text(AUTO.replace("subject:news", "subject:first"))
            self.comes_to(box, "first", "Archive")

    def test_broken_settings_leave_the_ones_before_in_force(self):
        box, wire, place = self.watched()
        good = (place.root / "opus.yaml").read_text()
        with Watching(place) as watching:
            _, number = watching.until(kind("listening"))
            (place.root / "opus.yaml").write_text(good.replace("accounts:", "acounts:"))
            event, number = watching.until(kind("broken-settings"), number)
            self.assertIn("unknown key 'acounts'", event["details"][0])
            box.add("INBOX", letter("News 1", "news"))
            self.comes_to(box, "news", "Archive")
            (place.root / "opus.yaml").write_text(good)
            time.sleep(1)
            self.assertEqual(len(watching.all("broken-settings")), 1, "once")

    # Connections

    def test_500_waiting_steps_are_one_screen_and_are_carried_out_when_the_server_is_back(self):
        server = self.enterContext(MailServers(smtp=False))
        box = self.new_box(on=server)
        box.add("INBOX", letter("News", "news"))
        place = self.new_place(box, rules=AUTO)
        place.configure(box.yaml(), "brakes: { share: 100, count: 1000 }\n")
        self.check(place.opus("run", "--yes", now=None))     # the first run changes at most 50
        box.add("INBOX", [letter(f"News {number}", f"news{number}") for number in range(500)])
        self.check(place.opus("sync", now=None))
        server.pause()
        place.opus("triage", "--yes", now=None)
        status = self.check(place.opus("status", now=None))
        self.assertLess(len(status.out.splitlines()), 24)
        self.assertIn("waiting\t500\tnext run\tmoved to Archive", status.out)
        self.assertRegex(status.out, "moved to Archive\toffline: .*refused")
        self.assertIn("500 steps in all", status.out)
        self.assertEqual(status.err, "")
        waiting = self.check(place.opus("status", "--json", now=None)).json["items"][0]["waiting"]
        self.assertEqual(len(waiting), 500)
        self.assertEqual({(step["wait"]["halt"], "nextTry" in step["wait"]) for step in waiting}, {("offline", False)})
        with Watching(place) as watching:
            watching.until(kind("lost"))
            status = self.check(place.opus("status", "--json", now=None)).json["items"][0]
            self.assertEqual([step["wait"]["halt"] for step in status["waiting"][:1]], ["offline"])
            self.assertIn("refused", status["waiting"][0]["wait"]["reason"])
            self.assertIn("nextTry", status["waiting"][0]["wait"], "a watch tries again by itself")
            server.resume()
            watching.signal(signal.SIGHUP)
            watching.until(kind("delivered"))
            self.assertIn("nothing is waiting", self.check(place.opus("status", now=None)).out)
        self.assertEqual(len(box.held("Archive")), 501)

    def test_a_restarted_server_loses_and_doubles_nothing(self):
        server = self.enterContext(MailServers(smtp=False))
        box = self.new_box(on=server)
        place = self.new_place(box, rules=AUTO)
        with Watching(place) as watching:
            _, number = watching.until(kind("listening"))
            box.add("INBOX", letter("News 0", "news0"))
            self.comes_to(box, "news0", "Archive")
            server.pause()
            _, number = watching.until(kind("lost"), number)
            server.resume()
            box.add("INBOX", letter("News 1", "news1"))
            watching.signal(signal.SIGHUP)
            self.assertLess(self.comes_to(box, "news1", "Archive"), 10)
        self.assertEqual(len(box.held("Archive")), 2)

    def test_a_stopped_process_notices_at_once_that_it_continues(self):
        box, wire, place = self.watched()
        with Watching(place) as watching:
            _, number = watching.until(kind("listening"))
            watching.signal(signal.SIGSTOP)
            wire.cut()
            box.add("INBOX", letter("News 1", "news"))
            time.sleep(1)
            watching.signal(signal.SIGCONT)
            self.assertLess(self.comes_to(box, "news", "Archive"), 10)

    def test_sighup_ends_a_pause_between_attempts(self):
        box, wire, place = self.watched()
        with Watching(place) as watching:
            _, number = watching.until(kind("listening"))
            wire.refuse(r"^(LOGIN|AUTHENTICATE)", "NO [UNAVAILABLE] not now")
            wire.cut()
            for seconds in (5, 15):
                event, number = watching.until(kind("lost"), number)
                self.assertEqual(event["retrySeconds"], seconds)
            wire.open()
            start = time.monotonic()
            watching.signal(signal.SIGHUP)
            watching.until(kind("synced"), number)
            self.assertLess(time.monotonic() - start, 5)

    def test_a_refused_account_waits_for_a_changed_secret_while_the_other_one_works(self):
        box, wire, place = self.watched()
        other = self.new_box()
        (place.root / "word").write_text("not-the-word\n")
        place.configure(box.yaml(port=wire.port, security="none", host="127.0.0.1")
                        + other.yaml(name="other", password_file="word"))
        with Watching(place, form="--events") as watching:
            event, number = watching.until(kind("ended"))
            self.assertEqual((event["account"], event["problem"]), ("other", "login-refused"))
            box.add("INBOX", letter("News 1", "news"))
            self.comes_to(box, "news", "Archive")
            states = {item["account"]: item["watch"]["state"]
                      for item in self.check(place.opus("status", "--json", now=None)).json["items"]}
            self.assertEqual(states["other"], "error")
            (place.root / "word").write_text((place.root / "password").read_text())
            watching.signal(signal.SIGHUP)
            watching.until(lambda event: event["type"] == "listening" and event["account"] == "other", number)
            other.add("INBOX", letter("News 2", "news2"))
            self.comes_to(other, "news2", "Archive")

    def test_a_server_that_stops_answering_does_not_block_other_commands(self):
        box, wire, place = self.watched()
        with Watching(place) as watching:
            _, number = watching.until(kind("listening"))
            # It takes the command and never answers it, and keeps the connections open.
            wire.refuse("^UID MOVE", "")
            box.add("INBOX", letter("News 1", "news"))
            start = time.monotonic()
            while not any(said.startswith("UID MOVE") for said in wire.commands):
                self.assertLess(time.monotonic() - start, PATIENCE, "no MOVE was sent")
                time.sleep(0.05)
            start = time.monotonic()
            self.check(place.opus("task", "add", "Paint the fence", now=None))
            self.assertLess(time.monotonic() - start, 20, "the timeout of a command is 60 seconds")
            wire.open()
            watching.signal(signal.SIGHUP)
            self.comes_to(box, "news", "Archive")
        self.assertEqual(len(box.held("Archive")), 1)

    # Its end

    def test_sigterm_ends_a_watch_cleanly_and_a_second_watch_is_refused(self):
        box, _, place = self.watched()
        with Watching(place) as watching:
            watching.until(kind("listening"))
            self.check(place.opus("watch", now=None), 75, "another opus watch runs")
            start = time.monotonic()
            watching.signal(signal.SIGTERM)
            self.assertEqual(watching.process.wait(8), 0)
            self.assertLess(time.monotonic() - start, 5)
        self.assertFalse((place.root / ".opus" / "watch.json").exists())
        self.assertNotIn("watch", self.check(place.opus("status", now=None)).text)

    def test_sigterm_ends_a_watch_quickly_while_the_server_is_silent(self):
        box, wire, place = self.watched()
        with Watching(place) as watching:
            watching.until(kind("listening"))
            # It says nothing more, and keeps the connections open.
            wire.refuse(".*", "")
            start = time.monotonic()
            watching.signal(signal.SIGTERM)
            watching.process.wait(8)
            self.assertLess(time.monotonic() - start, 5.5)

    def test_a_killed_watch_is_reported_and_starts_again(self):
        box, _, place = self.watched()
        with Watching(place) as watching:
            watching.until(kind("listening"))
            time.sleep(0.5)
            watching.process.kill()
            watching.process.wait()
            self.assertIn("ended unexpectedly", self.check(place.opus("status", now=None)).text)
            self.assertTrue(place.opus("status", "--json", now=None).json["watch"]["endedEarly"])
        with Watching(place) as watching:
            watching.until(kind("listening"))

    # What it says

    def test_mail_that_a_rule_cannot_move_is_an_event_and_a_line_of_the_status(self):
        rule = "  - { id: filed, auto: true, when: 'subject:file', then: [{ label: seen }, { move: Nowhere }] }\n"
        box, _, place = self.watched("rules-version: 1\nrules:\n" + rule)
        reason = "rule filed moves to 'Nowhere', but that mailbox does not exist; the message is kept"
        with Watching(place, form="--events") as watching:
            _, seen = watching.until(kind("listening"))
            self.assertNotIn("kept", self.check(place.opus("status", "--json", now=None)).json["items"][0]["watch"])
            box.add("INBOX", letter("File 1", "file"))
            event, _ = watching.until(kind("kept"))
            self.assertEqual([line.partition("   ")[0] for line in event["details"]], [reason])
            time.sleep(0.5)
            self.check(place.opus("status", now=None), 0, "work: " + reason)
            # A round about other mail, and one about all of it, do not report it again.
            seen = len(watching.events)
            box.add("INBOX", letter("Other", "other"))
            _, seen = watching.until(brought(1), after=seen)
            _, seen = watching.until(kind("listening"), after=seen)
            watching.signal(signal.SIGHUP)
            _, seen = watching.until(kind("synced"), after=seen)
            _, seen = watching.until(kind("listening"), after=seen)
            self.assertEqual(watching.all("kept"), [event])
            watch = self.check(place.opus("status", "--json", now=None)).json["items"][0]["watch"]
            self.assertEqual([line.partition("   ")[0] for line in watch["kept"]], [reason])
            # Another message is an event again; the mailbox ends it.
            box.add("INBOX", letter("File 2", "file2"))
            _, seen = watching.until(kind("kept"), after=seen)
            place.write_rules("rules-version: 1\nrules:\n" + rule.replace("Nowhere", "Archive"))
            _, seen = watching.until(kind("new-rules"), after=seen)
            watching.until(kind("listening"), after=seen)
            time.sleep(0.5)
            self.assertNotIn("kept", self.check(place.opus("status", "--json", now=None)).json["items"][0]["watch"])
            watching.interrupt()

    def test_a_mailbox_that_is_made_again_gets_the_mail_that_waited_for_it(self):
        rule = "  - { id: filed, auto: true, when: 'subject:file', then: [{ move: Place }] }\n"
        box, _, place = self.watched("rules-version: 1\nrules:\n" + rule)
        box.create("Place")
        with Watching(place) as watching:
            _, seen = watching.until(kind("listening"))
            box.rename("Place", "Other")
            box.add("INBOX", letter("File 1", "file"))
            watching.until(kind("kept"))
            box.rename("Other", "Place")
            self.comes_to(box, "file", "Place")
            watching.until(kind("applied"), seen)
            time.sleep(0.5)
            self.assertNotIn("kept", self.check(place.opus("status", "--json", now=None)).json["items"][0]["watch"])

    def test_states_are_events_and_the_last_one_is_in_the_status(self):
        box, _, place = self.watched()
        with Watching(place, form="--events") as watching:
            for state in ("connecting", "authenticating", "mailboxes", "bodies", "indexing", "listening"):
                watching.until(reached(state))
            time.sleep(0.5)
            status = self.check(place.opus("status", "--json", now=None)).json
            self.assertEqual((status["watch"]["isRunning"], status["watch"]["process"]),
                             (True, watching.process.pid))
            watch = status["items"][0]["watch"]
            self.assertEqual((watch["state"], watch["method"]), ("listening", "NOTIFY"))
            self.assertIn("nextTry", watch)
            self.check(place.opus("status", now=None), 0, "watch: running since", "work: listening (NOTIFY)")
            # Twice the interval of 25 minutes, and more, without a sync.
            later = (datetime.now(timezone.utc) + timedelta(minutes=55)).isoformat(timespec="seconds")
            self.check(place.opus("status", now=later), 0, "work: no sync for 5")
            silent = self.check(place.opus("status", "--json", now=later)).json["items"][0]["silentSeconds"]
            self.assertAlmostEqual(silent, 55 * 60, delta=60)
            self.assertNotIn("silentSeconds", status["items"][0])

    def test_metrics_are_a_file_that_is_replaced_as_a_whole(self):
        box, _, place = self.watched()
        file = place.root / "opus.prom"
        with Watching(place, "--metrics", str(file)) as watching:
            watching.until(kind("listening"))
            box.add("INBOX", letter("News 1", "news"))
            self.comes_to(box, "news", "Archive")
            end = time.monotonic() + PATIENCE
            while 'opus_watch_steps_total{account="work"} 1' not in file.read_text() and time.monotonic() < end:
                time.sleep(0.05)
            text = file.read_text()
        self.assertIn('opus_watch_steps_total{account="work"} 1', text)
        self.assertRegex(text, r'opus_watch_last_sync_timestamp_seconds\{account="work"\} \d{10}\n')
        # A file that a killed watch left behind is old.
        written = int(text.partition("\nopus_watch_written_timestamp_seconds ")[2].partition("\n")[0])
        self.assertAlmostEqual(written, time.time(), delta=60)
        names = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
        for line in text.splitlines():
            self.assertTrue(line.startswith("#") or line.partition(" ")[0].partition("{")[0] in names, line)

    def hooked(self, settings):
        """A watch whose hook writes what it reads into a file."""
        box, _, place = self.watched(
            rules="rules-version: 1\nrules:\n"
                  "  - { id: call, when: 'subject:call', then: [{ notify: '{{subject}}' }] }\n"
                  "  - { id: out, auto: true, when: 'subject:out', then: archive }\n",
            settings="watch: { hook: [sh, -c, 'cat >> told'], " + settings + " }\n")
        return box, place, place.root / "told"

    def told(self, file, count):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            lines = file.read_text().splitlines() if file.exists() else []
            if len(lines) >= count:
                return [json.loads(line) for line in lines]
            time.sleep(0.05)
        self.fail("the program was not started")

    def test_the_hook_gets_decisions_without_text_of_mail(self):
        box, place, file = self.hooked("text: false")
        with Watching(place) as watching:
            _, number = watching.until(kind("listening"))
            box.add("INBOX", letter("Lunch", "lunch"))
            _, number = watching.until(brought(1), number)
            box.add("INBOX", letter("Call Bob; $(touch owned)", "call"))
            event, = self.told(file, 1)
            self.assertEqual((event["schema"], event["event"], event["account"], event["count"]),
                             ("opus.hook/1", "notify", "work", 1))
            self.assertNotIn("Bob", file.read_text())
        self.assertFalse((place.root / "owned").exists())

    def test_the_hook_gets_text_of_mail_only_with_the_setting(self):
        box, place, file = self.hooked("text: true, events: [notify]")
        with Watching(place) as watching:
            watching.until(kind("listening"))
            box.add("INBOX", letter("Call Bob", "call"))
            event, = self.told(file, 1)
            self.assertIn("Call Bob", event["text"][0])

    def test_the_hook_gets_mail_that_came_back(self):
        box, place, file = self.hooked("text: false")
        self.check(place.opus("sync", now=None))
        item, = place.opus("list", "--json", now=None).json["items"]
        with Watching(place) as watching:
            watching.until(kind("listening"))
            when = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() + 5))
            self.check(place.opus("defer", item["id"], when, now=None))
            event, = self.told(file, 1)
            self.assertEqual((event["event"], event["count"]), ("returned", 1))
            shown, = event["messages"]
            self.assertTrue(item["id"].startswith(shown), shown)

    def test_the_hook_gets_an_answer_to_a_question(self):
        box, place, file = self.hooked("events: [answered], text: false")
        box.add("Sent", letter("Question", "question", sender="Ana Ruiz <ana@acme.example>", to="bob@acme.example"))
        self.check(place.opus("sync", now=None))
        item, = place.opus("list", "in:sent", "--json", now=None).json["items"]
        self.check(place.opus("wait", item["id"], now=None))
        with Watching(place) as watching:
            watching.until(kind("listening"))
            box.add("INBOX", letter("Re: Question", "answer", sender="Bob <bob@acme.example>",
                                    headers={"In-Reply-To": "<question@test.example>"}))
            event, = self.told(file, 1)
            self.assertEqual((event["event"], event["count"]), ("answered", 1))
            self.assertNotIn("Question", file.read_text())

    def test_the_desktop_shows_news_without_the_markup_of_a_sender(self):
        box, place, _ = self.hooked("desktop: true, text: true, events: [notify]")
        tools = place.root / "bin"
        tools.mkdir()
        (tools / "notify-send").write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > {place.root}/shown\n")
        (tools / "notify-send").chmod(0o755)
        path = f"{tools}:{os.environ['PATH']}"
        with Watching(place, environment={"PATH": path}) as watching:
            watching.until(kind("listening"))
            box.add("INBOX", letter("Call <b>Bob</b> & Co", "call"))
            shown, end = place.root / "shown", time.monotonic() + PATIENCE
            while not (shown.exists() and shown.read_text()):
                self.assertLess(time.monotonic(), end, "nothing was shown")
                time.sleep(0.05)
        lines = shown.read_text().splitlines()
        self.assertEqual(lines[:4], ["--app-name=opus", "--", "opus: work", "1 message to notice"])
        self.assertIn("Call &lt;b>Bob&lt;/b> &amp; Co", "\n".join(lines[4:]))

    def left_out(self, settings):
        box, place, file = self.hooked(settings)
        with Watching(place) as watching:
            _, number = watching.until(kind("listening"))
            box.add("INBOX", letter("Call Bob", "call"))
            watching.until(kind("notices"), number)
            time.sleep(1)
        self.assertFalse(file.exists())

    def test_quiet_hours_have_no_notifications(self):
        self.left_out('quiet: "00:00-24:00"')

    def test_events_that_are_not_chosen_are_left_out(self):
        self.left_out("events: [overdue]")

    def test_the_service_manager_is_notified(self):
        box, _, place = self.watched()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            path = str(place.root / "notify")
            manager.bind(path)
            manager.settimeout(PATIENCE)
            told = {"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "400000"}
            with Watching(place, environment=told) as watching:
                said = ""
                while not ("READY=1" in said and "listening" in said and said.count("WATCHDOG=1") > 2):
                    said += manager.recv(4096).decode() + "\n"
                watching.signal(signal.SIGTERM)
                while "STOPPING=1" not in said:
                    said += manager.recv(4096).decode() + "\n"
                self.assertEqual(watching.process.wait(8), 0)
        self.assertIn("STATUS=work listening", said)


if __name__ == "__main__":
    unittest.main()
