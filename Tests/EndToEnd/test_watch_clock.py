"""`opus watch` while the clock of its machine is set forwards and backwards: what is due comes once, and nothing comes twice."""
import functools
import shutil
import subprocess
import tempfile
import time
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

from letters import letter
from watcher import PATIENCE, Watching, kind
from wiretap import Wiretap
from workplace import Case

RULES = ("rules-version: 1\nrules:\n"
         "  - { id: news, auto: true, when: 'subject:news', then: archive }\n"
         "  - { id: old, auto: true, when: 'subject:old older:2d', then: archive }\n")
DELEGATION = ("rules-version: 1\nrules:\n  - { id: hand-over, auto: true, when: 'subject:hand', "
              "then: [{ delegate: { to: bob@acme.example } }, archive] }\n")
DAY = 86_400


@functools.cache
def library():
    """The library that moves the clock of one program; None: this machine has no C compiler."""
    if not shutil.which("cc"):
        return None
    path = Path(tempfile.mkdtemp(prefix="opus-clock-")) / "clock.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", path, Path(__file__).with_name("clock.c")], check=True)
    return path


class Clock(Case):
    kind = "imap"

    @classmethod
    def setUpClass(cls):
        if library() is None:
            raise unittest.SkipTest("no C compiler (cc) to build the library that sets the clock of one program")

    def setUp(self):
        super().setUp()
        self.box = self.new_box()
        self.box.add("INBOX", [letter("First", "first"), letter("Second", "second")])
        wire = self.enterContext(Wiretap(self.box.servers.imap_port))
        self.place = self.new_place(self.box, rules=RULES)
        self.place.configure(self.box.yaml(port=wire.port, security="none", host="127.0.0.1"))
        self.file = self.place.root.parent / "clock"
        self.set(0)
        self.environment = {"LD_PRELOAD": str(library()), "OPUS_TEST_CLOCK": str(self.file)}
        self.check(self.opus("run", "--yes"))

    def set(self, seconds):
        """The clock is so far ahead of the machine's."""
        beside = self.file.with_name("clock.new")
        beside.write_text(str(seconds))
        beside.rename(self.file)
        self.shift = seconds

    @property
    def now(self):
        return datetime.now(timezone.utc) + timedelta(seconds=self.shift)

    def opus(self, *words):
        return self.place.opus(*words, now=None, environment=self.environment)

    def defer(self, subject, **after):
        item, = [item for item in self.opus("list", "--json").json["items"] if item["subject"] == subject]
        when = (self.now + timedelta(**after)).strftime("%Y-%m-%dT%H:%M:%S+00:00")
        self.check(self.opus("defer", item["id"], when))

    def delegated(self, watch):
        """A rule has delegated a mail; returns its draft."""
        watch.until(kind("listening"))
        self.box.add("INBOX", letter("Hand over", "hand"))
        self.comes_to("hand", "Archive")
        end = time.monotonic() + PATIENCE
        while not (drafts := self.box.held("Drafts")):
            self.assertLess(time.monotonic(), end, "no draft")
            time.sleep(0.05)
        # The watch has read the draft back.
        watch.until(lambda event: event["type"] == "applied" and event["run"]["confirmed"] >= 3)
        return drafts[0].message_id

    def removed(self, watch, draft):
        seen = len(watch.all("synced"))
        self.box.remove("Drafts", draft)
        end = time.monotonic() + PATIENCE
        while len(watch.all("synced")) == seen:
            self.assertLess(time.monotonic(), end, watch.text)
            time.sleep(0.05)
        time.sleep(1)

    def states(self):
        return [item["wait"]["state"] for item in self.opus("waiting", "--json").json["items"]]

    def test_a_draft_that_a_program_removes_before_it_files_the_sent_mail_was_sent(self):
        self.place.write_rules(DELEGATION)
        with Watching(self.place, environment=self.environment) as watch:
            draft = self.delegated(watch)
            mail = self.box.body("Drafts", draft)
            self.removed(watch, draft)
            self.assertEqual(self.box.where("hand@test.example"), ["Archive"])
            self.assertEqual(self.states(), ["drafted"])
            self.box.add("Sent", mail.replace(b"\r\n", b"\n"), flags=[r"\Seen"])
            end = time.monotonic() + PATIENCE
            while self.states() != ["sent"]:
                self.assertLess(time.monotonic(), end, watch.text)
                time.sleep(0.2)
            self.set(180)
            time.sleep(3)
            self.assertEqual((self.states(), self.box.where("hand@test.example")), (["sent"], ["Archive"]))

    def test_a_draft_that_stays_away_was_discarded(self):
        self.place.write_rules(DELEGATION)
        with Watching(self.place, environment=self.environment) as watch:
            self.removed(watch, self.delegated(watch))
            self.assertEqual(self.box.where("hand@test.example"), ["Archive"])
            self.set(180)
            self.comes_to("hand", "INBOX")
            self.assertEqual(self.states(), [])

    def comes_to(self, name, mailbox):
        end = time.monotonic() + PATIENCE
        while self.box.where(f"{name}@test.example") != [mailbox]:
            self.assertLess(time.monotonic(), end, f"{name} is not in {mailbox}: {self.box.where(f'{name}@test.example')}")
            time.sleep(0.05)

    def stays(self, name, mailbox, seconds=6):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.assertEqual(self.box.where(f"{name}@test.example"), [mailbox])
            time.sleep(0.2)

    def test_the_clock_of_one_program_can_be_set(self):
        self.set(400 * DAY)
        document = self.check(self.opus("status", "--json")).json
        self.assertIn("items", document)
        seen = subprocess.run(["date", "+%s"], env={"PATH": "/usr/bin:/bin", **self.environment}, capture_output=True, text=True)
        self.assertGreater(int(seen.stdout), time.time() + 399 * DAY)

    def test_what_is_due_after_a_jump_forwards_comes_at_once(self):
        self.defer("First", days=3)
        self.comes_to("first", "Deferred")
        self.defer("Second", days=30)
        self.comes_to("second", "Deferred")
        with Watching(self.place, environment=self.environment) as watching:
            _, number = watching.until(kind("listening"))
            self.stays("first", "Deferred", 2)
            self.set(4 * DAY)
            self.comes_to("first", "INBOX")
            self.stays("second", "Deferred", 2)
            self.box.add("INBOX", letter("News 1", "news1"))
            self.comes_to("news1", "Archive")
            status = self.check(self.opus("status")).text
            self.assertNotRegex(status, r"-\d+ (s|min|h|d)")
            self.assertEqual(watching.all("silent"), [], "the clock was wrong, and not the watch")

    def test_after_a_jump_backwards_nothing_comes_too_early_or_twice(self):
        self.set(40 * DAY)
        self.defer("First", seconds=5)
        with Watching(self.place, environment=self.environment) as watching:
            watching.until(kind("listening"))
            self.comes_to("first", "INBOX")
            self.defer("Second", days=1)
            self.comes_to("second", "Deferred")
            # The clock was wrong: it is 40 days earlier.
            self.set(0)
            self.box.add("INBOX", letter("News 1", "news1"))
            self.comes_to("news1", "Archive")
            self.stays("first", "INBOX")
            self.assertEqual(self.box.where("second@test.example"), ["Deferred"])
            status = self.check(self.opus("status"))
            self.assertNotRegex(status.text, r"-\d+ (s|min|h|d)")
            self.defer("First", seconds=5)
            self.comes_to("first", "Deferred")
            self.comes_to("first", "INBOX")
            self.assertEqual(watching.all("silent"), [])
            self.assertEqual(watching.all("lost"), [])
        runs = self.check(self.opus("runs", "--json")).json["items"]
        self.assertEqual(len({run["id"] for run in runs}), len(runs))

    def test_a_step_that_waits_is_tried_again_after_a_jump_backwards(self):
        """Its next attempt would be 40 days away."""
        self.set(40 * DAY)
        wire = self.enterContext(Wiretap(self.box.servers.imap_port))
        self.place.configure(self.box.yaml(port=wire.port, security="none", host="127.0.0.1"))
        wire.refuse("^UID MOVE", "NO [INUSE] not now")
        with Watching(self.place, environment=self.environment) as watching:
            _, number = watching.until(kind("listening"))
            self.box.add("INBOX", letter("News 1", "news1"))
            end = time.monotonic() + PATIENCE
            while not any("UID MOVE" in line for line in wire.commands):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.05)
            time.sleep(1)
            wire.open()
            self.set(0)
            self.comes_to("news1", "Archive")


if __name__ == "__main__":
    unittest.main()
