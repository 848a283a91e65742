"""Tasks and mail that are put off: when they come back, what happens to a due date, and what is said."""
import shutil
import unittest

from letters import letter
from terminal import answered
from wiretap import Wiretap
from workplace import Case, on_both, servers

RULES = """\
rules-version: 1
rules:
  - { id: saturday, when: subject:weekend, unless: label:seen, then: [{ label: seen }, { defer: saturday 10:00 }] }
  - { id: later, when: subject:later, then: { defer: 2026-03-12 } }
"""
SATURDAY = "2026-03-14T09:00:00+01:00"


class TaskDeferral(Case):
    kind = "maildir"

    def setUp(self):
        super().setUp()
        self.place = self.new_place(self.new_box())

    def opus(self, *words, code=0):
        return self.check(self.place.opus(*words), code)

    def add(self, *words):
        return self.opus("task", "add", *words, "--json").json["items"][0]["id"]

    def dates(self, task):
        item = self.opus("task", "show", task, "--json").json["task"]
        return item.get("start"), item.get("due"), item["list"]

    def test_a_due_date_before_the_new_start_moves_behind_it_and_is_said(self):
        for due, day, expected in (("2026-03-05", "2026-03-16", "2026-03-17"), ("2026-03-12", "2026-03-12", "2026-03-13"),
                                   ("2026-03-05 17:00", "2026-03-16", "2026-03-16T17:00:00+01:00"),
                                   ("2026-03-12 09:00", "2026-03-16 18:00", "2026-03-17T09:00:00+01:00"),
                                   ("2026-03-05", "friday 17:00", "2026-03-14")):
            with self.subTest(due, day=day):
                task = self.add("Pay", "--due", due)
                done = self.opus("task", "defer", task, day)
                self.assertIn("due date moved from", done.err)
                self.assertEqual(self.dates(task)[1:], (expected, "scheduled"))
                self.opus("undo", "--yes")
                self.assertEqual(self.dates(task)[0], None)
                self.assertNotEqual(self.dates(task)[1], expected)
        later = self.add("Later", "--due", "2026-04-01")
        self.assertEqual(self.opus("task", "defer", later, "friday").err, "")
        self.assertEqual(self.dates(later), ("2026-03-13", "2026-04-01", "scheduled"))

    def test_someday_has_no_date_and_a_day_that_is_over_is_refused(self):
        task = self.add("Paint")
        self.opus("task", "defer", task, "friday")
        self.assertIn("deferred without a date", self.opus("task", "defer", task, "someday").text)
        self.assertEqual(self.dates(task), (None, None, "someday"))
        self.assertIn("\"2026-03-09\" is over", self.opus("task", "defer", task, "2026-03-09", code=64).err)
        self.opus("task", "defer", task, "today")

    def test_defer_with_the_ids_of_tasks_does_what_task_defer_does(self):
        late, other = self.add("Pay", "--due", "2026-03-05"), self.add("Call")
        done = self.opus("defer", late, other, "next", "monday")
        self.assertIn("due date moved from", done.err)
        self.assertEqual(self.dates(late), ("2026-03-16", "2026-03-17", "scheduled"))
        self.assertEqual(self.dates(other), ("2026-03-16", None, "scheduled"))
        self.assertEqual([run["command"] for run in self.opus("runs", "--json").json["items"]][:1], ["task defer"])
        self.opus("defer", "--cancel", late)
        self.assertEqual(self.dates(late), (None, "2026-03-17", "next"))
        self.opus("defer", other, "none")
        self.assertEqual(self.dates(other), (None, None, "next"))
        self.opus("defer", other, "someday")
        self.assertEqual(self.dates(other), (None, None, "someday"))
        for words in (["defer", "7k2q", late, "friday"], ["defer", late], ["defer", "--dry-run", late, "friday"],
                      ["defer", "--cancel", late, "7k2q"], ["defer", late, "2026-03-09"]):
            self.opus(*words, code=64)
        self.assertEqual(self.dates(late), (None, "2026-03-17", "next"))

    def test_on_a_terminal_the_person_is_asked(self):
        task = self.add("Pay", "--due", "2026-03-05")
        for answer, code, due in ((b"n\n", 1, "2026-03-05"), (b"y\n", 0, "2026-03-17")):
            code_, output = answered(self.place, ["task", "defer", task, "2026-03-16"], answer)
            self.assertEqual(code_, code, output)
            self.assertIn("Move its due date to Tue 17 Mar?", output)
            self.assertEqual(self.dates(task)[1], due)

    def test_a_start_after_the_due_date_is_refused_where_one_of_the_two_would_be_lost(self):
        for words in (["task", "add", "Pay"], ["task", "edit", self.add("Other")]):
            done = self.place.opus(*words, "--due", "2026-03-12", "--start", "2026-03-16", "--json")
            self.assertEqual((done.code, done.error["code"]), (64, "start-after-due"))


