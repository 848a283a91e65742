"""A rule writes its mail once, also on a second machine, after the store was lost, and about copies of one message."""
import shutil
import time

from letters import letter
from test_sending import sent_to
from workplace import Case, Workplace, servers

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


class Sending(Case):
    """A person of its own for each test, to whom the rules send."""

    kind = "imap"

    def setUp(self):
        super().setUp()
        if not servers().has_smtp:
            self.skipTest("Postfix needs root")
        self.address = f"{self.id().rpartition('.')[2].replace('_', '-')[5:35]}@far.example"


class WrittenOnce(Sending):
    def setUp(self):
        super().setUp()
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


class SeveralRules(Sending):
    """Several rules answer the same message."""

    RULES = """\
rules-version: 1
name: once
rules:
  - { id: list, when: 'subject:price', then: [{ reply: { text: 'See the list.', send: now } }] }
  - { id: again, when: 'subject:price', then: [{ reply: { text: 'See the list.', send: now } }] }
  - { id: thanks, when: 'subject:price', then: [{ reply: { text: 'Thank you.', send: now } }] }
"""

    def test_the_same_text_is_sent_once_and_another_text_is_a_mail_of_its_own(self):
        box = self.new_box()
        box.add("INBOX", letter("The price", sender=f"Kim <{self.address}>"))
        place = self.new_place(box, self.RULES, "allow-send: true\n", smtp="starttls")
        self.check(place.opus("run", "--yes"), 0, "2 × message sent")
        sent = box.held("Sent")
        self.assertEqual([mail.subject for mail in sent], ["Re: The price"] * 2)
        self.assertEqual(len({mail.message_id for mail in sent}), 2)
        shutil.rmtree(place.root / ".opus")
        done = self.check(place.opus("run", "--yes", now=LATER))
        self.assertIn("rule thanks: the mail is already in Sent, so it is not written again", done.err)
        self.check(place.opus("run", "--yes", now=LATER), 0, "Nothing to do.")
        self.assertEqual(len(box.held("Sent")), 2)


class Copies(Sending):
    """The same message came twice: through a list, or to another account of the user."""

    def setUp(self):
        super().setUp()
        self.rules = RULES.replace("TO", self.address)

    def mail(self, subject, number, **headers):
        return letter(f"The {subject}", name=subject, sender=f"Kim <{subject}-{self.address}>", minutes=number,
                      to="Ana <ana@acme.example>, Ana <ana@example.org>", headers=headers)

    def delivered(self, count):
        end = time.monotonic() + 15
        names = [f"{who}-{self.address}" for who in (*SUBJECTS, "books", "bob")]
        while len(found := [str(mail["Subject"]) for name in names for mail in sent_to(name)]) < count and time.monotonic() < end:
            time.sleep(0.05)
        return sorted(found)

    def test_a_copy_that_came_through_a_list_causes_no_second_mail(self):
        box = self.new_box()
        for number, subject in enumerate(("price", "bill")):
            box.add("INBOX", [self.mail(subject, number, **{"List-Id": "<team.lists.example>"}),
                              *[self.mail(subject, number)] * 2])
        place = self.new_place(box, self.rules, "allow-send: true\n", smtp="starttls")
        done = self.check(place.opus("run", "--yes"), 0, "2 mails sent", "2 × message sent")
        self.assertIn("rule answer: another copy of the message causes the same mail, so it is written once", done.err)
        self.assertNotIn("makes a draft", done.text)
        self.assertEqual(self.delivered(2), ["Fwd: The bill", "Re: The price"])
        self.assertEqual((box.subjects("Sent"), box.subjects("Drafts")), (["Fwd: The bill", "Re: The price"], []))
        self.check(place.opus("run", "--yes"), 0, "Nothing to do.")

    def two(self):
        boxes = self.new_box(), self.new_box()
        smtp = (f"    smtp: {{ host: localhost, port: {servers().submission_port}, security: starttls, "
                f"ca-file: {servers().ca_file} }}\n")
        accounts = boxes[0].yaml(extra=smtp) + boxes[1].yaml(name="home", address="ana@example.org", extra=smtp)
        return *boxes, Workplace(self.folder / "workspace", accounts, self.rules, "allow-send: true\n")

    def test_a_message_in_two_accounts_is_answered_once(self):
        for command in ("run", "triage"):
            with self.subTest(command):
                self.address = command + "-" + self.address
                self.rules = RULES.replace("TO", self.address)
                work, home, place = self.two()
                for box in (work, home):
                    box.add("INBOX", [self.mail(subject, number) for number, subject in enumerate(SUBJECTS)])
                # The same Message-ID does not make another person's mail a copy.
                home.add("INBOX", letter("The bill", name="bill", sender=f"Lea <lea-{self.address}>", minutes=9))
                self.check(place.opus("sync"))
                self.check(place.opus(command, "--yes"), 0, "the same message came to account work, which writes the mail")
                expected = ["Auto: The hello", "Fwd: The bill", "Fwd: The please", "Re: The price"]
                self.assertEqual(self.delivered(5), sorted([*expected, "Fwd: The bill"]))
                self.assertEqual((work.subjects("Sent"), home.subjects("Sent")), (expected, ["Fwd: The bill"]))
                self.assertEqual((work.subjects("Drafts"), home.subjects("Drafts")), (["Re: The think"], []))
                self.assertEqual(len(list(place.root.glob("tasks/waiting/*.ics"))), 1)
                shutil.rmtree(place.root)

    def test_a_copy_that_comes_to_another_account_later_is_not_answered_again(self):
        work, home, place = self.two()
        work.add("INBOX", [self.mail(subject, number) for number, subject in enumerate(SUBJECTS)])
        self.check(place.opus("run", "--yes"))
        home.add("INBOX", [self.mail(subject, number) for number, subject in enumerate(SUBJECTS)])
        self.check(place.opus("run", "--yes", now=LATER))
        self.assertEqual(len(self.delivered(4)), 4)
        self.assertEqual((home.subjects("Sent"), home.subjects("Drafts")), ([], []))
        self.check(place.opus("run", "--yes", now=LATER), 0, "Nothing to do.")

    def test_mail_to_an_address_with_a_tag_is_answered_and_mail_from_one_is_not(self):
        box = self.new_box()
        box.add("INBOX", [
            letter("The hello", name="to", sender=f"Kim <hello-{self.address}>", to="Ana <Ana+news@acme.example>"),
            letter("The price", name="from", sender="Ana <ana+news@acme.example>", minutes=1,
                   headers={"Reply-To": f"price-{self.address}"})])
        place = self.new_place(box, self.rules, "allow-send: true\n", smtp="starttls")
        self.check(place.opus("run", "--yes"), 0, "makes a draft instead of sending: the sender is you")
        self.assertEqual(self.delivered(1), ["Auto: The hello"])
        self.assertEqual(box.subjects("Drafts"), ["Re: The price"])
