"""sync.window: mail that is older than the window and that opus works with is never lost."""
import shutil
import unittest

from letters import letter
from workplace import NO_RULES, on_both

SETTINGS = "command-mailboxes: Opus\ndefer: { default: +1 week }\n"
EXTRA = "    sync: { window: 90d }\n"
DAY = 24 * 60
LATER = "2026-07-15T09:00:00+02:00"


@on_both
class Window:
    """Mail of March, read with a window of 90 days, on 15 July."""

    def prepare(self, *names):
        self.box = self.new_box()
        for name in names:
            self.box.add("INBOX", letter(name, name, minutes=-DAY))
        self.place = self.machine("first")
        self.check(self.place.opus("run", "--yes"))

    def machine(self, name):
        return self.new_place(self.box, NO_RULES, SETTINGS, extra=EXTRA, name=name)

    def message(self, name):
        return next(item["id"] for item in self.place.opus("list", "--json").json["items"] if item["subject"] == name)

    def deferred_until_september(self):
        self.prepare("later", "task")
        self.check(self.place.opus("task", "from", self.message("task")))
        self.check(self.place.opus("defer", self.message("later"), "2026-09-01"))
        self.check(self.place.opus("run", "--yes", now=LATER))

    def comes_back(self):
        self.check(self.place.opus("run", "--yes", now=LATER))
        self.assertPlaces(self.box, {"later": "Deferred"})
        self.check(self.place.opus("run", "--yes", now="2026-09-02T09:00:00+02:00"))
        self.assertPlaces(self.box, {"later": "INBOX"})

    def test_deferred_mail_comes_back_after_a_rebuild_and_its_task_keeps_its_mail(self):
        self.deferred_until_september()
        self.check(self.place.opus("store", "rebuild", now=LATER))
        done = self.check(self.place.opus("run", "--yes", now=LATER))
        self.assertNotIn("gone", done.out)
        self.assertEqual([item["subject"] for item in self.place.opus("list", "--json").json["items"]], ["task"])
        self.comes_back()

    def test_deferred_mail_comes_back_after_a_lost_store(self):
        self.deferred_until_september()
        shutil.rmtree(self.place.root / ".opus")
        self.comes_back()

    def test_deferred_mail_comes_back_on_a_second_machine(self):
        self.deferred_until_september()
        self.place = self.machine("second")
        self.comes_back()

    def test_old_mail_stays_known_after_a_change_of_uidvalidity(self):
        if self.kind == "maildir":
            self.skipTest("a Maildir has no UIDVALIDITY")
        self.deferred_until_september()
        self.box.new_uid_validity()
        done = self.check(self.place.opus("run", "--yes", now=LATER))
        self.assertNotIn("gone", done.out)
        self.assertEqual([item["subject"] for item in self.place.opus("list", "--json").json["items"]], ["task"])
        self.comes_back()

    def test_old_mail_that_another_program_moves_is_followed(self):
        self.prepare("filed", "waits", "order")
        self.check(self.place.opus("task", "from", self.message("filed")))
        self.check(self.place.opus("run", "--yes", now=LATER))
        self.box.move("filed@test.example", "INBOX", "Archive")
        self.box.move("waits@test.example", "INBOX", "Deferred" if "Deferred" in self.box.names() else "Archive")
        self.box.move("order@test.example", "INBOX", "Opus/Task")
        done = self.check(self.place.opus("run", "--yes", now=LATER))
        self.assertNotIn("gone", done.out)
        archived = self.place.opus("list", "--folder", "Archive", "--json", now=LATER).json["items"]
        self.assertIn("filed", [item["subject"] for item in archived])
        self.assertPlaces(self.box, {"order": "Archive"})

    def test_old_mail_that_another_program_moves_where_opus_has_moved_mail_is_followed(self):
        for order in ("before", "after"):
            with self.subTest(order):
                self.prepare("theirs", "ours", "stays")
                self.box.create("Other")
                self.check(self.place.opus("sync"))
                self.check(self.place.opus("sync", now=LATER))
                ours = self.message("ours")
                if order == "after":
                    self.check(self.place.opus("move", ours, "Other", now=LATER))
                self.box.move("theirs@test.example", "INBOX", "Other")
                if order == "before":
                    self.check(self.place.opus("move", ours, "Other", now=LATER))
                self.check(self.place.opus("sync", now=LATER))
                there = self.place.opus("list", "--folder", "Other", "--json", now=LATER).json["items"]
                self.assertEqual(sorted(item["subject"] for item in there), ["ours", "theirs"])
                shutil.rmtree(self.place.root)

    def test_an_order_with_mail_that_was_never_read_is_carried_out(self):
        self.prepare()
        self.box.create("Old")
        self.box.add("Old", letter("ancient", "ancient", minutes=-400 * DAY))
        self.check(self.place.opus("run", "--yes"))
        self.box.move("ancient@test.example", "Old", "Opus/Task")
        self.check(self.place.opus("run", "--yes"))
        self.assertPlaces(self.box, {"ancient": "Archive"})

    def test_mailboxes_that_opus_needs_are_read_although_they_are_excluded(self):
        self.prepare("later", "order")
        self.check(self.place.opus("defer", self.message("later"), "2026-03-12"))
        (self.place.root / "text").write_text("Text.\n")
        self.check(self.place.opus("compose", "--to", "bob@far.example", "--subject", "Mine", "--body", "text"))
        self.place.configure(self.box.yaml(extra="    sync: { exclude: [Deferred, Drafts, Sent, 'Opus/*'] }\n"), SETTINGS)
        self.box.move("order@test.example", "INBOX", "Opus/Task")
        self.check(self.place.opus("run", "--yes", now="2026-03-13T09:00:00+01:00"))
        self.assertPlaces(self.box, {"later": "INBOX", "order": "Archive"})
        self.assertEqual([draft["state"] for draft in self.place.opus("drafts", "--json").json["items"]], ["saved"])


if __name__ == "__main__":
    unittest.main()
