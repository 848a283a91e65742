"""opus answer: the answer to an invitation goes to the organizer, as a mail that calendar programs read."""
import shutil

from letters import ANA, letter, with_parts
from test_sending import Sending
from workplace import Workplace, on_both

LATER = "2026-03-10T09:30:00+01:00"
TOMORROW = "2026-03-11T08:30:00+01:00"
CALENDAR = """\
BEGIN:VCALENDAR
VERSION:2.0
METHOD:{method}
BEGIN:VEVENT
UID:e1@far.example
SEQUENCE:{sequence}
DTSTART;TZID=Europe/Paris:20260312T140000
DTEND;TZID=Europe/Paris:20260312T150000
SUMMARY:Q3 planning
ORGANIZER;CN=Kim:mailto:{organizer}
ATTENDEE;RSVP=TRUE:mailto:ana@acme.example
END:VEVENT
END:VCALENDAR
"""


def invitation(organizer, name="asked", method="REQUEST", sequence=0, subject="Invitation: Q3 planning"):
    return letter(subject, name, sender=f"Kim <{organizer}>",
                  body=CALENDAR.format(method=method, sequence=sequence, organizer=organizer),
                  headers={"Content-Type": f"text/calendar; charset=utf-8; method={method}"})


@on_both
class Answers(Sending):
    def place_with(self, *letters):
        box = self.new_box()
        box.add("INBOX", list(letters))
        place = self.new_place(box, "rules-version: 1\n", "", smtp="starttls")
        self.check(place.opus("sync"))
        return box, place

    def invited(self, place):
        return self.check(place.opus("list", "is:invite")).out.split("\t")[0]

    def test_an_answer_reaches_the_organizer_as_a_reply_of_the_calendar(self):
        _, place = self.place_with(invitation(self.address))
        name = self.invited(place)
        refused = self.check(place.opus("answer", name, "yes"), 64, "--yes")
        self.assertIn("Q3 planning", refused.err)
        self.check(place.opus("answer", name, "yes", "--note", "Gladly.", "--yes", "--no-hold"))
        mail, = self.wait_for_mail()
        self.assertEqual(str(mail["Subject"]), "Accepted: Q3 planning")
        part, = [part for part in mail.walk() if part.get_content_type() == "text/calendar"]
        self.assertEqual(part.get_param("method"), "REPLY")
        text = part.get_payload(decode=True).decode().replace("\r\n ", "")
        for line in ("METHOD:REPLY", "UID:e1@far.example", "PARTSTAT=ACCEPTED", "DTSTART:20260312T130000Z"):
            self.assertIn(line, text)
        self.assertIn("Gladly.", mail.get_payload(0).get_payload(decode=True).decode())
        name = self.check(place.opus("outbox", "--all", "--json")).json["items"][0]["id"]
        self.assertRegex(self.check(place.opus("undo", "--dry-run"), 1).out, rf"cannot\t{name}\t")

    def test_an_answer_is_sent_once_and_another_one_changes_it(self):
        _, place = self.place_with(invitation(self.address))
        name = self.invited(place)
        # The draft that is kept is the one that is sent, whatever it says.
        self.check(place.opus("answer", name, "maybe"), 64, "--yes")
        answer = lambda *words: self.check(place.opus("answer", name, *words, "--yes", "--no-hold"))
        answer("yes")
        self.assertEqual(place.opus("drafts", "--json").json["items"], [])
        self.assertIn("You have answered already: yes, sent Tue 10 Mar 08:30. Nothing was sent.", answer("yes").out)
        self.assertEqual(answer("yes", "--json").json["items"][0]["state"], "sent")
        self.assertIn("Changes  your earlier answer: yes, sent Tue 10 Mar 08:30", answer("no").err)
        answer("no", "--again")
        # Sent says it too, when the store is lost.
        shutil.rmtree(place.root / ".opus")
        self.check(place.opus("sync"))
        self.assertIn("already: no, sent", answer("no").out)
        self.check(place.opus("answer", name, "yes", "--yes", "--detach"))
        self.assertIn("already: yes, in the outbox", answer("yes").out)
        self.check(place.opus("answer", name, "no", "--yes"), 75, "is in the outbox")
        self.assertEqual([str(mail["Subject"]).split(":")[0] for mail in self.wait_for_mail(3)],
                         ["Accepted", "Declined", "Declined"])

    def test_an_answer_of_another_machine_counts_before_the_next_sync(self):
        _, place = self.place_with(invitation(self.address))
        name = self.invited(place)
        other = Workplace(self.folder / "other", place.accounts, settings=place.settings)
        self.check(other.opus("sync"))
        self.check(place.opus("answer", name, "yes", "--yes", "--no-hold"), 0, "Sent")
        self.check(other.opus("answer", name, "yes", "--yes", "--no-hold"), 0, "You have answered already")
        self.check(other.opus("answer", name, "no", "--yes", "--no-hold"), 0, "your earlier answer: yes")
        self.assertEqual(len(self.wait_for_mail(2)), 2)

    def two_accounts(self, *letters, name="two"):
        """Each account has one of the letters; sent mail is in the file `mails`."""
        boxes = self.new_box(), self.new_box()
        for box, mail in zip(boxes, letters):
            box.add("INBOX", mail)
        extra = "    sendmail: [./keep]\n"
        place = Workplace(self.folder / name, boxes[0].yaml("work", extra=extra)
                          + boxes[1].yaml("home", address="ana@home.example", extra=extra))
        (place.root / "keep").write_text("#!/bin/sh\ncat >> mails\n")
        (place.root / "keep").chmod(0o755)
        self.check(place.opus("sync"))
        return place

    def test_a_newer_invitation_or_a_cancellation_in_another_account_counts(self):
        for method, words in (("REQUEST", "newer invitation"), ("CANCEL", "cancelled")):
            with self.subTest(method):
                newer = invitation(self.address, "newer", method=method, sequence=1)
                place = self.two_accounts(invitation(self.address), newer, name=method.lower())
                name = self.check(place.opus("list", "is:invite", "-a", "work")).out.split("\t")[0]
                self.check(place.opus("answer", name, "yes", "--yes", "--no-hold"), 65, words)
                self.assertFalse((place.root / "mails").exists())

    def test_of_two_answers_in_one_second_the_last_counts(self):
        place = self.two_accounts(invitation(self.address), invitation(self.address))
        names = [item["id"] for item in place.opus("list", "is:invite", "--json").json["items"]]
        said = lambda name, word: self.check(place.opus("answer", name, word, "--yes", "--no-hold")).text
        for word in ("yes", "no"):
            for name in names[::-1] if word == "no" else names:
                self.assertEqual("already" in said(name, word), name == (names[0] if word == "no" else names[1]))
        self.assertIn("already: no", said(names[0], "no"))
        self.assertEqual((place.root / "mails").read_text().count("\nSubject: "), 2)

    def test_an_invitation_to_two_accounts_is_answered_once(self):
        place = self.two_accounts(invitation(self.address), invitation(self.address))
        first, second = [item["id"] for item in place.opus("list", "is:invite", "--json").json["items"]]
        answer = lambda name, *words, **at: self.check(place.opus("answer", name, *words, "--yes", "--no-hold", **at))
        self.assertIn("Sent", answer(first, "yes").out)
        self.assertIn("already: yes, sent Tue 10 Mar 08:30. Nothing was sent.", answer(second, "yes").out)
        # After a lost store, Sent says it too.
        shutil.rmtree(place.root / ".opus")
        self.check(place.opus("sync"))
        self.assertIn("already: yes, sent", answer(second, "yes").out)
        self.assertIn("Changes  your earlier answer: yes", answer(second, "no", now=LATER).err)
        self.assertIn("already: no, sent", answer(first, "no", now=LATER).out)
        self.assertEqual((place.root / "mails").read_text().count("\nSubject: "), 2)

    def test_an_answer_of_another_program_counts_if_it_is_in_sent_and_from_the_user(self):
        asked = invitation(self.address, sequence=1)
        reply = lambda name, answer="ACCEPTED", sender=ANA, sequence=1: letter(
            "Accepted: Q3 planning", name, sender=sender, to=f"Kim <{self.address}>", minutes=30,
            body=CALENDAR.format(method="REPLY", sequence=sequence, organizer=self.address).replace(
                "RSVP=TRUE", f"PARTSTAT={answer}"),
            headers={"Content-Type": "text/calendar; charset=utf-8; method=REPLY", "In-Reply-To": "<asked@test.example>"})
        plain = letter("Re: Invitation: Q3 planning", "plain", sender=ANA, to=f"Kim <{self.address}>", minutes=40,
                       headers={"In-Reply-To": "<asked@test.example>"})
        stranger = "Eve <eve@far.example>"
        away = plain.replace(b"Subject: ", b"Auto-Submitted: auto-replied\nSubject: ")
        forward = plain.replace(self.address.encode(), b"sue@far.example")
        for case, (mailbox, mail, words) in {
                "same": ("Sent", reply("a"), "You have answered already: yes, sent Tue 10 Mar 07:30. Nothing was sent."),
                "other": ("Sent", reply("b", "DECLINED"), "Changes  your earlier answer: no, sent"),
                "plain": ("Sent", plain, "You have replied to this invitation already: sent Tue 10 Mar 07:40."),
                "inbox": ("INBOX", reply("c"), None),
                "away": ("Sent", away, None),
                "forward": ("Sent", forward, None),
                "stranger": ("Sent", reply("d", sender=stranger), None),
                "older": ("Sent", reply("e", sequence=0), None)}.items():
            with self.subTest(case):
                box = self.new_box()
                box.add("INBOX", asked)
                box.add(mailbox, mail)
                place = self.new_place(box, "rules-version: 1\n", "", smtp="starttls", name=case)
                self.check(place.opus("sync"))
                name = self.check(place.opus("list", "mid:asked@test.example")).out.split("\t")[0]
                done = self.check(place.opus("answer", name, "yes", "--yes", "--no-hold"))
                if words:
                    self.assertIn(words, done.text)
                self.assertEqual("Nothing was sent" in done.text, case in ("same", "plain"))
                if case == "same":
                    self.check(place.opus("answer", name, "yes", "--yes", "--no-hold", "--again"))
        self.assertEqual(len(self.wait_for_mail(7)), 7)

    def refuse(self, later, words):
        _, place = self.place_with(invitation(self.address), later)
        found = self.check(place.opus("list", "subject:invitation")).out.splitlines()
        self.check(place.opus("answer", found[0].split("\t")[0], "yes", "--yes"), 65, words)
        self.assertEqual(self.wait_for_mail(0), [])

    def test_an_older_invitation_gets_no_answer(self):
        self.refuse(invitation(self.address, "moved", sequence=1, subject="Updated: Q3 planning"), "newer invitation")

    def test_an_event_that_was_moved_without_a_new_number_is_answered_for_its_new_time(self):
        def version(name, day, stamp):
            return invitation(self.address, name).replace(b"SEQUENCE:0", f"SEQUENCE:0\nDTSTAMP:20260310T{stamp}Z".encode()) \
                .replace(b"20260312", f"202603{day}".encode())

        box, place = self.place_with(version("first", 12, "060000"))
        names = lambda: {item["id"] for item in self.check(place.opus("list", "is:invite", "--json")).json["items"]}
        first, = names()
        answer = lambda name, code=0: self.check(place.opus("answer", name, "yes", "--yes", "--no-hold"), code)
        answer(first)
        self.assertIn("You have answered already", answer(first).out)
        box.add("INBOX", version("moved", 13, "070000"))
        self.check(place.opus("sync"))
        self.assertIn("the organizer has sent a newer invitation", answer(first, 65).err)
        moved, = names() - {first}
        self.assertNotIn("already", answer(moved).out)
        mails = self.wait_for_mail(2)
        self.assertIn("DTSTART:20260313T130000Z", mails[1].as_string())
        self.assertIn("You have answered already", answer(moved).out)
        # The same time in another mail is not a newer version.
        box.add("INBOX", version("again", 13, "080000"))
        self.check(place.opus("sync"))
        self.assertIn("You have answered already", answer(moved).out)

    def test_a_mail_about_one_date_of_a_series_says_nothing_about_the_others(self):
        def dated(day, **options):
            mail = invitation(self.address, subject=f"Only {day}", name=f"only-{day}-{options.get('method', '')}", **options)
            return mail.replace(b"SUMMARY", b"RECURRENCE-ID;TZID=Europe/Paris:202603%dT140000\nSUMMARY" % day)

        series = invitation(self.address).replace(b"SUMMARY", b"RRULE:FREQ=WEEKLY;COUNT=9\nSUMMARY")
        box, place = self.place_with(series, dated(19, sequence=1), dated(26, method="CANCEL", sequence=2))
        names = {item["subject"]: item["id"] for item in place.opus("search", "is:invite", "--json").json["items"]}
        for subject in ("Invitation: Q3 planning", "Only 19"):
            self.check(place.opus("answer", names[subject], "no", "--yes", "--no-hold"), 0, "Sent d:")
        box.add("INBOX", dated(19, method="CANCEL", sequence=3))
        self.check(place.opus("sync"))
        self.check(place.opus("answer", names["Only 19"], "yes", "--yes", "--no-hold"), 65, "has cancelled this event")
        box.add("INBOX", invitation(self.address, "gone", method="CANCEL", sequence=4, subject="Gone"))
        self.check(place.opus("sync"))
        for name in names.values():
            self.check(place.opus("answer", name, "yes", "--yes", "--no-hold"), 65)

    def test_the_answer_to_a_series_says_that_it_is_for_all_dates(self):
        once, series = invitation(self.address), invitation(self.address, "series")
        series = series.replace(b"e1@", b"e2@").replace(b"SUMMARY", b"RRULE:FREQ=WEEKLY;COUNT=9\nSUMMARY")
        for mail, words in ((once, self.assertNotIn), (series, self.assertIn)):
            _, place = self.place_with(mail)
            answered = self.check(place.opus("answer", self.invited(place), "yes", "--yes", "--no-hold"))
            words("the event repeats: the answer is for all its dates", answered.text)
            shutil.rmtree(place.root)

    def test_the_answer_to_a_mail_with_two_events_says_that_it_is_for_one(self):
        mail = invitation(self.address)
        event = mail[mail.index(b"BEGIN:VEVENT"):mail.index(b"END:VEVENT")] + b"END:VEVENT\n"
        other = event.replace(b"UID:", b"UID:other-").replace(b"SUMMARY:", b"SUMMARY:Dinner after ")
        _, place = self.place_with(mail.replace(event, event + other))
        answered = self.check(place.opus("answer", self.invited(place), "yes", "--yes", "--no-hold"))
        self.assertIn("the mail has more than one event: the answer is for this one only", answered.text)
        self.assertNotIn("Dinner", answered.text)

    def test_a_cancelled_event_gets_no_answer(self):
        self.refuse(invitation(self.address, "gone", "CANCEL", 1, "Canceled: Q3 planning"), "cancelled")

    def test_a_cancellation_that_is_a_file_of_a_long_mail_counts(self):
        gone = invitation(self.address, "gone", "CANCEL", 1).partition(b"\n\n")[2].decode()
        for kind in ("text/calendar; method=CANCEL", "application/ics"):
            parts = [("Content-Type: text/plain", "The meeting is cancelled."),
                     ("Content-Type: application/pdf; name=a.pdf", "x" * 76 + ("\n" + "x" * 76) * 18_000),
                     (f"Content-Type: {kind}\nContent-Disposition: attachment; filename=i.ics", gone)]
            with self.subTest(kind):
                self.refuse(with_parts("Canceled: Q3 planning", parts, "gone", sender=f"Kim <{self.address}>"), "cancelled")

    def test_a_cancellation_without_a_date_counts(self):
        lines = invitation(self.address, "gone", "CANCEL", 1, "Canceled: Q3 planning").splitlines(keepends=True)
        self.refuse(b"".join(line for line in lines if not line.startswith((b"DTSTART", b"DTEND"))), "cancelled")

    def test_a_person_who_is_invited_again_after_a_cancellation_can_answer(self):
        def stamped(mail, time):
            return mail.replace(b"SUMMARY", b"DTSTAMP:20260310T%02d0000Z\nSUMMARY" % time)

        box, place = self.place_with(
            stamped(invitation(self.address), 5), stamped(invitation(self.address, "gone", "CANCEL", 0, "Canceled"), 6))
        name = self.check(place.opus("list", "subject:invitation")).out.split("\t")[0]
        self.check(place.opus("answer", name, "yes", "--yes"), 65, "has cancelled this event")
        box.add("INBOX", stamped(invitation(self.address, "again", subject="Again: Q3 planning"), 7))
        self.check(place.opus("sync"))
        again = self.check(place.opus("list", "subject:again")).out.split("\t")[0]
        self.check(place.opus("answer", again, "yes", "--yes", "--no-hold"), 0, "Sent d:")

    def test_a_time_in_an_unknown_zone_is_named_and_is_not_sent_back_as_another_time(self):
        mail = invitation(self.address).replace(b"Europe/Paris", b"tzone://Microsoft/Custom")
        _, place = self.place_with(mail)
        self.check(place.opus("answer", self.invited(place), "yes", "--yes", "--no-hold"), 0,
                   "does not know the time zone “tzone://Microsoft/Custom”")
        sent, = self.wait_for_mail()
        part, = [part for part in sent.walk() if part.get_content_type() == "text/calendar"]
        self.assertNotIn("DTSTART", part.get_payload(decode=True).decode())

    def test_a_request_that_calls_the_event_cancelled_gets_no_answer(self):
        later = invitation(self.address, "gone", "REQUEST", 1, "Canceled: Q3 planning")
        self.refuse(later.replace(b"SEQUENCE:1\n", b"SEQUENCE:1\nSTATUS:CANCELLED\n"), "cancelled")


