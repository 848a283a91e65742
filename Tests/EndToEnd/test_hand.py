"""The verbs by hand: one verb, the messages that are named, a run that can be undone."""
import json
import subprocess
import unittest

from letters import letter
from terminal import answered
from workplace import on_both

RULES = """\
rules-version: 1
name: hand
protect:
  keep it here: 'subject:precious'
rules:
  - { id: away, when: 'subject:away', then: [archive] }
"""


class Hand:
    """What both kinds of tests need."""

    def prepare(self, *letters, rules=RULES, settings=""):
        box = self.new_box()
        box.add("INBOX", list(letters))
        place = self.new_place(box, rules, settings=settings)
        self.check(place.opus("sync"))
        return box, place

    def ids(self, place, *words):
        """{subject: short id} of a listing."""
        lines = self.check(place.opus("list", "--all", *words)).out.splitlines()
        return {line.split("\t")[3]: line.split("\t")[0] for line in lines}

    def flags(self, box, name):
        return {flag for held in box.everything() if held.message_id.strip("<>").startswith(name + "@")
                for flag in held.flags}


def conversation(count, subject="Plan"):
    """The first message and its answers."""
    first = letter(subject, name="c1")
    rest = [letter(f"Re: {subject}", name=f"c{n}", minutes=n,
                   headers={"In-Reply-To": "<c1@test.example>", "References": "<c1@test.example>"})
            for n in range(2, count + 1)]
    return [first, *rest]


