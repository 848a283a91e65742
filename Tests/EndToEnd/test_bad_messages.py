"""A server that drops the connection at one message stops neither the other messages nor what comes after them."""
import re
import shutil
import time
import unittest

import prometheus
from letters import letter, with_parts
from watcher import PATIENCE, Watching, kind
from wiretap import Wiretap
from workplace import Case

SOON = "2026-03-10T08:50:00+01:00"
LATER = "2026-03-10T12:00:00+01:00"
#: The command that reads a message for a mail or a copy. A sync requests several at once, without a range.
WHOLE = r"^UID FETCH {uid} \(UID BODY\.PEEK\[\]<"
RULES = """rules-version: 1
rules:
  - {{ id: act, auto: {auto}, when: 'subject:act', then: [{action}] }}
  - {{ id: news, auto: {auto}, when: 'subject:news', then: archive }}
  - {{ id: note, auto: {auto}, when: 'subject:note', then: [{{ task: '{{{{subject}}}}' }}, archive] }}
"""
ACTIONS = {"forward": "{ forward: { to: carl@far.example } }", "delegate": "{ delegate: { to: carl@far.example } }",
           "copy": "{ copy: Kept }"}


class BadMessage(Case):
    def prepare(self, action, bad=2, auto="false"):
        self.box = self.new_box()
        self.box.create("Kept")
        self.box.add("INBOX", [letter("Act 1", "act1"), letter("Act 2", "act2", minutes=1), letter("Act 3", "act3", minutes=2),
                               letter("News", "news", minutes=3), letter("Note", "note", minutes=4)])
        self.wire = self.enterContext(Wiretap(self.box.servers.imap_port))
        self.place = self.new_place(self.box, rules=RULES.format(auto=auto, action=f"{ACTIONS[action]}, archive"))
        self.place.configure(self.box.yaml(port=self.wire.port, security="none", host="127.0.0.1"))
        self.check(self.place.opus("sync"))
        self.spoil(bad)

    def spoil(self, uid, times=1_000_000):
        self.wire.refuse(WHOLE.format(uid=uid), "", times, before=lambda match: self.wire.cut())

    def logins(self):
        return len([line for line in self.wire.commands if re.match("LOGIN|AUTHENTICATE", line)])

    def made(self, action):
        """What the action has made of messages, by the subject that they had."""
        if action == "copy":
            return self.box.subjects("Kept")
        drafts = [held.subject for held in self.box.held("Drafts")] if "Drafts" in self.box.names() else []
        return sorted(re.search(r"Act \d", subject)[0] for subject in drafts)

    def passes_on(self, action):
        self.prepare(action)
        done = self.check(self.place.opus("run", "--yes"), 1, "the server hangs or drops the connection at this message",
                          "Act 2")
        self.assertNotIn("cannot be reached", done.text)
        rest = {"act1": "Archive", "act2": "INBOX", "act3": "Archive", "news": "Archive", "note": "Archive"}
        self.assertAct(rest)
        self.assertEqual(self.made(action), ["Act 1", "Act 3"])
        self.place.task("Note")
        # The next run leaves it alone, and says so.
        self.wire.reset()
        self.box.add("INBOX", letter("News again", "again"))
        self.check(self.place.opus("run", "--yes", now=SOON), 0, "opus tries again later", "Act 2")
        self.assertEqual((self.logins(), self.box.where("again@test.example")), (1, ["Archive"]))
        # Once it can be read, it is passed on once, like the others.
        self.wire.open()
        self.check(self.place.opus("run", "--yes", now=LATER))
        self.assertAct({**rest, "act2": "Archive"})
        self.assertEqual(self.made(action), ["Act 1", "Act 2", "Act 3"])
        self.assertNothingMore(self.place, self.box, now=LATER)

    def assertAct(self, places):
        found = {name: [held.mailbox for held in self.box.everything() if held.message_id == f"<{name}@test.example>"
                        and held.mailbox != "Kept"] for name in places}
        self.assertEqual(found, {name: [mailbox] for name, mailbox in places.items()})

    def test_a_message_that_a_rule_forwards(self):
        self.passes_on("forward")

    def test_a_message_that_a_rule_delegates(self):
        self.passes_on("delegate")

    def test_a_message_that_a_rule_copies(self):
        self.passes_on("copy")

    def test_one_lost_connection_sets_nothing_aside(self):
        self.prepare("copy")
        self.wire.open()
        self.spoil(2, times=1)
        self.check(self.place.opus("run", "--yes"))
        self.assertEqual(self.made("copy"), ["Act 1", "Act 2", "Act 3"])

    def test_a_server_that_is_gone_sets_no_message_aside(self):
        self.prepare("copy")
        self.wire.open()

        def end(match):
            self.wire.refuse("^(LOGIN|AUTHENTICATE)", "NO [UNAVAILABLE] not now")
            self.wire.cut()

        self.wire.refuse(WHOLE.format(uid=2), "", before=end)
        self.check(self.place.opus("run", "--yes"), 75)
        self.assertEqual(self.made("copy"), [])
        self.wire.open()
        self.check(self.place.opus("run", "--yes"))
        self.assertEqual(self.made("copy"), ["Act 1", "Act 2", "Act 3"])

    def test_many_bad_messages_do_not_keep_opus_busy(self):
        self.prepare("copy", bad=r"\d+")
        self.box.add("INBOX", [letter(f"Act {number}", f"act{number}") for number in range(4, 20)])
        self.wire.reset()
        self.check(self.place.opus("run", "--yes"), 1, "the server dropped too many connections before this message")
        self.assertLess(self.logins(), 30)
        self.assertEqual(self.box.where("news@test.example"), ["Archive"])
        self.place.task("Note")

    def test_a_command_by_hand_reports_it_and_tries_at_any_time(self):
        self.prepare("copy")
        self.check(self.place.opus("run", "--yes"), 1)
        bad, = [item["id"] for item in self.place.opus("list", "--json").json["items"] if item["subject"] == "Act 2"]
        self.check(self.place.opus("copy", bad, "Kept"), 1, "the server hangs or drops the connection at this message")
        self.wire.open()
        self.check(self.place.opus("copy", bad, "Kept"))
        self.assertIn("Act 2", self.made("copy"))
        # It can be read again, so the rule does not wait either.
        self.check(self.place.opus("run", "--yes", now=SOON))
        self.assertAct({"act2": "Archive"})
        self.assertEqual(self.made("copy"), ["Act 1", "Act 2", "Act 3"])

    def test_a_watch_continues_and_says_it_once(self):
        self.prepare("forward", auto="true")
        with Watching(self.place) as watching:
            event, _ = watching.until(kind("kept"))
            self.assertIn("Act 2", event["details"][0])
            end = time.monotonic() + PATIENCE
            while self.box.where("act3@test.example") != ["Archive"]:
                self.assertLess(time.monotonic(), end, watching.text)
                time.sleep(0.1)
            watching.until(kind("listening"))
            self.wire.reset()
            for number in range(3):
                self.box.add("INBOX", letter(f"News {number}", f"news{number}"))
                end = time.monotonic() + PATIENCE
                while self.box.where(f"news{number}@test.example") != ["Archive"]:
                    self.assertLess(time.monotonic(), end, watching.text)
                    time.sleep(0.1)
            self.assertEqual(self.logins(), 0, "it is not tried again at once")
            self.assertEqual(len(watching.all("kept")), 1, watching.text)
            self.assertEqual(watching.all("lost"), [], watching.text)
            self.check(self.place.opus("status", now=None), 0, "the server hangs or drops the connection", "Act 2")
        self.assertEqual(self.box.where("act2@test.example"), ["INBOX"])
        self.assertEqual(self.made("forward"), ["Act 1", "Act 3"])

    def test_an_order_stops_no_other_order(self):
        self.prepare("copy")
        self.place.write_rules("rules-version: 1\nrules: []\n")
        self.place.configure(self.box.yaml(port=self.wire.port, security="none", host="127.0.0.1"),
                             "people: { Carl: carl@far.example }\ncommand-mailboxes: Opus\n")
        self.check(self.place.opus("run", "--yes"))
        for name, order in (("act1", "Delegate Carl"), ("act2", "Delegate Carl"), ("news", "Task")):
            self.box.move(f"<{name}@test.example>", "INBOX", f"Opus/{order}")
        self.wire.open()
        self.wire.refuse(WHOLE.format(uid=1), "", before=lambda match: self.wire.cut())
        self.check(self.place.opus("run", "--yes"), 1, "the server hangs or drops the connection")
        self.assertEqual(self.box.where("news@test.example"), ["Archive"])
        self.place.task("News")
        self.assertEqual(self.box.where("act1@test.example"), ["Opus/Delegate Carl"])
        self.assertEqual(self.box.where("act2@test.example"), ["Archive"])


