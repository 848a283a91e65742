"""Second copies of the same mail: a rule moves them, the first one stays, and the user's own mail is not a copy."""
import unittest

from letters import letter
from workplace import on_both

RULES = """rules-version: 1
name: copies
rules:
  - { id: again, when: is:duplicate, then: archive }
"""
#: Seven in the morning of 10 March 2026.
MORNING = 1773122400


@on_both
class Copies:
    def deliver(self, box, name, subject, at, mailbox="INBOX", **options):
        """A mail with this Message-ID, as it came by a way of its own `at` so many seconds after seven."""
        mail = letter(subject, name, **options).replace(b"\n", b"\r\n")
        way = b"Received: from mx%d.example; Tue, 10 Mar 2026 06:00:00 +0000\r\n" % at if mailbox != "Sent" else b""
        box.add(mailbox, way + mail, received=MORNING + at)

    def prepare(self):
        """A question that came twice, an older word of its conversation, an own mail to a list, one that is in Junk too."""
        box = self.new_box()
        self.deliver(box, "root", "Before", 0)
        reply = {"References": "<root@test.example>"}
        self.deliver(box, "question", "A question", 10, headers=reply)
        self.deliver(box, "question", "[users] A question", 70, headers=reply)
        self.deliver(box, "own", "My own", 100, "Sent", sender="Ana <ana@acme.example>", to="users@lists.example")
        self.deliver(box, "own", "[users] My own", 130, sender="Ana <ana@acme.example>", to="users@lists.example")
        self.deliver(box, "pills", "Pills", 200, "Junk")
        self.deliver(box, "pills", "[users] Pills", 210)
        return box, self.new_place(box, RULES)

    def test_only_the_second_copy_is_moved_and_a_further_run_does_nothing(self):
        box, place = self.prepare()
        self.check(place.opus("sync"))
        found = self.check(place.opus("search", "is:duplicate", "--json")).json["items"]
        self.assertEqual([item["subject"] for item in found], ["[users] A question"])
        words = self.check(place.opus("explain", found[0]["id"])).out
        self.assertIn("a copy came 2026-03-10 07:00", words)
        # What is shown is what is done.
        planned = self.check(place.opus("triage", "--dry-run")).out
        acts = [line.split("\t")[2:] for line in planned.splitlines() if not line.endswith("\t")]
        self.assertEqual(acts, [["[users] A question", "again:archive"]])
        self.check(place.opus("run", "--yes"))
        self.assertEqual(box.subjects("Archive"), ["[users] A question"])
        self.assertEqual(box.subjects("INBOX"), ["A question", "Before", "[users] My own", "[users] Pills"])
        self.assertNothingMore(place, box)

    def test_mail_with_the_id_of_another_senders_mail_stays(self):
        box = self.new_box()
        self.deliver(box, "notice", "An advertisement", 10, sender="Mallory <m@bad.example>")
        self.deliver(box, "notice", "The pull request", 20, sender="Bot <bot@forge.example>")
        self.deliver(box, "notice", "[users] The pull request", 30, sender="Bot <Bot@Forge.example>")
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        self.assertEqual(box.subjects("Archive"), ["[users] The pull request"])
        self.assertNothingMore(place, box)

    def test_mail_is_a_copy_of_a_filed_message_but_not_of_a_removed_one(self):
        box, place = self.prepare()
        self.check(place.opus("run", "--yes"))
        box.move("root@test.example", "INBOX", "Trash")
        self.deliver(box, "root", "[users] Before", 300)
        self.check(place.opus("run", "--yes"))
        self.assertEqual(box.subjects("Archive"), ["[users] A question", "[users] Before"])
        box.remove("INBOX", "question@test.example")
        box.remove("Trash", "root@test.example")
        self.deliver(box, "question", "[third] A question", 400)
        self.deliver(box, "root", "[third] Before", 400)
        self.check(place.opus("run", "--yes"))
        # Those that were copies are the first ones now, and stay where they are.
        self.assertEqual(box.subjects("Archive"),
                         ["[third] A question", "[third] Before", "[users] A question", "[users] Before"])
        self.assertNothingMore(place, box)

    def test_copies_are_found_by_a_list_and_by_rules_diff(self):
        """In one batch or in several: a message without a copy is never a duplicate."""
        box = self.new_box()
        for number in range(30):
            for copy in range(2 if number % 3 else 1):
                self.deliver(box, f"m{number}", f"Mail {number} copy {copy}", number * 10 + copy)
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        listed = self.check(place.opus("list", "is:duplicate", "--json")).json["items"]
        self.assertEqual({item["subject"] for item in listed}, {f"Mail {n} copy 1" for n in range(30) if n % 3})
        old = place.root / "old"
        old.mkdir()
        (old / "a.yaml").write_text("rules-version: 1\nrules: []\n")
        for more in ([], ["--today"]):
            rules = self.check(place.opus("rules", "diff", "old", "--over", "newer:90d", "--json", *more)).json["rules"]
            self.assertEqual([(rule["rule"], rule["gained"]["count"]) for rule in rules], [("again", 20)])


if __name__ == "__main__":
    unittest.main()
