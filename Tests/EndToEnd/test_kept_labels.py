"""A server that keeps no new labels: the rest of each rule is done, and opus reports what was not kept."""
import re
import unittest

from letters import letter
from wiretap import Wiretap
from workplace import Case, servers

RULES = """\
rules-version: 1
name: labels
rules:
  - { id: away, when: 'subject:away', then: [{ label: work }, archive] }
  - { id: read, when: 'subject:read', then: [{ label: work }, { mark: read }] }
  - { id: later, when: 'subject:later', then: [{ label: work }, { defer: friday }] }
"""


class Dropping(Wiretap):
    """Leaves the labels out of each STORE, and says OK."""

    def _to_server(self, data, lines, client, server):
        for line in lines.of(data):
            match = re.match(rb"(\S+ UID )STORE (\S+ )([+-]FLAGS )\(([^)]*)\)", line)
            if match:
                kept = [word for word in match[4].split() if word.startswith(b"\\")]
                line = match[1] + (b"STORE " + match[2] + match[3] + b"(" + b" ".join(kept) + b")\r\n" if kept
                                   else b"FETCH " + match[2] + b"(FLAGS)\r\n")
            server.sendall(line)


class KeptLabels(Case):
    kind = "imap"

    def play(self, proxy):
        """Runs until nothing waits; how many runs that took."""
        box = self.new_box()
        box.add("INBOX", [letter("Away", "one"), letter("Read", "two", minutes=1), letter("Later", "three", minutes=2)])
        place = self.new_place(box, RULES, name=f"place-{proxy.port}")
        place.configure(box.yaml(port=proxy.port, security="none", host="127.0.0.1"))
        text, runs = "", 0
        while "without the label work" not in text and runs < 9:
            text, runs = place.opus("run", "--yes", now=f"2026-03-10T{9 + runs:02}:00:00+01:00").text, runs + 1
        self.assertIn("the rest was done without the label work", text)
        self.assertPlaces(box, {"one": "Archive", "two": "INBOX", "three": "Deferred"})
        self.assertEqual(box.find("INBOX", "two@test.example").flags, frozenset({r"\Seen"}))
        place.opus("run", "--yes", now="2026-03-10T20:00:00+01:00")
        self.assertNothingMore(place, box, now="2026-03-10T21:00:00+01:00")
        return runs

    def test_a_label_over_the_limit_is_left_out_at_once(self):
        proxy = self.enterContext(Wiretap(servers().imap_port))
        proxy.refuse(r"^UID STORE .*work", "NO [LIMIT] too many keywords")
        self.assertEqual(self.play(proxy), 1)

    def test_a_label_that_the_server_never_accepts_is_left_out_at_last(self):
        for answer in ("NO no such flag", "BAD invalid flag"):
            with self.subTest(answer):
                proxy = self.enterContext(Wiretap(servers().imap_port))
                proxy.refuse(r"^UID STORE .*work", answer)
                self.assertEqual(self.play(proxy), 5)

    def test_a_label_that_the_server_drops_is_left_out_at_last(self):
        self.assertEqual(self.play(self.enterContext(Dropping(servers().imap_port))), 5)


if __name__ == "__main__":
    unittest.main()
