"""Delegation: a draft for the person, or one mail through the real submission server."""
import shutil
import time
import unittest
from datetime import datetime, timedelta

from letters import letter
from workplace import CLOCK, REPOSITORY, on_both, servers

RULES = """\
rules-version: 1
name: sending
rules:
  - id: hand-over
    when: subject:please
    then:
      - delegate: { to: %s, note: 'Yours, please.', follow-up: +3 days, send: now }
      - archive
"""
SEND = "allow-send: true\n"


def at(time):
    return f"2026-03-10T{time}+01:00"


def hours_later(hours):
    return (datetime.fromisoformat(CLOCK) + timedelta(hours=hours)).isoformat()


def sent_to(address):
    return [mail for mail in servers().captured() if mail["Delivered-To"] == address or address in str(mail["To"])]


class Sending:
    def setUp(self):
        super().setUp()
        if not servers().has_smtp:
            self.skipTest("Postfix needs root")
        self.address = f"{self.id().rpartition('.')[2].replace('_', '-')[:40]}-{self.kind}@far.example"

    def prepare(self, to=None, settings=SEND, smtp="starttls", **options):
        box = self.new_box()
        box.add("INBOX", letter("Please look at this", "wish", body="The door is blue.\n.\n..\nFrom here on.\n"))
        place = self.new_place(box, RULES % (to or self.address), settings, smtp=smtp, **options)
        return box, place

    def wait_for_mail(self, count=1):
        end = time.monotonic() + 15
        while len(sent_to(self.address)) < count and time.monotonic() < end:
            time.sleep(0.05)
        return sent_to(self.address)


