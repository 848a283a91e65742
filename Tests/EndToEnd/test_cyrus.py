"""A real Cyrus, with all that it offers and with less."""
import unittest
from functools import partial

from cyrus import Cyrus
from followed import Followed, OnServer, Welcomed
from workplace import Case


class Whole(Welcomed, Followed, Case):
    """QRESYNC, MOVE, OBJECTID, LIST-STATUS."""

    server = Cyrus


class WithoutQRESYNC(Followed, Case):
    """CONDSTORE alone, and no ids that survive a move."""

    server = partial(Cyrus, suppress="QRESYNC OBJECTID LIST-STATUS")


class Bare(Followed, Case):
    """UIDPLUS is what remains, and everything lies below INBOX, as before version 3."""

    server = partial(Cyrus, old_names=True, suppress=(
        "QRESYNC CONDSTORE OBJECTID MOVE ESEARCH LIST-STATUS LIST-EXTENDED SPECIAL-USE CREATE-SPECIAL-USE XLIST "
        "LITERAL+ ENABLE STATUS=SIZE UNSELECT"))


class WithSCRAM(OnServer, Case):
    """Logins by SCRAM alone."""

    server = partial(Cyrus, mechanisms="SCRAM-SHA-256 SCRAM-SHA-1")

    def test_the_password_is_proven_and_not_shown(self):
        box = self.new_box()
        wire, place = self.tapped(box)
        self.check(place.opus("sync"))
        self.assertIn("AUTHENTICATE SCRAM-SHA-256", "\n".join(wire.commands))
        self.assertNotIn(self.running.password, "\n".join(wire.commands))


if __name__ == "__main__":
    unittest.main()
