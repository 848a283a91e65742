"""The state after one triage of many mails is that after a triage of each arrival: places, labels, tasks and drafts."""
import itertools
import re
import shutil
import unittest

from letters import letter
from test_undo import Undo
from workplace import REPOSITORY, on_both

HEAD = "rules-version: 1\nname: arrivals\n"
PAY = HEAD + "rules:\n  - { id: pay, when: 'subject:invoice', then: [{ task: { title: '{{subject}}' } }, archive] }\n"
OVER = HEAD + ("rules:\n  - { id: over, when: 'subject:help', "
               "then: [{ delegate: { to: bob@acme.example, note: 'Yours.' } }, archive] }\n")
#: Rules that look at what other rules and mails make: tasks, waiting, protection, marks, the conversation, the writer.
CONDITIONS = HEAD + """\
protect:
  - flagged: is:flagged
  - waited for: task:waiting
rules:
  - { id: first, when: 'thread:size<2 subject:plan', then: { label: opened } }
  - { id: more, when: 'thread:size>2', then: { label: long } }
  - { id: promise, when: 'body:promise', unless: task:waiting, then: { task: { title: 'Wait: {{subject}}', list: waiting } } }
  - { id: star, when: 'body:star', then: { flag: } }
  - { id: new, when: 'sender:first-seen', then: { label: stranger } }
  - { id: ask, when: 'body:question', unless: has:open-task, then: { task: { title: 'Ask: {{subject}}' } } }
  - { id: busy, when: 'has:open-task body:urgent', then: [{ label: urgent }, keep] }
  - { id: done, when: 'body:thanks', then: archive }
  - { id: filed, when: 'thread:has(body:thanks) body:note', then: archive }
""".replace("{ flag: }", "flag")


def reply(name, root, **options):
    return letter("Re: " + options.pop("subject", "Plan"), name, headers={"References": f"<{root}@test.example>"}, **options)


class Arrivals(Undo):
    numbers = itertools.count(1)

    def state(self, box, place):
        """Everything that people see of an account and its tasks."""
        mails = sorted((held.subject, held.message_id, held.mailbox, tuple(sorted(held.flags - {r"\Recent"})))
                       for held in box.everything() if held.mailbox != "Drafts")
        drafts = box.subjects("Drafts") if "Drafts" in box.names() else []
        tasks = sorted((path.split("/")[0], *re.findall(rb"\r\n(?:UID|SUMMARY):([^\r]*)", content))
                       for path, content in self.tasks(place).items())
        return {"mails": mails, "drafts": drafts, "tasks": tasks}

    def both_ways(self, letters, rules, again=True, begun=None):
        """The state after each arrival, which is also that after one triage of all. `begun`: when the rules were applied first."""
        states = []
        for name in ("each", "all"):
            box = self.new_box()
            place = self.new_place(box, rules, name=f"{name}{next(self.numbers)}")
            if begun:
                self.check(place.opus("run", "--yes", now=begun))
            for number, mail in enumerate(letters):
                box.add("INBOX", [mail], received=1773122400 + number)
                if name == "each":
                    self.check(place.opus("run", "--yes"))
            self.check(place.opus("run", "--yes"))
            states.append(self.state(box, place))
            if again:
                self.assertNothingMore(place, box)
        self.assertEqual(states[1], states[0])
        return states[0]

    def inbox(self, state):
        return [mail[1].strip("<>").partition("@")[0] for mail in state["mails"] if mail[2] == "INBOX"]


