"""Servers and networks that fail: the exit code, an error that says what, where and what next, and nothing lost."""
import base64
import fcntl
import os
import signal
import socket
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from letters import letter
from servers import FakeServer, MailServers, free_ports
from wiretap import Wiretap
from workplace import Case, on_both, servers

RULES = """\
rules-version: 1
name: trouble
rules:
  - { id: away, when: 'subject:away', then: [archive] }
"""
GREETING = b"* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] ready\r\n"

# Whatever a client calls its first commands.
TAGS = [f"{letters}{number}" for letters in ("A", "a", "o", "t", "T", "opus", "OPUS")
        for number in ("1", "01", "001", "0001")]


def secrets(password=MailServers.password, user="ana"):
    """The password as it could cross a wire or land in a log."""
    plain = f"\0{user}\0{password}".encode()
    return [password.encode(), base64.b64encode(password.encode()).rstrip(b"="), base64.b64encode(plain)[8:-4]]


class Trouble(Case):
    """An IMAP account whose opus.yaml is turned against it."""

    kind = "imap"

    def prepare(self, folder="workspace", **changes):
        box = self.new_box()
        box.add("INBOX", [letter("Away"), letter("Stays", minutes=1)])
        place = self.new_place(box, RULES, name=folder)
        self.check(place.opus("sync"))
        place.configure(box.yaml(**changes))
        return box, place

    def fails(self, place, code, *words):
        """Every command that needs the account ends like that, says where and what next, and changes nothing."""
        before = place.task_files()
        for command in (["sync"], ["run", "--yes"], ["account", "check"]):
            done = self.check(place.opus(*command, timeout=150), code, *words)
            self.assertIn("account work, ", done.err, str(done))
            self.assertIn("opus.yaml:", done.err, str(done))
            self.assertIn("next: ", done.err, str(done))
            self.assertEqual(done.out, "", str(done))
            self.assertLessEqual(len(done.err.splitlines()), 6, str(done))
        document = self.check(place.opus("sync", "--json", timeout=150), code).error
        self.assertEqual((document["schema"], document["exit"]), ("opus.error/1", code))
        self.assertTrue(document["next"] and document["message"] and document["place"], document)
        # The messages in the store can still be listed.
        self.assertEqual(len(place.opus("list").out.splitlines()), 2)
        self.assertEqual(place.task_files(), before)

    def test_a_wrong_password(self):
        box, place = self.prepare()
        before = box.fingerprint()
        (place.root / "password").write_text("not-the-word\n")
        self.fails(place, 77, "refused the login", "cat password")
        self.assertEqual(box.fingerprint(), before)
        self.assertNotIn("not-the-word", place.opus("sync", "--verbose").text)

    def test_an_unknown_host(self):
        _, place = self.prepare(host="imap.nowhere.invalid")
        self.fails(place, 69, "imap.nowhere.invalid", "no such host")

    def test_a_refused_connection(self):
        port, = free_ports(1)
        _, place = self.prepare(port=port)
        self.fails(place, 69, f"localhost:{port}", "refused")

    def test_a_certificate_of_another_authority(self):
        _, place = self.prepare(ca_file=servers().other_ca_file)
        self.fails(place, 69, "certificate is not trusted", "ca-file")

    def test_a_certificate_without_ca_file(self):
        box, place = self.prepare()
        place.configure(box.yaml().replace(f", ca-file: {servers().ca_file}", ""))
        self.fails(place, 69, "certificate is not trusted", "ca-file")

    def test_certificates_that_are_expired_or_for_another_host(self):
        issue = servers().authority.issue
        for case, certificate in (("expired", issue("expired", expired=True)),
                                  ("another host", issue("elsewhere", names=["DNS:mail.other.example"]))):
            with self.subTest(case), FakeServer([GREETING, ("stall",)], certificate, tls=True) as fake:
                _, place = self.prepare(port=fake.port)
                self.fails(place, 69, "certificate is not trusted")
                self.assertEqual(fake.received, b"")

    def test_a_ca_file_without_a_certificate(self):
        box, place = self.prepare()
        (place.root / "ca.pem").write_text("nothing\n")
        place.configure(box.yaml(ca_file="ca.pem"))
        done = self.check(place.opus("sync"), 78, "ca.pem")
        self.assertIn("PEM", done.err)

    def nothing_secret(self, fake, place):
        for word in (*secrets(), b"LOGIN", b"AUTHENTICATE"):
            self.assertNotIn(word, fake.clear, place)

    def test_a_server_that_closes_at_once(self):
        for security in ("tls", "starttls"):
            with self.subTest(security), FakeServer(FakeServer.CLOSES_AT_ONCE) as fake:
                _, place = self.prepare(port=fake.port, security=security)
                # Whether the end comes as FIN or as RST, and when, is a race between the two.
                self.fails(place, 69, f"localhost:{fake.port}: ", "connection")
                self.nothing_secret(fake, security)

    def test_a_server_that_is_not_a_mail_server(self):
        for security in ("tls", "starttls"):
            with self.subTest(security), FakeServer(FakeServer.GARBAGE) as fake:
                _, place = self.prepare(port=fake.port, security=security)
                done = self.check(place.opus("sync"), 69, "next: ")
                self.assertNotIn("\x1b", done.text)
                self.nothing_secret(fake, security)

    def test_a_server_that_never_answers(self):
        with FakeServer(FakeServer.STALLS) as fake:
            _, place = self.prepare(port=fake.port)
            process = place.start("sync")
            time.sleep(1)
            self.assertIsNone(process.poll(), "it must wait for a while")
            process.send_signal(signal.SIGINT)
            code = process.wait(10)
            self.assertIn(code, (130, -signal.SIGINT))
            self.assertEqual(len(place.opus("list").out.splitlines()), 2)

    def test_a_server_that_sends_single_bytes_is_given_up_within_a_minute_and_the_lock_released(self):
        """All at once: each of them would be waited for without end if any byte counted as progress."""
        good = servers().certificate
        enter, drip = self.enterContext, ("drip", b"* OK still here\r\n", 2)
        smtp = enter(FakeServer([("drip", b"220-still here\r\n", 2)]))
        cases = {
            "greeting": enter(FakeServer([("drip", b"*", 2)], good, tls=True)),
            "command": enter(FakeServer([GREETING, ("expect", b"\r\n"), drip], good, tls=True)),
            "handshake": enter(FakeServer([("drip", b"\x16", 2)])),
        }
        running = {}
        for name, fake in cases.items():
            place = self.prepare(name, port=fake.port)[1]
            running[name] = place, place.start("sync")
        place = self.new_place(self.new_box("maildir"), name="sender", extra=(
            f"    smtp: {{ host: localhost, port: {smtp.port}, security: starttls, ca-file: {servers().ca_file} }}\n"
            "    login: { user: ana, password-command: [cat, password] }\n"))
        running["submission"] = place, place.start("account", "check")
        time.sleep(1)
        for name, (place, process) in running.items():
            with self.subTest(name):
                self.assertIsNone(process.poll(), "it is waited for at first")
        end = time.monotonic() + 75
        for name, (place, process) in running.items():
            with self.subTest(name):
                self.assertEqual(process.wait(max(1, end - time.monotonic())), 69)
                with open(place.root / ".opus" / "lock", "a+") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def test_the_wrong_kind_of_port_is_named_within_five_seconds(self):
        box, place = self.prepare()
        mine = servers()
        sender = self.new_box("maildir")
        for case, port, security, words in (
            ("imap", mine.imaps_port, "starttls", "this port speaks TLS; try `security: tls`"),
            ("imap", mine.imaps_port, "none", "this port speaks TLS; try `security: tls`"),
            ("imap", mine.imap_port, "tls", "try `security: starttls`"),
            ("smtp", mine.smtps_port, "starttls", "this port speaks TLS; try `security: tls`"),
            ("smtp", mine.submission_port, "tls", "try `security: starttls`"),
        ):
            with self.subTest(f"{case} {security}"):
                if case == "imap":
                    place.configure(box.yaml(port=port, security=security))
                else:
                    place.configure(sender.yaml(extra=(
                        f"    smtp: {{ host: localhost, port: {port}, security: {security}, "
                        f"ca-file: {mine.ca_file} }}\n"
                        "    login: { user: ana, password-command: [cat, password] }\n")))
                done = self.check(place.opus("account", "check"), 69, words, "next: ")
                self.assertLess(done.seconds, 5)

    def test_opus_waits_for_a_server_that_is_slow_to_greet(self):
        """Nothing is said for longer than it takes to look whether the port speaks TLS."""
        script = [("wait", 4), b"* BYE too many connections\r\n", ("wait", 0.2)]
        with FakeServer(script) as fake:
            _, place = self.prepare(port=fake.port, security="none")
            self.check(place.opus("sync"), 75, "too many connections")

    def test_a_server_that_will_not_encrypt_gets_no_password(self):
        for case, script in (
            ("no STARTTLS offered", [b"* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] ready\r\n", ("expect", b"\r\n"),
                                     b"* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n"
                                     + b"".join(f"{tag} OK done\r\n".encode() for tag in TAGS), ("wait", 1)]),
            ("PREAUTH", [b"* PREAUTH [CAPABILITY IMAP4rev1 STARTTLS] come in\r\n", ("wait", 1)]),
            ("STARTTLS refused", [b"* OK [CAPABILITY IMAP4rev1 STARTTLS AUTH=PLAIN] ready\r\n", ("expect", b"STARTTLS"),
                                  *[f"{tag} NO not today\r\n".encode() for tag in TAGS], ("wait", 1)]),
            ("bytes after STARTTLS", [b"* OK [CAPABILITY IMAP4rev1 STARTTLS AUTH=PLAIN] ready\r\n",
                                      ("expect", b"STARTTLS"), b"".join(f"{tag} OK go\r\n".encode() for tag in TAGS)
                                      + b"* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n", ("wait", 1)]),
        ):
            with self.subTest(case), FakeServer(script) as fake:
                _, place = self.prepare(port=fake.port, security="starttls")
                done = place.opus("sync")
                self.assertIn(done.code, (69, 78), str(done))
                self.assertIn("next: ", done.err, str(done))
                self.nothing_secret(fake, case)

    def test_a_server_that_says_come_back_later(self):
        script = [b"* BYE too many connections\r\n", ("wait", 0.2)]
        with FakeServer(script, servers().certificate, tls=True) as fake:
            _, place = self.prepare(port=fake.port)
            self.fails(place, 75, "too many connections")

    def test_a_server_that_leaves_in_the_middle(self):
        box, place = self.prepare()
        box.add("INBOX", letter("Away 2", minutes=5))
        for keep in (400, 900, 1_500, 2_500, 4_000):
            with self.subTest(f"after {keep} bytes"), Wiretap(servers().imaps_port, keep=keep) as relay:
                place.configure(box.yaml(port=relay.port))
                done = place.opus("run", "--yes")
                # Over several connections it may reach its end.
                self.assertIn(done.code, (0, 1, 69, 75), str(done))
                if done.code == 0:
                    self.assertEqual(box.subjects("Archive"), ["Away", "Away 2"])
                self.assertEqual(sorted(box.subjects("INBOX") + box.subjects("Archive")), ["Away", "Away 2", "Stays"])
        place.configure(box.yaml())
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"away": "Archive", "away-2": "Archive", "stays": "INBOX"})
        self.assertNothingMore(place, box)

    def test_each_command_tries_a_login_once_and_reads_the_password_once(self):
        box, place = self.prepare()
        (place.root / "ask").write_text("echo asked >> asked\ncat password\n")
        place.configure(box.yaml().replace("[cat, password]", f"[sh, '{place.root}/ask']"))
        (place.root / "ask").write_text(f"echo asked >> '{place.root}/asked'\ncat '{place.root}/password'\n")
        (place.root / "password").write_text("not-the-word\n")
        before = box.fingerprint()
        done = self.check(place.opus("triage", "--yes"), 77, "refused the login")
        self.assertEqual((place.root / "asked").read_text(), "asked\n", str(done))
        self.assertEqual(box.fingerprint(), before)
        (place.root / "password").write_text(box.servers.password + "\n")
        self.check(place.opus("triage", "--yes"))
        self.assertEqual((place.root / "asked").read_text(), "asked\nasked\n")
        self.assertNotEqual(box.fingerprint(), before)

    def test_password_commands_that_fail(self):
        box, place = self.prepare()
        good = box.yaml()
        for case, command, words in (
            ("missing", "[/no/such/program]", "cannot be found"), ("failing", "['false']", "exit status 1"),
            ("silent", "['true']", "empty"), ("nothing", "[cat, /dev/null]", "empty"),
        ):
            with self.subTest(case):
                place.configure(good.replace("[cat, password]", command))
                done = self.check(place.opus("sync"), 78, words)
                self.assertIn("opus.yaml:", done.err)


