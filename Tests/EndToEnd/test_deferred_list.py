"""The dates of deferred mail live in the account: they survive a lost store, and a second machine knows them."""
import shutil
import unittest

from letters import letter
from workplace import CLOCK, on_both

RULES = """\
rules-version: 1
rules:
  - { id: later, when: subject:later, then: { defer: 2026-03-12 } }
"""
BEFORE, AFTER = "2026-03-12T07:59:00+01:00", "2026-03-12T08:01:00+01:00"
LATER = "2026-03-10T09:30:00+01:00"
NEXT_DAY = "2026-03-13T09:00:00+01:00"


@on_both
class DeferredList:
    def prepare(self, *subjects, settings="", rules=RULES, headers=None):
        self.box = self.new_box()
        for number, subject in enumerate(subjects):
            self.box.add("INBOX", letter(subject, minutes=number, sender="Eve <eve@x.example>", headers=headers))
        self.place = self.new_place(self.box, rules, settings)
        self.check(self.place.opus("sync"))
        return {item["subject"]: item["id"] for item in self.check(self.place.opus("list", "--json")).json["items"]}

    def run_(self, now=CLOCK, place=None):
        return self.check((place or self.place).opus("run", "--yes", now=now))

    def waiting(self, place=None, now=CLOCK):
        items = self.check((place or self.place).opus("defer", "--list", "--json", now=now)).json["items"]
        return {item["subject"]: item["deferredUntil"] for item in items}

    def lose_the_store(self):
        shutil.rmtree(self.place.root / ".opus")

    def test_mail_comes_back_on_its_day_after_the_store_was_lost(self):
        ids = self.prepare("Later", "By hand", "Some day")
        self.run_()
        self.check(self.place.opus("defer", ids["By hand"], "12", "march", "10:00"))
        self.check(self.place.opus("defer", ids["Some day"], "someday"))
        self.assertPlaces(self.box, {"later": "Deferred", "by-hand": "Deferred", "some-day": "Deferred"})
        self.lose_the_store()
        self.run_(BEFORE)
        self.assertEqual(self.waiting(now=BEFORE), {"Later": "2026-03-12T08:00:00+01:00",
                                                    "By hand": "2026-03-12T10:00:00+01:00", "Some day": "someday"})
        self.lose_the_store()
        self.assertRegex(self.run_(AFTER).out, "back in the inbox: m:\\w+  Eve  Later\\n")
        self.assertPlaces(self.box, {"later": "INBOX", "by-hand": "Deferred", "some-day": "Deferred"})
        self.assertNothingMore(self.place, self.box, now=AFTER)
        self.run_(NEXT_DAY)
        self.assertPlaces(self.box, {"later": "INBOX", "by-hand": "INBOX", "some-day": "Deferred"})
        self.assertNothingMore(self.place, self.box, now=NEXT_DAY)

    def test_another_program_may_rename_the_deferred_mailbox(self):
        ids = self.prepare("Later", "By hand")
        self.run_()
        self.box.rename("Deferred", "Not today")
        self.run_()
        self.assertEqual(self.waiting(), {"Later": "2026-03-12T08:00:00+01:00"})
        self.check(self.place.opus("defer", ids["By hand"], "13", "march"))
        self.assertPlaces(self.box, {"later": "Not today", "by-hand": "Not today"})
        self.assertNotIn("Deferred", self.box.names())
        self.assertNothingMore(self.place, self.box)
        self.assertRegex(self.run_(AFTER).out, "back in the inbox: m:\\w+  Eve  Later\\n")
        self.run_(NEXT_DAY)
        self.assertPlaces(self.box, {"later": "INBOX", "by-hand": "INBOX"})
        self.assertNothingMore(self.place, self.box, now=NEXT_DAY)

    def test_no_second_deferred_mailbox_before_opus_finds_the_renamed_one(self):
        ids = self.prepare("Later", "By hand", "Some day")
        self.run_()
        self.check(self.place.opus("defer", ids["By hand"], "13", "march"))
        self.box.rename("Deferred", "Not today")
        gone = "the mailbox is gone: another program renamed or deleted it. Run `opus sync`, then try again"
        self.check(self.place.opus("defer", ids["Some day"], "13", "march"), 1, gone)
        self.check(self.place.opus("defer", "--cancel", ids["By hand"]), 1, "mailbox Deferred does not exist")
        self.assertNotIn("Deferred", self.box.names())
        self.assertPlaces(self.box, {"later": "Not today", "by-hand": "Not today", "some-day": "INBOX"})
        self.check(self.place.opus("sync"))
        self.check(self.place.opus("defer", ids["Some day"], "13", "march"))
        self.assertPlaces(self.box, {"some-day": "Not today"})
        self.run_(AFTER)
        self.run_(NEXT_DAY)
        self.assertPlaces(self.box, {"later": "INBOX", "by-hand": "INBOX", "some-day": "INBOX"})
        self.assertNothingMore(self.place, self.box, now=NEXT_DAY)

    def test_a_deleted_deferred_mailbox_is_made_again_after_a_sync(self):
        ids = self.prepare("Later", "By hand")
        self.run_()
        self.box.drop("Deferred")
        self.check(self.place.opus("defer", ids["By hand"], "13", "march"), 1, "the mailbox is gone")
        self.check(self.place.opus("sync"))
        self.check(self.place.opus("defer", ids["By hand"], "13", "march"))
        self.assertPlaces(self.box, {"by-hand": "Deferred"})

    def test_a_deferred_mailbox_below_the_trash_is_not_used(self):
        ids = self.prepare("Later", "By hand")
        self.run_()
        if "Trash" not in self.box.names():
            self.box.create("Trash")
        self.box.rename("Deferred", "Trash/Deferred")
        self.run_()
        self.check(self.place.opus("defer", ids["By hand"], "13", "march"))
        self.assertPlaces(self.box, {"later": "Trash/Deferred", "by-hand": "Deferred"})

    def test_a_rule_does_not_defer_returned_mail_again_after_the_store_was_lost(self):
        saturday, monday = "2026-03-14T10:01:00+01:00", "2026-03-16T09:00:00+01:00"
        rules = RULES.replace("2026-03-12", "saturday 10:00")
        self.prepare("Later", "Later too", "Later still", rules=rules)
        self.run_()
        self.box.move("later-too@test.example", "Deferred", "INBOX")
        self.lose_the_store()
        self.run_(BEFORE)
        there = {"later": "Deferred", "later-too": "INBOX", "later-still": "Deferred"}
        self.assertPlaces(self.box, there)
        self.lose_the_store()
        self.run_(saturday)
        back = {name: "INBOX" for name in there}
        self.assertPlaces(self.box, back)
        self.lose_the_store()
        self.run_(monday)
        self.assertPlaces(self.box, back)
        second = self.new_place(self.box, rules, name="second")
        second.configure(self.box.yaml(name="home"))
        self.run_(monday, second)
        self.assertPlaces(self.box, back)
        for place in (self.place, second):
            self.assertNothingMore(place, self.box, now=monday)
        # Once the mail has left the inbox, there is nothing to tell.
        for name in there:
            self.box.move(f"{name}@test.example", "INBOX", "Archive")
        self.run_(monday)
        self.assertEqual(self.box.lists(), [])

    def test_a_second_machine_knows_the_dates_and_the_later_decision_wins(self):
        ids = self.prepare("Later", "Other")
        self.run_()
        second = self.new_place(self.box, name="second")
        second.configure(self.box.yaml(name="home"))
        self.check(second.opus("sync"))
        self.assertEqual(self.waiting(second), {"Later": "2026-03-12T08:00:00+01:00"})
        later = "2026-03-10T09:00:00+01:00"
        there = {item["subject"]: item["id"] for item in second.opus("search", "subject:later", "--json").json["items"]}
        self.check(second.opus("defer", there["Later"], "friday", now=later))
        self.assertEqual(len(self.box.lists()), 1)
        self.run_(later)
        self.assertEqual(self.waiting(now=later), {"Later": "2026-03-13T08:00:00+01:00"})
        self.assertNothingMore(self.place, self.box, now=AFTER)
        self.run_(NEXT_DAY, place=second)
        self.assertPlaces(self.box, {"later": "INBOX"})
        self.assertNotIn("back in the inbox", self.run_(NEXT_DAY).out)
        self.assertPlaces(self.box, {"later": "INBOX"})
        self.assertNothingMore(second, self.box, now=NEXT_DAY)
        self.assertEqual(len(ids), 2)

    def test_mail_that_another_program_takes_out_no_longer_waits(self):
        self.prepare("Later")
        self.run_()
        self.box.move("later@test.example", "Deferred", "Archive")
        self.run_(BEFORE)
        self.assertEqual(self.waiting(now=BEFORE), {})
        self.assertEqual(self.box.lists(), [])
        self.run_(AFTER)
        self.assertPlaces(self.box, {"later": "Archive"})
        self.box.move("later@test.example", "Archive", "Deferred")
        self.run_(AFTER)
        self.assertEqual(self.waiting(now=AFTER), {"Later": "someday"})
        self.run_("2027-01-01T09:00:00+01:00")
        self.assertPlaces(self.box, {"later": "Deferred"})

    def test_mail_that_another_program_puts_there_waits_as_long_as_usual(self):
        self.prepare("Other", settings="defer: { default: +2 days }\n")
        self.box.create("Deferred")
        self.box.move("other@test.example", "INBOX", "Deferred")
        self.run_()
        self.assertEqual(self.waiting(), {"Other": "2026-03-12T08:00:00+01:00"})
        self.lose_the_store()
        self.run_("2026-03-11T09:00:00+01:00")
        self.run_(AFTER)
        self.assertPlaces(self.box, {"other": "INBOX"})

    def test_a_usual_time_that_is_over_stops_no_run(self):
        self.prepare("Other", settings="defer: { default: 2026-03-01 }\n")
        self.box.create("Deferred")
        self.box.move("other@test.example", "INBOX", "Deferred")
        self.run_()
        self.assertEqual(self.waiting(), {"Other": "someday"})

    def test_an_answer_returns_deferred_mail_and_mail_of_a_stranger_does_not(self):
        ids = self.prepare("Plan", "Trip")
        for subject, when in (("Plan", "someday"), ("Trip", "2026-04-01")):
            self.check(self.place.opus("defer", ids[subject], when))
        stranger = {"In-Reply-To": "<plan@test.example>", "References": "<plan@test.example> <trip@test.example>"}
        self.box.add("INBOX", letter("Re: Plan", name="spam", sender="Mallory <m@bad.example>", minutes=60, headers=stranger))
        self.run_(NEXT_DAY)
        self.assertPlaces(self.box, {"plan": "Deferred", "trip": "Deferred"})
        answer = {"In-Reply-To": "<trip@test.example>", "References": "<trip@test.example>"}
        self.box.add("INBOX", letter("Re: Trip", name="answer", sender="Eve <eve@x.example>", minutes=90, headers=answer))
        self.assertRegex(self.run_(NEXT_DAY).out, "back in the inbox: m:\\w+  Eve  Trip\\n")
        self.assertPlaces(self.box, {"plan": "Deferred", "trip": "INBOX", "answer": "INBOX"})
        self.assertNothingMore(self.place, self.box, now=NEXT_DAY)

    def test_an_answer_in_a_team_brings_the_whole_conversation_back(self):
        self.prepare()
        names = {"References": "<bob@test.example>"}
        for number, (name, subject) in enumerate((("bob", "Plan"), ("carl", "Budget"), ("dora", "Room"))):
            self.box.add("INBOX", letter(subject, name, sender=f"{name.title()} <{name}@x.example>", to="team@x.example",
                                         minutes=number, headers=names if number else {}))
        self.check(self.place.opus("sync"))
        ids = {item["subject"]: item["id"] for item in self.place.opus("list", "--json").json["items"]}
        self.check(self.place.opus("defer", ids["Plan"], "2026-04-01"))
        self.assertPlaces(self.box, {name: "Deferred" for name in ("bob", "carl", "dora")})
        self.box.add("INBOX", letter("Re: Plan", "again", sender="Bob <bob@x.example>", to="team@x.example", minutes=90, headers=names))
        self.run_(NEXT_DAY)
        self.assertPlaces(self.box, {name: "INBOX" for name in ("bob", "carl", "dora", "again")})

    def test_a_strangers_deferred_mail_comes_back_alone(self):
        rules = "rules-version: 1\nrules:\n  - { id: bulk, when: 'is:bulk', then: { defer: tomorrow 08:00 } }\n"
        ids = self.prepare("Plan", rules=rules)
        self.check(self.place.opus("defer", ids["Plan"], "2026-04-01"))
        headers = {"References": "<plan@test.example>", "List-Unsubscribe": "<mailto:x@bad.example>"}
        self.box.add("INBOX", letter("Offer", sender="Mallory <m@bad.example>", minutes=60, headers=headers))
        more = dict(headers, References="<plan@test.example> <offer@test.example>")
        self.run_()
        self.box.add("INBOX", letter("Offer 2", "offer2", sender="Mallory <m@bad.example>", minutes=70, headers=more))
        self.run_()
        self.assertPlaces(self.box, {"plan": "Deferred", "offer": "Deferred", "offer2": "Deferred"})
        self.run_(NEXT_DAY)
        self.assertPlaces(self.box, {"plan": "Deferred", "offer": "INBOX", "offer2": "INBOX"})
        self.assertEqual(self.waiting(now=NEXT_DAY), {"Plan": "2026-04-01T08:00:00+02:00"})

    def test_the_list_is_right_after_a_run_that_brings_mail_back_and_moves_it_on(self):
        rules = ("rules-version: 1\nrules:\n  - { id: away, when: subject:away, then: archive }\n"
                 "  - { id: back, when: 'is:back', then: archive }\n")
        ids = self.prepare("One", "Other", rules=rules)
        for subject in ids:
            self.check(self.place.opus("defer", ids[subject], "+2 days"))
        self.run_()
        answer = {"In-Reply-To": "<one@test.example>", "References": "<one@test.example>"}
        self.box.add("INBOX", letter("Away: one", "answer", sender="Eve <eve@x.example>", minutes=70, headers=answer))
        self.run_(LATER)
        self.assertPlaces(self.box, {"one": "Archive", "answer": "Archive", "other": "Deferred"})
        self.assertNothingMore(self.place, self.box, now=LATER)

    def test_an_automatic_reply_returns_no_deferred_mail(self):
        ids = self.prepare("Trip")
        self.check(self.place.opus("defer", ids["Trip"], "2026-04-01"))
        self.box.add("Sent", letter("Re: Trip", name="own", sender="Ana <ana@acme.example>", to="Eve <eve@x.example>",
                                    minutes=90, headers={"In-Reply-To": "<trip@test.example>"}))
        again = {"In-Reply-To": "<own@test.example>", "References": "<trip@test.example> <own@test.example>"}
        self.box.add("INBOX", letter("Automatic reply: Trip", name="away", sender="Eve <eve@x.example>", minutes=91,
                                     headers={**again, "Auto-Submitted": "auto-replied"}, body="I am out of the office.\n"))
        self.run_(NEXT_DAY)
        self.assertPlaces(self.box, {"trip": "Deferred", "away": "INBOX"})
        self.box.add("INBOX", letter("Re: Trip", name="answer", sender="Eve <eve@x.example>", minutes=300, headers=again))
        self.run_(NEXT_DAY)
        self.assertPlaces(self.box, {"trip": "INBOX", "answer": "INBOX"})

    def test_returned_mail_is_unread_and_first_until_it_is_opened(self):
        ids = self.prepare("Later", "New", "Newer")
        self.box.mark("INBOX", "later@test.example", add=["\\Seen"])
        self.run_()
        self.run_(AFTER)
        self.assertNotIn("\\Seen", self.box.find("INBOX", "later@test.example").flags)
        rows = self.check(self.place.opus("list", now=AFTER)).out.splitlines()
        self.assertIn("Later", rows[0])
        self.assertIn("back", rows[0])
        self.check(self.place.opus("read", ids["Later"], now=AFTER))
        rows = self.check(self.place.opus("list", now=AFTER)).out.splitlines()
        self.assertIn("Newer", rows[0])
        self.assertNotIn("back", "".join(rows))

    def test_returned_mail_is_first_until_it_is_opened_even_after_the_store_was_lost(self):
        ids = self.prepare("Later", "Hand", "New")
        self.check(self.place.opus("defer", ids["Hand"], "12", "march", "08:00"))
        self.run_()
        self.run_(AFTER)
        self.lose_the_store()
        self.run_(AFTER)
        second = self.new_place(self.box, RULES, name="second")
        second.configure(self.box.yaml(name="home"))
        self.run_(AFTER, second)
        for place in (self.place, second):
            self.assertEqual(self.back(place), ["Hand", "Later"])
            briefing = self.check(place.opus("briefing", "--json", now=AFTER)).json
            self.assertEqual(sorted(mail["subject"] for mail in briefing["returned"]), ["Hand", "Later"])
            self.assertNothingMore(place, self.box, now=AFTER)
        self.box.mark("INBOX", "hand@test.example", add=["\\Seen"])
        self.box.mark("INBOX", "later@test.example", add=["\\Seen"])
        self.run_(AFTER)
        self.assertEqual(self.back(self.place), [])
        self.box.mark("INBOX", "hand@test.example", remove=["\\Seen"])
        self.lose_the_store()
        self.run_(AFTER)
        self.assertEqual(self.back(self.place), [])
        self.assertPlaces(self.box, {"later": "INBOX", "hand": "INBOX"})
        self.box.move("later@test.example", "INBOX", "Archive")
        self.run_(AFTER)
        self.assertEqual(self.box.lists(), [])

    def back(self, place):
        rows = self.check(place.opus("list", now=AFTER)).out.splitlines()
        subjects = [subject for row in rows for subject in ("Hand", "Later") if subject in row and "back" in row]
        self.assertTrue(all("back" in row for row in rows[:len(subjects)]), rows)
        return sorted(subjects)

    def test_a_list_that_came_by_mail_is_not_trusted(self):
        self.prepare("Later", "Other")
        self.run_()
        forged = self.box.body("Deferred", self.box.lists()[0].message_id.strip("<>"))
        forged = (b"Received: from bad.example by mx.example; Tue, 10 Mar 2026 09:00:00 +0100\r\n"
                  + forged.replace(b"opus-deferred.", b"opus-deferred.forged"))
        self.box.move("later@test.example", "Deferred", "INBOX")
        self.box.remove("Deferred", self.box.lists()[0].message_id.strip("<>"))
        self.lose_the_store()
        self.box.add("Deferred", forged.replace(b"\r\n", b"\n"))
        self.box.move("later@test.example", "INBOX", "Deferred")
        self.place.write_rules({})
        (self.place.root / "rules" / "10.yaml").write_text("rules-version: 1\nrules: []\n")
        self.run_(AFTER)
        self.assertPlaces(self.box, {"later": "Deferred"})
        # It is mail like any other.
        self.assertEqual(self.waiting(now=AFTER), {"Later": "someday", "Deferred mail: when it comes back": "someday"})

    def test_an_own_list_to_which_a_program_added_a_field_is_replaced(self):
        self.prepare("Later")
        self.run_()
        for _ in range(3):
            held, = self.box.lists()
            body = self.box.body("Deferred", held.message_id.strip("<>"))
            self.box.remove("Deferred", held.message_id.strip("<>"))
            self.box.add("Deferred", (b"Received: from localhost by mx.example; Tue, 10 Mar 2026 09:00:00 +0100\r\n" + body)
                         .replace(b"\r\n", b"\n"))
            self.run_(BEFORE)
        self.assertEqual(len(self.box.lists()), 1)
        self.assertEqual(set(self.waiting(now=BEFORE)), {"Later"})

    def test_forged_lists_hide_no_list(self):
        ids = self.prepare("Later", rules="rules-version: 1\nrules:\n  - { id: bulk, when: 'is:bulk', then: { defer: saturday } }\n")
        self.check(self.place.opus("defer", ids["Later"], "2026-03-20"))
        for number in range(25):
            self.box.add("INBOX", letter(f"Ad {number}", f"opus-deferred.{number}", sender="Mallory <m@bad.example>", minutes=number, headers={
                "List-Unsubscribe": "<mailto:x@bad.example>", "Received": "from bad.example by mx.example; Tue, 10 Mar 2026 09:00:00 +0100"}))
        self.run_()
        self.lose_the_store()
        self.run_()
        waiting = self.waiting()
        self.assertEqual(waiting.pop("Later"), "2026-03-20T08:00:00+01:00")
        self.assertEqual(set(waiting.values()), {"2026-03-14T08:00:00+01:00"})
        self.run_("2026-03-20T09:00:00+01:00")
        self.assertPlaces(self.box, {"later": "INBOX"})
        self.assertEqual(len(self.box.subjects("INBOX")), 1, "the lists of the test are not counted as mail")

    def test_a_list_that_a_person_deletes_is_written_again(self):
        self.prepare("Later")
        self.run_()
        for held in self.box.lists():
            self.box.remove("Deferred", held.message_id.strip("<>"))
        self.run_(BEFORE)
        self.assertEqual(len(self.box.lists()), 1)
        self.assertNothingMore(self.place, self.box, now=BEFORE)

    def test_cancel_and_undo_bring_mail_back_now_and_again_to_where_it_was(self):
        ids = self.prepare("One", "Two")
        self.check(self.place.opus("defer", ids["One"], ids["Two"], "friday"))
        self.check(self.place.opus("defer", "--cancel", ids["One"]))
        self.assertPlaces(self.box, {"one": "INBOX", "two": "Deferred"})
        self.assertEqual(self.waiting(), {"Two": "2026-03-13T08:00:00+01:00"})
        self.check(self.place.opus("defer", ids["Two"], "2026-04-01"))
        self.assertEqual(self.waiting(), {"Two": "2026-04-01T08:00:00+02:00"})
        self.check(self.place.opus("undo", "--yes"))
        self.assertEqual(self.waiting(), {"Two": "2026-03-13T08:00:00+01:00"})
        refused = self.check(self.place.opus("defer", "--cancel", ids["One"], "--json"), 66)
        self.assertEqual(refused.error["code"], "not-deferred")
        past = self.place.opus("defer", ids["One"], "2026-03-01", "--json")
        self.assertEqual((past.code, past.error["code"]), (64, "bad-date"))
        self.assertNothingMore(self.place, self.box)

    def test_undo_of_a_cancel_brings_back_the_date_the_marks_and_the_list(self):
        ids = self.prepare("Dated", "Read", "Some day")
        self.box.mark("INBOX", "read@test.example", add=["\\Seen"])
        self.check(self.place.opus("defer", ids["Dated"], ids["Read"], "2026-04-01"))
        self.check(self.place.opus("defer", ids["Some day"], "someday"))
        waiting = self.waiting()
        self.assertEqual(waiting, {"Dated": "2026-04-01T08:00:00+02:00", "Read": "2026-04-01T08:00:00+02:00",
                                   "Some day": "someday"})
        there = dict.fromkeys(("dated", "read", "some-day"), "Deferred")
        for _ in range(2):
            self.check(self.place.opus("defer", "--cancel", *ids.values()))
            self.assertPlaces(self.box, dict.fromkeys(there, "INBOX"))
            self.run_()
            self.assertEqual(self.box.lists(), [])
            self.assertIn("until Wed 1 Apr 08:00", self.check(self.place.opus("undo", "--dry-run")).out)
            self.check(self.place.opus("undo", "--yes"))
            self.assertPlaces(self.box, there)
            self.assertEqual(self.waiting(), waiting)
            seen = {held.subject for held in self.box.held("Deferred") if "\\Seen" in held.flags}
            self.assertEqual(seen, {"Read"})
            self.assertNothingMore(self.place, self.box)
        self.lose_the_store()
        self.run_()
        self.assertEqual(self.waiting(), waiting)
        self.run_("2026-03-31T09:00:00+02:00")
        self.assertPlaces(self.box, there)
        self.run_("2026-04-01T08:01:00+02:00")
        self.assertPlaces(self.box, there | {"dated": "INBOX", "read": "INBOX"})

    def test_the_list_says_what_the_last_command_wants_however_often_dates_change(self):
        ids = self.prepare("Other", "One")
        self.check(self.place.opus("defer", ids["Other"], "friday"))
        for _ in range(2):
            self.check(self.place.opus("defer", ids["One"], "thursday", "10:00"))
            self.check(self.place.opus("defer", ids["One"], "thursday", "11:00"))
            self.check(self.place.opus("undo", "--yes"))
            self.assertEqual(len(self.box.lists()), 1)
            self.check(self.place.opus("defer", "--cancel", ids["One"]))
            self.assertEqual(len(self.box.lists()), 1)
        self.check(self.place.opus("undo", "--yes"))
        waiting = {"Other": "2026-03-13T08:00:00+01:00", "One": "2026-03-12T10:00:00+01:00"}
        self.assertEqual(self.waiting(), waiting)
        self.lose_the_store()
        self.check(self.place.opus("sync"))
        self.assertEqual(self.waiting(), waiting)

    def test_undo_of_any_verb_that_takes_mail_out_of_deferred_brings_back_the_date(self):
        ids = self.prepare("One", "Two", "Trip")
        self.check(self.place.opus("defer", *ids.values(), "2026-04-01"))
        waiting = self.waiting()
        for verb, subject in (("archive", "One"), ("trash", "Two")):
            self.check(self.place.opus(verb, ids[subject]))
            self.check(self.place.opus("undo", "--yes"))
            self.assertEqual(self.waiting(), waiting)
        answer = {"In-Reply-To": "<trip@test.example>", "References": "<trip@test.example>"}
        self.box.add("INBOX", letter("Re: Trip", name="answer", sender="Eve <eve@x.example>", minutes=90, headers=answer))
        self.run_()
        self.assertPlaces(self.box, {"one": "Deferred", "two": "Deferred", "trip": "INBOX"})
        self.check(self.place.opus("undo", "--yes"))
        self.assertEqual(self.waiting(), waiting)
        self.assertNothingMore(self.place, self.box)

    def test_undo_of_a_changed_date_does_not_defer_mail_that_is_back(self):
        item = self.prepare("Hand")["Hand"]
        self.check(self.place.opus("defer", item, "friday"))
        self.check(self.place.opus("defer", item, "monday"))
        self.check(self.place.opus("undo", "r:0001", "--yes"))
        self.assertIn("the message is no longer deferred", self.place.opus("undo", "r:0002", "--yes").text)
        self.assertNotIn("deferred", self.check(self.place.opus("list")).out)
        self.assertPlaces(self.box, {"hand": "INBOX"})

    def test_an_answer_wakes_what_was_deferred_to_someday_before_the_store_was_lost(self):
        item = self.prepare("Hand")["Hand"]
        self.check(self.place.opus("defer", item, "someday"))
        self.lose_the_store()
        self.box.add("INBOX", letter("Re: Hand", "late", minutes=120, sender="Eve <eve@x.example>",
                                     headers={"In-Reply-To": "<hand@test.example>"}))
        self.assertIn("back in the inbox", self.run_("2026-03-11T08:30:00+01:00").out)
        self.assertPlaces(self.box, {"hand": "INBOX", "late": "INBOX"})
        self.box.mark("INBOX", "hand@test.example", add=["\\Seen"])
        self.run_("2026-03-11T08:30:00+01:00")
        self.assertEqual(self.box.lists(), [])

    def test_a_morning_that_brings_mail_back_and_defers_other_mail_is_one_run(self):
        self.prepare("Later")
        self.run_()
        self.place.write_rules(RULES.replace("2026-03-12", "2026-03-20"))
        self.box.add("INBOX", letter("Later still", minutes=30))
        self.run_(AFTER)
        self.assertPlaces(self.box, {"later": "INBOX", "later-still": "Deferred"})
        runs = self.check(self.place.opus("runs", "--json", now=AFTER)).json["items"]
        self.assertEqual([run["command"] for run in runs], ["run", "run"])
        self.check(self.place.opus("undo", "--yes", now=AFTER))
        self.assertPlaces(self.box, {"later": "Deferred", "later-still": "INBOX"})

    def test_the_list_is_for_people_too_and_no_mail_of_the_account(self):
        ids = self.prepare("Later", "\u202eevil\x1b[2J")
        self.run_()
        evil = next(id_ for subject, id_ in ids.items() if subject != "Later")
        self.check(self.place.opus("defer", evil, "friday"))
        text = self.box.body("Deferred", self.box.lists()[0].message_id.strip("<>")).decode("utf-8", "replace")
        self.assertIn("2026-03-12 08:00  Later (Eve <eve@x.example>)", text)
        self.assertNotIn("\x1b", text)
        for words in (["list", "--folder", "Deferred"], ["search", "subject:deferred"], ["list", "--all"]):
            self.assertNotIn("comes back", self.check(self.place.opus(*words)).out)


if __name__ == "__main__":
    unittest.main()
