"""A real Courier: no MOVE, no CONDSTORE, everything below INBOX; and with still less."""
import unittest
from functools import partial

from courier import Courier
from followed import Followed, OnServer, RULES, Welcomed
from letters import letter
from workplace import Case


class Whole(Welcomed, Followed, Case):
    """As Debian sets it up."""

    server = Courier


class WithoutKeywords(Followed, Case):
    """Five flags and no word beside them."""

    server = partial(Courier, keywords=False)
    has_keywords = False


class WithoutUIDPLUS(OnServer, Case):
    """A copy has no UID and an original cannot be removed alone."""

    server = partial(Courier, capability="IMAP4rev1 CHILDREN NAMESPACE")

    def test_only_messages_with_a_proven_copy_are_removed(self):
        box = self.new_box()
        box.add("INBOX", [letter("Away"), letter("Stays", minutes=1)])
        box.add("INBOX", letter("Others", minutes=2), flags=[r"\Deleted"])
        wire, place = self.tapped(box)
        for _ in range(2):
            place.opus("run", "--yes")
        self.assertEqual(box.where("stays@test.example"), ["INBOX"])
        self.assertEqual(box.where("others@test.example"), ["INBOX"])
        self.assertTrue(box.where("away@test.example"))
        self.assertLessEqual(box.where("away@test.example").count("Archive"), 1)
        self.assertHarmless(wire.commands)


class WithTrash(OnServer, Case):
    """Every expunged message appears in Trash, and so does the original of a message that was copied away."""

    server = partial(Courier, expunge_to_trash=True)

    def test_a_message_is_archived_once_and_what_is_in_the_trash_is_left_alone(self):
        box = self.new_box()
        box.add("INBOX", [letter("Away"), letter("Stays", minutes=1)])
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        self.check(place.opus("run", "--yes"))
        self.assertEqual(box.where("stays@test.example"), ["INBOX"])
        self.assertEqual(set(box.where("away@test.example")) - {"Trash"}, {"Archive"})
        self.assertEqual(box.where("away@test.example").count("Archive"), 1)
        self.assertNothingMore(place, box)


if __name__ == "__main__":
    unittest.main()
