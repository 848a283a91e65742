"""A plan that was saved: applied as it was reviewed, except for what has changed since."""
import json
import os
import unittest

from letters import letter
from workplace import on_both

RULES = """\
rules-version: 1
name: plans
rules:
  - { id: away, when: 'subject:away', then: [archive] }
  - { id: ask, when: 'subject:ask', then: [{ task: { title: 'Answer {{subject}}', notes: Read this. } }] }
"""
LATER = "2026-03-11T09:00:00+01:00"


@on_both
class SavedPlans:
    def prepare(self, *subjects):
        box = self.new_box()
        box.add("INBOX", [letter(subject, minutes=n) for n, subject in enumerate(subjects)])
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        before = box.fingerprint(), place.task_files()
        self.check(place.opus("triage", "--out", "plan.json"), 0, "plan.json")
        self.assertEqual((box.fingerprint(), place.task_files()), before, "saving a plan changed something")
        return box, place

    def test_a_saved_plan_is_applied_without_a_question_and_only_once(self):
        box, place = self.prepare("One away", "Two ask", "Three")
        plan = json.loads((place.root / "plan.json").read_text())
        self.assertEqual(plan["schema"], "opus.plan/1")
        self.check(place.opus("apply", "plan.json"))
        self.assertPlaces(box, {"one-away": "Archive", "two-ask": "INBOX", "three": "INBOX"})
        self.assertEqual(len(place.task_files()), 2)  # the task, and its list's displayname
        before = box.fingerprint(), place.task_files()
        again = place.opus("apply", "plan.json")
        self.assertIn(again.code, (0, 3), str(again))
        self.assertEqual((box.fingerprint(), place.task_files()), before)
        self.assertNothingMore(place, box)

    def test_a_message_moved_by_another_program_is_skipped_and_the_rest_applied(self):
        box, place = self.prepare("One away", "Two away", "Three ask")
        box.move("two-away@test.example", "INBOX", "Elsewhere")
        self.check(place.opus("sync"))
        self.check(place.opus("apply", "plan.json"), 3, "Two away", "moved")
        self.assertPlaces(box, {"one-away": "Archive", "two-away": "Elsewhere", "three-ask": "INBOX"})
        self.assertNothingMore(place, box)

    def test_a_message_moved_since_the_last_sync_is_not_changed(self):
        box, place = self.prepare("One away", "Two away")
        box.move("two-away@test.example", "INBOX", "Elsewhere")
        self.check(place.opus("apply", "plan.json"), 3, "Two away", "moved")
        self.assertPlaces(box, {"one-away": "Archive", "two-away": "Elsewhere"})
        self.assertNothingMore(place, box)

    def test_a_message_whose_flags_changed_is_skipped(self):
        box, place = self.prepare("One away", "Two away")
        box.mark("INBOX", "one-away@test.example", add=[r"\Flagged"])
        self.check(place.opus("sync"))
        self.check(place.opus("apply", "plan.json"), 3, "One away", "flags")
        self.assertPlaces(box, {"one-away": "INBOX", "two-away": "Archive"})

    def test_a_plan_of_other_rules_is_stale_as_a_whole(self):
        box, place = self.prepare("One away", "Two ask")
        place.write_rules(RULES.replace("id: away", "id: far-away"))
        before = box.fingerprint(), place.task_files()
        self.check(place.opus("apply", "plan.json"), 3, "rules changed")
        self.assertEqual((box.fingerprint(), place.task_files()), before)

    def test_a_plan_older_than_a_day_needs_the_option_old(self):
        box, place = self.prepare("One away")
        before = box.fingerprint()
        self.check(place.opus("apply", "plan.json", now=LATER), 3, "older than a day", "--old")
        self.assertEqual(box.fingerprint(), before)
        self.check(place.opus("apply", "--old", "plan.json", now=LATER))
        self.assertPlaces(box, {"one-away": "Archive"})

    def test_a_mailbox_that_was_removed_meanwhile_is_made_again(self):
        box = self.new_box()
        box.add("INBOX", letter("One away"))
        box.create("Projects")
        place = self.new_place(box, RULES.replace("then: [archive]", "then: [{ move: Projects }]"))
        self.check(place.opus("sync"))
        self.check(place.opus("triage", "--out", "plan.json"))
        box.drop("Projects")
        self.check(place.opus("apply", "plan.json"))
        self.assertPlaces(box, {"one-away": "Projects"})

    def test_a_file_that_is_not_a_plan_is_refused(self):
        box = self.new_box()
        place = self.new_place(box, RULES)
        for name, text, code in (("missing.json", None, 66), ("rules", None, 65), ("empty.json", "", 65), ("list.json", "[1, 2]", 65),
                                 ("other.json", '{"schema": "opus.plan/9", "generated": "x", "plan": {}}', 65)):
            with self.subTest(name):
                if text is not None:
                    (place.root / name).write_text(text)
                self.check(place.opus("apply", name), code, name, "opus triage --out")

    def test_a_plan_is_written_to_files_only(self):
        _, place = self.prepare("One away")
        os.mkfifo(place.root / "pipe")
        (place.root / "folder").mkdir()
        for name in ("pipe", "folder"):
            with self.subTest(name):
                self.check(place.opus("triage", "--out", name), 73, "it is not a regular file")
        self.assertTrue((place.root / "pipe").is_fifo())
        (place.root / "link.json").symlink_to("folder/far.json")
        (place.root / "folder" / "far.json").write_text("")
        self.check(place.opus("triage", "--out", "link.json"))
        self.assertTrue((place.root / "link.json").is_symlink())
        self.check(place.opus("apply", "folder/far.json"))

    def test_a_plan_that_was_edited_is_not_the_one_that_was_reviewed(self):
        box, place = self.prepare("One away", "Two ask")
        before = box.fingerprint(), place.task_files()
        text = (place.root / "plan.json").read_text()
        for change in (('"archive"', '"trash"'), ('"rule" : "ask"', '"rule" : "away"'), ('"uid" : 1', '"uid" : 2'),
                       ("Read this.", "Pay this.")):
            with self.subTest(change):
                self.assertIn(change[0], text)
                (place.root / "plan.json").write_text(text.replace(*change))
                self.check(place.opus("apply", "plan.json"), 65, "changed after it was saved as p:")
                self.assertEqual((box.fingerprint(), place.task_files()), before)
        # Who means it takes the id out.
        plan = json.loads(text.replace('"archive"', '"trash"'))
        del plan["id"]
        (place.root / "plan.json").write_text(json.dumps(plan))
        self.check(place.opus("apply", "plan.json"))
        self.assertPlaces(box, {"one-away": "Trash", "two-ask": "INBOX"})

    def test_max_limits_the_messages_that_one_triage_changes(self):
        box, place = self.prepare("One away", "Two away", "Three away")
        self.check(place.opus("triage", "--yes", "--max", "1"), 0)
        self.assertPlaces(box, {"one-away": "INBOX", "two-away": "INBOX", "three-away": "Archive"})
        self.check(place.opus("triage", "--dry-run", "--detailed-exitcode"), 2)
        self.check(place.opus("triage", "--yes", "--max", "none"), 0)
        self.check(place.opus("triage", "--dry-run", "--detailed-exitcode"), 0)
        self.check(place.opus("triage", "--yes", "--max", "many"), 64, "--max")

    def test_only_the_messages_that_a_query_names_are_triaged(self):
        box, place = self.prepare("One away", "Two away")
        self.check(place.opus("triage", "--yes", "subject:two"))
        self.assertPlaces(box, {"one-away": "INBOX", "two-away": "Archive"})
        self.check(place.opus("triage", "--yes", "sbject:two"), 64, "subject")


if __name__ == "__main__":
    unittest.main()
