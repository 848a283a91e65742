"""Command mailboxes: a message that another program moves there is an order, carried out once for each move."""
import re
import shutil
import time
import unittest

import shim
from letters import letter
from test_watch import Watching, kind
from watcher import PATIENCE
from wiretap import Wiretap
from workplace import Case, Workplace, on_both

SETTINGS = "command-mailboxes: Opus\npeople: { Bob: bob@acme.example }\n"
MAILBOXES = ["Task", "Tomorrow", "Next week", "Waiting", "Someday", "Delegate Bob", "Not this sender", "Undo"]
TOMORROW = "2026-03-11T08:30:00+01:00"


class Ordering:
    """A workspace whose command mailboxes are made."""

    def prepare(self, *subjects, settings=SETTINGS, mailbox="INBOX", rules=None):
        self.box = self.new_box()
        for number, subject in enumerate(subjects):
            self.box.add(mailbox, letter(subject, name=subject.lower(), minutes=number, sender="Eve <eve@x.example>"))
        self.place = self.new_place(self.box, rules, settings=settings)
        self.check(self.place.opus("run", "--yes"))

    def order(self, name, mailbox, source="INBOX"):
        self.box.move(f"{name}@test.example", source, "Opus/" + mailbox)

    def run_opus(self, code=0, **options):
        return self.check(self.place.opus("run", "--yes", "--json", **options), code).json

    def tasks(self, which="next"):
        return [item["summary"] for item in self.check(self.place.opus(which, "--json")).json["items"]]


class OrdersOfOtherPrograms(Ordering, Case):
    kind = "imap"

    def test_a_message_that_left_the_inbox_after_opus_looked_there_is_no_failure(self):
        """A sync may see a message that moves at both ends."""
        self.prepare("Tax")
        wire = self.enterContext(Wiretap(self.box.servers.imap_port))
        self.place.configure(self.box.yaml(port=wire.port, security="none", host="127.0.0.1"), SETTINGS)
        client = self.box.client()
        client.select("INBOX")
        client.uid("COPY", client.uid("SEARCH", "ALL")[1][0].decode(), '"Opus/Task"')
        wire.refuse(AtTheFirst("^SELECT", lambda: leave(client)), "")
        done = self.run_opus()
        self.assertEqual([order.get("failure") for order in done["orders"]], [None])
        self.assertPlaces(self.box, {"tax": "Archive"})


class AtTheFirst:
    """A pattern that lets every command pass, and calls `then` before the first one that matches."""

    def __init__(self, pattern, then):
        self._pattern, self._then = re.compile(pattern), then

    def search(self, command):
        if self._then and self._pattern.search(command):
            then, self._then = self._then, None
            then()


def leave(client):
    client.uid("STORE", "1:*", "+FLAGS", r"(\Deleted)")
    client.expunge()


