"""Edited task files, and the mail that follows; what happens to mail, and the task that hears of it."""
import os
import shutil
import unittest

from letters import MORNING, letter
from workplace import Case, on_both

RULES = """\
rules-version: 1
name: following
rules:
  - { id: ask, when: 'subject:ask', then: [{ task: { title: 'Answer {{subject}}', list: next, context: '@office' } }] }
"""
REPLY = {"In-Reply-To": "<ask-one@test.example>", "References": "<ask-one@test.example>"}
LATER = "2026-03-16T08:30:00+01:00"


@on_both
class Following:
    def prepare(self, *subjects, settings=""):
        box = self.new_box()
        box.add("INBOX", [letter(subject, minutes=n) for n, subject in enumerate(subjects or ["Ask one"])])
        place = self.new_place(box, RULES, settings=settings)
        self.check(place.opus("run", "--yes"))
        return box, place

    def task_id(self, place, summary="Answer Ask one"):
        return next(item["id"] for item in place.opus("task", "list", "--all", "--json").json["items"]
                    if item["summary"] == summary)

    def test_cancelled_reopened_and_undone(self):
        box, place = self.prepare()
        self.check(place.opus("task", "cancel", self.task_id(place)), 0, "cancelled")
        self.check(place.opus("run", "--yes"), 0, "is cancelled: its mail goes to the archive")
        self.assertPlaces(box, {"ask-one": "Archive"})
        self.assertNothingMore(place, box)
        self.check(place.opus("task", "reopen", self.task_id(place)))
        self.check(place.opus("run", "--yes"), 0, "is open: its mail returns to the inbox")
        self.assertPlaces(box, {"ask-one": "INBOX"})
        self.check(place.opus("task", "done", self.task_id(place)))
        self.check(place.opus("run", "--yes"))
        self.check(place.opus("undo", "--yes"))
        self.assertPlaces(box, {"ask-one": "INBOX"})
        self.assertNothingMore(place, box)

    def test_the_mail_of_a_task_follows_when_the_last_task_of_its_conversation_ends(self):
        rules = RULES + "  - { id: two, when: 'subject:two', then: [{ task: { title: 'See {{subject}}', list: next } }] }\n"
        for way in ("done", "cancel", "deleted"):
            with self.subTest(way):
                box = self.new_box()
                box.add("INBOX", [letter("Ask one"), letter("Two", minutes=1, headers=REPLY, sender="Ann <ann@far.example>")])
                place = self.new_place(box, rules, name=way)
                self.check(place.opus("run", "--yes"))
                self.check(place.opus("task", "done", self.task_id(place)))
                self.check(place.opus("run", "--yes"), 0, "another open task")
                self.assertPlaces(box, {"ask-one": "INBOX", "two": "INBOX"})
                if way == "deleted":
                    place.task("See Two").unlink()
                else:
                    self.check(place.opus("task", way, self.task_id(place, "See Two")))
                self.check(place.opus("run", "--yes"))
                self.assertPlaces(box, {"ask-one": "Archive", "two": "INBOX" if way == "deleted" else "Archive"})
                self.assertNothingMore(place, box)
                box.move("ask-one@test.example", "Archive", "INBOX")
                self.check(place.opus("run", "--yes"))
                if way != "deleted":
                    for change in ("reopen", "done"):
                        self.check(place.opus("task", change, self.task_id(place, "See Two")))
                        self.check(place.opus("run", "--yes"))
                self.assertPlaces(box, {"ask-one": "INBOX"})

    def test_mail_that_the_user_archived_stays_when_the_task_is_reopened(self):
        box, place = self.prepare()
        self.check(place.opus("task", "done", self.task_id(place)))
        if "Archive" not in box.names():
            box.create("Archive")
        box.move("ask-one@test.example", "INBOX", "Archive")
        self.check(place.opus("run", "--yes"))
        self.check(place.opus("task", "reopen", self.task_id(place)))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"ask-one": "Archive"})

    def test_moving_a_task_to_a_list_moves_its_mail(self):
        box, place = self.prepare()
        self.check(place.opus("task", "move", self.task_id(place), "someday"), 0, "moved")
        self.check(place.opus("run", "--yes"), 0, "is for someday: its mail is deferred without a date")
        self.assertPlaces(box, {"ask-one": "Deferred"})
        self.assertNothingMore(place, box, now=LATER)
        self.check(place.opus("task", "move", self.task_id(place), "next"))
        self.check(place.opus("run", "--yes"), 0, "returns to the inbox")
        self.assertPlaces(box, {"ask-one": "INBOX"})
        self.check(place.opus("task", "move", self.task_id(place), "waiting"))
        self.check(place.opus("run", "--yes"), 0, "waits: its mail goes to the archive", "has no contact")
        self.assertPlaces(box, {"ask-one": "Archive"})
        self.assertNothingMore(place, box)

    def test_mail_that_waiting_archived_is_deferred_when_its_task_gets_a_day(self):
        box, place = self.prepare("Ask one", "Ask two", "Ask three")
        for number in ("one", "two", "three"):
            self.check(place.opus("task", "move", self.task_id(place, f"Answer Ask {number}"), "waiting"))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"ask-one": "Archive", "ask-two": "Archive", "ask-three": "Archive"})
        # As a phone does it: the start and the list are set in the file.
        for number, name in (("one", "waiting"), ("two", "scheduled"), ("three", "someday")):
            path = place.task(f"Answer Ask {number}")
            text, target = path.read_bytes(), place.tasks / name / path.name
            path.unlink()
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(text if name == "someday" else text.replace(
                b"STATUS:", b"DTSTART;VALUE=DATE:20260313\r\nSTATUS:"))
        self.check(place.opus("run", "--yes"), 0, "is for someday: its mail is deferred", "until 2026-03-13 08:00")
        self.assertPlaces(box, {"ask-one": "Deferred", "ask-two": "Deferred", "ask-three": "Deferred"})
        self.assertNothingMore(place, box)
        self.check(place.opus("run", "--yes", now=LATER))
        self.assertPlaces(box, {"ask-one": "INBOX", "ask-two": "INBOX", "ask-three": "Deferred"})

    def test_a_reopened_task_leaves_the_mail_of_an_earlier_task_in_the_archive(self):
        box, place = self.prepare()
        self.check(place.opus("task", "done", self.task_id(place)))
        self.check(place.opus("run", "--yes"))
        box.add("INBOX", letter("Ask again", minutes=120, headers=REPLY))
        now = "2026-03-10T09:30:00+01:00"
        self.check(place.opus("run", "--yes", now=now))
        self.check(place.opus("task", "done", self.task_id(place, "Answer Ask again"), now=now))
        self.check(place.opus("run", "--yes", now=now))
        self.assertPlaces(box, {"ask-one": "Archive", "ask-again": "Archive"})
        self.check(place.opus("task", "reopen", self.task_id(place, "Answer Ask again"), now=now))
        self.check(place.opus("run", "--yes", now=now), 0, "is open: its mail returns to the inbox")
        self.assertPlaces(box, {"ask-one": "Archive", "ask-again": "INBOX"})

    def test_mail_that_was_deferred_with_its_task_comes_back_after_a_lost_store(self):
        for words in (["someday"], ["+3 days"]):
            with self.subTest(words[0]):
                box, place = self.prepare()
                task = place.task("Answer Ask one").stem
                self.check(place.opus("task", "defer", task, *words))
                self.check(place.opus("run", "--yes"))
                self.assertPlaces(box, {"ask-one": "Deferred"})
                shutil.rmtree(place.root / ".opus")
                self.check(place.opus("run", "--yes"))
                self.check(place.opus("task", "move", task, "next"))
                self.check(place.opus("run", "--yes"))
                self.assertPlaces(box, {"ask-one": "INBOX"})
                shutil.rmtree(place.root)

    def test_deferred_moved_undone_and_cleared(self):
        box, place = self.prepare()
        self.check(place.opus("task", "defer", self.task_id(place), "friday"))
        self.check(place.opus("run", "--yes"), 0, "is scheduled: its mail is deferred until 2026-03-13 08:00")
        self.assertPlaces(box, {"ask-one": "Deferred"})
        self.assertNothingMore(place, box)
        self.check(place.opus("task", "edit", self.task_id(place), "--start", "2026-03-20"))
        self.check(place.opus("run", "--yes"), 0, "deferred until 2026-03-20 08:00")
        run = place.opus("runs", "--json").json["items"][0]["id"]
        self.check(place.opus("undo", run, "--yes"))
        self.assertNothingMore(place, box)
        # The wait is what it was before that run.
        self.check(place.opus("run", "--yes", now=LATER))
        self.assertPlaces(box, {"ask-one": "INBOX"})
        self.check(place.opus("task", "defer", self.task_id(place), "+1 week", now=LATER))
        self.check(place.opus("run", "--yes", now=LATER))
        self.check(place.opus("task", "defer", self.task_id(place), "none", now=LATER), 0, "no longer deferred")
        self.check(place.opus("run", "--yes", now=LATER), 0, "returns to the inbox")
        self.assertPlaces(box, {"ask-one": "INBOX"})
        self.assertNothingMore(place, box, now=LATER)

    def test_mail_stays_where_it_was_after_the_undo_of_an_edit_and_of_its_effect(self):
        for number, words in enumerate((("someday",), ("+5 days",))):
            with self.subTest(words):
                box = self.new_box()
                box.add("INBOX", letter("Question", "ask"))
                place = self.new_place(box, "rules-version: 1\n", name=f"undone-{number}")
                self.check(place.opus("sync"))
                item, = self.check(place.opus("list", "--json")).json["items"]
                self.check(place.opus("wait", item["id"], "--until", "+2 days"))
                task, = self.check(place.opus("waiting", "--json")).json["items"]
                self.check(place.opus("task", "defer", task["id"], *words))
                self.check(place.opus("run", "--yes"))
                self.assertPlaces(box, {"ask": "Deferred"})
                self.check(place.opus("undo", "--yes"))
                self.check(place.opus("undo", "--yes"))
                self.assertNothingMore(place, box)
                self.assertPlaces(box, {"ask": "INBOX"})
                # A change that is no undo moves it.
                self.check(place.opus("task", "defer", task["id"], "+9 days"))
                self.check(place.opus("run", "--yes"))
                self.assertPlaces(box, {"ask": "Deferred"})

    def test_the_same_command_after_its_undo_moves_the_mail_again(self):
        box = self.new_box()
        box.add("INBOX", letter("Question", "ask"))
        place = self.new_place(box, "rules-version: 1\n")
        self.check(place.opus("sync"))
        item, = self.check(place.opus("list", "--json")).json["items"]
        self.check(place.opus("task", "from", item["id"], "--list", "someday"))
        for again in (False, True):
            self.assertPlaces(box, {"ask": "Deferred"})
            self.check(place.opus("task", "move", self.task_id(place, "Question"), "next"))
            self.check(place.opus("run", "--yes"))
            self.assertPlaces(box, {"ask": "INBOX"})
            if not again:
                self.check(place.opus("undo", "--yes"))
                self.check(place.opus("undo", "--yes"))
                self.assertNothingMore(place, box)

    def test_a_task_made_from_mail_decides_when_the_mail_comes_back(self):
        box = self.new_box()
        box.add("INBOX", [letter("One", minutes=1), letter("Two", minutes=2)])
        place = self.new_place(box, "rules-version: 1\n")
        self.check(place.opus("sync"))
        ids = {item["subject"]: item["id"] for item in self.check(place.opus("list", "--json")).json["items"]}
        self.check(place.opus("defer", ids["One"], "friday"))
        self.check(place.opus("task", "from", ids["One"], "--list", "scheduled", "--start", "monday"))
        self.check(place.opus("task", "from", ids["Two"], "--list", "someday"))
        listed = self.check(place.opus("defer", "--list", "--json")).json["items"]
        self.assertEqual({item["subject"]: item["deferredUntil"] for item in listed},
                         {"One": "2026-03-16T08:00:00+01:00", "Two": "someday"})
        self.assertNothingMore(place, box)
        self.check(place.opus("task", "move", self.task_id(place, "Two"), "next"))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"one": "Deferred", "two": "INBOX"})
        self.check(place.opus("undo", "--yes"))
        self.assertPlaces(box, {"one": "Deferred", "two": "Deferred"})

    def test_a_category_is_a_label_of_the_mail(self):
        box, place = self.prepare()
        self.check(place.opus("task", "edit", self.task_id(place), "--add-context", "red"))
        self.check(place.opus("run", "--yes"), 0, "label +red")
        self.assertIn("red", box.find("INBOX", "ask-one@test.example").flags)
        self.check(place.opus("task", "edit", self.task_id(place), "--remove-context", "red"))
        self.check(place.opus("run", "--yes"), 0, "label -red")
        self.assertNotIn("red", box.find("INBOX", "ask-one@test.example").flags)
        self.assertNothingMore(place, box)

    def test_categories_that_a_program_loses_leave_the_labels(self):
        box, place = self.prepare()
        self.check(place.opus("task", "edit", self.task_id(place), "--add-context", "red"))
        self.check(place.opus("run", "--yes"))
        path = place.task("Answer Ask one")
        path.write_bytes(b"".join(line for line in path.read_bytes().splitlines(True)
                                  if not line.startswith((b"CATEGORIES", b"X-OPUS-CONTEXT"))))
        self.check(place.opus("run", "--yes"), 0, "lost all its categories at once")
        self.assertIn("red", box.find("INBOX", "ask-one@test.example").flags)
        self.assertNothingMore(place, box)

    def test_deleted_while_open_or_when_done(self):
        box, place = self.prepare("Ask one", "Ask two")
        place.task("Answer Ask one").unlink()
        self.check(place.opus("run", "--yes"), 0, "was deleted; its mail stays")
        self.check(place.opus("task", "done", self.task_id(place, "Answer Ask two")))
        self.check(place.opus("run", "--yes"))
        place.task("Answer Ask two").unlink()
        self.assertNotIn("deleted", self.check(place.opus("run", "--yes")).text)
        self.assertPlaces(box, {"ask-one": "INBOX", "ask-two": "Archive"})
        self.assertNothingMore(place, box)

    def test_the_settings_decide_what_happens_to_the_mail(self):
        box, place = self.prepare("Ask one", "Ask two", settings="tasks: { when-done: trash, when-cancelled: keep }\n")
        cancelled = self.check(place.opus("task", "cancel", self.task_id(place)))
        self.assertNotIn("next: opus run", cancelled.text)
        self.check(place.opus("run", "--yes"), 0, "is finished; its mail stays")
        self.check(place.opus("task", "done", self.task_id(place, "Answer Ask two")), 0,
                   "next: opus run      asks to move the mail behind completed tasks to the trash")
        for _ in range(2):
            self.check(place.opus("run", "--yes"), 0, "to the trash needs your confirmation")
            self.assertPlaces(box, {"ask-one": "INBOX", "ask-two": "INBOX"})
        self.check(place.opus("run", "--yes", "--allow-trash"), 0, "is done: its mail goes to the trash")
        self.assertPlaces(box, {"ask-one": "INBOX", "ask-two": "Trash"})
        self.assertNothingMore(place, box)

    def test_an_unread_answer_that_came_after_the_task_was_completed_stays(self):
        for change in ("STATUS:COMPLETED\r\nCOMPLETED:20260310T064000Z", "STATUS:CANCELLED"):
            with self.subTest(change):
                box, place = self.prepare()
                answers = [letter("Re: Ask one", name, minutes=minutes, headers=REPLY)
                           for name, minutes in (("before", 30), ("read", 60), ("after", 61))]
                box.add("INBOX", answers[0])
                box.add("INBOX", answers[1], flags=[r"\Seen"])
                path = place.edit("Answer Ask one", ("STATUS:NEEDS-ACTION", change))
                changed = MORNING.timestamp() + 40 * 60
                os.utime(path, (changed, changed))
                box.add("INBOX", answers[2])
                self.check(place.opus("run", "--yes"), 0, "its 3 messages go to the archive")
                self.assertPlaces(box, {"ask-one": "Archive", "before": "Archive", "read": "Archive", "after": "INBOX"})
                self.assertNothingMore(place, box)
                shutil.rmtree(place.root)

    def test_a_time_of_completion_before_the_mail_of_the_task_is_not_used(self):
        box, place = self.prepare()
        box.add("INBOX", letter("Re: Ask one", "before", minutes=30, headers=REPLY))
        path = place.edit("Answer Ask one", ("STATUS:NEEDS-ACTION", "STATUS:COMPLETED\r\nCOMPLETED:20250101T000000Z"))
        changed = MORNING.timestamp() + 40 * 60
        os.utime(path, (changed, changed))
        self.check(place.opus("run", "--yes"), 0, "its 2 messages go to the archive")
        self.assertPlaces(box, {"ask-one": "Archive", "before": "Archive"})

    # From mail to file

    def test_mail_archived_elsewhere_completes_nothing(self):
        box, place = self.prepare()
        before = place.task_files()
        if "Archive" not in box.names():
            box.create("Archive")
        box.move("ask-one@test.example", "INBOX", "Archive")
        self.check(place.opus("run", "--yes"))
        self.assertEqual(place.task_files(), before)
        self.assertEqual(len(place.opus("next", "--json").json["items"]), 1)

    def test_a_reply_is_noted_on_the_task_once(self):
        box, place = self.prepare()
        box.add("INBOX", letter("Re: Ask one", minutes=600, headers=REPLY))
        box.add("INBOX", letter("Re: Ask one", "mine", minutes=601, headers=REPLY,
                                sender="Ana Ruiz <ana@acme.example>"))
        self.check(place.opus("run", "--yes", now=LATER), 0, "has a reply from Bob Singh")
        notes = place.opus("task", "show", self.task_id(place), "--json").json["task"]["notes"]
        self.assertEqual(notes.count("Reply "), 1, notes)
        self.assertIn("from Bob Singh: Re: Ask one", notes)
        self.assertTrue(notes.endswith("Mail: <mid:ask-one@test.example>"), notes)
        self.assertNothingMore(place, box, now=LATER)

    def test_mail_that_is_gone_keeps_its_task_and_is_reported_once(self):
        box, place = self.prepare()
        before = place.task_files()
        box.remove("INBOX", "ask-one@test.example")
        self.check(place.opus("run", "--yes"), 0, "is gone from the server; the task stays")
        self.assertEqual(place.task_files(), before)
        self.check(place.opus("task", "show", self.task_id(place)), 0, "gone from the server")
        self.assertNothingMore(place, box)

    def test_mail_in_an_excluded_mailbox_is_not_called_gone(self):
        box, place = self.prepare()
        box.create("Old")
        box.move("ask-one@test.example", "INBOX", "Old")
        self.check(place.opus("run", "--yes"))
        place.configure(box.yaml(extra="    sync: { exclude: [Old] }\n"), "")
        self.check(place.opus("run", "--yes"), 0, "is in no mailbox that opus reads; the task stays")
        self.check(place.opus("task", "show", self.task_id(place)), 0, "in no mailbox that opus reads")


if __name__ == "__main__":
    unittest.main()
