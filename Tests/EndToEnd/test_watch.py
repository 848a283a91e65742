"""`opus watch`: mail that comes is there without being asked for, and no silence lasts."""
import subprocess
import time
import unittest

from letters import letter
from servers import MailServers
from watcher import PATIENCE, Watching, brought, kind
from wiretap import Wiretap
from workplace import Case, plain_dovecot

RULES = """\
rules-version: 1
name: watch
rules:
  - { id: filed, when: 'subject:filed', then: [{ task: { title: '{{subject}}', context: '@office' } }, archive] }
  - { id: ask, when: 'subject:ask', then: { task: { title: '{{subject}}' } } }
"""


def subjects(place):
    return {item["subject"] for item in place.opus("list", "--json").json["items"]}


class Watch(Case):
    kind = "imap"

    def watched(self, capability=None, extra="", patience=None):
        """A workspace whose server is seen through a wire."""
        box = self.new_box(on=plain_dovecot(capability) if capability else None)
        box.add("INBOX", letter("First"))
        wire = self.enterContext(Wiretap(box.servers.imap_port, patience))
        place = self.new_place(box)
        place.configure(box.yaml(port=wire.port, security="none", host="127.0.0.1", extra=extra))
        return box, wire, place

    def test_a_task_counts_at_once_after_another_connection_was_opened(self):
        """A label in another mailbox needs a connection beside the one with IDLE, and wakes no round of the account."""
        box = self.new_box()
        box.add("INBOX", [letter("Filed"), letter("Ask")])
        place = self.new_place(box, RULES, extra="    sync: { notify: false }\n")
        self.check(place.opus("run", "--yes", now=None))
        with Watching(place) as watching:
            watching.until(kind("listening"))
            place.edit("Filed", ("CATEGORIES:@office", "CATEGORIES:@office,red"))
            self.until(lambda: "red" in box.find("Archive", "filed@test.example").flags)
            place.edit("Ask", ("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
            self.until(lambda: box.where("ask@test.example") == ["Archive"])

    def until(self, holds):
        end = time.monotonic() + PATIENCE
        while not holds():
            self.assertLess(time.monotonic(), end, "waited too long")
            time.sleep(0.1)

    def test_a_watch_reports_new_mail(self):
        box, wire, place = self.watched(extra="    sync: { notify: false }\n")
        with Watching(place) as watching:
            _, number = watching.until(brought(1))
            event, number = watching.until(kind("listening"), number)
            self.assertEqual(event["method"], "IDLE")
            for subject in ("Second", "Third"):
                box.add("INBOX", letter(subject))
                _, number = watching.until(brought(1), number)
                self.assertIn(subject, subjects(place))
            self.assertIn("IDLE", wire.commands)
            self.assertEqual(watching.interrupt(), 130)
        self.assertIn("DONE", "\n".join(wire.commands) + wire.text, "it leaves in order")

    def test_two_signals_of_one_ctrl_c_end_it_in_order(self):
        _, wire, place = self.watched()
        with Watching(place) as watching:
            watching.until(kind("listening"))
            self.assertEqual(watching.interrupt_twice(), 130)
        self.assertIn("DONE", "\n".join(wire.commands) + wire.text)
        self.assertNotIn("ended unexpectedly", self.check(place.opus("status", now=None)).text)

    def test_mail_between_the_sync_and_idle_is_not_missed(self):
        """Many in a row, so that some fall into the gap; each time the last one must be told of."""
        box, _, place = self.watched()
        with Watching(place) as watching:
            watching.until(kind("listening"))
            for n in range(12):
                box.add("INBOX", letter(f"Burst {n}", f"burst{n}"))
            end = time.monotonic() + PATIENCE
            while len(subjects(place)) < 13 and time.monotonic() < end:
                time.sleep(0.1)
        self.assertEqual(len(subjects(place)), 13)

    def test_a_lost_connection_is_made_again(self):
        box, wire, place = self.watched()
        with Watching(place) as watching:
            _, number = watching.until(kind("listening"))
            wire.cut()
            event, number = watching.until(kind("lost"), number)
            self.assertEqual(event["retrySeconds"], 5)
            box.add("INBOX", letter("While it was gone"))
            watching.until(brought(1), number)
        self.assertIn("While it was gone", subjects(place))

    def test_the_first_mail_after_the_start_does_not_wait(self):
        box, _, place = self.watched()
        self.check(place.opus("sync"))
        delays = []
        for n in range(3):
            with Watching(place) as watching:
                watching.until(kind("listening"))
                box.add("INBOX", letter(f"Early {n}", f"early{n}"))
                start = time.monotonic()
                watching.until(brought(1))
                delays.append(time.monotonic() - start)
        self.assertLess(min(delays), 1.2, delays)

    def test_a_proxy_that_cuts_silent_connections_is_learned_from(self):
        box, wire, place = self.watched(patience=4)
        with Watching(place) as watching:
            _, number = watching.until(kind("listening"))
            watching.until(kind("lost"), number)
            _, number = watching.until(kind("listening"), number)
            seen = wire.connections
            time.sleep(10)
            self.assertEqual(wire.connections, seen, "it speaks before the proxy's time is over")
            self.assertNotIn("lost", [event["type"] for event in watching.events[number:]])
            box.add("INBOX", letter("Second"))
            watching.until(brought(1), number)

    def test_a_refused_login_is_not_repeated(self):
        box, _, place = self.watched()
        (place.root / "password").write_text("not-the-word\n")
        self.check(place.opus("watch", now=None, timeout=30), 77, "refused the login")

    def test_an_expired_token_is_requested_again_once(self):
        """The one that was kept has expired when the connection is made again."""
        server = self.enterContext(MailServers(smtp=False, mechanisms="plain xoauth2"))
        box = self.new_box(on=server)
        box.add("INBOX", letter("First"))
        wire = self.enterContext(Wiretap(server.imaps_port))
        place = self.new_place(box)
        place.configure(box.yaml(port=wire.port).replace("password-command: [cat, password]",
                                                         "token-command: [sh, -c, 'echo >> asked; cat token']"))
        token = place.root / "token"
        token.write_text(server.token(box.user, 4) + "\n")
        with Watching(place) as watching:
            _, number = watching.until(kind("listening"))
            time.sleep(3)
            token.write_text(server.token(box.user, 3600) + "\n")
            wire.cut()
            watching.until(kind("lost"), number)
            box.add("INBOX", letter("Second"))
            watching.until(brought(1), number)
            self.assertEqual((place.root / "asked").read_text().count("\n"), 2)
            # It is good for no longer than the command says, whatever the server thinks of it.
            token.write_text(f'{{ "access_token": "{server.token(box.user, 3600)}", "expires_in": 1 }}\n')
            (place.root / "asked").write_text("")
        self.check(place.opus("account", "check"))

    def test_a_token_that_is_refused_for_good_ends_the_watch(self):
        server = self.enterContext(MailServers(smtp=False, mechanisms="plain xoauth2"))
        box = self.new_box(on=server)
        place = self.new_place(box)
        place.configure(box.yaml().replace("password-command: [cat, password]",
                                           "token-command: [sh, -c, 'echo >> asked; cat token']"))
        (place.root / "token").write_text(server.token(box.user, -30) + "\n")
        self.check(place.opus("watch", now=None, timeout=30), 77, "refused the login")
        self.assertEqual((place.root / "asked").read_text(), "\n", "what was just asked for is not asked for again")

    def test_other_commands_work_meanwhile(self):
        box, _, place = self.watched()
        with Watching(place) as watching:
            watching.until(kind("listening"))
            self.check(place.opus("sync"))
            self.check(place.opus("run", "--yes"))

    def with_a_task(self):
        """A message in the inbox with a task of its own: "Answer Ask 1"."""
        box, _, place = self.watched()
        box.add("INBOX", letter("Ask 1", "ask"))
        (place.root / "rules").mkdir(exist_ok=True)
        (place.root / "rules" / "ask.yaml").write_text(
            "rules-version: 1\nrules:\n"
            "  - { id: ask, when: 'subject:ask', then: [{ task: { title: 'Answer {{subject}}' } }] }\n")
        self.check(place.opus("run", "--yes", now=None))
        return box, place

    def test_a_damaged_task_file_is_reported_once_and_moves_nothing(self):
        box, place = self.with_a_task()
        with Watching(place) as watching:
            watching.until(kind("listening"))
            path = place.task("Answer Ask 1")
            # In one piece: a half-written file would be damaged in another way and be reported too.
            beside = path.with_name("new.tmp")
            beside.write_bytes(b"BEGIN:VCALENDAR\r\nthis is no task")
            beside.rename(path)
            _, number = watching.until(lambda event: event["type"] == "followed" and event["malformedTasks"])
            path.with_name("other.txt").write_text("no task either")
            time.sleep(1)
            self.assertNotIn("followed", [event["type"] for event in watching.events[number:]])
        self.assertPlaces(box, {"ask": "INBOX"})

    def test_an_edited_task_file_moves_its_mail_within_moments(self):
        box, place = self.with_a_task()
        with Watching(place) as watching:
            watching.until(kind("listening"))
            place.edit("Answer Ask 1", ("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
            event, _ = watching.until(kind("followed"))
            self.assertIn("Answer Ask 1", event["tasks"][0])
            self.assertEqual(watching.interrupt(), 130)
        self.assertPlaces(box, {"ask": "Archive"})

    def test_notices_of_rules_are_printed_once_when_the_mail_arrives(self):
        box, _, place = self.watched()
        box.add("INBOX", letter("Call me first", "old"))
        place.write_rules("rules-version: 1\nrules:\n"
                          "  - { id: call, when: 'subject:call', then: [{ notify: '{{from.name}}: {{subject}}' }] }\n")
        with Watching(place) as watching:
            watching.until(kind("listening"))
            box.add("INBOX", letter("Call me now", "now"))
            event, number = watching.until(kind("notices"))
            self.assertRegex(event["notices"][0], r"^Bob Singh: Call me now  \(opus show \w{4,}\)$")
            box.add("INBOX", letter("Nothing else"))
            _, number = watching.until(brought(1), number)
            box.mark("INBOX", "<now@test.example>", add=[r"\Flagged"])
            watching.until(lambda event: event["type"] == "synced" and event["sync"]["changed"], number)
            self.assertEqual([event["notices"] for event in watching.events if event["type"] == "notices"],
                             [event["notices"]], "not what was there before, and nothing twice")
        self.assertIn("Call me now", self.check(place.opus("run", "--yes", now=None)).text)

    def test_a_refused_account_is_left_alone_and_the_others_continue(self):
        """Two accounts with a task each; the password of one is wrong from now on."""
        box, wire, place = self.watched()
        other = self.new_box()
        other.add("INBOX", letter("Ask 2", "other"))
        gate = self.enterContext(Wiretap(other.servers.imap_port))
        accounts = (box.yaml(port=wire.port, security="none", host="127.0.0.1")
                    + other.yaml(name="other", password_file="word", port=gate.port, security="none", host="127.0.0.1"))
        (place.root / "word").write_text((place.root / "password").read_text())
        place.configure(accounts)
        place.write_rules("rules-version: 1\nrules:\n"
                          "  - { id: ask, when: 'subject:ask', then: [{ task: { title: 'Answer {{subject}}' } }] }\n")
        box.add("INBOX", letter("Ask 1", "ask"))
        self.check(place.opus("run", "--yes", now=None))
        (place.root / "word").write_text("not-the-word\n")
        gate.reset()
        with Watching(place) as watching:
            watching.until(kind("listening"))
            for old, new in (("NEEDS-ACTION", "COMPLETED"), ("COMPLETED", "NEEDS-ACTION"), ("NEEDS-ACTION", "CANCELLED")):
                place.edit("Answer Ask 2", (f"STATUS:{old}", f"STATUS:{new}"))
                time.sleep(1)
            place.edit("Answer Ask 1", ("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
            _, number = watching.until(
                lambda event: event["type"] == "followed" and any("Ask 1" in line for line in event["tasks"]))
            box.add("INBOX", letter("Third"))
            watching.until(brought(1), number)
            self.assertIn("refused the login", watching.text)
            self.assertLessEqual(len(self.logins(gate)), 2, "once for its mail, once for its task")
            halts = [run["account"] for event in watching.events if event["type"] == "followed"
                     for run in event["runs"] if run.get("halt") == "login-refused"]
            self.assertLessEqual(len(halts), 1, "each edit asks for nothing more of it")
        self.assertPlaces(box, {"ask": "Archive"})
        self.assertPlaces(other, {"other": "INBOX"})

    def logins(self, wire):
        return [command for command in wire.commands if command.upper().startswith(("LOGIN", "AUTHENTICATE"))]

    def test_the_option_once_ends_the_watch_after_one_change(self):
        box, _, place = self.watched()
        with Watching(place, "--once") as watching:
            watching.until(kind("listening"))
            box.add("INBOX", letter("Second"))
            self.assertEqual(watching.process.wait(PATIENCE), 0, watching.text)
        self.assertEqual(subjects(place), {"First", "Second"})

    def test_notify_reports_every_mailbox(self):
        box, wire, place = self.watched()
        box.add("Lists", letter("On a list"))
        with Watching(place) as watching:
            event, number = watching.until(kind("listening"))
            self.assertEqual(event["method"], "NOTIFY")
            box.add("Lists", letter("Another on it"))
            watching.until(brought(1), number)

    def test_a_maildir_is_polled(self):
        box = self.new_box("maildir")
        box.add("INBOX", letter("First"))
        place = self.new_place(box)
        with Watching(place) as watching:
            event, number = watching.until(kind("listening"))
            self.assertEqual(event["method"], "polling")
            box.add("INBOX", letter("Second"))
            watching.until(brought(1), number)

    def test_a_watch_prints_one_line_for_each_event(self):
        box, _, place = self.watched()
        box.add("INBOX", letter("\x1b]0;owned\x07 hello", "odd"))
        with open(place.root / "words", "wb") as out:
            process = subprocess.Popen(place.command("watch", "--once", now=None), stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=subprocess.STDOUT, env=place.environment(), cwd=place.root)
            try:
                end = time.monotonic() + PATIENCE
                while not (place.root / "words").read_text() and time.monotonic() < end:
                    time.sleep(0.05)
                time.sleep(0.5)
                box.add("INBOX", letter("Second"))
                self.assertEqual(process.wait(PATIENCE), 0)
            finally:
                process.kill()
                process.wait()
        lines = (place.root / "words").read_text().splitlines()
        self.assertRegex(lines[0], r"^\d\d:\d\d:?\d*  work: 2 new$")
        self.assertRegex(lines[-1], r"^\d\d:\d\d:?\d*  work: 1 new$")


if __name__ == "__main__":
    unittest.main()