@on_both
class OneTriage(Arrivals):
    def test_a_second_mail_that_makes_no_task_stays(self):
        state = self.both_ways([
            letter("Invoice", "one", minutes=0),
            reply("two", "one", subject="Invoice", body="Data is being lost, call me.\n", minutes=1),
            reply("three", "one", subject="Invoice", minutes=2)], PAY)
        self.assertEqual(self.inbox(state), ["three", "two"])
        self.assertEqual([task[1:] for task in state["tasks"]], [(state["tasks"][0][1], b"Invoice")])

    def test_a_second_mail_that_makes_no_draft_stays(self):
        state = self.both_ways([letter("Help", "one"), reply("two", "one", subject="Help", minutes=1)], OVER)
        self.assertEqual(self.inbox(state), ["two"])
        self.assertEqual(len(state["drafts"]), 1)

    def test_rules_that_look_at_tasks_waiting_threads_and_protection(self):
        letters = [letter("Plan", "root", body="A question.\n")]
        bodies = ["urgent question", "a note", "thanks", "a promise", "thanks for the promise", "a star", "thanks"]
        letters += [reply(f"p{n}", "root", body=body + "\n", minutes=n + 1) for n, body in enumerate(bodies)]
        other = "Zoe <zoe@other.example>"
        letters += [letter("Other", "o0", sender=other, body="A star.\n", minutes=20),
                    reply("o1", "o0", subject="Other", sender=other, body="thanks\n", minutes=21),
                    reply("o2", "o0", subject="Other", sender=other, body="a note\n", minutes=22),
                    letter("Plan", "q0", sender=other, body="a note\n", minutes=23),
                    reply("q1", "q0", sender=other, body="thanks\n", minutes=24)]
        state = self.both_ways(letters, CONDITIONS, again=False)
        labels = {word for mail in state["mails"] for word in mail[3]}
        if self.kind == "imap":
            self.assertLessEqual({"opened", "long", "stranger", "urgent"}, labels)
        self.assertIn("o0", self.inbox(state), "what a rule flagged is protected from the next mail")
        self.assertEqual(len(state["tasks"]), 2)

    def test_the_starter_rules(self):
        customer, forge = "Jay <jay@customer.example>", "Bob <notifications@forge.example>"
        support = {"sender": customer, "to": "support@acme.example"}
        review = {"Cc": "review_requested@noreply.forge.example"}
        letters = [
            letter("Cannot log in", "c0", **support),
            reply("c1", "c0", subject="Cannot log in", body="Data is being lost, call me.\n", minutes=1, **support),
            letter("Change", "f0", sender=forge, headers=review, minutes=2),
            letter("Re: Change", "f1", sender=forge, headers={**review, "References": "<f0@test.example>"}, minutes=3),
            letter("Urgent: verify your account", "s0", sender="Win <win@prize.example>", to="all@prize.example", minutes=4),
            letter("Urgent: last call", "s1", sender="Win <win@prize.example>", to="all@prize.example", minutes=5),
            letter("NDA", "n0", body="Can you sign it by Friday? I'll get back to you.\n", minutes=6),
            reply("n1", "n0", subject="NDA", body="I'll get back to you by 13 March.\n", minutes=7),
            reply("n2", "n0", subject="NDA", body="Can you also send the annex by Friday?\n", minutes=8)]
        state = self.both_ways(letters, REPOSITORY / "rules")
        self.assertIn("c1", self.inbox(state))
        self.assertIn("f1", self.inbox(state))
        self.assertEqual(len(state["drafts"]), 1)

    def test_mail_outside_the_query_makes_no_task(self):
        box = self.new_box()
        place = self.new_place(box, PAY)
        box.add("INBOX", [letter("Invoice", "one"), reply("two", "one", subject="Invoice", body="Second.\n", minutes=1)])
        self.check(place.opus("sync"))
        self.check(place.opus("triage", "--yes", "body:second"))
        self.assertEqual(len(self.tasks(place)), 1)
        self.assertPlaces(box, {"two": "Archive"})

    def test_the_first_of_two_mails_of_one_sender_is_answered(self):
        rules = HEAD + "rules:\n  - { id: away, when: 'to:me', then: { vacation: { text: 'Back on Monday.' } } }\n"
        state = self.both_ways(
            [letter("One", "one"), letter("Two", "two", minutes=1)], rules, begun="2026-03-10T06:00:00+01:00")
        self.assertEqual(len(state["drafts"]), 1)


