"""Runs last, because of its name: opus never sent EXPUNGE without UIDs, or CLOSE, to Dovecot.

Sessions of other clients (imaplib, mbsync) are recognised by the missing ID of opus.
"""
import re
import unittest

from letters import letter
from workplace import Case, plain_dovecot, servers

COMMAND = re.compile(rb"^(?:\d+\.\d+ )?\S+ (EXPUNGE|CLOSE)\r?$", re.IGNORECASE | re.MULTILINE)
OURS = re.compile(rb'\bID \("name" "opus"', re.IGNORECASE)
RULES = """\
rules-version: 1
name: last
rules:
  - { id: away, when: 'subject:away', then: [archive] }
"""


class Transcripts(Case):
    kind = "imap"

    def forbidden(self, server):
        """(file, line) of each forbidden command, and how many sessions of ours were read."""
        found, ours = [], 0
        for path in server.rawlog.glob("*.in"):
            said = path.read_bytes()
            if OURS.search(said):
                ours += 1
                found += [(path.name, line[0]) for line in COMMAND.finditer(said)]
        return found, ours

    def test_no_session_said_expunge_or_close(self):
        for server in (servers(), plain_dovecot("IMAP4rev1 UIDPLUS CHILDREN NAMESPACE LITERAL+ ID")):
            box = self.new_box(on=server)
            box.add("INBOX", [letter("Away"), letter("Stays", minutes=1)])
            box.add("INBOX", letter("Others", minutes=2), flags=[r"\Deleted"])
            place = self.new_place(box, RULES, name=f"workspace-{box.user}")
            self.check(place.opus("run", "--yes"))
            self.assertEqual(box.find("INBOX", "others@test.example").flags, frozenset({r"\Deleted"}))
            found, ours = self.forbidden(server)
            self.assertGreater(ours, 0, "no session of ours was found")
            self.assertEqual(found, [])

    def test_the_check_finds_expunge_and_close(self):
        for line in (b"A1 EXPUNGE\r\n", b"1700000000.1 A7 close\r\n"):
            self.assertTrue(COMMAND.search(line), line)
        for line in (b"A1 UID EXPUNGE 4\r\n", b"A1 SELECT CLOSE\r\n", b"A1 LOGOUT\r\n"):
            self.assertFalse(COMMAND.search(line), line)


if __name__ == "__main__":
    unittest.main()
