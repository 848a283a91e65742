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
EVERYTHING = "lrswipktea"


class Rights(Case):
    kind = "imap"

    def prepare(self, *messages, capability=None):
        made = MailServers(smtp=False, capability=capability, more=MORE)
        self.addCleanup(made.stop)
        box = self.new_box(on=made.start())
        box.add("INBOX", list(messages))
        return box, self.new_place(box, RULES)

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