@on_both
class Orders(Ordering):
    def test_mail_that_only_names_another_one_is_an_order_of_its_own(self):
        self.prepare("Plan")
        names = {"References": "<plan@test.example>"}
        self.box.add("INBOX", letter("Ad", "ad", sender="Mallory <m@bad.example>", minutes=5, headers=names))
        self.box.add("INBOX", letter("Re: Plan", "answer", sender="Joe <joe@z.example>", minutes=7, headers=names))
        self.run_opus()
        for name in ("plan", "ad", "answer"):
            self.order(name, "Task")
        done = self.run_opus()
        self.assertEqual(len(done["orders"]), 2)
        self.assertEqual(sorted(self.tasks()), ["Ad", "Re: Plan"])
        self.assertPlaces(self.box, {"plan": "Archive", "ad": "Archive", "answer": "Archive"})

    def test_each_command_mailbox_does_what_its_name_says(self):
        names = ["tax", "later", "week", "wait", "some", "hand", "spam"]
        self.prepare(*(name.title() for name in names))
        made = {name for name in self.box.names() if name.startswith("Opus/")}
        self.assertEqual(made, {"Opus/" + name for name in MAILBOXES})
        for name, mailbox in zip(names, MAILBOXES):
            self.order(name, mailbox)
        done = self.run_opus()
        self.assertEqual(sorted((item["mailbox"].replace(".", "/"), item["subject"]) for item in done["orders"]),
                         sorted(("Opus/" + mailbox, name.title()) for name, mailbox in zip(names, MAILBOXES)))
        self.assertPlaces(self.box, {"tax": "Archive", "later": "Deferred", "week": "Deferred", "wait": "Archive",
                                     "some": "Deferred", "hand": "Archive", "spam": "Trash"})
        self.assertEqual(self.tasks(), ["Tax"])
        waiting = self.check(self.place.opus("waiting", "--json")).json["items"]
        self.assertEqual(sorted(item["waitingOn"] for item in waiting), ["bob@acme.example", "eve@x.example"])
        self.assertEqual([held.subject for held in self.box.held("Drafts")], ["Fwd: Hand"])
        self.assertEqual((self.place.root / "lists/denied.txt").read_text(), "eve@x.example\n")
        self.assertNothingMore(self.place, self.box)
        self.run_opus(now=TOMORROW)
        self.assertPlaces(self.box, {"later": "INBOX", "week": "Deferred"})
        self.run_opus(now="2026-03-16T08:30:00+01:00")
        self.assertPlaces(self.box, {"week": "INBOX", "some": "Deferred"})

    def test_mail_in_the_mailbox_of_a_person_who_was_removed_is_reported(self):
        self.prepare("Tax")
        self.place.configure(self.box.yaml(), SETTINGS.replace("Bob", "Robert"))
        self.order("tax", "Delegate Bob")
        self.check(self.place.opus("run", "--yes"), 0, "Opus/Delegate Bob", "no longer names this order", "1 message stays")
        self.assertPlaces(self.box, {"tax": "Opus/Delegate Bob"})

    def test_mail_in_a_command_mailbox_that_another_program_renamed_is_reported(self):
        for name, old, new, mailbox in (("one", "Opus/Task", "Opus/Aufgabe", "Opus/Aufgabe"),
                                        ("all", "Opus", "Befehle", "Befehle/Task")):
            with self.subTest(name):
                if name == "all" and self.kind == "maildir":
                    continue  # It has no mailbox that only holds others.
                self.prepare("Tax")
                self.order("tax", "Task")
                self.box.rename(old, new)
                done = self.check(self.place.opus("run", "--yes"), 0, "a command mailbox is gone", "1 message stays here")
                self.assertIn(mailbox, done.text.replace(".", "/"))
                self.assertPlaces(self.box, {"tax": mailbox})
                shutil.rmtree(self.place.root)

    def test_an_order_that_the_settings_do_not_allow_is_reported(self):
        self.prepare("Tax")
        self.place.configure(self.box.yaml(extra="    allow: [mark]\n"), SETTINGS)
        self.order("tax", "Task")
        self.check(self.place.opus("run", "--yes"), 1, "Opus/Task not carried out", "does not let opus move messages")
        self.assertEqual(self.tasks(), [])
        self.assertPlaces(self.box, {"tax": "Opus/Task"})
        self.place.configure(self.box.yaml(), SETTINGS)
        self.run_opus()
        self.assertEqual(self.tasks(), ["Tax"])

    def test_a_denial_that_the_list_cannot_have_leaves_the_mail_in_its_mailbox(self):
        self.prepare("Tax")
        self.box.add("INBOX", letter("Odd", "odd", sender="undisclosed", minutes=9))
        self.check(self.place.opus("sync"))
        self.order("odd", "Not this sender")
        self.check(self.place.opus("run", "--yes"), 1, "Opus/Not this sender not carried out", "lists/denied.txt cannot have")
        self.assertPlaces(self.box, {"odd": "Opus/Not this sender"})
        # A folder of that name: the list cannot be written, and in the end the step fails.
        (self.place.root / "lists/denied.txt").mkdir(parents=True)
        self.order("tax", "Not this sender")
        for hour in range(9, 17):
            self.place.opus("run", "--yes", now=f"2026-03-10T{hour:02}:00:00+01:00")
        self.assertPlaces(self.box, {"tax": "Opus/Not this sender"})

    def test_one_run_counts_one_attempt_for_a_task_that_cannot_be_written(self):
        """Each order executes the open steps of the earlier ones again."""
        names = ["one", "two", "three", "four", "five", "six", "seven"]
        self.prepare(*(name.title() for name in names))
        (self.place.tasks / "next").write_text("not a folder\n")
        for name in names:
            self.order(name, "Task")
        self.check(self.place.opus("run", "--yes"), 1, "not carried out")
        status = self.check(self.place.opus("status", "--json")).json["items"][0]
        self.assertEqual(status["refused"], [])
        (self.place.tasks / "next").unlink()
        self.check(self.place.opus("run", "--yes"))
        self.assertEqual(sorted(self.tasks()), sorted(name.title() for name in names))
        self.assertPlaces(self.box, {name: "Archive" for name in names})

    def test_the_same_message_is_ordered_again(self):
        self.prepare("Tax")
        for day in (10, 11, 12):
            self.order("tax", "Tomorrow")
            self.run_opus(now=f"2026-03-{day}T09:00:00+01:00")
            self.assertPlaces(self.box, {"tax": "Deferred"})
            self.run_opus(now=f"2026-03-{day + 1}T08:30:00+01:00")
            self.assertPlaces(self.box, {"tax": "INBOX"})

    def test_a_message_with_an_open_task_of_a_rule_gets_no_second_one(self):
        rules = "rules-version: 1\nname: one\nrules:\n  - { id: pay, when: 'subject:tax', then: [{ task: { title: Pay } }] }\n"
        self.prepare("Tax", rules=rules)
        self.order("tax", "Task")
        self.run_opus()
        self.assertEqual(self.tasks(), ["Pay"])
        self.assertPlaces(self.box, {"tax": "Archive"})
        self.check(self.place.opus("undo", "--yes"))
        self.assertEqual(self.tasks(), ["Pay"])
        self.assertPlaces(self.box, {"tax": "INBOX"})

    def test_a_closed_task_is_opened_again(self):
        self.closed(runs=True)

    def test_a_task_that_was_closed_since_the_last_run_is_opened_again(self):
        self.closed(runs=False)

    def closed(self, runs):
        self.prepare("Tax")
        self.order("tax", "Task")
        self.run_opus()
        self.check(self.place.opus("task", "done", self.place.opus("next", "--json").json["items"][0]["id"]))
        if runs:
            self.run_opus()
        self.assertEqual(self.tasks(), [])
        self.order("tax", "Task", source="Archive")
        self.run_opus()
        self.assertEqual(self.tasks(), ["Tax"])
        self.assertPlaces(self.box, {"tax": "Archive"})
        self.assertNothingMore(self.place, self.box)
        self.check(self.place.opus("task", "conflicts"), 0, "No conflicts")

    def test_the_order_waiting_makes_no_second_wait_for_the_same_people(self):
        self.prepare("Tax", "Other", rules="rules-version: 1\nname: w\nrules:\n  - { id: w, when: 'subject:tax', then: [{ waiting: { until: +3 days } }] }\n")
        self.assertEqual(len(self.tasks("waiting")), 1)
        self.order("tax", "Waiting")
        self.order("other", "Waiting")
        self.run_opus()
        self.assertEqual(len(self.tasks("waiting")), 2)
        self.assertPlaces(self.box, {"tax": "Archive", "other": "Archive"})

    def test_not_this_sender_also_counts_for_held_mail_of_other_accounts(self):
        boxes = [self.new_box() for _ in "ab"]
        for box in boxes:
            box.add("INBOX", letter("Before", f"before{boxes.index(box)}", sender="Old <old@x.example>"))
        lines = [box.yaml(name, f"ana@{name}.example") for name, box in zip(("acme", "home"), boxes)]
        place = Workplace(self.folder / "workspace", "".join(lines), settings="screener: on\n" + SETTINGS)
        self.check(place.opus("run", "--yes"))
        for box, name in ((boxes[0], "one"), (boxes[1], "two"), (boxes[1], "other")):
            box.add("INBOX", letter(name, name, sender="Zed <zed@y.example>" if name != "other" else "Yan <yan@y.example>"))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(boxes[1], {"two": "Screener", "other": "Screener"})
        boxes[0].move("one@test.example", "Screener", "Opus/Not this sender")
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(boxes[0], {"one": "Trash"})
        self.assertPlaces(boxes[1], {"two": "Trash", "other": "Screener"})
        self.check(place.opus("undo", "--yes"))
        self.assertPlaces(boxes[0], {"one": "Screener"})
        self.assertPlaces(boxes[1], {"two": "Screener", "other": "Screener"})

    def test_undo_puts_the_message_back_where_it_was(self):
        self.prepare("Tax", mailbox="Papers")
        self.order("tax", "Not this sender", source="Papers")
        self.run_opus()
        self.check(self.place.opus("undo", "--yes"))
        self.assertPlaces(self.box, {"tax": "Papers"})
        self.assertEqual((self.place.root / "lists/denied.txt").read_text(), "")
        self.assertNothingMore(self.place, self.box)
        self.check(self.place.opus("undo", "--yes", self.last_undo()))
        self.assertPlaces(self.box, {"tax": "Trash"})

    def test_the_undo_of_an_order_for_deferred_mail_gives_it_its_earlier_date(self):
        self.prepare("Tax")
        item, = self.check(self.place.opus("list", "--json")).json["items"]
        self.check(self.place.opus("defer", item["id"], "2026-04-01 10:00"))
        self.order("tax", "Tomorrow", source="Deferred")
        self.run_opus()
        until = lambda: [i["deferredUntil"] for i in self.place.opus("defer", "--list", "--json").json["items"]]
        self.assertEqual(until(), ["2026-03-11T08:00:00+01:00"])
        self.check(self.place.opus("undo", "--yes"))
        self.assertEqual(until(), ["2026-04-01T10:00:00+02:00"])
        self.assertPlaces(self.box, {"tax": "Deferred"})
        # The next undo is about the command before it.
        self.check(self.place.opus("undo", "--yes"))
        self.assertPlaces(self.box, {"tax": "INBOX"})

    def test_the_undo_of_an_order_that_a_sync_saw_first_gives_deferred_mail_its_earlier_date(self):
        self.prepare("Tax")
        item, = self.check(self.place.opus("list", "--json")).json["items"]
        self.check(self.place.opus("defer", item["id"], "2026-04-01 10:00"))
        self.order("tax", "Not this sender", source="Deferred")
        self.check(self.place.opus("sync"))
        self.run_opus()
        self.assertEqual(self.place.opus("defer", "--list", "--json").json["items"], [])
        self.check(self.place.opus("undo", "--yes"))
        item, = self.place.opus("defer", "--list", "--json").json["items"]
        self.assertEqual(item["deferredUntil"], "2026-04-01T10:00:00+02:00")

    def test_the_undo_of_an_order_that_gave_the_same_date_is_an_undo(self):
        self.prepare("Tax")
        item, = self.check(self.place.opus("list", "--json")).json["items"]
        self.check(self.place.opus("defer", item["id"], "tomorrow"))
        self.order("tax", "Tomorrow", source="Deferred")
        self.run_opus()
        self.check(self.place.opus("undo", "--yes"))
        self.check(self.place.opus("undo", "--yes"))
        self.assertPlaces(self.box, {"tax": "INBOX"})

    def test_the_undo_of_an_order_for_archived_mail_leaves_it_known(self):
        self.prepare("Tax", mailbox="Archive")
        self.order("tax", "Task", source="Archive")
        self.run_opus()
        self.assertPlaces(self.box, {"tax": "Archive"})
        self.check(self.place.opus("undo", "--yes"))
        self.assertEqual(self.tasks(), [])
        item, = self.check(self.place.opus("list", "--all", "--json")).json["items"]
        self.check(self.place.opus("move", item["id"], "inbox"), 0, "1 × moved to INBOX")
        self.assertPlaces(self.box, {"tax": "INBOX"})

    def last_undo(self):
        runs = self.check(self.place.opus("runs", "list", "--json")).json["items"]
        return next(run["id"] for run in runs if run["command"] == "undo")

    def test_a_second_delegation_writes_again(self):
        self.prepare("Tax", settings="command-mailboxes: Opus\npeople: { Bob: bob@acme.example, Carla: carla@acme.example }\n")
        for number, name in enumerate(("Bob", "Carla", "Bob"), 1):
            self.order("tax", f"Delegate {name}", source=self.box.where("tax@test.example")[0])
            self.run_opus()
            self.assertPlaces(self.box, {"tax": "Archive"})
            self.assertEqual(len(self.box.held("Drafts")), number)
            waiting = self.check(self.place.opus("waiting", "--json")).json["items"]
            self.assertEqual(len(waiting), number)
        self.assertEqual(sorted(item["waitingOn"] for item in waiting),
                         ["bob@acme.example", "bob@acme.example", "carla@acme.example"])
        # The undo of the last one takes back its own draft and task, and no other.
        self.check(self.place.opus("undo", "--yes"))
        self.assertEqual(len(self.box.held("Drafts")), 2)
        self.assertEqual(len(self.check(self.place.opus("waiting", "--json")).json["items"]), 2)
        self.assertNothingMore(self.place, self.box)

    def test_a_delegation_after_an_undone_one_has_a_draft_of_its_own(self):
        self.prepare("Tax")
        self.order("tax", "Delegate Bob")
        self.run_opus()
        first, = self.box.held("Drafts")
        self.check(self.place.opus("undo", "--yes"))
        self.order("tax", "Delegate Bob")
        self.run_opus()
        second, = self.box.held("Drafts")
        # The undone draft is in the trash: with its Message-ID, the new one would stay in Drafts after it is sent.
        self.assertNotEqual(second.message_id, first.message_id)
        self.assertEqual(len(self.check(self.place.opus("waiting", "--json")).json["items"]), 1)
        self.assertNothingMore(self.place, self.box)

    def test_an_order_to_undo_says_that_there_is_nothing_to_undo(self):
        self.prepare("Tax")
        self.order("tax", "Undo")
        self.check(self.place.opus("run", "--yes"), 0, "nothing to undo: opus has not changed “Tax”")
        self.assertPlaces(self.box, {"tax": "INBOX"})
        self.assertNothingMore(self.place, self.box)

    def test_an_entry_that_a_person_wrote_stays(self):
        self.prepare("Tax")
        (self.place.root / "lists").mkdir()
        (self.place.root / "lists/denied.txt").write_text("# mine\nEve@X.example   # since May\n")
        self.order("tax", "Not this sender")
        self.run_opus()
        self.check(self.place.opus("undo", "--yes"))
        self.assertPlaces(self.box, {"tax": "INBOX"})
        self.assertEqual((self.place.root / "lists/denied.txt").read_text(), "# mine\nEve@X.example   # since May\n")

    def test_the_undo_mailbox_undoes_the_last_change(self):
        self.prepare("Tax", "Other")
        self.order("tax", "Task")
        self.order("other", "Task")
        self.run_opus()
        self.order("tax", "Undo", source="Archive")
        self.run_opus()
        self.assertPlaces(self.box, {"tax": "INBOX", "other": "Archive"})
        self.assertEqual(self.tasks(), ["Other"])
        # Nothing is left to take back: the message goes back to where it was.
        self.order("tax", "Undo")
        self.run_opus()
        self.assertPlaces(self.box, {"tax": "INBOX"})
        self.assertNothingMore(self.place, self.box)

    def test_an_order_to_undo_says_what_it_cannot_undo(self):
        self.prepare("Tax")
        self.order("tax", "Task")
        self.run_opus()
        self.place.edit("Tax", ("SUMMARY:Tax", "SUMMARY:Tax of 2025"))
        self.check(self.place.opus("run", "--yes"))
        self.order("tax", "Undo", source="Archive")
        self.check(self.place.opus("run", "--yes"), 0, "a step of run r:0001 is not undone: “Tax", "was edited since")
        self.assertPlaces(self.box, {"tax": "INBOX"})
        self.assertEqual(self.tasks(), ["Tax of 2025"])
        self.assertNothingMore(self.place, self.box)

    def test_an_order_to_undo_is_an_undo_and_not_a_run_that_can_be_undone(self):
        self.prepare("Tax", "Other", "Third")
        self.order("tax", "Task")
        self.order("other", "Task")
        self.run_opus()
        before = self.runs()
        self.order("tax", "Undo", source="Archive")
        self.order("third", "Undo")
        self.run_opus()
        self.assertPlaces(self.box, {"tax": "INBOX", "other": "Archive", "third": "INBOX"})
        self.assertEqual(sorted(self.runs()[:-len(before)]), ["order undo", "undo"])
        # The last run that can be undone is still that of the two orders.
        self.check(self.place.opus("undo", "--yes"))
        self.assertPlaces(self.box, {"tax": "INBOX", "other": "INBOX", "third": "INBOX"})
        self.assertEqual(self.tasks(), [])

    def test_the_move_back_of_an_order_to_undo_is_part_of_the_undo(self):
        self.prepare("Tax", mailbox="Papers")
        self.order("tax", "Waiting", source="Papers")
        self.run_opus()
        self.order("tax", "Undo", source="Archive")
        self.run_opus()
        self.order("tax", "Undo", source="Papers")
        self.run_opus()
        self.assertPlaces(self.box, {"tax": "Papers"})
        self.assertEqual(self.runs()[:2], ["undo", "undo"])

    def runs(self):
        return [run["command"] for run in self.check(self.place.opus("runs", "--json")).json["items"]]

    def test_a_mailbox_with_mail_in_it_is_not_used_for_orders(self):
        self.box = self.new_box()
        self.box.add("Opus/Task", letter("Mine", name="mine"))
        self.place = self.new_place(self.box, settings=SETTINGS)
        first = self.check(self.place.opus("run", "--yes"))
        self.assertIn("its messages are not orders", first.text)
        self.assertNotIn("is gone", first.text)
        self.assertPlaces(self.box, {"mine": "Opus/Task"})
        self.box.add("INBOX", letter("Tax", name="tax"))
        self.order("tax", "Task")
        self.run_opus()
        self.assertPlaces(self.box, {"mine": "Opus/Task", "tax": "Opus/Task"})
        self.assertEqual(self.tasks(), [])

    def test_a_message_whose_order_fails_stays(self):
        self.box = self.new_box()
        self.box.add("INBOX", letter("Own", name="own", sender="Ana <ana@acme.example>"))
        self.box.add("INBOX", letter("Scan", name="scan", sender=None, minutes=1))
        self.place = self.new_place(self.box, settings=SETTINGS)
        self.run_opus()
        self.order("own", "Not this sender")
        self.order("scan", "Not this sender")
        done = self.run_opus(code=1)
        self.assertEqual({item["subject"]: item["failure"] for item in done["orders"]},
                         {"Own": "you are its only sender", "Scan": "it has no sender"})
        self.assertPlaces(self.box, {"own": "Opus/Not this sender", "scan": "Opus/Not this sender"})

    def test_a_conversation_is_one_order(self):
        self.box = self.new_box()
        self.box.add("INBOX", letter("Plan", name="one", sender="Eve <eve@x.example>"))
        self.box.add("INBOX", letter("Re: Plan", name="two", minutes=1, sender="Eve <eve@x.example>",
                                     headers={"In-Reply-To": "<one@test.example>"}))
        self.place = self.new_place(self.box, settings=SETTINGS)
        self.run_opus()
        for name in ("one", "two"):
            self.order(name, "Task")
        self.assertEqual(len(self.run_opus()["orders"]), 1)
        self.assertPlaces(self.box, {"one": "Archive", "two": "Archive"})
        self.assertEqual(len(self.tasks()), 1)

    def test_names_can_be_translated_and_a_lost_store_knows_them_again(self):
        self.prepare("Tax", settings="command-mailboxes: { below: Opus, task: Überfällig }\n")
        self.assertIn("Opus/Überfällig", self.box.names())
        shutil.rmtree(self.place.root / ".opus")
        self.run_opus()
        self.order("tax", "Überfällig")
        self.run_opus()
        self.assertPlaces(self.box, {"tax": "Archive"})
        self.assertEqual(self.tasks(), ["Tax"])

    def test_a_mail_that_was_held_and_leaves_together_with_an_order_is_in_the_report(self):
        self.box = self.new_box()
        self.box.add("INBOX", letter("Tax", name="tax"))
        self.place = self.new_place(self.box, settings=SETTINGS, smtp="starttls")
        self.run_opus()
        text = self.folder / "text"
        text.write_text("Hello.\n")
        words = ("compose", "--to", "bob@acme.example", "--subject", "Held", "--body", text, "--send", "--yes")
        process = self.place.start(*words)
        while not self.place.opus("outbox", "--json").json["items"]:
            time.sleep(0.1)
        process.terminate()
        process.wait()
        self.order("tax", "Task")
        done = self.check(self.place.opus("run", "--yes", now="2026-03-10T08:35:00+01:00"), 0, "order Opus/Task")
        self.assertRegex(done.out, r"(?m)^order Opus/Task: .*\(run r:\d+\)$")
        self.assertIn("message sent", done.out)
        self.assertNotIn("task written", done.out)
        self.assertEqual(self.box.subjects("Sent"), ["Held"])

    def test_without_the_setting_nothing_is_made_and_a_dry_run_changes_nothing(self):
        self.prepare("Tax", settings="")
        self.assertFalse([name for name in self.box.names() if name.startswith("Opus")])
        self.place.configure(self.box.yaml(), SETTINGS)
        self.check(self.place.opus("run", "--dry-run"))
        self.assertFalse([name for name in self.box.names() if name.startswith("Opus")])
        self.run_opus()
        self.order("tax", "Task")
        self.check(self.place.opus("run", "--dry-run"), 0, "would carry out Opus")
        self.assertPlaces(self.box, {"tax": "Opus/Task"})

    def test_killed_at_any_step_each_order_is_carried_out_once(self):
        self.prepare("Tax", "Spam", "Later", "Hand")
        count = self.folder / "count"
        self.order("tax", "Task")
        self.check(self.place.opus("run", "--yes", environment=shim.counting(self.place, count)))
        total = int(count.read_text())
        names = {"spam": "Not this sender", "later": "Tomorrow", "hand": "Delegate Bob"}
        killed = 0
        for number in range(8):
            for name, mailbox in names.items():
                self.order(name, mailbox, source=self.box.where(f"{name}@test.example")[0])
            step = 1 + (2 * number + 1) * total // 16
            done = self.place.opus("run", "--yes", environment=shim.killing(self.place, step, "after"))
            killed += done.code == -9
            self.check(self.place.opus("run", "--yes"))
            self.assertPlaces(self.box, {"spam": "Trash", "later": "Deferred", "hand": "Archive"})
            self.assertEqual((self.place.root / "lists/denied.txt").read_text(), "eve@x.example\n")
            self.assertEqual(len(self.box.held("Drafts")), number + 1)
            self.assertNothingMore(self.place, self.box)
        self.assertGreaterEqual(killed, 6)


