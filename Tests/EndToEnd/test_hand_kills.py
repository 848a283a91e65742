"""Killed at any step of a command by hand, the next run ends it: nothing of it is there, or all of it, once.

The same for what the everyday loop does: screener, lists, bundles, command mailboxes, the first day and the review. There
each change is undone too, and a step that the disk refuses loses nothing.

OPUS_HAND_KILLS says how many steps of each command are tried, spread over all (2), OPUS_HAND_FAULTS at how many the
disk is full (2).
"""
import errno
import os
import re
import shutil
import tempfile

import time
import unittest

import screen
import shim
from figures import note
from letters import ANA, letter
from servers import MAIL_UID
from test_write import WebServer
from workplace import Case, servers

POINTS = int(os.environ.get("OPUS_HAND_KILLS", "2"))
FAULTS = int(os.environ.get("OPUS_HAND_FAULTS", "2"))
#: MSG stands for the id of the message.
COMMANDS = (
    ("defer", "MSG", "friday"),
    ("delegate", "MSG", "bob@acme.example", "--note", "Yours please."),
    ("wait", "MSG", "--until", "friday"),
    ("task", "from", "MSG"),
    ("archive", "MSG"),
    ("briefing", "--mail"),
    ("compose", "--to", "bob@acme.example", "--subject", "Unsent", "--body", "/dev/null"),
)


class Killing(Case):
    """One command after the other, each from the same beginning."""

    kind = "maildir"

    def save(self, place, box):
        folders, saved = [place.root, box.folder], self.folder / "saved"
        shutil.rmtree(saved, ignore_errors=True)
        for folder in folders:
            shutil.copytree(folder, saved / folder.name, symlinks=True)

        def restore():
            for folder in folders:
                shutil.rmtree(folder)
                shutil.copytree(saved / folder.name, folder, symlinks=True)
            if box.kind == "imap":
                for path in (box.folder, *box.folder.rglob("*")):
                    os.chown(path, MAIL_UID, MAIL_UID)
        return restore

    def below(self, environment):
        """The steps in the Maildir, too."""
        return environment | {"OPUS_SHIM_BELOW": str(self.folder)}

    def steps(self, place, words, **options):
        """How many steps the command has; it is carried out."""
        return self.steps_and_changes(place, words, **options)[0]

    def steps_and_changes(self, place, words, **options):
        """The same, and the numbers of the steps that change mail, tasks or lists."""
        count, names = self.folder / "count", self.folder / "names"
        names.unlink(missing_ok=True)
        environment = shim.counting(place, count) | shim.naming(place, names)
        self.check(self.give(place, words, environment=self.below(environment), **options))
        rows = [row.split(" ", 1) for row in names.read_text().splitlines()] if names.exists() else []
        changes = [int(step) for step, name in rows if not re.search(r"store\.sqlite|/tmp/|\.lock|\.opus", name)]
        return int(count.read_text()), changes

    def give(self, place, words, typed="", **options):
        with tempfile.TemporaryFile() as answers:
            answers.write(typed.encode())
            answers.seek(0)
            return place.opus(*words, stdin=answers, **options)

    def state(self, box, place):
        """Where each message is with which flags, and the tasks, without what differs from run to run."""
        mail = sorted((mailbox, found.message_id if "@test.example" in found.message_id else "new",
                       tuple(sorted(found.flags)))
                      for mailbox in box.names() for found in box.held(mailbox))
        tasks = sorted(f"{line['list']}: {line['summary']}"
                       for line in self.check(place.opus("task", "list", "--json")).json["items"])
        # Each reminder has a line in the notes of its task.
        tasks += sorted(f"reminder of {path.parent.name}" for path in place.tasks.glob("*/*.ics")
                        for _ in range(path.read_bytes().replace(b"\r\n ", b"").count(b"Nudge 2")))
        return mail, tasks