@on_both
class DeferredConversation(Arrivals):
    """An answer ends a deferral also if it came in the same sync, and an answer that the rules defer ends none."""

    RULES = HEAD + """\
rules:
  - { id: later, when: 'subject:trip from:bob@acme.example', then: [{ label: trips }, { defer: friday 09:00 }] }
  - { id: quiet, when: 'subject:seen from:bob@acme.example', then: [{ mark: read }, { defer: someday }] }
  - { id: bulk, when: 'from:eve@x.example subject:trip body:minutes', then: { defer: saturday 10:00 } }
  - { id: thanks, when: 'body:thanks', then: archive }
  - { id: starred, when: 'is:flagged', then: { defer: next monday } }
"""
    EVE = "Eve <eve@x.example>"

    def state(self, box, place):
        """The message with the list of deferred mail is there or not, as opus needs it."""
        state = super().state(box, place)
        state["mails"] = [mail for mail in state["mails"] if mail[1].endswith("@test.example>")]
        return state

    def places(self, state):
        return {mail[1].strip("<>").partition("@")[0]: mail[2] for mail in state["mails"]}

    def trip(self, name="trip", subject="Trip", **options):
        return letter(subject, name, to=f"ana@acme.example, {self.EVE}", **options)

    def answer(self, name="answer", subject="Trip", minutes=10, **options):
        return reply(name, "trip", subject=subject, sender=self.EVE, minutes=minutes, **options)

    def test_an_answer_that_stays_leaves_the_conversation_in_the_inbox(self):
        state = self.both_ways([self.trip(), self.answer()], self.RULES)
        self.assertEqual(self.places(state), {"trip": "INBOX", "answer": "INBOX"})
        if self.kind == "imap":
            self.assertEqual([mail[3] for mail in state["mails"] if "trip@" in mail[1]], [("trips",)])

    def test_an_answer_that_the_rules_defer_returns_nothing(self):
        state = self.both_ways([self.trip(), self.answer(body="The minutes.\n")], self.RULES)
        self.assertEqual(self.places(state), {"trip": "Deferred", "answer": "Deferred"})

    def test_each_deferred_message_keeps_its_own_date(self):
        for name in ("each", "all"):
            box = self.new_box()
            place = self.new_place(box, self.RULES, name=f"dates-{name}")
            box.add("INBOX", [self.trip()])
            if name == "each":
                self.check(place.opus("run", "--yes"))
            box.add("INBOX", [self.answer(body="The minutes.\n")])
            ran = self.check(place.opus("run", "--yes"))
            self.assertNotIn("back in the inbox", ran.out)
            self.assertEqual(self.dates(place), ["Fri 13 Mar 09:00", "Sat 14 Mar 10:00"])

    def id_of(self, place, subject):
        """The short id of the message with exactly this subject."""
        items = place.opus("list", "--all", "--json").json["items"]
        return next(item["id"] for item in items if item["subject"] == subject)

    def dates(self, place):
        return re.findall(r"→ (\w+ \d+ \w+ [\d:]+)", place.opus("defer", "--list").out)

    def test_an_answer_that_is_archived_takes_along_only_mail_of_its_writer(self):
        state = self.both_ways([self.trip(), self.answer(body="thanks\n"), self.trip("own", minutes=20),
                                reply("last", "own", subject="Trip", body="thanks\n", minutes=30)], self.RULES)
        self.assertEqual(self.places(state), {"trip": "INBOX", "answer": "Archive", "own": "Deferred", "last": "Deferred"})

    def test_mail_that_a_rule_marked_as_read_comes_back_unread(self):
        state = self.both_ways([self.trip(subject="Seen"), self.answer(subject="Seen")], self.RULES)
        self.assertEqual(self.places(state), {"trip": "INBOX", "answer": "INBOX"})
        self.assertNotIn("\\Seen", {word for mail in state["mails"] for word in mail[3]})

    def test_automatic_replies_and_strangers_return_nothing(self):
        away = {"Auto-Submitted": "auto-replied", "References": "<trip@test.example>"}
        state = self.both_ways([
            self.trip(), letter("Re: Trip", "away", sender=self.EVE, minutes=10, headers=away),
            reply("stranger", "trip", subject="Trip", sender="Joe <joe@z.example>", minutes=20)], self.RULES)
        self.assertEqual(self.places(state), {"trip": "Deferred", "away": "INBOX", "stranger": "INBOX"})

    def test_the_rule_does_not_act_after_the_answer_is_deleted(self):
        box = self.new_box()
        place = self.new_place(box, self.RULES, name="later")
        box.add("INBOX", [self.trip(), self.answer()])
        self.check(place.opus("run", "--yes"))
        self.check(place.opus("trash", self.id_of(place, "Re: Trip")))
        self.check(place.opus("run", "--yes"))
        self.assertEqual(box.subjects("INBOX"), ["Trip"])

    def test_a_flag_that_is_set_after_the_answer_defers(self):
        box = self.new_box()
        place = self.new_place(box, self.RULES, name="flag")
        box.add("INBOX", [self.trip(subject="Plan"), self.answer(subject="Plan")])
        self.check(place.opus("run", "--yes"))
        self.check(place.opus("flag", self.id_of(place, "Plan")))
        self.check(place.opus("run", "--yes"))
        self.assertEqual((box.subjects("Deferred")[:1], box.subjects("INBOX")), (["Plan"], ["Re: Plan"]))


