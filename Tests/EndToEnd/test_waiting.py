"""What waits, and why: offline, a refused login, a server that says later; and the mail as a person sees it meanwhile."""
import unittest

from letters import letter
from workplace import CLOCK, Case

RULES = """\
rules-version: 1
name: waiting
rules:
  - { id: away, when: 'subject:away', then: [{ label: old }, archive] }
  - { id: ask, when: 'subject:ask', then: [{ task: { title: 'Answer {{subject}}' } }, archive] }
"""
LATER = "2026-03-10T08:31:00+01:00"


class Waiting(Case):
    kind = "imap"

    def setUp(self):
        super().setUp()
        self.box = self.new_box()
        self.box.add("INBOX", [letter("Away 1", "away"), letter("Ask 2", "ask", minutes=1),
                               letter("Stay 3", "stay", minutes=2)])
        self.place = self.new_place(self.box, RULES)
        self.check(self.place.opus("sync"))
        self.good = (self.place.root / "opus.yaml").read_text()

    def configure(self, old=None, new=None):
        text = self.good if old is None else self.good.replace(old, new)
        if old is not None:
            self.assertNotEqual(text, self.good)
        (self.place.root / "opus.yaml").write_text(text)

    def status(self, now=CLOCK):
        item, = self.check(self.place.opus("status", "--json", now=now)).json["items"]
        return item

    def shown(self):
        """Subjects in the inbox, as the store shows it."""
        return sorted(item["subject"] for item in self.check(self.place.opus("list", "--json")).json["items"])

    def offline(self):
        self.configure(f"port: {self.box.servers.imaps_port}", "port: 1")

    def test_offline_is_a_normal_state(self):
        self.offline()
        done = self.check(self.place.opus("triage", "--yes"), 75, "offline: ", "opus status")
        self.assertNotIn("bug", done.text)
        self.assertEqual(self.shown(), ["Stay 3"], "the store shows what will be")
        self.assertPlaces(self.box, {"away": "INBOX", "ask": "INBOX", "stay": "INBOX"})
        self.assertIn(b"Answer Ask 2", self.place.task("Answer Ask 2").read_bytes(), "a task needs no network")
        item = self.status()
        self.assertEqual(sorted(entry["step"]["kind"] for entry in item["waiting"]), ["move", "move", "store"])
        self.assertEqual({entry["attempts"] for entry in item["waiting"]}, {0})
        self.assertEqual((item["needsWord"], item["refused"], item["interruptedRuns"]), ([], [], []))
        self.assertEqual(item["lastSync"], CLOCK)
        for _ in range(6):
            self.check(self.place.opus("triage", "--yes"), 75)
        self.check(self.place.opus("status"), 0, "waiting", "next run", "move to Archive")
        self.configure()
        self.check(self.place.opus("run", "--yes"))
        self.assertPlaces(self.box, {"away": "Archive", "ask": "Archive", "stay": "INBOX"})
        self.check(self.place.opus("status"), 0, "nothing is waiting")
        self.assertNothingMore(self.place, self.box)

    def deferred(self, now=CLOCK):
        return {item["subject"]: item.get("deferredUntil") for item in
                self.check(self.place.opus("defer", "--list", "--json", now=now)).json["items"]}

    def test_an_undo_offline_restores_the_dates_of_deferred_mail(self):
        items = {item["subject"]: item["id"] for item in self.place.opus("list", "--json").json["items"]}
        friday = "2026-03-13T08:00:00+01:00"
        self.check(self.place.opus("defer", items["Stay 3"], "friday"))
        for words in (["archive", items["Stay 3"]], ["defer", "--cancel", items["Stay 3"]],
                      ["defer", items["Stay 3"], "monday"], ["defer", items["Ask 2"], "monday"]):
            with self.subTest(words[0]):
                self.offline()
                self.check(self.place.opus(*words), 75)
                # A date changes here at once, so its undo also waits for the list in the account.
                self.place.opus("undo", "--yes")
                self.assertEqual(self.deferred(), {"Stay 3": friday})
                self.assertNotIn("deferred", self.check(self.place.opus("list", "subject:ask")).out)
                self.configure()
                self.check(self.place.opus("triage", "--yes", "subject:nothing"))
                self.check(self.place.opus("sync"))
                self.assertEqual(self.deferred(), {"Stay 3": friday})
                self.assertPlaces(self.box, {"stay": "Deferred", "ask": "INBOX"})
        # Another program moves the message there: it has no date.
        self.box.move("ask@test.example", "INBOX", "Deferred")
        self.check(self.place.opus("run", "--yes"))
        self.assertEqual(self.deferred(), {"Stay 3": friday, "Ask 2": "someday"})
        self.check(self.place.opus("run", "--yes", now="2026-03-13T08:30:00+01:00"))
        self.assertPlaces(self.box, {"stay": "INBOX", "ask": "Deferred"})

    def test_a_nudge_that_was_undone_offline_is_no_longer_a_draft(self):
        self.check(self.place.opus("wait", self.place.opus("list", "subject:stay").out.split("\t")[0]))
        task, = [item["id"] for item in self.place.opus("waiting", "--json").json["items"]]
        self.offline()
        self.check(self.place.opus("nudge", task), 0, "Not in the Drafts mailbox yet")
        self.check(self.place.opus("undo", "--yes"))
        self.assertEqual(self.place.opus("drafts", "--json").json["items"], [])
        self.configure()
        self.check(self.place.opus("run", "--yes"))
        self.assertEqual((self.place.opus("drafts", "--json").json["items"], self.box.held("Drafts")), ([], []))
        self.check(self.place.opus("nudge", task))
        self.assertEqual((len(self.place.opus("drafts", "--json").json["items"]), len(self.box.held("Drafts"))), (1, 1))

    def test_the_last_of_several_offline_decisions_counts(self):
        items = {item["subject"]: item["id"] for item in self.place.opus("list", "--json").json["items"]}
        self.offline()
        self.check(self.place.opus("archive", items["Stay 3"]), 75)
        self.check(self.place.opus("trash", items["Stay 3"]), 75)
        self.check(self.place.opus("archive", items["Away 1"]), 75)
        self.check(self.place.opus("move", items["Away 1"], "inbox"), 75)
        self.assertEqual(self.shown(), ["Ask 2", "Away 1"])
        self.configure()
        for path in (self.place.root / "rules").glob("*.yaml"):
            path.write_text("rules-version: 1\n")
        self.check(self.place.opus("run", "--yes"))
        self.assertPlaces(self.box, {"away": "INBOX", "ask": "INBOX", "stay": "Trash"})
        self.assertNothingMore(self.place, self.box)

    def test_a_refused_login_stops_the_queue_and_counts_nothing(self):
        (self.place.root / "password").write_text("wrong\n")
        for _ in range(2):
            self.check(self.place.opus("triage", "--yes"), 77, "login refused")
        self.assertEqual({entry["attempts"] for entry in self.status()["waiting"]}, {0})
        self.assertPlaces(self.box, {"away": "INBOX", "ask": "INBOX"})
        (self.place.root / "password").write_text(self.box.servers.password + "\n")
        self.check(self.place.opus("run", "--yes"))
        self.assertPlaces(self.box, {"away": "Archive", "ask": "Archive"})

    def test_a_sync_does_not_show_messages_with_a_waiting_move_again(self):
        self.offline()
        self.check(self.place.opus("triage", "--yes"), 75)
        self.configure()
        self.check(self.place.opus("sync"))
        self.assertEqual(self.shown(), ["Stay 3"])
        self.assertPlaces(self.box, {"away": "INBOX", "ask": "INBOX"})

    def test_status_says_that_nothing_waits(self):
        done = self.check(self.place.opus("status"), 0, "work: last sync 2026-03-10T08:30:00+01:00; nothing is waiting")
        self.assertEqual(done.err, "")


