"""What other IMAP servers do, played by a small server of our own: each fault costs one answer, and never the account."""
import shutil
import tempfile
import time
import unittest
from pathlib import Path

from boxes import IMAPBox
from letters import letter, with_parts
from servers import MailServers
from tiny import Box, Gone, TinyIMAP, message, numbers
from workplace import Case, Workplace, servers

LATER = "2026-03-10T12:00:00+01:00"
NEXT_WEEK = "2026-03-18T12:00:00+01:00"


class Strange(Case):
    def tiny(self, boxes, extra="", **options):
        server = TinyIMAP(servers().certificate, boxes, **options)
        self.addCleanup(server.__exit__)
        return server, Workplace(self.folder / f"w{server.port}", server.yaml(servers().ca_file, extra))

    def seen(self, place, *options):
        items = place.opus("list", "--all", "--json", *options).json["items"]
        return sorted(item["messageID"].partition("@")[0] for item in items)

    def letters(self, count, **options):
        return [letter(f"Number {n}", minutes=n, **options) for n in range(1, count + 1)]

    def names(self, *numbers):
        return sorted(f"number-{n}" for n in numbers)


class Answers(Strange):
    def test_an_esearch_whose_tag_is_an_atom_is_read(self):
        def on(command, words, box):
            if command == "UID SEARCH":
                tag = len(server.commands)
                return [f"* ESEARCH (TAG A{tag}) UID ALL {','.join(map(str, sorted(box.messages)))}"]
            return None

        box = Box(self.letters(80))
        server, place = self.tiny({"INBOX": box}, capability="IMAP4rev1 ESEARCH", on=on)
        self.check(place.opus("sync"))
        # More than people delete at once: the list of UIDs decides.
        for uid in range(5, 75):
            del box.messages[uid]
        done = self.check(place.opus("sync"))
        self.assertNotIn("could not be read", done.text)
        self.assertTrue(server.said("UID SEARCH"))
        self.assertEqual(len(self.seen(place)), 10)

    def test_no_requested_range_exceeds_the_last_uid(self):
        boxes = {"INBOX": Box(self.letters(3), uidnext=9), "Empty": Box(), "Work": Box([letter("Work")])}
        server, place = self.tiny(boxes)
        for _ in range(2):
            self.check(place.opus("sync"))
        boxes["INBOX"].messages[9], boxes["INBOX"]._uidnext = letter("Number 9"), 12
        self.check(place.opus("sync"))
        self.assertEqual(self.seen(place), [*self.names(1, 2, 3, 9), "work"])
        for line in server.said("UID FETCH"):
            for part in line.split()[2].split(","):
                self.assertLess(int(part.rpartition(":")[2]), 12, line)

    def test_a_message_beyond_a_uidnext_that_is_wrong_is_found(self):
        server, place = self.tiny({"INBOX": Box(self.letters(4), uidnext=3)})
        self.check(place.opus("sync"))
        self.assertEqual(self.seen(place), self.names(1, 2, 3, 4))

    def test_a_mailbox_name_with_an_unescaped_quote_is_read(self):
        def on(command, words, box):
            if command == "LIST":
                return ['* LIST () "." INBOX', '* LIST () "." "Quo"te"', '* LIST () "." Work']
            return None

        boxes = {"INBOX": Box(self.letters(1)), 'Quo"te': Box([letter("Quoted")]), "Work": Box([letter("Work")])}
        server, place = self.tiny(boxes, on=on, delimiter=".")
        self.check(place.opus("sync"))
        self.assertEqual(self.seen(place), ["number-1", "quoted", "work"])

    def test_a_large_message_whose_range_is_echoed_is_read_once(self):
        body = "word " * 300_000
        parts = [("Content-Type: text/plain; charset=utf-8", "A long one."),
                 ("Content-Type: application/octet-stream\nContent-Disposition: attachment; filename=a.bin", body)]
        big = with_parts("Number 1", parts)

        def fetch(uid, items):
            if "BODY.PEEK[" not in items or "BODYSTRUCTURE" in items:
                return None
            if uid == 3 and "<0." in items:
                # The whole part, regardless of the request.
                whole = message(server.boxes["INBOX"], uid, uid, items.partition("<0.")[0])
                return whole.replace(b"BODY[] ", b"BODY[]<0.1048576> ")
            return message(server.boxes["INBOX"], uid, uid, items).replace(b"]<0> ", b"]<0.1048576> ")

        box = Box([big, letter("Number 2"), letter("Number 3", body=body)])
        server, place = self.tiny({"INBOX": box}, fetch=fetch)
        self.check(place.opus("sync"))
        self.assertEqual(self.seen(place), self.names(1, 2, 3))
        server.commands.clear()
        self.check(place.opus("sync"))
        self.assertFalse(server.said("BODY.PEEK"))

    def test_a_message_without_a_readable_response_is_not_fetched_each_time(self):
        def fetch(uid, items):
            return b"* 1 FETCH (UID 1 BODY[1<0 {2}\r\nhi)\r\n" if uid == 1 and "BODY" in items else None

        server, place = self.tiny({"INBOX": Box(self.letters(3))}, fetch=fetch)
        for _ in range(2):
            self.check(place.opus("sync"), 1, "could not be read")
        server.commands.clear()
        done = self.check(place.opus("sync"), 0, "UID 1")
        self.assertFalse(server.said("BODY.PEEK"))
        self.assertEqual(self.seen(place), self.names(2, 3))
        server.fetch = lambda *_: None
        self.check(place.opus("sync", now=NEXT_WEEK))
        self.assertEqual(self.seen(place), self.names(1, 2, 3))

    def test_an_empty_mailbox_without_uidvalidity_is_an_empty_mailbox(self):
        server, place = self.tiny({"INBOX": Box(self.letters(1)), "Empty": Box(validity=0)})
        for _ in range(2):
            self.check(place.opus("sync"))
        server.boxes["Empty"].messages[1] = letter("Late")
        self.check(place.opus("sync"), 1, "UIDVALIDITY")


