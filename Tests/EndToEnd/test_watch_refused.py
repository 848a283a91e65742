"""`opus watch` and logins: a refused one is tried once, whatever else goes wrong, and a failing program is no refused login."""
import json
import re
import signal
import time
import unittest

from letters import letter
from servers import MailServers
from watcher import PATIENCE, Watching, kind
from wiretap import Wiretap
from workplace import Case

RULES = "rules-version: 1\nrules:\n  - { id: news, auto: true, when: 'subject:news', then: archive }\n"
LOGIN = "^(LOGIN|AUTHENTICATE)"


def logins(wire):
    return len([line for line in wire.commands if re.match(LOGIN, line)])


class Refused(Case):
    kind = "imap"

    def watched(self):
        self.box = self.new_box()
        self.wire = self.enterContext(Wiretap(self.box.servers.imap_port))
        self.place = self.new_place(self.box, rules=RULES)
        self.account = self.box.yaml(port=self.wire.port, security="none", host="127.0.0.1")
        self.place.configure(self.account)

    def refused(self, watching):
        """The watch listens, and then its login is refused. Returns the number of that event."""
        _, number = watching.until(kind("listening"))
        self.wire.refuse(LOGIN, "NO [AUTHENTICATIONFAILED] no")
        self.wire.cut()
        return watching.until(kind("ended"), number)[1]

    def comes_to(self, name, mailbox):
        end = time.monotonic() + PATIENCE
        while self.box.where(f"{name}@test.example") != [mailbox]:
            self.assertLess(time.monotonic(), end, f"{name} is not in {mailbox}")
            time.sleep(0.05)

    def test_a_wrong_password_is_tried_once_and_ends_the_watch_with_77(self):
        self.watched()
        (self.place.root / "password").write_text("not-the-word\n")
        self.check(self.place.opus("watch", now=None, timeout=30), 77, "refused the login")
        self.assertEqual(logins(self.wire), 1, self.wire.commands)

    def test_two_accounts_with_wrong_passwords_are_tried_once_each(self):
        self.watched()
        other = self.new_box()
        gate = self.enterContext(Wiretap(other.servers.imap_port))
        self.place.configure(self.account + other.yaml(name="other", port=gate.port, security="none", host="127.0.0.1"))
        (self.place.root / "password").write_text("not-the-word\n")
        self.check(self.place.opus("watch", now=None, timeout=30), 77)
        self.assertEqual((logins(self.wire), logins(gate)), (1, 1))

    def test_an_account_that_ends_first_for_another_reason_does_not_hide_the_refused_login(self):
        """systemd starts the watch again after 69, but not after 77."""
        self.watched()
        stranger = self.enterContext(MailServers(smtp=False))
        slow = self.account.replace("[cat, password]", "[sh, -c, 'sleep 2; echo not-the-word']")
        first = self.new_box(on=stranger).yaml(name="first", ca_file=self.box.servers.ca_file)
        self.place.configure(first + slow)
        done = self.check(self.place.opus("watch", now=None, timeout=30), 77, "refused the login", "certificate")
        self.assertLess(done.err.index("certificate"), done.err.index("refused the login"))
        self.assertEqual(logins(self.wire), 1)

    def test_the_only_account_waits_for_the_user_if_its_login_is_refused_later(self):
        self.watched()
        with Watching(self.place, form="--events") as watching:
            _, number = watching.until(kind("listening"))
            self.wire.reset()
            self.wire.refuse(LOGIN, "NO [AUTHENTICATIONFAILED] no")
            self.wire.cut()
            event, number = watching.until(kind("ended"), number)
            self.assertEqual(event["problem"], "login-refused")
            time.sleep(7)
            self.assertIsNone(watching.process.poll(), "it waits")
            self.assertEqual(logins(self.wire), 1, "it does not try again by itself")
            item, = self.check(self.place.opus("status", "--json", now=None)).json["items"]
            self.assertEqual((item["watch"]["state"], item["watch"]["problem"]), ("error", "login-refused"))
            self.box.add("INBOX", letter("News 1", "news"))
            self.wire.open()
            watching.signal(signal.SIGHUP)
            self.comes_to("news", "Archive")
            # Refused again, it ends as always.
            _, number = watching.until(kind("listening"), number)
            self.wire.refuse(LOGIN, "NO [AUTHENTICATIONFAILED] no")
            self.wire.cut()
            watching.until(kind("ended"), number)
            watching.signal(signal.SIGTERM)
            self.assertEqual(watching.process.wait(8), 0)

    def test_a_run_that_logs_in_brings_the_watch_back(self):
        self.watched()
        with Watching(self.place, form="--events") as watching:
            number = self.refused(watching)
            self.wire.open()
            self.check(self.place.opus("run", "--yes", now=None))
            watching.until(kind("listening"), number)
            self.box.add("INBOX", letter("News 1", "news"))
            self.comes_to("news", "Archive")

    def test_another_password_is_noticed_after_new_settings_too(self):
        self.watched()
        with Watching(self.place, form="--events") as watching:
            number = self.refused(watching)
            # The user changes something, which does not help yet.
            self.place.configure(self.account, "allow-send: true\n")
            _, number = watching.until(kind("ended"), number)
            time.sleep(1)
            self.assertIsNone(watching.process.poll(), "it worked before")
            self.wire.open()
            self.place.configure(self.account)
            watching.until(kind("listening"), number)

    # Programs for passwords and tokens

    def with_token(self):
        server = self.enterContext(MailServers(smtp=False, mechanisms="plain xoauth2"))
        self.box = self.new_box(on=server)
        self.wire = self.enterContext(Wiretap(server.imaps_port))
        self.place = self.new_place(self.box, rules=RULES)
        self.place.configure(self.box.yaml(port=self.wire.port).replace(
            "password-command: [cat, password]", "token-command: [sh, -c, 'echo >> asked; test ! -e offline && cat token']"))
        token = server.token(self.box.user, 3600)
        (self.place.root / "token").write_text(json.dumps({"access_token": token, "expires_in": 1}))
        self.offline = self.place.root / "offline"

    def asked(self):
        return (self.place.root / "asked").read_text().count("\n")

    def test_a_token_program_that_fails_without_a_network_ends_nothing(self):
        self.with_token()
        with Watching(self.place, form="--events") as watching:
            _, number = watching.until(kind("listening"))
            self.offline.touch()
            self.wire.cut()
            event, number = watching.until(lambda event: event["type"] == "lost" and "token command" in event["message"], number)
            self.assertGreaterEqual(event["retrySeconds"], 60, "it may ask the user for something")
            self.offline.unlink()
            watching.signal(signal.SIGHUP)
            watching.until(kind("listening"), number)
            self.box.add("INBOX", letter("News 1", "news"))
            self.comes_to("news", "Archive")
            self.assertEqual(watching.all("ended"), [])

    def test_a_machine_that_starts_without_a_network_gets_its_token_later(self):
        self.with_token()
        self.offline.touch()
        with Watching(self.place, form="--events") as watching:
            _, number = watching.until(kind("lost"))
            self.assertEqual(self.asked(), 1)
            self.offline.unlink()
            watching.signal(signal.SIGHUP)
            watching.until(kind("listening"), number)

    def test_a_password_program_that_cannot_run_ends_the_watch(self):
        self.watched()
        for words, message in (("[no-such-program-here]", "cannot be found"), ("[sh, -c, no-such-program-here]", "failed with exit status 127")):
            with self.subTest(words):
                self.place.configure(self.account.replace("[cat, password]", words))
                self.check(self.place.opus("watch", now=None, timeout=30), 78, message)

    def test_a_keyring_that_is_still_locked_at_the_start_ends_nothing(self):
        self.watched()
        for program in ("test -e open && cat password", "test ! -e open || cat password"):
            with self.subTest(program):
                keyring = self.place.root / "open"
                keyring.unlink(missing_ok=True)
                self.place.configure(self.account.replace("[cat, password]", f"[sh, -c, '{program}']"))
                with Watching(self.place, form="--events") as watching:
                    event, number = watching.until(kind("lost"))
                    self.assertIn("the password command", event["message"])
                    self.assertGreaterEqual(event["retrySeconds"], 60, "it may ask the user for something")
                    self.assertEqual(logins(self.wire), 0)
                    keyring.touch()
                    watching.signal(signal.SIGHUP)
                    watching.until(kind("listening"), number)
                    self.assertEqual(watching.all("ended"), [])
                self.wire.reset()


if __name__ == "__main__":
    unittest.main()
