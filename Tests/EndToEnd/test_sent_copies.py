"""The copy in Sent and the draft of a mail, with a submission server that files copies or refuses mail as it is told."""
import re
import shutil
import signal
import subprocess
import threading
import time

from listener import Listener
from oracle import later
from wiretap import Wiretap
from letters import ANA, letter
from workplace import on_both, servers

SETTINGS = "send: { hold: 0, max-per-recipient-per-hour: 50 }\n"


class Submission(Listener):
    """SMTP in the clear. `login`: the reply to AUTH, which is offered only then; `logins`: how many there were; `refusal`: the
    reply to the final dot; `delay`: the seconds before it, and `came`: set when a mail is there; `file`: called with each mail that is taken; `is_silent`: it takes a mail and closes the connection without a reply."""

    def __init__(self):
        self.refusal, self.file, self.mails, self.is_silent = None, None, [], False
        self.login, self.logins = None, 0
        self.delay, self.came = 0, threading.Event()
        super().__init__()

    def yaml(self):
        return f"    smtp: {{ host: 127.0.0.1, port: {self.port}, security: none }}\n"

    def serve(self, client):
        stream = client.makefile("rwb")

        def say(text):
            stream.write(text.encode() + b"\r\n")
            stream.flush()

        say("220 localhost ESMTP")
        while line := stream.readline():
            command = line.split()[0].upper().decode()
            if command == "DATA":
                say("354 go on")
                reply = self.take(stream)
                if self.is_silent:
                    return None
                say(reply)
            elif command == "QUIT":
                return say("221 bye")
            else:
                self.logins += command == "AUTH"
                capabilities = "250-localhost\r\n250 AUTH PLAIN" if self.login else "250 localhost"
                say({"EHLO": capabilities, "AUTH": self.login}.get(command, "250 fine"))

    def take(self, stream):
        mail = b""
        while (line := stream.readline()) != b".\r\n":
            if not line:
                raise ConnectionResetError("the client has ended before the final dot")
            mail += line
        self.came.set()
        time.sleep(self.delay)
        if self.refusal:
            return self.refusal
        self.mails.append(mail)
        if self.file:
            self.file(mail)
        return "250 taken"