class Originals(Strange):
    def test_a_message_that_the_server_does_not_return_is_neither_forwarded_nor_moved(self):
        returns = []

        def fetch(uid, items):
            return b"* 2 FETCH (UID 2)\r\n" if uid == 2 and "BODY.PEEK[]<" in items and not returns else None

        server, place = self.tiny({"INBOX": Box(self.letters(3)), "Drafts": Box()}, fetch=fetch)
        place.write_rules("""rules-version: 1
rules:
  - { id: pass-on, when: 'subject:"number 2"', then: { delegate: bob@acme.example } }
  - { id: note, when: '*', then: { task: 'Look at {{subject}}' } }
""")
        self.check(place.opus("sync"))
        done = self.check(place.opus("run", "--yes"), 1, "the server did not return this message", "Number 2")
        self.assertEqual(len([path for path in place.task_files() if path.endswith(".ics")]), 2, str(done))
        place.task("Look at Number 1"), place.task("Look at Number 3")
        self.assertEqual(server.said("APPEND"), [])
        # Later it is there, and nothing was remembered as done.
        returns.append(True)
        plan = self.check(place.opus("triage", "--dry-run"), 0, "1 waiting-for", "1 draft").out
        self.assertIn("Number 2", plan)


class LeftOut(Strange):
    def test_flags_of_messages_in_a_list_leave_no_mailbox_out(self):
        boxes = {"INBOX": Box(self.letters(1), r"\Important"), "Work": Box([letter("Work")], r"\Flagged \Seen"),
                 "Home": Box([letter("Home")], r"\Flagged"), "Rest": Box([letter("Rest")], r"\All \Important")}
        server, place = self.tiny(boxes)
        self.check(place.opus("sync"))
        self.assertEqual(self.seen(place), ["home", "number-1", "rest", "work"])

    def test_views_are_recognised_where_special_use_is_known(self):
        mail = self.letters(2)
        boxes = {"INBOX": Box(mail), "virtual/All": Box(mail, r"\All"), "virtual/Star": Box(mail[:1], r"\Flagged"),
                 "virtual/Prio": Box(mail[:1], r"\Important")}
        server, place = self.tiny(boxes, capability="IMAP4rev1 UIDPLUS MOVE SPECIAL-USE")
        self.check(place.opus("sync"))
        self.assertEqual(self.seen(place), self.names(1, 2))
        self.assertEqual(server.said("EXAMINE"), ["EXAMINE INBOX"])
        self.check(place.opus("account", "check"), 0, "virtual/All", "virtual/Star", "virtual/Prio")

    def test_mailboxes_are_left_out_by_pattern_and_come_back(self):
        boxes = {name: Box([letter(name)]) for name in ("INBOX", "Public", "Public/News", ".bashrc", "Mail/.imap", "Work")}
        server, place = self.tiny(boxes, capability="IMAP4rev1 UIDPLUS MOVE")
        self.check(place.opus("sync"))
        self.assertEqual(len(self.seen(place)), 6)
        server.commands.clear()
        lines = server.yaml(servers().ca_file, '    sync: { exclude: [public, ".*", "*/.*"] }\n')
        place.configure(lines)
        self.check(place.opus("sync"))
        self.assertEqual(sorted(server.said("EXAMINE")), ["EXAMINE INBOX", "EXAMINE Work"])
        self.assertEqual(self.seen(place), ["inbox", "work"])
        self.check(place.opus("account", "check"), 0, "Public", ".bashrc")
        place.configure(server.yaml(servers().ca_file))
        self.check(place.opus("sync"))
        self.assertEqual(len(self.seen(place)), 6)
        place.configure(server.yaml(servers().ca_file, "    sync: { exclude: [INBOX] }\n"))
        self.check(place.opus("sync"), 78, "C007", "inbox")


