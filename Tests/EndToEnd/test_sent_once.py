"""Mail that rules write is sent once: from a saved plan, on a second machine, or after the store was lost."""
import shutil
from email import message_from_bytes

from letters import ANA, letter
from terminal import answered
from test_sent_copies import Submission
from workplace import Workplace, on_both

SETTINGS = "send: { hold: 0, max-per-recipient-per-hour: 500 }\nallow-send: true\n"
RULES = """\
rules-version: 1
name: letters
rules:
  - id: fwd
    when: subject:fwd
    then: { forward: { to: carl@far.example, note: x, send: now } }
  - id: rep
    when: subject:rep
    then: { reply: { text: Got it, send: now } }
  - id: del
    when: subject:del
    then: { delegate: { to: bob@acme.example, send: now, until: friday } }
  - id: vac
    when: subject:vac
    expire: 2026-03-12
    then: { vacation: { text: away, send: now } }
  - id: draft
    when: subject:draft
    then: { reply: { text: Soon } }
"""
SENT = ["Fwd: fwd me", "Fwd: del me", "Re: rep me", "Auto: vac me"]


@on_both
class SentOnce:
    def setUp(self):
        super().setUp()
        self.server = self.enterContext(Submission())
        self.box = self.new_box()
        for mailbox in {"Archive", "Drafts", "Sent"} - set(self.box.names()):
            self.box.create(mailbox)
        login = "    login: { user: ana, password-command: [cat, password] }\n" if self.box.kind == "maildir" else ""
        self.place = self.new_place(self.box, RULES, SETTINGS, extra=self.server.yaml() + login)
        # Another machine.
        self.second = Workplace(self.folder / "second", self.place.accounts, RULES, SETTINGS)
        # Rules answer no mail that came before their first run.
        for place in (self.place, self.second):
            self.check(place.opus("run", "--yes", now="2026-03-09T08:30:00+01:00"))
        for number, name in enumerate(("fwd", "rep", "del", "vac", "draft")):
            self.box.add("INBOX", letter(f"{name} me", name, minutes=number, sender=f"Max <max{number}@far.example>"))

    def save_plan(self):
        self.check(self.place.opus("sync"))
        self.check(self.place.opus("triage", "--out", "plan.json"))

    def assertSentOnce(self):
        subjects = [str(message_from_bytes(mail)["Subject"]) for mail in self.server.mails]
        self.assertEqual(sorted(subjects), sorted(SENT))
        self.assertEqual(sorted(self.box.subjects("Sent")), sorted(SENT))
        self.assertEqual(self.box.subjects("Drafts"), ["Re: draft me"])

    def test_a_saved_plan_after_the_store_was_lost(self):
        self.save_plan()
        self.check(self.place.opus("run", "--yes"))
        shutil.rmtree(self.place.root / ".opus")
        applied = self.place.opus("apply", "plan.json")
        self.check(applied, 3, "rule fwd would not write its mail now", "rule draft would not write its mail now")
        self.assertNotIn("message sent", applied.text)
        self.assertSentOnce()
        self.assertEqual(len(list(self.place.tasks.rglob("*.ics"))), 1)

    def test_a_saved_plan_on_two_machines(self):
        self.save_plan()
        shutil.copy(self.place.root / "plan.json", self.second.root)
        self.check(self.place.opus("apply", "plan.json"), 0, "4 × message sent")
        self.check(self.second.opus("apply", "plan.json"), 3)
        self.assertSentOnce()

    def test_a_saved_plan_after_the_user_has_answered(self):
        self.save_plan()
        self.box.add("Sent", letter("Re: vac me", "own", sender=ANA, to="max3@far.example", minutes=85,
                                    headers={"In-Reply-To": "<vac@test.example>", "References": "<vac@test.example>"}))
        self.check(self.place.opus("apply", "plan.json"), 3, "rule vac would not write its mail now", "3 × message sent")

    def test_a_saved_plan_of_a_rule_that_has_expired(self):
        self.save_plan()
        later = "2026-03-15T08:30:00+01:00"
        self.check(self.place.opus("apply", "plan.json", "--old", now=later), 3, "rule vac would not write its mail now")
        self.assertNotIn("Auto: vac me", self.box.subjects("Sent"))

    def test_a_triage_of_a_machine_that_has_not_synced_since(self):
        self.check(self.second.opus("sync"))
        self.check(self.place.opus("run", "--yes"), 0, "4 × message sent")
        stale = self.check(self.second.opus("triage", "--yes"))
        self.assertNotIn("message sent", stale.text)
        self.assertSentOnce()
        # What opus found there is not taken for a copy that the server saved.
        self.check(self.second.opus("sync"))
        self.box.add("INBOX", letter("fwd me too", "more", minutes=30))
        self.check(self.second.opus("run", "--yes", now="2026-03-10T09:30:00+01:00"), 0, "1 × message sent")
        self.assertEqual(len(self.box.subjects("Sent")), 5)
        self.assertNothingMore(self.second, self.box)

    def test_a_run_whose_question_waits_while_another_machine_runs(self):

        def first_machine(_):
            self.check(self.place.opus("run", "--yes"))
            return b"y\n"

        code, output = answered(self.second, ["run"], first_machine)
        self.assertNotIn("message sent", output)
        self.assertSentOnce()

    def test_triage_again_sends_again(self):
        self.check(self.place.opus("run", "--yes"), 0, "4 × message sent")
        self.check(self.place.opus("triage", "--again", "--yes", "subject:fwd"), 0, "1 × message sent")
        self.assertEqual(len(self.server.mails), 5)