@on_both
class Workspaces:
    """Trouble that has nothing to do with the kind of account."""

    def prepare(self):
        box = self.new_box()
        box.add("INBOX", [letter("Away"), letter("Stays", minutes=1)])
        return box, self.new_place(box, RULES)

    def test_help_on_what_is_not_there(self):
        _, place = self.prepare()
        self.check(place.opus("help", "nonsense"), 64, 'no command or help page is called "nonsense"', "opus help rules")

    def test_a_second_process_waits_its_turn(self):
        box, place = self.prepare()
        self.check(place.opus("sync"))
        with open(place.root / ".opus" / "lock", "r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            # Each waits for a minute, so they wait together.
            commands = (["sync"], ["run", "--yes"], ["triage", "--yes"])
            with ThreadPoolExecutor(len(commands)) as pool:
                for done in pool.map(lambda command: place.opus(*command), commands):
                    self.check(done, 75, "another opus")
                    self.assertIn("next: ", done.err)
            self.check(place.opus("list"))
            self.check(place.opus("triage", "--dry-run"))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"away": "Archive", "stays": "INBOX"})

    def test_eight_at_once(self):
        box, place = self.prepare()
        running = [place.start("run", "--yes") for _ in range(8)]
        codes = [process.wait(60) for process in running]
        self.assertIn(0, codes)
        self.assertLessEqual(set(codes), {0, 75})
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"away": "Archive", "stays": "INBOX"})
        self.assertEqual(len(place.opus("runs").out.splitlines()), 1)

    def test_a_mailbox_that_is_not_there(self):
        _, place = self.prepare()
        self.check(place.opus("sync"))
        done = self.check(place.opus("list", "--folder", "Nowhere"), 66, "Nowhere", "next: ")
        self.assertIn("INBOX", done.err)

    def test_an_account_that_is_not_there(self):
        _, place = self.prepare()
        for command in (["sync"], ["list"], ["triage", "--dry-run"], ["run", "--yes"]):
            done = self.check(place.opus(*command, "--account", "wrok"), 66, '"wrok"', "next: ")
            self.assertIn("work", done.err.partition("next:")[2])

    def test_ids_that_are_not_there(self):
        _, place = self.prepare()
        self.check(place.opus("sync"))
        for command in (["show", "zzzz"], ["thread", "m:zzzz"], ["explain", "zzzz"], ["task", "show", "t:zzzz"],
                        ["task", "done", "zzzz"], ["runs", "show", "99"]):
            self.check(place.opus(*command), 66, "next: ")
        for command in (["show", "ü!"], ["runs", "show", "x"], ["list", "frm:bob"], ["list", "(from:bob"]):
            self.check(place.opus(*command), 64)

    def test_without_a_terminal_a_question_is_an_error(self):
        box, place = self.prepare()
        before = box.fingerprint()
        for command in (["run"], ["triage"]):
            self.check(place.opus(*command), 64, "--yes", "next: ")
        self.assertEqual(box.fingerprint(), before)