class Virtual(Case):
    """Dovecot's virtual plugin: the same mail in mailboxes that are only views."""

    def test_virtual_mailboxes_list_no_mail_twice(self):
        if not list(Path("/usr/lib/dovecot/modules").glob("lib20_virtual_plugin.so")):
            self.skipTest("this Dovecot has no virtual plugin")
        folder = Path(tempfile.mkdtemp(prefix="opus-virtual-"))
        self.addCleanup(shutil.rmtree, folder)
        folder.chmod(0o755)
        for name, search in (("All", "all"), ("Star", "flagged"), ("Unread", "unseen")):
            (folder / name).mkdir()
            (folder / name / "dovecot-virtual").write_text(f"*\n  {search}\n")
        more = f"""
mail_plugins = $mail_plugins virtual
namespace virtual {{
  prefix = virtual/
  separator = /
  location = virtual:{folder}:INDEX=MEMORY:CONTROL=~/virtual
  mailbox All {{
    special_use = \\All
  }}
  mailbox Star {{
    special_use = \\Flagged
  }}
}}
"""
        dovecot = MailServers(smtp=False, more=more)
        self.addCleanup(dovecot.stop)
        box = IMAPBox(dovecot.start(), "ana")
        box.add("INBOX", [letter("One"), letter("Two", minutes=1)], flags=[r"\Flagged"])
        box.add("Archive", letter("Three", minutes=2))
        place = self.new_place(box)
        self.check(place.opus("account", "check"), 0, "virtual/All", "virtual/Star")
        self.check(place.opus("sync"))
        found = [(item["messageID"].partition("@")[0], item["mailbox"])
                 for item in place.opus("list", "--all", "--json").json["items"]]
        own = [("one", "INBOX"), ("three", "Archive"), ("two", "INBOX")]
        self.assertEqual(sorted(found), sorted([*own, *((name, "virtual/Unread") for name, _ in own)]))
        # A view that only the user knows is left out by name.
        place.configure(box.yaml(extra="    sync: { exclude: [virtual] }\n"))
        self.check(place.opus("sync"))
        found = [(item["messageID"].partition("@")[0], item["mailbox"])
                 for item in place.opus("list", "--all", "--json").json["items"]]
        self.assertEqual(sorted(found), own)


