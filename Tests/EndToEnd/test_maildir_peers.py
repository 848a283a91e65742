"""A Maildir that other programs work on at the same time: mbsync, Dovecot and a delivery agent."""
import os
import random
import re
import shutil
import subprocess
import threading
import time
import unittest

from boxes import IMAPBox, MaildirBox, VerbatimBox
from letters import letter
from servers import MAIL_UID
from workplace import Case, _numbers, servers

RULES = """\
rules-version: 1
name: peers
rules:
  - { id: away, when: 'subject:away', then: [archive] }
  - { id: star, when: 'subject:star', then: [flag, { move: Work }] }
  - { id: word, when: 'subject:word', then: [{ label: work }] }
"""
ROUNDS = int(os.environ.get("OPUS_ROUNDS", "10"))
#: mbsync's message about a UID in a file name that it did not write.
COMPLAINTS = re.compile(r"duplicate|beyond|changing UIDVALIDITY|lost|error", re.IGNORECASE)


class Mbsync(Case):
    """mbsync between the private Dovecot (far) and a Maildir that our program uses (near)."""

    box = MaildirBox
    layout = "Maildir++"

    def setUp(self):
        super().setUp()
        if not shutil.which("mbsync"):
            self.fail("mbsync is not installed; run .ci/packages test") if os.environ.get("CI") == "true" else \
                self.skipTest("mbsync is not installed; run .ci/packages test")
        self.far = IMAPBox(servers(), f"u{next(_numbers)}")
        self.near = self.box(self.folder / "Maildir")
        self.settings = self.folder / "mbsyncrc"
        self.settings.write_text(f"""\
IMAPAccount far
Host localhost
Port {servers().imaps_port}
User {self.far.user}
Pass {servers().password}
SSLType IMAPS
CertificateFile {servers().ca_file}

IMAPStore far
Account far

MaildirStore near
{self.path()}Inbox {self.near.place("INBOX")}
SubFolders {self.layout}

Channel all
Far :far:
Near :near:
Patterns *
Create Both
Expunge Both
SyncState *
""")
        self.place = self.new_place(self.near, RULES)
        self.said = ""

    def path(self):
        return ""

    def start_mbsync(self):
        return subprocess.Popen(["mbsync", "-c", self.settings, "all"], stdin=subprocess.DEVNULL, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                env={"PATH": os.environ["PATH"], "HOME": str(self.folder)})

    def mbsync(self):
        self.finish(self.start_mbsync())

    def finish(self, process, code=0):
        said = process.communicate(timeout=120)[0]
        self.said += said
        self.assertIn(process.returncode, (0, code), said)

    def places(self, box):
        return sorted((held.message_id.strip("<>").partition("@")[0], held.mailbox) for held in box.everything())

    def marks(self, box):
        return sorted((held.message_id, frozenset(f for f in held.flags if f[0] == "\\")) for held in box.everything())

    def stored(self):
        items = self.place.opus("list", "--all", "--json").json["items"]
        return sorted((item["messageID"].partition("@")[0], item["mailbox"]) for item in items)

    def assertAllEqual(self):
        """After quiet: the server, the folders and our store hold the same, and mbsync never complained."""
        for _ in range(2):
            self.mbsync()
        self.check(self.place.opus("run", "--yes"))
        self.mbsync()
        self.check(self.place.opus("sync"))
        self.assertEqual(self.places(self.near), self.places(self.far))
        self.assertEqual(self.marks(self.near), self.marks(self.far))
        self.assertEqual(self.stored(), self.places(self.near))
        self.assertNothingMore(self.place, self.near)
        self.assertIsNone(COMPLAINTS.search(self.said), self.said)

    def test_moves_and_marks_of_opus_reach_the_server_once(self):
        self.far.add("INBOX", [letter("Away one"), letter("Star two", minutes=1), letter("Plain", minutes=2)])
        self.far.add("Archive", letter("Old", minutes=3))
        self.mbsync()
        self.assertTrue([held for held in self.near.held("INBOX") if ",U=" in held.uid])
        self.near.create("Work")
        self.check(self.place.opus("run", "--yes"))
        self.assertPlaces(self.near, {"away-one": "Archive", "star-two": "Work", "plain": "INBOX", "old": "Archive"})
        for mailbox, name in (("Archive", "away-one"), ("Work", "star-two")):
            self.assertNotIn(",U=", self.near.find(mailbox, f"{name}@test.example").uid)
        self.mbsync()
        self.assertPlaces(self.far, {"away-one": "Archive", "star-two": "Work", "plain": "INBOX", "old": "Archive"})
        self.assertIn(r"\Flagged", self.far.find("Work", "star-two@test.example").flags)
        self.assertAllEqual()

    def test_a_message_that_gets_its_uid_between_two_syncs_is_not_new(self):
        self.near.add("INBOX", [letter("Plain"), letter("Word", minutes=1)])
        self.check(self.place.opus("run", "--yes"))
        before = {item["messageID"]: item["id"] for item in self.place.opus("list", "--json").json["items"]}
        self.mbsync()
        self.assertTrue(all(",U=" in held.uid for held in self.near.held("INBOX")))
        done = self.check(self.place.opus("run", "--yes"))
        self.assertEqual(done.out, "Nothing to do.\n")
        self.assertEqual({item["messageID"]: item["id"] for item in self.place.opus("list", "--json").json["items"]},
                         before)
        self.assertAllEqual()

    def test_all_of_them_at_once(self):
        seed = int(os.environ.get("OPUS_SEED", time.time_ns() % 1_000_000))
        dice = random.Random(seed)
        self.near.create("Work")
        self.far.add("INBOX", [letter(f"Plain {n}", minutes=n) for n in range(15)])
        expected = {f"plain-{n}" for n in range(15)}
        with self.subTest(seed=seed):
            for number in range(ROUNDS):
                process = self.start_mbsync()
                ours = self.place.start("run", "--yes", "--max", "none")
                expected |= self.work(dice, number)
                ours.wait(120)
                # A file that we rename while mbsync reads the folder makes it give up the folder until next time.
                self.finish(process, code=1)
            self.said = ""
            self.assertAllEqual()
            found = [name for name, _ in self.places(self.far)]
            self.assertEqual(len(found), len(set(found)), "a message is there twice")
            self.assertEqual(set(found) - self.gone, expected - self.gone)
            self.assertFalse([name for name, mailbox in self.places(self.far)
                              if name.startswith(("away", "star")) and mailbox == "INBOX"])

    gone = frozenset()

    def work(self, dice, number):
        """What comes and changes meanwhile; returns the names of what came."""
        kinds = [dice.choice(["Away", "Star", "Plain", "Word"]) + f" {number}-{n}" for n in range(4)]
        self.far.add("INBOX", [letter(kind, minutes=number) for kind in kinds[:2]])
        self.near.add("INBOX", [letter(kind, minutes=number) for kind in kinds[2:]])
        # Others touch only what no rule moves: two who move the same message make two of it, rightly.
        plain = [held for held in self.far.held("INBOX") if held.subject.startswith("Plain")]
        for held in dice.sample(plain, min(3, len(plain))):
            kind = dice.choice(["seen", "flagged", "move", "remove"])
            if kind == "move":
                self.far.move(held.message_id, "INBOX", "Trash")
            elif kind == "remove" and len(plain) > 6:
                self.far.remove("INBOX", held.message_id)
                self.gone |= {held.message_id.strip("<>").partition("@")[0]}
            else:
                self.far.mark("INBOX", held.message_id, add=[r"\Flagged" if kind == "flagged" else r"\Seen"])
        return {kind.lower().replace(" ", "-") for kind in kinds}


