"""What counts as waiting: for whom, and from when on."""
from letters import ANA, BOB, letter
from workplace import REPOSITORY, Case, on_both

RULES = """\
rules-version: 1
name: waits
rules:
  - { id: hand-over, when: 'subject:please -is:answered', unless: 'has:open-task', then: [{ delegate: { to: bob@acme.example } }, archive] }
  - { id: sent, mailboxes: [Sent], when: 'subject:question', then: [waiting] }
  - { id: sent-to, mailboxes: [Sent], when: 'subject:offer', then: [{ waiting: { for: '{{to.address}}' } }] }
  - { id: is-waiting, when: 'task:waiting', then: [{ label: waits }] }
  - { id: long, when: 'task:waited>7d', then: [{ label: nudge }] }
"""
CARL = "Carl Green <carl@other.example>"
WEEKS = "2026-03-24T08:30:00+01:00"
NEXT = "2026-03-25T08:30:00+01:00"


@on_both
class Waits:
    def place_with(self, *messages, name="workspace"):
        box = self.new_box()
        for mailbox in ("Sent", "Drafts", "Archive", "Trash"):
            if mailbox not in box.names():
                box.create(mailbox)
        box.add("INBOX", list(messages))
        return box, self.new_place(box, RULES, name=name)

    def waiting(self, place):
        return [(item["summary"], item["contact"]) for item in place.opus("task", "list", "--json").json["items"]
                if item["list"] == "waiting"]

    def test_mail_that_one_sent_waits_for_its_recipient(self):
        box, place = self.place_with()
        box.add("Sent", [letter("Question 1", sender=ANA, to=f"{ANA}, {CARL}", name="q"),
                         letter("Offer 1", sender=ANA, to=CARL, name="o", minutes=1)])
        self.check(place.opus("run", "--yes"))
        self.assertEqual(sorted(self.waiting(place)), [
            ("Waiting for Carl Green: Offer 1", CARL), ("Waiting for Carl Green: Question 1", CARL)])
        self.assertNothingMore(place, box)

    def test_a_delegation_waits_only_once_its_draft_was_sent(self):
        box, place = self.place_with(letter("Please look", sender=CARL))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"please-look": "Archive"})
        # Another mail of the conversation, still unsent, before a week has passed.
        box.add("INBOX", letter("Re: look", "again", sender=CARL, minutes=60,
                                headers={"In-Reply-To": "<please-look@test.example>"}))
        self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertEqual(box.find("INBOX", "again@test.example").flags & {"waits", "nudge"}, frozenset())
        # A program sends the draft, under a Message-ID of its own.
        draft, = box.held("Drafts")
        box.remove("Drafts", draft.message_id)
        box.add("Sent", letter("Fwd: Please look", "forwarded", sender=ANA, to=BOB, minutes=20_000,
                               headers={"References": "<please-look@test.example>"}))
        self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertPlaces(box, {"please-look": "Archive"})
        self.assertEqual(box.find("INBOX", "again@test.example").flags & {"waits", "nudge"}, {"waits"})

    def test_a_discarded_draft_takes_its_wait_back_and_brings_the_mail_back(self):
        for way in ("command", "program"):
            with self.subTest(way):
                box, place = self.place_with(letter("Please look", sender=CARL), name=way)
                self.check(place.opus("run", "--yes"))
                self.assertEqual(len(self.waiting(place)), 1)
                draft, = box.held("Drafts")
                if way == "command":
                    item, = place.opus("drafts", "--json").json["items"]
                    self.check(place.opus("drafts", "discard", item["id"], "--yes"), 0, "its mail comes back")
                else:
                    box.remove("Drafts", draft.message_id)
                    self.check(place.opus("run", "--yes"), 0, "its mail comes back")
                self.assertPlaces(box, {"please-look": "INBOX"})
                self.assertEqual(self.waiting(place), [])
                self.check(place.opus("run", "--yes"))
                self.assertPlaces(box, {"please-look": "INBOX"})
                self.assertEqual((self.waiting(place), box.held("Drafts")), ([], []))

    def test_the_label_for_a_nudge_is_not_for_the_answer(self):
        box = self.new_box()
        box.add("INBOX", letter("NDA", "nda", sender=CARL, body="Thanks. I'll get back to you by 13 March.\n"))
        place = self.new_place(box, REPOSITORY / "rules")
        self.check(place.opus("run", "--yes"))
        box.add("INBOX", letter("Re: NDA", "answer", sender=CARL, minutes=60 * 24 * 9, body="Here it is.\n",
                                headers={"In-Reply-To": "<nda@test.example>"}))
        self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertEqual(box.find("INBOX", "answer@test.example").flags & {"nudge"}, frozenset())
        self.assertIn("nudge", box.find("INBOX", "nda@test.example").flags)
