"""What must hold on every real server, whatever it announces. `test_cyrus`, `test_courier`, `test_dovecot` run it.

    class Whole(Welcomed, Followed, Case):
        server = Cyrus

Without root or without the server the tests are skipped and say so; with CI=true that is a failure.

    OPUS_ROUNDS=60     more rounds of random changes (3); OPUS_SEED=N repeats a run
"""
import email.header
import os
import random
import re
import shutil
import socket
import time
import unittest
from functools import partial
from pathlib import Path

from boxes import IMAPBox
from letters import letter
from wiretap import Wiretap
from workplace import REPOSITORY, _numbers

RULES = """\
rules-version: 1
name: peers
rules:
  - { id: ask, when: 'subject:ask', then: [{ task: { title: 'Answer {{subject}}' } }] }
  - { id: away, when: 'subject:away', then: [archive] }
  - { id: word, when: 'subject:word', then: [{ label: work }] }
  - { id: star, when: 'subject:star', then: [flag] }
  - { id: filed, when: 'subject:filed', then: [{ move: 'FILED' }] }
"""
FILED = "Projects/Größe"
DEMO = REPOSITORY / "Sources" / "opus" / "DemoMail" / "INBOX"
ROUNDS = int(os.environ.get("OPUS_ROUNDS", "3"))


