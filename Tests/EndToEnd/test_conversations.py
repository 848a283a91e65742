"""A stranger's `References` does not move other people's mail: which messages a rule, a task and a person move together."""
import unittest

from letters import BOB, letter
from workplace import Case, on_both

BOSS = "Carla Boss <carla@acme.example>"
STRANGER = "Shop <shop@stranger.example>"
ANA = "Ana Ruiz <ana@acme.example>"

RULES = """rules-version: 1
name: receipts
rules:
  - { id: receipt, when: 'subject:receipt', then: archive }
  - { id: ask, when: 'subject:ask', then: [{ task: { title: 'Answer {{subject}}', list: next } }] }
"""


def answers(*names):
    return {"References": " ".join(f"<{name}@test.example>" for name in names)}


@on_both
class Conversations:
    def prepare(self, *messages, name="workspace"):
        """`messages` are (mailbox, flags, message)."""
        box = self.new_box()
        for mailbox, flags, message in messages:
            box.add(mailbox, message, flags=flags)
        return box, self.new_place(box, RULES, name=name)

    def test_a_receipt_that_refers_to_the_boss_archives_only_itself(self):
        box, place = self.prepare(
            ("INBOX", (), letter("Please call me", "boss", sender=BOSS)),
            ("INBOX", (r"\Seen",), letter("Also this", "read", sender=BOSS, minutes=1, headers=answers("boss"))),
            ("INBOX", (), letter("Your receipt", "receipt", sender=STRANGER, minutes=2, headers=answers("boss", "read"))))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"boss": "INBOX", "read": "INBOX", "receipt": "Archive"})
        self.assertNothingMore(place, box)
        # The thread is shown as its identifiers have it.
        name = self.check(place.opus("list", "--json")).json["items"][0]["id"]
        self.check(place.opus("thread", name), 0, "Your receipt", "Please call me")

    def test_older_mail_of_the_sender_and_read_mail_of_people_in_the_conversation_moves_along(self):
        box, place = self.prepare(
            ("INBOX", (), letter("An order", "order", sender=STRANGER)),
            ("INBOX", (r"\Seen",), letter("The price", "price", sender=BOB, minutes=1, headers=answers("order"))),
            ("INBOX", (), letter("Not read", "unread", sender=BOB, minutes=2, headers=answers("order"))),
            ("Sent", (r"\Seen",), letter("Re: An order", "mine", sender=ANA, to=STRANGER, minutes=3,
                                         headers=answers("order", "price"))),
            ("INBOX", (), letter("Your receipt", "receipt", sender=STRANGER, minutes=4,
                                 headers=answers("order", "price", "mine"))))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"order": "Archive", "price": "Archive", "unread": "INBOX", "receipt": "Archive"})

    def test_one_mail_that_names_two_conversations_joins_one(self):
        for order in ("before", "after"):
            with self.subTest(order):
                joiner = ("INBOX", (r"\Seen",), letter("Ad", "ad", sender=STRANGER, minutes=9,
                                                       headers=answers("one", "two")))
                box, place = self.prepare(
                    ("INBOX", (), letter("Ask one", "one", sender=BOSS)),
                    ("INBOX", (), letter("Ask two", "two", sender=BOSS, minutes=1)),
                    *([joiner] if order == "before" else []), name=order)
                self.check(place.opus("run", "--yes"))
                if order == "after":
                    box.add(joiner[0], joiner[2], flags=joiner[1])
                    self.check(place.opus("run", "--yes"))
                tasks = self.check(place.opus("task", "list", "--json")).json["items"]
                self.assertEqual(sorted(task["summary"] for task in tasks), ["Answer Ask one", "Answer Ask two"])
                done = next(task["id"] for task in tasks if task["summary"] == "Answer Ask two")
                self.check(place.opus("task", "done", done))
                self.check(place.opus("run", "--yes"))
                self.assertPlaces(box, {"one": "INBOX", "two": "Archive", "ad": "INBOX"})
                # A person's command for a thread stays within the conversation, too.
                name = next(item["id"] for item in place.opus("list", "--json").json["items"]
                            if item["subject"] == "Ad")
                self.check(place.opus("archive", "--thread", name))
                self.assertPlaces(box, {"one": "INBOX"})

    def test_a_command_on_a_strangers_mail_leaves_other_peoples_mail(self):
        for words in (("archive", "{}"), ("move", "{}", "Later", "--create"), ("defer", "{}", "friday"),
                      ("delegate", "{}", "kim@acme.example", "--note", "Please look.")):
            with self.subTest(words[0]):
                box, place = self.prepare(
                    ("INBOX", (), letter("Please call me", "boss", sender=BOSS)),
                    ("INBOX", (), letter("Your receipt", "offer", sender=STRANGER, minutes=2, headers=answers("boss"))),
                    name=words[0])
                self.check(place.opus("sync"))
                name = next(item["id"] for item in place.opus("list", "--json").json["items"] if item["subject"] == "Your receipt")
                words = [word.format(name) for word in words]
                if words[0] != "delegate":
                    self.check(place.opus(*words, "--dry-run"), 0, "1 message of the conversation stays")
                done = self.check(place.opus(*words))
                self.assertPlaces(box, {"boss": "INBOX"})
                self.assertNotEqual(box.where("offer@test.example"), ["INBOX"], done)
                self.assertIn("1 message of the conversation stays", done.out)
                self.check(place.opus("undo", "--yes"))
                self.assertPlaces(box, {"boss": "INBOX", "offer": "INBOX"})
                self.check(place.opus("archive", "--thread", name))
                self.assertPlaces(box, {"boss": "Archive", "offer": "Archive"})

    def test_json_says_that_mail_stays(self):
        box, place = self.prepare(
            ("INBOX", (), letter("Please call me", "boss", sender=BOSS)),
            ("INBOX", (), letter("Your receipt", "offer", sender=STRANGER, minutes=2, headers=answers("boss"))))
        self.check(place.opus("sync"))
        name = next(item["id"] for item in place.opus("list", "--json").json["items"] if item["subject"] == "Your receipt")
        done = self.check(place.opus("archive", name, "--json")).json
        self.assertIn("1 message of the conversation stays", str(done))

    def test_a_strangers_task_does_not_take_the_place_of_other_peoples_tasks(self):
        actions = (("[{ task: { title: 'Pay {{subject}}', list: next } }]", "task"),
                   ("[{ delegate: { to: kim@acme.example } }]", "delegate"), ("[{ waiting: { until: +3 days } }]", "waiting"))
        for together in (True, False):
            for then, name in actions:
                with self.subTest(name, together=together):
                    rules = f"rules-version: 1\nname: r\nrules:\n  - {{ id: inv, when: 'subject:invoice', then: {then} }}\n"
                    box = self.new_box()
                    for mailbox in ("Sent", "Drafts"):
                        box.create(mailbox)
                    place = self.new_place(box, rules, name=f"{name}{together}".replace(" ", ""))
                    for message in (letter("Please call me", "boss", sender=BOSS),
                                    letter("Invoice ad", "ad", sender=STRANGER, minutes=1, headers=answers("boss")),
                                    letter("Re: Please call me: invoice", "bill", sender=BOSS, minutes=2, headers=answers("boss"))):
                        box.add("INBOX", message)
                        if not together:
                            self.check(place.opus("run", "--yes"))
                    self.check(place.opus("run", "--yes"))
                    tasks = [todo["summary"] for todo in self.check(place.opus("task", "list", "--json")).json["items"]]
                    self.assertEqual(len(tasks), 2, tasks)
                    # A later mail of the same writer makes no other task.
                    box.add("INBOX", letter("Re: Please call me: invoice", "again", sender=BOSS, minutes=3, headers=answers("boss")))
                    self.check(place.opus("run", "--yes"))
                    self.assertEqual(len(place.opus("task", "list", "--json").json["items"]), 2)

    def test_a_person_who_answers_the_first_mail_of_a_conversation_shares_its_task(self):
        box, place = self.prepare(
            ("INBOX", (), letter("Ask one", "one", sender=BOSS)),
            ("INBOX", (), letter("Re: Ask one", "two", sender=BOB, minutes=1, headers=answers("one"))))
        self.check(place.opus("run", "--yes"))
        self.assertEqual(len(self.check(place.opus("task", "list", "--json")).json["items"]), 1)

    def test_a_finished_task_leaves_other_peoples_unread_mail(self):
        box, place = self.prepare(
            ("INBOX", (), letter("Ask me", "ask", sender=BOSS)),
            ("INBOX", (), letter("A remark", "remark", sender=BOB, minutes=1, headers=answers("ask"))),
            ("INBOX", (), letter("One more", "more", sender=BOSS, minutes=2, headers=answers("ask"))))
        self.check(place.opus("run", "--yes"))
        task = self.check(place.opus("task", "list", "--json")).json["items"][0]["id"]
        self.check(place.opus("task", "done", task))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"ask": "Archive", "more": "Archive", "remark": "INBOX"})
        self.check(place.opus("task", "reopen", task))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"ask": "INBOX", "more": "INBOX", "remark": "INBOX"})


