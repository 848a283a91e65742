"""A server that says NO: its response code decides whether a step waits, ends at once, or is done already."""
import unittest

from boxes import Selected, expunge
from letters import letter
from wiretap import Wiretap
from workplace import Case, servers

RULES = """\
rules-version: 1
name: refusals
rules:
  - { id: label, when: 'subject:label', then: [{ label: seen }] }
  - { id: away, when: 'subject:away', then: [archive] }
"""
LATER = "2026-03-10T08:40:00+01:00"


class Refusals(Case):
    """Dovecot, behind a proxy that refuses commands."""

    kind = "imap"

    def prepare(self, *messages, rules=RULES, settings=""):
        box = self.new_box()
        box.add("INBOX", list(messages))
        proxy = self.enterContext(Wiretap(servers().imap_port))
        place = self.new_place(box, rules, name=f"place-{box.user}")
        place.configure(box.yaml(port=proxy.port, security="none", host="127.0.0.1"), settings)
        return box, proxy, place

    def listed(self, place, mailbox):
        return len(place.opus("list", "--folder", mailbox, "--json").json["items"])

    def test_a_step_that_can_never_succeed_ends_at_once_and_its_message_is_listed_in_place(self):
        for code in ("NOPERM", "CANNOT", "PRIVACYREQUIRED"):
            with self.subTest(code):
                box, proxy, place = self.prepare(letter("Away 1", "one"), letter("Away 2", "two", minutes=1))
                proxy.refuse("^UID MOVE", f"NO [{code}] not here")
                done = self.check(place.opus("run", "--yes"), 1, "not here")
                self.assertNotIn("later", done.out)
                self.assertEqual(self.listed(place, "INBOX"), 2)
                status = self.check(place.opus("status", "--json")).json
                self.assertEqual([len(a["waiting"]) for a in status["items"]], [0], status)
                self.assertPlaces(box, {"one": "INBOX", "two": "INBOX"})
                proxy.open()
                self.check(place.opus("run", "--yes"))
                self.assertPlaces(box, {"one": "Archive", "two": "Archive"})

    def test_too_many_labels_end_at_once_and_too_many_commands_do_not(self):
        box, proxy, place = self.prepare(letter("Label 1", "one"), letter("Away 1", "two", minutes=1))
        proxy.refuse("^UID STORE", "NO [LIMIT] at most 32 flags")
        proxy.refuse("^UID MOVE", "NO [LIMIT] rate limit hit", times=1)
        self.check(place.opus("run", "--yes"), 1, "at most 32 flags")
        status = place.opus("status", "--json").json["items"][0]
        self.assertEqual((len(status["waiting"]), len(status["refused"])), (1, 1), status)
        proxy.open()
        self.check(place.opus("run", "--yes", now=LATER))
        self.assertPlaces(box, {"one": "INBOX", "two": "Archive"})

    def test_opus_waits_for_a_lock_as_long_as_it_takes(self):
        for code in ("INUSE", "OVERQUOTA"):
            with self.subTest(code):
                box, proxy, place = self.prepare(letter("Away 1", "one"))
                proxy.refuse("^UID MOVE", f"NO [{code}] not now")
                for minute in range(10, 80, 10):
                    self.check(place.opus("run", "--yes", now=f"2026-03-10T09:{minute // 6:02}:00+01:00"), 1, "not now")
                self.assertEqual((self.listed(place, "INBOX"), self.listed(place, "Archive")), (1, 0))
                proxy.open()
                self.check(place.opus("run", "--yes", now="2026-03-10T10:00:00+01:00"))
                self.assertPlaces(box, {"one": "Archive"})

    def test_one_vanished_message_does_not_make_the_others_wait(self):
        for answer in ("NO [EXPUNGEISSUED] some are gone", "NO [NONEXISTENT] no such message", "NO nothing was moved"):
            with self.subTest(answer):
                count = 133
                box, proxy, place = self.prepare(*[letter(f"Away {n}", f"away-{n}", minutes=n) for n in range(count)],
                                                settings="brakes: { share: 100, count: 200 }\n")
                self.check(place.opus("sync"))

                def vanish(match):
                    """Another program removes it between the look and the move."""
                    if box.where("away-9@test.example"):
                        held = box.find("INBOX", "away-9@test.example")
                        with Selected(box, "INBOX") as client:
                            expunge(client, held.uid)

                proxy.refuse(r"^UID MOVE \S*:", answer, times=1, before=vanish)
                done = place.opus("run", "--yes", "--max", "none")
                self.assertEqual(done.code, 1, "the one that is gone is reported: " + str(done))
                self.assertEqual(len(box.held("Archive")), count - 1, str(done))
                self.assertEqual(box.held("INBOX"), [])
                status = place.opus("status", "--json").json["items"][0]
                self.assertEqual(len(status["waiting"]), 0, status)

    def test_one_message_that_cannot_be_moved_waits_alone(self):
        box, proxy, place = self.prepare(*[letter(f"Away {n}", f"away-{n}", minutes=n) for n in range(20)])
        self.check(place.opus("sync"))
        poison = box.find("INBOX", "away-7@test.example").uid

        def holds(command_set):
            return any(int(a) <= poison <= int(b or a) for a, _, b in
                       (part.partition(":") for part in command_set.split(",")))

        class Pattern:
            """Every UID MOVE of a set with that message."""

            @staticmethod
            def search(command):
                words = command.split(" ")
                return command if words[:2] == ["UID", "MOVE"] and holds(words[2]) else None

        proxy.refuse(Pattern, "NO [UNKNOWN] cannot")
        self.check(place.opus("run", "--yes"), 1, "cannot")
        self.assertEqual([held.message_id for held in box.held("INBOX")], ["<away-7@test.example>"])
        self.assertEqual(len(box.held("Archive")), 19)
        proxy.open()
        self.check(place.opus("run", "--yes", now=LATER))
        self.assertPlaces(box, {"away-7": "Archive"})

    def test_a_vanished_message_does_not_delay_the_marks_of_the_others(self):
        box, proxy, place = self.prepare(*[letter(f"Label {n}", f"label-{n}", minutes=n) for n in range(20)])
        self.check(place.opus("sync"))
        proxy.refuse("^UID STORE", "NO [EXPUNGEISSUED] some are gone", times=1,
                    before=lambda match: box.remove("INBOX", "label-3@test.example"))
        self.check(place.opus("run", "--yes"), 1)
        self.assertEqual({held.flags for held in box.held("INBOX")}, {frozenset({"seen"})})
        self.assertEqual(len(box.held("INBOX")), 19)

    def test_marks_are_kept_for_a_server_that_cannot_answer_for_an_hour(self):
        for name, command in [("marks", "^UID STORE"), ("select", "^SELECT")]:
            with self.subTest(name):
                box, proxy, place = self.prepare(letter("Label 1", "one"))
                self.check(place.opus("sync"))
                proxy.refuse(command, "NO [UNAVAILABLE] not now")
                for minute in range(30, 60, 4):
                    place.opus("run", "--yes", now=f"2026-03-10T08:{minute}:00+01:00")
                self.assertEqual([held.flags for held in box.held("INBOX")], [frozenset()])
                proxy.open()
                self.check(place.opus("run", "--yes", now="2026-03-10T09:10:00+01:00"))
                self.assertEqual([held.flags for held in box.held("INBOX")], [frozenset({"seen"})])

    def test_a_move_that_waits_for_space_is_dropped_when_its_task_changes_back(self):
        rules = "rules-version: 1\nrules:\n  - { id: task, when: '*', then: { task: { title: T } } }\n"
        for first, second in ((["done"], ["reopen"]), (["defer", "someday"], ["move", "next"])):
            with self.subTest(first[0]):
                box, proxy, place = self.prepare(letter("Ask", "one"), rules=rules)
                self.check(place.opus("run", "--yes"))
                task = place.task("T").stem[:8]
                proxy.refuse("^UID MOVE", "NO [OVERQUOTA] full")
                self.check(place.opus("task", first[0], task, *first[1:]))
                self.check(place.opus("run", "--yes"), 1, "full")
                self.check(place.opus("task", second[0], task, *second[1:]))
                place.opus("run", "--yes", now="2026-03-10T09:30:00+01:00")
                proxy.open()
                for day in (11, 12):
                    self.check(place.opus("run", "--yes", now=f"2026-03-{day}T08:30:00+01:00"))
                self.assertPlaces(box, {"one": "INBOX"})
                self.assertEqual(place.opus("defer", "--list", "--json", now="2026-03-12T08:40:00+01:00").json["items"], [])

    def test_a_move_that_waits_is_dropped_if_the_rules_no_longer_want_it(self):
        head = "rules-version: 1\n"
        protect = "protect:\n  - mine: 'subject:away'\n"
        rule = "rules:\n  - { id: away, when: 'subject:away', then: [archive] }\n"
        other = "rules:\n  - { id: other, when: 'subject:x', then: [archive] }\n"
        for name, new, said in [
                ("protected", head + protect + rule, "Away 1 stays where it is: it is protected now: mine"),
                ("removed", head + other, "Away 1 stays where it is: the rules changed"),
                ("edited", head + rule.replace("away'", "away list:yes'"), "Away 1 stays where it is: the rules changed")]:
            with self.subTest(name):
                box, proxy, place = self.prepare(letter("Away 1", "one"), rules=head + rule)
                proxy.refuse("^UID MOVE", "NO [OVERQUOTA] full")
                self.check(place.opus("run", "--yes"), 1, "full")
                place.write_rules(new)
                proxy.open()
                self.check(place.opus("run", "--yes", now=LATER), 0, said)
                self.assertPlaces(box, {"one": "INBOX"})
                status = place.opus("status", "--json").json["items"][0]
                self.assertEqual(status["waiting"], [])
                place.write_rules(head + rule)
                self.check(place.opus("run", "--yes", now="2026-03-10T09:40:00+01:00"))
                self.assertPlaces(box, {"one": "Archive"})

    def test_what_a_rule_did_itself_does_not_stop_its_move_that_waits(self):
        rules = ("rules-version: 1\nprotect:\n  - open work: 'has:open-task or is:flagged'\n"
                 "rules:\n  - { id: away, when: 'subject:away', then: [flag, { task: { title: T } }, archive] }\n")
        box, proxy, place = self.prepare(letter("Away 1", "one"), rules=rules)
        proxy.refuse("^UID MOVE", "NO [OVERQUOTA] full")
        self.check(place.opus("run", "--yes"), 1, "full")
        self.assertEqual(box.find("INBOX", "one@test.example").flags, {"\\Flagged"})
        proxy.open()
        self.check(place.opus("run", "--yes", now=LATER))
        self.assertPlaces(box, {"one": "Archive"})

    def test_a_mailbox_that_cannot_be_asked_about_now_is_not_taken_for_missing(self):
        box, proxy, place = self.prepare(letter("Away 1", "one"))
        self.check(place.opus("sync"))
        proxy.refuse("^STATUS", "NO [UNAVAILABLE] not now")
        place.opus("run", "--yes")
        self.assertPlaces(box, {"one": "INBOX"})
        self.assertNotIn("CREATE", " ".join(proxy.commands))
        proxy.open()
        self.check(place.opus("run", "--yes", now=LATER))
        self.assertPlaces(box, {"one": "Archive"})


if __name__ == "__main__":
    unittest.main()