class Refused(Case):
    """A Maildir folder that cannot be made: a file has its name."""

    kind = "maildir"
    RULES = """\
rules-version: 1
name: waiting
rules:
  - { id: away, when: 'subject:away', then: [archive] }
"""

    def test_a_finally_refused_move_is_shown_with_its_reason_and_the_message_in_place(self):
        box = self.new_box()
        box.add("INBOX", letter("Away 1", "away"))
        blocked = box.folder / ".Archive"
        place = self.new_place(box, self.RULES)
        self.check(place.opus("sync"))
        blocked.write_text("a file\n")
        for minute in (30, 31, 33, 37, 45):
            done = self.check(place.opus("run", "--yes", now=f"2026-03-10T08:{minute}:00+01:00"), 1)
            if "failed" in done.out:
                break
        item, = place.opus("status", "--json").json["items"]
        refused, = item["refused"]
        self.assertEqual((refused["step"]["kind"], refused["step"]["state"]), ("move", "rejected"))
        self.assertTrue(refused["step"]["error"])
        self.assertEqual(item["waiting"], [])
        listed = place.opus("list", "--json").json["items"]
        self.assertEqual([item["subject"] for item in listed], ["Away 1"], "taken back")
        self.assertPlaces(box, {"away": "INBOX"})


if __name__ == "__main__":
    unittest.main()
