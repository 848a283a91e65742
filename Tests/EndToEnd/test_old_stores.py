"""Stores made by earlier releases (Tests/Fixtures/stores) keep their journal, links and drafts under this one."""
import re
import tarfile
import unittest
from pathlib import Path

from boxes import MaildirBox
from workplace import Case, Workplace

STORES = Path(__file__).resolve().parents[1] / "Fixtures" / "stores"
SCHEMAS = sorted(STORES.glob("schema-*"))
LATER = "2026-03-10T09:30:00+01:00"
#: Where each kind of message belongs once the rules have been applied.
PLACES = {"pay": "INBOX", "away": "Archive", "star": "INBOX", "later": "Deferred", "over": "Archive", "stay": "INBOX"}


class Reopened(Workplace):
    """A workspace from an archive, as it was when the earlier program left it."""

    def __init__(self, root):
        self.root, self.tasks = root, root / "tasks"


class OldStores(Case):
    def open(self, schema, name):
        root = self.folder / f"{schema.name}-{name}"
        root.mkdir()
        with tarfile.open(schema / f"{name}.tar.gz") as archive:
            archive.extractall(root)  # ours, from this repository
        for path in (root, *root.rglob("*")):
            # Git and tar keep no more of a mode than this.
            path.chmod(0o700 if path.is_dir() else 0o600)
        return Reopened(root), MaildirBox(root / "Maildir")

    def places(self, box, of_kind=PLACES, **different):
        """Every message is in exactly one mailbox: the one of its kind, unless `different` names another."""
        expected = {f"{kind}-{n}": [mailbox] for kind, mailbox in of_kind.items() for n in range(4)}
        expected |= {name.replace("_", "-"): [mailbox] for name, mailbox in different.items()}
        found = {}
        for held in box.everything():
            if held.mailbox != "Drafts":
                found.setdefault(held.message_id.strip("<>").partition("@")[0], []).append(held.mailbox)
        self.assertEqual(found, expected)

    def test_an_applied_run_is_listed_followed_and_undone(self):
        for schema in SCHEMAS:
            place, box = self.open(schema, "applied")
            runs = self.check(place.opus("runs", "--json", now=LATER)).json["items"]
            self.assertEqual(sorted(run["id"] for run in runs), ["r:0001", "r:0002", "r:0003", "r:0004"])
            self.check(place.opus("drafts", now=LATER), 0, "A draft", "Fwd: Over 1")
            self.check(place.opus("run", "--yes", now=LATER), 0, "Pay 1")
            self.places(box, pay_1="Archive")
            self.assertNothingMore(place, box, now=LATER)
            self.check(place.opus("undo", "r:0001", "--yes", now=LATER), 1, "“Pay 1” was edited since")
            self.places(box, dict.fromkeys(PLACES, "INBOX"), pay_1="Archive")

    def test_conversations_are_listed_at_once_and_after_a_sync(self):
        for schema in SCHEMAS:
            place, box = self.open(schema, "applied")
            before = self.check(place.opus("threads", "--all", "--limit", "0", "--json", now=LATER)).json
            self.check(place.opus("sync", now=LATER))
            after = self.check(place.opus("threads", "--all", "--limit", "0", "--json", now=LATER)).json
            self.assertEqual(before["items"], after["items"])
            self.assertGreater(len(after["items"]), 3)
            self.assertTrue(all(item["snippet"] for item in after["items"] if "Pay" in item["subject"]))

    def test_a_killed_run_is_finished(self):
        for schema in SCHEMAS:
            place, box = self.open(schema, "killed")
            self.check(place.opus("run", "--yes", now=LATER))
            self.places(box)
            self.assertEqual(len(list(place.tasks.glob("next/*.ics"))), 4)
            self.assertEqual(sum(held.mailbox == "Drafts" for held in box.everything()), 4)
            # The old program kept no list of deferred mail: the next run sees where its mail is, and writes one.
            self.check(place.opus("run", "--yes", now=LATER), 0, "Nothing to do.")
            self.assertNothingMore(place, box, now=LATER)

    def test_a_mail_that_may_have_left_is_not_sent_again(self):
        for schema in SCHEMAS:
            place, box = self.open(schema, "outbox")
            listed = place.opus("outbox", now=LATER)
            self.assertRegex(listed.out, r"unknown.*Perhaps sent")
            self.assertRegex(listed.out, r"queued.*Held")
            place.opus("run", "--yes", now=LATER)
            after = place.opus("outbox", now=LATER).out
            self.assertIn("Perhaps sent", after)
            self.assertNotRegex(after, re.compile(r"queued.*Perhaps sent"))
            self.places(box)


if __name__ == "__main__":
    unittest.main()