def users_of(folder):
    """The processes that name a folder, or live in it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            told = [(process / "cmdline").read_text(errors="replace"), str((process / "root").readlink()),
                    str((process / "cwd").readlink())]
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue  # it ended while we looked
        if any(str(folder) in text for text in told):
            found.append(process.name)
    return found


def decoded(subject):
    return str(email.header.make_header(email.header.decode_header(subject)))


class OnServer:
    """The server is started once for the class."""

    kind = "imap"
    #: Makes the server.
    server = None
    #: Whether words can be stored beside the five flags.
    has_keywords = True

    @classmethod
    def setUpClass(cls):
        made = cls.server
        reason = (made.func if isinstance(made, partial) else made).missing()
        if reason and os.environ.get("CI") == "true":
            raise RuntimeError(reason)
        if reason:
            raise unittest.SkipTest(reason)
        cls.running = made()
        cls.addClassCleanup(cls.running.stop)
        cls.running.start()

    def new_box(self, kind=None, on=None):
        return IMAPBox(on or self.running, f"u{next(_numbers)}")

    def tapped(self, box, rules=RULES):
        """A workspace whose account goes through a wire that counts."""
        wire = self.enterContext(Wiretap(self.running.imap_port))
        place = self.new_place(box, rules if isinstance(rules, Path) else rules.replace("FILED", box.exact(FILED)))
        place.configure(box.yaml(port=wire.port, security="none", host="127.0.0.1"))
        return wire, place

    # What is compared

    def stored(self, place):
        """{(mailbox, message id, subject): flags} of the store."""
        items = place.opus("list", "--all", "--json").json["items"]
        return sorted((self.named(item["mailbox"]), item["messageID"] or "", item["subject"],
                       tuple(sorted(item["flags"])), tuple(sorted(item["keywords"]))) for item in items)

    @staticmethod
    def named(mailbox):
        return mailbox if mailbox == "INBOX" else re.sub(r"^INBOX[./]", "", mailbox).replace(".", "/")

    def on_server(self, box):
        """The same of the server."""
        return sorted((held.mailbox, held.message_id.strip("<>"), decoded(held.subject),
                       tuple(sorted(flag[1:].lower() for flag in held.flags if flag[0] == "\\")),
                       tuple(sorted(flag for flag in held.flags if flag[0] != "\\"))) for held in box.everything())

    def assertEqualToServer(self, place, box):
        self.assertEqual(self.stored(place), self.on_server(box))

    def assertHarmless(self, commands):
        """No command that removes what we did not choose one by one."""
        for command in commands:
            self.assertNotIn(command.upper().split(" ")[0], ("EXPUNGE", "CLOSE", "DELETE"), command)


class Welcomed(OnServer):
    """How one gets in; and that a server is gone when it was stopped."""

    def test_the_account_is_checked_and_a_wrong_password_is_reported(self):
        place = self.new_place(self.new_box())
        self.check(place.opus("account", "check"), 0, "login", "archive", "trash")
        (place.root / "password").write_text("a guess\n")
        done = self.check(place.opus("account", "check"), 77)
        self.assertIn("password", done.text.lower())
        self.assertNotIn("a guess", done.text)

    def test_starttls_works_like_tls(self):
        box = self.new_box()
        box.add("INBOX", letter("Away"))
        place = self.new_place(box, RULES)
        place.configure(box.yaml(port=self.running.imap_port, security="starttls"))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"away": "Archive"})

    def test_command_mailboxes_are_made_once(self):
        box = self.new_box()
        place = self.new_place(box, settings="command-mailboxes: Opus\n")
        done = self.check(place.opus("run", "--yes"))
        self.assertNotIn("cannot be created", done.text)
        self.assertIn("Opus/Task", box.names())
        self.assertEqual(self.check(place.opus("run", "--yes")).out.strip(), "Nothing to do.")

    def test_a_message_that_was_moved_into_an_empty_mailbox_is_known_there_at_once(self):
        box = self.new_box()
        box.add("INBOX", letter("Away"))
        place = self.new_place(box)
        self.check(place.opus("sync"))
        item, = place.opus("list", "--json").json["items"]
        time.sleep(2)  # Courier gives an empty mailbox another UIDVALIDITY each second.
        self.check(place.opus("archive", item["id"]))
        listed, = place.opus("list", "--all", "--json").json["items"]
        self.assertEqual((listed["id"], listed["mailbox"].rpartition(".")[2]), (item["id"], "Archive"))
        self.check(place.opus("undo", "--yes"))
        self.assertPlaces(box, {"away": "INBOX"})
        self.check(place.opus("run", "--yes"))

    def test_a_server_that_was_stopped_leaves_no_process_and_no_file(self):
        made = type(self).server().start()
        made.add_user("ana")
        client = made.imap("ana")  # a session that stays open
        self.assertTrue(users_of(made.folder))
        made.stop()
        client.shutdown()
        self.assertFalse(made.folder.exists())
        self.assertEqual(users_of(made.folder), [])
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.1", made.imaps_port), 1)


class Followed(OnServer):
    """What a sync and a triage do."""

    def test_the_first_sync_is_complete_and_the_second_fetches_nothing(self):
        box = self.new_box()
        box.add("INBOX", [letter(f"Number {n}", minutes=n) for n in range(12)], flags=[r"\Seen"])
        box.add("INBOX", [letter("=?utf-8?q?=C3=BCber?=", "word", minutes=30), letter("Empty", body="", minutes=31),
                          letter("Long", body="x" * 900 + "\n" + "y\n" * 30_000, minutes=32)], flags=[r"\Flagged"])
        box.add("Sent", letter("Sent one", minutes=40), flags=[r"\Answered", r"\Seen"])
        box.add(FILED, letter("Deep", minutes=41))
        wire, place = self.tapped(box)
        self.check(place.opus("sync"))
        self.assertEqualToServer(place, box)
        ids = {item["messageID"]: item["id"] for item in place.opus("list", "--all", "--json").json["items"]}
        for mailbox, name in (("INBOX", "long@test.example"), (FILED, "deep@test.example")):
            raw = place.opus("show", "--raw", ids[name])
            self.assertEqual(raw.out.encode("utf-8", "surrogateescape"), box.body(mailbox, name))
        wire.reset()
        self.check(place.opus("sync"))
        self.assertFalse([c for c in wire.commands if "BODY" in c], wire.commands)
        self.assertHarmless(wire.commands)
        self.assertEqualToServer(place, box)

    def test_rules_name_mailboxes_with_slashes_whatever_the_server_writes(self):
        box = self.new_box()
        for mailbox in ("Projects/Acme", "Projects/Beta", "Archive"):
            if mailbox not in box.names():
                box.create(mailbox)
        box.add("Projects/Acme", [letter("Old"), letter("Stays")])
        box.add("Projects/Beta", letter("Held old"))
        box.add("INBOX", [letter("New"), letter("Later")])
        place = self.new_place(box, """\
