"""Killed in the middle and run again: every message once in its place, every task once, every draft once.

OPUS_KILLS says how many points in time are tried for `run` on each kind of account (5 without it); `sync`, which
changes nothing on the account, gets half of them.
"""
import os
import shutil
import signal
import time
import unittest

import icalendar
from letters import letter
from servers import MAIL_UID
from workplace import Case, Workplace, on_both, servers

POINTS = int(os.environ.get("OPUS_KILLS", 5))
COUNT = 120
RULES = """\
rules-version: 1
name: kill
rules:
  - { id: away, when: 'subject:away', then: [{ label: old }, archive] }
  - { id: ask, when: 'subject:ask', then: [{ task: { title: 'Answer {{subject}}' } }, { move: Projects }] }
  - { id: hand-over, when: 'subject:please', then: [{ delegate: { to: bob@acme.example } }, archive] }
  - { id: wait, when: 'subject:wait', then: [{ defer: tomorrow }] }
  - { id: mark, when: 'subject:mark', then: [flag, { mark: read }] }
"""
KINDS = ("away", "ask", "please", "wait", "mark", "stay")
PLACES = dict(zip(KINDS, ("Archive", "Projects", "Archive", "Deferred", "INBOX", "INBOX")))


def messages():
    return [letter(f"{KINDS[n % 6].capitalize()} {n}", f"{KINDS[n % 6]}-{n}", minutes=n, body="text " * 100)
            for n in range(COUNT)]