@on_both
class SameIdentifier(Arrivals):
    """A sender whose program writes one Message-ID into all its mails."""

    def form(self, number, name="form", subject="Invoice"):
        return letter(f"{subject} {number}", name, body=f"Number {number}.\n", minutes=number)

    def prepare(self, rules):
        box = self.new_box()
        box.add("INBOX", [self.form(1)])
        place = self.new_place(box, rules)
        self.check(place.opus("run", "--yes"))
        return box, place

    def test_a_second_mail_gets_its_own_task_after_the_first_is_done(self):
        box, place = self.prepare(PAY)
        self.check(place.opus("task", "done", self.only_task(place)))
        self.check(place.opus("run", "--yes"))
        box.add("INBOX", [self.form(2)])
        done = self.check(place.opus("run", "--yes"))
        self.assertIn("1 × task written", done.out)
        self.assertEqual(len(self.tasks(place)), 2)
        self.assertIn(b"SUMMARY:Invoice 2", b"".join(self.tasks(place).values()))
        self.assertEqual(box.subjects("Archive"), ["Invoice 1", "Invoice 2"])
        self.assertNothingMore(place, box)

    def test_mails_with_one_identifier_each_get_a_task_and_a_draft_whenever_triage_ran(self):
        for rules, drafts in ((PAY, 0), (OVER, 3)):
            with self.subTest(drafts=drafts):
                word = "Help" if drafts else "Invoice"
                state = self.both_ways([self.form(n, subject=word) for n in range(1, 4)], rules)
                self.assertEqual(len(state["tasks"]), 3, state)
                self.assertEqual(len(state["drafts"]), drafts)
                self.assertEqual(self.inbox(state), [])

    def test_mails_with_an_implausible_message_id_are_separate(self):
        box = self.new_box()
        place = self.new_place(box, PAY)
        nameless = {"Message-ID": "<constant>"}
        for number in (1, 2):
            box.add("INBOX", [letter(f"Invoice {number}", minutes=number, headers=nameless)])
            self.check(place.opus("run", "--yes"), 0, "1 × task written")
            self.check(place.opus("task", "done", self.only_task(place, f"Invoice {number}")))
        self.assertEqual(len(self.tasks(place)), 2)

    def test_a_second_copy_by_another_way_gets_no_second_task(self):
        box, place = self.prepare(PAY)
        copy = b"Received: from list.example; Tue, 10 Mar 2026 06:10:00 +0000\n" + letter(
            "[users] Invoice 1", "form", body="Number 1.\n-- \nThe list\n", minutes=1)
        box.add("INBOX", [copy])
        self.check(place.opus("run", "--yes"))
        self.assertEqual(len(self.tasks(place)), 1)
        self.assertEqual(box.subjects("Archive"), ["Invoice 1", "[users] Invoice 1"])

    def test_a_closed_task_file_is_not_reported_as_written(self):
        """After the store was lost nothing but the file tells that the identifier was used before."""
        box, place = self.prepare(PAY)
        self.check(place.opus("task", "done", self.only_task(place)))
        self.check(place.opus("run", "--yes"))
        files = self.tasks(place)
        box.remove("Archive", "form@test.example")
        shutil.rmtree(place.root / ".opus")
        box.add("INBOX", [self.form(2)], received=1773133200)
        done = self.check(place.opus("run", "--yes"), 1, "is closed")
        self.assertNotIn("written to", done.out)
        self.assertEqual((box.subjects("INBOX"), self.tasks(place)), (["Invoice 2"], files))
        self.check(place.opus("run", "--yes"), 0)
        self.assertEqual(box.subjects("INBOX"), ["Invoice 2"])

    def only_task(self, place, title=None):
        items = place.opus("task", "list", "--json").json["items"]
        found = [item for item in items if title in (None, item["summary"])]
        self.assertEqual(len(found), 1, items)
        return found[0]["id"]


