"""Bundles: mail of one name is one line, is cleared with one command, and comes when the settings say so."""
import shutil
import unittest

from letters import letter
from workplace import CLOCK, on_both

RULES = """\
rules-version: 1
rules:
  - { id: reading, when: from:@news.example, then: { bundle: Reading } }
tests:
  - { name: news, mail: { from: a@news.example }, expect: { rule: reading, bundle: Reading } }
  - { name: other, mail: { from: a@x.example }, expect: { rule: none } }
"""
SATURDAY = "2026-03-14T10:01:00+01:00"


@on_both
class Bundles:
    def prepare(self, settings="", rules=RULES, name="workspace"):
        self.box = self.new_box()
        for number, sender in enumerate(("a@news.example", "a@news.example", "b@news.example", "eve@x.example")):
            self.box.add("INBOX", letter(f"Mail {number}", name=f"mail{number}", sender=sender, minutes=number))
        self.place = self.new_place(self.box, rules, settings, name=name)
        self.check(self.place.opus("run", "--yes"))

    def test_a_bundle_is_one_line_and_is_cleared_with_one_command(self):
        self.prepare()
        listed = self.check(self.place.opus("list")).out
        self.assertIn("Reading: 3 from 2 senders", listed)
        self.assertIn("Mail 3", listed)
        self.assertNotIn("Mail 0", listed)
        self.assertEqual(len(self.check(self.place.opus("list", "--json")).json["items"]), 4)
        self.assertIn("Mail 0", self.check(self.place.opus("list", "from:a@news.example")).out)
        bundle = self.check(self.place.opus("bundle", "--json")).json["items"][0]
        self.assertEqual((bundle["name"], len(bundle["messages"]), bundle["senders"]), ("Reading", 3, 2))
        self.assertIn("Mail 1", self.check(self.place.opus("bundle", "list", "reading")).out)
        briefing = self.check(self.place.opus("briefing", "--json")).json
        self.assertEqual(briefing["bundles"], [{"name": "Reading", "messages": 3, "senders": 2}])
        self.assertRegex(self.check(self.place.opus("briefing")).out, "Reading +3 from 2 senders")
        self.check(self.place.opus("bundle", "clear", "reading"))
        self.assertPlaces(self.box, {"mail0": "Archive", "mail1": "Archive", "mail2": "Archive", "mail3": "INBOX"})
        self.check(self.place.opus("bundle", "clear", "reading"), 66)
        self.check(self.place.opus("undo", "--yes"))
        self.assertPlaces(self.box, {"mail0": "INBOX", "mail1": "INBOX", "mail2": "INBOX"})

    def test_plan_report_and_run_have_one_line_for_a_bundle_and_json_has_every_message(self):
        senders = ("Ann <a@news.example>", "Ann <a@news.example>", "Ben <b@news.example>", "Cy <c@news.example>",
                   "\x1b[31mDee <d@news.example>", "Eve <e@news.example>", "Fay <f@x.example>")
        self.box = self.new_box()
        for number, sender in enumerate(senders):
            self.box.add("INBOX", letter(f"Mail {number}", name=f"mail{number}", sender=sender, minutes=number))
        self.place = self.new_place(self.box, RULES, "bundles: { Reading: { deliver: saturday 10:00 } }\n")
        dry = self.check(self.place.opus("run", "--dry-run"))
        line = r"Reading\t6 from 5 senders: Eve, [^\t]*Dee, Cy and 2 more\t"
        self.assertRegex(dry.out, r"(?m)^-\t" + line + "reading:bundle=Reading$")
        self.assertRegex(dry.out, r"(?m)^would wait until Sat 14 Mar 10:00: Reading: 6 from 5 senders: Eve, .*Dee, Cy and 2 more$")
        waiting, = self.check(self.place.opus("run", "--dry-run", "--json")).json["bundled"]
        self.assertEqual((waiting["name"], waiting["until"], len(waiting["messages"])),
                         ("Reading", "2026-03-14T09:00:00Z", 6))
        self.assertNotRegex(dry.out, r"Mail \d|\x1b")
        self.assertEqual(len(self.check(self.place.opus("triage", "--dry-run", "--json")).json["plan"]["items"]), 7)
        done = self.check(self.place.opus("run", "--yes"))
        self.assertNotIn("Mail 0", done.out)
        self.assertRegex(done.out, r"(?m)^will wait until Sat 14 Mar 10:00: Reading: 6 from 5 senders: Eve, .*Dee, Cy and 2 more$")
        self.assertLess(done.out.index("will wait until"), done.out.index("Applied"))
        self.assertRegex(done.out, r"(?m)^Applied \d+ of \d+ steps .*(\n.*)*^Bundles: applied \d+ of \d+ steps ")
        self.assertNotIn("would wait", self.check(self.place.opus("run", "--dry-run")).out)
        shown = self.check(self.place.opus("runs", "show", "r:0001")).out
        self.assertEqual(len(shown.splitlines()), 3, shown)
        self.assertNotIn("\x1b", shown)
        self.assertRegex(shown, "change flags or labels: Reading: 6 from 5 senders: ")
        self.assertRegex(shown, "move to Deferred: Reading: 6 from 5 senders: ")
        steps = self.check(self.place.opus("runs", "show", "r:0001", "--json")).json["steps"]
        self.assertEqual(len([step for step in steps if step["kind"] == "move"]), 6)
        self.assertRegex(self.check(self.place.opus("run", "--dry-run", now=SATURDAY)).out,
                         "would come back: Reading: 6 from 5 senders: ")
        back = self.check(self.place.opus("run", "--yes", now=SATURDAY)).out
        self.assertRegex(back, "(?m)^back in the inbox: Reading: 6 from 5 senders: .* and 2 more$")
        self.assertNotIn("Mail 0", back)
        briefing = self.check(self.place.opus("briefing", now=SATURDAY)).out
        self.assertRegex(briefing, "Reading +6 from 5 senders: ")
        self.assertNotIn("Mail 0", briefing)
        self.assertEqual(len(self.check(self.place.opus("briefing", "--json", now=SATURDAY)).json["returned"]), 6)
        self.check(self.place.opus("undo", "--yes", "r:0001", now=SATURDAY))
        self.assertIn("undone by", self.check(self.place.opus("runs", "show", "r:0001", now=SATURDAY)).out)

    def test_moves_by_a_bundle_suggest_no_rule(self):
        self.prepare()
        self.box.add("INBOX", letter("Mail 4", name="mail4", sender="a@news.example", minutes=9))
        self.check(self.place.opus("run", "--yes"))
        self.check(self.place.opus("bundle", "clear", "reading"))
        self.assertEqual(self.check(self.place.opus("rules", "suggest", "--json")).json["items"], [])

    def test_undoing_the_rule_removes_the_label(self):
        self.prepare()
        self.check(self.place.opus("undo", "--yes"))
        self.assertNotIn("Reading", self.check(self.place.opus("list")).out)

    def test_a_label_can_be_a_bundle(self):
        self.prepare("bundles: { Reading: { labels: [news] } }\n", RULES.replace("{ bundle: Reading } }", "{ label: news } }")
                     .replace(", bundle: Reading }", " }"))
        self.assertIn("Reading: 3 from 2 senders", self.check(self.place.opus("list")).out)

    def test_a_scheduled_bundle_is_delivered_at_once(self):
        self.prepare("bundles: { Reading: { deliver: saturday 10:00 } }\n")
        waiting = {f"mail{number}": "Deferred" for number in range(3)}
        self.assertPlaces(self.box, {**waiting, "mail3": "INBOX"})
        self.assertNothingMore(self.place, self.box)
        self.check(self.place.opus("run", "--yes", now=SATURDAY))
        self.assertPlaces(self.box, {name: "INBOX" for name in waiting})
        self.assertNothingMore(self.place, self.box, now=SATURDAY)
        self.assertIn("Reading: 3 from 2 senders", self.check(self.place.opus("list", now=SATURDAY)).out)

    def test_protected_mail_of_a_bundle_does_not_wait(self):
        rules = RULES.replace("rules:\n", "protect:\n  - starred: 'is:flagged'\nrules:\n", 1)
        self.box = self.new_box()
        self.box.add("INBOX", letter("Plain", "plain", sender="a@news.example"))
        self.box.add("INBOX", letter("Star", "star", sender="a@news.example", minutes=1), flags=[r"\Flagged"])
        self.place = self.new_place(self.box, rules, "bundles: { Reading: { deliver: saturday 10:00 } }\n")
        dry = self.check(self.place.opus("run", "--dry-run", "--json")).json
        self.assertEqual([len(bundle["messages"]) for bundle in dry["bundled"]], [1])
        self.check(self.place.opus("run", "--yes"))
        self.assertPlaces(self.box, {"plain": "Deferred", "star": "INBOX"})

    def test_mail_that_its_own_task_protects_is_not_announced_as_waiting(self):
        rules = RULES.replace("rules:\n", "protect:\n  - work: has:open-task\nrules:\n"
                              "  - { id: todo, when: subject:todo, then: [{ task: '{{subject}}' }, { bundle: Reading }] }\n", 1)
        self.box = self.new_box()
        self.box.add("INBOX", [letter("Plain", "plain", sender="a@news.example"),
                               letter("Todo", "todo", sender="a@news.example", minutes=1)])
        self.place = self.new_place(self.box, rules, "bundles: { Reading: { deliver: saturday 10:00 } }\n")
        dry = self.check(self.place.opus("run", "--dry-run", "--json")).json
        self.assertEqual([len(bundle["messages"]) for bundle in dry["bundled"]], [1])
        done = self.check(self.place.opus("run", "--yes"))
        self.assertIn("Reading: 1 from 1 sender", done.out)
        self.assertPlaces(self.box, {"plain": "Deferred", "todo": "INBOX"})

    def test_mail_that_was_deferred_before_its_bundle_stays_in_the_inbox_once_it_is_back(self):
        self.prepare("bundles: { Reading: { deliver: saturday 10:00 } }\n", rules="rules-version: 1\nrules: []\n")
        message, = self.check(self.place.opus("list", "from:b@news.example", "--json")).json["items"]
        self.check(self.place.opus("defer", message["id"], "tomorrow"))
        (self.place.root / "rules/rules.yaml").write_text(RULES)
        wednesday = "2026-03-11T08:30:00+01:00"
        self.box.add("INBOX", letter("Mail 4", name="mail4", sender="b@news.example", minutes=1440))
        done = self.check(self.place.opus("run", "--yes", now=wednesday))
        self.assertIn("back in the inbox", done.text)
        self.assertPlaces(self.box, {"mail2": "INBOX", "mail4": "Deferred"})
        self.assertNothingMore(self.place, self.box, now=wednesday)

    def test_mail_that_the_user_moved_back_into_the_inbox_does_not_wait(self):
        self.prepare("bundles: { Reading: { deliver: saturday 10:00 } }\n", RULES.replace("{ bundle: Reading } }", "[{ bundle: Reading }, archive] }")
                     .replace("bundle: Reading }\n  - { name: other", "bundle: Reading, move: Archive }\n  - { name: other"))
        self.assertPlaces(self.box, {"mail0": "Archive", "mail1": "Archive", "mail2": "Archive"})
        self.box.move("mail0@test.example", "Archive", "INBOX")
        message, = self.check(self.place.opus("list", "--all", "from:b@news.example", "--json")).json["items"]
        self.check(self.place.opus("move", message["id"], "INBOX"))
        self.check(self.place.opus("run", "--yes"))
        self.assertPlaces(self.box, {"mail0": "INBOX", "mail1": "Archive", "mail2": "INBOX"})
        self.assertNothingMore(self.place, self.box)

    def test_later_mail_of_the_conversation_leaves_waiting_mail_where_it_is(self):
        self.prepare("bundles: { Reading: { deliver: saturday 10:00 } }\n")
        self.box.add("INBOX", letter("Re: Mail 0", name="later", sender="a@news.example", minutes=30,
                                     headers={"References": "<mail0@test.example>"}))
        self.assertNotIn("back in the inbox", self.check(self.place.opus("run", "--yes")).out)
        waiting = {f"mail{number}": "Deferred" for number in range(3)}
        self.assertPlaces(self.box, {**waiting, "mail3": "INBOX", "later": "Deferred"})

    def test_mail_that_was_delivered_stays_after_the_store_was_lost(self):
        self.prepare("bundles: { Reading: { deliver: saturday 10:00 } }\n")
        self.check(self.place.opus("run", "--yes", now=SATURDAY))
        shutil.rmtree(self.place.root / ".opus")
        self.box.add("INBOX", letter("Mail 4", name="mail4", sender="a@news.example", minutes=4 * 1440 + 185))
        later = "2026-03-14T12:00:00+01:00"
        self.check(self.place.opus("run", "--yes", now=later))
        self.assertPlaces(self.box, {**{f"mail{number}": "INBOX" for number in range(4)}, "mail4": "Deferred"})
        self.assertNothingMore(self.place, self.box, now=later)

    def test_mail_that_the_user_took_out_early_stays_after_the_store_was_lost(self):
        self.prepare("bundles: { Reading: { deliver: saturday 10:00 } }\n")
        self.box.move("mail0@test.example", "Deferred", "INBOX")
        places = {"mail0": "INBOX", "mail1": "Deferred", "mail2": "Deferred", "mail3": "INBOX"}
        soon = "2026-03-11T09:00:00+01:00"
        self.check(self.place.opus("run", "--yes", now=soon))
        self.assertPlaces(self.box, places)
        for _ in range(2):
            shutil.rmtree(self.place.root / ".opus")
            self.check(self.place.opus("run", "--yes", now=soon))
            self.assertPlaces(self.box, places)
            self.assertNothingMore(self.place, self.box, now=soon)
        second = self.new_place(self.box, RULES, "bundles: { Reading: { deliver: saturday 10:00 } }\n", name="second")
        self.check(second.opus("run", "--yes", now=soon))
        self.assertPlaces(self.box, places)
        # Delivered mail needs no list.
        self.check(self.place.opus("run", "--yes", now=SATURDAY))
        self.assertPlaces(self.box, {name: "INBOX" for name in places})
        self.assertEqual(self.box.lists(), [])
        self.assertNothingMore(self.place, self.box, now=SATURDAY)

    def test_mail_that_was_taken_out_and_not_seen_before_the_store_was_lost_stays(self):
        self.prepare("bundles: { Reading: { deliver: saturday 10:00 } }\n")
        self.box.move("mail0@test.example", "Deferred", "INBOX")
        shutil.rmtree(self.place.root / ".opus")
        self.check(self.place.opus("run", "--yes"))
        self.assertPlaces(self.box, {"mail0": "INBOX", "mail1": "Deferred"})
        self.assertNothingMore(self.place, self.box)

    def test_a_changed_schedule_applies_to_mail_that_already_waits(self):
        self.prepare("bundles: { Reading: { deliver: saturday 10:00 } }\n")
        items = self.check(self.place.opus("defer", "--list", "--json")).json["items"]
        own, = [item["id"] for item in items if item["subject"] == "Mail 1"]
        self.check(self.place.opus("defer", own, "2026-04-01"))
        friday, mine = "2026-03-13T18:00:00+01:00", "2026-04-01T08:00:00+02:00"
        self.schedule("bundles: { Reading: { deliver: friday 18:00 } }\n")
        self.check(self.place.opus("run", "--yes"))
        self.assertEqual(self.dates(), {"Mail 0": friday, "Mail 1": mine, "Mail 2": friday})
        self.assertNothingMore(self.place, self.box)
        # It stays changed after another change, and in another store.
        self.schedule("bundles: { Reading: { deliver: thursday 18:00 } }\n")
        soon = "2026-03-11T09:00:00+01:00"
        self.check(self.place.opus("run", "--yes", now=soon))
        thursday = "2026-03-12T18:00:00+01:00"
        self.assertEqual(self.dates(soon), {"Mail 0": thursday, "Mail 1": mine, "Mail 2": thursday})
        shutil.rmtree(self.place.root / ".opus")
        self.check(self.place.opus("run", "--yes", now=soon))
        self.assertEqual(self.dates(soon), {"Mail 0": thursday, "Mail 1": mine, "Mail 2": thursday})

    def test_mail_whose_new_delivery_is_over_or_that_has_none_comes_at_once(self):
        for name, settings in (("over", "bundles: { Reading: { deliver: today 18:00 } }\n"), ("none", "")):
            with self.subTest(name):
                self.prepare("bundles: { Reading: { deliver: saturday 10:00 } }\n", name=name)
                self.schedule(settings)
                soon = "2026-03-11T09:00:00+01:00"
                self.assertIn("would come back: Reading: 3", self.check(self.place.opus("run", "--dry-run", now=soon)).out)
                self.assertIn("back in the inbox: Reading: 3", self.check(self.place.opus("run", "--yes", now=soon)).out)
                self.assertPlaces(self.box, {f"mail{number}": "INBOX" for number in range(4)})
                self.assertNothingMore(self.place, self.box, now=soon)

    def schedule(self, settings):
        self.place.configure(self.box.yaml(), settings)

    def dates(self, now=CLOCK):
        items = self.check(self.place.opus("defer", "--list", "--json", now=now)).json["items"]
        return {item["subject"]: item["deferredUntil"] for item in items}

    def test_undo_of_a_scheduled_morning_brings_the_mail_back(self):
        self.prepare("bundles: { Reading: { deliver: saturday 10:00 } }\n")
        self.check(self.place.opus("undo", "--yes"))
        self.assertPlaces(self.box, {f"mail{number}": "INBOX" for number in range(4)})
        self.assertNothingMore(self.place, self.box)


if __name__ == "__main__":
    unittest.main()