@on_both
class Killed:
    """A fresh copy of the same mailbox for each point in time."""

    def setUp(self):
        super().setUp()
        self.first = self.new_box()
        self.first.add("INBOX", messages())
        self.first.create("Projects")
        self.copies = 0

    def fresh(self):
        box = self.new_box()
        shutil.rmtree(box.folder)
        shutil.copytree(self.first.folder, box.folder)
        if box.kind == "imap" and os.geteuid() == 0:
            for path in (box.folder, *box.folder.rglob("*")):
                os.chown(path, MAIL_UID, MAIL_UID)
        self.copies += 1
        return box, Workplace(self.folder / f"workspace{self.copies}", box.yaml(), RULES, "brakes: { share: 100 }\n")

    def kill(self, place, words, seconds):
        """False when the command was faster."""
        process = place.start(*words)
        time.sleep(seconds)
        finished = process.poll() is not None
        if not finished:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return not finished

    def settle(self, box, place):
        """One run to the end, and a second one with nothing to do; then everything is where it should be."""
        self.check(place.opus("run", "--yes", "--max", "none"))
        found = {}
        for held in box.everything():
            found.setdefault(held.message_id.strip("<>").partition("@")[0], []).append(held)
        drafts = [held for kept in found.values() for held in kept if held.mailbox == "Drafts"]
        self.assertEqual(sorted(held.subject for held in drafts),
                         sorted(f"Fwd: Please {n}" for n in range(COUNT) if KINDS[n % 6] == "please"))
        for n in range(COUNT):
            kind = KINDS[n % 6]
            kept = found.get(f"{kind}-{n}", [])
            self.assertEqual([held.mailbox for held in kept], [PLACES[kind]], f"{kind}-{n}")
            expected = {"away": {"old"}, "mark": {r"\Flagged", r"\Seen"}}.get(kind, set())
            self.assertEqual(kept[0].flags, frozenset(expected), f"{kind}-{n}")
        summaries = []
        for path in place.tasks.glob("*/*.ics"):
            todos = icalendar.Calendar.from_ical(path.read_bytes()).walk("VTODO")
            summaries += [str(todo["SUMMARY"]) for todo in todos]
        self.assertEqual(sorted(summaries), sorted(
            [f"Answer Ask {n}" for n in range(COUNT) if KINDS[n % 6] == "ask"]
            + [f"Waiting for bob@acme.example: Please {n}" for n in range(COUNT) if KINDS[n % 6] == "please"]))
        self.assertNothingMore(place, box)

    def duration(self, prepare, words):
        """Of the faster of two runs: the first one may have waited for the disk."""
        found = []
        for _ in range(2):
            _, place = self.fresh()
            if prepare:
                self.check(place.opus(*prepare))
            found.append(self.check(place.opus(*words)).seconds)
        return min(found)

    def kill_at_points(self, points, prepare, words):
        whole = self.duration(prepare, words)
        killed = 0
        for point in range(points):
            delay = whole * (point + 0.5) / points
            with self.subTest(f"{' '.join(words)} after {delay:.3f} s of {whole:.3f}"):
                box, place = self.fresh()
                if prepare:
                    self.check(place.opus(*prepare))
                killed += self.kill(place, words, delay)
                self.settle(box, place)
        self.assertGreaterEqual(killed, max(1, points // 3), "the delays were too long to kill anything")

    def test_sync(self):
        self.kill_at_points(max(1, POINTS // 2), None, ["sync"])

    def test_run(self):
        self.kill_at_points(POINTS, ["sync"], ["run", "--yes", "--max", "none"])

    def test_killed_again_and_again(self):
        box, place = self.fresh()
        whole = self.duration(None, ["run", "--yes", "--max", "none"])
        for point in range(POINTS):
            self.kill(place, ["run", "--yes", "--max", "none"], whole * (point + 0.5) / POINTS)
        self.settle(box, place)


class KilledWhileSending(Case):
    """A sent mail is not sent again, and a mail that may have been sent is reported, not guessed."""

    kind = "imap"
    RULES = """\
rules-version: 1
name: kill
rules:
  - { id: hand-over, when: 'subject:please', then: [{ delegate: { to: 'TO', send: now } }, archive] }
"""
    SEND = "allow-send: true\nsend: { max-per-recipient-per-hour: 60 }\n"
    MAILS = 8

    def test_no_mail_is_sent_twice(self):
        if not servers().has_smtp:
            self.skipTest("Postfix needs root")
        whole = None
        for point in range(-1, max(2, POINTS // 2)):
            address = f"killed-{point + 1}@far.example"
            box = self.new_box()
            box.add("INBOX", [letter(f"Please {n}", minutes=n) for n in range(self.MAILS)])
            place = self.new_place(box, self.RULES.replace("TO", address), self.SEND, smtp="tls",
                                   name=f"sending{point + 1}")
            self.check(place.opus("sync"))
            words = ("run", "--yes", "--max", "none")
            if whole is None:
                whole = self.check(place.opus(*words)).seconds
            else:
                process = place.start(*words)
                time.sleep(whole * (point + 0.5) / max(2, POINTS // 2))
                process.kill()
                process.wait()
            with self.subTest(address):
                self.all_once(box, place, address, place.opus(*words))

    def all_once(self, box, place, address, done):
        """A mail that may have left is undecided; one that certainly has not waits for confirmation, with the reason."""
        waiting = place.opus("status", "--json").json["items"][0]
        states = [entry["step"]["state"] for entry in waiting["needsWord"] + waiting["waiting"]
                  if entry["step"]["kind"] == "submit"]
        undecided = sum(state in ("needs-decision", "unknown") for state in states)
        planned = sum(state == "planned" for state in states)
        self.assertEqual(undecided + planned, len(states), states)
        self.assertEqual(done.code, 1 if undecided else 0, str(done))
        self.assertLessEqual(undecided, 1)
        if planned:
            self.check(place.opus("status"), 0, "opus ended in the middle of the last run")
        certain = self.MAILS - undecided - planned
        subjects = self.arrived(address, certain)
        self.assertEqual(len(subjects), len(set(subjects)), "sent twice")
        self.assertGreaterEqual(len(subjects), certain)
        self.assertLessEqual(len(subjects), certain + undecided)
        copies = [held.subject for held in box.held("Sent")]
        self.assertEqual(len(copies), len(set(copies)))
        self.assertGreaterEqual(len(copies), certain)
        if not states:
            self.assertNothingMore(place, box)

    def arrived(self, address, count):
        end = time.monotonic() + 10
        while True:
            found = [str(mail["Subject"]) for mail in servers().captured() if address in str(mail["To"])]
            if len(found) >= count or time.monotonic() > end:
                return found
            time.sleep(0.1)


if __name__ == "__main__":
    unittest.main()
