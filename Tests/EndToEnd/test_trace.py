"""`--trace FILE` and `-v`: the conversation with the servers, without secrets and without mail."""
import base64
import os
import unittest

from letters import letter
from workplace import Case, servers

RULES = """\
rules-version: 1
name: trace
rules:
  - { id: away, when: 'subject:secretsubject', then: [{ label: seen }, archive] }
"""


class Trace(Case):
    kind = "imap"

    def test_a_trace_shows_the_conversation_and_nothing_that_is_private(self):
        box = self.new_box()
        box.add("INBOX", letter("Secretsubject 1", "one"))
        place = self.new_place(box, RULES, smtp="starttls")
        trace = place.root / "trace.txt"
        trace.write_text("older\n" * 1000)
        trace.chmod(0o644)
        done = self.check(place.opus("run", "--yes", "--trace", trace))
        self.assertEqual(trace.stat().st_mode & 0o777, 0o600)
        text = trace.read_text()
        self.assertNotIn("older", text)
        for word in ("C: A1 ", "UID FETCH", "UID MOVE", "S: * ", "AUTHENTICATE PLAIN •••", "Archive"):
            self.assertIn(word, text)
        self.assertNotIn("C: ", done.err)
        (place.root / "text").write_text("Secretbody.\n")
        name = self.check(place.opus("compose", "--to", "bob@acme.example", "--subject", "Secretsubject", "--body", "text",
                                     "--trace", trace)).out.split()[0]
        text += trace.read_text()
        self.assertRegex(text, r"C: \w+ APPEND Drafts .*\{\d+\+?\}")
        verbose = self.check(place.opus("send", name, "--yes", "--no-hold", "--verbose")).err
        for word in ("C: A1 ", "C: EHLO", "C: MAIL FROM:", "S: 250", "bytes of mail"):
            self.assertIn(word, verbose)
        # What the person is shown of the mail is not a part of the trace.
        verbose = "\n".join(line for line in verbose.splitlines() if line.startswith("opus: trace"))
        plain = f"\0{box.user}\0{servers().password}".encode()
        for word in (servers().password, base64.b64encode(plain).decode().rstrip("="), "ecretsubject", "ecretbody"):
            self.assertNotIn(word, text + verbose)

    def test_the_server_s_words_cannot_reach_the_terminal_raw_and_a_bad_file_is_refused(self):
        box = self.new_box()
        place = self.new_place(box)
        (place.root / "link").symlink_to(place.root / "elsewhere")
        for name in ("missing/trace", "link", "."):
            self.check(place.opus("sync", "--trace", place.root / name), 73, "cannot write")
        self.assertFalse(os.path.exists(place.root / "elsewhere"))


if __name__ == "__main__":
    unittest.main()
