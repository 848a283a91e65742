"""Every folder of Tests/Scenarios, on both kinds of account."""
import json
import os
import unittest

import agreement
import icalendar
import scenario
import todoman_client
from workplace import Case

ACCEPT = bool(os.environ.get("OPUS_ACCEPT"))


class Story(Case):
    """The cases are made below: one for each folder and kind of account."""

    def play(self, told):
        box = self.new_box()
        place = self.new_place(box, told.rules, extra=told.account)
        told.lay_out_tasks(place.tasks)
        told.deliver(box)
        self.play_first(told, box, place)
        for stage in told.later:
            stage.deliver(box)
            for line in stage.edits:
                scenario.edit(place.tasks, line)
            done = place.opus("run", "--yes", "--max", "none", now=stage.clock)
            self.finish(stage, done, box, place)

    def play_first(self, told, box, place):
        self.check(place.opus("sync", now=told.clock))
        before = box.fingerprint(), place.task_files()
        plan = self.check(place.opus("triage", "--dry-run", now=told.clock))
        self.assertEqual((box.fingerprint(), place.task_files()), before, "a dry run changed something")
        if told.expects("plan"):
            # The first field is the id; it is a hash, and said in other tests.
            self.compare(told, "plan", [line.partition("\t")[2] for line in plan.out.splitlines()])
        planned = json.loads(self.check(place.opus("triage", "--dry-run", "--json", now=told.clock)).out)
        held, had = list(box.everything()), self.titles(place)
        done = place.opus("triage", "--yes", "--max", "none", now=told.clock)
        if not told.exit:
            self.assertEqual(agreement.disagreements(planned, held, list(box.everything()), told.account), [])
            made = [title for title in self.titles(place) if title not in had]
            self.assertLessEqual(set(agreement.tasks(planned)), set(made) | set(had))
        self.finish(told, done, box, place)

    def titles(self, place):
        return [line.split("\t")[-1] for line in scenario.task_lines(place.tasks)]

    def finish(self, stage, done, box, place):
        self.check(done, stage.exit, *stage.words)
        self.compare(stage, "state", scenario.state(box, place.tasks))
        if not any(edit.startswith("cut ") for edit in stage.edits):
            self.read_tasks(place)
        self.assertNothingMore(place, box, now=stage.clock, code=stage.exit,
                               says=stage.text("expected-nothing") or "Nothing to do.")

    def compare(self, stage, name, lines):
        if ACCEPT:
            stage.accept(name, lines)
        self.assertEqual("\n".join(lines), "\n".join(stage.expected(name)), f"{stage.folder}/expected-{name}")

    def read_tasks(self, place):
        """The files are iCalendar, for two other programs."""
        titles = []
        for path in sorted(place.tasks.glob("*/*.ics")):
            todos = icalendar.Calendar.from_ical(path.read_bytes()).walk("VTODO")
            self.assertEqual(len(todos), 1, path)
            self.assertEqual(todos[0].errors, [], path)
            self.assertTrue(todos[0]["UID"], path)
            titles.append((path.parent.name, str(todos[0]["SUMMARY"])))
        if titles:
            self.assertEqual(sorted((t["list"], t["summary"]) for t in todoman_client.tasks(place)), sorted(titles))


def add_cases():
    for told in scenario.Scenario.all():
        for kind in ("imap", "maildir"):
            def case(self, told=told, kind=kind):
                self.kind = kind
                self.play(told)

            case.__doc__ = told.story
            name = f"test_{told.name.replace('-', '_')}_on_{kind}"
            case.__name__ = name
            setattr(Story, name, case)


add_cases()

if __name__ == "__main__":
    unittest.main()
