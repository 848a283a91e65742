"""The briefing: what needs the user today, from the store, the tasks and the journal."""
import json
import re
import shutil

from letters import ANA, BOB, letter
from test_waits import bounce
from workplace import on_both

RULES = """\
rules-version: 1
name: briefing
rules:
  - { id: pay, when: 'subject:Invoice', then: [{ task: { title: 'Pay {{subject}}', list: next, due: today } }, archive] }
  - { id: later, when: 'subject:Weekly', then: [{ defer: 'tomorrow 07:00' }] }
"""
MONDAY, TUESDAY = "2026-03-09T08:30:00+01:00", "2026-03-10T08:30:00+01:00"
LATER, NEXT = "2026-03-23T08:30:00+01:00", "2026-03-24T08:30:00+01:00"


@on_both
class Briefings:

    def lay(self, *letters):
        box = self.new_box()
        box.add("INBOX", list(letters))
        return box, self.new_place(box, RULES)

    def test_every_section_of_a_morning_is_named_and_nothing_is_changed(self):
        box, place = self.lay(letter("Invoice"), letter("Weekly"), letter("Lunch"))
        self.check(place.opus("run", "--yes", now=MONDAY), 0)
        self.check(place.opus("run", "--yes", now=TUESDAY), 0)
        before = box.fingerprint()
        text = self.check(place.opus("briefing", now=TUESDAY), 0).out
        for line in ("Briefing for Tue 10 Mar 2026", "Back today (1)", "Due (1)", "Inbox: 2 messages",
                     "Changes by rules (", "opus undo r:"):
            self.assertIn(line, text)
        self.assertIn("overdue since Mon 9 Mar", text)
        self.assertEqual(text, place.opus("briefing", now=TUESDAY).out, "the same bytes twice")
        document = json.loads(place.opus("briefing", "--format", "json", now=TUESDAY).out)
        self.assertEqual(document["schema"], "opus.briefing/1")
        self.assertEqual([mail["subject"] for mail in document["returned"]], ["Weekly"])
        self.assertEqual([day["messages"] for day in document["trend"][-2:]], [1, 2])
        self.assertIn("<h2>Back today (1)</h2>", place.opus("briefing", "--format", "html", now=TUESDAY).out)
        self.assertEqual(box.fingerprint(), before)

    def test_the_page_prints_in_full_and_without_dark_colors(self):
        box, place = self.lay(letter("Invoice"), letter("Weekly"), letter("Lunch"))
        self.check(place.opus("run", "--yes", now=MONDAY), 0)
        page = self.check(place.opus("briefing", "--format", "html", now=TUESDAY), 0).out
        style, = re.findall(r"<style>(.*?)</style>", page, re.S)
        self.assertEqual(style.count("{"), style.count("}"))
        screen, paper = style.split("@media print {")
        rules = {names.strip(): fields for names, fields in re.findall(r"([^{}]+)\{([^{}]*)\}", paper)}
        # It fills the paper, in the light colors, and no line or chart is cut between two pages.
        self.assertIn("color-scheme: light;", rules[":root"])
        self.assertIn("max-width: none", rules["body"])
        self.assertIn("break-inside: avoid", rules["tr, svg"])
        self.assertIn("break-after: avoid", rules["h2"])
        self.assertIn("table-header-group", rules["thead"])
        for name in "body", "h2", "tr", "svg", "thead":
            self.assertIn(f"<{name}", page, f"the style of {name} has no effect")
        # Nothing is left out, and nothing is cut off or has a color of its own.
        self.assertNotRegex(style, r"none;? *}|display: none|hidden|\bcolor:|background|height: *\d|fixed|absolute")
        self.assertNotRegex(page, r"<(?:script|link|img|iframe)|url\(|https?://(?!www\.w3\.org/2000/svg)")

    def test_people_to_whom_the_user_wrote_are_not_new(self):
        box, place = self.lay(letter("Lunch", sender="Bob <bob@acme.example>"), letter("Offer", sender="Eve <eve@x.example>"))
        box.add("Sent", letter("Question", sender="Ana <ana@acme.example>", to="Bob <bob@acme.example>", minutes=-900))
        self.check(place.opus("sync", now=TUESDAY))
        document = self.check(place.opus("briefing", "--json", now=TUESDAY)).json
        self.assertEqual([item["address"] for item in document["newSenders"]], ["eve@x.example"])

    def test_a_bounce_and_an_automatic_reply_have_no_new_sender(self):
        away = {"Auto-Submitted": "auto-replied", "In-Reply-To": "<q@test.example>"}
        box, place = self.lay(
            bounce("bob@acme.example", "q@test.example"),
            letter("Automatic reply: Question", "away", sender="Fay <fay@acme.example>", headers=away, minutes=1),
            letter("Automatic reply: Question", "away2", sender="Eve <eve@x.example>", headers=away, minutes=2),
            letter("Offer", "offer", sender="Eve <eve@x.example>", minutes=3))
        box.add("Sent", letter("Question", "q", sender=ANA, to="All <all@acme.example>", minutes=-9))
        self.check(place.opus("sync", now=TUESDAY))
        document = self.check(place.opus("briefing", "--json", now=TUESDAY)).json
        self.assertEqual([(item["address"], item["messages"]) for item in document["newSenders"]], [("eve@x.example", 1)])

    def test_the_mailed_briefing_comes_once_a_day_and_an_undo_removes_it(self):
        box, place = self.lay(letter("Lunch"))
        self.check(place.opus("sync", now=MONDAY), 0)
        self.check(place.opus("briefing", "--mail", now=MONDAY), 0, "Applied 1 of 1")
        self.check(place.opus("briefing", "--mail", now=MONDAY), 0, "already in the inbox")
        self.assertEqual(sorted(box.subjects("INBOX")), ["Briefing for Mon 9 Mar 2026", "Lunch"])
        self.check(place.opus("briefing", "--mail", now=TUESDAY), 0, "Applied 1 of 1")
        self.assertEqual(len(box.subjects("INBOX")), 3)
        self.check(place.opus("undo", "--yes"), 0)
        self.check(place.opus("undo", "r:0001", "--yes"), 0)
        self.assertEqual(box.subjects("INBOX"), ["Lunch"])
        self.check(place.opus("briefing", "--mail", now=TUESDAY), 0, "Applied 1 of 1")
        self.check(place.opus("briefing", "--mail", now=TUESDAY), 0, "already in the inbox")
        self.assertEqual(sorted(box.subjects("INBOX")), ["Briefing for Tue 10 Mar 2026", "Lunch"])
        # The first one of that day is in the trash, with the same Message-ID.
        self.check(place.opus("undo", "--yes"), 0)
        self.assertEqual(box.subjects("INBOX"), ["Lunch"])

    def test_a_second_machine_and_a_new_store_mail_no_second_briefing(self):
        box, place = self.lay(letter("Lunch"))
        self.check(place.opus("sync", now=MONDAY), 0)
        self.check(place.opus("briefing", "--mail", now=MONDAY), 0, "Applied 1 of 1")
        other = self.new_place(box, name="other")
        shutil.rmtree(place.root / ".opus")
        for machine in (place, other):
            self.check(machine.opus("sync", now=MONDAY))
            self.check(machine.opus("briefing", "--mail", now=MONDAY), 0, "already in the inbox")
        self.assertEqual(sorted(box.subjects("INBOX")), ["Briefing for Mon 9 Mar 2026", "Lunch"])

    def test_a_new_store_that_was_never_synced_mails_no_second_briefing(self):
        box, place = self.lay(letter("Lunch"))
        self.check(place.opus("task", "add", "Call Bob", "--due", "2026-03-09", now=MONDAY))
        self.check(place.opus("briefing", "--mail", now=MONDAY), 0, "Applied 1 of 1")
        box.move(next(held.message_id for held in box.held("INBOX") if held.subject.startswith("Briefing")).strip("<>"),
                 "INBOX", "Archive")
        shutil.rmtree(place.root / ".opus")
        self.check(place.opus("briefing", "--mail", now=MONDAY), 0, "already in the inbox")
        self.assertEqual(box.subjects("INBOX"), ["Lunch"])

    def test_an_empty_briefing_prints_a_note_and_makes_no_mail(self):
        box, place = self.lay()
        self.check(place.opus("sync", now=MONDAY), 0)
        done = place.opus("briefing", now=MONDAY)
        self.assertEqual((done.out, done.err), ("", "Briefing for Mon 9 Mar 2026: nothing to report.\n"))
        self.check(place.opus("briefing", "--mail", now=MONDAY), 0, "Nothing to report.")
        self.assertEqual(self.check(place.opus("briefing", "--mail", "--json", now=MONDAY)).json["items"], [])
        self.assertEqual(box.subjects("INBOX"), [])

    def test_hostile_words_reach_neither_the_terminal_nor_the_page(self):
        box, place = self.lay(letter("Invoice", name="evil", headers={
            "Subject": "=?utf-8?q?Invoice_=1B[2J=3Cscript=3E=E2=80=AE?=",
            "From": "=?utf-8?q?=1B[2J=3Cscript=3E=E2=80=AE?= <eve@x.example>"}))
        self.check(place.opus("sync", now=MONDAY), 0)
        for form in ("text", "html", "json"):
            out = self.check(place.opus("briefing", "--format", form, now=MONDAY), 0).out
            self.assertIn("eve@x.example", out)
            self.assertNotIn("\x1b", out)
            self.assertNotIn("\u202e", out)
            if form == "html":
                self.assertNotIn("<script", out)

    WAITS = """\
rules-version: 1
name: waits
rules:
  - { id: ask, mailboxes: [Sent], when: 'subject:question', then: [{ waiting: { until: friday } }] }
  - { id: poll, mailboxes: [Sent], when: 'subject:poll', then: [{ waiting: { on-reply: keep } }] }
  - { id: hand-over, when: 'subject:please', then: [{ delegate: { to: bob@acme.example } }, archive] }
"""

    def asked(self, *answers, to=BOB, sent=None):
        """A question that was sent on Tuesday, and what came back, as the briefing of the Monday after next shows it."""
        box = self.new_box()
        for mailbox in ("Sent", "Drafts", "Archive", "Trash"):
            if mailbox not in box.names():
                box.create(mailbox)
        box.add("Sent", sent or letter("Question 1", "q", sender=ANA, to=to))
        place = self.new_place(box, self.WAITS, name=f"place-{len(list(self.folder.iterdir()))}")
        self.check(place.opus("run", "--yes", now=TUESDAY), 0)
        box.add("INBOX", list(answers))
        self.check(place.opus("run", "--yes", now=LATER), 0)
        return box, place, self.check(place.opus("briefing", now=LATER), 0).out

    def answer(self, name, subject="Re: Question 1", **options):
        headers = {"In-Reply-To": "<q@test.example>"} | options.pop("headers", {})
        return letter(subject, name, minutes=60 * 24 * 3, headers=headers, **options)

    def test_only_the_mail_of_a_person_is_listed_as_an_answer(self):
        automatic = self.answer("auto", "Automatic reply: Question 1", headers={"Auto-Submitted": "auto-replied"},
                                body="I am out of the office.\n")
        _, place, text = self.asked(automatic)
        self.assertNotIn("Answered, decide", text)
        self.assertIn("13 days, ask again", text)
        self.assertNotIn("answered", place.opus("list", now=LATER).out)
        _, place, text = self.asked(automatic, self.answer("real"))
        self.assertIn("Answered, decide (1)", text)
        self.assertRegex(text, r"Bob Singh  after 3 days  Re: Question 1")
        self.assertNotIn("Waiting", text)
        self.assertIn("answered after 3 days, task t:", place.opus("list", now=LATER).out)
        days = {item["subject"]: item.get("answeredAfterDays") for item in place.opus("list", "--json", now=LATER).json["items"]}
        self.assertEqual(days["Re: Question 1"], 3)
        self.assertIsNone(days.get("Automatic reply: Question 1"))
        answered, = json.loads(place.opus("briefing", "--json", now=LATER).out)["answered"]
        self.assertEqual((answered["days"], answered["isGuess"]), (3, False))

    def test_an_answer_in_junk_is_listed_until_it_is_decided(self):
        box, place = self.answered_in("Junk")
        for day in ("2026-03-13", "2026-03-20"):
            now = f"{day}T08:30:00+01:00"
            self.check(place.opus("run", "--yes", now=now))
            self.assertIn("in Junk", self.check(place.opus("briefing", now=now)).out)
            answer, = self.check(place.opus("briefing", "--format", "json", now=now)).json["answered"]
            self.assertTrue(answer["junk"])
        box.move("a@test.example", "Junk", "Trash")
        self.check(place.opus("run", "--yes", now=now))
        self.assertEqual(self.check(place.opus("briefing", "--format", "json", now=now)).json["answered"], [])

    def answered_in(self, mailbox):
        """A question that waits, and its answer in this mailbox."""
        box = self.new_box()
        for name in ("Sent", "Archive", "Trash", "Junk"):
            if name not in box.names():
                box.create(name)
        place = self.new_place(box, "rules-version: 1\nrules:\n"
                               "  - { id: ask, mailboxes: [Sent], when: 'subject:question', then: waiting }\n")
        box.add("Sent", letter("Question", "q", sender=ANA, to=BOB))
        self.check(place.opus("run", "--yes"))
        box.add(mailbox, letter("Re: Question", "a", minutes=60 * 24 * 2, headers={"In-Reply-To": "<q@test.example>"}))
        return box, place

    def test_an_answer_to_a_wait_that_continues_needs_no_decision(self):
        box, place, text = self.asked(self.answer("poll", "Re: Poll", headers={"In-Reply-To": "<p@test.example>"}),
                                      sent=letter("Poll", "p", sender=ANA, to=BOB))
        self.assertNotIn("Answered, decide", text)
        self.assertRegex(text, r"13 days, answered by Bob Singh +Waiting for Bob Singh: Poll")
        self.assertEqual(json.loads(place.opus("briefing", "--json", now=LATER).out)["answered"], [])

    def test_each_wait_shows_its_state(self):
        box, place, text = self.asked(bounce("bob@acme.example", "q@test.example"), letter("Please look", minutes=9))
        self.assertIn("not delivered to Bob Singh", text)
        self.assertIn("1 draft waits for you", text)
        self.assertRegex(text, r"then t:\w+ waits +Fwd: Please look")
        document = json.loads(place.opus("briefing", "--json", now=LATER).out)
        self.assertEqual([wait["state"] for wait in document["waiting"]], ["undelivered"])
        self.assertTrue(document["drafts"][0]["task"])
        draft, = box.held("Drafts")
        box.remove("Drafts", draft.message_id)
        box.add("Sent", letter("Fwd: Please look", "forwarded", sender=ANA, to=BOB, minutes=60 * 24 * 13 + 120,
                               headers={"References": "<please-look@test.example>"}))
        self.check(place.opus("run", "--yes", now=NEXT), 0)
        document = json.loads(place.opus("briefing", "--json", now=NEXT).out)
        self.assertEqual([(wait["state"], wait["days"]) for wait in document["waiting"]], [("undelivered", 14), ("sent", 1)])