@on_both
class EditedRule(Arrivals):
    """opus remembers an undo for the content of the rule."""

    RULE = "  - { id: %s, when: '%s', then: %s }\n"

    def rules(self, name="away", when="subject:away", then="[{ label: gone }, { task: { title: '{{subject}}' } }, archive]"):
        return HEAD + "rules:\n" + self.RULE % (name, when, then)

    def prepare(self):
        box = self.new_box()
        box.add("INBOX", [letter("Away one"), letter("Away two", minutes=1), letter("Stay", minutes=2)])
        place = self.new_place(box, self.rules())
        self.check(place.opus("run", "--yes"))
        self.check(place.opus("undo", "--yes"))
        self.assertEqual(len(box.subjects("INBOX")), 3)
        self.assertNothingMore(place, box)
        return box, place

    def test_an_edited_rule_acts_again_and_once(self):
        box, place = self.prepare()
        place.write_rules(self.rules(when="subject:away -subject:two"))
        self.check(place.opus("run", "--yes"), 0, "1 × task written", "1 × moved to Archive")
        self.assertEqual(box.subjects("Archive"), ["Away one"])
        self.assertEqual(len(self.tasks(place)), 1)
        self.assertNothingMore(place, box)
        # An undo of the edited rule is remembered too.
        self.check(place.opus("undo", "--yes"))
        self.assertNothingMore(place, box)
        self.assertEqual((len(box.subjects("INBOX")), self.tasks(place)), (3, {}))

    def test_the_same_marks_can_be_set_again(self):
        box = self.new_box()
        box.add("INBOX", [letter("Star")])
        place = self.new_place(box, self.rules("star", "subject:star", "flag"))
        self.check(place.opus("run", "--yes"))
        self.check(place.opus("undo", "--yes"))
        place.write_rules(self.rules("star", "subject:star is:unread", "flag"))
        self.check(place.opus("run", "--yes"))
        self.assertIn(r"\Flagged", box.find("INBOX", "star@test.example").flags)

    def test_a_renamed_rule_does_not_act_again(self):
        box, place = self.prepare()
        place.write_rules(self.rules("elsewhere"))
        self.assertNothingMore(place, box)

    def test_triage_again_repeats_what_was_undone(self):
        box, place = self.prepare()
        self.check(place.opus("triage", "--dry-run", "--detailed-exitcode"), 0)
        self.check(place.opus("triage", "--dry-run", "--detailed-exitcode", "--again"), 2)
        self.check(place.opus("triage", "--again", "--out", "plan"), 64, "--again")
        self.check(place.opus("triage", "--yes", "--again", "subject:one"), 0, "1 × task written")
        self.assertEqual(box.subjects("Archive"), ["Away one"])
        self.assertEqual(len(self.tasks(place)), 1)
        # The same without undo: the user moved the mail back and removed its label.
        box.move("away-one@test.example", "Archive", "INBOX")
        self.check(place.opus("sync"))
        self.check(place.opus("run", "--yes"))
        self.assertEqual(len(box.subjects("INBOX")), 3)
        self.check(place.opus("triage", "--yes", "--again", "subject:one"))
        self.assertEqual(box.subjects("Archive"), ["Away one"])
        self.assertEqual(len(self.tasks(place)), 1)


if __name__ == "__main__":
    unittest.main()