@on_both
class Nudges(Sending):
    def test_one_nudge_a_day_and_one_draft_at_a_time(self):
        box = self.new_box()
        box.add("Sent", letter("Question", "q", sender=ANA, to=f"Bob <{self.address}>"))
        place = self.new_place(box, "rules-version: 1\n", "", smtp="starttls")
        self.check(place.opus("sync"))
        self.check(place.opus("wait", place.opus("list", "--all", "--json").json["items"][0]["id"]))
        task, = [item["id"] for item in place.opus("waiting", "--json").json["items"]]
        draft = self.check(place.opus("nudge", task)).out.strip()
        self.check(place.opus("nudge", task, "--again"), 64, f"it is draft {draft}")
        self.check(place.opus("send", draft, "--yes", "--detach"))
        self.check(place.opus("nudge", task), 75, "is in the outbox")
        self.check(place.opus("run", "--yes", now=LATER))
        self.check(place.opus("nudge", task, now=LATER), 64, "was sent today at 09:30")
        self.check(place.opus("nudge", task, now=TOMORROW))
        self.assertEqual(len(self.wait_for_mail()), 1)

    def waiting(self):
        box = self.new_box()
        box.add("Sent", letter("Question", "q", sender=ANA, to=f"Bob <{self.address}>"))
        place = self.new_place(box, "rules-version: 1\n", "", smtp="starttls")
        self.check(place.opus("sync"))
        self.check(place.opus("wait", place.opus("list", "--all", "--json").json["items"][0]["id"]))
        task, = [item["id"] for item in place.opus("waiting", "--json").json["items"]]
        return box, place, task

    def test_after_a_nudge_an_answer_to_the_delegated_mail_counts(self):
        self.answer_after_a_nudge(lambda place: None)

    def test_it_also_counts_after_a_lost_store(self):
        self.answer_after_a_nudge(lambda place: shutil.rmtree(place.root / ".opus"))

    def answer_after_a_nudge(self, act):
        box = self.new_box()
        box.add("INBOX", letter("Price", "price"))
        place = self.new_place(box, "rules-version: 1\n", "", smtp="starttls")
        self.check(place.opus("sync"))
        mail, = place.opus("list", "--json").json["items"]
        self.check(place.opus("delegate", mail["id"], self.address, "--until", "friday", "--send", "--yes", "--no-hold"))
        asked, = self.wait_for_mail()
        friday = "2026-03-13T09:00:00+01:00"
        self.check(place.opus("run", "--yes", now=friday))
        task, = place.opus("waiting", "--json", now=friday).json["items"]
        draft = self.check(place.opus("nudge", task["id"], now=friday)).out.strip()
        self.check(place.opus("send", draft, "--yes", "--no-hold", now=friday))
        self.wait_for_mail(2)
        act(place)
        box.add("INBOX", letter("Re: Fwd: Price", "answer", sender=f"Bob <{self.address}>", minutes=60 * 24 * 3 + 180,
                                headers={"In-Reply-To": asked["Message-ID"]}))
        saturday = "2026-03-14T09:00:00+01:00"
        self.check(place.opus("run", "--yes", now=saturday), 0, "was answered after 3 days")
        wait, = place.opus("waiting", "--json", now=saturday).json["items"]
        self.assertEqual((wait["wait"]["state"], wait["wait"]["since"]), ("answered", task["wait"]["since"]))

    def test_a_nudge_that_was_never_sent_does_not_count(self):
        _, place, task = self.waiting()
        for day in range(11, 15):
            now = f"2026-03-{day}T08:30:00+01:00"
            draft = self.check(place.opus("nudge", task, now=now)).out.strip()
            self.check(place.opus("undo", "--yes", now=now) if day % 2
                       else place.opus("drafts", "discard", draft, "--yes", now=now))
        for day in (16, 17):
            now = f"2026-03-{day}T08:30:00+01:00"
            draft = self.check(place.opus("nudge", task, now=now)).out.strip()
            self.check(place.opus("send", draft, "--yes", "--no-hold", now=now))
        refused = lambda: self.check(place.opus("nudge", task, now="2026-03-18T08:30:00+01:00"), 64, "nudged 2 times")
        refused()
        # The mail in Sent says it too, when the store is lost.
        shutil.rmtree(place.root / ".opus")
        self.check(place.opus("run", "--yes", now="2026-03-18T08:30:00+01:00"))
        refused()
        self.assertEqual(len(self.wait_for_mail(2)), 2)

    def test_a_lost_store_does_not_write_the_draft_of_a_nudge_again(self):
        box, place, task = self.waiting()
        self.check(place.opus("nudge", task))
        shutil.rmtree(place.root / ".opus")
        self.check(place.opus("run", "--yes"))
        self.check(place.opus("nudge", task), 64, "is not sent yet: it is draft m:")
        self.assertEqual(len(box.held("Drafts")), 1)
        draft, = [item["id"] for item in place.opus("drafts", "--json").json["items"]]
        self.check(place.opus("drafts", "discard", draft, "--yes"))
        self.check(place.opus("nudge", task))
        self.assertEqual(len(box.held("Drafts")), 1)

    def test_a_nudge_of_another_program_counts_if_it_is_in_sent_and_from_the_user(self):
        box, place, task = self.waiting()
        again = lambda name, sender=ANA, to=None, day=1: letter(
            "Re: Question", name, sender=sender, to=to or f"Bob <{self.address}>", minutes=60 * 24 * day,
            headers={"In-Reply-To": "<q@test.example>"})
        box.add("Sent", again("eve", sender="Eve <eve@far.example>"))
        box.add("Sent", again("carl", to="Carl <carl@far.example>"))
        self.check(place.opus("sync"))
        draft = self.check(place.opus("nudge", task, now=TOMORROW)).out.strip()
        # Another program sends the draft, under its own Message-ID.
        held, = box.held("Drafts")
        box.remove("Drafts", held.message_id)
        box.add("Sent", again("own"))
        self.check(place.opus("sync", now=TOMORROW))
        self.check(place.opus("nudge", task, now=TOMORROW), 64, "today at 07:00: m:", "--again")
        self.check(place.opus("nudge", task, "--again", now=TOMORROW))
        held, = box.held("Drafts")
        box.remove("Drafts", held.message_id)
        box.add("Sent", again("second", day=2))
        self.check(place.opus("sync", now="2026-03-13T08:30:00+01:00"))
        self.check(place.opus("nudge", task, now="2026-03-13T08:30:00+01:00"), 64, "nudged 2 times")