class Bad:
    """Commands of this name about a set of messages with UID 3."""

    def __init__(self, command):
        self.command = command

    def search(self, words):
        found = re.match(self.command + r" (\S+)", words)
        uids = [range(int(low), int(high or low) + 1) for low, _, high in
                (part.partition(":") for part in found[1].split(","))] if found else []
        return any(3 in some for some in uids)


class BadStep(Case):
    """The server drops the connection whenever one step of the journal is carried out."""

    def prepare(self, then, pattern, messages=None):
        self.box = self.new_box()
        self.box.create("Kept")
        self.box.add("INBOX", messages or [letter(f"Act {number}", f"act{number}", minutes=number) for number in range(1, 6)])
        self.wire = self.enterContext(Wiretap(self.box.servers.imap_port))
        self.place = self.new_place(
            self.box, rules=f"rules-version: 1\nrules:\n  - {{ id: act, when: 'subject:act', then: [{then}] }}\n")
        self.place.configure(self.box.yaml(port=self.wire.port, security="none", host="127.0.0.1"))
        self.check(self.place.opus("sync"))
        self.wire.refuse(pattern, "", before=lambda match: self.wire.cut())

    def runs(self, minutes):
        """Runs the rules at each of these minutes after noon; the last report."""
        for minute in minutes:
            done = self.place.opus("run", "--yes", now=f"2026-03-10T12:{minute:02}:00+01:00")
            self.assertIn(done.code, (0, 1), str(done))
        return done

    def places(self):
        return {number: self.box.where(f"act{number}@test.example") for number in range(1, 6)}

    def test_a_copy_holds_back_only_its_own_message(self):
        self.prepare("{ copy: Kept }, archive", r"(?s)^APPEND Kept.*Subject: Act 3\r")
        self.check(self.place.opus("run", "--yes"), 1)
        self.assertEqual(self.box.subjects("Kept"), ["Act 1", "Act 2", "Act 4", "Act 5"])
        self.assertEqual({number: places[0] for number, places in self.places().items() if places != ["Archive", "Kept"]},
                         {3: "INBOX"})
        self.check(self.place.opus("status"), 0, "the server closed the connection")
        self.wire.open()
        # A run by hand does not wait.
        self.check(self.place.opus("run", "--yes"))
        self.assertEqual(self.box.subjects("Kept"), ["Act 1", "Act 2", "Act 3", "Act 4", "Act 5"])
        self.assertEqual(self.places()[3], ["Archive", "Kept"])

    def test_a_saved_file_holds_back_only_its_own_message(self):
        parts = [("Content-Type: text/plain", "See the file."),
                 ("Content-Type: text/plain\nContent-Disposition: attachment; filename=a.txt", "The file.")]
        self.prepare("save-attachment, archive", r"^UID FETCH 3 .*BODY\.PEEK\[\]",
                     [with_parts(f"Act {number}", parts, f"act{number}", minutes=number) for number in range(1, 6)])
        self.check(self.place.opus("run", "--yes"), 1)
        self.assertEqual(self.places(), {1: ["Archive"], 2: ["Archive"], 3: ["INBOX"], 4: ["Archive"], 5: ["Archive"]})
        self.wire.open()
        # A run by hand does not wait.
        self.runs((0,))
        self.assertEqual(self.places()[3], ["Archive"])

    def test_a_look_before_a_move_holds_back_only_its_own_message(self):
        self.looks_at_all_but_one("archive", lambda number: self.places()[number] == ["Archive"])

    def test_a_look_before_a_mark_holds_back_only_its_own_message(self):
        self.looks_at_all_but_one("flag", lambda number: "\\Flagged" in self.box.find(
            "INBOX", f"<act{number}@test.example>").flags)

    def test_a_look_before_moves_to_several_mailboxes_holds_back_only_its_own_message(self):
        self.looks_at_all_but_one(
            "archive", lambda number: self.places()[number] in (["Archive"], ["Trash"]),
            "  - { id: old, when: '(subject:act-4 or subject:act-5)', then: trash }\n")

    def looks_at_all_but_one(self, then, done, more=""):
        messages = [letter(f"Act-{number}", f"act{number}", minutes=number) for number in range(1, 6)]
        self.prepare(then, Bad(r"UID FETCH"), messages)
        if more:
            self.place.write_rules(f"rules-version: 1\nrules:\n{more}  - {{ id: act, when: 'subject:act', then: {then} }}\n")
        self.runs((0,))
        self.assertEqual([number for number in range(1, 6) if done(number)], [1, 2, 4, 5])
        self.check(self.place.opus("status"), 0, "the server closed the connection")
        # Later runs try it again, and no other mail waits for it.
        self.box.add("INBOX", letter("Act-6", "act6"))
        self.runs((30,))
        self.assertEqual(self.box.where("act6@test.example") != ["INBOX"] or "flag" in then, True)
        self.wire.open()
        self.runs((30,))
        self.assertEqual([number for number in range(1, 6) if done(number)], [1, 2, 3, 4, 5])
        self.check(self.place.opus("run", "--yes", now="2026-03-10T14:00:00+01:00"))

    def moves_all_but_one(self, then, command, done):
        self.prepare(then, Bad(command))
        self.runs((0,))
        self.assertEqual([number for number in range(1, 6) if done(number)], [1, 2, 4, 5])
        self.wire.open()
        self.runs((0,))
        self.assertEqual([number for number in range(1, 6) if done(number)], [1, 2, 3, 4, 5])

    def test_a_move_holds_back_only_its_own_message(self):
        self.moves_all_but_one("archive", "UID MOVE", lambda number: self.places()[number] == ["Archive"])

    def test_a_mark_holds_back_only_its_own_message(self):
        self.moves_all_but_one("flag", "UID STORE", lambda number: "\\Flagged" in self.box.find(
            "INBOX", f"<act{number}@test.example>").flags)

    def test_a_watch_handles_all_other_mail_while_it_cannot_look_at_one_message(self):
        messages = [letter(f"Act-{number}", f"act{number}", minutes=number) for number in range(1, 6)]
        self.prepare("archive", Bad(r"UID FETCH"), messages)
        self.place.write_rules("rules-version: 1\nrules:\n  - { id: act, auto: true, when: 'subject:act', then: archive }\n")
        file = self.place.root / "opus.prom"
        with Watching(self.place, "--metrics", str(file)) as watching:
            self.comes_to_archive(watching, 1, 2, 4, 5)
            watching.until(kind("listening"))
            waiting = {dict(labels)["reason"]: value for labels, value in
                       prometheus.read(file.read_text())["opus_watch_waiting_steps"].items()}
            self.assertEqual(waiting, {"lost": 1, "failed": 0, "scheduled": 0, "queued": 0, "confirmation": 0, "decision": 0})
            for number in range(6, 9):
                self.box.add("INBOX", letter(f"Act-{number}", f"act{number}"))
                self.comes_to_archive(watching, number)
            self.assertEqual(self.box.where("act3@test.example"), ["INBOX"])
            self.assertEqual(watching.all("lost"), [], watching.text)
            self.assertEqual(watching.all("ended"), [])
            self.wire.open()
            self.check(self.place.opus("run", "--yes", now=None))
            self.assertEqual(self.box.where("act3@test.example"), ["Archive"])

    def comes_to_archive(self, watching, *numbers):
        end = time.monotonic() + 2 * PATIENCE
        for number in numbers:
            while self.box.where(f"act{number}@test.example") != ["Archive"]:
                self.assertLess(time.monotonic(), end, watching.text)
                time.sleep(0.05)

    def test_mail_that_comes_between_a_sync_and_the_wait_is_noticed_although_a_message_is_left_out(self):
        messages = [letter(f"Act-{number}", f"act{number}", minutes=number) for number in range(1, 6)]
        self.prepare("archive", Bad(r"UID FETCH"), messages)
        self.place.write_rules("rules-version: 1\nrules:\n  - { id: act, auto: true, when: 'subject:act', then: archive }\n")
        box = self.box

        class Race:
            """Delivers a message when the wait after the sync of a move opens the inbox again."""
            number, steps = 10, []

            def search(self, words):
                self.steps = [*self.steps, *re.findall("^EXAMINE (?:INBOX|Archive)", words)][-2:]
                if self.steps == ["EXAMINE Archive", "EXAMINE INBOX"] and self.number < 14:
                    self.steps = []
                    box.add("INBOX", letter(f"Act-{self.number}", f"act{self.number}"))
                    self.number += 1
                return None

        with Watching(self.place) as watching:
            self.comes_to_archive(watching, 1, 2, 4, 5)
            watching.until(kind("listening"))
            self.wire.refuse(Race(), "")
            self.box.add("INBOX", letter("Act-6", "act6"))
            self.comes_to_archive(watching, 6, 10, 11, 12, 13)

    def test_a_list_of_deferred_mail_that_cannot_be_read_stops_nothing(self):
        box = self.new_box()
        box.add("INBOX", [letter("Later", "later"), letter("Act", "act")])
        wire = self.enterContext(Wiretap(box.servers.imap_port))
        rules = "rules-version: 1\nrules:\n  - { id: later, when: subject:later, then: { defer: 2026-03-12 } }\n"
        place = self.new_place(box, rules=rules)
        settings = box.yaml(port=wire.port, security="none", host="127.0.0.1")
        place.configure(settings)
        self.check(place.opus("run", "--yes"))
        self.assertEqual(box.where("later@test.example"), ["Deferred"])
        # Another store reads the list, at which the server drops the connection.
        shutil.rmtree(place.root / ".opus")
        wire.refuse(r"^UID FETCH \d+ \(UID BODY\.PEEK\[\]<", "", before=lambda match: wire.cut())
        place.write_rules(rules + "  - { id: act, when: subject:act, then: archive }\n")
        self.check(place.opus("run", "--yes"))
        self.assertEqual(box.where("act@test.example"), ["Archive"])
        deferred = lambda now: {item["subject"]: item.get("deferredUntil") for item in  # noqa: E731
                                self.check(place.opus("defer", "--list", "--json", now=now)).json["items"]}
        self.assertEqual(deferred("2026-03-10T12:00:00+01:00"), {"Later": None}, "no date is made up")
        wire.open()
        self.check(place.opus("run", "--yes", now="2026-03-10T13:00:00+01:00"))
        self.assertEqual(deferred("2026-03-10T13:00:00+01:00"), {"Later": "2026-03-12T08:00:00+01:00"})
        self.check(place.opus("run", "--yes", now="2026-03-12T09:00:00+01:00"))
        self.assertEqual(box.where("later@test.example"), ["INBOX"])


if __name__ == "__main__":
    unittest.main()
