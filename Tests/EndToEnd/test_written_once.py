"""A rule writes its mail once, also on a second machine and after the store was lost."""
import shutil
import time

from letters import letter
from test_sending import sent_to
from workplace import Case, servers

RULES = """\
rules-version: 1
name: once
rules:
  - { id: answer, when: 'subject:price', then: [{ reply: { text: 'See the list.', send: now } }] }
  - { id: on, when: 'subject:bill', then: [{ forward: { to: books-TO, note: 'For the books.', send: now } }] }
  - { id: hand, when: 'subject:please', then: [{ delegate: { to: bob-TO, note: 'Yours, please.', send: now } }] }
  - { id: away, when: 'subject:hello', then: [{ vacation: { text: 'I am away.', days: 7, send: now } }] }
  - { id: draft, when: 'subject:think', then: [{ reply: { text: 'Let me think.' } }] }
"""
SUBJECTS = ("price", "bill", "please", "hello", "think")
LATER = "2026-03-10T10:30:00+01:00"


class WrittenOnce(Case):
    kind = "imap"

    def setUp(self):
        super().setUp()
        if not servers().has_smtp:
            self.skipTest("Postfix needs root")
        self.address = f"{self.id().rpartition('.')[2].replace('_', '-')[5:35]}@far.example"
        self.box = self.new_box()
        for number, subject in enumerate(SUBJECTS):
            self.box.add("INBOX", self.mail(subject, number))
        self.first = self.machine("first")
        self.check(self.first.opus("run", "--yes"))
        self.assertWritten()

    def mail(self, subject, minutes):
        return letter(f"The {subject}", sender=f"Kim <{subject}-{self.address}>", minutes=minutes)

    def delivered(self):
        return sorted(str(mail["Subject"]) for who in (*SUBJECTS, "books", "bob") for mail in sent_to(f"{who}-{self.address}"))

    def machine(self, name):
        return self.new_place(
            self.box, RULES.replace("TO", self.address), "allow-send: true\n", smtp="starttls", name=name)

    def assertWritten(self, count=4):
        """Each mail is at its recipient, in Sent or in Drafts once."""
        end = time.monotonic() + 15
        while len(self.delivered()) < count and time.monotonic() < end:
            time.sleep(0.05)
        subjects = ["Auto: The hello", "Fwd: The bill", "Fwd: The please", "Re: The price"]
        self.assertEqual(self.delivered(), subjects)
        self.assertEqual(sorted(self.box.subjects("Sent")), subjects)
        self.assertEqual(self.box.subjects("Drafts"), ["Re: The think"])

    def assertNothingWritten(self, place, tasks):
        done = self.check(place.opus("run", "--yes", now=LATER))
        self.assertRegex(done.err, "rule answer: the mail is already in Sent, so it is not written again")
        self.assertRegex(done.err, "rule draft: the mail is already in Drafts, so it is not written again")
        self.assertNotRegex(done.out + done.err, "× message sent")
        self.assertWritten()
        self.assertEqual(len(list(place.root.glob("tasks/waiting/*.ics"))), tasks)
        self.check(place.opus("run", "--yes", now=LATER), 0, "Nothing to do.")

    def test_after_a_lost_store_no_rule_writes_its_mail_again(self):
        shutil.rmtree(self.first.root / ".opus")
        self.assertNothingWritten(self.first, tasks=1)

    def test_on_a_second_machine_only_the_task_of_a_delegation_is_made(self):
        second = self.machine("second")
        self.assertIn("Nothing is sent.", self.check(second.opus("run", "--dry-run", now=LATER)).err)
        self.assertNothingWritten(second, tasks=1)
        waiting, = self.check(second.opus("waiting", "--json", now=LATER)).json["items"]
        self.assertEqual(waiting["wait"]["state"], "sent")

    def test_a_second_machine_does_not_say_again_that_the_user_is_away(self):
        second = self.machine("second")
        self.box.add("INBOX", letter("Once more hello", sender=f"Kim <hello-{self.address}>", minutes=60 * 24))
        self.check(second.opus("run", "--yes", now="2026-03-12T08:30:00+01:00"))
        self.assertWritten()
        self.box.add("INBOX", letter("One more hello", sender=f"Kim <hello-{self.address}>", minutes=60 * 24 * 8))
        self.check(second.opus("run", "--yes", now="2026-03-18T08:31:00+01:00"))
        self.assertIn("Auto: One more hello", self.box.subjects("Sent"))

    def test_mail_that_has_left_sent_proves_nothing(self):
        """Anyone can write a message with that Message-ID."""
        mail = next(held for held in self.box.held("Sent") if held.subject == "Re: The price")
        self.box.move(mail.message_id, "Sent", "Archive")
        shutil.rmtree(self.first.root / ".opus")
        self.check(self.first.opus("run", "--yes", now=LATER))
        self.assertIn("Re: The price", self.box.subjects("Sent"))