@on_both
class MailDeferral:
    def prepare(self, *subjects):
        self.box = self.new_box()
        for number, subject in enumerate(subjects):
            self.box.add("INBOX", letter(subject, name=subject.lower(), minutes=number, sender="Eve <eve@x.example>"))
        self.place = self.new_place(self.box, RULES)
        self.check(self.place.opus("sync"))
        return {item["subject"]: item["id"] for item in self.check(self.place.opus("list", "--json")).json["items"]}

    def test_mail_comes_back_from_the_mailbox_that_the_settings_named_before(self):
        ids = self.prepare("Tax", "Lunch", "Trip", "New", "Filed")
        self.check(self.place.opus("defer", ids["Tax"], "2026-03-12"))
        self.check(self.place.opus("defer", ids["Filed"], "2026-03-12"))
        self.check(self.place.opus("defer", ids["Lunch"], "someday"))
        self.check(self.place.opus("defer", ids["Trip"], "2026-03-12"))
        self.place.configure(self.box.yaml(extra="    folders: { deferred: Later }\n"))
        self.check(self.place.opus("defer", ids["New"], "2026-03-12"))
        listed = self.check(self.place.opus("defer", "--list", "--json")).json["items"]
        self.assertEqual({item["subject"] for item in listed}, {"Tax", "Lunch", "Trip", "New", "Filed"})
        self.check(self.place.opus("move", ids["Filed"], "Projects", "--create", now="2026-03-10T09:00:00+01:00"))
        self.box.move("trip@test.example", "Deferred", "Archive")
        self.check(self.place.opus("run", "--yes", now="2026-03-12T09:00:00+01:00"))
        self.assertPlaces(self.box, {"tax": "INBOX", "lunch": "Deferred", "trip": "Archive", "new": "INBOX",
                                     "filed": "Projects"})
        self.check(self.place.opus("defer", "--cancel", ids["Lunch"]))
        self.assertPlaces(self.box, {"lunch": "INBOX"})

    def test_a_scheduled_task_of_a_mail_defers_it_to_its_start(self):
        ids = self.prepare("Tax", "Lunch", "Trip", "Past")
        words = ("task", "from", "--list", "scheduled", "--start", "2026-03-12")
        self.check(self.place.opus(*words, ids["Tax"]))
        self.check(self.place.opus("task", "from", ids["Lunch"], "--start", "2026-03-12"))
        self.check(self.place.opus("task", "from", ids["Trip"], "--list", "scheduled"))
        self.check(self.place.opus("task", "from", ids["Past"], "--list", "scheduled", "--start", "2026-03-09"))
        self.assertPlaces(self.box, {"tax": "Deferred", "lunch": "INBOX", "trip": "INBOX", "past": "INBOX"})
        self.check(self.place.opus("run", "--yes", now="2026-03-12T07:59:00+01:00"))
        self.assertPlaces(self.box, {"tax": "Deferred"})
        back = self.check(self.place.opus("run", "--yes", now="2026-03-12T08:01:00+01:00"))
        self.assertPlaces(self.box, {"tax": "INBOX"})
        self.assertRegex(back.out, f"back in the inbox: m:{ids['Tax'][:3]}\\w*  Eve  Tax\n")
        self.assertEqual([item["subject"] for item in self.place.opus("list", "--json").json["items"] if item.get("back")], ["Tax"])
        self.assertEqual(len([name for name in self.place.task_files() if name.endswith(".ics")]), 4)

    def test_undo_brings_mail_and_task_back(self):
        ids = self.prepare("Tax")
        self.check(self.place.opus("task", "from", "--list", "scheduled", "--start", "2026-03-12", ids["Tax"]))
        self.check(self.place.opus("undo", "--yes"))
        self.assertPlaces(self.box, {"tax": "INBOX"})
        self.assertEqual([name for name in self.place.task_files() if name.endswith(".ics")], [])
        self.assertNothingMore(self.place, self.box)

    def test_an_undo_after_the_day_defers_until_the_next_morning(self):
        box = self.new_box()
        box.add("INBOX", letter("Plan"))
        place = self.new_place(box)
        self.check(place.opus("sync"))
        mail, = [item["id"] for item in place.opus("list", "--json").json["items"]]
        self.check(place.opus("task", "from", mail))
        self.check(place.opus("defer", mail, "thursday"))
        self.check(place.opus("task", "done", *[item["id"] for item in place.opus("next", "--json").json["items"]]))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"plan": "Archive"})
        late = "2026-03-12T08:30:00+01:00"
        shown = self.check(place.opus("undo", "--yes", now=late), 0, "defer until Fri 13 Mar 08:00")
        self.assertNotIn("Z", shown.out)
        run, = [run["id"] for run in place.opus("runs", "--limit", "1", "--json").json["items"]]
        steps = self.check(place.opus("runs", "show", run, now=late)).out
        self.assertIn("defer until Fri 13 Mar 08:00\twaits until Fri 13 Mar 08:00", steps)
        self.assertPlaces(box, {"plan": "Deferred"})
        waiting, = place.opus("defer", "--list", "--json", now=late).json["items"]
        self.assertEqual(waiting["deferredUntil"], "2026-03-13T08:00:00+01:00")

    def test_returning_mail_is_named_in_the_report(self):
        ids = self.prepare("Later one", "Later two")
        self.check(self.place.opus("run", "--yes"))
        self.assertPlaces(self.box, {"later one": "Deferred", "later two": "Deferred"})
        back = self.check(self.place.opus("run", "--yes", "--json", now="2026-03-12T08:30:00+01:00")).json
        self.assertEqual(sorted((item["id"], item["from"], item["subject"]) for item in back["returned"]),
                         sorted((ids[f"Later {word}"], "Eve", f"Later {word}") for word in ("one", "two")))
        again = self.check(self.place.opus("run", "--yes", "--json", now="2026-03-12T08:40:00+01:00")).json
        self.assertNotIn("returned", again)

    BACK = "2026-03-13T08:30:00+01:00"

    def test_rules_leave_mail_that_the_user_deferred_to_the_user(self):
        rules = ("rules-version: 1\nrules:\n"
                 "  - { id: news, when: subject:news, then: [{ label: news }, archive] }\n"
                 "  - { id: old, when: 'subject:old age>2d', then: [trash] }\n"
                 "  - { id: star, when: 'is:flagged', then: [archive] }\n")
        ids = self.prepare("News one", "News two", "Old", "Star")
        for subject in ids:
            self.check(self.place.opus("defer", ids[subject], "friday"))
        self.place.write_rules(rules)
        self.check(self.place.opus("run", "--yes"))
        self.check(self.place.opus("run", "--yes", now=self.BACK), 0, "back in the inbox")
        inbox = {"news one": "INBOX", "news two": "INBOX", "old": "INBOX", "star": "INBOX"}
        self.assertPlaces(self.box, inbox)
        self.assertIn("news", self.box.find("INBOX", "news one@test.example").flags, "labels are set")
        self.check(self.place.opus("explain", ids["News one"], now=self.BACK), 0,
                   "Protected by: your deferral, until you open it")
        self.assertNothingMore(self.place, self.box, now=self.BACK)
        # Once opened, only a rule that did not match before acts.
        for name in inbox:
            self.box.mark("INBOX", f"{name}@test.example", add=[r"\Seen"])
        self.box.mark("INBOX", "star@test.example", add=[r"\Flagged"])
        self.check(self.place.opus("run", "--yes", now=self.BACK))
        self.assertPlaces(self.box, inbox | {"star": "Archive"})
        self.check(self.place.opus("archive", ids["News two"], now=self.BACK))
        self.assertPlaces(self.box, inbox | {"star": "Archive", "news two": "Archive"})

    def test_a_rule_may_move_mail_that_another_rule_deferred(self):
        self.prepare("Later one")
        self.check(self.place.opus("run", "--yes"))
        self.assertPlaces(self.box, {"later one": "Deferred"})
        eve = "  - { id: eve, when: 'from:eve', then: archive }\n"
        self.place.write_rules(RULES.replace("rules:\n", "rules:\n" + eve))
        self.check(self.place.opus("run", "--yes", now=self.BACK), 0, "back in the inbox")
        self.assertPlaces(self.box, {"later one": "Archive"})

    def test_mail_that_an_answer_brings_back_stays_although_a_rule_archives_the_answer(self):
        ids = self.prepare("Plan")
        self.check(self.place.opus("defer", ids["Plan"], "friday"))
        self.place.write_rules("rules-version: 1\nrules:\n  - { id: eve, when: 'from:eve', then: archive }\n")
        self.box.add("INBOX", letter("Re: Plan", "answer", sender="Eve <eve@x.example>", minutes=70,
                                     headers={"In-Reply-To": "<plan@test.example>", "References": "<plan@test.example>"}))
        self.check(self.place.opus("run", "--yes", now="2026-03-10T09:30:00+01:00"), 0, "back in the inbox")
        self.assertPlaces(self.box, {"plan": "INBOX", "answer": "Archive"})
        self.assertNothingMore(self.place, self.box, now="2026-03-10T09:30:00+01:00")

    def test_by_hand_and_by_a_rule_that_asks_for_it_mail_that_is_back_is_moved_unopened(self):
        rules = ("rules-version: 1\nrules:\n"
                 "  - { id: back, when: 'is:back subject:two', then: [archive] }\n"
                 "  - { id: news, when: subject:news, then: [trash] }\n")
        ids = self.prepare("News one", "News two")
        self.check(self.place.opus("defer", *ids.values(), "friday"))
        self.place.write_rules(rules)
        self.check(self.place.opus("run", "--yes", now=self.BACK))
        self.assertPlaces(self.box, {"news one": "INBOX", "news two": "Archive"})
        self.check(self.place.opus("archive", ids["News one"], now=self.BACK), 0, "moved to Archive")
        self.assertPlaces(self.box, {"news one": "Archive"})

    def test_saturday_at_a_time_still_to_come_is_today(self):
        self.prepare("Weekend")
        self.check(self.place.opus("run", "--yes", now=SATURDAY))
        self.assertPlaces(self.box, {"weekend": "Deferred"})
        self.check(self.place.opus("run", "--yes", now="2026-03-14T09:59:00+01:00"))
        self.assertPlaces(self.box, {"weekend": "Deferred"})
        self.check(self.place.opus("run", "--yes", now="2026-03-14T10:01:00+01:00"))
        self.assertPlaces(self.box, {"weekend": "INBOX"})


