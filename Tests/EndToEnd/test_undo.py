"""opus undo: undoes a run, even days later and after other clients moved messages, and lists what it cannot undo."""
import unittest

from letters import letter
from oracle import later
from test_hand import Hand, conversation
from test_sending import Sending
from test_sent_copies import Submission
from workplace import NO_RULES, Case, on_both

RULES = """\
rules-version: 1
name: undo
rules:
  - { id: pay, when: 'subject:pay', then: [{ task: { title: '{{subject}}' } }, { label: money }, { mark: read }, archive] }
  - { id: away, when: 'subject:away', then: [archive] }
  - { id: star, when: 'subject:star', then: [flag] }
  - { id: later, when: 'subject:later', then: [{ defer: 'tomorrow 09:00' }] }
  - { id: over, when: 'subject:over', then: [{ delegate: { to: bob@acme.example, note: 'Yours.' } }, archive] }
"""
LATER = "2026-03-15T10:00:00+01:00"


class Undo(Hand):
    def prepare(self, *letters, rules=RULES, settings="", **options):
        box = self.new_box()
        box.add("INBOX", list(letters))
        place = self.new_place(box, rules, settings=settings, **options)
        self.check(place.opus("sync"))
        return box, place

    def contents(self, box):
        """{message: (mailbox, flags)}, without what a server or a Maildir says of itself."""
        found = {}
        for held in box.everything():
            name = held.message_id.strip("<>").partition("@")[0]
            found.setdefault(name, []).append((held.mailbox, tuple(sorted(set(held.flags) - {r"\Recent"}))))
        return found

    def tasks(self, place):
        return {path: content for path, (content, _) in place.task_files().items() if path.endswith(".ics")}