class MbsyncVerbatim(Mbsync):
    """The same with mailboxes side by side."""

    box = VerbatimBox
    layout = "Verbatim"
    test_all_of_them_at_once = None

    def path(self):
        return f"Path {self.near.folder}/\n"

    def test_names_travel_both_ways(self):
        self.far.add("Work/Über", letter("Star two"))
        self.far.add("INBOX", letter("Away one"))
        self.mbsync()
        self.near.create("Work/Neue/Über")
        self.place.write_rules(RULES.replace("[archive]", "[{ move: Work/Neue/Über }]"))
        self.check(self.place.opus("run", "--yes"))
        self.mbsync()
        self.assertPlaces(self.far, {"star-two": "Work/Über", "away-one": "Work/Neue/Über"})
        self.assertAllEqual()


class Neighbours(Case):
    """Dovecot on the same folders, and a delivery agent that does not wait."""

    def test_keywords_mean_the_same_to_dovecot_and_to_us(self):
        far = IMAPBox(servers(), f"u{next(_numbers)}")
        far.add("INBOX", [letter("Word"), letter("Away", minutes=1), letter("Plain", minutes=2)])
        far.mark("INBOX", "plain@test.example", add=["theirs"])
        far.mark("INBOX", "away@test.example", add=["theirs", "second"])
        near = MaildirBox.__new__(MaildirBox)
        near.folder, near._numbers = far.folder, 0
        near.create("Archive")
        place = self.new_place(near, RULES)
        who = self.give_to_dovecot(near, place)
        self.check(place.opus("run", "--yes", **who))
        self.assertEqual(self.words(far, "INBOX", "word"), {"work"})
        self.assertEqual(self.words(far, "Archive", "away"), {"theirs", "second"})
        far.mark("INBOX", "word@test.example", add=["later"], remove=["work"])
        far.mark("INBOX", "plain@test.example", add=["work"])
        self.check(place.opus("sync", **who))
        items = {item["messageID"].partition("@")[0]: set(item["keywords"])
                 for item in place.opus("list", "--all", "--json", **who).json["items"]}
        self.assertEqual(items, {"word": {"later"}, "plain": {"theirs", "work"}, "away": {"theirs", "second"}})

    def words(self, box, mailbox, name):
        return {flag for flag in box.find(mailbox, f"{name}@test.example").flags if flag[0] != "\\"}

    def give_to_dovecot(self, near, place):
        """Our program works as the user whose mail it is; options for it."""
        if os.geteuid() != 0:
            return {}
        self.folder.chmod(0o755)
        for path in (near.folder, *near.folder.rglob("*"), place.root, *place.root.rglob("*")):
            os.chown(path, MAIL_UID, MAIL_UID)
        return {"user": MAIL_UID, "group": MAIL_UID, "extra_groups": []}

    def test_mail_that_is_delivered_while_we_sync_is_read_once(self):
        box = MaildirBox(self.folder / "Maildir")
        place = self.new_place(box, RULES)
        names = [f"n{n}" for n in range(300)]

        def deliver():
            for number, name in enumerate(names):
                box.add("INBOX", letter("Away" if number % 3 == 0 else "Plain", name, minutes=number))

        agent = threading.Thread(target=deliver)
        agent.start()
        while agent.is_alive():
            self.assertIn(place.opus("run", "--yes", "--max", "none").code, (0,))
        agent.join()
        self.check(place.opus("run", "--yes", "--max", "none"))
        expected = {name: "Archive" if number % 3 == 0 else "INBOX" for number, name in enumerate(names)}
        self.assertPlaces(box, expected)
        items = place.opus("list", "--all", "--json").json["items"]
        self.assertEqual({item["messageID"].partition("@")[0]: item["mailbox"] for item in items}, expected)
        self.assertNothingMore(place, box)


if __name__ == "__main__":
    unittest.main()
