"""A run over the mail of some days ends as runs after each arrival do: the same mailboxes, labels, drafts and tasks.

The mail is random, but the same for each seed: questions in Sent, answers, automatic replies, bounces, and mail for the rules.
OPUS_BATCH_SEEDS=N plays N of them (default 6).
"""
import os
import random
import re
import unittest
from datetime import timedelta

from letters import ANA, BOB, MORNING, letter
from workplace import Case

CARL, DORA, EVE = "Carl <carl@far.example>", "Dora <dora@third.example>", "Eve <eve@stranger.example>"
SEEDS = int(os.environ.get("OPUS_BATCH_SEEDS", 6))
EVENTS = 14
RULES = """\
rules-version: 1
rules:
  - { id: invoice, when: 'subject:invoice', then: [{ task: { title: 'Pay {{subject}}' } }, archive] }
  - { id: thanks, when: 'subject:thanks', then: [archive] }
  - { id: long, when: 'from:dora thread:size>2', then: [{ label: long }] }
  - { id: over, when: 'subject:handle', then: [{ delegate: { to: carl@far.example } }, archive] }
  - { id: ask, mailboxes: [Sent], when: 'subject:question', then: [{ waiting: { until: +60 days } }] }
  - { id: quick, mailboxes: [Sent], when: 'subject:quick', then: [{ waiting: { until: +60 days, on-reply: close } }] }
"""
REPORT = """\
--b
Content-Type: text/plain

It was not delivered.

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.acme.example

Final-Recipient: rfc822; {address}
Action: failed
Status: 5.1.1

--b
Content-Type: message/rfc822

From: {sender}
To: {address}
Subject: {subject}
Message-ID: <{question}@test.example>

Hello.
--b--
"""


def arrivals(chance):
    """(time, mailbox, message) of each mail, the earliest first."""
    now, questions, found = MORNING, [], []
    for number in range(EVENTS):
        now += timedelta(minutes=chance.choice([7, 45, 190, 700, 1500]))
        kind = chance.choice(["question"] * 2 + ["mail"] * 2 + ["answer"] * 3
                             + ["automatic", "absence", "bounce", "other", "bare", "own", "thanks"])
        options = {"minutes": (now - MORNING) // timedelta(minutes=1)}
        name, mailbox = f"e{number}", "INBOX"
        if kind == "question":
            people = chance.sample([BOB, CARL, DORA], chance.choice([1, 1, 2]))
            subject, mailbox = f"{chance.choice(['Question', 'Quick', 'Hello'])} {number}", "Sent"
            questions.append((name, subject, people))
            options |= {"sender": ANA, "to": ", ".join(people)}
        elif kind == "mail" or not questions:
            subject = f"{chance.choice(['Invoice', 'Lunch', 'Handle', 'Plan'])} {number}"
            options["sender"] = chance.choice([BOB, CARL, DORA, EVE])
        else:
            question, asked, people = chance.choice(questions[-4:])
            subject, options["sender"] = f"Re: {asked}", chance.choice(people)
            headers = {"In-Reply-To": f"<{question}@test.example>", "References": f"<{question}@test.example>"}
            if kind == "automatic":
                subject, headers["Auto-Submitted"] = f"Automatic reply: {asked}", "auto-replied"
            elif kind == "absence":
                subject, headers["Auto-Submitted"] = f"Out of office: {asked}", "auto-replied"
                options["body"] = "I am out of the office until Monday 23 March 2026.\n"
            elif kind == "other":
                options["sender"] = chance.choice([BOB, CARL, DORA, EVE])
            elif kind == "bare":
                headers = {}
            elif kind == "thanks":
                subject = f"Thanks for {asked}"
            elif kind == "own" and not asked.startswith("Quick"):
                # After an answer has closed a wait, a further question would wait again, but not in one batch.
                mailbox, options["sender"], options["to"] = "Sent", ANA, ", ".join(people)
            elif kind == "bounce":
                address = re.search("<(.*)>", options["sender"])[1]
                subject, options["sender"] = "Undelivered Mail", "MAILER-DAEMON <mailer-daemon@acme.example>"
                headers = {"Content-Type": 'multipart/report; report-type=delivery-status; boundary="b"',
                           "Auto-Submitted": "auto-replied"}
                options["body"] = REPORT.format(address=address, sender=ANA, subject=asked, question=question)
            options["headers"] = headers
        found.append((now, mailbox, letter(subject, name, **options)))
    return found


class OneBatch(Case):
    kind = "maildir"

    def play(self, mails, runs, name):
        """What is left after `runs` has decided after which mail opus runs, and opus has run at the end."""
        box = self.new_box()
        for mailbox in ("Archive", "Drafts", "Sent"):
            box.create(mailbox)
        place = self.new_place(box, RULES, name=name)
        self.check(place.opus("run", "--yes", now=MORNING.isoformat()))
        for time, mailbox, message in mails:
            box.add(mailbox, message, flags=[r"\Seen"] if mailbox == "Sent" else [], received=time.timestamp())
            if runs():
                self.check(place.opus("run", "--yes", now=time.isoformat()))
        end = (mails[-1][0] + timedelta(hours=1)).isoformat()
        self.check(place.opus("run", "--yes", now=end))
        self.assertNothingMore(place, box, now=end)
        held = box.everything()
        waits = self.check(place.opus("waiting", "--json", now=end)).json["items"]
        texts = [path.read_text().replace("\n ", "") for path in place.tasks.glob("*/*.ics")]
        return {
            "mail": sorted((mail.message_id, mail.mailbox, tuple(sorted(mail.flags))) for mail in held
                           if mail.message_id.startswith("<e")),
            "drafts": sorted(mail.subject for mail in held if mail.mailbox == "Drafts"),
            "tasks": sorted(tuple(re.findall(r"(?m)^(?:SUMMARY|STATUS):(.*)$", text)) for text in texts),
            "waits": sorted((item["summary"], item["list"], item["wait"]["state"]) for item in waits),
        }

    def test_one_run_over_all_mail_ends_as_runs_after_each_mail_do(self):
        for seed in range(SEEDS):
            mails = arrivals(random.Random(seed))
            often = self.play(mails, lambda: True, f"often-{seed}")
            chance = random.Random(seed)
            for name, runs in (("once", lambda: False), ("sometimes", lambda: chance.random() < 0.3)):
                with self.subTest(seed=seed, runs=name):
                    self.assertEqual(self.play(mails, runs, f"{name}-{seed}"), often)


if __name__ == "__main__":
    unittest.main()
