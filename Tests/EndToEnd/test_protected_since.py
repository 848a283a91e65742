"""A plan that was shown or saved, and what came to be protected before it is applied."""
import contextlib
import sqlite3
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "Kill"))

import shim
from letters import letter
from terminal import answered
from workplace import Case, on_both

RULES = """\
rules-version: 1
name: since
lists: { vip: { file: vip.txt } }
protect:
  - open work: has:open-task or is:flagged
  - important people: from:@vip
rules:
  - { id: away, when: 'subject:away', then: [archive] }
"""
ANSWER = {"In-Reply-To": "<old-away@test.example>", "References": "<old-away@test.example>"}


@on_both
class ProtectedSince:
    def prepare(self, name="workspace"):
        box = self.new_box()
        box.add("INBOX", [letter("One away"), letter("Two away", minutes=1),
                          letter("Old away", minutes=2, sender="Eve <eve@other.example>"),
                          letter("Re: Old away", "new-away", minutes=3, sender="Eve <eve@other.example>",
                                 headers=ANSWER)])
        place = self.new_place(box, RULES, name=name)
        (place.root / "rules" / "vip.txt").write_text("nobody@nowhere.example\n")
        self.check(place.opus("sync"))
        return box, place

    def short(self, place, subject):
        return next(item["id"] for item in place.opus("list", "--json").json["items"] if item["subject"] == subject)

    def test_a_saved_plan_leaves_out_what_is_protected_now(self):
        box, place = self.prepare()
        self.check(place.opus("triage", "--out", "plan.json"))
        self.check(place.opus("task", "from", self.short(place, "One away")))
        # An older message that would go with its conversation.
        box.mark("INBOX", "old-away@test.example", add=[r"\Flagged"])
        done = self.check(place.opus("apply", "plan.json"), 3, "One away", "protected now: open work")
        self.assertPlaces(box, {"one-away": "INBOX", "two-away": "Archive", "old-away": "INBOX"})
        self.assertIn("Old away", done.text)

    def test_protection_between_the_plan_and_the_answer_counts(self):
        for command in ("triage", "run"):
            with self.subTest(command):
                box, place = self.prepare(command)

                def answer(_):
                    box.mark("INBOX", "one-away@test.example", add=[r"\Flagged"])
                    (place.root / "rules" / "vip.txt").write_text("eve@other.example\n")
                    return b"y\n"

                code, output = answered(place, [command], answer)
                self.assertEqual(code, 0, output)
                self.assertPlaces(box, {"one-away": "INBOX", "two-away": "Archive", "old-away": "INBOX",
                                        "new-away": "INBOX"})
                self.assertIn("skipped", output)

    def test_a_task_that_another_program_opens_meanwhile(self):
        box, place = self.prepare()
        place.write_rules(RULES.replace("lists: { vip: { file: vip.txt } }", "lists: { vip: ['x@x.example'] }"))
        self.check(place.opus("task", "from", self.short(place, "Two away")))
        path = next(place.tasks.glob("*/*.ics"))
        path.write_bytes(path.read_bytes().replace(b"STATUS:NEEDS-ACTION", b"STATUS:CANCELLED"))

        def answer(_):
            path.write_bytes(path.read_bytes().replace(b"STATUS:CANCELLED", b"STATUS:NEEDS-ACTION"))
            return b"y\n"

        code, output = answered(place, ["triage"], answer)
        self.assertEqual(code, 0, output)
        self.assertPlaces(box, {"one-away": "Archive", "two-away": "INBOX"})


MANY = """\
rules-version: 1
name: many
rules:
  - { id: away, when: 'subject:away', then: [{ task: { title: 'Task {{subject}}' } }, archive] }
"""
COUNT = 12


@on_both
class Interrupted:
    """Ended in the middle of its work, as by Ctrl-C."""

    def prepare(self):
        """A workplace in which some steps were done and some were not begun."""
        for number, share in enumerate((0.75, 0.6, 0.85, 0.5, 0.9, 0.4)):
            box = self.new_box()
            box.add("INBOX", [letter(f"Away {n}", minutes=n) for n in range(COUNT)])
            place = self.new_place(box, MANY, name=f"many{number}")
            self.check(place.opus("sync"))
            self.total = getattr(self, "total", None) or self.whole()
            place.opus("triage", "--yes", environment=shim.killing(place, max(1, int(self.total * share))))
            runs = place.opus("runs", "--json").json["items"]
            if runs and runs[0]["confirmed"] and runs[0]["open"]:
                return box, place, runs[0]["id"]
        self.fail("no point was in the middle of the work")

    def whole(self):
        box = self.new_box()
        box.add("INBOX", [letter(f"Away {n}", minutes=n) for n in range(COUNT)])
        place = self.new_place(box, MANY, name="whole")
        self.check(place.opus("sync"))
        count = self.folder / "whole-count"
        self.check(place.opus("triage", "--yes", environment=shim.counting(place, count)))
        return int(count.read_text())

    def test_the_next_run_asks_before_it_finishes(self):
        box, place, run = self.prepare()
        before = box.fingerprint(), place.task_files()
        self.check(place.opus("status"), 0, "was interrupted")
        # No other command finishes it either.
        self.check(place.opus("triage", "--yes"))
        self.assertEqual((box.fingerprint(), place.task_files()), before)
        # Nor does a command that changes another message of the account.
        box.add("INBOX", letter("Kept", minutes=99))
        self.check(place.opus("sync"))
        after = box.held("Archive"), place.task_files()
        kept = next(item["id"] for item in place.opus("list", "--json").json["items"] if item["subject"] == "Kept")
        self.check(place.opus("flag", kept))
        self.assertEqual((box.held("Archive"), place.task_files()), after)
        before = box.fingerprint(), place.task_files()
        code, output = answered(place, ["run"], b"n\n")
        self.assertEqual(code, 0, output)
        self.assertIn(f"{run} was interrupted", output)
        self.assertIn(f"opus undo {run}", output)
        self.assertEqual((box.fingerprint(), place.task_files()), before)
        self.check(place.opus("run", "--yes"), 0, f"{run} was interrupted")
        self.assertEqual(len(box.held("Archive")), COUNT)
        self.assertEqual(len(list(place.tasks.glob("*/*.ics"))), COUNT)
        self.assertNothingMore(place, box)

    def test_steps_that_were_not_begun_can_be_discarded(self):
        box, place, run = self.prepare()
        self.check(place.opus("undo", run, "--yes"))
        self.assertEqual(len(box.held("INBOX")), COUNT)
        self.assertEqual(list(place.tasks.glob("*/*.ics")), [])
        self.assertNothingMore(place, box)


class WrongClock(Case):
    kind = "imap"

    def test_a_step_delayed_by_a_wrong_clock_is_due(self):
        box = self.new_box()
        box.add("INBOX", letter("Away 1"))
        place = self.new_place(box, MANY)
        self.check(place.opus("sync"))
        good = (place.root / "opus.yaml").read_text()
        (place.root / "opus.yaml").write_text(good.replace(f"port: {box.servers.imaps_port}", "port: 1"))
        self.check(place.opus("triage", "--yes", now="2099-01-01T00:00:00Z"), 75)
        (place.root / "opus.yaml").write_text(good)
        # As a refusal of that day leaves it.
        with contextlib.closing(sqlite3.connect(place.root / ".opus" / "store.sqlite")) as store:
            store.execute("UPDATE step SET due_at = ? WHERE state = 'ready'", (4_070_908_830,))
            store.commit()
        self.check(place.opus("run", "--yes"))
        self.assertEqual(box.held("INBOX"), [])
        self.assertNothingMore(place, box)