@on_both
class Taking(Undo):
    def test_a_triage_is_undone_completely_and_can_be_done_again(self):
        box, place = self.prepare(letter("Pay me"), letter("Go away"), letter("A star"), letter("Hello"),
                                  letter("Much later"))
        before = self.contents(box)
        self.check(place.opus("triage", "--yes"))
        done, files = self.contents(box), self.tasks(place)
        self.assertNotEqual(done, before)
        self.assertEqual(len(files), 1)
        plan = self.check(place.opus("undo", "--dry-run"))
        self.assertEqual({line.split("\t")[0] for line in plan.out.splitlines()}, {"undo"})
        self.assertEqual(self.contents(box), done)
        self.check(place.opus("undo", "--yes"), 0, "run r:0002")
        self.assertEqual(self.contents(box), before)
        self.assertEqual(self.tasks(place), {})
        # The rules leave undone messages alone, and no step is pending.
        self.assertNothingMore(place, box)
        self.assertNothingMore(place, box, now=LATER)
        self.check(place.opus("undo", "--yes"), 0, "r:0001 is already undone by r:0002.")
        self.check(place.opus("undo", "--yes", "r:0001"), 0, "already undone by r:0002")
        self.assertEqual(self.contents(box), before)
        # Undoing the undo does it again, with the same task file.
        self.check(place.opus("undo", "--yes", "r:0002"), 0, "run r:0003")
        self.assertEqual(self.contents(box), done)
        self.assertEqual(self.tasks(place), files)
        self.check(place.opus("undo", "--yes", "r:0002"), 0, "already undone by r:0003")
        # The first run can be undone again.
        self.check(place.opus("undo", "--yes", "r:0001"), 0, "run r:0004")
        self.assertEqual(self.contents(box), before)
        self.assertEqual(self.tasks(place), {})

    def test_mail_that_came_back_and_was_moved_on_in_one_run_is_deferred_again(self):
        box, place = self.prepare(letter("Back and away", "away"), letter("Back", "back"), rules=NO_RULES)
        for item in place.opus("list", "--json").json["items"]:
            self.check(place.opus("defer", item["id"], "thursday"))
        place.write_rules(RULES.replace("'subject:away'", "'is:back subject:away'"))
        thursday = "2026-03-12T08:30:00+01:00"
        self.check(place.opus("run", "--yes", now=thursday))
        self.assertPlaces(box, {"away": "Archive", "back": "INBOX"})
        undone = self.check(place.opus("undo", "--yes", now=thursday))
        self.assertNotIn("cannot", undone.text)
        self.assertPlaces(box, {"away": "Deferred", "back": "Deferred"})
        self.assertEqual(len(place.opus("defer", "--list", now=thursday).out.splitlines()), 2)
        self.assertNothingMore(place, box, now=thursday)
        # And once more: the undo is undone.
        run = place.opus("runs", "--limit", "1", now=thursday).out.split("\t")[0]
        self.check(place.opus("undo", run, "--yes", now=thursday))
        self.assertPlaces(box, {"away": "Archive", "back": "INBOX"})

    def test_marks_that_two_rules_set_and_removed_are_as_before_both(self):
        rules = ("rules-version: 1\nname: opposed\nrules:\n"
                 "  - { id: read, when: 'from:nora', then: [{ mark: read }, { label: a }] }\n"
                 "  - { id: unread, when: 'is:unread', then: [{ mark: unread }, { unlabel: a }] }\n")
        box, place = self.prepare(letter("Hello", sender="nora@acme.example"), rules=rules)
        before = self.contents(box)
        self.check(place.opus("triage", "--yes"), 0, "Applied 2 of 2 steps")
        self.check(place.opus("undo", "--yes"), 0, "Applied 2 of 2 steps")
        self.assertEqual(self.contents(box), before)

    def test_the_last_of_opposite_marks_counts_whatever_marks_other_messages_have(self):
        marks = "  - {{ id: {}, when: 'subject:ball', then: [{{ mark: read }}, flag, {{ label: a }}] }}\n"
        rules = ("rules-version: 1\nname: opposed\nrules:\n" + marks.format("set")
                 + "  - { id: clear, when: 'subject:ball', then: [{ mark: unread }, unflag, { unlabel: a }] }\n")
        box, place = self.prepare(letter("Ball one"), rules=rules)
        box.add("INBOX", letter("Ball two", minutes=1), flags=[r"\Seen", r"\Flagged", "a"])
        before = self.contents(box)
        self.check(place.opus("run", "--yes"), 0, "Applied 3 of 3 steps")
        self.assertEqual(self.contents(box), {"ball-one": [("INBOX", ())], "ball-two": [("INBOX", ())]})
        self.check(place.opus("undo", "--yes"), 0, "Applied 3 of 3 steps")
        self.assertEqual(self.contents(box), before)
        place.write_rules(rules + marks.format("again"))
        self.check(place.opus("triage", "--again", "--yes"))
        done = ("INBOX", (r"\Flagged", r"\Seen", "a"))
        self.assertEqual(self.contents(box), {"ball-one": [done], "ball-two": [done]})

    def test_runs_and_runs_show_say_which_run_undid_which(self):
        _, place = self.prepare(letter("Go away"))
        self.check(place.opus("triage", "--yes"))
        self.check(place.opus("undo", "--yes"))
        runs = place.opus("runs", "--json").json["items"]
        self.assertEqual([(run["id"], run["command"], run.get("undoes")) for run in runs],
                         [("r:0002", "undo", "r:0001"), ("r:0001", "triage", None)])
        shown = place.opus("runs", "show", "r:0001", "--json").json["steps"]
        self.assertEqual([(step["undoneBy"], step["attempts"], step["state"]) for step in shown],
                         [("r:0002", 1, "confirmed")])
        self.check(place.opus("runs", "show", "r:0001"), 0, "undone by r:0002")
        document = place.opus("undo", "--dry-run", "--json").json
        self.assertEqual((document["schema"], document["undoes"], document["alreadyUndoneBy"], document["items"]),
                         ("opus.undo/1", "r:0001", ["r:0002"], []))

    def test_a_run_is_undone_days_later_after_other_clients_moved_mail(self):
        box, place = self.prepare(*(letter(f"Away {n}") for n in range(4)), letter("Away again"))
        self.check(place.opus("triage", "--yes"))
        box.move("away-0@test.example", "Archive", "Elsewhere")
        box.move("away-1@test.example", "Archive", "INBOX")
        box.remove("Archive", "away-2@test.example")
        box.mark("Archive", "away-3@test.example", add=[r"\Flagged"])
        done = self.check(place.opus("undo", "--yes", now=LATER), 1, "it is no longer in any mailbox of the account")
        self.assertIn("Applied 3 of 3", done.out)
        self.assertPlaces(box, {"away-0": "INBOX", "away-1": "INBOX", "away-3": "INBOX", "away-again": "INBOX"})
        self.assertIn(r"\Flagged", self.flags(box, "away-3"))
        self.assertNothingMore(place, box, now=LATER)

    def test_marks_that_others_set_since_stay(self):
        box, place = self.prepare(letter("A star"), letter("Star again"))
        box.mark("INBOX", "star-again@test.example", add=[r"\Flagged"])
        self.check(place.opus("sync"))
        self.check(place.opus("triage", "--yes"))
        box.mark("INBOX", "a-star@test.example", add=[r"\Seen", r"\Answered"])
        self.check(place.opus("undo", "--yes"))
        self.assertEqual(self.flags(box, "a-star") - {r"\Recent"}, {r"\Seen", r"\Answered"})
        self.assertIn(r"\Flagged", self.flags(box, "star-again"), "it was flagged before the run")

    def test_a_task_that_was_edited_since_is_not_removed(self):
        box, place = self.prepare(letter("Pay me"))
        self.check(place.opus("triage", "--yes"))
        path = place.edit("Pay me", ("SUMMARY:Pay me", "SUMMARY:Pay me today"))
        edited = path.read_bytes()
        self.check(place.opus("undo", "--yes"), 1, "was edited since", "--force")
        self.assertEqual(path.read_bytes(), edited)
        self.assertPlaces(box, {"pay-me": "INBOX"})
        self.check(place.opus("undo", "--yes", "--force", "r:0001"), 0)
        self.assertIn(b"STATUS:CANCELLED", path.read_bytes())

    def test_undo_can_be_limited_to_one_rule_or_one_message(self):
        box, place = self.prepare(letter("Go away"), letter("Away too"), letter("A star"))
        self.check(place.opus("triage", "--yes"))
        ids = self.ids(place)
        self.check(place.opus("undo", "--yes", "--rule", "star"), 0, "Applied 1 of 1")
        self.assertPlaces(box, {"go-away": "Archive", "away-too": "Archive"})
        self.assertNotIn(r"\Flagged", self.flags(box, "a-star"))
        self.check(place.opus("undo", "--yes", ids["Go away"]), 0, "Applied 1 of 1")
        self.assertPlaces(box, {"go-away": "INBOX", "away-too": "Archive"})
        self.check(place.opus("undo", "--yes", "r:0001"), 0, "Applied 1 of 1")
        self.assertPlaces(box, {"go-away": "INBOX", "away-too": "INBOX"})
        self.check(place.opus("undo", "--yes", "r:0001", "--rule", "nobody"), 66, "no step of rule")
        self.check(place.opus("undo", "--yes", "r:0099"), 66, "run r:0099 not found")

    def test_a_verb_by_hand_is_undone_with_its_conversation(self):
        box, place = self.prepare(*conversation(3))
        named = place.opus("list", "--json").json["items"][0]["id"]
        before = self.contents(box)
        for verb in (["archive"], ["trash"], ["junk"], ["label", "work"], ["flag"], ["read"]):
            with self.subTest(verb[0]):
                self.check(place.opus(*verb, named))
                self.assertNotEqual(self.contents(box), before)
                self.check(place.opus("undo", "--yes"))
                self.assertEqual(self.contents(box), before)

    def test_a_completed_task_and_its_archived_mail(self):
        box, place = self.prepare(letter("Pay me", name="pay"), rules=RULES.replace(", archive] }", "] }", 1))
        self.check(place.opus("run", "--yes"))
        self.check(place.opus("task", "done", place.opus("task", "list", "--json").json["items"][0]["id"]))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"pay": "Archive"})
        self.check(place.opus("undo", "--yes"), 0, "Applied 1 of 1")
        self.assertPlaces(box, {"pay": "INBOX"})
        self.assertNothingMore(place, box)

    def test_a_draft_of_opus_is_removed_and_its_task_too(self):
        box, place = self.prepare(letter("Over to Bob"))
        before = self.contents(box)
        self.check(place.opus("triage", "--yes"))
        self.assertEqual(len([held for held in box.everything() if held.mailbox == "Drafts"]), 1)
        self.check(place.opus("undo", "--yes"), 0)
        # The draft itself goes to the trash, where the account has one.
        left = {name: places for name, places in self.contents(box).items() if places[0][0] != "Trash"}
        self.assertEqual(left, before)
        self.assertEqual(self.tasks(place), {})
        self.assertNothingMore(place, box)
        self.check(place.opus("undo", "--yes", "r:0002"), 0)
        self.assertEqual(len([held for held in box.everything() if held.mailbox == "Drafts"]), 1)
        self.assertPlaces(box, {"over-to-bob": "Archive"})

    def test_a_task_that_is_answered_in_its_first_run_is_undone_and_made_again(self):
        rules = "rules-version: 1\nrules:\n  - { id: ask, when: 'subject:question', then: [{ waiting: { until: +3 days } }, keep] }\n"
        question = letter("Question", name="question")
        answer = letter("Re: Question", name="answer", minutes=5, headers={"References": "<question@test.example>"})
        _, place = self.prepare(question, answer, rules=rules)
        self.check(place.opus("run", "--yes"), 0, "Decide: Question")
        done = self.tasks(place)
        self.check(place.opus("undo", "--yes"))
        self.assertEqual(self.tasks(place), {})
        undo = place.opus("runs", "--json").json["items"][0]["id"]
        self.check(place.opus("undo", "--yes", undo))
        self.assertEqual(self.tasks(place), done)

    def test_a_rule_that_continues_keeps_its_mail_from_later_rules_in_further_runs(self):
        rules = ("rules-version: 1\nrules:\n"
                 "  - { id: hold, when: 'subject:hold', then: [{ label: held }, keep], continue: true }\n"
                 "  - { id: bin, when: 'subject:bin', then: [trash], continue: true }\n"
                 "  - { id: rest, when: '*', then: [archive] }\n")
        box, place = self.prepare(letter("Hold me"), letter("Bin me"), letter("Other"), rules=rules)
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"hold-me": "INBOX", "bin-me": "Trash", "other": "Archive"})
        self.assertNothingMore(place, box)
        self.check(place.opus("undo", "--yes"))
        self.assertNothingMore(place, box)
        self.assertPlaces(box, {"hold-me": "INBOX", "bin-me": "INBOX", "other": "INBOX"})

    def test_a_run_that_changed_nothing_is_passed_over(self):
        box, place = self.prepare(letter("One"), letter("Copy me", "copy"),
                                  rules="rules-version: 1\nname: c\nrules:\n  - { id: c, when: subject:copy, then: { copy: Kept } }\n")
        box.create("Kept")
        self.check(place.opus("sync"))
        one = next(item["id"] for item in place.opus("list", "--json").json["items"] if item["subject"] == "One")
        self.check(place.opus("archive", one))
        self.check(place.opus("run", "--yes"))
        self.check(place.opus("triage", "--again", "--yes"), 0, "1 was already done")
        self.check(place.opus("undo", "--yes"))
        self.assertEqual((box.subjects("Kept"), box.subjects("Archive")), ([], ["One"]))
        self.check(place.opus("undo", "--yes"))
        self.assertEqual(sorted(box.subjects("INBOX")), ["Copy me", "One"])

    def test_nothing_to_undo_is_reported(self):
        _, place = self.prepare(letter("Hello"))
        self.check(place.opus("undo", "--yes"), 66, "no run changed anything")
        self.check(place.opus("undo"), 66, "no run changed anything")
        _, place = self.prepare(letter("Go away"), name="undone")
        self.check(place.opus("triage", "--yes"))
        self.check(place.opus("undo"), 64, "--yes")
        self.check(place.opus("undo", "--yes"))
        self.check(place.opus("undo"), 0, "r:0001 is already undone by r:0002.")
        self.assertEqual(self.check(place.opus("undo", "--json")).json["alreadyUndoneBy"], ["r:0002"])
        self.check(place.opus("undo", "r:0099"), 66, "run r:0099 not found")
        self.assertEqual(len(place.opus("runs", "--json").json["items"]), 2)


