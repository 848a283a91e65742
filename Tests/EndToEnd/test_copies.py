"""`copy`: a rule puts a copy into another mailbox, once, leaves the message where it is, and undo removes the copy alone."""
import unittest

from letters import letter
from workplace import Case, on_both

RULES = """\
rules-version: 1
rules:
  - { id: projects, when: subject:acme, then: { copy: Acme } }
tests:
  - name: mail about Acme is copied
    mail: { from: ana@acme.example, subject: News of Acme }
    expect: { rule: projects, copy: Acme, disposition: keep }
"""


@on_both
class Copies:
    def prepare(self, *letters):
        box = self.new_box()
        box.add("INBOX", [letter("Older", name="older")])
        box.add("Acme", [letter("An old one", name="old")])
        box.add("INBOX", list(letters))
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        return box, place

    def places(self, box, name):
        """The mailboxes that have a message, one for each copy of it."""
        return sorted(held.mailbox for held in box.everything() if held.message_id.strip("<>").startswith(name + "@"))

    def test_a_copy_is_made_once_and_undo_removes_it_alone(self):
        box, place = self.prepare(letter("News of Acme", name="news"))
        plan = self.check(place.opus("triage", "--dry-run"))
        self.assertIn("copy=Acme", plan.out)
        self.check(place.opus("run", "--yes"))
        self.assertEqual(self.places(box, "news"), ["Acme", "INBOX"])
        self.assertNothingMore(place, box)
        self.assertEqual(self.places(box, "news"), ["Acme", "INBOX"])
        found, = self.check(place.opus("search", "--json", "subject:news")).json["items"]
        self.assertEqual(found["mailbox"], "INBOX")
        self.check(place.opus("undo", "--yes"))
        self.assertEqual([where for where in self.places(box, "news") if where != "Trash"], ["INBOX"])
        self.assertEqual(self.places(box, "old"), ["Acme"])

    def test_messages_with_one_message_id_are_copied_and_undone_each(self):
        box, place = self.prepare(letter("News of Acme", name="news"), letter("More of Acme", name="news", body="Other.\n"),
                                  letter("Third", name="news", body="Third.\n"))
        acme = lambda: box.subjects("Acme")
        self.check(place.opus("run", "--yes"))
        self.assertEqual(acme(), ["An old one", "More of Acme", "News of Acme"])
        self.check(place.opus("undo", "--yes"))
        self.assertEqual(acme(), ["An old one"])
        self.check(place.opus("undo", "--yes", "r:0002"))
        self.assertEqual(acme(), ["An old one", "More of Acme", "News of Acme"])
        more = next(line for line in place.opus("list").out.splitlines() if "More of Acme" in line)
        self.check(place.opus("undo", "--yes", "r:0001", more.split("\t")[0]))
        self.assertEqual(acme(), ["An old one", "News of Acme"])

    def test_no_copy_goes_to_the_mailbox_to_which_the_message_moves(self):
        rules = RULES.split("tests:")[0] + "  - { id: filed, when: subject:news, then: { move: Acme } }\n"
        box = self.new_box()
        box.add("Acme", [letter("An old one", name="old")])
        box.add("INBOX", [letter("News of Acme", name="news"), letter("Acme calls", name="call")])
        place = self.new_place(box, rules)
        plan = self.check(place.opus("run", "--dry-run", "--json"))
        self.assertIn("projects: it moves to Acme, so opus puts no copy there", plan.out)
        self.check(place.opus("run", "--yes"))
        self.assertEqual(self.places(box, "news"), ["Acme"])
        self.assertEqual(self.places(box, "call"), ["Acme", "INBOX"])
        self.assertNothingMore(place, box)
        self.check(place.opus("undo", "--yes"))
        self.assertEqual(self.places(box, "news"), ["INBOX"])

    def test_no_copy_goes_to_the_mailbox_to_which_the_conversation_moves(self):
        rules = RULES.split("tests:")[0] + "  - { id: filed, when: subject:done, then: { move: Acme } }\n"
        box = self.new_box()
        box.add("INBOX", [letter("Offer of Acme", name="offer"),
                          letter("Re: done", name="done", minutes=1,
                                 headers={"In-Reply-To": "<offer@test.example>", "References": "<offer@test.example>"})])
        box.add("Acme", [letter("An old one", name="old")])
        place = self.new_place(box, rules)
        self.check(place.opus("run", "--yes"))
        self.assertEqual(self.places(box, "offer"), ["Acme"])
        self.assertNothingMore(place, box)

    def test_undo_keeps_a_copy_that_existed_before(self):
        box, place = self.prepare(letter("News of Acme", name="news"))
        box.add("Acme", [letter("News of Acme", name="news")])
        self.check(place.opus("run", "--yes"))
        self.assertEqual(self.places(box, "news"), ["Acme", "INBOX"], "it was there")
        place.opus("undo", "--yes")
        self.assertEqual(self.places(box, "news"), ["Acme", "INBOX"])


if __name__ == "__main__":
    unittest.main()
