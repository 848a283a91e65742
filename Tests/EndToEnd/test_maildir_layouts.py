"""A Maildir in either layout: found out by what is there, and never mixed. And what was moved is on disk."""
import shutil
import unittest

import shim
from boxes import MaildirBox, VerbatimBox
from letters import letter
from workplace import Case

RULES = """\
rules-version: 1
name: layouts
rules:
  - { id: away, when: 'subject:away', then: [archive] }
  - { id: bin, when: 'subject:bin', then: [trash] }
  - { id: work, when: 'subject:work', then: [{ move: Work/Invoices }] }
  - { id: star, when: 'subject:star', then: [flag] }
"""


class Verbatim(Case):
    kind = "maildir"

    def box(self, *mailboxes):
        box = VerbatimBox(self.folder / "Mail")
        for name in mailboxes:
            box.create(name)
        return box

    def folders(self, box):
        return sorted(str(cur.parent.relative_to(box.folder)) for cur in box.folder.rglob("cur"))

    def test_mailboxes_side_by_side_are_read_moved_to_and_made(self):
        box = self.box("Sent Items", "Deleted Items", "Lists/Swift", "Work/Invoices")
        box.add("INBOX", [letter("Away one"), letter("Bin two", minutes=1), letter("Work three", minutes=2),
                          letter("Plain", minutes=3)])
        box.add("Lists/Swift", letter("News", minutes=4))
        box.add("Sent Items", letter("Mine", minutes=5, sender="ana@acme.example"))
        place = self.new_place(box, RULES)
        self.check(place.opus("account", "check"), 0, "Sent Items", "Deleted Items")
        self.check(place.opus("run", "--yes", "--allow-trash"))
        wanted = {"away-one": "Archive", "bin-two": "Deleted Items", "work-three": "Work/Invoices", "plain": "INBOX",
                  "news": "Lists/Swift", "mine": "Sent Items"}
        self.assertPlaces(box, wanted)
        self.assertEqual(self.folders(box), ["Archive", "Deleted Items", "INBOX", "Lists/Swift", "Sent Items", "Work/Invoices"])
        self.assertFalse([path for path in box.folder.rglob(".*")])
        items = place.opus("list", "--all", "--json").json["items"]
        self.assertEqual({item["messageID"].partition("@")[0]: item["mailbox"] for item in items}, wanted)
        self.check(place.opus("undo", "--yes"))
        self.assertPlaces(box, {name: "INBOX" for name in ("away-one", "bin-two", "work-three", "plain")})

    def test_folders_of_the_other_layout_are_left_alone(self):
        box = self.box()
        box.add("INBOX", letter("Away one"))
        other = box.folder / ".Archive"
        for part in ("cur", "new", "tmp"):
            (other / part).mkdir(parents=True)
        (other / "cur" / "1.x:2,S").write_bytes(letter("Hidden"))
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"away-one": "Archive"})
        self.assertTrue((box.folder / "Archive" / "cur").is_dir())
        self.assertEqual([path.name for path in (other / "cur").iterdir()], ["1.x:2,S"])
        self.assertNotIn("Hidden", place.opus("list", "--all").out)

        dotted = MaildirBox(self.folder / "Dotted")
        dotted.add("INBOX", letter("Away two"))
        for part in ("cur", "new", "tmp"):
            (dotted.folder / "Archive" / part).mkdir(parents=True)
        place = self.new_place(dotted, RULES, name="dotted")
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(dotted, {"away-two": "Archive"})
        self.assertEqual(list((dotted.folder / "Archive" / "cur").iterdir()), [])

    def test_the_inbox_may_be_spelled_in_any_case(self):
        box = self.box("INBOX/Sent")
        box.add("INBOX", [letter("Away one"), letter("Star two", minutes=1)])
        (box.folder / "INBOX").rename(box.folder / "Inbox")
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        # Where all others are below INBOX, so is a new one.
        self.assertTrue(list((box.folder / "Inbox" / "Archive").rglob("1*")), self.folders(box))
        self.assertEqual(len([p for p in (box.folder / "Inbox" / "cur").iterdir() if p.name.endswith(":2,F")]), 1)

    def test_a_mailbox_below_the_inbox_is_not_one_beside_it(self):
        box = self.box("Sub")
        for part in ("cur", "new", "tmp"):
            (box.folder / "INBOX" / "Sub" / part).mkdir(parents=True)
        box.add("INBOX", [letter("Away one")])
        place = self.new_place(box, RULES.replace("archive", "{ move: INBOX/Sub }"))
        self.check(place.opus("run", "--yes"))
        self.assertEqual(len(list((box.folder / "INBOX" / "Sub" / "cur").iterdir())), 1, self.folders(box))
        names = [item["name"] for item in self.check(place.opus("mailbox", "list", "--json")).json["items"]]
        self.assertEqual(sorted(names), ["INBOX", "INBOX/Sub", "Sub"])
        self.check(place.opus("store", "export", str(self.folder / "out")))
        self.assertEqual(len(list((self.folder / "out").rglob(".INBOX.Sub/*/*.opus"))), 1)

    def test_the_error_about_a_folder_without_a_layout_says_what_is_missing(self):
        box = self.box("Sent")
        shutil.rmtree(box.folder / "INBOX")
        place = self.new_place(box, RULES)
        done = place.opus("sync")
        self.assertIn(done.code, (66, 78), str(done))
        self.assertIn("INBOX", done.err)
        self.assertEqual(self.folders(box), ["Sent"])


class OnDisk(Case):
    """Between a rename and its confirmation in the journal, both folders are synced."""

    kind = "maildir"

    def test_confirmed_changes_are_on_disk(self):
        for box in (MaildirBox(self.folder / "Maildir"), VerbatimBox(self.folder / "Mail")):
            with self.subTest(type(box).__name__):
                box.add("INBOX", [letter("Away one"), letter("Star two", minutes=1)])
                place = self.new_place(box, RULES, name=type(box).__name__)
                self.check(place.opus("sync"))
                log = place.root / "log"
                self.check(place.opus("run", "--yes", environment=shim.logging(self.folder, log)))
                self.assertPlaces(box, {"away-one": "Archive", "star-two": "INBOX"})
                lines = [line.split(" ", 1) for line in log.read_text().splitlines()]
                self.assertSynced(lines, box.place("Archive") / "cur", [box.place("Archive") / "cur", box.place("INBOX") / "new"])
                self.assertSynced(lines, box.place("INBOX") / "cur", [box.place("INBOX") / "cur", box.place("INBOX") / "new"])
                self.assertIn(["fsync", str(box.folder)], lines)

    def assertSynced(self, lines, into, folders):
        renamed = [n for n, (what, path) in enumerate(lines) if what == "to" and path.startswith(f"{into}/")]
        self.assertEqual(len(renamed), 1, lines)
        rest = lines[renamed[0]:]
        end = next(n for n, (what, path) in enumerate(rest) if what == "write" and "store.sqlite" in path)
        for folder in folders:
            self.assertIn(["fsync", str(folder)], rest[:end])


if __name__ == "__main__":
    unittest.main()