@on_both
class Verbs(Hand):

    def test_each_command_moves_a_message_once_and_does_nothing_the_second_time(self):
        box, place = self.prepare(*(letter(word) for word in ("One", "Two", "Three", "Four")))
        box.create("Projects")
        self.check(place.opus("sync"))
        ids = self.ids(place)
        for verb, subject, mailbox in (("archive", "One", "Archive"), ("trash", "Two", "Trash"),
                                       ("junk", "Three", "Junk"), ("move", "Four", "Projects")):
            with self.subTest(verb):
                words = [verb, ids[subject], *(["Projects"] if verb == "move" else [])]
                self.check(place.opus(*words), 0, "Applied 1 of 1")
                self.assertPlaces(box, {subject.lower(): mailbox})
                before = box.fingerprint()
                self.check(place.opus(*words), 0, "Nothing to do.")
                self.assertEqual(box.fingerprint(), before)
        self.check(place.opus("move", "--to", "inbox", ids["Four"]), 0, "Applied 1 of 1")
        self.assertPlaces(box, {"four": "INBOX"})
        self.check(place.opus("move", ids["Four"], "Projects"), 0, "Applied 1 of 1")
        self.assertPlaces(box, {"four": "Projects"})
        self.assertNothingMore(place, box)

    def test_the_undo_of_a_copy_keeps_it_if_it_is_the_only_one_left(self):
        box, place = self.prepare(letter("One"))
        box.create("Projects")
        self.check(place.opus("sync"))
        self.check(place.opus("copy", self.ids(place)["One"], "Projects"))
        box.remove("INBOX", "one@test.example")
        done = place.opus("undo", "--yes")
        self.assertIn("the only one left", done.text)
        self.assertEqual([each.mailbox for each in box.everything()], ["Projects"])

    def test_a_copy_leaves_the_message_comes_once_and_undo_removes_it(self):
        box, place = self.prepare(letter("One"), letter("Two"))
        box.create("Projects")
        self.check(place.opus("sync"))
        one = self.ids(place)["One"]
        before = box.fingerprint()
        self.check(place.opus("copy", one, "Projects", "--dry-run"), 0, one)
        self.assertEqual(box.fingerprint(), before)

        def held():
            return sorted((each.mailbox, each.message_id.strip("<>").split("@")[0]) for each in box.everything())

        self.check(place.opus("copy", one, "Projects"), 0, "Applied 1 of 1")
        self.assertEqual(held(), [("INBOX", "one"), ("INBOX", "two"), ("Projects", "one")])
        self.check(place.opus("sync"))
        self.check(place.opus("copy", "--to", "Projects", one), 0, "Nothing to do.")
        if "Drafts" in self.check(place.opus("copy", one, "no such"), 66).err:
            self.check(place.opus("copy", one, "Drafts"), 65, "Drafts is for mail that you write")
        self.check(place.opus("undo", "--yes"), 0)
        self.assertEqual([each for each in held() if each[0] in ("INBOX", "Projects")],
                         [("INBOX", "one"), ("INBOX", "two")])
        self.check(place.opus("copy", one, "Projects"), 0, "Applied 1 of 1")

    def test_each_mark_is_set_and_removed(self):
        box, place = self.prepare(letter("One"))
        one = self.ids(place)["One"]
        for words, flag, is_set in ((["flag"], r"\Flagged", True), (["unflag"], r"\Flagged", False),
                                    (["read"], r"\Seen", True), (["unread"], r"\Seen", False),
                                    (["label", "later"], "later", True), (["unlabel", "later"], "later", False)):
            with self.subTest(words[0]):
                self.check(place.opus(*words, one), 0, "Applied 1 of 1")
                self.assertEqual(flag in self.flags(box, "one"), is_set)
                self.check(place.opus(*words, "m:" + one), 0, "Nothing to do.")
        self.assertNothingMore(place, box)

    def test_a_message_with_a_header_of_megabytes_can_be_moved_and_the_move_undone(self):
        people = ",\n ".join(f"N{number} <r{number}@x.example>" for number in range(60_000))
        box, place = self.prepare(letter("Big", to=people), letter("Small"))
        big = next(item["id"] for item in place.opus("list", "--json").json["items"] if item["subject"] != "Small")
        self.check(place.opus("archive", big), 0, "1 × moved to Archive")
        self.assertEqual((len(box.held("INBOX")), len(box.held("Archive"))), (1, 1))
        self.check(place.opus("undo", "--yes"))
        self.assertEqual((len(box.held("INBOX")), len(box.held("Archive"))), (2, 0))
        self.assertNothingMore(place, box)

    def test_archive_takes_the_conversation_in_that_mailbox_and_message_only_the_one(self):
        box, place = self.prepare(*conversation(4), letter("Other"))
        box.move("c1@test.example", "INBOX", "Elsewhere")
        self.check(place.opus("sync"))
        ids = [line["id"] for line in place.opus("list", "--json").json["items"]
               if line["messageID"] == "c3@test.example"]
        self.check(place.opus("archive", "--message", *ids))
        self.assertPlaces(box, {"c1": "Elsewhere", "c2": "INBOX", "c3": "Archive", "c4": "INBOX"})
        other = [line["id"] for line in place.opus("list", "--json").json["items"]
                 if line["messageID"] == "c2@test.example"]
        self.check(place.opus("archive", *other), 0, "Applied 2 of 2")
        self.assertPlaces(box, {"c1": "Elsewhere", "c2": "Archive", "c3": "Archive", "c4": "Archive",
                                "other": "INBOX"})
        self.assertNothingMore(place, box)

    def test_trash_is_for_the_one_message_unless_the_thread_is_requested(self):
        box, place = self.prepare(*conversation(3))
        named = [line["id"] for line in place.opus("list", "--json").json["items"]
                 if line["messageID"] == "c3@test.example"]
        self.check(place.opus("trash", *named), 0, "Applied 1 of 1")
        self.assertPlaces(box, {"c1": "INBOX", "c2": "INBOX", "c3": "Trash"})
        first = [line["id"] for line in place.opus("list", "--json").json["items"]][:1]
        self.check(place.opus("trash", "--thread", *first), 0, "Applied 2 of 2")
        self.assertPlaces(box, {"c1": "Trash", "c2": "Trash", "c3": "Trash"})
        self.check(place.opus("archive", "--thread", "--message", *first), 64)

    def test_ids_come_from_standard_input_as_opus_list_prints_them(self):
        box, place = self.prepare(*(letter(f"Number {n}") for n in range(5)), letter("Stays"))
        listed = place.opus("list", "subject:number").out
        done = subprocess.run(place.command("archive", "-"), input=listed, capture_output=True, text=True, timeout=60,
                              env=place.environment(), cwd=place.root)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Applied 5 of 5 steps (run r:0001)", done.stdout)
        self.assertPlaces(box, {f"number-{n}": "Archive" for n in range(5)} | {"stays": "INBOX"})
        self.assertEqual(len(place.opus("runs").out.splitlines()), 1, "one command is one run")

    def test_one_wrong_argument_stops_the_whole_command(self):
        box, place = self.prepare(letter("One"), letter("Two"))
        ids = self.ids(place)
        before = box.fingerprint()
        for code, words, says in ((66, ["archive", ids["One"], "zzzzzzz"], "no message has an id"),
                                  (64, ["archive", ids["One"], "n/o"], "is not a message id"),
                                  (66, ["move", ids["One"], "Nowhere"], "no mailbox \"Nowhere\""),
                                  (66, ["move", ids["One"], "INBX"], "did you mean \"INBOX\"?"),
                                  (64, ["move", ids["One"]], "the mailbox are missing"),
                                  (64, ["label", "two words", ids["One"]], "cannot be a label"),
                                  (66, ["-a", "nobody", "archive", ids["One"]], "no account")):
            with self.subTest(" ".join(words)):
                self.check(place.opus(*words), code, says)
                self.assertEqual(box.fingerprint(), before)
        self.check(place.opus("runs"), 0, "No runs yet.")

    def test_a_dry_run_shows_the_plan_and_changes_nothing(self):
        box, place = self.prepare(*conversation(2))
        before = box.fingerprint()
        named = place.opus("list", "--json").json["items"][0]["id"]
        shown = self.check(place.opus("archive", "--dry-run", named)).out
        self.assertIn("archive\t2", shown)
        document = place.opus("archive", "--dry-run", "--json", named).json
        self.assertEqual(document["schema"], "opus.plan/1")
        self.assertRegex(document["id"], r"^p:[0-9a-f]{6}$")
        self.assertEqual(box.fingerprint(), before)
        self.check(place.opus("runs"), 0, "No runs yet.")
        self.check(place.opus("archive", "--plan", "p:000000", named), 3, document["id"])
        self.assertEqual(box.fingerprint(), before)
        report = place.opus("archive", "--plan", document["id"], "--json", named).json
        self.assertEqual(report["schema"], "opus.run/1")
        self.assertEqual([item["confirmed"] for item in report["items"]], [2])

    def test_protected_messages_stay_unless_forced(self):
        box, place = self.prepare(letter("Precious"), letter("Other"))
        ids = self.ids(place)
        done = self.check(place.opus("archive", ids["Precious"], ids["Other"]), 1, "protected", "keep it here", "--force")
        self.assertIn("Applied 1 of 1", done.out)
        self.assertPlaces(box, {"precious": "INBOX", "other": "Archive"})
        self.check(place.opus("flag", ids["Precious"]), 0, "Applied 1 of 1")
        self.check(place.opus("archive", "--force", ids["Precious"]), 0, "Applied 1 of 1")
        self.assertPlaces(box, {"precious": "Archive"})

    def test_rules_that_do_not_check_may_have_protected_it(self):
        box, place = self.prepare(letter("One"))
        one = self.ids(place)["One"]
        place.write_rules(RULES.replace("subject:away", "sbject:away"))
        self.check(place.opus("archive", one), 65, "sbject")
        self.assertPlaces(box, {"one": "INBOX"})
        self.check(place.opus("archive", "--force", one), 0)
        self.assertPlaces(box, {"one": "Archive"})

    def test_a_message_moved_back_can_be_archived_again(self):
        box, place = self.prepare(letter("One"))
        one = self.ids(place)["One"]
        for _ in range(3):
            self.check(place.opus("archive", one), 0, "Applied 1 of 1")
            self.assertPlaces(box, {"one": "Archive"})
            self.check(place.opus("move", one, "INBOX"), 0, "Applied 1 of 1")
            self.assertPlaces(box, {"one": "INBOX"})
        self.assertEqual(len(place.opus("runs").out.splitlines()), 6)
        self.assertNothingMore(place, box)


