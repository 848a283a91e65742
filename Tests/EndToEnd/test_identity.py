"""What one message is: two that share a header are two, and one into which a server wrote marks is still one."""
import re
import shutil
import subprocess
import unittest

from letters import letter
from workplace import CLOCK, Case, on_both

RULES = """rules-version: 1
name: scans
rules:
  - { id: bill, when: 'body:invoice', then: trash }
"""
NEXT_DAY = "2026-03-11T09:00:00+01:00"


def scan(body):
    """What a scanner sends: no Message-ID, no Received, the same header each time."""
    return letter("Scan", headers={"Message-ID": None}, body=body)


@on_both
class EqualHeaders:
    def bodies(self, box, mailbox):
        """The last word of each message in a mailbox."""
        if self.kind == "maildir":
            files = [path for part in ("new", "cur") for path in (box.place(mailbox) / part).glob("*")]
            return sorted(path.read_bytes().split()[-1].decode() for path in files)
        client = box.client()
        client.select(box.wire(mailbox), readonly=True)
        rows = client.uid("FETCH", "1:*", "(BODY.PEEK[TEXT])")[1]
        client.logout()
        return sorted(row[1].split()[-1].decode() for row in rows if isinstance(row, tuple))

    def found(self, place, word):
        return len(self.check(place.opus("search", word, "--json")).json["items"])

    def test_a_rule_on_the_text_of_one_leaves_the_others(self):
        box = self.new_box()
        box.create("Trash") if self.kind == "maildir" else None
        place = self.new_place(box, RULES)
        box.add("INBOX", [scan("your invoice one\n"), scan("your holiday two\n")])
        # Imported mail has a Message-ID, and no server ever wrote into it.
        box.add("INBOX", [letter("Import", "import", body="an invoice three\n"),
                          letter("Import", "import", body="a greeting four\n")])
        box.add("INBOX", [b"\ninvoice without a header five\n", b"\ngreeting without a header six\n"])
        self.check(place.opus("run", "--yes"))
        self.assertEqual(self.bodies(box, "INBOX"), ["four", "six", "two"])
        self.assertEqual(self.bodies(box, "Trash"), ["five", "one", "three"])
        for word in ("holiday", "greeting four", "greeting six", "invoice five"):
            self.assertEqual(self.found(place, word), 1, word)
        # One that comes later, of the same size, while others left the mailbox.
        box.add("INBOX", [scan("your holiday six\n"), scan("your invoice sev\n")])
        self.check(place.opus("run", "--yes"))
        self.assertEqual(self.bodies(box, "INBOX"), ["four", "six", "six", "two"])
        self.assertEqual(self.bodies(box, "Trash"), ["five", "one", "sev", "three"])
        self.assertEqual(self.found(place, "holiday"), 2)
        self.assertNothingMore(place, box)

    def test_equal_headers_and_equal_bodies_are_one_message_in_two_places(self):
        box = self.new_box()
        place = self.new_place(box, RULES)
        box.add("INBOX", [scan("the same\n")])
        box.add("Archive", [scan("the same\n")])
        self.check(place.opus("sync"))
        ids = {item["id"] for item in self.check(place.opus("search", "same", "--json")).json["items"]}
        self.assertEqual(len(ids), 1)