@on_both
class Sent(Sending, Undo):
    def test_a_sent_mail_is_named_with_the_reason_and_the_rest_is_undone(self):
        box, place = Sending.prepare(self)
        self.check(place.opus("run", "--yes"))
        self.wait_for_mail()
        done = self.check(place.opus("undo", "--yes"), 1, "already sent to " + self.address)
        self.assertIn("undo\t", done.out)
        self.assertPlaces(box, {"wish": "INBOX"})
        self.assertEqual(self.tasks(place), {})
        self.check(place.opus("runs", "show", "r:0001"), 0, "undone by r:0002")
        self.assertEqual(len(self.wait_for_mail()), 1, "nothing is sent again")
        self.assertNothingMore(place, box)

    def test_json_names_a_sent_mail_as_the_outbox_does(self):
        _, place = Sending.prepare(self)
        self.check(place.opus("run", "--yes"))
        (place.root / "body").write_text("Hello.\n")
        self.check(place.opus("compose", "--to", self.address, "--subject", "Hi", "--body", "body", "--send", "--yes",
                              "--detach"))
        name, = [item["id"] for item in self.check(place.opus("outbox", "--json")).json["items"]]
        found = lambda items: {item.get("message") for item in items if item["kind"] in ("submit", "append")}
        waiting = place.opus("status", "--json").json["items"][0]["waiting"]
        self.assertEqual(found([entry["step"] for entry in waiting]), {name})
        run = place.opus("runs", "--json").json["items"][0]["id"]
        self.assertEqual(found(place.opus("runs", "show", run, "--json").json["steps"]), {name})
        self.assertEqual(found(place.opus("undo", run, "--dry-run", "--json").json["items"]), {name})
        self.check(place.opus("run", "--yes"))
        self.wait_for_mail(2)
        self.assertEqual(found(place.opus("undo", run, "--dry-run", "--json").json["items"]), {name})