class ManyMails(Case):
    kind = "maildir"

    def test_a_thousand_mails_of_a_stranger_do_not_end_a_conversation(self):
        box = self.new_box()
        place = self.new_place(box, RULES)
        box.add("INBOX", letter("Ask one", "one", sender=BOSS))
        box.add("INBOX", letter("A plan", "plan", sender=BOB))
        self.check(place.opus("run", "--yes"))
        self.check(place.opus("defer", place.opus("list", "subject:plan", "--json").json["items"][0]["id"], "2026-03-20"))
        for number in range(1005):
            box.add("INBOX", letter("Your offer", f"ad{number}", sender=STRANGER, minutes=1,
                                    headers=answers("one" if number % 2 else "plan", "plan" if number % 2 else "one")))
        for number in range(1005):
            box.add("INBOX", letter("Your offer", f"more{number}", sender=STRANGER, minutes=1, headers=answers("one", "plan")))
        box.add("INBOX", letter("Re: Ask one", "two", sender=BOSS, minutes=2, headers=answers("one")))
        box.add("INBOX", letter("Re: A plan", "answer", sender=BOB, minutes=2, headers=answers("plan")))
        self.check(place.opus("run", "--yes", "--max", "none"))
        self.assertPlaces(box, {"plan": "INBOX"})
        tasks = self.check(place.opus("task", "list", "--json")).json["items"]
        self.assertEqual([todo["summary"] for todo in tasks], ["Answer Ask one"])
        self.check(place.opus("task", "done", tasks[0]["id"]))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"one": "Archive", "two": "Archive"})


if __name__ == "__main__":
    unittest.main()
