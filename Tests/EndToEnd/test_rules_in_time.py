"""Rules for other mailboxes, rules that wait for their time, and rules that end on a day."""
from letters import letter
from workplace import Case, on_both

RULES = """\
rules-version: 1
name: in-time
rules:
  - { id: tidy, mailboxes: [News], when: 'older:30d', then: trash }
  - { id: nudge, on: 'daily 07:00', when: 'subject:nudge', then: { label: morning } }
  - { id: fair, expire: '2026-03-12', when: 'subject:fair', then: archive }
"""


@on_both
class InTime:
    def prepare(self):
        box = self.new_box()
        box.create("News")
        box.add("News", [letter("Old news", "old", headers={"Date": "Mon, 05 Jan 2026 10:00:00 +0000"}),
                         letter("New news", "new")])
        box.add("INBOX", [letter("Old mail", "mail", headers={"Date": "Mon, 05 Jan 2026 10:00:00 +0000"}),
                          letter("Nudge me", "nudge", minutes=1)])
        return box, self.new_place(box, RULES)

    def labels(self, place, subject):
        return next(item["keywords"] for item in place.opus("list", "--json").json["items"] if item["subject"] == subject)

    def test_a_rule_for_a_mailbox_acts_there_and_nowhere_else(self):
        box, place = self.prepare()
        self.check(place.opus("sync"))
        plan = self.check(place.opus("triage", "--dry-run"), 0, "1 to trash")
        self.assertEqual([line.split("\t")[2] for line in plan.out.splitlines() if "tidy" in line], ["Old news"])
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"old": "Trash", "new": "News", "mail": "INBOX"})
        self.assertNothingMore(place, box)
        self.check(place.opus("undo", "--yes"))
        self.assertPlaces(box, {"old": "News"})

    def test_mail_that_stays_elsewhere_because_of_an_error_or_a_protection_is_reported(self):
        reason = "rule tidy moves to 'Nowhere', but that mailbox does not exist; the message is kept"
        box, place = self.prepare()
        place.write_rules(RULES.replace("then: trash", "then: { move: Nowhere }"))
        self.check(place.opus("sync"))
        self.check(place.opus("triage", "--dry-run"), 0, reason)
        self.check(place.opus("run", "--yes"), 0, reason)
        place.write_rules(RULES.replace("rules:\n", "protect: [{ old news: 'subject:old' }]\nrules:\n"))
        plan = self.check(place.opus("triage", "--dry-run", "--json")).json["plan"]
        self.assertEqual([item["subject"] for item in plan["items"] if item.get("protectedBy") == "old news"], ["Old news"])
        self.assertPlaces(box, {"old": "News", "new": "News"})

    def test_a_rule_with_a_time_runs_with_the_first_run_after_it_and_once_a_day(self):
        box, place = self.prepare()
        # A rule that was never tried catches up at once.
        self.check(place.opus("run", "--yes", now="2026-03-10T06:30:00+01:00"))
        self.assertEqual(self.labels(place, "Nudge me"), ["morning"])
        box.add("INBOX", letter("Nudge early", "early", minutes=2))
        self.check(place.opus("run", "--yes", now="2026-03-10T06:45:00+01:00"))
        self.assertEqual(self.labels(place, "Nudge early"), [])
        self.check(place.opus("run", "--yes", now="2026-03-10T07:05:00+01:00"))
        self.assertEqual(self.labels(place, "Nudge early"), ["morning"])
        box.add("INBOX", letter("Nudge me too", "too", minutes=3))
        self.check(place.opus("run", "--yes", now="2026-03-10T09:00:00+01:00"))
        self.assertEqual(self.labels(place, "Nudge me too"), [], "it ran today")
        self.check(place.opus("run", "--yes", now="2026-03-11T08:00:00+01:00"))
        self.assertEqual(self.labels(place, "Nudge me too"), ["morning"])

    def test_mail_of_one_morning_is_answered_once_however_often_the_rule_runs(self):
        box = self.new_box()
        place = self.new_place(box, "rules-version: 1\nname: away\nrules:\n"
                                    "  - { id: away, when: 'to:me', then: { vacation: { text: 'I am away.', days: 1 } } }\n")
        self.check(place.opus("run", "--yes", now="2026-03-10T06:00:00+01:00"))
        for number in range(3):
            box.add("INBOX", letter(f"Hello {number}", minutes=number), received=1_773_122_400 + number)
        for day in (10, 11, 12):
            self.check(place.opus("run", "--yes", now=f"2026-03-{day}T08:30:00+01:00"))
        self.assertEqual(len(box.held("Drafts")), 1)
        box.add("INBOX", letter("Hello again", minutes=3 * 1440), received=1_773_122_400 + 3 * 86_400)
        self.check(place.opus("run", "--yes", now="2026-03-13T08:30:00+01:00"))
        self.assertEqual(len(box.held("Drafts")), 2)

    def test_a_rule_ends_with_its_day(self):
        box, place = self.prepare()
        box.add("INBOX", letter("Fair one", "one"))
        self.check(place.opus("run", "--yes", now="2026-03-12T23:00:00+01:00"))
        self.assertPlaces(box, {"one": "Archive"})
        box.add("INBOX", letter("Fair two", "two", minutes=5))
        self.check(place.opus("run", "--yes", now="2026-03-13T08:00:00+01:00"))
        self.assertPlaces(box, {"two": "INBOX"})
