"""Which mail a task file may decide about, and how much of it at once."""
import uuid

from letters import letter
from workplace import CLOCK, Case, on_both

RULES = """\
rules-version: 1
name: links
rules:
  - { id: ask, when: 'subject:ask', then: [{ task: { title: 'Answer {{subject}}', list: next } }] }
"""
LATER = "2026-03-10T09:30:00+01:00"
TASK = """\
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Somebody//EN
BEGIN:VTODO
UID:{uid}
DTSTAMP:20260301T000000Z
SUMMARY:{summary}
{lines}
END:VTODO
END:VCALENDAR
"""


def task(uid, summary, *lines):
    return TASK.format(uid=uid, summary=summary, lines="\n".join(lines)).replace("\n", "\r\n").encode()


@on_both
class TaskLinks:
    def prepare(self, *subjects, settings="", **options):
        box = self.new_box()
        box.add("INBOX", [letter(subject, minutes=n) for n, subject in enumerate(subjects)])
        place = self.new_place(box, RULES, settings=settings, **options)
        self.check(place.opus("run", "--yes", "--max", "none"))
        return box, place

    def write(self, place, name, data):
        (place.tasks / "next" / name).write_bytes(data)

    def test_a_file_of_a_shared_list_moves_no_mail_that_opus_did_not_link(self):
        box, place = self.prepare("Ask one", "Bank alert", settings="tasks: { when-done: trash }\n")
        claim = ("X-OPUS-MESSAGE-ID:bank-alert@test.example", "X-OPUS-ACCOUNT:work", "X-OPUS-RULE:ask",
                 "URL:mid:bank-alert@test.example")
        self.write(place, "open.ics", task("shared-1", "Look at this", *claim, "STATUS:NEEDS-ACTION"))
        self.write(place, "gone.ics", task("shared-2", "Stop this", *claim, "STATUS:NEEDS-ACTION"))
        self.check(place.opus("run", "--yes"))
        # Nothing that happens in the conversation is written into the file, which others read.
        box.add("INBOX", letter("Re: Bank alert", minutes=600, headers={"In-Reply-To": "<bank-alert@test.example>"}))
        before = place.task_files()
        self.check(place.opus("run", "--yes", now="2026-03-12T08:30:00+01:00"))
        self.assertEqual(place.task_files(), before)
        self.write(place, "open.ics", task("shared-1", "Look at this", *claim, "STATUS:COMPLETED",
                                           "CATEGORIES:spam"))
        self.write(place, "gone.ics", task("shared-2", "Stop this", *claim, "STATUS:CANCELLED"))
        done = self.check(place.opus("run", "--yes", "--allow-trash"), 0, "did not link it", "opus task link")
        self.assertPlaces(box, {"bank-alert": "INBOX"})
        self.assertEqual(box.find("INBOX", "bank-alert@test.example").flags
                         & {"spam"}, frozenset(), str(done))
        # It is reported once, and asked again only on a terminal.
        self.assertNothingMore(place, box)
        self.check(place.opus("task", "link", "shared-2", "--no"))
        self.assertNothingMore(place, box)
        self.assertPlaces(box, {"bank-alert": "INBOX"})
        # The task that opus wrote for its own mail decides as ever.
        place.edit("Answer Ask one", ("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
        self.check(place.opus("run", "--yes", "--allow-trash"))
        self.assertPlaces(box, {"ask-one": "Trash", "bank-alert": "INBOX"})
        # The answer is remembered.
        self.check(place.opus("task", "link", "shared-1"), 0, "Linked")
        self.check(place.opus("task", "link", "shared-1"), 0, "Already linked")
        self.check(place.opus("run", "--yes", "--allow-trash"))
        self.assertPlaces(box, {"bank-alert": "Trash"})
        self.assertNothingMore(place, box)

    def test_a_store_that_was_lost_knows_its_own_files_by_their_uid(self):
        box, place = self.prepare("Ask one", "Bank alert")
        own = place.task("Answer Ask one").read_bytes()
        # A copy for other mail keeps the UID of the first mail, or has one that opus would not give.
        self.write(place, "copy.ics", own.replace(b"ask-one@", b"bank-alert@").replace(
            b"UID:", b"UID:x").replace(b"Answer Ask one", b"Answer the bank"))
        for path in (place.root / ".opus").glob("store.sqlite*"):
            path.unlink()
        self.check(place.opus("run", "--yes"))
        place.edit("Answer Ask one", ("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
        place.edit("Answer the bank", ("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"ask-one": "Archive", "bank-alert": "INBOX"})

    # A program that knows no UID: it deletes the file and writes another one.

    def replaced(self, place, summary, status="COMPLETED", title=None):
        """What calcurse-caldav makes of a changed task: title, notes, status and a UID of its own."""
        path = place.task(summary)
        text = path.read_bytes().replace(b"\r\n ", b"").decode()
        notes = next(line for line in text.split("\r\n") if line.startswith("DESCRIPTION:"))
        return path, task(uuid.uuid4().hex, title or summary, notes, f"STATUS:{status}")

    def test_a_task_replaced_by_a_completed_file_is_completed(self):
        box, place = self.prepare("Ask one", "Ask two", "Ask three", "Ask four")
        old, new = self.replaced(place, "Answer Ask one")
        old.unlink(), self.write(place, "new-one.ics", new)
        # Seen between the two halves: first gone, or first there.
        old, late = self.replaced(place, "Answer Ask two")
        old.unlink()
        _, early = self.replaced(place, "Answer Ask three")
        self.write(place, "new-three.ics", early)
        # Edited, which such a program does the same way; done later.
        old, edited = self.replaced(place, "Answer Ask four", "NEEDS-ACTION", "Answer soon")
        old.unlink(), self.write(place, "new-four.ics", edited)
        self.check(place.opus("run", "--yes"), 0, "is done")
        self.assertPlaces(box, {"ask-one": "Archive", "ask-two": "INBOX", "ask-three": "INBOX", "ask-four": "INBOX"})
        self.write(place, "new-two.ics", late)
        place.task_files()
        next(path for path in place.tasks.glob("*/*.ics")
             if b"Answer Ask three" in path.read_bytes() and path.name != "new-three.ics").unlink()
        old, done = self.replaced(place, "Answer soon", title="Answer soon")
        old.unlink(), self.write(place, "newer-four.ics", done)
        self.check(place.opus("run", "--yes", now=LATER))
        self.assertPlaces(box, {name: "Archive" for name in ("ask-one", "ask-two", "ask-three", "ask-four")})
        self.assertNothingMore(place, box, now=LATER)

    def test_a_task_that_comes_back_after_a_run_is_the_same_task(self):
        box, place = self.prepare("Ask one", "Ask two", "Ask three", "Ask four")
        files = {}
        for name in ("one", "two", "three", "four"):
            path = place.task(f"Answer Ask {name}")
            files[name] = path.name, path.read_bytes()
            path.unlink()
        self.check(place.opus("run", "--yes"), 0, "was deleted")
        lists = {"one": "next", "two": "someday", "three": "next", "four": "next"}
        status = {"one": b"COMPLETED", "three": b"CANCELLED"}
        for name, (file, text) in files.items():
            (place.tasks / lists[name]).mkdir(exist_ok=True)
            (place.tasks / lists[name] / file).write_bytes(text.replace(b"NEEDS-ACTION", status.get(name, b"NEEDS-ACTION")))
        self.check(place.opus("run", "--yes", now=LATER), 0, "is done", "is cancelled")
        self.assertPlaces(box, {"ask-one": "Archive", "ask-two": "INBOX", "ask-three": "Archive", "ask-four": "INBOX"})
        self.assertNothingMore(place, box, now=LATER)

    def test_another_file_for_the_mail_completes_nothing_while_the_task_is_there(self):
        box, place = self.prepare("Ask one")
        _, new = self.replaced(place, "Answer Ask one")
        self.write(place, "other.ics", new)
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"ask-one": "INBOX"})
        self.assertNothingMore(place, box)

    # Brakes

    def test_many_completed_tasks_move_nothing_until_the_user_allows_it(self):
        box, place = self.prepare(*(f"Ask {n}" for n in range(7)), settings="brakes: { count: 5 }\n")
        for path in place.tasks.glob("*/*.ics"):
            path.write_bytes(path.read_bytes().replace(b"STATUS:NEEDS-ACTION", b"STATUS:COMPLETED"))
        done = self.check(place.opus("run", "--yes"), 1, "7 changed tasks would move 7 messages", "--allow-mass-move")
        self.assertEqual(len(box.held("INBOX")), 7, str(done))
        self.check(place.opus("run", "--yes"), 1)
        self.assertEqual(len(box.held("INBOX")), 7)
        self.check(place.opus("run", "--yes", "--allow-mass-move"))
        self.assertEqual(len(box.held("Archive")), 7)
        self.assertNothingMore(place, box)

    def test_the_brake_measures_the_mailbox_that_loses_mail(self):
        box = self.new_box()
        box.create("News")
        box.add("News", [letter(f"Old {n}", f"old-{n}", minutes=n) for n in range(8)])
        box.add("INBOX", [letter(f"Keep {n}", f"keep-{n}", minutes=n) for n in range(30)])
        rules = ("rules-version: 1\nname: brakes\nrules:\n"
                 "  - { id: tidy, mailboxes: [News], when: 'subject:old', then: archive }\n")
        place = self.new_place(box, rules, settings="brakes: { count: 5, share: 50 }\n")
        self.check(place.opus("sync"))
        self.check(place.opus("triage", "--yes", "--max", "none"), 1, "8 of 8 messages", "of News")
        self.assertEqual(len(box.held("News")), 8)
        # Into the trash, the number alone counts.
        place.write_rules("rules-version: 1\nname: brakes\nrules:\n"
                          "  - { id: bin, when: 'subject:/(?i)keep [0-6]$/', then: trash }\n")
        self.check(place.opus("triage", "--yes", "--max", "none"), 1, "7 messages to trash and junk, more than 5")
        self.assertEqual(len(box.held("INBOX")), 30)
        place.configure(place.accounts, "brakes: { count: 5, share: 50, trash: 10 }\n")
        self.check(place.opus("triage", "--yes", "--max", "none"))
        self.assertEqual(len(box.held("Trash")), 7)
