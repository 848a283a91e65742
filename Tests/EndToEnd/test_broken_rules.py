"""Rules with an error: opus triages nothing, and does everything else."""
from letters import letter
from workplace import Case, on_both

RULES = """\
rules-version: 1
rules:
  - { id: later, when: subject:later, then: { defer: 2026-03-12 } }
  - { id: bill, when: subject:bill, then: { task: '{{subject}}' } }
  - { id: news, when: subject:news, then: archive }
"""
BROKEN = {
    "an error in a file": RULES + "  - { id: typo, when: subjekt:x, then: archive }\n",
    "a failing test": RULES + "tests:\n  - { name: wrong, mail: { subject: News }, expect: { disposition: keep } }\n",
}
AFTER = "2026-03-12T09:00:00+01:00"


@on_both
class BrokenRules:
    def prepare(self, name):
        box = self.new_box()
        box.add("INBOX", [letter("Later"), letter("Bill")])
        place = self.new_place(box, RULES, name=name)
        self.check(place.opus("run", "--yes"))
        task, = [item["id"] for item in self.check(place.opus("next", "--json")).json["items"]]
        self.check(place.opus("task", "done", task))
        box.mark("INBOX", "bill@test.example", add=[r"\Seen"])
        box.add("INBOX", letter("News"))
        return box, place

    def test_deferred_mail_returns_and_the_mail_of_tasks_follows_but_nothing_is_triaged(self):
        for number, (reason, rules) in enumerate(BROKEN.items()):
            with self.subTest(reason):
                box, place = self.prepare(f"place{number}")
                place.write_rules(rules)
                shown = self.check(place.opus("run", "--dry-run", now=AFTER), 65, "triaged")
                self.assertIn("would come back", shown.out)
                self.assertPlaces(box, {"later": "Deferred", "bill": "INBOX", "news": "INBOX"})
                done = self.check(place.opus("run", "--yes", now=AFTER), 65, "triaged")
                self.assertIn("back in the inbox", done.out)
                self.assertPlaces(box, {"later": "INBOX", "bill": "Archive", "news": "INBOX"})
                again = self.check(place.opus("run", "--yes", "--json", now=AFTER), 65)
                self.assertTrue(again.json["brokenRules"])
                # Part of the plan is asked for, and there is none.
                for words in (("--rule", "news"), ("--query", "subject:news")):
                    self.check(place.opus("run", "--yes", *words, now=AFTER), 65)
                place.write_rules(RULES)
                self.check(place.opus("run", "--yes", now=AFTER))
                self.assertPlaces(box, {"later": "INBOX", "bill": "Archive", "news": "Archive"})
                self.assertNothingMore(place, box, now=AFTER)