class Maildirs(Case):
    kind = "maildir"

    def test_a_maildir_that_is_not_there_or_none(self):
        box = self.new_box()
        place = self.new_place(box, RULES)
        (self.folder / "plain").mkdir()
        (self.folder / "file").write_text("x")
        for name in ("missing", "plain", "file"):
            with self.subTest(name):
                place.configure(f"  - {{ name: work, address: ana@acme.example, maildir: {self.folder / name} }}\n")
                done = place.opus("sync")
                self.assertIn(done.code, (66, 78), str(done))
                self.assertIn(name, done.err)
                self.assertIn("opus.yaml:", done.err)
                self.assertIn("next: ", done.err, str(done))

    def test_a_message_that_may_not_be_read_hides_no_other(self):
        box = self.new_box()
        box.add("INBOX", [letter("Away"), letter("Stays", minutes=1)])
        place = self.new_place(box, RULES)
        for path in (box.folder / "new").iterdir():
            if b"Away" in path.read_bytes():
                path.chmod(0)
        options = self.as_somebody_else() if os.geteuid() == 0 else {}
        self.check(place.opus("sync", **options), 1, "could not be read")
        self.assertEqual(len(place.opus("list", **options).out.splitlines()), 1)

    def locked(self, content, age):
        box = self.new_box()
        box.add("INBOX", letter("Away"))
        place = self.new_place(box, RULES.replace("[archive]", "[{ label: old }, archive]"), name=f"w{len(content)}-{age}")
        lock = box.folder / "dovecot-uidlist.lock"
        lock.write_text(content)
        os.utime(lock, (time.time() - age, time.time() - age))
        return box, place, lock

    def test_a_lock_that_a_dead_program_left_is_taken_over(self):
        for content, age in ((f"4194300:{socket.gethostname()}", 0), ("", 600), ("1:elsewhere", 600)):
            with self.subTest(f"{content!r}, {age} s old"):
                box, place, lock = self.locked(content, age)
                self.check(place.opus("run", "--yes"))
                self.assertEqual([(h.mailbox, h.flags) for h in box.everything()], [("Archive", frozenset({"old"}))])
                self.assertFalse(lock.exists())
                self.assertNothingMore(place, box)

    def test_opus_waits_as_long_as_another_program_holds_the_lock(self):
        box, place, lock = self.locked(f"{os.getpid()}:{socket.gethostname()}", 0)
        for minute in range(6):
            now = f"2026-03-10T08:3{minute}:00+01:00"
            self.check(place.opus("run", "--yes", timeout=30, now=now), 1, "dovecot-uidlist.lock")
            self.assertPlaces(box, {"away": "INBOX"})
            self.assertTrue(lock.exists())
        lock.unlink()
        self.check(place.opus("run", "--yes", now="2026-03-10T08:36:00+01:00"))
        self.assertPlaces(box, {"away": "Archive"})

    def as_somebody_else(self):
        """Root can read everything, so the program runs as the user "nobody", in a folder of that user."""
        for path in (self.folder, *self.folder.rglob("*")):
            os.chown(path, 65534, 65534)
        return {"user": 65534, "group": 65534, "extra_groups": []}


if __name__ == "__main__":
    unittest.main()