class SentWithoutItsCopy(Case):
    kind = "maildir"

    def test_undo_does_not_cancel_what_still_has_to_follow_a_sent_mail(self):
        box, smtp = self.new_box(), self.enterContext(Submission())
        box.add("INBOX", letter("Wish"))
        sent = box.place("Sent")
        place = self.new_place(box, extra=smtp.yaml(), settings="send: { hold: 0s }\n")
        self.check(place.opus("sync"))
        sent.write_text("in the way")
        wish, = [item["id"] for item in place.opus("list", "--json").json["items"]]
        place.opus("delegate", wish, "carl@far.example", "--send", "--yes")
        self.assertEqual(len(smtp.mails), 1)
        self.assertEqual(len(box.held("Drafts")), 1)
        sent.unlink()
        done = self.check(place.opus("undo", "--yes", now=later(1)), 1, "already sent to carl@far.example",
                          "its mail was sent: the copy still follows", "its mail was sent: the draft is still removed")
        self.assertNotIn("cancel", done.out)
        self.check(place.opus("run", "--yes", now=later(2)))
        self.assertPlaces(box, {"wish": "INBOX"})
        self.assertEqual(len(box.held("Sent")), 1)
        self.assertEqual(box.held("Drafts"), [])
        self.assertEqual(list(place.tasks.glob("*/*.ics")), [])
        self.assertEqual(len(smtp.mails), 1)


if __name__ == "__main__":
    unittest.main()
