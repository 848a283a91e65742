"""What counts as waiting: for whom, and from when on."""
import re
import shutil
import time

from letters import ANA, BOB, letter, with_parts
from terminal import on_terminal
from watcher import PATIENCE, Watching
from workplace import CLOCK, NO_RULES, REPOSITORY, Case, Workplace, on_both

RULES = """\
rules-version: 1
name: waits
rules:
  - { id: hand-over, when: 'subject:please -is:answered', unless: 'has:open-task', then: [{ delegate: { to: bob@acme.example } }, archive] }
  - { id: sent, mailboxes: [Sent], when: 'subject:question', then: [waiting] }
  - { id: sent-to, mailboxes: [Sent], when: 'subject:offer', then: [{ waiting: { for: '{{to.address}}' } }] }
  - { id: is-waiting, when: 'task:waiting', then: [{ label: waits }] }
  - { id: long, when: 'task:waited>7d', then: [{ label: nudge }] }
"""
CARL = "Carl Green <carl@other.example>"
WEEKS = "2026-03-24T08:30:00+01:00"
NEXT = "2026-03-25T08:30:00+01:00"


@on_both
class Waits:
    def place_with(self, *messages, name="workspace"):
        box = self.new_box()
        for mailbox in ("Sent", "Drafts", "Archive", "Trash"):
            if mailbox not in box.names():
                box.create(mailbox)
        box.add("INBOX", list(messages))
        return box, self.new_place(box, RULES, name=name)

    def waiting(self, place):
        return [(item["summary"], item["contact"]) for item in place.opus("task", "list", "--json").json["items"]
                if item["list"] == "waiting"]

    def test_own_mail_waits_for_its_recipient(self):
        box, place = self.place_with()
        box.add("Sent", [letter("Question 1", sender=ANA, to=f"{ANA}, {CARL}", name="q"),
                         letter("Offer 1", sender=ANA, to=CARL, name="o", minutes=1)])
        self.check(place.opus("run", "--yes"))
        self.assertEqual(sorted(self.waiting(place)), [
            ("Waiting for Carl Green: Offer 1", CARL), ("Waiting for Carl Green: Question 1", CARL)])
        self.assertNothingMore(place, box)

    def test_a_note_of_the_user_to_themselves_makes_no_wait(self):
        box, place = self.place_with()
        box.add("Sent", letter("Question for later", sender=ANA, to="Ana <ana+notes@example.org>", name="q"))
        done = self.check(place.opus("run", "--yes"))
        self.assertNotIn("waits for", done.text)
        self.assertEqual(self.waiting(place), [])
        self.assertNothingMore(place, box)

    def test_mail_from_outside_with_the_id_of_a_draft_does_not_send_it(self):
        box, place = self.place_with(letter("Please look", sender=CARL))
        self.check(place.opus("run", "--yes"))
        draft, = box.held("Drafts")
        box.add("INBOX", letter("Thanks", draft.message_id.strip("<>").partition("@")[0], sender="Mallory <m@bad.example>", minutes=40,
                                headers={"Message-ID": draft.message_id,
                                         "Received": "from bad.example by mx.example; Tue, 10 Mar 2026 09:10:00 +0100"}))
        self.check(place.opus("run", "--yes"))
        wait, = place.opus("waiting", "--json").json["items"]
        self.assertEqual(wait["wait"]["state"], "drafted")
        # A program has sent it under an address that opus.yaml does not name, and keeps its copy in Archive.
        box.remove("Drafts", draft.message_id.strip("<>"))
        box.remove("INBOX", draft.message_id.strip("<>"))
        box.add("Archive", letter("Fwd: Please look", draft.message_id.strip("<>").partition("@")[0], sender="Ana <ana@other.example>", to=BOB,
                                  minutes=60, headers={"Message-ID": draft.message_id}))
        self.check(place.opus("run", "--yes"))
        wait, = place.opus("waiting", "--json").json["items"]
        self.assertEqual(wait["wait"]["state"], "sent")

    def test_a_delegation_waits_only_once_its_draft_was_sent(self):
        box, place = self.place_with(letter("Please look", sender=CARL))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"please-look": "Archive"})
        # Another mail of the conversation, still unsent, before a week has passed.
        box.add("INBOX", letter("Re: look", "again", sender=CARL, minutes=60,
                                headers={"In-Reply-To": "<please-look@test.example>"}))
        self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertEqual(box.find("INBOX", "again@test.example").flags & {"waits", "nudge"}, frozenset())
        # A program sends the draft, under a Message-ID of its own.
        draft, = box.held("Drafts")
        box.remove("Drafts", draft.message_id)
        box.add("Sent", letter("Fwd: Please look", "forwarded", sender=ANA, to=BOB, minutes=20_000,
                               headers={"References": "<please-look@test.example>"}))
        self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertPlaces(box, {"please-look": "Archive"})
        self.assertEqual(box.find("INBOX", "again@test.example").flags & {"waits", "nudge"}, {"waits"})

    def test_a_discarded_draft_takes_its_wait_back_and_brings_the_mail_back(self):
        for way in ("command", "program"):
            with self.subTest(way):
                box, place = self.place_with(letter("Please look", sender=CARL), name=way)
                self.check(place.opus("run", "--yes"))
                self.assertEqual(len(self.waiting(place)), 1)
                draft, = box.held("Drafts")
                if way == "command":
                    item, = place.opus("drafts", "--json").json["items"]
                    self.check(place.opus("drafts", "discard", item["id"], "--yes"), 0, "its mail comes back")
                else:
                    box.remove("Drafts", draft.message_id)
                    self.check(place.opus("run", "--yes"), 0, "its mail comes back")
                self.assertPlaces(box, {"please-look": "INBOX"})
                self.assertEqual(self.waiting(place), [])
                self.check(place.opus("run", "--yes"))
                self.assertPlaces(box, {"please-look": "INBOX"})
                self.assertEqual((self.waiting(place), box.held("Drafts")), ([], []))

    def test_a_draft_that_is_deleted_together_with_its_mail_takes_its_wait_back(self):
        box, place = self.place_with(letter("Please look", sender=CARL))
        self.check(place.opus("run", "--yes"))
        box.remove("Drafts", box.held("Drafts")[0].message_id)
        box.remove("Archive", "please-look@test.example")
        self.check(place.opus("run", "--yes"), 0, "was discarded: the task is removed\n")
        self.assertEqual(self.waiting(place), [])
        self.assertNothingMore(place, box)

    def test_a_draft_whose_mailbox_another_program_renamed_is_not_discarded(self):
        box, place = self.place_with(letter("Please look", sender=CARL))
        self.check(place.opus("run", "--yes"))
        waiting = self.waiting(place)
        box.rename("Drafts", "Old drafts")
        self.check(place.opus("run", "--yes"))
        self.assertEqual((len(waiting), self.waiting(place)), (1, waiting))
        self.assertPlaces(box, {"please-look": "Archive"})
        self.assertNothingMore(place, box)
        # It is sent from there by another program.
        draft, = box.held("Old drafts")
        box.remove("Old drafts", draft.message_id)
        box.add("Sent", letter("Fwd: Please look", "forwarded", sender=ANA, to=BOB, minutes=20_000,
                               headers={"References": "<please-look@test.example>"}))
        self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertEqual([state for _, _, state in self.waits(place)], ["sent"])

    def without_drafts(self, box):
        """Takes the Drafts mailbox away, as a server may leave it out of its list. Returns what brings it back."""
        if box.kind != "maildir":
            self.skipTest("the mailbox is taken away as a folder")
        drafts = box.place("Drafts")
        away = drafts.rename(box.folder.parent / "away")
        return lambda: away.rename(drafts)

    def test_a_draft_is_not_discarded_while_the_account_lists_no_drafts_mailbox(self):
        box, place = self.place_with(letter("Please look", sender=CARL))
        self.check(place.opus("run", "--yes"))
        waiting = self.waiting(place)
        bring_back = self.without_drafts(box)
        for _ in range(3):
            self.assertNotIn("discarded", self.check(place.opus("run", "--yes")).out)
        self.assertEqual((len(waiting), self.waiting(place)), (1, waiting))
        bring_back()
        self.check(place.opus("run", "--yes"))
        self.assertEqual((self.waiting(place), len(box.held("Drafts"))), (waiting, 1))
        self.assertPlaces(box, {"please-look": "Archive"})
        self.assertNothingMore(place, box)
        box.remove("Drafts", box.held("Drafts")[0].message_id)
        self.check(place.opus("run", "--yes"), 0, "its mail comes back")

    def test_drafts_stay_as_they_are_while_the_account_lists_no_drafts_mailbox(self):
        box, place = self.place_with()
        (place.root / "text").write_text("First.\n")
        self.check(place.opus("compose", "--to", "bob@far.example", "--subject", "One", "--body", "text"))
        draft = place.opus("drafts", "--json").json["items"]
        self.assertEqual([item["state"] for item in draft], ["saved"])
        bring_back = self.without_drafts(box)
        self.check(place.opus("run", "--yes"))
        self.assertEqual(place.opus("drafts", "--json").json["items"], draft)
        (place.root / "text").write_text(place.opus("drafts", "show", draft[0]["id"]).out + "More.\n")
        for words in (("send", draft[0]["id"], "--yes"), ("drafts", "edit", draft[0]["id"], "--body", "text"),
                      ("drafts", "discard", draft[0]["id"], "--yes")):
            done = self.check(place.opus(*words, "--json"), 75, "does not list the mailbox of draft")
            self.assertEqual(done.error["code"], "drafts-unlisted")
        bring_back()
        self.check(place.opus("run", "--yes"))
        self.check(place.opus("drafts", "edit", draft[0]["id"], "--body", "text"))
        self.assertEqual(len(box.held("Drafts")), 1)
        self.check(place.opus("drafts", "discard", draft[0]["id"], "--yes"), 0, "Discarded")
        self.assertEqual(box.held("Drafts"), [])

    def test_a_second_nudge_is_not_written_while_the_account_lists_no_drafts_mailbox(self):
        box, place = self.nudged(answered=False)
        task, = place.opus("waiting", "--json", now=WEEKS).json["items"]
        bring_back = self.without_drafts(box)
        for _ in range(3):
            self.check(place.opus("run", "--yes", now=WEEKS))
            self.check(place.opus("nudge", task["id"], now=WEEKS), 64, "is not sent yet")
        bring_back()
        self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertEqual((len(box.held("Drafts")), self.text(place).count("Nudge")), (1, 1))

    def test_a_draft_that_was_moved_to_another_mailbox_was_not_sent(self):
        box = self.new_box()
        box.add("INBOX", letter("Please look", sender=CARL))
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        box.create("Parked")
        box.move(box.held("Drafts")[0].message_id, "Drafts", "Parked")
        self.check(place.opus("run", "--yes"), 0, "its mail comes back")
        self.assertEqual(self.waiting(place), [])
        self.assertPlaces(box, {"please-look": "INBOX"})

    def edited_delegation(self, *mailboxes):
        """A delegation whose draft the user has edited with opus."""
        box = self.new_box()
        for mailbox in mailboxes:
            if mailbox not in box.names():
                box.create(mailbox)
        box.add("INBOX", letter("Please look", sender=CARL))
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        draft, = place.opus("drafts", "--json").json["items"]
        (place.root / "text").write_text(place.opus("drafts", "show", draft["id"]).out + "One more word.\n")
        self.check(place.opus("drafts", "edit", draft["id"], "--body", "text"))
        return box, place

    def test_an_edited_draft_of_a_delegation_that_another_program_deletes_was_not_sent(self):
        box, place = self.edited_delegation("Sent", "Trash")
        held, = box.held("Drafts")
        box.remove("Drafts", held.message_id)
        self.check(place.opus("run", "--yes"), 0, "its mail comes back")
        self.assertEqual(self.waiting(place), [])
        self.assertPlaces(box, {"please-look": "INBOX"})

    def test_without_a_trash_the_undo_of_an_edit_keeps_the_only_version_of_the_draft(self):
        box, place = self.edited_delegation("Sent")
        if "Trash" in box.names():
            box.drop("Trash")
            self.check(place.opus("sync"))
        place.opus("undo", "--yes")
        self.assertEqual(len(box.held("Drafts")), 1)

    def test_drafts_stay_drafts_when_the_settings_name_another_mailbox_for_them(self):
        box, place = self.place_with(letter("Please look", sender=CARL))
        self.check(place.opus("run", "--yes"))
        (place.root / "text").write_text("Text.\n")
        self.check(place.opus("compose", "--to", BOB, "--subject", "Mine", "--body", "text"))
        place.configure(box.yaml(extra="    folders: { drafts: Concepts, sent: Posted }\n"))
        done = self.check(place.opus("run", "--yes"))
        self.assertNotIn("discarded", done.text)
        states = {item["subject"]: item["state"] for item in place.opus("drafts", "--json").json["items"]}
        self.assertEqual(states, {"Mine": "saved", "Fwd: Please look": "elsewhere"})
        wait, = place.opus("waiting", "--json").json["items"]
        self.assertEqual(wait["wait"]["state"], "drafted")
        mine = next(item["id"] for item in place.opus("drafts", "--json").json["items"] if item["subject"] == "Mine")
        (place.root / "text").write_text(place.opus("drafts", "show", mine).out.replace("Text.", "Better."))
        self.check(place.opus("drafts", "edit", mine, "--body", "text"))
        self.check(place.opus("run", "--yes"))
        self.assertEqual([len(box.held(name)) for name in ("Drafts", "Concepts")], [1, 1])
        self.assertNothingMore(place, box)

    def test_undo_of_a_discarded_draft_also_brings_back_its_wait_and_archives_its_mail_again(self):
        box, place = self.place_with(letter("Please look", sender=CARL), name="undone")
        self.check(place.opus("run", "--yes"))
        waiting = self.waiting(place)
        item, = place.opus("drafts", "--json").json["items"]
        self.check(place.opus("drafts", "discard", item["id"], "--yes"), 0, "its mail comes back")
        self.check(place.opus("undo", "--yes"))
        self.assertPlaces(box, {"please-look": "Archive"})
        self.assertEqual((self.waiting(place), len(box.held("Drafts"))), (waiting, 1))
        self.assertNothingMore(place, box)
        self.check(place.opus("undo", "--yes"))
        self.assertPlaces(box, {"please-look": "INBOX"})
        self.assertEqual((self.waiting(place), box.held("Drafts")), ([], []))

    def test_a_draft_that_opus_discards_causes_no_question_even_without_a_mailbox_of_sent_mail(self):
        box = self.new_box()
        if self.kind == "imap":
            box.drop("Sent")
        box.add("INBOX", letter("Please look", sender=CARL))
        place = self.new_place(box)
        self.check(place.opus("sync"))
        mail, = place.opus("list", "--json").json["items"]
        # The first draft is still in the trash.
        for _ in range(2):
            self.check(place.opus("delegate", mail["id"], "bob@acme.example", "--until", "friday"))
            self.assertPlaces(box, {"please-look": "Archive"})
            draft, = place.opus("drafts", "--json").json["items"]
            self.check(place.opus("drafts", "discard", draft["id"], "--yes"), 0, "its mail comes back")
            self.assertPlaces(box, {"please-look": "INBOX"})
            self.assertEqual((self.waiting(place), box.held("Drafts")), ([], []))
            self.assertNothingMore(place, box)

    def test_a_delegation_is_sent_once_after_an_earlier_one_was_undone(self):
        for first, second in (([], []), (["--note", "Please do it"], ["--note", "Please"])):
            with self.subTest(second):
                box = self.new_box()
                box.add("INBOX", letter("Please look", sender=CARL))
                place = self.new_place(box, smtp="starttls", name=f"workspace{len(second)}")
                self.check(place.opus("sync"))
                mail, = place.opus("list", "--json").json["items"]
                self.check(place.opus("delegate", mail["id"], "bob@acme.example", *first))
                self.check(place.opus("undo", "--yes"))
                self.check(place.opus("delegate", mail["id"], "bob@acme.example", *second, "--send", "--yes", "--no-hold"),
                           0, "Sent ")
                self.check(place.opus("run", "--yes"))
                self.assertPlaces(box, {"please-look": "Archive"})
                self.assertEqual(len(box.held("Sent")), 1)
                # A draft that stays could be sent a second time.
                self.assertEqual((box.held("Drafts"), place.opus("drafts", "--json").json["items"]), ([], []))
                item, = place.opus("waiting", "--json").json["items"]
                self.assertEqual(item["wait"]["state"], "sent")

    def test_a_rule_makes_no_task_for_a_later_mail_when_the_first_task_is_done(self):
        box, place = self.asked()
        box.add("Sent", letter("Re: Question 1", "again", sender=ANA, to=BOB, minutes=60,
                               headers={"In-Reply-To": "<q@test.example>"}))
        self.check(place.opus("run", "--yes"), 0, "the thread already has its open task")
        self.assertNothingMore(place, box)
        self.assertNotIn("open task", place.opus("run", "--yes").err, "it is said once")
        item, = place.opus("waiting", "--json").json["items"]
        self.check(place.opus("task", "done", item["id"]))
        self.check(place.opus("run", "--yes"))
        self.assertEqual(place.opus("waiting", "--json").json["items"], [])
        self.assertEqual(len(list(place.tasks.glob("*/*.ics"))), 1)

    def test_the_label_of_a_nudge_is_not_set_on_the_answer(self):
        box = self.new_box()
        box.add("INBOX", letter("NDA", "nda", sender=CARL, body="Thanks. I'll get back to you by 13 March.\n"))
        place = self.new_place(box, REPOSITORY / "rules")
        self.check(place.opus("run", "--yes"))
        self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertIn("nudge", box.find("INBOX", "nda@test.example").flags)
        box.add("INBOX", letter("Re: NDA", "answer", sender=CARL, minutes=60 * 24 * 9, body="Here it is.\n",
                                headers={"In-Reply-To": "<nda@test.example>"}))
        self.check(place.opus("run", "--yes", now=WEEKS), 0, "Decide: ")
        self.assertEqual(box.find("INBOX", "answer@test.example").flags & {"nudge"}, frozenset())

    # Answers

    QUESTION = """\
rules-version: 1
name: questions
rules:
  - { id: ask, mailboxes: [Sent], when: 'subject:question', then: [{ waiting: { until: +3 business days } }] }
  - { id: close, mailboxes: [Sent], when: 'subject:quick', then: [{ waiting: { on-reply: close } }] }
  - { id: keep, mailboxes: [Sent], when: 'subject:long', then: [{ waiting: { who: '{{to.address}}', on-reply: keep } }] }
  - { id: nudge, when: 'task:waited>2d', then: [{ label: nudge }] }
"""

    def asked(self, subject="Question 1", to=BOB, name="workspace"):
        """A mail that was sent, and the task that waits for its answer."""
        box, place = self.place_with(name=name)
        place.write_rules(self.QUESTION)
        box.add("Sent", letter(subject, "q", sender=ANA, to=to))
        self.check(place.opus("run", "--yes"))
        return box, place

    def answer(self, name="a", sender=BOB, days=3, to_mail="q@test.example", **options):
        headers = {"In-Reply-To": f"<{to_mail}>", "References": f"<{to_mail}>"} if to_mail else {}
        headers |= options.pop("headers", {})
        return letter(options.pop("subject", "Re: Question 1"), name, sender=sender, minutes=60 * 24 * days,
                      headers=headers, **options)

    def waits(self, place, now=WEEKS):
        """(title, list, state) of what `opus waiting` shows."""
        return [(item["summary"], item["list"], item["wait"]["state"])
                for item in self.check(place.opus("waiting", "--json", now=now)).json["items"]]

    def text(self, place):
        """The one task file, without folded lines."""
        path, = place.tasks.rglob("*.ics")
        return path.read_bytes().decode().replace("\r\n ", "")

    def test_a_rule_for_sent_mail_does_not_wait_for_answers_to_automatic_replies_and_delegations(self):
        box, place = self.place_with(letter("Please look", sender=CARL))
        place.write_rules(RULES.rstrip() + """
  - { id: all, mailboxes: [Sent], when: '*', then: [waiting] }
""")
        self.check(place.opus("run", "--yes"))
        delegated, = self.waiting(place)
        draft, = box.held("Drafts")
        box.move(draft.message_id, "Drafts", "Sent")
        box.mark("Sent", draft.message_id, remove=[r"\Draft"])
        box.add("Sent", letter("Auto: hello", sender=ANA, to=CARL, headers={"Auto-Submitted": "auto-replied (vacation)"}))
        box.add("Sent", letter("Hello", sender=ANA, to=CARL))
        self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertEqual(sorted(self.waiting(place)),
                         sorted([delegated, ("Waiting for Carl Green: Hello", CARL)]))

    def test_a_wait_is_overdue_once_after_each_day_to_ask_again(self):
        box, place = self.place_with()
        box.add("Sent", letter("Question 1", sender=ANA, to=CARL, name="q"))
        self.check(place.opus("run", "--yes"))
        item, = place.opus("task", "list", "--json").json["items"]
        for day in (20, 24, 28):
            self.check(place.opus("task", "defer", item["id"], "+2d", now=f"2026-03-{day}T08:30:00+01:00"))
            self.check(place.opus("run", "--yes", now=f"2026-03-{day}T09:30:00+01:00"))
            after = f"2026-03-{day + 3}T09:00:00+02:00"
            self.check(place.opus("run", "--yes", now=after), 0, "is overdue: Carl Green has not answered", "task changed")
            self.assertIn(f"Wait: overdue since 2026-03-{day + 2}", self.text(place))
            self.assertEqual(self.check(place.opus("run", "--yes", now=after)).out, "Nothing to do.\n")

    def test_a_wait_is_sent_then_overdue_then_answered(self):
        box, place = self.asked()
        self.assertEqual(self.waits(place, CLOCK), [("Waiting for Bob Singh: Question 1", "waiting", "sent")])
        self.assertEqual(self.waits(place), [("Waiting for Bob Singh: Question 1", "waiting", "overdue")])
        self.check(place.opus("run", "--yes", now=WEEKS), 0, "is overdue: Bob Singh has not answered")
        self.assertIn("Wait: overdue since 2026-03-13", self.text(place))
        self.check(place.opus("waiting", "--overdue", now=WEEKS), 0, "Question 1", "overdue")
        box.add("INBOX", self.answer(days=14))
        self.check(place.opus("run", "--yes", now=NEXT), 0, "was answered after 14 days by Bob Singh",
                   "Decide: Question 1")
        self.assertEqual(self.waits(place, NEXT), [("Decide: Question 1", "next", "answered")])
        text = self.text(place)
        self.assertIn("mid:a@test.example", text)
        self.assertNotIn("DTSTART", text)
        self.assertPlaces(box, {"a": "INBOX"})
        self.assertEqual(box.find("INBOX", "a@test.example").flags & {"nudge"}, frozenset())
        self.assertIn("Decide: Question 1", self.check(place.opus("next", now=NEXT)).out)
        self.check(place.opus("undo", "--yes", now=NEXT))
        self.assertEqual(self.waits(place, NEXT), [("Waiting for Bob Singh: Question 1", "waiting", "answered")])
        self.check(place.opus("run", "--yes", now=NEXT))
        self.assertEqual(self.waits(place, NEXT), [("Waiting for Bob Singh: Question 1", "waiting", "answered")])

    def test_the_answer_of_the_next_morning_came_after_a_day(self):
        box, place = self.asked()
        box.add("INBOX", letter("Re: Question 1", "a", sender=BOB, minutes=60 * 24 - 30,
                                headers={"In-Reply-To": "<q@test.example>"}))
        self.check(place.opus("run", "--yes", now=NEXT), 0, "was answered after 1 day by Bob Singh")
        self.assertIn("after 1 day", self.check(place.opus("briefing", now=NEXT)).out)

    def test_an_answer_does_what_on_reply_says(self):
        for subject, state in (("Quick 1", []), ("Long 1", [("Waiting for Bob Singh: Long 1", "waiting", "answered")])):
            with self.subTest(subject):
                box, place = self.asked(subject, name=subject.split()[0])
                box.add("INBOX", self.answer(subject=f"Re: {subject}"))
                self.check(place.opus("run", "--yes", now=WEEKS), 0, "answer")
                self.assertEqual(self.waits(place), state)
                self.assertPlaces(box, {"a": "INBOX"})

    def test_only_people_who_were_asked_answer(self):
        box, place = self.asked(to=f"{BOB}, {CARL}")
        box.add("INBOX", [self.answer("stranger", "Bob Singh <bob@evil.example>"), self.answer("one")])
        self.check(place.opus("run", "--yes", now=WEEKS), 0, "Carl Green has not answered")
        (title, where, state), = self.waits(place)
        self.assertEqual((title, where, state), ("Waiting for Bob Singh, Carl Green: Question 1", "waiting", "overdue"))
        box.add("INBOX", self.answer("two", CARL, days=5))
        self.check(place.opus("run", "--yes", now=WEEKS), 0, "by Bob Singh, Carl Green")
        self.assertEqual([where for _, where, _ in self.waits(place)], ["next"])

    def test_both_spellings_of_an_international_domain_are_one_person(self):
        readable, mailed = "Kim <kim@bücher.example>", "Kim <kim@xn--bcher-kva.example>"
        for asked, writer, names in ((readable, mailed, True), (mailed, readable, True), (readable, mailed, False)):
            with self.subTest(asked, names=names):
                box, place = self.asked(to=asked, name=f"{asked == readable}{names}")
                box.add("INBOX", self.answer(sender=writer, to_mail="q@test.example" if names else None))
                self.check(place.opus("run", "--yes", now=WEEKS), 0, "was answered")
                self.assertEqual(self.waits(place), [("Decide: Question 1", "next", "answered")])

    def test_the_writer_of_the_answered_mail_answers_although_the_reply_went_to_a_team(self):
        box, place = self.place_with(letter("Plan", "plan", headers={"Reply-To": "team@acme.example"}))
        place.write_rules(self.QUESTION)
        box.add("Sent", letter("Re: Plan question", "q", sender=ANA, to="team@acme.example", minutes=1,
                               headers={"In-Reply-To": "<plan@test.example>"}))
        self.check(place.opus("run", "--yes"))
        # Another person of the same thread was not asked.
        box.add("INBOX", self.answer("other", CARL))
        self.check(place.opus("run", "--yes", now=WEEKS), 0, "is overdue")
        box.add("INBOX", self.answer("bobs", days=4))
        self.check(place.opus("run", "--yes", now=NEXT), 0, "was answered", "by Bob Singh")

    def test_an_answer_without_references_is_a_guess(self):
        box, place = self.asked()
        box.add("INBOX", [self.answer("other", to_mail=None, subject="Lunch"),
                          self.answer("late", to_mail=None, days=31), self.answer("eve", CARL, to_mail=None)])
        self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertEqual([state for _, _, state in self.waits(place)], ["overdue"])
        box.add("INBOX", self.answer("guess", to_mail=None, subject="AW: Question 1"))
        self.check(place.opus("run", "--yes", now=WEEKS), 0, "a guess")
        item, = place.opus("waiting", "--json", now=WEEKS).json["items"]
        self.assertEqual([answer["isGuess"] for answer in item["wait"]["answers"]], [True])

    def test_an_absence_moves_the_day_to_ask(self):
        for days in (1, 7):
            with self.subTest(days=days):
                box, place = self.asked(name=f"away-{days}")
                now = f"2026-03-{10 + days}T09:00:00+01:00"
                done = self.check(place.opus("run", "--yes", now=now))
                self.assertEqual("is overdue" in done.text, days == 7)
                box.add("INBOX", self.answer("away", days=days, subject="Automatic reply: Question 1",
                                             body="I am out of the office until 3 April 2026.\n",
                                             headers={"Auto-Submitted": "auto-replied"}))
                self.check(place.opus("run", "--yes", now=now), 0, "is away until 2026-04-03", "ask again on 2026-04-06")
                item, = place.opus("waiting", "--json", now=now).json["items"]
                self.assertEqual(item["wait"]["state"], "sent")
                self.assertIn("DTSTART;VALUE=DATE:20260406", self.text(place))
                self.assertIn("Wait: sent 2026-03-10", self.text(place))
                self.assertNothingMore(place, box, now=now)

    def test_a_bounce_makes_the_wait_undelivered(self):
        for way, extra in (("named", {"In-Reply-To": "<q@test.example>"}), ("report", {})):
            with self.subTest(way):
                box, place = self.asked(name=way)
                box.add("INBOX", bounce("bob@acme.example", "q@test.example", **extra))
                self.check(place.opus("run", "--yes", now=NEXT), 0, "did not reach bob@acme.example")
                self.assertEqual([state for _, _, state in self.waits(place)], ["undelivered"])
                self.assertIn("not delivered to bob@acme.example", self.text(place))

    def test_a_report_in_any_language_names_the_person_whom_the_mail_did_not_reach(self):
        for action, state, undelivered in (("failed", "undelivered", ["carl@other.example"]), ("delayed", "sent", []),
                                           ("relayed", "sent", [])):
            with self.subTest(action):
                box, place = self.asked(to=f"{BOB}, {CARL}", name=action)
                report = bounce("carl@other.example", "q@test.example").replace(
                    b"Action: failed", f"Action: {action}".encode())
                text = b"This is the mail system.\n\n<carl@other.example>: user unknown\n"
                self.assertIn(text, report)
                box.add("INBOX", report.replace(text, b"Lasa bela.\n").replace(b"Undelivered Mail Returned", b"Nuva"))
                self.check(place.opus("run", "--yes"))
                item, = place.opus("waiting", "--json").json["items"]
                self.assertEqual((item["wait"]["state"], item["wait"]["undelivered"]), (state, undelivered))

    def test_the_answer_to_a_delegation_needs_a_decision(self):
        box, place = self.place_with(letter("Please look", sender=CARL))
        self.check(place.opus("run", "--yes"))
        self.assertEqual([state for _, _, state in self.waits(place)], ["drafted"])
        self.assertIn("drafted\\, not sent yet", self.text(place))
        draft, = box.held("Drafts")
        box.remove("Drafts", draft.message_id)
        box.add("Sent", letter("Fwd: Please look", "forwarded", sender=ANA, to=BOB, minutes=120,
                               headers={"References": "<please-look@test.example>"}))
        self.check(place.opus("run", "--yes", now=NEXT))
        self.assertEqual([state for _, _, state in self.waits(place)], ["sent"])
        self.assertIn("Wait: sent 2026-03-10", self.text(place))
        # The person who asked us is not the one whom we asked.
        box.add("INBOX", self.answer("carl", CARL, to_mail="please-look@test.example", subject="Re: Please look"))
        box.add("INBOX", self.answer("bob", to_mail="forwarded@test.example", subject="Re: Fwd: Please look"))
        self.check(place.opus("run", "--yes", now=NEXT), 0, "by Bob Singh: it is now “Decide: Please look”")
        item, = place.opus("waiting", "--json", now=NEXT).json["items"]
        self.assertEqual([answer["messageID"] for answer in item["wait"]["answers"]], ["bob@test.example"])

    def test_the_state_is_found_again_without_the_store(self):
        box, place = self.asked()
        box.add("INBOX", self.answer())
        shutil.rmtree(place.root / ".opus")
        self.check(place.opus("run", "--yes", now=NEXT), 0, "Decide: Question 1")
        shutil.rmtree(place.root / ".opus")
        self.check(place.opus("run", "--yes", now=NEXT))
        self.assertEqual(self.waits(place, NEXT), [("Decide: Question 1", "next", "answered")])

    def test_an_answer_proves_that_a_delegation_was_sent(self):
        for draft, store in ((True, True), (False, True), (False, False)):
            with self.subTest(draft=draft, store=store):
                box, place = self.place_with(letter("Please look", sender=CARL), name=f"place-{draft}-{store}")
                self.check(place.opus("run", "--yes"))
                held, = box.held("Drafts")
                name = held.message_id.strip("<>")
                if not draft:
                    box.remove("Drafts", name)
                if not store:
                    shutil.rmtree(place.root / ".opus")
                    place.write_rules("rules-version: 1\n")
                # A stranger's mail proves nothing.
                box.add("INBOX", letter("Re: Fwd: Look", "eve", sender="Eve <eve@x.example>", minutes=60 * 24,
                                        headers={"In-Reply-To": f"<{name}>"}))
                box.add("INBOX", letter("Re: Fwd: Please look", "bob", sender=BOB, minutes=60 * 24 * 3,
                                        headers={"In-Reply-To": f"<{name}>"}))
                done = self.check(place.opus("run", "--yes", now=NEXT), 0, "was answered after 3 days by Bob Singh")
                self.assertNotIn("discarded", done.text)
                self.assertEqual(self.waits(place, NEXT), [("Decide: Please look", "next", "answered")])
                self.assertPlaces(box, {"please-look": "Archive", "bob": "INBOX"})
                # The copy reaches Sent late.
                box.add("Sent", letter("Fwd: Please look", "forwarded", sender=ANA, to=BOB, minutes=120,
                                       headers={"References": "<please-look@test.example>"}))
                self.check(place.opus("run", "--yes", now=NEXT))
                self.assertEqual(self.waits(place, NEXT), [("Decide: Please look", "next", "answered")])

    def test_a_delegation_whose_draft_was_deleted_was_not_sent_even_after_the_store_was_lost(self):
        box, place = self.place_with(letter("Please look", sender=CARL))
        self.check(place.opus("run", "--yes"))
        draft, = box.held("Drafts")
        box.remove("Drafts", draft.message_id)
        shutil.rmtree(place.root / ".opus")
        place.write_rules("rules-version: 1\n")
        self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertEqual([state for _, _, state in self.waits(place)], ["drafted"])
        self.assertIn("not sent yet", self.check(place.opus("briefing", now=WEEKS)).out)
        self.assertNothingMore(place, box, now=WEEKS)
        # A program had sent it, and its copy reaches Sent late.
        box.add("Sent", letter("Fwd: Please look", "forwarded", sender=ANA, to=BOB, minutes=120,
                               headers={"References": "<please-look@test.example>"}))
        self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertEqual([state for _, _, state in self.waits(place)], ["sent"])

    # By hand

    def test_a_delegation_by_hand_is_one_run_and_is_undone_as_one(self):
        box, place = self.place_with(letter("Server move", sender=CARL), letter("Other", minutes=1))
        item, = [one for one in self.opened(place) if one["subject"] == "Server move"]
        self.check(place.opus("delegate", item["id"], "bob@acme.example", "--note", "Yours please.",
                                     "--until", "friday", "--json"))
        self.assertEqual(self.waits(place, CLOCK), [("Waiting for bob@acme.example: Server move", "waiting", "drafted")])
        self.assertPlaces(box, {"server-move": "Archive", "other": "INBOX"})
        draft, = box.held("Drafts")
        self.check(place.opus("delegate", item["id"], "carl@other.example"), 64, "already")
        self.check(place.opus("delegate", item["id"], "ana@acme.example"), 64, "your own address")
        self.check(place.opus("undo", "--yes"))
        self.assertPlaces(box, {"server-move": "INBOX", "other": "INBOX"})
        self.assertEqual((self.waits(place, CLOCK), box.held("Drafts")), ([], []))

    def test_undo_of_a_delegation_says_that_its_draft_was_sent(self):
        for way in ("opus", "program"):
            with self.subTest(way):
                box = self.new_box()
                for mailbox in ("Sent", "Drafts", "Archive"):
                    if mailbox not in box.names():
                        box.create(mailbox)
                box.add("INBOX", letter("Server move", sender=CARL))
                place = self.new_place(box, smtp="starttls", name=way)
                item, = self.opened(place)
                self.check(place.opus("delegate", item["id"], "bob@acme.example"))
                if way == "opus":
                    draft, = self.drafts(place)
                    self.check(place.opus("send", draft["id"], "--yes", "--no-hold"))
                else:
                    held, = box.held("Drafts")
                    sent = box.body("Drafts", held.message_id.strip("<>"))
                    box.remove("Drafts", held.message_id)
                    box.add("Sent", sent)
                    self.check(place.opus("sync"))
                self.check(place.opus("undo", "r:0001", "--yes"), 0, "it was sent, and stays sent")
                self.assertPlaces(box, {"server-move": "INBOX"})
                self.assertEqual((self.waiting(place), len(box.held("Sent"))), ([], 1))

    def test_a_delegation_that_another_program_sent_still_waits_when_its_copy_leaves_sent(self):
        box, place = self.place_with(letter("Please look", sender=CARL))
        self.check(place.opus("run", "--yes"))
        draft, = box.held("Drafts")
        sent = box.body("Drafts", draft.message_id.strip("<>"))
        box.remove("Drafts", draft.message_id)
        box.add("Sent", sent)
        self.check(place.opus("run", "--yes"))
        self.assertEqual([state for _, _, state in self.waits(place, CLOCK)], ["sent"])
        box.remove("Sent", draft.message_id)
        done = self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertNotIn("discarded", done.out)
        self.assertEqual([state for _, _, state in self.waits(place)], ["sent"])
        self.assertPlaces(box, {"please-look": "Archive"})
        box.add("INBOX", self.answer("bob", to_mail=draft.message_id.strip("<>"), subject="Re: Fwd: Please look"))
        self.check(place.opus("run", "--yes", now=NEXT), 0, "it is now “Decide: Please look”")

    def test_an_answer_reaches_the_wait_when_the_question_has_left_sent(self):
        for way in ("store", "no store"):
            with self.subTest(way):
                box, place = self.asked(name=way)
                box.remove("Sent", "q@test.example")
                if way == "no store":
                    shutil.rmtree(place.root / ".opus")
                self.check(place.opus("run", "--yes", now=NEXT))
                self.assertEqual([state for _, _, state in self.waits(place, NEXT)], ["overdue"])
                box.add("INBOX", [self.answer("eve", "Eve <eve@x.example>"), self.answer(days=15)])
                self.check(place.opus("run", "--yes", now=NEXT), 0, "by Bob Singh: it is now “Decide: Question 1”")

    # Several accounts

    def two_accounts(self, to=BOB):
        """The question of the first account has been sent, and its task waits."""
        boxes = [self.new_box(), self.new_box()]
        for box in boxes:
            for mailbox in ("Sent", "Drafts", "Archive", "Trash"):
                if mailbox not in box.names():
                    box.create(mailbox)
        lines = [box.yaml(name, f"ana@{name}.example") for name, box in zip(("acme", "home"), boxes)]
        place = Workplace(self.folder / "workspace", "".join(lines), self.QUESTION)
        boxes[0].add("Sent", letter("Question 1", "q", sender="ana@acme.example", to=to))
        self.check(place.opus("run", "--yes"))
        return *boxes, place

    RULES_FOR_ALL = """\
  - { id: archive, when: 'from:bob', then: [{ label: seen }, archive] }
  - { id: defer, when: 'from:carl', then: [{ defer: +3d }] }
  - { id: trash, when: 'from:dora', then: [trash] }
  - { id: bundle, when: 'from:eric', then: [{ bundle: Reading }] }
"""

    def test_rules_leave_an_awaited_answer_in_the_inbox_until_it_is_decided(self):
        people = [BOB, CARL, "Dora <dora@third.example>", "Eric <eric@fourth.example>"]
        box, place = self.place_with()
        place.configure(box.yaml(), "bundles: { Reading: { deliver: saturday 10:00 } }\n")
        place.write_rules(self.QUESTION + self.RULES_FOR_ALL)
        box.add("Sent", [letter(f"Question {n}", f"q{n}", sender=ANA, to=person) for n, person in enumerate(people)])
        self.check(place.opus("run", "--yes"))
        # The same people also write about something else.
        box.add("INBOX", [self.answer(f"a{n}", person, 13, f"q{n}@test.example", subject=f"Re: Question {n}")
                          for n, person in enumerate(people)]
                + [letter(f"News {n}", f"n{n}", sender=person, minutes=60 * 24 * 13) for n, person in enumerate(people)])
        self.check(place.opus("run", "--yes", now=WEEKS), 0, "Decide: Question 0")
        moved = {"n0": "Archive", "n1": "Deferred", "n2": "Trash", "n3": "Deferred"}
        answers = {f"a{n}": "INBOX" for n in range(4)}
        self.assertPlaces(box, moved | answers)
        self.assertIn("seen", box.find("INBOX", "a0@test.example").flags, "labels are set")
        ids = {item["subject"]: item["id"] for item in self.check(place.opus("list", "--json", now=WEEKS)).json["items"]}
        self.check(place.opus("explain", ids["Re: Question 2"], now=WEEKS), 0,
                   "Protected by: the answer to an open task")
        self.assertNothingMore(place, box, now=WEEKS)
        self.assertPlaces(box, answers)
        # A move by hand, and the end of the task, take it out of the inbox.
        self.check(place.opus("archive", ids["Re: Question 2"], now=WEEKS))
        task, = [item["id"] for item in self.check(place.opus("next", "--json", now=WEEKS)).json["items"]
                 if item["summary"] == "Decide: Question 0"]
        box.mark("INBOX", "a0@test.example", add=[r"\Seen"])
        self.check(place.opus("task", "done", task, now=WEEKS))
        self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertPlaces(box, {"a0": "Archive", "a1": "INBOX", "a2": "Archive", "a3": "INBOX"})

    def test_a_rule_for_sent_mail_makes_no_second_wait_for_a_draft_that_another_program_sent(self):
        box, place = self.place_with()
        place.write_rules(self.QUESTION)
        text = place.root / "text"
        text.write_text("When?\n")
        for number, people in enumerate(([BOB], [BOB, CARL])):
            self.check(place.opus("compose", "--to", *", --to, ".join(people).split(", "), "--subject", f"Question {number}",
                                  "--body", str(text), "--wait", "friday"))
        for draft in box.held("Drafts"):
            box.move(draft.message_id, "Drafts", "Sent")
            box.mark("Sent", draft.message_id, remove=[r"\Draft"])
        self.check(place.opus("run", "--yes"), 0, "2 × task written")
        self.assertNothingMore(place, box)
        self.assertEqual(len(list(place.tasks.glob("*/*.ics"))), 2)

    def test_under_a_watch_too_a_draft_that_another_program_sent_waits_once(self):
        box, place = self.place_with()
        place.write_rules(self.QUESTION.replace("{ id: ask,", "{ id: ask, auto: true,"))
        text = place.root / "text"
        text.write_text("When?\n")
        self.check(place.opus("compose", "--to", BOB, "--subject", "Question 1", "--body", str(text), "--wait", "+3 weeks", now=None))
        self.check(place.opus("run", "--yes", now=None))
        draft, = box.held("Drafts")
        with Watching(place) as watching:
            watching.until(lambda event: event["type"] == "listening")
            box.move(draft.message_id, "Drafts", "Sent")
            box.mark("Sent", draft.message_id, remove=[r"\Draft"])
            end = time.monotonic() + PATIENCE
            while not list(place.tasks.glob("*/*.ics")) and time.monotonic() < end:
                time.sleep(0.1)
            # Another mail makes the watch judge once more.
            box.add("Sent", letter("Question 2", "q2", sender=ANA, to=BOB))
            while not any("Question 2" in file.read_text() for file in place.tasks.glob("*/*.ics")):
                self.assertLess(time.monotonic(), end, "the watch judged the second mail")
                time.sleep(0.1)
        self.assertEqual(len(list(place.tasks.glob("*/*.ics"))), 2)

    def test_rules_leave_an_answer_that_came_in_one_sync_with_its_question(self):
        people = [BOB, CARL, "Dora <dora@third.example>", "Eric <eric@fourth.example>"]
        box, place = self.place_with()
        place.configure(box.yaml(), "bundles: { Reading: { deliver: saturday 10:00 } }\n")
        place.write_rules(self.QUESTION + self.RULES_FOR_ALL)
        box.add("Sent", [letter(f"Question {n}", f"q{n}", sender=ANA, to=person) for n, person in enumerate(people)]
                + [letter("Quick 5", "q5", sender=ANA, to=BOB), letter("Long 6", "q6", sender=ANA, to=BOB)])
        box.add("INBOX", [self.answer(f"a{n}", person, to_mail=f"q{n}@test.example", subject=f"Re: Question {n}")
                          for n, person in enumerate(people)]
                + [self.answer("a5", to_mail="q5@test.example", subject="Re: Quick 5"),
                   self.answer("a6", to_mail="q6@test.example", subject="Re: Long 6")])
        self.check(place.opus("run", "--yes", now=WEEKS), 0, "Decide: Question 0")
        answers = {f"a{n}": "INBOX" for n in range(4)}
        # The task of one of the others is done, and that of the other decides nothing.
        self.assertPlaces(box, answers | {"a5": "Archive", "a6": "Archive"})
        self.assertNothingMore(place, box, now=WEEKS)
        self.assertPlaces(box, answers)

    def test_a_later_guess_does_not_keep_a_wait_open_that_an_answer_closed(self):
        box, place = self.place_with()
        place.write_rules(self.QUESTION)
        guess = self.answer("late", days=4, to_mail=None, subject="Re: Quick 1")
        box.add("Sent", letter("Quick 1", "q", sender=ANA, to=BOB))
        box.add("INBOX", [self.answer(subject="Re: Quick 1"), guess])
        self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertEqual(self.waits(place), [])
        self.assertIn("STATUS:COMPLETED", self.text(place))
        # The other way round, the user decides.
        box, place = self.place_with(name="guess-first")
        place.write_rules(self.QUESTION)
        box.add("Sent", letter("Quick 1", "q", sender=ANA, to=BOB))
        box.add("INBOX", [guess, self.answer(days=5, subject="Re: Quick 1")])
        self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertEqual(self.waits(place), [("Decide: Quick 1", "next", "answered")])

    def test_triage_alone_leaves_an_awaited_answer_in_the_inbox(self):
        box, place = self.asked()
        place.write_rules(self.QUESTION + self.RULES_FOR_ALL)
        box.add("INBOX", [self.answer(days=13), letter("News", "news", minutes=60 * 24 * 13)])
        self.check(place.opus("sync", now=WEEKS))
        self.check(place.opus("triage", "--yes", now=WEEKS))
        self.assertPlaces(box, {"a": "INBOX", "news": "Archive"})

    def test_a_rule_about_tasks_may_move_an_awaited_answer(self):
        box, place = self.place_with()
        box.create("Answers")
        place.write_rules(self.QUESTION + "  - { id: file, when: 'task:answered', then: [{ move: Answers }] }\n")
        box.add("Sent", letter("Question 1", "q", sender=ANA, to=BOB))
        self.check(place.opus("run", "--yes"))
        box.add("INBOX", self.answer())
        self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertPlaces(box, {"a": "Answers"})

    def test_rules_leave_an_awaited_answer_in_the_inbox_of_another_account(self):
        acme, home, place = self.two_accounts()
        place.write_rules(self.QUESTION + self.RULES_FOR_ALL)
        home.add("INBOX", self.answer(days=14))
        self.check(place.opus("run", "--yes", now=NEXT), 0, "Decide: Question 1")
        self.assertPlaces(home, {"a": "INBOX"})

    def test_a_rule_moves_an_answer_for_which_the_task_keeps_waiting(self):
        box, place = self.asked("Long 1")
        place.write_rules(self.QUESTION + self.RULES_FOR_ALL)
        box.add("INBOX", self.answer(subject="Re: Long 1"))
        self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertPlaces(box, {"a": "Archive"})

    def test_an_answer_in_another_account_ends_the_wait(self):
        acme, home, place = self.two_accounts()
        # Neither a stranger, nor mail about something else, nor a reply of the user, nor mail without references.
        home.add("INBOX", [self.answer("eve", "Bob Singh <bob@evil.example>"), self.answer("other", to_mail="x@test.example"),
                           self.answer("guess", to_mail=None),
                           self.answer("link", CARL, headers={"References": "<q@test.example> <guess@test.example>"}),
                           self.answer("own", "ana@home.example", to="ana@acme.example")])
        self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertEqual(self.waits(place), [("Waiting for Bob Singh: Question 1", "waiting", "overdue")])
        before = self.text(place)
        home.add("INBOX", self.answer(days=14))
        # A run of the account with the answer, and of no other, notes it.
        self.check(place.opus("run", "--yes", "--account", "home", now=NEXT), 0,
                   "was answered after 14 days by Bob Singh: it is now “Decide: Question 1”")
        self.assertEqual(self.waits(place, NEXT), [("Decide: Question 1", "next", "answered")])
        self.assertEqual(self.text(place).count("mid:a@test.example"), 1)
        self.assertEqual(place.opus("list", "--account", "home", now=NEXT).out.count("answered after 14 days, task t:"), 1)
        self.assertNothingMore(place, acme, home, now=NEXT)
        # A copy in the account of the question is not another answer.
        acme.add("INBOX", self.answer(days=14))
        done = self.check(place.opus("run", "--yes", now=NEXT))
        self.assertNotIn("answer", done.out)
        item, = place.opus("waiting", "--json", now=NEXT).json["items"]
        self.assertEqual([one["messageID"] for one in item["wait"]["answers"]], ["a@test.example"])
        self.check(place.opus("undo", "--yes", now=NEXT))
        self.assertEqual(self.text(place), before)
        self.assertNothingMore(place, acme, home, now=NEXT)
        self.assertEqual(self.text(place), before)

    def test_a_bounce_in_another_account_makes_the_wait_undelivered(self):
        acme, home, place = self.two_accounts()
        home.add("INBOX", bounce("bob@acme.example", "other@test.example"))
        self.check(place.opus("run", "--yes", now=NEXT))
        self.assertEqual([state for _, _, state in self.waits(place)], ["overdue"])
        home.add("INBOX", bounce("bob@acme.example", "q@test.example").replace(b"<bounce@", b"<bounce2@"))
        self.check(place.opus("run", "--yes", now=NEXT), 0, "did not reach bob@acme.example")
        self.assertEqual([state for _, _, state in self.waits(place)], ["undelivered"])
        self.assertNothingMore(place, acme, home, now=NEXT)

    def test_an_undone_answer_of_several_people_stays_undone_when_a_copy_comes(self):
        acme, home, place = self.two_accounts(to=f"{BOB}, {CARL}")
        home.add("INBOX", self.answer())
        self.check(place.opus("run", "--yes", now=WEEKS), 0, "Carl Green has not answered")
        before = self.text(place)
        home.add("INBOX", self.answer("two", CARL, days=14))
        self.check(place.opus("run", "--yes", now=NEXT), 0, "by Bob Singh, Carl Green")
        self.check(place.opus("undo", "--yes", now=NEXT))
        self.assertEqual(self.text(place), before)
        acme.add("INBOX", self.answer("two", CARL, days=14))
        self.assertNotIn("Question", self.check(place.opus("run", "--yes", now=NEXT)).out)
        self.assertNothingMore(place, acme, home, now=NEXT)
        self.assertEqual(self.text(place), before)

    def test_a_watch_notes_an_answer_in_another_account(self):
        acme, home, place = self.two_accounts()
        with Watching(place) as watching:
            for name in ("acme", "home"):
                watching.until(lambda event: event["type"] == "listening" and event["account"] == name)
            home.add("INBOX", self.answer(days=1))
            end = time.monotonic() + PATIENCE
            while not list(place.tasks.glob("next/*.ics")) and time.monotonic() < end:
                time.sleep(0.1)
        self.assertEqual(self.waits(place, None), [("Decide: Question 1", "next", "answered")])

    # What opus noted, and undo

    def test_undo_without_a_run_leaves_out_runs_that_only_noted_mail(self):
        box = self.new_box()
        for mailbox in ("Sent", "Drafts", "Archive"):
            if mailbox not in box.names():
                box.create(mailbox)
        box.add("INBOX", letter("Server move", sender=CARL))
        place = self.new_place(box, smtp="starttls")
        item, = self.opened(place)
        self.check(place.opus("delegate", item["id"], "bob@acme.example", "--send", "--yes", "--no-hold"))
        self.check(place.opus("run", "--yes"))
        self.assertIn("Wait: sent", self.text(place))
        newest = place.opus("runs", "list", "--json").json["items"][0]["id"]
        self.assertNotEqual(newest, "r:0001")
        # What was sent cannot be undone.
        self.check(place.opus("undo", "--yes"), 1, "it was sent, and stays sent")
        self.assertPlaces(box, {"server-move": "INBOX"})
        self.assertEqual((list(place.tasks.glob("*/*.ics")), len(box.held("Sent"))), ([], 1))

    def test_undo_of_an_older_wait_does_not_count_what_opus_noted_as_an_edit(self):
        for way in ("opus", "user"):
            with self.subTest(way):
                box, place = self.place_with(letter("Plan", "q", sender=BOB), name=way)
                place.write_rules(NO_RULES)
                item, = self.opened(place)
                self.check(place.opus("wait", item["id"], "--until", "friday"))
                run = place.opus("runs", "list", "--json").json["items"][0]["id"]
                self.check(place.opus("run", "--yes", now=WEEKS), 0, "is overdue")
                box.add("INBOX", self.answer(days=14))
                self.check(place.opus("run", "--yes", now=NEXT), 0, "Decide: Plan")
                if way == "user":
                    path, = place.tasks.rglob("*.ics")
                    path.write_bytes(path.read_bytes().replace(b"SUMMARY:", b"SUMMARY:My "))
                    self.check(place.opus("undo", run, "--yes", now=NEXT), 1, "was edited since")
                    self.assertEqual(len(list(place.tasks.glob("*/*.ics"))), 1)
                else:
                    self.check(place.opus("undo", run, "--yes", now=NEXT))
                    self.assertEqual(list(place.tasks.glob("*/*.ics")), [])
                    self.assertNothingMore(place, box, now=NEXT)

    def test_undo_of_a_change_keeps_the_replies_that_opus_noted_since(self):
        box, place = self.asked()
        box.add("INBOX", self.answer())
        self.check(place.opus("run", "--yes", now=WEEKS), 0, "Decide: Question 1")
        box.add("INBOX", self.answer("more", days=14, subject="Re: Question 1, more"))
        self.check(place.opus("run", "--yes", now=NEXT), 0, "has a reply")
        self.check(place.opus("undo", "--yes", now=NEXT))
        self.assertEqual([where for _, where, _ in self.waits(place, NEXT)], ["waiting"])
        self.assertIn("Re: Question 1\\, more", self.text(place))
        self.assertNotIn("Wait: answered", self.text(place))
        # Undo of the undo, and then all of it.
        undo = place.opus("runs", "list", "--json", now=NEXT).json["items"][0]["id"]
        self.check(place.opus("undo", undo, "--yes", now=NEXT))
        self.assertEqual([where for _, where, _ in self.waits(place, NEXT)], ["next"])
        self.check(place.opus("undo", "r:0001", "--yes", now=NEXT))
        self.assertEqual(list(place.tasks.glob("*/*.ics")), [])

    def test_what_opus_noted_and_the_user_undid_is_not_noted_again(self):
        for mail in ("answer", "bounce", "absence"):
            with self.subTest(mail):
                box, place = self.asked(name=mail)
                self.check(place.opus("run", "--yes", now=WEEKS), 0, "is overdue")
                before = self.text(place)
                away = self.answer("away", days=14, body="I am out of the office until 3 April 2026.\n",
                                   subject="Automatic reply: Question 1", headers={"Auto-Submitted": "auto-replied"})
                box.add("INBOX", {"answer": self.answer(days=14), "absence": away, "bounce": bounce(
                    "bob@acme.example", "q@test.example", **{"In-Reply-To": "<q@test.example>"})}[mail])
                self.check(place.opus("run", "--yes", now=NEXT))
                run = place.opus("runs", "list", "--json", now=NEXT).json["items"][0]["id"]
                self.assertNotEqual(self.text(place), before)
                self.check(place.opus("undo", run, "--yes", now=NEXT))
                self.assertEqual(self.text(place), before)
                self.assertNothingMore(place, box, now=NEXT)
                self.assertEqual(self.text(place), before)

    def test_a_further_answer_to_a_decision_is_named(self):
        box, place = self.asked()
        box.add("INBOX", self.answer())
        self.check(place.opus("run", "--yes", now=WEEKS), 0, "Decide: Question 1")
        box.add("INBOX", self.answer("more", days=15))
        self.check(place.opus("run", "--yes", now=NEXT), 0, "task “Decide: Question 1” has a reply from Bob Singh")
        self.assertNothingMore(place, box, now=NEXT)

    def test_a_discarded_draft_takes_a_delegation_by_hand_back(self):
        box, place = self.place_with(letter("Server move", sender=CARL))
        item, = self.opened(place)
        self.check(place.opus("delegate", item["id"], "bob@acme.example"))
        draft, = box.held("Drafts")
        box.remove("Drafts", draft.message_id)
        self.check(place.opus("run", "--yes"), 0, "its mail comes back")
        self.assertPlaces(box, {"server-move": "INBOX"})
        self.assertEqual(self.waits(place, CLOCK), [])
        # The second draft has the Message-ID of the first one.
        self.check(place.opus("delegate", item["id"], "bob@acme.example", "--note", "Again."))
        self.check(place.opus("undo", "--yes"))
        self.assertPlaces(box, {"server-move": "INBOX"})
        self.assertEqual((self.waits(place, CLOCK), box.held("Drafts")), ([], []))

    def test_a_wait_by_hand_is_for_those_to_whom_the_mail_went(self):
        box, place = self.place_with(letter("Hello", sender=CARL))
        box.add("Sent", letter("Plan", "q", sender=ANA, to=f"{BOB}, {CARL}"))
        self.check(place.opus("sync"))
        for name, words in (("q", ["--until", "friday"]), ("hello", ["--on-reply", "keep"])):
            item, = [one for one in self.check(place.opus("search", "subject:plan or subject:hello", "--json")).json["items"]
                     if one["messageID"] == f"{name}@test.example"]
            self.check(place.opus("wait", item["id"], *words))
            self.check(place.opus("wait", item["id"]), 64, "already")
        found = {item["summary"]: item for item in place.opus("waiting", "--json").json["items"]}
        self.assertEqual(found["Waiting for Bob Singh, Carl Green: Plan"]["wait"]["asked"],
                         ["bob@acme.example", "carl@other.example"])
        self.assertEqual(found["Waiting for Bob Singh, Carl Green: Plan"]["start"], "2026-03-13")
        self.assertEqual(found["Waiting for Carl Green: Hello"]["onReply"], "keep")

    def test_a_plan_names_everyone_who_is_to_answer(self):
        box, place = self.place_with()
        box.add("Sent", letter("Plan", "q", sender=ANA, to=f"{BOB}, {CARL}"))
        self.check(place.opus("sync"))
        item, = self.check(place.opus("search", "subject:plan", "--json")).json["items"]
        words = ("wait", item["id"], "--dry-run")
        self.assertIn("\twaiting=bob@acme.example+carl@other.example\t", self.check(place.opus(*words)).out)
        _, shown = on_terminal(place.command(*words), place.environment(TERM="dumb"), place.root)
        self.assertIn("+ waiting-for bob@acme.example, carl@other.example", shown)

    def test_a_delegation_names_the_person_as_the_settings_do(self):
        box = self.new_box()
        box.add("INBOX", letter("Plan"))
        place = self.new_place(box, settings="people: { Bobby: bob@acme.example }\n")
        item, = self.opened(place)
        self.check(place.opus("delegate", item["id"], "bobby"))
        self.assertEqual(self.waiting(place), [("Waiting for Bobby: Plan", "Bobby <bob@acme.example>")])

    def test_a_wait_for_mail_that_is_already_answered_is_decided_in_the_same_run(self):
        for policy, title, closed in (("decide", "Decide: Question 1", False), ("close", "Waiting for Bob Singh: Question 1", True)):
            with self.subTest(policy):
                box, place = self.place_with(self.answer(days=0), name=policy)
                place.write_rules(NO_RULES)
                box.add("Sent", letter("Question 1", "q", sender=ANA, to=BOB, minutes=-60))
                self.check(place.opus("sync"))
                mail, = [item for item in place.opus("list", "--all", "--json").json["items"] if item["subject"] == "Question 1"]
                before = box.fingerprint()
                self.check(place.opus("wait", mail["id"], "--until", "friday", "--on-reply", policy), 0,
                           "was answered on the same day by Bob Singh", "(run r:0001)")
                text = place.task(title).read_text()
                self.assertEqual("\nSTATUS:COMPLETED" in text, closed)
                self.assertEqual(place.task(title).parent.name, "waiting" if closed else "next")
                self.assertEqual(len(place.opus("runs", "--json").json["items"]), 1)
                self.assertNothingMore(place, box)
                self.check(place.opus("undo", "--yes"))
                self.assertEqual(list(place.tasks.glob("*/*.ics")), [])
                self.assertEqual(box.fingerprint(), before)
                self.assertNothingMore(place, box)

    def test_a_wait_for_mail_without_a_message_id_is_answered(self):
        """Only the notes of its task name a mail: the answer. It is not the mail of the task."""
        box, place = self.place_with(letter("Offer", sender=CARL, headers={"Message-ID": None}))
        place.write_rules(NO_RULES)
        self.check(place.opus("sync"))
        mail, = place.opus("list", "--json").json["items"]
        self.check(place.opus("wait", mail["id"], "--until", "thursday"))
        box.add("INBOX", letter("Re: Offer", "a", sender=CARL, minutes=300))
        noon = "2026-03-10T13:00:00+01:00"
        self.check(place.opus("run", "--yes", now=noon), 0, "it is now “Decide: Offer”")
        self.assertNothingMore(place, box, now=noon)
        task, = place.opus("next", "--json", now=noon).json["items"]
        self.check(place.opus("task", "done", task["id"], now=noon))
        self.check(place.opus("run", "--yes", now=noon))
        self.assertEqual((box.subjects("Archive"), box.subjects("INBOX")), (["Offer"], ["Re: Offer"]))
        self.assertNothingMore(place, box, now=noon)

    def test_a_wait_for_two_people_says_who_has_answered(self):
        box, place = self.place_with(self.answer(days=0))
        place.write_rules(NO_RULES)
        box.add("Sent", letter("Question 1", "q", sender=ANA, to=f"{BOB}, {CARL}", minutes=-60))
        self.check(place.opus("sync"))
        mail, = [item for item in place.opus("list", "--all", "--json").json["items"] if item["subject"] == "Question 1"]
        self.check(place.opus("wait", mail["id"]), 0, "has an answer from Bob Singh; Carl Green has not answered")
        self.assertEqual(len(self.waiting(place)), 1)
        self.assertNothingMore(place, box)

    def test_a_day_that_is_over_is_refused_and_a_closed_wait_is_named(self):
        box = self.new_box()
        box.add("INBOX", letter("Plan"))
        place = self.new_place(box)
        item, = self.opened(place)
        self.check(place.opus("wait", item["id"], "--until", "2026-03-09"), 64, '"2026-03-09" is over')
        self.check(place.opus("delegate", item["id"], "carl@other.example", "--until", "2026-03-09"), 64, "is over")
        self.assertEqual((self.waiting(place), box.held("Drafts")), ([], []))
        self.check(place.opus("wait", item["id"], "--until", "today"))
        task = place.opus("waiting", "--json").json["items"][0]["id"]
        self.check(place.opus("nudge", task, "--until", "2026-03-09"), 64, "is over")
        self.check(place.opus("task", "cancel", task))
        self.check(place.opus("wait", item["id"]), 64, "and is closed", f"opus task reopen {task}")

    def test_a_dry_run_of_wait_and_delegate_changes_nothing(self):
        box, place = self.place_with(letter("Plan", "plan", sender=BOB))
        place.write_rules("rules-version: 1\n")
        item, = self.opened(place)
        before = (place.opus("runs").out, box.held("Drafts"))
        wait = ("wait", item["id"], "--until", "friday", "--dry-run")
        hand = ("delegate", item["id"], "carl@other.example", "--send", "--yes", "--dry-run")
        self.assertRegex(self.check(place.opus(*wait)).out, r"\tPlan\twaiting=bob@acme\.example\t1\n")
        self.assertRegex(self.check(place.opus(*hand)).out, r"\tPlan\tdelegate=carl@other\.example,archive\t1\n")
        for words in (wait, hand):
            document = self.check(place.opus(*words, "--json")).json
            self.assertEqual((document["schema"], len(document["plan"]["items"])), ("opus.plan/1", 1))
        self.assertEqual((place.opus("runs").out, box.held("Drafts")), before)
        self.assertEqual(list(place.tasks.glob("*/*.ics")), [])
        self.assertPlaces(box, {"plan": "INBOX"})
        self.check(place.opus("wait", item["id"]))
        self.check(place.opus(*wait), 64, "already")
        self.check(place.opus(*hand[:3]))
        self.check(place.opus(*hand), 64, "already")

    def test_opus_waits_for_no_sender_without_an_address(self):
        for number, sender in enumerate(("N <>", "<@acme.example>", "N <@acme.example>")):
            with self.subTest(sender):
                box, place = self.place_with(letter("Plan", "plan", sender=sender), name=f"w{number}")
                place.write_rules("rules-version: 1\nrules:\n  - { id: w, when: 'subject:plan', then: [waiting, archive] }\n")
                item, = self.opened(place)
                self.check(place.opus("wait", item["id"]), 64, "has no address of a person to wait for", "--who ADDRESS")
                self.assertEqual(list(place.tasks.glob("*/*.ics")), [])
                self.check(place.opus("run", "--yes"), 0, "waits for a person whom the message does not name")
                self.assertEqual(list(place.tasks.glob("*/*.ics")), [])
                self.assertPlaces(box, {"plan": "INBOX"})
                self.check(place.opus("wait", item["id"], "--who", "carl@other.example"))
                self.assertEqual(self.waiting(place), [("Waiting for carl@other.example: Plan", "carl@other.example")])

    def test_a_question_and_its_answer_that_arrive_together_need_one_run(self):
        box, place = self.place_with()
        place.write_rules(self.QUESTION)
        box.add("Sent", letter("Question 1", "q", sender=ANA, to=BOB))
        box.add("INBOX", self.answer())
        self.check(place.opus("run", "--yes", now=WEEKS), 0, "was answered after 3 days by Bob Singh", "Decide: Question 1")
        self.assertEqual(self.waiting(place), [])
        item, = place.opus("task", "list", "--json", now=WEEKS).json["items"]
        self.assertEqual((item["summary"], item["list"]), ("Decide: Question 1", "next"))
        self.assertNothingMore(place, box, now=WEEKS)
        self.check(place.opus("undo", "--yes", now=WEEKS))
        self.assertEqual(list(place.tasks.glob("*/*.ics")), [], "one run, one undo")

    def test_people_are_called_by_the_names_that_the_user_gave_them(self):
        box, place = self.place_with(letter("Please look", sender=CARL), letter("Plan", "plan", sender=CARL, minutes=1))
        place.configure(box.yaml(), "people: { Robert: BOB@acme.example }\n")
        self.check(place.opus("run", "--yes"))
        plan = next(item for item in place.opus("list", "--json").json["items"] if item["subject"] == "Plan")
        self.check(place.opus("wait", plan["id"], "--who", "bob@acme.example"))
        self.assertEqual(sorted(self.waiting(place)), [
            ("Waiting for Robert: Plan", "Robert <BOB@acme.example>"),
            ("Waiting for Robert: Please look", "Robert <BOB@acme.example>")])
        draft, = box.held("Drafts")
        self.assertIn(b"To: Robert <BOB@acme.example>", box.body("Drafts", draft.message_id))

    def test_a_nudge_is_a_draft_to_those_who_have_not_answered(self):
        box, place = self.asked(to=f"{BOB}, {CARL}")
        box.add("INBOX", self.answer("one"))
        self.check(place.opus("run", "--yes", now=WEEKS))
        item, = place.opus("waiting", "--json", now=WEEKS).json["items"]
        task = self.text(place)
        self.check(place.opus("nudge", item["id"], now=WEEKS))
        self.check(place.opus("undo", "--yes", now=WEEKS))
        self.assertEqual((box.held("Drafts"), self.text(place)), ([], task))
        self.check(place.opus("nudge", item["id"], now=WEEKS))
        draft, = box.held("Drafts")
        head = draft.raw.decode() if hasattr(draft, "raw") else ""
        if head:
            self.assertIn("carl@other.example", head)
            self.assertIn("q@test.example", head)
        self.check(place.opus("nudge", item["id"], now=WEEKS), 64, "is not sent yet: it is draft d:")
        self.assertEqual(len(box.held("Drafts")), 1)
        self.discard(place)
        self.check(place.opus("nudge", item["id"], "--until", "friday", now=WEEKS))
        self.assertEqual(len(box.held("Drafts")), 1)
        self.discard(place)
        # Drafts that were discarded do not count, and leave no note.
        self.assertNotIn("Nudge", self.text(place))
        self.assertEqual([state for _, _, state in self.waits(place)], ["sent"])
        box.add("INBOX", self.answer("two", CARL, days=15))
        self.check(place.opus("run", "--yes", now=NEXT))
        self.check(place.opus("nudge", item["id"], now=NEXT), 64, "has answered")

    def test_a_nudge_finds_a_question_that_has_left_sent(self):
        for where in ("Archive", "Trash", None):
            with self.subTest(where):
                box, place = self.asked(name=f"place-{where}")
                if where:
                    box.move("q@test.example", "Sent", where)
                else:
                    box.remove("Sent", "q@test.example")
                self.check(place.opus("run", "--yes", now=WEEKS))
                self.nudge_and_check(box, place, "q@test.example", b"Question 1")

    def test_a_nudge_about_a_delegation_finds_its_mail_that_has_left_sent(self):
        for where in ("Archive", "Trash", None):
            with self.subTest(where):
                box, place = self.place_with(letter("Please look", sender=CARL), name=f"place-{where}")
                self.check(place.opus("run", "--yes"))
                draft, = box.held("Drafts")
                name = draft.message_id.strip("<>")
                sent = box.body("Drafts", name)
                box.remove("Drafts", name)
                box.add("Sent", sent)
                self.check(place.opus("run", "--yes", now=WEEKS))
                self.assertEqual([state for _, _, state in self.waits(place)], ["sent"])
                if where:
                    box.move(name, "Sent", where)
                else:
                    box.remove("Sent", name)
                self.check(place.opus("run", "--yes", now=WEEKS))
                self.nudge_and_check(box, place, name, b"Please look", to="bob@acme.example")

    def nudge_and_check(self, box, place, question, subject, to=BOB):
        item, = place.opus("waiting", "--json", now=WEEKS).json["items"]
        self.check(place.opus("nudge", item["id"], now=WEEKS))
        self.assertEqual(self.recipients(box), [to])
        body = box.body("Drafts", box.held("Drafts")[0].message_id.strip("<>"))
        self.assertIn(f"In-Reply-To: <{question}>".encode(), body)
        self.assertRegex(body, rb"(?m)^Subject: Re: (Fwd: )?" + subject)
        self.assertNothingMore(place, box, now=WEEKS)
        box.add("INBOX", self.answer(days=14, to_mail=question, subject="Re: " + subject.decode()))
        self.check(place.opus("run", "--yes", now=NEXT), 0, "Decide: " + subject.decode(), "no longer needs a nudge")
        self.assertEqual(box.held("Drafts"), [])

    def test_a_nudge_leaves_out_people_whom_the_mail_did_not_reach(self):
        box, place = self.asked(to=f"{BOB}, {CARL}", name="two")
        box.add("INBOX", bounce("bob@acme.example", "q@test.example", **{"In-Reply-To": "<q@test.example>"}))
        self.check(place.opus("run", "--yes", now=WEEKS))
        item, = place.opus("waiting", "--json", now=WEEKS).json["items"]
        self.check(place.opus("nudge", item["id"], now=WEEKS), 0, "Left out: bob@acme.example")
        self.assertEqual(self.recipients(box), [CARL])
        self.assertIn("Nudge 2026-03-24 to Carl Green", self.text(place))
        box, place = self.asked(name="one")
        box.add("INBOX", bounce("bob@acme.example", "q@test.example", **{"In-Reply-To": "<q@test.example>"}))
        self.check(place.opus("run", "--yes", now=WEEKS))
        item, = place.opus("waiting", "--json", now=WEEKS).json["items"]
        done = self.check(place.opus("nudge", item["id"], "--json", now=WEEKS), 64)
        self.assertEqual(done.error["code"], "undelivered")
        self.assertIn("did not reach bob@acme.example", done.text)
        self.assertEqual(box.held("Drafts"), [])

    def test_a_person_whom_the_question_does_not_reach_is_left_out_of_the_draft_of_a_nudge(self):
        """The bounce comes after the draft was written."""
        for way in ("untouched", "edited"):
            with self.subTest(way):
                box, place, draft = self.both(way)
                if way == "edited":
                    self.edit_elsewhere(box, draft)
                box.add("INBOX", bounce("bob@acme.example", "q@test.example", **{"In-Reply-To": "<q@test.example>"}))
                done = self.check(place.opus("run", "--yes", now=NEXT), 0, "did not reach bob@acme.example")
                self.assertEqual(len(box.held("Drafts")), 1)
                if way == "edited":
                    self.assertIn("the mail did not reach Bob Singh; you wrote in draft d:", done.out)
                    self.assertEqual(self.recipients(box), [f"{BOB}, {CARL}"])
                    self.assertNothingMore(place, box, now=NEXT)
                    continue
                self.assertRegex(done.out, "the mail did not reach Bob Singh: draft d:\\w+ to Carl Green replaces draft d:")
                self.assertEqual(self.recipients(box), [CARL])
                self.assertNotIn("Nudge 2026-03-24", self.text(place))
                self.assertIn("Nudge 2026-03-25 to Carl Green", self.text(place))
                self.assertNothingMore(place, box, now=NEXT)
                self.check(place.opus("undo", "--yes", now=NEXT))
                self.assertEqual([held.message_id for held in box.held("Drafts")], [draft.message_id])
                # What was undone stays undone.
                self.check(place.opus("run", "--yes", now=NEXT))
                self.assertEqual([held.message_id for held in box.held("Drafts")], [draft.message_id])

    def test_the_draft_of_a_nudge_is_removed_when_the_question_has_reached_none_of_its_people(self):
        for store in (True, False):
            with self.subTest(store=store):
                box, place = self.nudged(f"place-{store}", answered=False)
                draft, = box.held("Drafts")
                box.add("INBOX", bounce("bob@acme.example", "q@test.example", **{"In-Reply-To": "<q@test.example>"}))
                if not store:
                    shutil.rmtree(place.root / ".opus")
                self.check(place.opus("run", "--yes", now=NEXT), 0, "the mail did not reach Bob Singh: draft d:", "is removed")
                self.assertEqual((box.held("Drafts"), [held.message_id for held in box.held("Trash")]), ([], [draft.message_id]))
                self.assertNotIn("Nudge", self.text(place))
                self.assertEqual([state for _, _, state in self.waits(place, NEXT)], ["undelivered"])
                self.assertNothingMore(place, box, now=NEXT)
                self.check(place.opus("undo", "--yes", now=NEXT))
                self.assertEqual([held.message_id for held in box.held("Drafts")], [draft.message_id])

    def test_a_nudge_to_the_others_does_not_make_a_bounce_forgotten(self):
        box, place = self.asked(to=f"{BOB}, {CARL}")
        box.add("INBOX", bounce("bob@acme.example", "q@test.example", **{"In-Reply-To": "<q@test.example>"}))
        self.check(place.opus("run", "--yes", now=WEEKS))
        # The user writes to the other one, and later to both.
        for number, (to, state, left_out) in enumerate(((CARL, "undelivered", True), (f"{BOB}, {CARL}", "overdue", False))):
            box.add("Sent", letter("Re: Question 1", f"again{number}", sender=ANA, to=to, minutes=60 * 24 * (8 + number),
                                   headers={"In-Reply-To": "<q@test.example>", "References": "<q@test.example>"}))
            self.check(place.opus("run", "--yes", now=WEEKS))
            self.assertEqual([state for _, _, state in self.waits(place)], [state])
            item, = place.opus("waiting", "--json", now=WEEKS).json["items"]
            done = self.check(place.opus("nudge", item["id"], now=WEEKS))
            self.assertEqual("Left out: bob@acme.example" in done.text, left_out, done)
            self.assertEqual(self.recipients(box), [CARL if left_out else f"{BOB}, {CARL}"])
            self.discard(place)

    def nudged(self, name="workspace", *words, answered=True):
        """The draft of a nudge, and the person's answer that makes it needless."""
        box, place = self.asked(name=name)
        self.check(place.opus("run", "--yes", now=WEEKS))
        item, = place.opus("waiting", "--json", now=WEEKS).json["items"]
        self.check(place.opus("nudge", item["id"], *words, now=WEEKS))
        self.assertIn("Nudge 2026-03-24 to Bob Singh", self.text(place))
        self.assertEqual(len(box.held("Drafts")), 1)
        if answered:
            box.add("INBOX", self.answer(days=14))
        return box, place

    def drafts(self, place, now=NEXT):
        return self.check(place.opus("drafts", "--json", now=now)).json["items"]

    def test_the_draft_of_a_nudge_moves_to_the_trash_once_the_person_has_answered(self):
        box, place = self.nudged()
        draft, = box.held("Drafts")
        self.check(place.opus("run", "--yes", now=NEXT), 0, "Decide: Question 1", "no longer needs a nudge: draft d:",
                   "is removed")
        self.assertEqual((box.held("Drafts"), self.drafts(place)), ([], []))
        self.assertEqual([held.message_id for held in box.held("Trash")], [draft.message_id])
        self.assertNotIn("Nudge", self.text(place))
        self.assertNotIn("draft", self.check(place.opus("briefing", now=NEXT)).out)
        self.assertNothingMore(place, box, now=NEXT)
        self.check(place.opus("undo", "--yes", now=NEXT))
        self.assertEqual(len(box.held("Drafts")), 1)
        self.assertIn("Nudge 2026-03-24 to Bob Singh", self.text(place))
        self.assertIn("Waiting for Bob Singh: Question 1", self.text(place))
        # What was undone stays undone.
        self.check(place.opus("run", "--yes", now=NEXT))
        self.assertEqual(len(box.held("Drafts")), 1)
        self.assertIn("Nudge 2026-03-24 to Bob Singh", self.text(place))

    def test_the_draft_of_a_nudge_is_removed_when_the_task_is_done(self):
        box, place = self.nudged(answered=False)
        task, = place.opus("waiting", "--json", now=WEEKS).json["items"]
        self.check(place.opus("task", "done", task["id"], now=NEXT))
        self.check(place.opus("run", "--yes", now=NEXT), 0, "no longer needs a nudge")
        self.assertEqual(box.held("Drafts"), [])
        self.assertNothingMore(place, box, now=NEXT)

    def test_the_draft_of_a_nudge_in_which_the_user_wrote_stays_and_is_named_once(self):
        text, whole = self.folder / "text", self.folder / "whole"
        text.write_text("Bob, please!\n")
        whole.write_text(f"From: {ANA}\nTo: {BOB}\nSubject: Re: Question 1\n\nBob, please!\n")
        for way in ("body", "edit", "elsewhere"):
            with self.subTest(way):
                box, place = self.nudged(way, *(["--body", text] if way == "body" else []))
                draft, = self.drafts(place)
                if way == "edit":
                    self.check(place.opus("drafts", "edit", draft["id"], "--body", whole, now=WEEKS))
                if way == "elsewhere":
                    held, = box.held("Drafts")
                    body = box.body("Drafts", held.message_id.strip("<>")).replace(b"Thank you!", b"Thanks, Ana")
                    box.add("Drafts", body.replace(b"Message-ID: <", b"Message-ID: <phone."), (r"\Draft",))
                    box.remove("Drafts", held.message_id)
                done = self.check(place.opus("run", "--yes", now=NEXT), 0, "Decide: Question 1", "you wrote in draft d:",
                                  "so it stays")
                self.assertNotIn("is removed", done.out)
                self.assertEqual((len(box.held("Drafts")), len(self.drafts(place))), (1, 1))
                self.assertNothingMore(place, box, now=NEXT)

    def both(self, name):
        """The draft of a nudge to two people."""
        box, place = self.asked(to=f"{BOB}, {CARL}", name=name)
        self.check(place.opus("run", "--yes", now=WEEKS))
        item, = place.opus("waiting", "--json", now=WEEKS).json["items"]
        self.check(place.opus("nudge", item["id"], now=WEEKS))
        draft, = box.held("Drafts")
        return box, place, draft

    def recipients(self, box):
        return [re.search(rb"(?m)^To: ([^\r\n]*)", box.body("Drafts", held.message_id.strip("<>")))[1].decode()
                for held in box.held("Drafts")]

    def test_a_person_who_has_answered_is_left_out_of_the_draft_of_a_nudge(self):
        box, place, draft = self.both("left-out")
        before = self.text(place)
        box.add("INBOX", self.answer("one", days=14))
        self.check(place.opus("run", "--yes", now=NEXT), 0, "Bob Singh has answered: draft d:", "to Carl Green replaces draft d:")
        self.assertEqual(self.recipients(box), [CARL])
        text = self.text(place)
        self.assertIn("Nudge 2026-03-25 to Carl Green", text)
        self.assertNotIn("Nudge 2026-03-24", text)
        self.assertEqual([line["to"] for line in self.drafts(place)], [["carl@other.example"]])
        self.assertNothingMore(place, box, now=NEXT)
        self.check(place.opus("undo", "--yes", now=NEXT))
        self.assertEqual([held.message_id for held in box.held("Drafts")], [draft.message_id])
        self.assertEqual(self.text(place).count("Nudge"), before.count("Nudge"))
        # What was undone stays undone.
        self.check(place.opus("run", "--yes", now=NEXT))
        self.assertEqual([held.message_id for held in box.held("Drafts")], [draft.message_id])

    def test_a_draft_to_two_people_in_which_the_user_wrote_stays_and_is_named_once(self):
        box, place, held = self.both("edited")
        self.edit_elsewhere(box, held)
        box.add("INBOX", self.answer("one", days=14))
        self.check(place.opus("run", "--yes", now=NEXT), 0, "Bob Singh has answered; you wrote in draft d:", "so it stays")
        self.assertEqual(len(box.held("Drafts")), 1)
        self.assertNothingMore(place, box, now=NEXT)

    def edit_elsewhere(self, box, held):
        body = box.body("Drafts", held.message_id.strip("<>")).replace(b"Thank you!", b"Thanks, Ana")
        box.remove("Drafts", held.message_id)
        box.add("Drafts", body, (r"\Draft",))

    def test_without_the_store_opus_still_knows_whether_the_user_wrote_in_the_draft_of_a_nudge(self):
        for way in ("untouched", "edited"):
            with self.subTest(way):
                box, place, held = self.both(way)
                if way == "edited":
                    self.edit_elsewhere(box, held)
                shutil.rmtree(place.root / ".opus")
                self.check(place.opus("run", "--yes", now=WEEKS))
                box.add("INBOX", [self.answer("one", days=14), self.answer("two", CARL, days=14)])
                done = self.check(place.opus("run", "--yes", now=NEXT), 0, "no longer needs a nudge")
                if way == "edited":
                    self.assertIn("you wrote in draft d:", done.out)
                    self.assertEqual(len(box.held("Drafts")), 1)
                    continue
                self.assertEqual(box.held("Drafts"), [])
                self.assertNotIn("Nudge", self.text(place))
                self.check(place.opus("undo", "--yes", now=NEXT))
                self.check(place.opus("run", "--yes", now=NEXT))
                self.assertEqual([draft.message_id for draft in box.held("Drafts")], [held.message_id])

    def test_a_discarded_nudge_leaves_no_note_and_a_new_one_its_own(self):
        box, place = self.nudged(answered=False)
        before = self.text(place)
        task, = place.opus("waiting", "--json", now=WEEKS).json["items"]
        for way in ("command", "program", "command", "program"):
            if way == "command":
                self.discard(place)
            else:
                held, = box.held("Drafts")
                box.remove("Drafts", held.message_id)
                self.check(place.opus("run", "--yes", now=WEEKS))
            self.assertNotIn("Nudge", self.text(place))
            self.assertNothingMore(place, box, now=WEEKS)
            self.check(place.opus("nudge", task["id"], now=WEEKS))
            self.assertEqual(self.text(place).count("Nudge 2026-03-24 to Bob Singh"), 1)
            self.assertEqual(len(box.held("Drafts")), 1)
        self.discard(place)
        # Discarded drafts are not mail of the task.
        self.assertNotIn("(Trash)", self.check(place.opus("task", "show", task["id"], now=WEEKS)).out)
        self.check(place.opus("undo", "--yes", now=WEEKS))
        self.assertEqual(self.text(place).count("Nudge 2026-03-24 to Bob Singh"), 1)
        self.assertEqual(len(box.held("Drafts")), 1)
        self.check(place.opus("run", "--yes", now=WEEKS))
        self.assertEqual(self.text(place).count("Nudge 2026-03-24 to Bob Singh"), 1)
        self.check(place.opus("nudge", task["id"], now=WEEKS), 64, "is not sent yet")
        self.assertIn("Nudge 2026-03-24", before)

    def test_the_note_of_a_nudge_that_another_program_sent_stays(self):
        box, place = self.nudged(answered=False)
        held, = box.held("Drafts")
        box.remove("Drafts", held.message_id)
        box.add("Sent", letter("Re: Question 1", "own", sender=ANA, to=BOB, minutes=60 * 24 * 14 + 120,
                               headers={"In-Reply-To": "<q@test.example>", "References": "<q@test.example>"}))
        self.check(place.opus("run", "--yes", now=NEXT))
        self.assertIn("Nudge 2026-03-24 to Bob Singh", self.text(place))

    def discard(self, place):
        draft, = [item for item in place.opus("drafts", "--json").json["items"] if item["state"] == "saved"]
        self.check(place.opus("drafts", "discard", draft["id"], "--yes", now=WEEKS))

    def opened(self, place):
        self.check(place.opus("sync"))
        return self.check(place.opus("list", "--json")).json["items"]


def bounce(recipient, message, **headers):
    """A delivery report as Postfix writes it."""
    parts = [("Content-Type: text/plain; charset=us-ascii",
              f"This is the mail system.\n\n<{recipient}>: user unknown\n"),
             ("Content-Type: message/delivery-status",
              "Reporting-MTA: dns; mx.example\n\n"
              f"Final-Recipient: rfc822; {recipient}\nAction: failed\nStatus: 5.1.1\n"),
             ("Content-Type: message/rfc822",
              f"From: {ANA}\nTo: {recipient}\nSubject: Question 1\nMessage-ID: <{message}>\n\nHello.\n")]
    mail = with_parts("Undelivered Mail Returned to Sender", parts, "bounce", minutes=30,
                      sender="MAILER-DAEMON@mx.example (Mail Delivery System)",
                      headers={"Auto-Submitted": "auto-replied", **headers})
    return mail.replace(b"multipart/mixed;", b"multipart/report; report-type=delivery-status;", 1)
