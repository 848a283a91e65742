"""Several accounts in one run: tried side by side, one report, one undo; one that is down or silent fails and delays no other."""
import time
import unittest

from letters import letter
from listener import Listener
from workplace import Case, Workplace

RULES = """\
rules-version: 1
name: two
rules:
  - { id: work-only, accounts: [work], when: 'subject:news', then: [archive] }
  - { id: both, when: 'subject:away', then: [archive] }
"""
HOME = """\
rules-version: 1
name: home
accounts: [home]
rules:
  - { id: home-only, when: 'subject:news', then: [flag] }
"""
KNOWN = """\
rules-version: 1
name: people
rules:
  - { id: strangers, when: '-from:known', then: [archive] }
"""


class Silent(Listener):
    """Takes connections and says nothing for some seconds."""

    def serve(self, client):
        self.stopped.wait(30)


class AccountsTogether(Case):
    kind = "imap"

    def prepare(self, ports=(None, None)):
        self.boxes = [self.new_box(), self.new_box(), self.new_box("maildir")]
        names = ["work", "home", "old"]
        for name, box in zip(names, self.boxes):
            box.add("INBOX", [letter("News", f"news-{name}"), letter("Away", f"away-{name}", minutes=1)])
        lines = [box.yaml(name, f"ana@{name}.example") for name, box in zip(names, self.boxes)]
        for index, port in enumerate(ports):
            if port:
                lines[index] = self.boxes[index].yaml(names[index], f"ana@{names[index]}.example", port=port,
                                                      security="none", host="127.0.0.1")
        return Workplace(self.folder / "workspace", "".join(lines), {"10-two.yaml": RULES, "20-home.yaml": HOME})

    def test_an_answer_in_another_account_brings_deferred_mail_back(self):
        boxes = [self.new_box(), self.new_box("maildir")]
        boxes[0].add("INBOX", letter("Plan", "plan", sender="Bob <bob@acme.example>"))
        lines = [box.yaml(name, f"ana@{name}.example") for name, box in zip(("work", "home"), boxes)]
        place = Workplace(self.folder / "workspace", "".join(lines), {"10-none.yaml": "rules-version: 1\n"})
        self.check(place.opus("sync"))
        message, = [item["id"] for item in place.opus("list", "--json").json["items"]]
        self.check(place.opus("defer", message, "2026-04-20"))
        answer = lambda name, sender, to_mail="plan": letter(f"Re: {name}", name, sender=sender, minutes=24 * 60, headers={
            "In-Reply-To": f"<{to_mail}@test.example>"})
        # Neither a stranger nor mail about something else, nor an automatic reply.
        boxes[1].add("INBOX", [answer("eve", "Eve <eve@x.example>"), answer("other", "Bob <bob@acme.example>", "x"),
                               answer("auto", "Bob <bob@acme.example>").replace(
                                   b"MIME-Version", b"Auto-Submitted: auto-replied\nMIME-Version", 1)])
        later = "2026-03-11T09:30:00+01:00"
        self.check(place.opus("run", "--yes", now=later))
        self.assertPlaces(boxes[0], {"plan": "Deferred"})
        boxes[1].add("INBOX", answer("answer", "Bob <bob@acme.example>"))
        self.check(place.opus("run", "--yes", now=later), 0, "back in the inbox")
        self.assertPlaces(boxes[0], {"plan": "INBOX"})
        # If it is deferred again, the same answer brings nothing back.
        self.check(place.opus("defer", message, "2026-04-20", now="2026-03-11T09:40:00+01:00"))
        self.check(place.opus("run", "--yes", now="2026-03-11T09:50:00+01:00"))
        self.assertPlaces(boxes[0], {"plan": "Deferred"})

    def test_people_to_whom_another_account_wrote_are_known_to_rules_and_queries(self):
        boxes = [self.new_box(), self.new_box("maildir")]
        boxes[0].add("Sent", letter("Plan", "plan", sender="ana@work.example", to="Bob <bob@acme.example>"))
        boxes[1].add("INBOX", [letter("Lunch", "lunch", sender="Bob <bob@acme.example>"),
                               letter("Offer", "offer", sender="Eve <eve@x.example>", minutes=1)])
        lines = [box.yaml(name, f"ana@{name}.example") for name, box in zip(("work", "home"), boxes)]
        place = Workplace(self.folder / "workspace", "".join(lines), {"10-people.yaml": KNOWN})
        self.check(place.opus("sync"))
        found = self.check(place.opus("search", "from:known", "--json")).json["items"]
        self.assertEqual([item["subject"] for item in found], ["Lunch"])
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(boxes[1], {"lunch": "INBOX", "offer": "Archive"})

    def test_with_an_account_no_command_acts_on_what_belongs_to_another_one(self):
        place = self.prepare()
        self.check(place.opus("sync"))
        message = place.opus("-a", "work", "list", "--json").json["items"][0]["id"]
        draft = self.check(place.opus("-a", "work", "compose", "--to", "x@far.example", "--body", "/dev/null")).out.strip()
        before = [box.fingerprint() for box in self.boxes]
        for words in (("archive", message), ("delegate", message, "bob@far.example"), ("wait", message), ("task", "from", message),
                      ("answer", message, "yes"), ("send", draft, "--yes"), ("drafts", "discard", draft, "--yes"),
                      ("drafts", "edit", draft, "--body", "/dev/null")):
            with self.subTest(words):
                self.check(place.opus("-a", "home", *words), 66, "of account work, not of home")
        self.assertEqual([box.fingerprint() for box in self.boxes], before)
        self.assertEqual(place.task_files(), {})
        self.assertEqual(place.opus("-a", "home", "runs", "--json").json["items"], [])
        run, = place.opus("-a", "work", "runs", "--json").json["items"]
        self.assertEqual(run["account"], "work")

    def test_a_rule_for_one_account_and_one_run_with_one_undo(self):
        place = self.prepare()
        self.check(place.opus("sync"))
        self.assertEqual(len(place.opus("list", "--json").json["items"]), 6, "a view over all accounts")
        self.check(place.opus("run", "--yes"))
        work, home, old = self.boxes
        flagged = [[one.message_id for one in box.held("INBOX") if r"\Flagged" in one.flags] for box in self.boxes]
        self.assertEqual([len(found) for found in flagged], [0, 1, 0], "the rules of a file for one account")
        self.assertPlaces(work, {"news-work": "Archive", "away-work": "Archive"})
        self.assertPlaces(home, {"news-home": "INBOX", "away-home": "Archive"})
        self.assertPlaces(old, {"news-old": "INBOX", "away-old": "Archive"})
        runs = place.opus("runs", "list", "--json").json["items"]
        self.assertEqual(len(runs), 1, runs)
        self.check(place.opus("undo", "--yes"))
        for name, box in zip(("work", "home", "old"), self.boxes):
            self.assertPlaces(box, {f"news-{name}": "INBOX", f"away-{name}": "INBOX"})

    def test_a_list_is_newest_first_over_all_accounts(self):
        boxes = [self.new_box("maildir") for _ in range(2)]
        for account, box in enumerate(boxes):
            box.add("INBOX", [letter(f"Mail {number}", f"m{number}", minutes=number * 10)
                              for number in range(account, 6, 2)])
        place = Workplace(self.folder / "workspace", "".join(
            box.yaml(f"account{number}", f"ana@{number}.example") for number, box in enumerate(boxes)))
        self.check(place.opus("sync"))
        newest = [f"Mail {number}" for number in range(5, -1, -1)]
        for words, expected in (([], newest), (["--limit", "3"], newest[:3]), (["is:unread"], newest)):
            rows = self.check(place.opus("list", *words)).out.splitlines()
            self.assertEqual([row.split("\t")[3] for row in rows], expected)

    def test_a_server_that_is_down_does_not_fail_the_others(self):
        listener = Silent()
        port = listener.port
        listener.stop()
        place = self.prepare((port, None))
        done = self.check(place.opus("run", "--yes"), 69)
        self.assertEqual(done.err.count("account work"), 1, str(done))
        self.assertPlaces(self.boxes[1], {"away-home": "Archive"})
        self.assertPlaces(self.boxes[2], {"away-old": "Archive"})
        self.assertPlaces(self.boxes[0], {"away-work": "INBOX"})
        self.assertEqual(place.opus("sync").code, 69)

    def test_a_silent_server_does_not_delay_the_others(self):
        with Silent() as one, Silent() as two:
            place = self.prepare((one.port, two.port))
            process = place.start("run", "--yes")
            try:
                end = time.monotonic() + 10
                while one.connections == 0 or two.connections == 0:
                    self.assertLess(time.monotonic(), end, "the second account waits for the first one")
                    time.sleep(0.05)
            finally:
                process.terminate()
                process.wait(10)

    def test_the_results_come_in_the_order_of_the_file(self):
        place = self.prepare()
        items = self.check(place.opus("sync", "--json")).json["accounts"]
        self.assertEqual([item["account"] for item in items], ["work", "home", "old"])


if __name__ == "__main__":
    unittest.main()
