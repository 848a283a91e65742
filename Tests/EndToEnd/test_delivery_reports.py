"""Delivery reports about the mail of a wait, small ones and those that return a large file."""
import base64

from letters import ANA, BOB, letter
from workplace import NO_RULES, on_both

NOON = "2026-03-10T12:00:00+01:00"
#: More than a sync downloads of a message on a server.
FILE = base64.encodebytes(bytes(range(256)) * 4_000).decode()

REPORT = """\
From: MAILER-DAEMON@mx.example
To: ana@acme.example
Date: Tue, 10 Mar 2026 09:00:00 +0100
Message-ID: <report@mx.example>
Subject: Delivery report
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b

This is a report.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example

Final-Recipient: rfc822; bob@acme.example
Action: {action}
Status: {status}

--b
Content-Type: message/rfc822

Message-ID: <q1@test.example>
Subject: question
Content-Type: application/octet-stream; name=plan.bin
Content-Transfer-Encoding: base64

{file}
--b--
"""

# Action, status, the line of the run, the line of the notes, the state of the wait.
CASES = (
    ("failed", "5.1.1", "the mail of task “Waiting for Bob Singh: question” did not reach bob@acme.example",
     "Not delivered 2026-03-10 from MAILER-DAEMON@mx.example", "undelivered"),
    ("delayed", "4.4.1", "has a report that its mail is delayed from MAILER-DAEMON@mx.example",
     "Delayed 2026-03-10 from MAILER-DAEMON@mx.example", "sent"),
    ("delivered", "2.0.0", "has a receipt from MAILER-DAEMON@mx.example",
     "Receipt 2026-03-10 from MAILER-DAEMON@mx.example", "sent"))


@on_both
class DeliveryReports:
    def test_a_report_says_the_same_whatever_it_returns(self):
        for action, status, line, note, state in CASES:
            for size, file in (("small", "aGk="), ("large", FILE)):
                with self.subTest(f"{action}, {size}"):
                    box = self.new_box()
                    if "Sent" not in box.names():
                        box.create("Sent")
                    place = self.new_place(box, NO_RULES, name=f"{action}-{size}")
                    box.add("Sent", letter("question", "q1", sender=ANA, to=BOB), (r"\Seen",))
                    self.check(place.opus("run", "--yes"))
                    item, = place.opus("list", "--all", "--json").json["items"]
                    self.check(place.opus("wait", item["id"], "--until", "thursday"))
                    box.add("INBOX", REPORT.format(action=action, status=status, file=file).encode())
                    self.assertIn(line, self.check(place.opus("run", "--yes", now=NOON)).out)
                    task, = place.opus("waiting", "--json", now=NOON).json["items"]
                    self.assertEqual(task["wait"]["state"], state)
                    path, = place.tasks.glob("waiting/*.ics")
                    self.assertIn(note, path.read_text().replace("\n ", ""))
                    self.assertEqual(self.check(place.opus("search", "--count", "body:bob@acme.example")).out.strip(), "1")

    def test_a_long_message_shows_a_text_whose_type_cannot_be_read(self):
        box = self.new_box()
        for number, field in enumerate(("Content-Type:", "Content-Type: plain", "Content-Type: ; charset=utf-8")):
            box.add("INBOX", letter(f"m{number}", body=f"--b\n{field}\n\nA zebra.\n--b\nContent-Type: application/pdf; "
                                    f"name=plan.pdf\nContent-Transfer-Encoding: base64\n\n{FILE}\n--b--\n",
                                    headers={"Content-Type": "multipart/mixed; boundary=b"}))
        place = self.new_place(box, NO_RULES)
        self.check(place.opus("sync"))
        self.assertEqual(self.check(place.opus("search", "--count", "zebra")).out.strip(), "3")
