"""A server with neither MOVE nor UIDPLUS: what cannot be done is said once, everything else is done."""
import unittest

from letters import letter
from wiretap import Wiretap
from workplace import Case, servers

RULES = """\
rules-version: 1
name: moves
rules:
  - { id: away, when: 'subject:away', then: [{ label: seen }, archive] }
  - { id: ask, when: 'subject:ask', then: [{ task: { title: 'Answer {{subject}}' } }] }
"""


class WithoutMoves(Case):
    kind = "imap"

    def prepare(self):
        box = self.new_box()
        proxy = self.enterContext(Wiretap(servers().imap_port))
        proxy.hide("MOVE", "UIDPLUS")
        place = self.new_place(box, RULES)
        place.configure(box.yaml(port=proxy.port, security="none", host="127.0.0.1"))
        return box, proxy, place

    def test_opus_reports_it_once_and_does_the_rest(self):
        box, proxy, place = self.prepare()
        box.add("INBOX", [letter("Away 1", "one"), letter("Ask 1", "ask", minutes=1)])
        done = self.check(place.opus("run", "--yes"), 0, "neither MOVE nor UIDPLUS", "1 message stays")
        self.assertNotIn("Archive", done.out)
        self.assertPlaces(box, {"one": "INBOX", "ask": "INBOX"})
        self.assertEqual(box.find("INBOX", "one@test.example").flags, frozenset({"seen"}))
        place.task("Answer Ask 1")
        self.assertNothingMore(place, box)
        self.assertEqual(place.opus("run", "--yes").err, "", "it is said once")
        box.add("INBOX", letter("Plain away", "two", minutes=2))
        # The server has learned it, and the next run moves what it would have moved.
        proxy.hide()
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"two": "Archive", "ask": "INBOX"})

    def test_a_finished_task_leaves_its_mail_and_says_so_once(self):
        box, proxy, place = self.prepare()
        box.add("INBOX", letter("Ask 1", "ask"))
        self.check(place.opus("run", "--yes"))
        place.edit("Answer Ask 1", ("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
        self.check(place.opus("run", "--yes"), 0, "stays where it is")
        self.assertPlaces(box, {"ask": "INBOX"})
        self.assertNothingMore(place, box)

    def test_a_move_by_hand_is_refused_with_the_reason(self):
        box, proxy, place = self.prepare()
        box.add("INBOX", letter("Plain 1", "one"))
        self.check(place.opus("sync"))
        name = place.opus("list", "--json").json["items"][0]["id"]
        self.check(place.opus("archive", name), 1, "neither MOVE nor UIDPLUS")
        self.assertPlaces(box, {"one": "INBOX"})
        self.assertNothingMore(place, box, says="Nothing to do.")

    def test_account_check_reports_it_on_one_line(self):
        _, _, place = self.prepare()
        done = place.opus("account", "check")
        lines = [line for line in done.text.splitlines() if "MOVE" in line and "not" in line]
        self.assertEqual(len(lines), 1, str(done))
        self.assertNotIn("✓", lines[0])

    def test_an_edited_draft_is_not_put_beside_the_older_ones(self):
        box, proxy, place = self.prepare()
        self.check(place.opus("sync"))
        (place.root / "text").write_text("Text.\n")
        name = self.check(place.opus("compose", "--to", "bob@acme.example", "--subject", "Hello", "--body", "text")
                          ).out.split()[0]
        self.assertEqual(len(box.held("Drafts")), 1)
        for number in range(3):
            (place.root / "text").write_text(
                f"From: ana@acme.example\nTo: bob@acme.example\nSubject: Hello\n\nVersion {number}.\n")
            self.check(place.opus("drafts", "edit", name, "--body", "text"), 0, "kept here")
        self.assertEqual(len(box.held("Drafts")), 1)
        self.assertNothingMore(place, box)
        self.assertEqual(len(place.opus("drafts", "--json").json["items"]), 1)


if __name__ == "__main__":
    unittest.main()
