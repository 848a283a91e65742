"""The outbox after failures: held, failed and unknown mails; and a watch that sends due mail."""
import os
import signal
import time

from boxes import MaildirBox
from letters import letter
from oracle import later
from trap import Trap
from workplace import Case, Workplace, servers

NO_HOLD = "send: { hold: 0, max-per-recipient-per-hour: 50 }\n"


class Outbox(Case):
    def setUp(self):
        super().setUp()
        if not servers().has_smtp:
            self.skipTest("Postfix needs root")
        self.address = f"{self.id().rpartition('.')[2].replace('_', '-')[:40]}@far.example"
        self.trap = self.enterContext(Trap(servers().smtps_port, servers().ca_file))
        self.box = MaildirBox(self.folder / "Maildir")
        extra = self.trap.yaml() + "    login: { user: ana, password-command: [cat, password] }\n"
        self.place = Workplace(self.folder / "place", self.box.yaml(extra=extra), None, NO_HOLD)
        self.check(self.place.opus("sync"))

    def words(self, to=None, *more):
        (self.place.root / "text").write_text("Text.\n")
        return ("compose", "--to", to or self.address, "--subject", "One", "--body", "text", "--send", "--yes", *more)

    def test_mail_of_an_account_that_left_the_settings_is_named(self):
        self.check(self.place.opus(*self.words(None, "--detach"), now="2026-03-10T08:30:00+01:00"))
        settings = self.place.root / "opus.yaml"
        before = settings.read_text()
        settings.write_text(before.replace("name: work", "name: office"))
        for command in (["outbox"], ["status"], ["run", "--yes"]):
            done = self.place.opus(*command)
            self.check(done, 0, "account work is not in opus.yaml: 1 mail in its outbox is not sent", "the name work")
            self.assertNotIn("is empty", done.text)
        self.assertEqual(self.place.opus("outbox", "--json").json["stranded"], [{"account": "work", "mails": 1}])
        settings.write_text(before)
        self.assertNotIn("stranded", self.place.opus("outbox", "--json").json)
        done = self.check(self.place.opus("run", "--yes"))
        self.assertNotIn("not in opus.yaml", done.text)
        self.assertEqual(self.arrived(1), 1)

    @property
    def line(self):
        line, = self.place.opus("outbox", "--json").json["items"]
        return line

    def arrived(self, count):
        end = time.monotonic() + 15
        while len(self.mails()) < count and time.monotonic() < end:
            time.sleep(0.05)
        return len(self.mails())

    def mails(self):
        return [mail for mail in servers().captured() if self.address in str(mail["To"])]

    def undecided(self):
        """A mail whose answer was lost with the connection: neither the server nor Sent can tell."""
        self.trap.arm("dot", "close")
        self.place.opus(*self.words())
        self.assertTrue(self.trap.met.is_set())
        self.assertEqual(self.line["state"], "unknown")
        mail = self.line["id"]
        self.check(self.place.opus("outbox", "discard", mail), 75, "on its way")
        self.assertNotIn("discard", self.check(self.place.opus("drafts", "discard", mail, "--yes"), 75, "it may have been sent").err)
        self.check(self.place.opus("outbox", "settle", mail, "--sent"), 64, "it does not need a decision")
        self.place.opus("run", "--yes", now=later(11))
        self.assertEqual(self.line["state"], "needs-decision")
        self.check(self.place.opus("drafts", "discard", mail, "--yes"), 75, "opus cannot tell whether it was sent",
                   f"opus outbox settle {mail}")
        self.check(self.place.opus("outbox", "retry", mail), 64, "--not-sent", "--sent")
        self.assertEqual(self.mails(), [])
        return mail

    def test_a_mail_with_an_unknown_result_is_sent_again_after_confirmation(self):
        mail = self.undecided()
        self.check(self.place.opus("outbox", "settle", mail, "--not-sent", now=later(12)))
        self.assertEqual(self.arrived(1), 1)
        self.assertEqual(len(self.box.held("Sent")), 1)
        self.assertEqual(self.place.opus("outbox", "--json").json["items"], [])
        self.assertNothingMore(self.place, self.box)

    def test_a_mail_that_the_user_calls_sent_gets_its_copy_and_is_not_sent(self):
        mail = self.undecided()
        self.check(self.place.opus("outbox", "settle", mail, "--sent", now=later(12)))
        self.assertEqual(len(self.box.held("Sent")), 1)
        self.assertEqual(self.mails(), [])
        self.assertEqual(self.place.opus("outbox", "--json").json["items"], [])
        self.assertEqual(self.place.opus("drafts", "--json").json["items"], [])
        sent, = self.place.opus("outbox", "--all", "--json").json["items"]
        self.assertEqual((sent["state"], sent.get("reason")), ("sent", None))

    def test_after_a_crash_a_mail_is_held_until_the_user_confirms(self):
        self.trap.arm("rcpt", "hang")
        process = self.place.start(*self.words())
        self.assertTrue(self.trap.met.wait(20))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self.trap.disarm()
        for minutes in (1, 60):
            self.place.opus("run", "--yes", now=later(minutes))
        self.assertEqual(self.line["state"], "held")
        self.assertEqual(self.mails(), [])
        self.check(self.place.opus("status"), 0, "sending is paused until you confirm")
        self.check(self.place.opus("drafts", "discard", self.line["id"], "--yes"), 75, "it is sent only after you confirm it")
        self.check(self.place.opus("outbox", "retry", self.line["id"], now=later(61)), 0, "Sent")
        self.assertEqual(self.arrived(1), 1)
        self.assertEqual(len(self.box.held("Sent")), 1)

    def test_a_run_says_that_the_held_mail_of_a_cancelled_delegation_waits_for_the_user(self):
        self.box.add("INBOX", letter("Hand one"))
        self.check(self.place.opus("sync"))
        message, = self.place.opus("list", "--json").json["items"]
        self.trap.arm("rcpt", "hang")
        process = self.place.start("delegate", message["id"], self.address, "--send", "--yes")
        self.assertTrue(self.trap.met.wait(20))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self.trap.disarm()
        self.place.opus("run", "--yes", now=later(1))
        self.assertEqual(self.line["state"], "held")
        task, = self.place.opus("task", "list", "--json").json["items"]
        self.check(self.place.opus("task", "cancel", task["id"], now=later(2)))
        done = self.place.opus("run", "--yes", now=later(3))
        self.assertRegex(done.text, "Hand one” is in the outbox and is sent only after you confirm it  ")
        self.assertEqual(self.mails(), [])

    def test_a_refused_mail_is_tried_again_only_on_request_and_can_be_discarded(self):
        self.check(self.place.opus(*self.words("refused@far.example")), 69, "550")
        mail = self.line["id"]
        self.place.opus("run", "--yes", now=later(60))
        self.assertEqual((self.line["state"], self.line["attempts"]), ("failed", 1))
        self.check(self.place.opus("outbox", "retry", mail, now=later(61)), 69, "550")
        self.assertEqual(self.line["state"], "failed")
        self.check(self.place.opus("outbox", "discard", mail), 0, "Cancelled")
        self.assertEqual([line["id"] for line in self.place.opus("drafts", "--json").json["items"]], [mail])

    def test_with_json_waiting_and_cancelling_print_one_document(self):
        self.check(self.place.opus("outbox", "wait", "--json"))
        self.trap.arm("mail", "close")
        self.place.opus(*self.words())
        done = self.place.opus("outbox", "wait", "--timeout", "1", "--json")
        self.check(done, 75)
        self.assertEqual([item["state"] for item in done.json["items"]], ["queued"], str(done))
        self.assertEqual(done.error["code"], "still-waiting")
        document = self.check(self.place.opus("outbox", "wait", "--json", now=later(1))).json
        self.assertEqual((document["schema"], [item["state"] for item in document["items"]]), ("opus.outbox/1", ["sent"]))
        self.assertEqual(self.arrived(1), 1)
        self.trap.arm("mail", "close")
        self.place.opus(*self.words())
        document = self.check(self.place.opus("outbox", "discard", self.line["id"], "--json")).json
        self.assertEqual([item["state"] for item in document["items"]], ["discarded"])

    def test_a_mail_that_waits_because_of_a_refused_login_says_so_and_what_to_do(self):
        password = self.place.root / "password"
        right = password.read_text()
        password.write_text("wrong")
        done = self.check(self.place.opus(*self.words()), 77, "In the outbox: d:", "refused the login", "next: opus run sends it")
        self.assertNotIn("until", done.text)
        self.assertIn("refused the login", self.check(self.place.opus("outbox")).text)
        self.assertIn("refused the login", self.line["reason"])
        password.write_text(right)
        self.check(self.place.opus("run", "--yes", now=later(1)), 0, "1 × message sent")
        self.assertEqual(self.arrived(1), 1)

    def test_a_watch_sends_a_held_mail_when_its_time_comes(self):
        (self.place.root / "opus.yaml").write_text(
            (self.place.root / "opus.yaml").read_text().replace("hold: 0", "hold: 3s"))
        self.check(self.place.opus(*self.words(None, "--detach"), now=None))
        process = self.place.start("watch", now=None)
        try:
            self.assertEqual(self.mails(), [])
            self.assertEqual(self.arrived(1), 1)
            end = time.monotonic() + 10
            while not self.box.held("Sent") and time.monotonic() < end:
                time.sleep(0.05)
            self.assertEqual(len(self.box.held("Sent")), 1)
        finally:
            os.killpg(process.pid, signal.SIGINT)
            process.wait(10)
        self.assertEqual(self.place.opus("outbox", "--json", now=None).json["items"], [])

    def test_a_held_mail_is_not_reported_as_mail_that_was_left_out(self):
        self.place.configure(self.place.accounts, "send: { hold: 3h }\n")
        self.check(self.place.opus(*self.words(None, "--detach"), now="2026-03-10T08:30:00+01:00"))
        self.assertEqual(self.line["state"], "queued")
        for command in (("run", "--yes"), ("triage", "--dry-run")):
            self.assertNotIn("left out", self.check(self.place.opus(*command, now="2026-03-10T08:30:00+01:00")).text)

    def test_an_empty_mail_makes_no_draft(self):
        self.check(self.place.opus("compose", "--body", "/dev/null"), 65, "nothing was saved")
        self.assertEqual(self.place.opus("drafts", "--json").json["items"], [])
