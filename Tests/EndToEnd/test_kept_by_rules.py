"""What rules leave alone: kept mail, mail after a failed action, drafts, the list of deferred mail, unread answers."""
from letters import ANA, BOB, letter
from test_sent_copies import Submission
from workplace import on_both

SETTINGS = "send: { hold: 0, max-per-recipient-per-hour: 500 }\nallow-send: true\n"
THURSDAY = "2026-03-12T09:00:00+01:00"


def reply(subject, name, of, **options):
    return letter(subject, name, headers={"In-Reply-To": f"<{of}@test.example>", "References": f"<{of}@test.example>"},
                  **options)


@on_both
class KeptByRules:
    def prepare(self, rules, *messages, settings=SETTINGS, **more):
        self.server = self.enterContext(Submission())
        self.box = self.new_box()
        for mailbox in {"Archive", "Drafts", "Sent"} - set(self.box.names()):
            self.box.create(mailbox)
        login = "    login: { user: ana, password-command: [cat, password] }\n" if self.box.kind == "maildir" else ""
        self.place = self.new_place(self.box, "rules-version: 1\nname: kept\nrules:\n" + rules, settings,
                                    extra=self.server.yaml() + login, **more)
        # Rules answer no mail that came before their first run.
        self.check(self.place.opus("run", "--yes", now="2026-03-09T08:30:00+01:00"))
        for message in messages:
            self.box.add("INBOX", message)

    def run_(self, **options):
        return self.check(self.place.opus("run", "--yes", **options))

    def titles(self):
        return sorted(item["summary"] for item in self.place.opus("task", "list", "--json").json["items"])

    def test_a_newer_mail_does_not_take_kept_mail_along(self):
        rules = ("  - { id: named, when: 'to:ana', then: [flag, keep] }\n"
                 "  - { id: rest, when: '*', then: archive }\n")
        for way in ("at once", "one by one"):
            with self.subTest(way):
                self.prepare(rules, letter("To me", "mine", sender=BOB), name=way.replace(" ", "-"))
                if way == "one by one":
                    self.run_()
                self.box.add("INBOX", reply("Re: To me", "list", "mine", sender=BOB, to="all@lists.example", minutes=5))
                self.run_()
                self.assertPlaces(self.box, {"mine": "INBOX", "list": "Archive"})
                self.assertNothingMore(self.place, self.box)

    def test_later_rules_wait_for_one_that_failed(self):
        self.prepare("  - { id: copy, when: subject:hello, then: { copy: Later } }\n"
                     "  - { id: answer, when: subject:hello, then: [{ reply: { text: Hi, send: now } }, "
                     "{ task: '{{subject}}' }, trash] }\n", letter("Hello", sender=BOB))
        done = self.run_()
        self.assertIn("'Later'", done.text)
        self.assertEqual((len(self.server.mails), self.titles()), (0, []))
        self.assertPlaces(self.box, {"hello": "INBOX"})
        self.box.create("Later")
        self.run_()
        self.assertEqual((len(self.server.mails), self.titles()), (1, ["Hello"]))
        self.assertEqual(self.box.subjects("Later"), ["Hello"])
        self.assertEqual(self.box.subjects("INBOX"), [])

    def test_the_second_of_two_rules_with_the_same_action_does_not_act_later(self):
        actions = ("waiting", "{ delegate: carla@acme.example }", "{ reply: Hi }", "{ copy: Projects }", "flag")
        for number, action in enumerate(actions):
            with self.subTest(action):
                rules = "".join(f"  - {{ id: {name}, when: '{when}', then: {action} }}\n"
                                for name, when in (("first", "subject:hello"), ("second", "from:bob")))
                self.prepare(rules, settings=SETTINGS.replace("allow-send: true\n", ""), name=f"twice-{number}")
                if "Projects" not in self.box.names():
                    self.box.create("Projects")
                self.box.add("INBOX", letter("Hello", "hello", sender=BOB))
                self.run_()
                drafts, tasks = self.box.subjects("Drafts"), self.titles()
                self.assertNothingMore(self.place, self.box)
                self.assertEqual((self.box.subjects("Drafts"), self.titles()), (drafts, tasks))
                if action == "{ reply: Hi }":
                    draft, = self.place.opus("drafts", "--json").json["items"]
                    self.check(self.place.opus("drafts", "discard", draft["id"], "--yes"))
                else:
                    self.check(self.place.opus("undo", "--yes"))
                self.assertNothingMore(self.place, self.box)
                self.assertEqual((self.box.subjects("Drafts"), self.titles()), ([], []))

    def test_a_rule_for_all_mailboxes_leaves_drafts_and_the_list_of_deferred_mail_alone(self):
        self.prepare("  - { id: over, when: subject:over, then: [{ delegate: { to: bob@acme.example } }, archive] }\n"
                     "  - { id: mine, when: 'from:me', mailboxes: ['*'], then: { move: Sent } }\n",
                     letter("Over to you", "over", sender="Eve <eve@x.example>"), letter("Later", sender="Eve <eve@x.example>"))
        self.check(self.place.opus("sync"))
        items = {item["subject"]: item["id"] for item in self.place.opus("list", "--json").json["items"]}
        self.check(self.place.opus("defer", items["Later"], "thursday"))
        self.run_()
        self.assertEqual(self.run_().out, "Nothing to do.\n")
        self.assertEqual((self.box.subjects("Drafts"), self.box.subjects("Sent")), (["Fwd: Over to you"], []))
        self.assertEqual(len(self.place.opus("waiting", "--json").json["items"]), 1)
        self.run_(now=THURSDAY)
        self.assertPlaces(self.box, {"over": "Archive", "later": "INBOX"})

    def test_a_rule_that_names_drafts_applies_to_them(self):
        self.prepare("  - { id: mine, when: 'from:me', mailboxes: [Drafts], then: { label: unsent } }\n")
        self.box.add("Drafts", letter("Draft", sender=ANA, to=BOB), (r"\Draft", r"\Seen"))
        self.run_()
        self.assertIn("unsent", self.box.find("Drafts", "draft@test.example").flags)

    def test_a_renamed_or_second_vacation_rule_sends_one_answer(self):
        rule = "  - { id: away, when: '*', then: { vacation: { text: Away, send: now } } }\n"
        self.prepare(rule + rule.replace("away", "also").replace("Away", "Gone"),
                     letter("One", sender=BOB), letter("Two", sender=BOB, minutes=1))
        self.run_()
        self.assertEqual(len(self.server.mails), 1)
        self.place.write_rules("rules-version: 1\nname: kept\nrules:\n" + rule.replace("id: away", "id: renamed"))
        self.box.add("INBOX", letter("Three", sender=BOB, minutes=60))
        self.run_(now="2026-03-10T10:30:00+01:00")
        self.assertEqual(len(self.server.mails), 1)
        self.run_(now="2026-03-18T10:30:00+01:00")
        self.assertEqual(len(self.server.mails), 1)

    def test_vacation_answers_both_spellings_of_an_address_once(self):
        self.prepare("  - { id: away, when: '*', then: { vacation: { text: Away, send: now } } }\n",
                     letter("One", sender="Kim <kim@bücher.example>"),
                     letter("Two", sender="Kim <kim@xn--bcher-kva.example>", minutes=1))
        self.run_()
        self.assertEqual(len(self.server.mails), 1)

    def test_vacation_does_not_answer_the_user_and_makes_a_draft_where_it_may_not_send(self):
        self.prepare("  - { id: away, when: '*', then: { vacation: { text: Away, send: now } } }\n",
                     letter("Forged", sender=BOB, headers={"Return-Path": "<ana@acme.example>"}))
        self.run_()
        self.assertEqual((self.server.mails, self.box.subjects("Drafts")), ([], []))
        self.place.configure(self.place.accounts + "    allow: [draft]\n", SETTINGS)
        self.box.add("INBOX", letter("Real", sender="Eve <eve@x.example>", minutes=2))
        self.run_()
        self.assertEqual((self.server.mails, self.box.subjects("Drafts")), ([], ["Auto: Real"]))

    def test_a_wait_begins_for_people_only(self):
        self.prepare("  - { id: wait, when: '*', then: [waiting, archive] }\n",
                     letter("Away", sender=BOB, headers={"Auto-Submitted": "auto-replied"}),
                     letter("Gone", sender=BOB, headers={"X-Autoreply": "yes"}, minutes=1),
                     letter("Undelivered", sender="Mail System <mailer-daemon@x.example>", minutes=2),
                     letter("Promise", sender="Eve <eve@x.example>", minutes=3))
        self.run_()
        self.assertEqual(self.titles(), ["Waiting for Eve: Promise"])
        self.assertEqual(self.box.subjects("INBOX"), [])

    def test_an_unread_answer_stays_when_its_task_waits_again(self):
        self.prepare("  - { id: ask, when: 'subject:ask -subject:re', then: [{ waiting: { until: +2 days } }, archive] }\n",
                     letter("Ask", sender=BOB))
        self.run_()
        self.box.add("INBOX", reply("Re: Ask", "answer", "ask", sender=BOB, minutes=5))
        self.run_()
        task, = self.place.opus("task", "list", "--json").json["items"]
        self.assertEqual(task["summary"], "Decide: Ask")
        self.check(self.place.opus("task", "move", task["id"], "waiting"))
        self.run_()
        self.assertPlaces(self.box, {"ask": "Archive", "answer": "INBOX"})
