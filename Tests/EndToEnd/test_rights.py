"""Mailboxes in which the user may not do everything, by the access control lists of a real server."""
import unittest

from letters import letter
from servers import MailServers
from workplace import Case

MORE = """
mail_plugins = acl
protocol imap {
  mail_plugins = acl imap_acl
}
plugin {
  acl = vfile
}
"""
RULES = """\
rules-version: 1
name: rights
rules:
  - { id: away, when: 'subject:away', then: [archive] }
  - { id: read, when: 'subject:read', then: [{ mark: read }, { label: work }, archive] }
"""
BILLS = """\
rules-version: 1
name: bills
rules:
  - { id: bill, when: 'subject:bill', then: [{ task: '{{subject}}' }] }
"""
EVERYTHING = "lrswipktea"


class Rights(Case):
    kind = "imap"

    def prepare(self, *messages, capability=None):
        made = MailServers(smtp=False, capability=capability, more=MORE)
        self.addCleanup(made.stop)
        box = self.new_box(on=made.start())
        box.add("INBOX", list(messages))
        return box, self.new_place(box, RULES)

    def test_mail_of_a_changed_task_follows_as_soon_as_the_mailbox_allows_it(self):
        made = MailServers(smtp=False, more=MORE)
        self.addCleanup(made.stop)
        box = self.new_box(on=made.start())
        box.create("Archive")
        box.create("Projects")
        box.add("INBOX", [letter("Bill 1", "one"), letter("Bill 2", "two"), letter("Bill 3", "three")])
        place = self.new_place(box, BILLS)

        def run(hour, code=0, *words):
            self.check(place.opus("run", "--yes", now=f"2026-03-10T{hour:02}:00:00+01:00"), code, *words)

        run(9)
        self.allow(box, "lrswpktea", "Archive")
        for summary in ("Bill 1", "Bill 2", "Bill 3"):
            place.edit(summary, ("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
        for hour in (10, 11):
            run(hour, 1, "failed move to Archive", "(3 times)")
        # The second task is to be done after all.
        place.edit("Bill 2", ("STATUS:COMPLETED", "STATUS:NEEDS-ACTION"))
        # The third was taken out of the inbox and put back: that is a decision.
        for source, target in (("INBOX", "Projects"), ("Projects", "INBOX")):
            box.move("three@test.example", source, target)
            run(11, 1)
        self.allow(box, EVERYTHING, "Archive")
        self.check(place.opus("run", "--dry-run", now="2026-03-10T12:00:00+01:00"), 0, "“Bill 1”")
        run(12, 0, "1 × moved to Archive")
        self.assertPlaces(box, {"one": "Archive", "two": "INBOX", "three": "INBOX"})
        # The other way.
        self.allow(box, "lrswpktea")
        place.edit("Bill 1", ("STATUS:COMPLETED", "STATUS:NEEDS-ACTION"))
        for hour in (13, 14):
            run(hour, 1, "failed move to INBOX")
        self.allow(box, EVERYTHING)
        run(15, 0, "1 × moved to INBOX")
        self.assertPlaces(box, {"one": "INBOX", "two": "INBOX", "three": "INBOX"})
        self.assertNothingMore(place, box, now="2026-03-10T16:00:00+01:00")

    def test_the_old_version_of_a_draft_that_cannot_be_removed_is_reported(self):
        made = MailServers(smtp=False, more=MORE)
        self.addCleanup(made.stop)
        box = self.new_box(on=made.start())
        place = self.new_place(box)
        text = self.folder / "text"
        text.write_text("First.\n")
        draft = self.check(place.opus("compose", "--to", "bob@far.example", "--subject", "Plan", "--body", text)).out.strip()
        self.assertEqual(box.subjects("Drafts"), ["Plan"])
        # Without t and e: nothing leaves Drafts.
        self.allow(box, "lrswipka", "Drafts")
        text.write_text(self.check(place.opus("drafts", "show", draft)).out.replace("First", "Second"))
        done = self.check(place.opus("drafts", "edit", draft, "--body", text), 0,
                          "The older version is still in the Drafts mailbox", "delete it with your mail program")
        self.assertNotIn("Not in the Drafts mailbox yet", done.text)
        self.assertEqual(box.subjects("Drafts"), ["Plan", "Plan"])

    def allow(self, box, rights, mailbox="INBOX"):
        client = box.client()
        self.assertEqual(client.setacl(mailbox, box.user, rights)[0], "OK")
        client.logout()

    def test_without_moves_a_message_that_cannot_be_deleted_is_not_copied(self):
        box, place = self.prepare(letter("Away 1", "one"), capability="IMAP4rev1 UIDPLUS")
        # Without t (\\Deleted), with and without e (EXPUNGE).
        for hour, rights in ((9, "lrswia"), (11, "lrswiea")):
            with self.subTest(rights):
                self.allow(box, rights)
                for later in (0, 1):
                    self.check(place.opus("run", "--yes", now=f"2026-03-10T{hour + later:02}:00:00+01:00"), 1,
                               "does not let opus delete messages in INBOX")
                    self.assertEqual(box.where("one@test.example"), ["INBOX"])
        self.allow(box, EVERYTHING)
        self.check(place.opus("run", "--yes", now="2026-03-10T13:00:00+01:00"))
        self.assertPlaces(box, {"one": "Archive"})

    def test_without_moves_a_message_that_cannot_be_expunged_is_not_copied(self):
        box, place = self.prepare(letter("Away 1", "one"), capability="IMAP4rev1 UIDPLUS ACL RIGHTS=texk")
        # With t (\\Deleted), without e (EXPUNGE).
        self.allow(box, "lrswiat")
        for hour in (9, 10):
            self.check(place.opus("run", "--yes", now=f"2026-03-10T{hour:02}:00:00+01:00"), 1,
                       "does not let opus delete messages in INBOX")
            self.assertPlaces(box, {"one": "INBOX"})
            self.assertEqual(box.find("INBOX", "one@test.example").flags, frozenset())
        self.allow(box, EVERYTHING)
        self.check(place.opus("run", "--yes", now="2026-03-10T11:00:00+01:00"))
        self.assertPlaces(box, {"one": "Archive"})

    def test_a_flag_that_the_user_may_not_set_does_not_keep_a_message_in_the_inbox(self):
        # Without s (\\Seen), and without w (every other flag).
        for rights, flags in (("lrwipktea", {"work"}), ("lrsipktea", {r"\Seen"})):
            with self.subTest(rights):
                box, place = self.prepare(letter("Read 1", "one"))
                place = self.new_place(box, RULES, name=rights)
                self.allow(box, rights)
                texts = "".join(place.opus("run", "--yes", now=f"2026-03-10T{hour:02}:00:00+01:00").text
                                for hour in (9, 10))
                self.assertIn("the server cannot keep the " + ("flag seen" if "s" not in rights else "label work"), texts)
                self.assertPlaces(box, {"one": "Archive"})
                self.assertEqual(box.find("Archive", "one@test.example").flags, frozenset(flags))
                self.assertNothingMore(place, box, now="2026-03-10T11:00:00+01:00")

    def test_a_mailbox_that_can_only_be_read_keeps_its_mail_and_gets_none(self):
        box, place = self.prepare(letter("Away 1", "one"))
        self.allow(box, "lra")
        self.check(place.opus("run", "--yes"), 1, "the server opened INBOX read-only")
        self.assertPlaces(box, {"one": "INBOX"})
        self.allow(box, EVERYTHING)
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"one": "Archive"})


if __name__ == "__main__":
    unittest.main()