@on_both
class Delegation(Sending):
    def send_over(self, security):
        box, place = self.prepare(smtp=security)
        self.check(place.opus("run", "--yes"))
        mail, = self.wait_for_mail()
        self.assertEqual(str(mail["Subject"]), "Fwd: Please look at this")
        self.assertEqual(str(mail["From"]), "Ana Ruiz <ana@acme.example>")
        part = mail.get_payload(0) if mail.is_multipart() else mail
        text = part.get_payload(decode=True).decode().replace("\r\n", "\n")
        self.assertIn("Yours, please.", text)
        self.assertIn("The door is blue.\n.\n..\nFrom here on.", text.replace("> ", ""))
        copy, = box.held("Sent")
        self.assertEqual((copy.message_id, copy.flags), (mail["Message-ID"], frozenset({r"\Seen"})))
        self.assertPlaces(box, {"wish": "Archive"})
        self.assertEqual(box.held("Drafts"), [])
        self.assertNothingMore(place, box)
        time.sleep(0.3)
        self.assertEqual(len(sent_to(self.address)), 1)
        return place

    def test_the_caps_of_an_hour_hold_for_rules_and_the_rest_are_drafts(self):
        box, place = self.prepare(settings=SEND + "send: { max-per-recipient-per-hour: 2 }\n")
        box.add("INBOX", [letter(f"Please, number {n}", f"more{n}", minutes=n) for n in (1, 2)])
        plan = self.check(place.opus("run", "--yes"), 0)
        self.assertIn("makes a draft instead of sending: 2 mails to", plan.text)
        self.wait_for_mail(2)
        box.add("INBOX", letter("Please, another one", "last", minutes=9))
        self.check(place.opus("run", "--yes", now=at("08:50:00")), 0)
        self.assertEqual(len(box.held("Drafts")), 2)
        self.assertEqual(len(sent_to(self.address)), 2)

    def test_old_mail_gets_drafts_and_the_reason_is_said(self):
        box, place = self.prepare()
        self.check(place.opus("sync"))
        done = self.check(place.opus("triage", "--query", "subject:look", "--yes"), 0,
                          "makes a draft instead of sending: rules send nothing over old mail")
        self.assertNotIn("allow-send", done.text)
        self.assertEqual(len(box.held("Drafts")), 1)
        self.assertEqual(sent_to(self.address), [])

    def test_one_mail_is_sent_after_starttls(self):
        place = self.send_over("starttls")
        task, = place.tasks.glob("waiting/*.ics")
        self.assertIn(f"X-OPUS-WAITING-ON:{self.address}".encode(), task.read_bytes().replace(b"\r\n ", b""))

    def test_one_mail_is_sent_over_tls(self):
        self.send_over("tls")

    def test_a_store_that_is_lost_sends_nothing_again(self):
        box, place = self.prepare()
        self.check(place.opus("run", "--yes"))
        self.wait_for_mail()
        shutil.rmtree(place.root / ".opus")
        self.check(place.opus("run", "--yes"))
        self.check(place.opus("run", "--yes"))
        time.sleep(0.3)
        self.assertEqual(len(sent_to(self.address)), 1)
        self.assertPlaces(box, {"wish": "Archive"})

    def test_a_mail_that_is_sent_again_does_not_end_the_copies_in_sent(self):
        box, place = self.prepare(settings=SEND + "send: { hold: 0 }\n")
        self.check(place.opus("run", "--yes"))
        place.opus("undo", "--yes")
        self.check(place.opus("triage", "--again", "--yes"))
        self.wait_for_mail(2)
        (place.root / "text").write_text("Text.\n")
        self.check(place.opus("compose", "--to", self.address, "--subject", "Later", "--body", "text", "--send", "--yes"))
        self.assertEqual(sorted({mail.subject for mail in box.held("Sent")}), ["Fwd: Please look at this", "Later"])

    def test_without_allow_send_it_is_a_draft(self):
        box, place = self.prepare(settings="")
        self.check(place.opus("run", "--yes"), 0, "allow-send")
        draft, = box.held("Drafts")
        self.assertEqual(draft.flags, frozenset({r"\Draft", r"\Seen"}))
        self.assertPlaces(box, {"wish": "Archive"})
        self.assertNothingMore(place, box)
        self.assertEqual(sent_to(self.address), [])

    def test_a_refused_receiver_is_shown_and_the_message_stays(self):
        box, place = self.prepare(to="refused@far.example")
        self.check(place.opus("run", "--yes"), 1, "refused@far.example", "550")
        self.assertPlaces(box, {"wish": "INBOX"})
        self.assertEqual(box.held("Sent"), [])
        self.check(place.opus("runs"), 0)

    def test_a_receiver_who_may_come_later_is_tried_again(self):
        box, place = self.prepare(to="later@far.example")
        self.check(place.opus("run", "--yes"), 1, "451")
        self.assertPlaces(box, {"wish": "INBOX"})
        self.check(place.opus("run", "--yes", now=at("08:30:29")), 0, "Nothing to do now; 3 steps wait (opus status).")
        self.check(place.opus("status", now=at("08:30:29")), 0, "451", "waiting", "2026-03-10T08:30:30+01:00")
        self.check(place.opus("run", "--yes", now=at("08:30:30")), 1, "451")
        self.check(place.opus("run", "--yes", now=at("08:32:29")), 0, "3 steps wait")
        self.assertEqual(box.held("Sent"), [])
        self.check(place.opus("run", "--yes", now="2026-03-11T08:30:00+01:00"), 1, "timed out after 24 hours", "451")
        self.assertPlaces(box, {"wish": "INBOX"})
        self.assertEqual(box.held("Sent"), [])

    def test_a_server_that_was_not_reached_is_tried_five_times_however_long_the_machine_slept(self):
        box, place = self.prepare()
        settings = place.root / "opus.yaml"
        settings.write_text(settings.read_text().replace(str(servers().submission_port), "1"))
        for hours in (0, 63, 64, 65):
            self.check(place.opus("run", "--yes", now=hours_later(hours)), 1, "refused")
        self.check(place.opus("run", "--yes", now=hours_later(80)), 1, "timed out after 24 hours")
        self.assertPlaces(box, {"wish": "INBOX"})

    def test_a_submission_server_that_is_down_loses_nothing(self):
        box, place = self.prepare()
        good = (place.root / "opus.yaml").read_text()
        (place.root / "opus.yaml").write_text(good.replace(str(servers().submission_port), "1"))
        self.check(place.opus("run", "--yes"), 1, "refused")
        self.assertPlaces(box, {"wish": "INBOX"})
        (place.root / "opus.yaml").write_text(good)
        self.check(place.opus("run", "--yes", now=at("08:30:30")))
        self.wait_for_mail()
        self.assertPlaces(box, {"wish": "Archive"})
        self.assertEqual(len(box.held("Sent")), 1)
        self.assertNothingMore(place, box, now=at("08:30:30"))

    def test_mail_of_programs_and_lists_is_never_answered_by_itself(self):
        box = self.new_box()
        for number, headers in enumerate(({"Auto-Submitted": "auto-replied"}, {"List-Id": "<l.example>"},
                                          {"Precedence": "bulk"})):
            box.add("INBOX", letter(f"Please {number}", headers=headers, minutes=number))
        box.add("INBOX", letter("Please 3", sender="MAILER-DAEMON@mx.example", headers={"Return-Path": "<>"}))
        box.add("INBOX", letter("Please 4", sender="no-reply@shop.example"))
        place = self.new_place(box, RULES % self.address, SEND, smtp="starttls")
        self.check(place.opus("run", "--yes", "--max", "none"))
        time.sleep(0.3)
        self.assertEqual(sent_to(self.address), [])
        self.assertEqual(len(box.held("Drafts")), 5)

    def test_a_mail_with_a_file_is_forwarded_with_it(self):
        box, place = self.prepare()
        box.add("INBOX", (REPOSITORY / "Sources/opus/DemoMail/INBOX/09-invoice-inv-2041.eml").read_bytes()
                .replace(b"Subject: ", b"Subject: please: ", 1))
        self.check(place.opus("run", "--yes"))
        files = [part.get_filename() for mail in self.wait_for_mail(2) for part in mail.walk() if part.get_filename()]
        self.assertEqual(len(files), 1)
        self.assertTrue(files[0].endswith(".pdf"), files)


if __name__ == "__main__":
    unittest.main()