class Poison(Strange):
    """One message at which the server hangs, or drops the connection, each time."""

    def poisoned(self, count, bad, item="BODY.PEEK[", act=None, collects=False, **options):
        def fetch(uid, items):
            if uid in bad and item in items:
                if act == "hang":
                    server.hang()
                raise Gone
            return None

        def on(command, words, box):
            if collects and command == "UID FETCH" and item in words[3]:
                if any(low <= uid <= high for low, high in numbers(words[2]) for uid in bad if uid in box.messages):
                    raise Gone
            return None

        boxes = {"INBOX": Box(self.letters(count)), "Work": Box({200: letter("Work")})}
        server, place = self.tiny(boxes, fetch=fetch, on=on, **options)
        return server, place

    def assertFound(self, server, place, count, bad):
        """One sync finds the bad ones, names them and brings all others; the next does not ask for them."""
        rest = [n for n in range(1, count + 1) if n not in bad]
        done = self.check(place.opus("sync", timeout=200), 1, *(f"UID {uid}" for uid in bad))
        self.assertEqual(self.seen(place), sorted(self.names(*rest) + ["work"]))
        logins = server.logins
        done = self.check(place.opus("sync"), 0, *(f"UID {uid}" for uid in bad))
        self.assertEqual(server.logins, logins + 1)
        self.assertEqual(self.seen(place), sorted(self.names(*rest) + ["work"]))
        return done

    def test_the_server_drops_at_one_message(self):
        bad = {7}
        server, place = self.poisoned(40, bad)
        self.assertFound(server, place, 40, bad)
        # New mail comes as ever.
        server.boxes["INBOX"].messages[41] = letter("Number 41", minutes=41)
        self.check(place.opus("sync"))
        self.assertIn("number-41", self.seen(place))
        # After a while it is tried again, once; and when it can be read, it is there.
        self.check(place.opus("sync", now=LATER), 1, "UID 7")
        bad.clear()
        self.check(place.opus("sync", now=NEXT_WEEK))
        self.assertEqual(len(self.seen(place)), 42)

    def test_the_server_drops_before_it_says_anything_of_the_set(self):
        server, place = self.poisoned(30, {4, 23}, collects=True)
        self.assertFound(server, place, 30, {4, 23})

    def test_the_server_drops_when_it_lists_one_message(self):
        bad = {5}
        server, place = self.poisoned(20, bad, item="RFC822.SIZE")
        self.assertFound(server, place, 20, bad)
        bad.clear()
        self.check(place.opus("sync", now=NEXT_WEEK))
        self.assertEqual(len(self.seen(place)), 21)

    def test_the_server_hangs_at_one_message(self):
        server, place = self.poisoned(12, {3}, act="hang")
        start = time.monotonic()
        self.assertFound(server, place, 12, {3})
        self.assertLess(time.monotonic() - start, 110)

    def test_the_server_drops_at_a_message_that_is_here_when_the_day_s_comparison_asks_for_it(self):
        bad = set()
        server, place = self.poisoned(12, bad)
        self.check(place.opus("sync"))
        bad.add(4)
        self.check(place.opus("sync", now="2026-03-11T20:00:00+01:00"), 1, "UID 4")
        server.boxes["INBOX"].messages[13] = letter("Number 13", minutes=13)
        self.check(place.opus("sync", now=NEXT_WEEK), 1, "UID 4")
        self.assertIn("number-13", self.seen(place))

    def test_one_lost_connection_leaves_no_message_out(self):
        lost = []

        def fetch(uid, items):
            if uid == 9 and "BODY.PEEK[" in items and not lost:
                lost.append(uid)
                raise Gone
            return None

        server, place = self.tiny({"INBOX": Box(self.letters(20))}, fetch=fetch)
        self.check(place.opus("sync"))
        self.assertEqual(len(self.seen(place)), 20)


if __name__ == "__main__":
    unittest.main()
