"""A command of the user is later than the steps that still wait: it decides where the mail is and how it is marked."""
import contextlib
import unittest

from letters import BOB, letter
from wiretap import Wiretap
from workplace import NO_RULES, Case, servers

TENTH, NOON, NEXT = "2026-03-10T10:00:00+01:00", "2026-03-10T12:00:00+01:00", "2026-03-10T13:00:00+01:00"
AWAY = ("refused", "offline")
ANSWER = {"References": "<one@test.example>", "In-Reply-To": "<one@test.example>"}


class LaterDecisions(Case):
    """Dovecot, behind a proxy that refuses commands for a while."""

    kind = "imap"

    def prepare(self, name, answers=False):
        self.box = self.new_box()
        for mailbox in {"Archive", "Trash", "Drafts"} - set(self.box.names()):
            self.box.create(mailbox)
        self.box.add("INBOX", letter("Plan", "one"), flags=("\\Seen",) if answers else ())
        if answers:
            self.box.add("INBOX", letter("Re: Plan", "two", minutes=5, headers=ANSWER))
        self.tap = self.enterContext(Wiretap(servers().imap_port))
        self.place = self.new_place(self.box, NO_RULES, name=name)
        self.near = self.box.yaml(port=self.tap.port, security="none", host="127.0.0.1")
        self.place.configure(self.near)
        self.check(self.place.opus("sync"))

    @contextlib.contextmanager
    def away(self, how, refused="^UID MOVE"):
        """Meanwhile the account is offline, or refuses these commands for now."""
        if how == "refused":
            self.tap.refuse(refused, "NO [INUSE] later")
        else:
            self.place.configure(self.box.yaml(port=1))
        yield
        self.tap.open()
        self.place.configure(self.near)

    def named(self, message="one"):
        items = self.check(self.place.opus("list", "--all", "--json")).json["items"]
        return next(item["id"] for item in items if item["messageID"].startswith(f"{message}@"))

    def said(self, *words, now=NOON):
        """The command with the id of the message; its steps may wait."""
        message = self.named()
        done = self.place.opus(*(message if word == "ID" else word for word in words), now=now)
        self.assertIn(done.code, (0, 1, 75), done)
        return done

    def after(self, place, deferred=None):
        self.check(self.place.opus("run", "--yes", now=NEXT))
        self.assertPlaces(self.box, {"one": place})
        listed = self.check(self.place.opus("defer", "--list", "--json", now=NEXT)).json["items"]
        self.assertEqual([item["deferredUntil"] for item in listed], [deferred] if deferred else [])
        self.assertNothingMore(self.place, self.box, now="2026-03-10T13:10:00+01:00")

    def test_of_two_moves_that_wait_the_later_one_decides(self):
        friday, monday = "2026-03-13T08:00:00+01:00", "2026-03-16T08:00:00+01:00"
        pairs = [
            (("trash", "ID"), ("move", "ID", "INBOX"), "INBOX", None),
            (("archive", "ID"), ("trash", "ID"), "Trash", None),
            (("defer", "ID", "friday"), ("defer", "--cancel", "ID"), "INBOX", None),
            (("defer", "ID", "friday"), ("defer", "ID", "monday"), "Deferred", monday),
            (("archive", "ID"), ("defer", "ID", "friday"), "Deferred", friday),
            (("defer", "ID", "friday"), ("archive", "ID"), "Archive", None),
        ]
        for number, (first, second, place, deferred) in enumerate(pairs):
            for how in AWAY:
                with self.subTest(f"{first} {second} {how}"):
                    self.prepare(f"{how}-{number}")
                    with self.away(how):
                        self.said(*first, now=TENTH)
                        self.assertNotIn("Nothing to do", self.said(*second).out)
                    self.after(place, deferred)

    def test_mail_whose_return_waits_can_be_deferred_again(self):
        for how in AWAY:
            with self.subTest(how):
                self.prepare(f"again-{how}")
                self.check(self.place.opus("defer", self.named(), "friday"))
                with self.away(how, '^UID MOVE [^ ]+ "?INBOX'):
                    self.said("defer", "--cancel", "ID", now=TENTH)
                    self.said("defer", "ID", "monday")
                self.after("Deferred", "2026-03-16T08:00:00+01:00")

    def test_the_undo_of_a_command_brings_back_the_date_of_a_deferral_that_waits(self):
        for how in AWAY:
            with self.subTest(how):
                self.prepare(f"undo-{how}")
                with self.away(how):
                    self.said("defer", "ID", "friday", now=TENTH)
                    self.said("archive", "ID")
                    self.check(self.place.opus("undo", "--yes", now=NOON))
                self.check(self.place.opus("run", "--yes", now=NEXT))
                self.after("Deferred", "2026-03-13T08:00:00+01:00")

    def test_a_finished_task_replaces_a_deferral_of_its_mail_that_waits(self):
        self.prepare("finished")
        self.check(self.place.opus("task", "from", self.named()))
        with self.away("offline"):
            self.said("defer", "ID", "friday", now=TENTH)
            task, = self.check(self.place.opus("task", "list", "--json")).json["items"]
            self.check(self.place.opus("task", "done", task["id"], now=NOON))
        self.after("Archive")

    def test_a_task_that_is_put_off_while_the_return_of_its_mail_waits_takes_all_its_mail_along(self):
        self.prepare("task", answers=True)
        self.check(self.place.opus("task", "from", self.named("two"), "--list", "scheduled", "--start", "tomorrow"))
        self.tap.refuse('^UID MOVE [^ ]+ "?INBOX', "NO [INUSE] later")
        self.check(self.place.opus("run", "--yes", now="2026-03-11T09:00:00+01:00"), 1, "later")
        task, = self.check(self.place.opus("task", "list", "--json")).json["items"]
        self.check(self.place.opus("task", "defer", task["id"], "someday", now="2026-03-11T09:05:00+01:00"))
        self.tap.open()
        done = self.check(self.place.opus("run", "--yes", now="2026-03-11T12:00:00+01:00"))
        self.assertNotIn("back in the inbox", done.out)
        self.assertPlaces(self.box, {"one": "Deferred", "two": "Deferred"})
        self.check(self.place.opus("run", "--yes", now="2026-03-11T12:05:00+01:00"))
        self.assertNothingMore(self.place, self.box, now="2026-03-11T12:10:00+01:00")

    #: What happens before the server is away, what happens meanwhile, and where both messages of the conversation end. TASK is
    #: the task of the first message.
    TASKS = [
        # The command is later than the change of the task, which no run has seen yet.
        ([("task", "from", "one", "--list", "someday")], [("task", "move", "TASK", "next"), ("defer", "two", "friday")],
         ("INBOX", "Deferred")),
        ([("task", "from", "one", "--list", "scheduled", "--start", "friday")],
         [("task", "done", "TASK"), ("task", "from", "two", "--list", "someday")], ("Deferred", "Deferred")),
        ([("task", "from", "one")], [("task", "done", "TASK"), ("move", "one", "Projects")], ("Projects", "Projects")),
        ([("task", "from", "one")], [("task", "cancel", "TASK"), ("junk", "one")], ("Junk", "Archive")),
        ([("task", "from", "one")], [("task", "move", "TASK", "someday"), ("trash", "one")], ("Trash", "Deferred")),
        ([("task", "from", "one", "--list", "someday")], [("task", "move", "TASK", "next"), ("defer", "one", "monday")],
         ("Deferred", "INBOX")),
        ([("task", "from", "one", "--list", "inbox")], [("task", "move", "TASK", "next"), ("defer", "one", "friday")],
         ("Deferred", "Deferred")),
        # The change of the task is later than the command.
        ([("task", "from", "one", "--list", "scheduled", "--start", "friday")],
         [("archive", "two"), ("task", "move", "TASK", "someday")], ("Deferred", "Archive")),
        ([("task", "from", "one", "--list", "someday")], [("defer", "two", "friday"), ("task", "defer", "TASK", "monday")],
         ("Deferred", "Deferred")),
        ([("task", "from", "one")], [("defer", "two", "friday"), ("task", "done", "TASK")], ("Archive", "Archive")),
    ]

    def test_while_the_server_is_away_tasks_and_commands_have_the_effects_they_always_have(self):
        for number, (before, meanwhile, places) in enumerate(self.TASKS):
            ends = []
            for how in ("connected", *AWAY):
                with self.subTest(f"{meanwhile} {how}"):
                    self.prepare(f"tasks-{how}-{number}", answers=True)
                    for mailbox in {"Projects", "Junk"} - set(self.box.names()):
                        self.box.create(mailbox)
                    self.check(self.place.opus("sync"))
                    ids = {name: self.named(name) for name in ("one", "two")}
                    for words in before:
                        self.check(self.place.opus(*(ids.get(word, word) for word in words), now=TENTH))
                    ids["TASK"] = self.check(self.place.opus("task", "list", "--json")).json["items"][0]["id"]
                    with self.away(how, "^UID (MOVE|STORE)") if how in AWAY else contextlib.nullcontext():
                        for minute, words in enumerate(meanwhile):
                            done = self.place.opus(*(ids.get(word, word) for word in words), now=f"2026-03-10T11:0{minute}:00+01:00")
                            self.assertIn(done.code, (0, 1, 75), done)
                    self.check(self.place.opus("run", "--yes", now=NOON))
                    self.check(self.place.opus("run", "--yes", now=NEXT))
                    self.assertPlaces(self.box, dict(zip(("one", "two"), places)))
                    listed = self.check(self.place.opus("defer", "--list", "--json", now=NEXT)).json["items"]
                    ends.append({item["messageID"]: item["deferredUntil"] for item in listed})
                    self.assertEqual(ends[-1], ends[0])
                    self.assertNothingMore(self.place, self.box, now="2026-03-10T13:10:00+01:00")

    def test_a_task_that_changes_while_its_first_move_waits_decides(self):
        for number, (words, place) in enumerate(((("done",), "Archive"), (("move", "next"), "INBOX"))):
            for how in AWAY:
                with self.subTest(f"{words} {how}"):
                    self.prepare(f"first-{how}-{number}")
                    with self.away(how):
                        self.said("task", "from", "ID", "--list", "someday", now=TENTH)
                        task, = self.check(self.place.opus("task", "list", "--json")).json["items"]
                        self.check(self.place.opus("task", words[0], task["id"], *words[1:], now=NOON))
                    self.after(place)

    def test_a_task_from_mail_whose_deferral_waits_decides_when_it_comes_back(self):
        for how in AWAY:
            with self.subTest(how):
                self.prepare(f"redate-{how}")
                with self.away(how):
                    self.said("defer", "ID", "friday", now=TENTH)
                    self.said("task", "from", "ID", "--list", "scheduled", "--start", "monday")
                self.after("Deferred", "2026-03-16T08:00:00+01:00")

    def test_a_command_replaces_the_move_of_a_rule_that_waits_for_its_copy(self):
        rules = "rules-version: 1\nrules:\n  - { id: keep, when: 'subject:re', then: [{ copy: Copies }, archive] }\n"
        for number, (message, words, place) in enumerate((
                ("one", ("trash",), "Trash"), ("two", ("trash",), "Trash"), ("two", ("archive",), "Archive"))):
            with self.subTest(f"{message} {words}"):
                self.prepare(f"copy-{number}", answers=True)
                self.box.create("Copies")
                self.place.write_rules(rules)
                self.tap.refuse('^(APPEND|UID COPY .*) "?Copies', "NO [OVERQUOTA] full")
                self.check(self.place.opus("run", "--yes", now=TENTH), 1, "full")
                self.assertPlaces(self.box, {"one": "INBOX", "two": "INBOX"})
                self.place.opus(*words, self.named(message), now=NOON)
                self.assertEqual(self.box.where(f"<{message}@test.example>"), [place])
                self.place.write_rules(NO_RULES)
                self.tap.open()
                done = self.check(self.place.opus("run", "--yes", now=NEXT))
                self.assertNotIn("another program", done.text)
                self.assertIn(place, self.box.where(f"<{message}@test.example>"))

    def test_of_two_marks_that_wait_the_later_one_decides(self):
        pairs = [(("flag", "ID"), ("unflag", "ID")), (("read", "ID"), ("unread", "ID")),
                 (("label", "x", "ID"), ("unlabel", "x", "ID"))]
        for number, (first, second) in enumerate(pairs):
            with self.subTest(first):
                self.prepare(f"marks-{number}")
                with self.away("refused", "^UID STORE"):
                    self.said(*first, now=TENTH)
                    self.assertNotIn("Nothing to do", self.said(*second).out)
                self.check(self.place.opus("run", "--yes", now=NEXT))
                held, = self.box.held("INBOX")
                self.assertEqual(set(held.flags) & {"\\Flagged", "\\Seen", "x"}, set())
                self.assertNothingMore(self.place, self.box, now="2026-03-10T13:10:00+01:00")

    def test_a_mailbox_that_opus_makes_late_shows_its_mail_at_once(self):
        self.prepare("made")
        self.assertNotIn("Deferred", self.box.names())
        with self.away("offline"):
            self.said("archive", "ID", now=TENTH)
            self.said("defer", "ID", "tomorrow")
        self.check(self.place.opus("run", "--yes", now=NEXT))
        waiting, = self.check(self.place.opus("defer", "--list", "--json", now=NEXT)).json["items"]
        self.assertEqual(waiting["deferredUntil"], "2026-03-11T08:00:00+01:00")
        self.assertEqual(len(self.box.lists()), 1, "the date is in the account")
        self.check(self.place.opus("undo", "--yes", now=NEXT))
        self.assertPlaces(self.box, {"one": "Archive"})


class LaterDecisionsInAFolder(Case):
    kind = "maildir"

    def test_moves_of_one_message_that_waited_leave_one_line_in_the_lists(self):
        box = self.new_box()
        for mailbox in {"Archive", "Trash", "Projects"} - set(box.names()):
            box.create(mailbox)
        box.add("INBOX", letter("Plan", "one", sender=BOB))
        place = self.new_place(box, NO_RULES)
        self.check(place.opus("sync"))
        item, = self.check(place.opus("list", "--json")).json["items"]
        away = box.folder.with_name("away")
        box.folder.rename(away)
        for verb, *more in (("archive",), ("trash",), ("move", "Projects")):
            place.opus(verb, item["id"], *more)
        away.rename(box.folder)
        self.check(place.opus("run", "--yes", now=NOON))
        self.assertPlaces(box, {"one": "Projects"})
        listed = self.check(place.opus("list", "--all", "--json", now=NOON)).json["items"]
        self.assertEqual([line["mailbox"] for line in listed], ["Projects"])
        self.check(place.opus("undo", "--yes", now=NOON))
        self.assertPlaces(box, {"one": "Trash"})


if __name__ == "__main__":
    unittest.main()