class MarksInTheHeader(Case):
    """A mail store that keeps marks in the header rewrites the file with each change."""

    kind = "maildir"

    def rewrite(self, box, number):
        for path in [path for part in ("new", "cur") for path in (box.folder / part).glob("*")]:
            text = path.read_bytes()
            head, _, body = text.partition(b"\n\n")
            kept = [line for line in head.split(b"\n") if not re.match(rb"(?i)(x-)?(uid|status|imap|keywords|content-l)", line)]
            kept[2:2] = [b"Status: RO", b"X-Status: " + b"F" * number, b"X-UID: %d" % number,
                         b"X-IMAPbase: 1 %d" % number, b"X-Keywords: " + b"word " * number,
                         b"Content-Length: %d" % len(body)]
            path.write_bytes(b"\n".join(kept) + b"\n\n" + body)

    def test_marks_in_the_header_do_not_make_another_message(self):
        box = self.new_box()
        box.add("INBOX", [letter("First", "first", headers={"Received": "from a by b; Tue, 10 Mar 2026 06:00:00 +0000"}),
                          letter("Second", "second")])
        self.rewrite(box, 1)
        place = self.new_place(box)
        self.check(place.opus("sync"))
        before = {item["subject"]: item["id"] for item in self.check(place.opus("list", "--json")).json["items"]}
        self.rewrite(box, 4)
        self.check(place.opus("archive", before["First"], before["Second"]), 0, "Applied 2 of 2")
        self.assertEqual(box.subjects("Archive"), ["First", "Second"])
        # Another program moves one back, and it is still the same.
        box.move("second@test.example", "Archive", "INBOX")
        self.rewrite(box, 2)
        self.check(place.opus("sync"))
        after = {item["subject"]: item["id"] for item in self.check(place.opus("list", "--json")).json["items"]}
        self.assertEqual(after, {"Second": before["Second"]})


class Restored(Case):
    """A mailbox restored from a backup, under the UIDVALIDITY that it had."""

    def setUp(self):
        super().setUp()
        self.box = self.new_box()
        self.place = self.new_place(self.box)

    def listed(self, now=CLOCK):
        self.check(self.place.opus("sync", now=now))
        found = self.check(self.place.opus("list", "--json", now=now)).json["items"]
        return sorted(item["subject"] for item in found)

    def snapshot(self):
        copy = self.folder / "backup"
        subprocess.run(["cp", "-a", self.box.folder, copy], check=True)
        return copy

    def restore(self, copy):
        shutil.rmtree(self.box.folder)
        subprocess.run(["cp", "-a", copy, self.box.folder], check=True)

    def prepare(self):
        """Six messages are known, of which the backup has four."""
        self.box.add("INBOX", [letter(f"Old {n}", f"old{n}", minutes=n) for n in range(1, 5)])
        copy = self.snapshot()
        self.box.add("INBOX", [letter(f"Lost {n}", f"lost{n}", minutes=n) for n in range(5, 7)])
        self.assertEqual(self.listed(), ["Lost 5", "Lost 6", "Old 1", "Old 2", "Old 3", "Old 4"])
        before = self.box.uid_validity()
        self.restore(copy)
        return before

    def test_numbers_that_went_back_are_noticed_at_once(self):
        before = self.prepare()
        self.box.add("INBOX", [letter("Here 5", "here5", minutes=5)])
        self.assertEqual(self.box.uid_validity(), before)
        self.assertEqual(self.listed(), ["Here 5", "Old 1", "Old 2", "Old 3", "Old 4"])

    def test_numbers_that_climbed_past_the_old_ones_are_noticed_within_a_day(self):
        before = self.prepare()
        self.box.add("INBOX", [letter(f"Here {n}", f"here{n}", minutes=n) for n in range(5, 9)])
        self.box.mark("INBOX", "old1@test.example", add=[r"\Seen"])
        self.assertEqual(self.box.uid_validity(), before)
        expected = ["Here 5", "Here 6", "Here 7", "Here 8", "Old 1", "Old 2", "Old 3", "Old 4"]
        self.listed()
        # What stands under an old UID is never acted on meanwhile.
        found = self.check(self.place.opus("list", "--json")).json["items"]
        lost = [item["id"] for item in found if item["subject"].startswith("Lost")]
        if lost:
            self.place.opus("archive", *lost)
            self.assertEqual(self.box.subjects("INBOX"), expected)
        self.assertEqual(self.listed(now=NEXT_DAY), expected)


if __name__ == "__main__":
    unittest.main()
