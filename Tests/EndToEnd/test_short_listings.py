"""A server leaves a message out of a listing, or sends a UIDNEXT that is too small: nothing counts as removed."""
import re
import shutil
import unittest

from letters import letter
from wiretap import Wiretap
from workplace import Case, servers

MORNING = "2026-03-10T08:30:00+01:00"
NEXT_DAY = "2026-03-11T10:00:00+01:00"
LATER = "2026-03-11T10:30:00+01:00"
DELEGATE = """\
rules-version: 1
name: short
rules:
  - { id: ask, when: 'subject:please', then: [{ delegate: { to: 'bob@far.example' } }, archive] }
  - { id: do, when: 'subject:do', then: [{ task: { title: '{{subject}}' } }] }
"""
DEFER = """\
rules-version: 1
name: short
rules:
  - { id: later, when: 'subject:later', then: [{ defer: friday }] }
"""


def without(uid):
    """Removes the line of the message with this UID from the answers to FETCH, in every mailbox."""
    line = re.compile(rb"\* \d+ FETCH \(UID %d FLAGS[^\r]*\r\n" % uid)
    return lambda data: line.sub(b"", data)


def with_uidnext_1(data):
    return re.sub(rb"\[UIDNEXT \d+", b"[UIDNEXT 1", data)


def with_lower_modseq(data):
    return re.sub(rb"HIGHESTMODSEQ \d+", b"HIGHESTMODSEQ 1", data)


class ShortListings(Case):
    def start(self, rules):
        self.tap = self.enterContext(Wiretap(servers().imap_port))
        self.box = self.new_box("imap")
        self.place = self.new_place(self.box, rules)
        self.place.configure(self.box.yaml(port=self.tap.port, security="none", host="127.0.0.1"))

    def opus(self, *words, now):
        done = self.place.opus(*words, now=now)
        self.assertEqual(done.code, 0, done)
        return done

    def start_with_draft(self):
        """A task with its mail in INBOX, and a delegation whose draft is the second message of Drafts."""
        self.start(DELEGATE)
        self.box.add("INBOX", [letter("Please 1", "p1"), letter("Do 1", "d1", minutes=1)])
        self.box.add("Drafts", letter("Other", "o1", sender="Ana Ruiz <ana@acme.example>"), flags=["\\Draft"])
        self.opus("run", "--yes", now=MORNING)
        self.assertEqual(self.box.subjects("Archive"), ["Please 1"])

    def assert_unchanged(self, *edits):
        for edit in edits:
            self.tap.edit = edit
            done = self.opus("run", "--yes", now=NEXT_DAY)
            self.assertNotIn("discarded", done.text)
            self.assertNotIn("gone", done.text)
            self.tap.edit = None
        self.opus("run", "--yes", now=LATER)
        self.assertEqual(self.box.subjects("Archive"), ["Please 1"])
        self.assertEqual(self.box.subjects("INBOX"), ["Do 1"])
        self.assertEqual(len(self.box.held("Drafts")), 2)
        tasks = self.opus("task", "list", "--json", now=LATER).json["items"]
        self.assertEqual(len(tasks), 2, tasks)
        self.assertEqual(self.opus("drafts", now=LATER).out.count("bob@far.example"), 1)

    def test_a_draft_and_a_mail_that_a_listing_lacks_are_not_gone(self):
        self.start_with_draft()
        self.assert_unchanged(without(2))

    def test_a_draft_that_a_listing_lacks_after_a_lower_modseq_is_not_discarded(self):
        self.start_with_draft()
        omit = without(2)
        self.assert_unchanged(lambda data: omit(with_lower_modseq(data)))

    def test_uidnext_1_removes_nothing(self):
        self.start_with_draft()
        self.assert_unchanged(with_uidnext_1)

    def test_a_mailbox_with_uidnext_1_is_read(self):
        self.start("rules-version: 1\nname: none\nrules: []\n")
        self.box.add("INBOX", [letter("One", "o1"), letter("Two", "t1", minutes=1)])
        self.tap.edit = with_uidnext_1
        self.opus("sync", now=MORNING)
        listed = self.opus("list", now=MORNING)
        self.assertIn("One", listed.out)
        self.assertIn("Two", listed.out)

    def test_a_deferred_mail_that_a_listing_lacks_is_not_deferred_again_by_a_new_store(self):
        self.start(DEFER)
        self.box.add("INBOX", [letter("Later 1", "l1"), letter("Later 2", "l2", minutes=1)])
        self.opus("run", "--yes", now=MORNING)
        omit = without(2)
        self.tap.edit = lambda data: omit(with_lower_modseq(data))
        self.opus("run", "--yes", now=NEXT_DAY)
        self.tap.edit = None
        self.opus("run", "--yes", now=LATER)
        shutil.rmtree(self.place.root / ".opus")
        self.opus("run", "--yes", now="2026-03-13T10:00:00+01:00")
        self.assertEqual(sorted(self.box.subjects("INBOX")), ["Later 1", "Later 2"])


if __name__ == "__main__":
    unittest.main()
