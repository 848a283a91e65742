"""`opus watch` at its end, and in the journal of systemd: no step is half done or done twice, and each line has its priority."""
import os
import re
import signal
import subprocess
import time
import unittest

from letters import letter
from watcher import PATIENCE, Watching, kind, reached
from wiretap import Wiretap
from workplace import Case, servers

COUNT = 20
RULES = """rules-version: 1
rules:
  - { id: act, auto: true, when: 'subject:act', then: [{ copy: Kept }, { task: 'Do {{subject}}' }, flag, archive] }
  - { id: send, auto: true, when: 'subject:pass', then: [{ forward: { to: PERSON@far.example, send: now } }, archive] }
"""


class End(Case):
    kind = "imap"

    def watched(self, person="nobody", settings="", extra=""):
        self.box = self.new_box()
        self.box.create("Kept")
        self.box.add("INBOX", letter("First"))
        self.wire = self.enterContext(Wiretap(self.box.servers.imap_port))
        self.place = self.new_place(self.box, rules=RULES.replace("PERSON", person))
        self.place.configure(self.box.yaml(port=self.wire.port, security="none", host="127.0.0.1", extra=extra), settings)
        self.check(self.place.opus("run", "--yes", now=None))

    def deliver(self, subject="Act"):
        self.box.add("INBOX", [letter(f"{subject} {number}", f"{subject.lower()}{number}") for number in range(COUNT)])

    def end(self, watching):
        start = time.monotonic()
        watching.signal(signal.SIGTERM)
        self.assertEqual(watching.process.wait(10), 0, watching.text[-2000:])
        self.assertLess(time.monotonic() - start, 5.5)

    def waits(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def said(self, pattern):
        return len([line for line in self.wire.commands if re.search(pattern, line)])

    def assertAllOnce(self):
        """Each message has one copy, one task and one mark, and is in one place."""
        self.check(self.place.opus("run", "--yes", now=None))
        wanted = sorted(f"Act {number}" for number in range(COUNT))
        self.assertEqual(self.box.subjects("Kept"), wanted)
        self.assertEqual(self.box.subjects("Archive"), wanted)
        self.assertEqual(self.box.subjects("INBOX"), ["First"])
        self.assertEqual([held.subject for held in self.box.held("Archive") if "\\Flagged" not in held.flags], [])
        for number in range(COUNT):
            self.place.task(f"Do Act {number}")
        self.assertEqual(len([name for name in self.place.task_files() if name.endswith(".ics")]), COUNT)
        self.assertNothingMore(self.place, self.box, now=None)

    def test_a_watch_that_is_ended_while_it_carries_out_steps_does_nothing_half_or_twice(self):
        self.watched()
        self.wire.refuse("^APPEND Kept", None, before=lambda match: time.sleep(0.3))
        with Watching(self.place) as watching:
            watching.until(kind("listening"))
            self.deliver()
            self.waits(lambda: self.said("^APPEND Kept") >= 3)
            self.end(watching)
        done = len(self.box.subjects("Kept"))
        self.assertLess(done, COUNT - 3, "the others wait")
        self.assertEqual(self.said("^APPEND Kept"), done, "what was sent is done")
        self.wire.open()
        # No question: the watch was not asked to leave anything, and the next one goes on.
        with Watching(self.place) as watching:
            self.waits(lambda: len(self.box.subjects("Archive")) == COUNT)
            watching.until(kind("listening"))
            self.end(watching)
        self.assertEqual(self.said("^APPEND Kept"), COUNT, "nothing is sent twice")
        self.assertAllOnce()

    def test_a_step_without_an_answer_is_left_in_time_and_checked_first_by_the_next_run(self):
        self.watched()
        with Watching(self.place) as watching:
            watching.until(kind("listening"))
            self.wire.refuse("^UID MOVE", "")
            self.deliver()
            self.waits(lambda: self.said("^UID MOVE") >= 1)
            self.end(watching)
        self.wire.open()
        self.assertAllOnce()

    def test_each_mail_is_sent_once_however_often_the_watch_is_ended(self):
        if not servers().has_smtp:
            self.skipTest("Postfix needs root")
        person = f"ended{os.getpid()}"
        smtp = f"    smtp: {{ host: localhost, port: {servers().smtps_port}, security: tls, ca-file: {servers().ca_file} }}\n"
        self.watched(person, "allow-send: true\nsend: { hold: 0s, max-per-run: 100, max-per-hour: 200, max-per-recipient-per-hour: 200 }\n",
                     smtp)
        self.deliver("Pass")
        for _ in range(4):
            with Watching(self.place) as watching:
                self.waits(lambda: watching.text)
                time.sleep(0.7)
                self.end(watching)
        with Watching(self.place) as watching:
            self.waits(lambda: len(self.box.subjects("Archive")) == COUNT)
            watching.until(kind("listening"))
            self.end(watching)

        def sent():
            return sorted(str(mail["Subject"]) for mail in servers().captured() if person in str(mail["To"]))

        self.waits(lambda: len(sent()) >= COUNT)
        time.sleep(1)
        self.assertEqual(len(sent()), COUNT)
        self.assertEqual(len(set(sent())), COUNT)
        self.assertEqual(len(self.box.held("Sent")), COUNT, "and each has its copy")

    # The journal of systemd

    def lines(self, *words, until, act=lambda: None, code=None):
        """What the watch writes into a journal, until a line matches."""
        path = self.place.root / "journal"
        with open(path, "wb") as file:
            found = os.fstat(file.fileno())
            stream = f"{found.st_dev}:{found.st_ino}"
            process = subprocess.Popen(self.place.command("watch", *words, now=None), stdin=subprocess.DEVNULL, stdout=file,
                                       stderr=file, env=self.place.environment(JOURNAL_STREAM=stream), cwd=self.place.root)
        try:
            acted, end = False, time.monotonic() + PATIENCE
            while not re.search(until, path.read_text(), re.M):
                self.assertLess(time.monotonic(), end, path.read_text())
                if not acted and (self.place.root / ".opus" / "watch.json").exists():
                    acted = True
                    act()
                if code is not None and process.poll() is not None:
                    break
                time.sleep(0.05)
            if code is not None:
                self.assertEqual(process.wait(PATIENCE), code)
        finally:
            process.kill() if process.poll() is None else None
            process.wait()
        text = path.read_text()
        self.assertRegex(text, re.compile(until, re.M))
        return text

    def test_events_are_information_and_lost_connections_are_warnings(self):
        self.watched()
        self.deliver()
        text = self.lines(until=r"^<6>.*moved to Archive \(run ")
        self.assertEqual([line for line in text.splitlines() if not re.match("<[3-6]>", line)], [], text)
        self.wire.refuse("^(LOGIN|AUTHENTICATE)", "NO [UNAVAILABLE] not now")
        self.lines(until=r"^<4>.*retrying in 5 s")

    def test_a_refused_login_is_an_error(self):
        self.watched()
        (self.place.root / "password").write_text("not-the-word\n")
        text = self.lines(until="^<3>.*refused the login", code=77)
        self.assertEqual([line for line in text.splitlines() if not line.startswith("<3>")], [], text)

    def test_settings_with_errors_and_a_second_watch_are_errors_too(self):
        self.watched()
        good = (self.place.root / "opus.yaml").read_text()
        (self.place.root / "opus.yaml").write_text(good.replace("accounts:", "acounts:"))
        self.lines(until="^<3>opus.yaml:.*unknown key 'acounts'", code=78)
        (self.place.root / "opus.yaml").write_text(good)
        with Watching(self.place) as watching:
            watching.until(kind("listening"))
            self.lines(until="^<3>.*another opus watch runs", code=75)

    def test_broken_rules_are_a_warning(self):
        self.watched()
        self.place.write_rules("rules-version: 1\nrules: [ broken\n")
        self.lines(until="^<4>.*last good rules stay in force|^<4>.*rules")

    def test_without_a_journal_lines_have_no_priority(self):
        self.watched()
        with Watching(self.place, form="--quiet", environment={"JOURNAL_STREAM": "1:2"}) as watching:
            self.deliver()
            self.waits(lambda: "moved to Archive" in watching.text)
            self.assertNotRegex(watching.text, "(?m)^<")

    # States

    def test_each_state_of_the_page_is_reached_and_shown(self):
        self.watched()
        with Watching(self.place, form="--events") as watching:
            _, number = watching.until(reached("listening"))
            self.wire.refuse("^(LOGIN|AUTHENTICATE)", "NO [UNAVAILABLE] not now", times=2)
            self.wire.cut()
            event, number = watching.until(reached("idle"), number)
            self.assertIn("reason", event["state"])
            self.assertGreater(event["state"]["nextTry"], event["state"]["since"])
            self.check(self.place.opus("status", now=None), 0, "work: waits: ", "; again at ")
            watching.signal(signal.SIGHUP)
            _, number = watching.until(reached("connecting"), number)
            _, number = watching.until(reached("authenticating"), number)
            watching.signal(signal.SIGHUP)
            self.wire.open()
            watching.signal(signal.SIGHUP)
            _, number = watching.until(reached("listening"), number)
            # A new mailbox is read whole; of one whose UIDVALIDITY is new, headers show which messages are known.
            mail = [letter(f"Lunch {place}", f"lunch{place}") for place in range(40)]
            self.box.create("Lunch")
            self.box.add("Lunch", mail)
            watching.signal(signal.SIGHUP)
            _, number = watching.until(reached("bodies"), number)
            _, number = watching.until(reached("listening"), number)
            watching.signal(signal.SIGSTOP)
            self.box.drop("Lunch")
            self.box.create("Lunch")
            self.box.add("Lunch", mail)
            watching.signal(signal.SIGCONT)
            _, number = watching.until(reached("headers"), number)
            _, number = watching.until(reached("listening"), number)
            states = {event["state"]["state"] for event in watching.all("state")}
            self.assertLessEqual({"idle", "connecting", "authenticating", "mailboxes", "headers", "bodies", "indexing",
                                  "listening"}, states)


if __name__ == "__main__":
    unittest.main()
