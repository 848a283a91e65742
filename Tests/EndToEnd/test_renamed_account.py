"""An account that gets another name in opus.yaml: its rules make no task and send no mail a second time."""
import unittest

from letters import letter
from test_sent_copies import Submission
from workplace import Case, on_both

RULES = """\
rules-version: 1
name: renamed
rules:
  - { id: bill, when: 'subject:bill', then: [{ task: '{{subject}}' }] }
  - { id: ask, when: 'subject:ask', then: [{ forward: { to: bob@far.example, note: Please look., send: now } }] }
"""
SENDS = "allow-send: true\nsend: { hold: 0 }\n"
NEXT_DAY = "2026-03-11T09:00:00+01:00"


@on_both
class RenamedAccount:
    def start(self):
        self.server = self.enterContext(Submission())
        self.box = self.new_box()
        self.box.add("INBOX", [letter("Bill 1", "bill"), letter("Ask 1", "ask")])
        self.place = self.new_place(self.box, RULES, SENDS, extra=self.server.yaml())
        self.check(self.place.opus("run", "--yes"))
        self.assertDone()

    @property
    def tasks(self):
        return len(list(self.place.tasks.rglob("*.ics")))

    def name(self, old, new):
        settings = self.place.root / "opus.yaml"
        settings.write_text(settings.read_text().replace(f"name: {old}", f"name: {new}"))

    def assertDone(self):
        self.assertEqual(self.tasks, 1)
        self.assertEqual(len(self.server.mails), 1)
        self.assertEqual(sorted(self.box.subjects("INBOX")), ["Ask 1", "Bill 1"])

    def test_mail_is_not_judged_again_under_another_name(self):
        self.start()
        self.name("work", "office")
        for words in (["run", "--yes"], ["triage", "--yes"], ["run", "--dry-run"]):
            self.check(self.place.opus(*words, now=NEXT_DAY), 78, "shows the mail of account work",
                       "next: name it work again in opus.yaml")
            self.assertDone()
        self.assertEqual(len(self.check(self.place.opus("list", "--json")).json["items"]), 2)
        self.name("office", "work")
        self.assertNothingMore(self.place, self.box, now=NEXT_DAY)
        self.assertDone()

    def test_open_tasks_of_the_earlier_name_are_not_left_alone(self):
        box = self.new_box()
        box.add("INBOX", letter("One"))
        place = self.place = self.new_place(box, RULES, SENDS)
        self.check(place.opus("sync"))
        message, = place.opus("list", "--json").json["items"]
        self.check(place.opus("task", "from", message["id"]))
        self.name("work", "office")
        self.check(place.opus("run", "--yes", now=NEXT_DAY), 78, "its open tasks would no longer follow their mail")
        task, = place.opus("task", "list", "--json").json["items"]
        self.check(place.opus("task", "done", task["id"]))
        self.name("office", "work")
        self.check(place.opus("run", "--yes", now=NEXT_DAY))
        self.assertPlaces(box, {"one": "Archive"})

    def test_a_watch_reports_it_and_decides_nothing(self):
        self.start()
        self.name("work", "office")
        rules = self.place.root / "rules" / "10-test.yaml"
        rules.write_text(rules.read_text().replace("{ id:", "{ auto: true, id:"))
        self.check(self.place.opus("watch", "--json", now=NEXT_DAY), 78, "shows the mail of account work")
        self.assertDone()

    def test_another_account_beside_or_instead_of_it_is_judged(self):
        self.start()
        other = self.new_box()
        other.add("INBOX", letter("Bill 2", "bill2"))
        self.place.configure(other.yaml("office", extra=self.server.yaml()), SENDS)
        self.check(self.place.opus("run", "--yes", now=NEXT_DAY), 0, "1 × task")
        self.assertEqual(self.tasks, 2)


if __name__ == "__main__":
    unittest.main()