class RefusedReturn(Case):
    """A server that refuses for a while to move mail back into the inbox."""

    kind = "imap"

    def play(self, answer, hours):
        box = self.new_box()
        box.add("INBOX", letter("Later one", "one"))
        proxy = self.enterContext(Wiretap(servers().imap_port))
        place = self.new_place(box, RULES, name=f"place-{proxy.port}")
        place.configure(box.yaml(port=proxy.port, security="none", host="127.0.0.1"))
        self.check(place.opus("run", "--yes"))
        proxy.refuse('^UID MOVE [0-9]+ "?INBOX', answer)
        for hour in hours:
            self.check(place.opus("run", "--yes", now=f"2026-03-12T{hour:02}:00:00+01:00"), 1, "not now")
        return box, proxy, place

    def test_mail_that_could_not_come_back_comes_back_later(self):
        # Refused for good, and given up after five attempts.
        for answer, hours in (("NO [NOPERM] not now", [8]), ("NO [SERVERBUG] not now", range(8, 13))):
            with self.subTest(answer):
                box, proxy, place = self.play(answer, hours)
                self.assertPlaces(box, {"one": "Deferred"})
                waiting, = place.opus("defer", "--list", "--json", now="2026-03-12T13:00:00+01:00").json["items"]
                self.assertEqual(waiting["deferredUntil"], "2026-03-12T09:00:00+01:00")
                # Not with each run: a watch would never rest.
                if len(hours) == 1:
                    self.check(place.opus("run", "--yes", now="2026-03-12T08:30:00+01:00"))
                    self.assertPlaces(box, {"one": "Deferred"})
                proxy.open()
                self.check(place.opus("run", "--yes", now="2026-03-12T14:00:00+01:00"), 0, "back in the inbox")
                self.assertPlaces(box, {"one": "INBOX"})
                self.assertNothingMore(place, box, now="2026-03-12T15:00:00+01:00")

    def test_a_deferred_mailbox_that_the_server_does_not_open_is_not_gone(self):
        box = self.new_box()
        box.add("INBOX", [letter("One", minutes=1), letter("Two", minutes=2)])
        proxy = self.enterContext(Wiretap(servers().imap_port))
        place = self.new_place(box, "rules-version: 1\n")
        place.configure(box.yaml(port=proxy.port, security="none", host="127.0.0.1"))
        self.check(place.opus("sync"))
        ids = {item["subject"]: item["id"] for item in self.check(place.opus("list", "--json")).json["items"]}
        self.check(place.opus("defer", ids["One"], "friday"))
        proxy.refuse('^STATUS "?Deferred', "NO not now")
        done = place.opus("defer", ids["Two"], "friday")
        self.assertIn("the server does not open Deferred", done.text)
        self.assertNotIn("is gone", done.text)
        self.assertPlaces(box, {"one": "Deferred", "two": "INBOX"})
        proxy.open()
        self.check(place.opus("run", "--yes", now="2026-03-10T09:30:00+01:00"))
        self.assertPlaces(box, {"one": "Deferred", "two": "Deferred"})

    def test_the_old_list_stays_while_the_server_refuses_the_new_one(self):
        box = self.new_box()
        box.add("INBOX", [letter("One", minutes=1), letter("Two", minutes=2)])
        proxy = self.enterContext(Wiretap(servers().imap_port))
        place = self.new_place(box, "rules-version: 1\n")
        place.configure(box.yaml(port=proxy.port, security="none", host="127.0.0.1"))
        self.check(place.opus("sync"))
        ids = {item["subject"]: item["id"] for item in self.check(place.opus("list", "--json")).json["items"]}
        self.check(place.opus("defer", ids["One"], "tomorrow"))
        self.check(place.opus("defer", ids["Two"], "friday"))
        before = [held.message_id for held in box.lists()]
        for number, answer in enumerate(("NO [OVERQUOTA] full", "NO [NOPERM] no", "NO later")):
            with self.subTest(answer):
                proxy.refuse('^APPEND "?Deferred', answer)
                place.opus("defer", ids["One"], f"2026-03-{16 + number}")
                self.assertEqual([held.message_id for held in box.lists()], before)
        shutil.rmtree(place.root / ".opus")
        proxy.open()
        waiting = {}
        self.check(place.opus("run", "--yes"))
        for item in self.check(place.opus("defer", "--list", "--json")).json["items"]:
            waiting[item["subject"]] = item["deferredUntil"]
        self.assertEqual(waiting, {"One": "2026-03-11T08:00:00+01:00", "Two": "2026-03-13T08:00:00+01:00"})
        # Once the account takes lists again, there is one, with the new date.
        self.check(place.opus("defer", next(i["id"] for i in place.opus("defer", "--list", "--json").json["items"]
                                            if i["subject"] == "One"), "monday"))
        self.assertEqual(len(box.lists()), 1)
        self.assertNotEqual([held.message_id for held in box.lists()], before)


if __name__ == "__main__":
    unittest.main()
