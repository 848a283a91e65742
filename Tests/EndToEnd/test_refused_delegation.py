"""A server refuses the draft or the mail of a delegation: the mail stays, nobody counts as asked, nothing is lost."""
import unittest

from letters import letter
from oracle import later
from test_sent_copies import Submission
from wiretap import Wiretap
from workplace import Case, servers

RULES = """\
rules-version: 1
name: refused
rules:
  - { id: hand, when: 'subject:hand', then: [{ delegate: { to: TO, note: Yours., follow-up: +3 days, send: SEND } }, archive] }
"""
SENDS = "allow-send: true\nsend: { hold: 0 }\n"
DAY = 60 * 24


class RefusedDelegation(Case):
    def start(self, to, send):
        self.box = self.new_box("imap")
        self.box.add("INBOX", letter("Hand one", "hand"))
        rules = RULES.replace("TO", to).replace("SEND", send)
        self.place = self.new_place(self.box, rules, SENDS, smtp="starttls")

    def run_opus(self, minutes, code=0, *words):
        return self.check(self.place.opus("run", "--yes", now=later(minutes)), code, *words)

    def waits(self, minutes):
        items = self.place.opus("waiting", "--json", now=later(minutes)).json["items"]
        return [(item["id"], item["wait"]["state"]) for item in items]

    def test_while_drafts_refuses_the_draft_the_mail_stays_and_each_run_tries_again(self):
        self.start("bob@far.example", "draft")
        tap = self.enterContext(Wiretap(servers().imap_port))
        self.place.configure(self.box.yaml(port=tap.port, security="none", host="127.0.0.1"))
        tap.refuse('^APPEND "?Drafts', "NO [NOPERM] Permission denied")
        for minutes in (0, 1, DAY):
            self.run_opus(minutes, 1, "failed put a message into Drafts")
            self.assertEqual(self.box.subjects("INBOX"), ["Hand one"])
        tap.open()
        self.run_opus(2 * DAY, 0, "1 × message put into Drafts", "1 × moved to Archive")
        self.assertEqual(self.box.subjects("Drafts"), ["Fwd: Hand one"])
        self.assertEqual(len(list((self.place.tasks / "waiting").glob("*.ics"))), 1)
        self.assertNothingMore(self.place, self.box, now=later(3 * DAY))

    def test_a_delegation_by_hand_whose_draft_is_refused_leaves_no_task_and_can_be_given_again(self):
        self.start("bob@far.example", "draft")
        self.place.write_rules("rules-version: 1\n")
        tap = self.enterContext(Wiretap(servers().imap_port))
        self.place.configure(self.box.yaml(port=tap.port, security="none", host="127.0.0.1"))
        self.check(self.place.opus("sync"))
        item, = self.place.opus("list", "--json").json["items"]
        tap.refuse('^APPEND "?Drafts', "NO [NOPERM] Permission denied")
        self.check(self.place.opus("delegate", item["id"], "bob@far.example"), 1, "1 × task removed")
        self.assertEqual((self.waits(1), self.box.subjects("INBOX")), ([], ["Hand one"]))
        self.assertEqual(list(self.place.tasks.glob("*/*.ics")), [])
        tap.open()
        self.check(self.place.opus("delegate", item["id"], "bob@far.example"))
        self.assertEqual((len(self.waits(2)), self.box.subjects("Drafts")), (1, ["Fwd: Hand one"]))
        self.check(self.place.opus("undo", "--yes"))
        self.assertEqual((self.waits(3), self.box.subjects("INBOX")), ([], ["Hand one"]))

    def test_a_conversation_stays_together_while_the_mail_of_its_rule_cannot_be_written(self):
        answer = {"In-Reply-To": "<talk@test.example>", "References": "<talk@test.example>"}
        actions = ("{ delegate: bob@far.example }", "{ reply: Thanks. }", "{ copy: Copies }")
        for number, action in enumerate(actions):
            for reply in ("NO [NOPERM] no", "NO [OVERQUOTA] full"):
                with self.subTest(f"{action} {reply}"):
                    box, tap = self.new_box("imap"), self.enterContext(Wiretap(servers().imap_port))
                    for mailbox in {"Archive", "Drafts", "Copies"} - set(box.names()):
                        box.create(mailbox)
                    box.add("INBOX", letter("Talk", "talk"), flags=("\\Seen",))
                    box.add("INBOX", letter("Re: Talk", "answer", minutes=5, headers=answer))
                    rules = f"rules-version: 1\nrules:\n  - {{ id: r, when: 'subject:re', then: [{action}, archive] }}\n"
                    place = self.new_place(box, rules, name=f"talk-{tap.port}")
                    place.configure(box.yaml(port=tap.port, security="none", host="127.0.0.1"))
                    tap.refuse('^APPEND "?(Drafts|Copies)', reply)
                    for minutes in (0, 60):
                        self.check(place.opus("run", "--yes", now=later(minutes)), 1)
                        self.assertPlaces(box, {"talk": "INBOX", "answer": "INBOX"})
                    tap.open()
                    self.check(place.opus("run", "--yes", now=later(DAY)))
                    self.assertEqual([box.where("<talk@test.example>"), box.subjects("INBOX")], [["Archive"], []])

    def test_a_sent_delegation_whose_copy_sent_refuses_is_not_sent_again(self):
        self.start("bob@far.example", "now")
        server, tap = self.enterContext(Submission()), self.enterContext(Wiretap(servers().imap_port))
        self.place.configure(
            self.box.yaml(port=tap.port, security="none", host="127.0.0.1", extra=server.yaml()), SENDS)
        tap.refuse('^APPEND "?Sent', "NO [NOPERM] Permission denied")
        self.run_opus(0, 1, "1 × message sent", "failed put a message into Sent")
        for minutes in (1, DAY):
            self.run_opus(minutes)
        self.assertEqual(len(server.mails), 1)

    def test_a_refused_mail_is_not_sent_not_overdue_and_not_nudged(self):
        self.start("refused@far.example", "now")
        self.run_opus(0, 1, "550")
        (task, state), = self.waits(1)
        self.assertEqual(state, "drafted")
        self.assertNotIn("overdue", self.run_opus(6 * DAY).text)
        self.assertEqual(self.waits(6 * DAY), [(task, "drafted")])
        self.check(self.place.opus("nudge", task, now=later(6 * DAY)), 64, "not sent yet")
        self.assertEqual((self.box.subjects("INBOX"), self.box.subjects("Sent")), (["Hand one"], []))

    def test_a_discarded_mail_takes_its_task_along(self):
        self.start("refused@far.example", "now")
        self.run_opus(0, 1, "550")
        mail, = self.place.opus("outbox", "--json").json["items"]
        self.check(self.place.opus("outbox", "discard", mail["id"], now=later(1)), 0, "will not be sent", "has no draft")
        self.run_opus(DAY, 0, "the task is removed")
        self.assertEqual((self.waits(DAY), self.box.subjects("INBOX")), ([], ["Hand one"]))
        self.assertNothingMore(self.place, self.box, now=later(2 * DAY))


if __name__ == "__main__":
    unittest.main()