rules-version: 1
name: names
protect: [{ held: in:Projects/Beta }]
rules:
  - { id: new, when: subject:new, then: { move: Projects/Acme } }
  - { id: old, when: subject:old, mailboxes: ['Projects/*'], then: archive }
  - { id: all, when: subject:stays, mailboxes: ['*'], unless: in:Projects/Acme, then: archive }
""", extra="    folders: { deferred: Store/Later }\n")
        self.check(place.opus("sync"))
        checked = self.check(place.opus("rules", "check"))
        self.assertNotIn("does not exist", checked.text)
        self.check(place.opus("run", "--yes"))
        expected = {"old": "Archive", "stays": "Projects/Acme", "held-old": "Projects/Beta", "new": "Projects/Acme"}
        self.assertPlaces(box, {**expected, "later": "INBOX"})
        found = self.check(place.opus("search", "--json", "in:Projects/Acme")).json["items"]
        self.assertEqual(sorted(item["subject"] for item in found), ["New", "Stays"])
        later = place.opus("list", "--json", "subject:later").json["items"][0]["id"]
        self.check(place.opus("defer", later, "friday"), 0, "1 × moved to")
        self.assertPlaces(box, {**expected, "later": "Store/Later"})

    def test_changes_by_another_client_are_seen(self):
        box = self.new_box()
        box.add("INBOX", [letter(f"Number {n}", minutes=n) for n in range(8)])
        box.create("Elsewhere")
        wire, place = self.tapped(box)
        self.check(place.opus("sync"))
        ids = {item["messageID"]: item["id"] for item in place.opus("list", "--all", "--json").json["items"]}
        box.mark("INBOX", "number-1@test.example", add=[r"\Seen", r"\Flagged", *["word"] * self.has_keywords])
        box.remove("INBOX", "number-2@test.example")
        box.move("number-3@test.example", "INBOX", "Elsewhere")
        box.add("INBOX", letter("Number 9", minutes=9))
        self.check(place.opus("sync"))
        self.assertEqualToServer(place, box)
        box.mark("INBOX", "number-1@test.example", remove=[r"\Flagged"])
        box.mark("Elsewhere", "number-3@test.example", add=[r"\Answered"])
        self.check(place.opus("sync"))
        self.assertEqualToServer(place, box)
        later = {item["messageID"]: item["id"] for item in place.opus("list", "--all", "--json").json["items"]}
        del ids["number-2@test.example"], later["number-9@test.example"]
        self.assertEqual(later, ids)
        self.assertNothingMore(place, box)

    def test_a_triage_acts_once(self):
        box = self.new_box()
        box.create(FILED)
        box.add("INBOX", [letter("Away one"), letter("Away two", minutes=1), letter("Star", minutes=2),
                          letter("Ask", minutes=3), letter("Filed", minutes=4), letter("Stays", minutes=5)])
        box.add("INBOX", letter("Others", minutes=6), flags=[r"\Deleted"])
        if self.has_keywords:
            box.add("INBOX", letter("Word", minutes=7))
        wire, place = self.tapped(box)
        self.check(place.opus("run", "--yes"))
        self.assertHarmless(wire.commands)
        self.assertPlaces(box, {"away-one": "Archive", "away-two": "Archive", "filed": FILED, "star": "INBOX",
                                "ask": "INBOX", "stays": "INBOX", "others": "INBOX"})
        self.assertIn(r"\Flagged", box.find("INBOX", "star@test.example").flags)
        self.assertIn(r"\Deleted", box.find("INBOX", "others@test.example").flags)
        if self.has_keywords:
            self.assertIn("work", box.find("INBOX", "word@test.example").flags)
        self.assertNothingMore(place, box)
        place.edit("Answer Ask", ("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"ask": "Archive"})
        self.assertNothingMore(place, box)
        self.assertEqualToServer(place, box)
        self.assertHarmless(wire.commands)

    def test_deferred_mail_comes_back_on_its_day_after_the_store_was_lost(self):
        day_before, day = "2026-03-11T09:00:00+01:00", "2026-03-12T10:01:00+01:00"
        box = self.new_box()
        box.add("INBOX", [letter("Later"), letter("Someday", minutes=1)])
        wire, place = self.tapped(box)
        self.check(place.opus("sync"))
        ids = {item["subject"]: item["id"] for item in place.opus("list", "--json").json["items"]}
        self.check(place.opus("defer", ids["Later"], "12", "march", "10:00"))
        self.check(place.opus("defer", ids["Someday"], "someday"))
        shutil.rmtree(place.root / ".opus")
        self.check(place.opus("run", "--yes", now=day_before))
        self.assertPlaces(box, {"later": "Deferred", "someday": "Deferred"})
        shutil.rmtree(place.root / ".opus")
        self.check(place.opus("run", "--yes", now=day))
        self.assertPlaces(box, {"later": "INBOX", "someday": "Deferred"})
        self.assertNothingMore(place, box, now=day)
        self.assertHarmless(wire.commands)

    def test_the_starter_rules_act_once_on_the_sample_mail(self):
        box = self.new_box()
        count = self.deliver_samples(box)
        wire, place = self.tapped(box, REPOSITORY / "rules")
        done = place.opus("run", "--yes", "--max", "none")
        if self.has_keywords:
            self.check(done)
        else:
            self.check(done, 1, "the server cannot keep the label")  # and all the rest is done
        self.assertGreaterEqual(len(box.everything()), count)  # a rule may leave a draft
        self.assertTrue(box.held("Archive"))
        self.assertNothingMore(place, box)
        self.assertHarmless(wire.commands)

    def deliver_samples(self, box):
        """The demo's mail, without the few that a server refuses (Cyrus wants header fields to be whole)."""
        taken = 0
        for path in sorted(DEMO.glob("*.eml")):
            try:
                box.add("INBOX", path.read_bytes())
                taken += 1
            except RuntimeError as refusal:
                self.assertIn("invalid header", str(refusal))
        self.assertGreater(taken, 25)
        return taken

    def test_a_mailbox_that_was_made_again_loses_nothing(self):
        box = self.new_box()
        box.create("Work")
        box.add("Work", [letter(f"Number {n}", minutes=n) for n in range(5)], flags=[r"\Flagged"])
        box.add("INBOX", letter("Away"))
        _, place = self.tapped(box)
        self.check(place.opus("run", "--yes"))
        # Courier's empty Archive had a passing UIDVALIDITY when the message came in.
        self.check(place.opus("sync"))
        before = {item["messageID"]: item["id"] for item in place.opus("list", "--all", "--json").json["items"]}
        validity = box.uid_validity("Work")
        box.remake("Work")
        self.assertNotEqual(box.uid_validity("Work"), validity)
        self.check(place.opus("run", "--yes"))
        after = {item["messageID"]: item["id"] for item in place.opus("list", "--all", "--json").json["items"]}
        self.assertEqual(after, before)
        self.assertEqualToServer(place, box)
        self.assertNothingMore(place, box)

    def test_random_changes_of_another_client_are_all_followed(self):
        seed = int(os.environ.get("OPUS_SEED", time.time_ns() % 1_000_000))
        dice, box = random.Random(seed), self.new_box()
        box.add("INBOX", [letter(f"Number {n}", minutes=n) for n in range(20)])
        place, counter = self.new_place(box), 20
        with self.subTest(seed=seed):
            for _ in range(ROUNDS):
                for _ in range(dice.randint(1, 5)):
                    counter += 1
                    self.change(dice, box, counter)
                self.check(place.opus("sync"))
                self.assertEqualToServer(place, box)

    def change(self, dice, box, number):
        """One random change by imaplib."""
        everything = box.everything()
        held = dice.choice(everything)
        kind = dice.choice(["new", "new", "mark", "mark", "unmark", "move", "remove"])
        if kind == "new" or len(everything) < 8:
            box.add(dice.choice(["INBOX", "Archive", "Trash"]), letter(f"Number {number}", minutes=number % 900))
        elif kind in ("mark", "unmark"):
            flags = dice.sample([r"\Seen", r"\Flagged", r"\Answered", r"\Deleted"], 2)
            box.mark(held.mailbox, held.message_id, **{"add" if kind == "mark" else "remove": flags})
        elif kind == "move":
            box.move(held.message_id, held.mailbox, dice.choice([n for n in ("INBOX", "Archive", "Trash", "Junk")
                                                                if n != held.mailbox]))
        else:
            box.remove(held.mailbox, held.message_id)