class HandKills(Killing):
    points, commands = POINTS, COMMANDS

    def state(self, box, place):
        """Also how many lists of deferred mail there are."""
        mail, tasks = super().state(box, place)
        return mail + [("Deferred", "list", ())] * len(box.lists()), tasks

    def step(self, number, total):
        return 1 + (2 * number + 1) * total // (2 * self.points)

    def test_a_kill_at_any_step_of_a_command_by_hand(self):
        box = self.new_box()
        box.add("INBOX", [letter("Server move", sender="Carl Green <carl@other.example>"), letter("Lunch", minutes=1)])
        place = self.new_place(box)
        self.check(place.opus("sync"))
        item, = [one for one in place.opus("list", "--json").json["items"] if one["subject"] == "Server move"]
        restore = self.save(place, box)

        def settled():
            self.check(place.opus("run", "--yes"))
            return self.state(box, place)

        begun, halfway = self.state(box, place), 0
        before, killed, failed, played = settled(), 0, 0, 0
        for command in self.commands:
            words = [item["id"] if word == "MSG" else word for word in command]
            restore()
            (total, changes), done = self.steps_and_changes(place, words), self.state(box, place)
            after = settled()
            self.assertNotEqual(before, after, f"{command[0]} changes nothing")
            for number in range(self.points):
                # Every other kill comes between two changes, where there are two. Those of a server are not seen.
                step = (changes[(2 * number + 1) * len(changes) // (2 * self.points) - 1]
                        if number % 2 and self.kind == "maildir" else self.step(number, total))
                when = "after" if number % 2 else ("before", "torn")[number // 2 % 2]
                with self.subTest(f"{command[0]} killed {when} step {step} of {total}"):
                    restore()
                    killed += place.opus(*words, environment=self.below(shim.killing(place, step, when))).code != 0
                    played += 1
                    halfway += self.state(box, place) not in (begun, done)
                    try:
                        self.assertIn(settled(), (before, after))
                        self.assertEqual(settled(), self.state(box, place), "a second run changes nothing")
                    except AssertionError:
                        failed += 1
                        raise
        note("kills", f"commands by hand on {self.kind}, {killed} killed", played, failed)
        self.assertGreaterEqual(killed, played // 2)
        self.assertGreater(halfway, 0, "no kill came between two changes of one command")


class HandKillsOnDovecot(HandKills):
    kind, commands = "imap", COMMANDS[:2] + COMMANDS[-1:]

    def step(self, number, total):
        """First come the login and a look; in the second half of the steps, everything is done."""
        return total // 4 + super().step(number, total) // 3


EVE, ZED = "Eve Stone <eve@x.example>", "Zed <zed@y.example>"
READING = "rules-version: 1\nrules:\n  - { id: reading, when: 'from:@news.example', then: { bundle: Reading } }\n"
FIRST = """\
rules-version: 1
rules:
  - { id: pay, when: 'subject:invoice', then: [{ task: { title: 'Pay {{subject}}', list: next } }, { label: money }] }
"""
ORDERS = "command-mailboxes: Opus\npeople: { Bob: bob@acme.example }\n"
RUN = ("run", "--yes")
DAY = 24 * 60
ASKED = """\
rules-version: 1
rules:
  - { id: ask, mailboxes: [Sent], when: 'subject:question', then: [{ waiting: { until: +3 business days } }] }
"""
LATE = "2026-03-24T08:30:00+01:00"
#: Of files: before the clock of the tests.
OLD = 1_770_000_000


class Laid(Killing):
    """What a file of the workspace says belongs to the state."""

    def lay(self, *letters, rules=None, settings=""):
        box = self.new_box()
        for mailbox in ("Archive", "Drafts", "Sent", "Trash"):
            if mailbox not in box.names():
                box.create(mailbox)
        box.add("INBOX", [letter("Before", name="before", sender="Old <old@x.example>"), *letters])
        return box, self.new_place(box, rules, settings)

    def everything(self, box, place):
        mail, tasks = self.state(box, place)
        # A draft that was taken back is in the trash.
        mail = [row for row in mail if not (row[0] == "Trash" and row[1] == "new")]
        files = {path.relative_to(place.root).as_posix(): path.read_text()
                 for folder in ("lists", "rules") if (place.root / folder).is_dir()
                 for path in sorted((place.root / folder).iterdir())}
        # A list that was made and is empty again says nothing.
        return mail, tasks, {name: text for name, text in files.items() if text}


class EverydayKills(Laid):
    """What is done to the mail is undone as well."""

    def screened(self, *words):
        """Two strangers wait in the screener; without words, they are only in the inbox."""
        box, place = self.lay(settings="screener: on\n")
        (place.root / "lists").mkdir()
        (place.root / "lists/denied.txt").write_text("# mine\nbad@x.example\n")
        self.check(place.opus(*RUN))
        box.add("INBOX", [letter("One", name="one", sender=EVE), letter("Two", name="two", sender=EVE, minutes=1),
                          letter("Three", name="three", sender=ZED, minutes=2),
                          letter("Bad", name="bad", sender="Bad <bad@x.example>", minutes=3)])
        if words:
            self.check(place.opus(*RUN))
        return box, place, words or RUN

    def test_mail_of_strangers_is_held(self):
        self.play(*self.screened())

    def test_a_sender_is_approved_into_two_lists(self):
        self.play(*self.screened("screener", "approve", "eve@x.example", "--to", "vip"))

    def test_a_sender_is_denied(self):
        self.play(*self.screened("screener", "deny", "eve@x.example"))

    def test_the_screener_is_cleared(self):
        self.play(*self.screened("screener", "clear", "--all"))

    def bundled(self, settings=""):
        return self.lay(*[letter(f"News {n}", name=f"news{n}", sender=f"{'ab'[n % 2]}@news.example", minutes=n + 1)
                          for n in range(3)], rules=READING, settings=settings)

    def test_a_bundle_is_cleared(self):
        box, place = self.bundled()
        self.check(place.opus(*RUN))
        self.play(box, place, ("bundle", "clear", "reading"))

    def test_a_bundle_waits_for_its_delivery(self):
        box, place = self.bundled("bundles: { Reading: { deliver: saturday 10:00 } }\n")
        self.check(place.opus("sync"))
        self.play(box, place, RUN)

    def test_the_first_day(self):
        box, place = self.lay(letter("Invoice 1", "old", minutes=-60 * DAY), letter("Lunch", "lunch", minutes=-50 * DAY),
                              letter("Invoice 2", "new", minutes=-DAY), rules=FIRST)
        self.check(place.opus("sync"))
        # A plain run would make a task of the old mail, so it is not a beginning to compare with.
        self.play(box, place, ("triage", "--first", "--yes", "--max", "none"), then=("sync",), again=True)

    def test_orders_of_another_program(self):
        box, place = self.lay(letter("Tax", "tax", sender=EVE), letter("Hand", "hand", minutes=1, sender=ZED),
                              letter("Spam", "spam", minutes=2, sender=EVE), settings=ORDERS)
        self.check(place.opus(*RUN))
        for name, mailbox in (("tax", "Task"), ("hand", "Delegate Bob"), ("spam", "Not this sender")):
            box.move(f"{name}@test.example", "INBOX", "Opus/" + mailbox)
        # An undone order is back where the message was before it was ordered.
        home = {name: "INBOX" for name in ("tax", "hand", "spam")}
        self.play(box, place, RUN, home=home)

    def test_an_answer_of_the_review(self):
        box, place = self.lay(letter("Re: Before", "after", sender="Old <old@x.example>", minutes=1,
                                     headers={"In-Reply-To": "<before@test.example>"}))
        self.check(place.opus("sync"))
        self.play(box, place, ("review",), typed="e\nq\n")

    def test_a_draft_is_discarded_in_the_review(self):
        box, place = self.lay()
        self.check(place.opus("sync"))
        self.check(place.opus("archive", self.check(place.opus("list", "--json")).json["items"][0]["id"]))
        self.check(place.opus("compose", "--to", "bob@acme.example", "--subject", "Unsent", "--body", "/dev/null"))
        self.play(box, place, ("review",), typed="#\nq\n", is_undone=False, has_two_changes=False)

    def test_a_rule_is_disabled_in_the_review(self):
        box, place = self.lay(rules=FIRST + "  - { id: used, when: 'subject:before', then: { label: seen } }\n")
        self.check(place.opus(*RUN))
        self.check(place.opus("archive", self.check(place.opus("list", "--json")).json["items"][0]["id"]))
        for file in (place.root / "rules").iterdir():
            os.utime(file, (OLD, OLD))
        self.play(box, place, ("review",), typed="x\nq\n", now="2026-06-10T08:30:00+02:00", is_undone=False,
                  has_two_changes=False)

    def test_a_reminder(self):
        """Neither a draft nor its line in the notes of the task is alone afterwards."""
        box, place = self.lay(rules=ASKED)
        box.add("Sent", letter("Question 1", name="question", sender=ANA, to="Carl <carl@x.example>"))
        self.check(place.opus(*RUN))
        task, = self.check(place.opus("waiting", "--json")).json["items"]
        self.play(box, place, ("nudge", task["id"]), now=LATE)

    def play(self, box, place, words, typed="", then=RUN, again=False, home=None, is_undone=True,
             has_two_changes=True, **options):
        """`then` ends what was interrupted; `again`: the command itself is what a person gives again."""
        restore = self.save(place, box)

        def settled():
            if again:
                self.check(self.give(place, RUN if self.interrupted(place) else then))
                self.check(self.give(place, words, typed, **options))
            else:
                self.check(self.give(place, then, **options))
            return self.everything(box, place)

        begun = self.everything(box, place)
        before = begun if again else settled()
        restore()
        total, changes = self.steps_and_changes(place, words, typed=typed, **options)
        done = self.everything(box, place)
        self.assertNotEqual(begun, done, "the command changes nothing")
        after = settled()
        good = (before, after)
        if is_undone:
            restore()
            self.check(self.give(place, words, typed, **options))
            self.check(place.opus("undo", "--yes", **options))
            self.assertEqual(self.everything(box, place), self.at_home(begun, home or {}), "undone")
        killed = halfway = 0
        points = max(2, POINTS // 2)
        kills = []
        for number in range(points // 2):
            step, when = 1 + (2 * number + 1) * total // points, ("torn", "before", "after")[number % 3]
            kills.append((f"{when} step {step} of {total}", shim.killing(place, step, when)))
        # Between two changes, where there are two.
        for number in range(points // 2 if changes else 0):
            change = max(1, (2 * number + 1) * len(changes) // points)
            kills.append((f"after change {change} of {len(changes)}", shim.killing_after_change(place, change)))
        for point, environment in kills:
            with self.subTest(f"killed {point}"):
                restore()
                killed += self.give(place, words, typed, environment=self.below(environment), **options).code != 0
                halfway += self.everything(box, place) not in (begun, done)
                self.assertIn(settled(), good)
                self.assertEqual(settled(), self.everything(box, place), "a second time changes nothing")
        faults = [1 + (2 * number + 1) * total // (FAULTS + 1) for number in range((FAULTS + 1) // 2)]
        faults += [changes[(2 * number + 1) * len(changes) // FAULTS - 1] + 1 for number in range(FAULTS // 2) if changes]
        for number, step in enumerate(sorted(faults)):
            error = (errno.ENOSPC, errno.EIO)[number % 2]
            with self.subTest(f"{errno.errorcode[error]} at step {step} of {total}"):
                restore()
                self.give(place, words, typed, environment=self.below(shim.failing(place, step, error)), **options)
                self.assertIn(settled(), good)
        note("kills", f"{self._testMethodName}, {killed} killed, {halfway} between two changes", points, 0)
        self.assertGreater(killed, 0)
        # What a server changes is not seen.
        if has_two_changes and self.kind == "maildir":
            self.assertGreater(halfway, 0, "no kill came between two changes")

    def interrupted(self, place):
        return [run for item in place.opus("status", "--json").json["items"] for run in item["interruptedRuns"]]

    def at_home(self, state, home):
        mail, tasks, files = state
        moved = sorted((home.get(name.strip("<>").partition("@")[0], mailbox), name, flags)
                       for mailbox, name, flags in mail)
        return moved, tasks, files


class EverydayKillsOnDovecot(EverydayKills):
    """One test of each kind of step; the steps are the same on a server."""

    kind = "imap"
    test_a_sender_is_denied = test_the_screener_is_cleared = test_a_bundle_is_cleared = None
    test_a_draft_is_discarded_in_the_review = test_a_rule_is_disabled_in_the_review = test_the_first_day = None


@unittest.skipUnless(screen.is_installed(), "tmux is not installed")
class SessionKills(Laid):
    """`opus inbox`: what was decided before the kill is done, in order, and one undo takes it back."""

    kind = "imap"
    #: What is typed, and what the screen shows then.
    KEYS = (("e", "3 left"), ("#", "2 left"), ("t", "Task: "), ("Enter", "1 left"))

    def session(self, place, keys, environment=None):
        """Whether it was killed."""
        with screen.Screen(place.command("inbox"), place.environment(**self.below(environment or {}))) as shown:
            text = self.shown(shown, "4 left")
            for key, after in (*keys, ("q", "ended: ")):
                if self.is_over(shown):
                    break
                shown.key(key) if key == "Enter" else shown.type(key)
                text = self.shown(shown, after)
            self.assertTrue(self.is_over(shown), text)
            return "ended: 0" not in text

    def shown(self, screen, pattern):
        """The text with the pattern, or when the program has ended: after a kill, the terminal is as the program left it."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            is_over, text = self.is_over(screen), screen.text()
            if is_over or pattern in text:
                return text
            time.sleep(0.02)
        raise AssertionError(f"no {pattern!r} on the screen:\n{text}")

    def is_over(self, screen):
        return screen.fact("pane_current_command") == "sleep"

    def test_the_session_is_killed(self):
        box, place = self.lay(*[letter(name.title(), name=name, minutes=number + 1)
                                for number, name in enumerate(("one", "two", "three"))])
        self.check(place.opus(*RUN))
        restore = self.save(place, box)

        def settled():
            self.check(place.opus(*RUN))
            return self.everything(box, place)

        states = []
        for count in (0, 1, 2, 4):
            restore()
            self.assertFalse(self.session(place, self.KEYS[:count]))
            states.append(settled())
        self.assertEqual(len({str(state) for state in states}), 4)
        restore()
        count = self.folder / "count"
        self.session(place, self.KEYS, shim.counting(place, count))
        total, killed, points = int(count.read_text()), 0, max(3, POINTS // 2)
        reached = set()
        for number in range(points):
            # The first steps only open the store and sync.
            step, when = total // 4 + (2 * number + 1) * total * 3 // (8 * points), ("before", "after", "torn")[number % 3]
            with self.subTest(f"killed {when} step {step} of {total}"):
                restore()
                killed += self.session(place, self.KEYS, shim.killing(place, step, when))
                done = settled()
                self.assertIn(done, states)
                reached.add(states.index(done))
                self.assertEqual(settled(), done, "a second run changes nothing")
                if done != states[0]:
                    self.check(place.opus("undo", "--yes"))
                    self.assertEqual(self.everything(box, place), states[0], "undone")
        note("kills", f"the session, {killed} killed", points, 0)
        self.assertGreater(killed, 0)
        self.assertTrue(reached - {0, 3}, f"every kill came before or after all decisions: {reached}")


class OneClickKills(Killing):
    """The user gives the command again: the request is sent once, and reported as done only if it was sent."""

    def test_an_unsubscribing_over_https_is_killed(self):
        with WebServer(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") as web:
            box = self.new_box()
            box.add("INBOX", letter("News", name="news", sender="A <a@news.example>", headers={
                "List-Unsubscribe": f"<https://localhost:{web.port}/u>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}))
            place = self.new_place(box)
            self.check(place.opus("sync"))
            restore = self.save(place, box)
            words = ("unsubscribe", "a@news.example", "--yes", "--ca-file", servers().ca_file)
            total = self.steps(place, words)
            self.assertEqual(len(web.requests), 1)
            killed, doubts, points = 0, 0, max(12, POINTS)
            # The second half of the steps is the request and what follows it.
            for number in range(points):
                step, when = 1 + total // 2 + (2 * number + 1) * total // (4 * points), ("before", "after", "torn")[number % 3]
                with self.subTest(f"killed {when} step {step} of {total}"):
                    restore()
                    web.requests.clear()
                    killed += place.opus(*words, environment=self.below(shim.killing(place, step, when))).code != 0
                    said = self.done(place)
                    self.assertLessEqual(said, len(web.requests), "reported as done, and not sent")
                    for _ in range(2):
                        done = place.opus(*words)
                        self.assertIn(done.code, (0, 75), str(done))
                        self.assertLessEqual(len(web.requests), 1, "sent twice")
                        if done.code == 0:
                            self.assertEqual((len(web.requests), self.done(place)), (1, 1))
                        else:
                            self.assertIn("may have received it", done.err)
                            self.assertEqual(self.done(place), 0)
                    doubts += done.code == 75
                    if done.code == 75:
                        self.check(place.opus(*words, "--again"), 0, "accepted the request")
                        self.assertEqual(self.done(place), 1)
            note("kills", f"unsubscribing over HTTPS, {killed} killed, {doubts} in doubt", points, 0)
            self.assertGreater(killed, 0)
            self.assertGreater(doubts, 0, "no kill came during the request")

    def done(self, place):
        """1 if opus says that the sender was asked to stop."""
        return sum("unsubscribed" in item for item in place.opus("unsubscribe", "--by-sender", "--json").json["senders"])


@unittest.skipUnless(servers().has_smtp, "no SMTP server")
class UnsubscribeKills(Killing):
    """The user gives the command again until it has worked: one mail is sent."""

    def test_an_unsubscribing_by_mail_is_killed(self):
        box = self.new_box()
        for mailbox in ("Drafts", "Sent", "Trash"):
            box.create(mailbox)
        target = f"out-{os.getpid()}-{time.monotonic_ns()}@news.example"
        box.add("INBOX", letter("News", name="news", sender="A <a@news.example>",
                                headers={"List-Unsubscribe": f"<mailto:{target}>"}))
        place = self.new_place(box, smtp="starttls")
        self.check(place.opus("sync"))
        restore, words = self.save(place, box), ("unsubscribe", "a@news.example", "--yes", "--no-hold")
        total = self.steps(place, words)
        sent, killed, points = self.sent(target, 1), 0, max(4, POINTS)
        self.assertEqual(sent, 1)
        for number in range(points):
            step, when = 1 + (2 * number + 1) * total // (2 * points), ("before", "after", "torn")[number % 3]
            with self.subTest(f"killed {when} step {step} of {total}"):
                restore()
                killed += place.opus(*words, environment=self.below(shim.killing(place, step, when))).code != 0
                decided = 0
                for again in range(1, 5):
                    now = f"2026-03-10T{9 + again:02}:00:00+01:00"
                    self.check(place.opus(*RUN, now=now))
                    for item in place.opus("outbox", "--json", now=now).json["items"]:
                        if item["state"] == "held":
                            place.opus("outbox", "retry", item["id"], now=now)
                        # Only a person can tell whether it went out: here it is left alone.
                        decided += again == 4 and item["state"] == "needs-decision"
                    place.opus(*words, now=now)
                now = self.sent(target, sent + 1 - decided)
                self.assertLessEqual(now - sent, 1, "sent more than once")
                self.assertEqual(now - sent + decided >= 1, True, "never sent")
                self.assertLessEqual(len([held for held in box.everything() if held.mailbox in ("Sent", "Drafts")]), 1)
                sent = now
        note("kills", f"unsubscribing by mail, {killed} killed", points, 0)
        self.assertGreaterEqual(killed, points // 2)

    def sent(self, target, at_least):
        """How many mails reached the address. Postfix delivers a little later than it reports."""
        end = time.monotonic() + 5
        while True:
            found = sum(target in str(mail["To"]) for mail in servers().captured())
            if found >= at_least or time.monotonic() > end:
                time.sleep(0.2)
                return sum(target in str(mail["To"]) for mail in servers().captured())
            time.sleep(0.05)