class WatchedOrders(Ordering, Case):
    def copy(self, name, mailbox):
        """The first half of a move by a program that copies."""
        self.box.add(mailbox, self.box.body("INBOX", f"{name}@test.example").replace(b"\r\n", b"\n"))

    def test_a_message_that_is_marked_for_deletion_is_not_moved_along(self):
        self.prepare("Tax", "Rent")
        self.copy("tax", "Opus/Someday")
        self.box.mark("INBOX", "tax@test.example", add=[r"\Deleted"])
        # Taken back in the same way.
        self.copy("rent", "Opus/Task")
        self.box.mark("Opus/Task", "rent@test.example", add=[r"\Deleted"])
        self.run_opus()
        self.assertEqual(sorted(self.box.where("tax@test.example")), ["Deferred", "INBOX"])
        self.assertEqual(sorted(self.box.where("rent@test.example")), ["INBOX", "Opus/Task"])
        self.assertEqual(self.place.opus("task", "list", "--json").json["items"], [])
        self.box.remove("INBOX", "tax@test.example")
        self.assertEqual(self.box.where("tax@test.example"), ["Deferred"])

    def test_a_watch_waits_for_a_program_that_deletes_the_original_after_the_copy(self):
        self.prepare("Tax", "Rent")
        with Watching(self.place) as watch:
            watch.until(kind("listening"))
            self.copy("tax", "Opus/Someday")
            time.sleep(3)
            self.box.remove("INBOX", "tax@test.example")
            end = time.monotonic() + PATIENCE
            while self.box.where("tax@test.example") != ["Deferred"]:
                self.assertLess(time.monotonic(), end, self.box.where("tax@test.example"))
                time.sleep(0.1)
            # A copy that stays one is an order, too.
            self.copy("rent", "Opus/Someday")
            while "Opus/Someday" in self.box.where("rent@test.example"):
                self.assertLess(time.monotonic(), end + PATIENCE, self.box.where("rent@test.example"))
                time.sleep(0.1)

    def test_a_watch_carries_it_out_within_seconds(self):
        for notify in ("true", "false"):
            with self.subTest(notify=notify):
                self.box = self.new_box()
                self.box.add("INBOX", letter("Tax", name="tax"))
                self.place = self.new_place(self.box, settings=SETTINGS, extra=f"    sync: {{ notify: {notify} }}\n",
                                            name=f"workspace-{notify}")
                self.run_opus()
                with Watching(self.place) as watching:
                    _, number = watching.until(kind("listening"))
                    self.order("tax", "Task")
                    start = time.monotonic()
                    event, _ = watching.until(kind("ordered"), number)
                    self.assertLess(time.monotonic() - start, 10)
                    self.assertEqual([item["subject"] for item in event["orders"]], ["Tax"])
                self.assertPlaces(self.box, {"tax": "Archive"})


if __name__ == "__main__":
    unittest.main()