@on_both
class Brakes(Hand):

    def test_a_plan_that_empties_the_inbox_is_stopped_before_it_begins_and_applied_by_its_id(self):
        box, place = self.prepare(*(letter(f"Away {n}") for n in range(8)), letter("Stays"),
                                  settings="brakes: { share: 50, count: 5 }\n")
        before = box.fingerprint()
        held = self.check(place.opus("triage", "--yes"), 1, "8 of 9 messages", "more than 50 %", "rule away: 8",
                          "opus triage --yes --plan p:")
        name = held.text.split("--plan ")[1].split()[0]
        self.assertEqual(box.fingerprint(), before)
        self.check(place.opus("runs"), 0, "No runs yet.")
        self.assertEqual(place.opus("triage", "--yes", "--json").error["code"], "brake")
        stopped = self.check(place.opus("run", "--yes"), 1, name)
        self.assertNotIn("Nothing to do", stopped.text)
        self.assertEqual(box.fingerprint(), before)
        self.check(place.opus("triage", "--yes", "--plan", "p:123456"), 3, name)
        box.add("INBOX", letter("Away too", minutes=20))
        self.check(place.opus("sync"))
        self.check(place.opus("triage", "--yes", "--plan", name), 3, "is now p:", "not " + name)
        self.assertEqual(len([held for held in box.everything() if held.mailbox == "INBOX"]), 10)
        again = self.check(place.opus("triage", "--yes"), 1).text.split("--plan ")[1].split()[0]
        self.assertNotEqual(again, name)
        # A minute later it is the same plan.
        self.check(place.opus("triage", "--yes", "--plan", again, now="2026-03-10T08:31:00+01:00"), 0, "Applied 9 of 9")
        self.assertNothingMore(place, box)

    def test_a_saved_plan_was_reviewed_so_no_brake_asks_again(self):
        box, place = self.prepare(*(letter(f"Away {n}") for n in range(8)), settings="brakes: { count: 5 }\n")
        saved = self.check(place.opus("triage", "--out", "plan.json"), 0, "Saved p:")
        self.assertIn(json.loads((place.root / "plan.json").read_text())["id"], saved.text)
        self.check(place.opus("apply", "plan.json"), 0, "Applied 8 of 8")

    def test_a_share_or_a_count_that_is_not_reached_asks_nothing(self):
        box, place = self.prepare(*(letter(f"Away {n}") for n in range(6)), *(letter(f"Stays {n}") for n in range(6)),
                                  settings="brakes: { share: 50, count: 5 }\n")
        self.check(place.opus("triage", "--yes"), 0, "Applied 6 of 6")

    def test_a_list_of_ids_that_is_too_long_needs_its_id_too(self):
        box, place = self.prepare(*(letter(f"Number {n}") for n in range(6)), settings="brakes: { count: 5 }\n")
        before = box.fingerprint()
        ids = sorted(self.ids(place).values())
        held = self.check(place.opus("read", *ids), 1, "6 messages, more than 5", "--plan p:")
        self.assertEqual(box.fingerprint(), before)
        name = held.text.split("--plan ")[1].split()[0]
        self.check(place.opus("unread", "--plan", name, *ids), 3)
        self.check(place.opus("read", "--plan", name, *ids), 0, "Applied 6 of 6")
        self.check(place.opus("unread", *ids[:5]), 0, "Applied 5 of 5")

    def test_on_a_terminal_the_id_is_typed_and_yes_is_not_enough(self):
        box, place = self.prepare(*(letter(f"Away {n}") for n in range(6)), settings="brakes: { count: 5 }\n")
        before = box.fingerprint()
        for words in (["triage"], ["triage", "--yes"], ["run", "--yes"]):
            code, output = answered(place, words, b"y\n")
            self.assertEqual(code, 1, output)
            self.assertIn("6 of 6 messages", output)
            self.assertEqual(box.fingerprint(), before)
        code, output = answered(place, ["triage"], lambda name: name.encode() + b"\n")
        self.assertEqual(code, 0, output)
        self.assertIn("Applied 6 of 6", output)
        code, output = answered(place, ["undo"], b"n\n")
        self.assertIn("Nothing was changed.", output)
        self.assertPlaces(box, {f"away-{n}": "Archive" for n in range(6)})
        code, output = answered(place, ["undo"], b"y\n")
        self.assertIn("Applied 6 of 6", output)
        self.assertEqual(code, 0, output)
        self.assertPlaces(box, {f"away-{n}": "INBOX" for n in range(6)})

    def test_mails_beyond_the_cap_are_not_sent(self):
        rules = RULES + "  - { id: hand-over, when: 'subject:over', then: [{ delegate: { to: bob@acme.example, send: now } }] }\n"
        box, place = self.prepare(*(letter(f"Over {n}") for n in range(4)), rules=rules,
                                  settings="allow-send: true\nbrakes: { sends: 3 }\nsend: { max-per-recipient-per-hour: 9 }\n")
        before = box.fingerprint(), place.task_files()
        self.check(place.opus("triage", "--yes"), 1, "sends 4 mails, more than 3", "rule hand-over: 4")
        self.assertEqual((box.fingerprint(), place.task_files()), before)

    def test_settings_that_make_no_sense_are_named(self):
        box, place = self.prepare(letter("One"), settings="brakes: { share: 50 }\n")
        place.configure(place.accounts, "brakes: { share: 120, cout: 3 }\n")
        self.check(place.opus("list"), 78, "'share' is '120', not a number from 1 to 100", "did you mean 'count'?")


if __name__ == "__main__":
    unittest.main()
