"""Task files between three programs: ours, todoman and icalendar."""
import unittest
from datetime import date, datetime, timezone

import icalendar
import todoman_client
from letters import letter
from workplace import on_both

RULES = """\
rules-version: 1
name: interop
rules:
  - id: pay
    when: subject:invoice
    then:
      - task:
          title: 'Pay {{subject}}; soon, "really" – größe 日本'
          list: next
          context: '@finance'
          due: 2026-03-31
          priority: high
          notes: Line one
          remind: 2 days before
  - id: call
    when: subject:call
    then:
      - task: { title: 'Call {{from.name}}', list: inbox, due: 2026-03-12 17:00, start: 2026-03-11 09:00 }
"""
TITLE = 'Pay Invoice one; soon, "really" – größe 日本'


@on_both
class OtherTaskPrograms:
    def prepare(self):
        box = self.new_box()
        box.add("INBOX", [letter("Invoice one"), letter("Call me", minutes=1)])
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        return box, place

    def listed(self, place):
        items = place.opus("task", "list", "--all", "--json").json["items"]
        found = [item for item in items if item["summary"] == TITLE]
        self.assertEqual(len(found), 1)
        return found[0]

    def test_icalendar_reads_the_values_that_opus_wrote(self):
        _, place = self.prepare()
        path, = place.tasks.glob("next/*.ics")
        content = path.read_bytes()
        calendar = icalendar.Calendar.from_ical(content)
        todo, = calendar.walk("VTODO")
        self.assertEqual(path.stem, str(todo["UID"]))
        self.assertEqual(str(todo["SUMMARY"]), TITLE)
        self.assertEqual(todo["DUE"].dt, date(2026, 3, 31))
        self.assertLess(todo["PRIORITY"], 5)
        self.assertEqual([str(c) for c in todo["CATEGORIES"].cats], ["@finance"])
        self.assertEqual(str(todo["URL"]), "mid:invoice-one@test.example")
        self.assertTrue(str(todo["DESCRIPTION"]).endswith("Mail: <mid:invoice-one@test.example>"))
        self.assertEqual(str(todo["X-OPUS-MESSAGE-ID"]), "invoice-one@test.example")
        self.assertEqual(str(todo["X-OPUS-ACCOUNT"]), "work")
        self.assertEqual(str(todo["X-OPUS-RULE"]), "pay")
        self.assertEqual(len(todo.walk("VALARM")), 1)
        self.assertEqual(todo["DTSTAMP"].dt, datetime(2026, 3, 10, 7, 30, tzinfo=timezone.utc))
        for line in content.split(b"\r\n"):
            self.assertLessEqual(len(line), 75)
            line.decode()
        self.assertTrue(content.endswith(b"\r\n"))
        self.assertNotIn(b"\n", content.replace(b"\r\n", b""))
        self.assertNotIn(b"X-LIC-ERROR", content)
        other, = icalendar.Calendar.from_ical(next(place.tasks.glob("inbox/*.ics")).read_bytes()).walk("VTODO")
        self.assertEqual(other["DUE"].dt, datetime(2026, 3, 12, 16, 0, tzinfo=timezone.utc))
        self.assertEqual(other["DTSTART"].dt, datetime(2026, 3, 11, 8, 0, tzinfo=timezone.utc))

    def test_todoman_lists_them_with_their_dates(self):
        _, place = self.prepare()
        found = {task["summary"]: task for task in todoman_client.tasks(place)}
        self.assertEqual(set(found), {TITLE, "Call Bob Singh"})
        self.assertEqual(found[TITLE]["list"], "next")
        self.assertEqual(found[TITLE]["completed"], False)
        self.assertEqual(datetime.fromtimestamp(found["Call Bob Singh"]["due"], timezone.utc),
                         datetime(2026, 3, 12, 16, 0, tzinfo=timezone.utc))

    def test_a_task_that_todoman_ticked_off_archives_its_mail(self):
        box, place = self.prepare()
        todoman_client.complete(place, TITLE)
        self.check(place.opus("run", "--yes"), 0, "is done: its mail goes to the archive")
        self.assertPlaces(box, {"invoice-one": "Archive", "call-me": "INBOX"})
        self.assertNothingMore(place, box)
        # todoman rewrote the whole file; its content is still ours.
        item = self.listed(place)
        self.assertEqual((item["status"], item["messageID"], item["rule"]),
                         ("completed", "invoice-one@test.example", "pay"))

    def test_a_task_that_icalendar_rewrote_is_the_same_task(self):
        box, place = self.prepare()
        path, = place.tasks.glob("next/*.ics")
        path.write_bytes(icalendar.Calendar.from_ical(path.read_bytes()).to_ical())
        self.assertNothingMore(place, box)

    def test_task_done_is_read_by_the_others_and_archives_the_mail(self):
        box, place = self.prepare()
        self.check(place.opus("task", "done", self.listed(place)["id"]))
        self.assertPlaces(box, {"invoice-one": "INBOX"})
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"invoice-one": "Archive"})
        path, = place.tasks.glob("next/*.ics")
        todo, = icalendar.Calendar.from_ical(path.read_bytes()).walk("VTODO")
        self.assertEqual((str(todo["STATUS"]), todo["PERCENT-COMPLETE"]), ("COMPLETED", 100))
        self.assertEqual(todo["COMPLETED"].dt, datetime(2026, 3, 10, 7, 30, tzinfo=timezone.utc))
        done = {task["summary"]: task["completed"] for task in todoman_client.tasks(place)}
        self.assertEqual(done, {TITLE: True, "Call Bob Singh": False})
        self.assertNothingMore(place, box)

    def test_a_file_that_was_renamed_or_put_on_another_list_is_the_same_task(self):
        box, place = self.prepare()
        path, = place.tasks.glob("next/*.ics")
        path.rename(path.with_name("pay-this.ics"))
        self.assertNothingMore(place, box)
        (place.tasks / "someday").mkdir(exist_ok=True)
        path.with_name("pay-this.ics").rename(place.tasks / "someday" / "pay-this.ics")
        self.check(place.opus("run", "--yes"))
        self.assertNothingMore(place, box)
        item = self.listed(place)
        self.assertEqual((item["list"], item["messageID"]), ("someday", "invoice-one@test.example"))


if __name__ == "__main__":
    unittest.main()
