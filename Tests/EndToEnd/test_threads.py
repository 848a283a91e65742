"""Conversations: the list, replies without References, and threads that the user splits and joins."""
import unittest

from letters import ANA, BOB, letter
from workplace import Case, on_both

BOSS = "Carla Boss <carla@acme.example>"
STRANGER = "Shop <shop@stranger.example>"
RULES = """rules-version: 1
name: receipts
rules:
  - { id: receipt, when: 'subject:receipt', then: archive }
  - { id: ask, when: 'subject:ask', then: [{ task: { title: 'Answer {{subject}}', list: waiting } }] }
"""


def answers(*names):
    return {"References": " ".join(f"<{name}@test.example>" for name in names)}


@on_both
class Threads:
    def threads(self, place, *words):
        return self.check(place.opus("threads", *words, "--json")).json["items"]

    def subjects(self, place, *words):
        """The subjects of the messages of each conversation."""
        names = {item["id"]: item["subject"] for item in place.opus("list", "--all", "--json").json["items"]}
        return sorted(sorted(names[one] for one in item["messages"]) for item in self.threads(place, "--all", *words))

    def test_a_conversation_is_one_row_with_counts_people_and_state(self):
        box = self.new_box()
        box.add("INBOX", letter("Ask: the plan", "ask", sender=BOSS, body="Shall we?\n"), flags=(r"\Seen",))
        box.add("Sent", letter("Re: Ask: the plan", "mine", sender=ANA, to=BOSS, minutes=1, headers=answers("ask"),
                               body="Yes.\n"), flags=(r"\Seen",))
        box.add("Archive", letter("AW: Ask: the plan", "bob", minutes=2, headers=answers("ask", "mine"),
                                  body="I agree with \x1b[31mboth\x07.\n\nOn Tuesday Ana wrote:\n> Yes.\n"))
        box.add("INBOX", letter("\x1b]0;evil\x07 news", "news", sender="\x1b[1mEve <eve@x.example>", minutes=9))
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        news, plan = self.threads(place)
        self.assertEqual(plan["subject"], "Ask: the plan")
        self.assertEqual((len(plan["messages"]), plan["unread"], plan["attachments"]), (3, 1, 0))
        self.assertEqual([one["address"] for one in plan["participants"]],
                         ["carla@acme.example", "ana@acme.example", "bob@acme.example"])
        self.assertEqual([one["me"] for one in plan["participants"]], [False, True, False])
        self.assertIn("I agree with", plan["snippet"])
        self.assertNotIn("Yes.", plan["snippet"])
        self.assertEqual((plan["waiting"], len(plan["tasks"])), (True, 1))
        self.assertEqual(sorted(plan["mailboxes"]), ["Archive", "INBOX", "Sent"])
        self.assertEqual(plan["latest"], "2026-03-10T07:02:00+01:00")
        self.assertEqual(plan["id"], next(item["id"] for item in place.opus("list", "--json").json["items"]
                                          if item["subject"].startswith("Ask")))
        # A table for people, tab-separated for programs; nothing of a stranger reaches either unescaped.
        table = self.check(place.opus("threads", environment={"OPUS_FORCE_TTY": "1", "COLUMNS": "120"}))
        self.assertRegex(table.out, r"2  ●.*Carla Boss, me, Bob S.* 3 .*Ask: the plan.*1 new, waiting")
        lines = self.check(place.opus("threads")).out.splitlines()
        self.assertEqual([line.count("\t") for line in lines], [7, 7])
        self.assertEqual(lines[1].split("\t")[2:4], ["3", "1"])
        self.assertNotIn("\x1b", table.out + "".join(lines))
        self.assertNotIn("\x07", table.out + "".join(lines))
        # A row is a message: the one in the inbox.
        self.check(place.opus("archive", "2", environment={"OPUS_FORCE_TTY": "1"}))
        self.assertPlaces(box, {"ask": "Archive", "news": "INBOX"})
        self.assertEqual([one["id"] for one in self.threads(place)], [news["id"]])
        self.assertEqual(len(self.threads(place, "--all")), 2)
        self.assertEqual(len(self.threads(place, "--all", "from:bob")), 1)
        self.assertEqual(len(self.threads(place, "--folder", "sent")), 1)
        self.assertEqual(self.threads(place, "from:bob"), [])
        found = self.check(place.opus("threads", "--all", "--limit", "1", "--json")).json
        self.assertEqual((len(found["items"]), found["count"], found["schema"]), (1, 2, "opus.threads/1"))
        self.check(place.opus("threads", "--limit", "-1"), 64)

    def test_mail_in_junk_and_in_the_trash_neither_dates_a_conversation_nor_speaks_for_it(self):
        box = self.new_box()
        for mailbox in ("Junk", "Trash"):
            if mailbox not in box.names():
                box.create(mailbox)
        box.add("INBOX", [letter("Ask", "ask", body="Shall we?\n"), letter("News", "news", minutes=5)])
        box.add("Junk", letter("Re: Ask", "spam", sender="Sue <s@bad.example>", minutes=9, headers=answers("ask"),
                               body="Buy pills.\n"))
        box.add("Trash", letter("Re: Ask", "old", sender="Tom <t@old.example>", minutes=8, headers=answers("ask"), body="Old.\n"))
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        news, ask = self.threads(place)
        self.assertEqual((news["subject"], ask["subject"]), ("News", "Ask"))
        self.assertEqual(([one["name"] for one in ask["participants"]], ask["snippet"], len(ask["messages"])),
                         (["Bob Singh"], "Shall we?", 3))
        self.assertEqual(ask["latest"], "2026-03-10T07:00:00+01:00")
        # A conversation that is only there is shown as it is.
        box.move("ask@test.example", "INBOX", "Trash")
        self.check(place.opus("sync"))
        ask, = [thread for thread in self.threads(place, "--all") if thread["subject"] == "Ask"]
        self.assertEqual(ask["snippet"], "Buy pills.")

    def test_a_strangers_mail_with_the_same_subject_moves_nothing(self):
        box = self.new_box()
        box.add("INBOX", letter("The receipt please", "boss", sender=BOSS))
        box.add("INBOX", letter("Re: Sales", "read", sender=BOSS, minutes=1), flags=(r"\Seen",))
        box.add("INBOX", letter("Sales", "sales", sender=BOSS), flags=(r"\Seen",))
        place = self.new_place(box, "rules-version: 1\nname: r\nrules:\n"
                                    "  - { id: shop, when: 'from:stranger.example', then: archive }\n")
        self.check(place.opus("sync"))
        box.add("INBOX", letter("AW: sales", "fake", sender=STRANGER, minutes=2))
        self.check(place.opus("run", "--yes"))
        # It is shown with them, but takes none of them along, and they are in the list.
        self.assertPlaces(box, {"boss": "INBOX", "read": "INBOX", "sales": "INBOX", "fake": "Archive"})
        self.assertEqual(self.subjects(place), [["AW: sales", "Re: Sales", "Sales"], ["The receipt please"]])
        self.assertEqual(len(self.threads(place)), 2)
        name = next(item["id"] for item in place.opus("list", "--all", "--json").json["items"]
                    if item["subject"] == "AW: sales")
        self.check(place.opus("trash", "--thread", name))
        self.assertPlaces(box, {"read": "INBOX", "sales": "INBOX"})

    def test_settings_of_subjects(self):
        box = self.new_box()
        box.add("INBOX", letter("Lunch", "a"))
        box.add("INBOX", letter("Lunch", "b", minutes=1))
        box.add("INBOX", letter("回复: lunch", "c", minutes=2 * 24 * 60))
        place = self.new_place(box)
        cases = (("", [1, 2]), ("threads: { subjects: off }\n", [1, 1, 1]),
                 ("threads: { subjects: strict }\n", [3]), ("threads: { within: 1d }\n", [1, 1, 1]))
        for settings, expected in cases:
            with self.subTest(settings):
                place.configure(box.yaml(), settings)
                self.check(place.opus("sync", now="2026-03-20T08:00:00+01:00"))
                self.assertEqual(sorted(len(item["messages"]) for item in self.threads(place)), expected)
        for settings in ("threads: { subjects: maybe }\n", "threads: { within: soon }\n", "threads: { x: 1 }\n"):
            place.configure(box.yaml(), settings)
            self.check(place.opus("config", "check"), 78)

    def test_split_and_join_are_runs_that_stay_and_can_be_undone(self):
        box = self.new_box()
        box.add("INBOX", letter("Plan", "a", sender=BOSS))
        box.add("INBOX", letter("Re: Plan", "b", minutes=1, headers=answers("a")))
        box.add("INBOX", letter("Re: Re: Plan", "c", sender=BOSS, minutes=2, headers=answers("a", "b")))
        box.add("INBOX", letter("Other", "d", minutes=3))
        place = self.new_place(box)
        self.check(place.opus("sync"))
        ids = {item["subject"]: item["id"] for item in place.opus("list", "--json").json["items"]}
        whole = [["Other"], ["Plan", "Re: Plan", "Re: Re: Plan"]]
        self.assertEqual(self.subjects(place), whole)
        self.check(place.opus("thread", "split", ids["Re: Plan"]), 0, "Applied 1 of 1 steps")
        apart = [["Other"], ["Plan"], ["Re: Plan", "Re: Re: Plan"]]
        self.assertEqual(self.subjects(place), apart)
        self.check(place.opus("thread", "split", ids["Plan"]), 64, "there is nothing to split it from")
        shown = self.check(place.opus("thread", ids["Re: Re: Plan"], "--json")).json
        self.assertEqual([item["subject"] for item in shown["items"]], ["Re: Plan", "Re: Re: Plan"])
        self.assertEqual([node.get("parent") for node in shown["tree"]], [None, 0])
        # Kept across syncs, also for later mail.
        box.add("INBOX", letter("Re: Plan again", "e", minutes=4, headers=answers("a", "b")))
        self.check(place.opus("sync"))
        self.assertEqual(self.subjects(place)[2], ["Re: Plan", "Re: Plan again", "Re: Re: Plan"])
        self.check(place.opus("thread", "join", ids["Other"], ids["Plan"]), 0, "Applied 1")
        self.assertEqual(self.subjects(place)[0], ["Other", "Plan"])
        self.check(place.opus("thread", "join", ids["Plan"], ids["Other"]), 0, "already are one thread")
        # A later split wins over the join.
        self.check(place.opus("thread", "split", ids["Other"]), 0, "Applied 1")
        self.assertEqual(self.subjects(place)[:2], [["Other"], ["Plan"]])
        self.check(place.opus("undo", "--yes"), 0)
        self.assertEqual(self.subjects(place)[0], ["Other", "Plan"])
        self.check(place.opus("undo", "--yes"), 0)
        self.check(place.opus("undo", "--yes"), 0)
        self.assertEqual(self.subjects(place)[1], ["Plan", "Re: Plan", "Re: Plan again", "Re: Re: Plan"])
        self.check(place.opus("runs"), 0, "thread split", "thread join", "undo")
        if self.kind == "imap":
            # Nothing of it needs the server.
            place.configure(box.yaml(port=1))
            self.check(place.opus("thread", "split", ids["Re: Plan"]), 0, "Applied 1 of 1 steps")
            self.check(place.opus("undo", "--yes"), 0, "Applied 1 of 1 steps")
        self.check(place.opus("thread", "join", ids["Plan"]), 64)
        self.check(place.opus("thread", "split", "zzzz"), 66)

    def test_a_tree_shows_who_answers_whom_and_what_is_missing(self):
        box = self.new_box()
        box.add("INBOX", letter("Re: Plan", "b", headers=answers("gone")))
        box.add("INBOX", letter("Re: Plan", "c", sender=BOSS, minutes=1, headers=answers("gone")))
        box.add("INBOX", letter("Re: Plan", "d", minutes=2, headers=answers("gone", "c")))
        box.add("INBOX", letter("Re: Plan", "d", minutes=3, headers={**answers("gone", "c"), "X-Way": "list"}))
        # Two that name each other.
        box.add("INBOX", letter("Loop", "x", minutes=5, headers=answers("y")))
        box.add("INBOX", letter("Loop", "y", minutes=6, headers=answers("x")))
        place = self.new_place(box)
        self.check(place.opus("sync"))
        ids = [item["id"] for item in place.opus("list", "--json").json["items"]]
        tree = self.check(place.opus("thread", ids[-1], "--tree")).out.splitlines()
        self.assertIn("(missing) gone@test.example", tree[0])
        self.assertEqual([len(line) - len(line.lstrip()) for line in tree], [0, 2, 2, 4, 4])
        self.assertEqual(sum("same Message-ID" in line for line in tree), 1)
        nodes = self.check(place.opus("thread", ids[0], "--json")).json["tree"]
        self.assertEqual(sorted(node["depth"] for node in nodes), [0, 1])


class Agreement(Case):
    """What opus stores of a Maildir agrees with `opus inspect threads` on the same folder."""

    kind = "maildir"

    def test_the_stored_threads_are_those_that_inspect_shows(self):
        box = self.new_box()
        chains = [("m0",)]
        for number in range(1, 60):
            chain = chains[number * 7 % len(chains)] if number % 3 else ()
            chains.append((*chain, f"m{number}"))
            if number % 5:
                box.add(("INBOX", "Archive", "Sent")[number % 3],
                        letter(f"Subject {number}", f"m{number}", minutes=number, headers=answers(*chain) if chain else {}))
        place = self.new_place(box)
        self.check(place.opus("sync"))
        names = {item["id"]: item["messageID"] for item in place.opus("list", "--all", "--json").json["items"]}
        stored = {frozenset(names[one] for one in item["messages"])
                  for item in place.opus("threads", "--all", "--limit", "0", "--json").json["items"]}
        seen = self.check(place.opus("inspect", "threads", box.folder, "--no-subjects", "--json", now=None)).json
        shown = {frozenset(node["messageID"] for node in thread["nodes"] if "number" in node)
                 for thread in seen["threads"]}
        self.assertEqual(stored, shown)


if __name__ == "__main__":
    unittest.main()