@on_both
class SentCopies:
    def setUp(self):
        super().setUp()
        self.server = self.enterContext(Submission())
        self.box = self.new_box()
        self.login = "    login: { user: ana, password-command: [cat, password] }\n" if self.box.kind == "maildir" else ""
        self.place = self.new_place(self.box, None, SETTINGS, extra=self.server.yaml() + self.login)
        self.check(self.place.opus("sync"))

    def tapped(self):
        """The wire to the IMAP server, on which commands can be refused."""
        if self.box.kind == "maildir":
            self.skipTest("a Maildir refuses nothing")
        tap = self.enterContext(Wiretap(servers().imap_port))
        self.place.configure(
            self.box.yaml(port=tap.port, security="none", host="127.0.0.1", extra=self.server.yaml()), SETTINGS)
        return tap

    def send(self, subject, minutes=0):
        (self.place.root / "text").write_text("Text.\n")
        return self.place.opus("compose", "--to", "bob@far.example", "--subject", subject, "--body", "text", "--send", "--yes",
                               now=later(minutes))

    def refused(self):
        """A refused mail whose draft has come into the Drafts mailbox."""
        self.server.refusal = "554 5.7.1 no"
        self.check(self.send("One"), 69, "554")
        self.check(self.place.opus("run", "--yes", now=later(20)), 0, "put into Drafts")
        mail, = self.place.opus("outbox", "--json").json["items"]
        self.server.refusal = None
        return mail["id"]

    def test_a_mail_that_is_sent_after_a_refusal_leaves_no_draft(self):
        mail = self.refused()
        self.assertEqual(self.box.subjects("Drafts"), ["One"])
        self.check(self.place.opus("outbox", "retry", mail, now=later(21)), 0, "Sent")
        self.assertEqual((self.box.subjects("Drafts"), self.box.subjects("Sent")), ([], ["One"]))
        self.assertEqual(self.place.opus("drafts", "--json").json["items"], [])
        self.assertNothingMore(self.place, self.box)
        self.assertEqual(len(self.server.mails), 1)

    def test_a_refused_mail_is_shown_as_refused_until_its_draft_is_changed(self):
        mail = self.refused()
        late = later(60 * 24 * 9)
        states = lambda: [item["state"] for item in self.place.opus("drafts", "--json", now=late).json["items"]]
        self.assertEqual(states(), ["refused"])
        briefing = self.check(self.place.opus("briefing", "--json", now=late)).json
        self.assertEqual([draft.get("refused") for draft in briefing["drafts"]], [True])
        self.assertIn("refused by the server", self.place.opus("briefing", now=late).out)
        self.check(self.place.opus("status", now=late), 0, "554")
        text = self.place.opus("drafts", "show", mail, now=late).out.replace("Text.", "Better text.")
        (self.place.root / "text").write_text(text)
        self.check(self.place.opus("drafts", "edit", mail, "--body", "text", now=late))
        self.assertIn(states(), (["saved"], ["local"]))
        self.assertNotIn("554", self.place.opus("status", now=late).out)

    def test_a_draft_that_waits_for_its_mailbox_does_not_come_after_the_mail_was_sent(self):
        if self.box.kind != "maildir":
            self.skipTest("the mailbox is made unusable as a folder")
        self.box.create("Drafts")
        temporary = self.box.place("Drafts") / "tmp"
        temporary.rmdir()
        temporary.write_text("in the way")
        self.server.refusal = "554 5.7.1 no"
        self.check(self.send("One"), 69, "554")
        self.place.opus("run", "--yes", now=later(20))
        mail, = self.place.opus("outbox", "--json").json["items"]
        self.server.refusal = None
        self.check(self.place.opus("outbox", "retry", mail["id"], now=later(21)), 0, "Sent")
        temporary.unlink()
        temporary.mkdir()
        self.place.opus("run", "--yes", now=later(60 * 24))
        self.assertEqual((self.box.subjects("Drafts"), self.box.subjects("Sent")), ([], ["One"]))

    def test_a_copy_of_the_draft_of_a_sent_mail_is_not_sent_again(self):
        mail = self.refused()
        draft = self.box.body("Drafts", self.box.held("Drafts")[0].message_id)
        self.check(self.place.opus("outbox", "retry", mail, now=later(21)), 0, "Sent")
        self.box.add("Drafts", [draft], flags=["\\Draft"])
        self.check(self.place.opus("sync", now=later(22)))
        copy, = self.place.opus("drafts", "--json").json["items"]
        self.check(self.place.opus("send", copy["id"], "--yes", now=later(23)), 1, "was already sent", "drafts discard")
        self.assertEqual(len(self.server.mails), 1)

    def test_without_the_store_sent_still_tells_that_the_mail_of_a_draft_was_sent(self):
        mail = self.refused()
        draft = self.box.body("Drafts", self.box.held("Drafts")[0].message_id)
        self.check(self.place.opus("outbox", "retry", mail, now=later(21)), 0, "Sent")
        self.box.add("Drafts", [draft], flags=["\\Draft"])
        shutil.rmtree(self.place.root / ".opus")
        self.check(self.place.opus("sync", now=later(22)))
        copy, = self.place.opus("drafts", "--json").json["items"]
        self.check(self.place.opus("send", copy["id"], "--yes", now=later(23)), 1, "was already sent")
        self.assertEqual(len(self.server.mails), 1)

    def test_a_draft_of_another_program_that_comes_back_after_it_was_sent_is_not_sent_again(self):
        self.box.add("Drafts", letter("Theirs", sender=ANA, to="bob@far.example"), flags=["\\Draft"])
        self.check(self.place.opus("sync", now=later(1)))
        draft, = self.place.opus("drafts", "--json", now=later(1)).json["items"]
        self.check(self.place.opus("send", draft["id"], "--yes", now=later(2)), 0, "Sent")
        self.assertEqual(self.box.held("Drafts"), [])
        self.box.move("theirs@test.example", "Trash", "Drafts")
        self.check(self.place.opus("sync", now=later(3)))
        draft, = self.place.opus("drafts", "--json", now=later(3)).json["items"]
        done = self.check(self.place.opus("send", draft["id"], "--yes", "--json", now=later(4)), 1, "was already sent")
        self.assertEqual(len(self.server.mails), 1)
        # A changed text is a new mail.
        mail = next(word for word in done.error["next"][0].split() if word.startswith("d:"))
        (self.place.root / "text").write_text(self.place.opus("drafts", "show", mail, now=later(5)).out + "More.\n")
        self.check(self.place.opus("drafts", "edit", mail, "--body", "text", now=later(5)))
        self.check(self.place.opus("send", mail, "--yes", now=later(6)), 0, "Sent")
        self.assertEqual(len(self.server.mails), 2)

    def on_another_machine(self):
        place = self.new_place(self.box, None, SETTINGS, name="second", extra=self.server.yaml() + self.login)
        self.check(place.opus("sync", now=later(10)))
        return place

    def test_a_draft_of_another_program_that_another_machine_sent_is_not_sent_again(self):
        self.box.add("Drafts", letter("Theirs", sender=ANA, to="bob@far.example"), flags=["\\Draft"])
        self.check(self.place.opus("sync", now=later(1)))
        draft, = self.place.opus("drafts", "--json", now=later(1)).json["items"]
        self.check(self.place.opus("send", draft["id"], "--yes", now=later(2)), 0, "Sent")
        self.box.move("theirs@test.example", "Trash", "Drafts")
        shutil.rmtree(self.place.root / ".opus")
        self.check(self.place.opus("sync", now=later(3)))
        for place in (self.place, self.on_another_machine()):
            draft, = place.opus("drafts", "--json", now=later(11)).json["items"]
            done = self.check(place.opus("send", draft["id"], "--yes", "--json", now=later(12)), 1, "Sent has a mail with the same text")
            self.assertEqual((done.error["code"], len(self.server.mails)), ("may-be-sent", 1))
        # An edited draft is a new mail.
        mail = next(word for word in done.error["next"][1].split() if word.startswith("d:")).strip(",")
        (place.root / "text").write_text(place.opus("drafts", "show", mail, now=later(13)).out + "More.\n")
        self.check(place.opus("drafts", "edit", mail, "--body", "text", now=later(13)))
        self.check(place.opus("send", mail, "--yes", now=later(14)), 0, "Sent")
        self.assertEqual(len(self.server.mails), 2)

    def test_the_same_draft_in_two_accounts_is_two_drafts(self):
        other = self.new_box()
        for second in ("sales@acme.example", "ana@acme.example"):
            with self.subTest(second):
                extra = self.server.yaml() + self.login
                sales = other.yaml(name="sales", address=second, extra=extra)
                place = self.new_place(self.box, None, SETTINGS, name=second[:4], extra=extra)
                place.configure(place.accounts + sales, SETTINGS)
                for box in (self.box, other):
                    box.add("Drafts", letter(f"For {second}", name=second[:4], sender=ANA, to="bob@far.example"), flags=["\\Draft"])
                self.check(place.opus("sync", now=later(1)))
                drafts = [item["id"] for item in place.opus("drafts", "--json", now=later(1)).json["items"]]
                before = len(self.server.mails)
                self.check(place.opus("drafts", "show", drafts[0], now=later(2)))
                self.check(place.opus("drafts", "show", drafts[1], now=later(2)))
                items = place.opus("drafts", "--json", now=later(2)).json["items"]
                self.assertEqual((len(items), len({item["id"] for item in items}), {item["account"] for item in items}),
                                 (2, 2, {"work", "sales"}))
                self.check(place.opus("send", *drafts, "--yes", now=later(3)), 0, "Sent")
                names = {re.search(rb"Message-ID: (\S+)", mail)[1] for mail in self.server.mails[before:]}
                self.assertEqual(len(names), 2)

    def test_a_new_draft_does_not_blame_its_mailbox_for_the_removal_of_another_one(self):
        tap = self.tapped()
        (self.place.root / "text").write_text("Text.\n")
        compose = ("compose", "--to", "bob@far.example", "--body", "text", "--subject")
        self.check(self.place.opus(*compose, "One", now=later(1)))
        draft, = self.place.opus("drafts", "--json", now=later(1)).json["items"]
        tap.refuse("^UID (MOVE|STORE)", "NO [NOPERM] not yours", times=1)
        self.check(self.place.opus("send", draft["id"], "--yes", "--detach", now=later(2)))
        done = self.check(self.place.opus(*compose, "Two", now=later(3)))
        self.assertNotIn("older version", done.text)
        # The edit of a draft names its own older version.
        other, = [item for item in self.place.opus("drafts", "--json", now=later(4)).json["items"] if item["subject"] == "Two"]
        tap.refuse("^UID (MOVE|STORE)", "NO [NOPERM] not yours", times=1)
        (self.place.root / "text").write_text(self.place.opus("drafts", "show", other["id"]).out + "More.\n")
        self.check(self.place.opus("drafts", "edit", other["id"], "--body", "text", now=later(5)), 0,
                   "The older version is still in the Drafts mailbox", "not yours")

    def begun(self, *words, minutes):
        """A command that is running."""
        return subprocess.Popen(self.place.command(*words, now=later(minutes)), cwd=self.place.root, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.place.environment())

    def test_ctrl_c_waits_for_the_answer_to_a_mail_that_is_there(self):
        self.server.delay = 3
        (self.place.root / "text").write_text("Text.\n")
        sending = self.begun("compose", "--to", "bob@far.example", "--subject", "One", "--body", "text", "--send", "--yes", minutes=1)
        self.assertTrue(self.server.came.wait(60))
        sending.send_signal(signal.SIGINT)
        output = sending.communicate(timeout=60)[0]
        self.assertEqual(sending.returncode, 130, output)
        self.assertIn("Sent d:", output)
        mail, = self.place.opus("outbox", "--all", "--json", now=later(2)).json["items"]
        self.assertEqual(mail["state"], "sent")
        self.check(self.place.opus("run", "--yes", now=later(3)))
        self.assertEqual((len(self.server.mails), self.box.subjects("Sent"), self.box.subjects("Drafts")), (1, ["One"], []))

    def test_a_draft_that_changed_while_send_waited_for_another_opus_is_not_sent(self):
        (self.place.root / "text").write_text("Text.\n")
        for way in ("edit", "discard"):
            with self.subTest(way):
                self.server.delay, before = 4, len(self.server.mails)
                compose = ("compose", "--to", "bob@far.example", "--body", "text", "--subject")
                draft = self.check(self.place.opus(*compose, way, now=later(1))).out.strip()
                text = self.place.opus("drafts", "show", draft).out
                (self.place.root / "new").write_text(text.replace("Text.", "New text."))
                self.server.came.clear()
                first = self.begun(*compose, "Slow", "--send", "--yes", minutes=2)
                self.assertTrue(self.server.came.wait(60))
                send = self.begun("send", draft, "--yes", minutes=2)
                time.sleep(1)
                words = ("edit", draft, "--body", "new") if way == "edit" else ("discard", draft, "--yes")
                other = self.begun("drafts", *words, minutes=2)
                outputs = [process.communicate(timeout=100)[0] for process in (first, send, other)]
                codes = [process.returncode for process in (first, send, other)]
                sent = [mail for mail in self.server.mails[before:] if b"Subject: Slow" not in mail]
                self.assertEqual(codes[0], 0, outputs)
                if way == "edit" or codes[2] == 0:
                    self.assertEqual((codes[1:], sent), ([1, 0], []), outputs)
                    self.assertIn("was changed or discarded by another opus", outputs[1])
                else:
                    self.assertEqual((codes[1], len(sent)), (0, 1), outputs)
        self.server.delay = 0
        self.check(self.place.opus("run", "--yes", now=later(5)))
        draft, = self.place.opus("drafts", "--json", now=later(6)).json["items"]
        self.check(self.place.opus("send", draft["id"], "--yes", now=later(7)), 0, "Sent")
        self.assertIn(b"New text.", self.server.mails[-1])

    def test_the_briefing_names_mail_that_only_the_user_can_decide(self):
        self.undecided()
        briefing = self.check(self.place.opus("briefing", now=later(30)), 0, "Mail in the outbox that needs you (1)", "was it sent?")
        document = self.place.opus("briefing", "--json", now=later(30)).json
        self.assertEqual([(mail["to"], mail["state"]) for mail in document["stoppedMail"]], [("bob@far.example", "needs-decision")])
        self.check(self.place.opus("outbox", "settle", document["stoppedMail"][0]["id"], "--sent", now=later(31)), 0, "Sent")
        self.assertNotIn("needs you", self.place.opus("briefing", now=later(32)).out, briefing)

    def test_the_wait_of_a_delegation_begins_only_when_its_mail_was_surely_sent(self):
        self.place.write_rules("rules-version: 1\nrules:\n  - { id: hand, when: 'subject:please', then: "
                               "[{ delegate: { to: bob@far.example, send: now, follow-up: 3d } }] }\n")
        settings = self.place.root / "opus.yaml"
        settings.write_text(settings.read_text() + "allow-send: true\n")
        self.box.add("INBOX", letter("Please look"))
        self.server.is_silent = True
        for minutes in (1, 20, 21):
            self.place.opus("run", "--yes", now=later(minutes))
        mail, = self.place.opus("outbox", "--json", now=later(22)).json["items"]
        self.assertEqual(mail["state"], "needs-decision")
        late = 60 * 24 * 6
        states = lambda minutes: [wait["wait"]["state"] for wait in self.place.opus("waiting", "--json", now=later(minutes)).json["items"]]
        self.assertNotIn("overdue", self.check(self.place.opus("run", "--yes", now=later(late))).out)
        self.assertEqual(states(late), ["drafted"])
        self.server.is_silent = False
        self.check(self.place.opus("outbox", "settle", mail["id"], "--sent", now=later(late + 1)))
        # It was sent six days ago, and the answer was due after three.
        self.assertEqual(states(late + 2), ["overdue"])

    def undecided(self):
        """A mail that the server took without a reply."""
        self.server.is_silent = True
        self.send("One")
        self.place.opus("run", "--yes", now=later(20))
        mail, = self.place.opus("outbox", "--json").json["items"]
        self.assertEqual(mail["state"], "needs-decision")
        self.server.is_silent = False
        return mail["id"]

    def test_a_discarded_mail_that_may_have_been_sent_is_sent_only_if_the_user_says_so(self):
        mail = self.undecided()
        self.check(self.place.opus("outbox", "discard", mail, now=later(21)), 0, "may have been sent already")
        for minutes in (22, 60):
            self.check(self.place.opus("send", mail, "--yes", now=later(minutes)), 1, "may have been sent already", "--again")
            self.check(self.place.opus("run", "--yes", now=later(minutes + 1)))
        self.assertEqual((self.box.subjects("Drafts"), len(self.server.mails)), (["One"], 1))
        self.check(self.place.opus("send", mail, "--yes", "--again", now=later(70)), 0, "Sent")
        self.assertEqual(len(self.server.mails), 2)
        self.assertEqual((self.box.subjects("Drafts"), self.box.subjects("Sent")), ([], ["One"]))

    def test_a_mail_that_sent_has_since_is_not_sent_again(self):
        mail = self.undecided()
        self.box.add("Sent", [self.server.mails[0]])
        self.check(self.place.opus("sync", now=later(21)))
        self.check(self.place.opus("outbox", "settle", mail, "--not-sent", now=later(22)), 1, "was sent", "--sent")
        self.check(self.place.opus("outbox", "settle", mail, "--sent", now=later(23)), 0, "Sent")
        self.assertEqual((len(self.server.mails), self.box.subjects("Sent")), (1, ["One"]))

    def test_a_store_from_a_backup_sends_no_mail_of_its_outbox_again(self):
        self.place.configure(self.box.yaml(extra=self.server.yaml() + self.login), "send: { hold: 10m }\n")
        (self.place.root / "text").write_text("Text?\n")
        for subject in ("One", "Two"):
            self.check(self.place.opus("compose", "--to", "carl@other.example", "--subject", subject, "--body", "text", "--send", "--yes",
                                       "--detach"))
        shutil.copytree(self.place.root / ".opus", self.folder / "backup")
        self.check(self.place.opus("run", "--yes", now=later(60)))
        self.assertEqual(len(self.server.mails), 2)
        self.box.remove("Sent", self.box.held("Sent")[0].message_id)
        shutil.rmtree(self.place.root / ".opus")
        shutil.copytree(self.folder / "backup", self.place.root / ".opus")
        done = self.check(self.place.opus("run", "--yes", now=later(120)))
        # Without its copy in Sent, nothing shows that a mail was sent.
        self.assertEqual(len(self.server.mails), 3, done)
        self.assertEqual(len(self.box.held("Sent")), 2)
        self.assertEqual(self.box.held("Drafts"), [])
        self.check(self.place.opus("run", "--yes", now=later(180)))
        self.assertEqual(len(self.server.mails), 3)

    def test_a_mail_whose_copy_left_sent_is_not_sent_again_by_a_second_machine(self):
        self.place.configure(self.box.yaml(extra=self.server.yaml() + self.login), "send: { hold: 10m }\n")
        (self.place.root / "text").write_text("Text?\n")
        self.check(self.place.opus("compose", "--to", "carl@other.example", "--subject", "One", "--body", "text", "--send", "--yes", "--detach"))
        shutil.copytree(self.place.root / ".opus", self.folder / "backup")
        self.check(self.place.opus("run", "--yes", now=later(60)))
        self.box.move(self.box.held("Sent")[0].message_id, "Sent", "Archive")
        shutil.rmtree(self.place.root / ".opus")
        shutil.copytree(self.folder / "backup", self.place.root / ".opus")
        self.check(self.place.opus("run", "--yes", now=later(120)))
        self.assertEqual(len(self.server.mails), 1)
        self.assertEqual([self.box.subjects(name) for name in ("Sent", "Archive", "Drafts")], [[], ["One"], []])
        self.assertEqual(self.place.opus("outbox", "--json", now=later(121)).json["items"], [])
        self.check(self.place.opus("run", "--yes", now=later(180)))
        self.assertEqual((len(self.server.mails), self.box.subjects("Sent")), (1, []))

    def test_if_sent_refuses_the_copy_the_command_says_so(self):
        tap = self.tapped()
        tap.refuse('^APPEND "?Sent', "NO [NOPERM] not yours")
        done = self.check(self.send("One"), 0, "Sent d:", "its copy could not be put into Sent", "not yours")
        self.assertNotIn("tries again", done.text)
        mail, = self.place.opus("outbox", "--all", "--json").json["items"]
        self.assertEqual([(part["part"], part["isFailed"]) for part in mail["unfinished"]], [("copy", True)])
        tap.open()
        tap.refuse('^APPEND "?Sent', "NO [OVERQUOTA] full", times=1)
        self.check(self.send("Two", 60), 0, "its copy could not be put into Sent", "full", "the next run tries again")
        self.check(self.place.opus("run", "--yes", now=later(60 * 24)))
        self.assertEqual(self.box.subjects("Sent"), ["Two"])

    def test_if_drafts_refuses_the_removal_of_the_draft_the_command_says_so(self):
        tap = self.tapped()
        (self.place.root / "text").write_text("Text.\n")
        self.check(self.place.opus("compose", "--to", "bob@far.example", "--subject", "One", "--body", "text"))
        self.check(self.place.opus("run", "--yes", now=later(20)))
        self.assertEqual(self.box.subjects("Drafts"), ["One"])
        draft, = self.place.opus("drafts", "--json").json["items"]
        tap.refuse("^UID (STORE|EXPUNGE|MOVE)", "NO [NOPERM] not yours")
        self.check(self.place.opus("send", draft["id"], "--yes", now=later(21)), 0, "Sent d:", "its draft could not be removed", "not yours")
        self.assertEqual((self.box.subjects("Drafts"), self.box.subjects("Sent")), (["One"], ["One"]))
        self.assertEqual(len(self.server.mails), 1)

    def test_if_the_server_no_longer_files_sent_mail_opus_does(self):
        self.server.file = lambda mail: self.box.add("Sent", [mail])
        self.check(self.send("One"))
        self.assertEqual(self.box.subjects("Sent"), ["One"])
        self.check(self.send("Two", 60))
        self.assertEqual(sorted(self.box.subjects("Sent")), ["One", "Two"])
        self.server.file = None
        for number, subject in enumerate(("Three", "Four"), 2):
            self.check(self.send(subject, 60 * number))
        self.assertEqual(sorted(self.box.subjects("Sent")), ["Four", "One", "Three", "Two"])
