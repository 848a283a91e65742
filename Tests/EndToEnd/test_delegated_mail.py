"""What happens to a delegation when its mail is undone, edited, or answered by the person who has it."""
import shutil
import unittest

from letters import ANA, letter
from oracle import later
from test_sent_copies import Submission
from workplace import Case

RULES = """\
rules-version: 1
name: delegated
rules:
  - id: hand
    when: 'subject:hand'
    then: [{ delegate: { to: bob@acme.example, note: Yours., send: now, on-reply: close } }, archive]
"""
CARL, BOB, DAN = "Carl Green <carl@other.example>", "Bob Singh <bob@acme.example>", "Dan Far <dan@far.example>"
SETTINGS = "allow-send: true\n"
HOUR, DAY = 60, 60 * 24


class DelegatedMail(Case):
    def start(self, rules=None, settings=SETTINGS):
        self.box = self.new_box("imap")
        self.box.add("INBOX", letter("Hand one", "one", sender=CARL))
        self.server = self.enterContext(Submission())
        self.count = getattr(self, "count", 0) + 1
        self.place = self.new_place(self.box, rules, settings, name=f"workspace{self.count}")
        self.place.configure(self.box.yaml(extra=self.server.yaml()), settings)
        self.check(self.place.opus("sync"))

    def opus(self, *words, minutes=0, code=0):
        return self.check(self.place.opus(*words, now=later(minutes)), code)

    def message(self):
        item, = self.opus("list", "subject:one", "--all", "--json").json["items"]
        return item["id"]

    def waits(self, minutes=0):
        items = self.opus("waiting", "--json", minutes=minutes).json["items"]
        return [(item["summary"], item["wait"]["state"]) for item in items]

    def queued(self):
        """Delegates by hand, and puts the mail into the outbox."""
        self.start()
        message = self.message()
        self.opus("delegate", message, "bob@acme.example")
        draft, = self.opus("drafts", "--json").json["items"]
        self.opus("send", draft["id"], "--yes", "--detach", minutes=1)
        self.assertEqual(self.waits(1)[0][1], "drafted")
        return message

    def test_the_users_own_mail_stays_in_sent_when_it_is_delegated(self):
        self.start()
        self.box.add("Sent", letter("Ask Kim", "ask", sender="Ana <ana@acme.example>", to="Kim <kim@far.example>"))
        self.box.add("Sent", letter("Ask Kim", "more", sender="Ana <ana@acme.example>", to="Kim <kim@far.example>", minutes=1,
                                    headers={"References": "<ask@test.example>"}))
        self.opus("sync")
        item = self.opus("list", "--all", "subject:kim", "--json").json["items"][-1]
        self.opus("delegate", item["id"], "bob@acme.example")
        self.assertPlaces(self.box, {"ask": "Sent", "more": "Sent"})
        self.assertEqual(len(self.waits()), 1)

    def test_a_discarded_draft_takes_its_delegation_back_on_a_second_machine_and_after_a_lost_store(self):
        for store in ("second", "lost"):
            for way in ("trash", "gone"):
                with self.subTest(store, way=way):
                    self.start()
                    self.opus("delegate", self.message(), "bob@acme.example")
                    if store == "lost":
                        shutil.rmtree(self.place.root / ".opus")
                    else:
                        second = self.new_place(self.box, None, SETTINGS, name=f"second{self.count}")
                        second.configure(self.box.yaml(extra=self.server.yaml()), SETTINGS)
                        shutil.rmtree(second.tasks, ignore_errors=True)
                        second.tasks.symlink_to(self.place.tasks)
                        self.place = second
                    self.opus("run", "--yes", minutes=1)
                    self.assertEqual([state for _, state in self.waits(1)], ["drafted"])
                    draft, = self.box.held("Drafts")
                    if way == "trash":
                        self.box.move(draft.message_id.strip("<>"), "Drafts", "Trash")
                    else:
                        self.box.remove("Drafts", draft.message_id)
                    done = self.opus("run", "--yes", minutes=60)
                    self.assertIn("was discarded: the task is removed, and its mail comes back", done.out)
                    self.assertPlaces(self.box, {"one": "INBOX"})
                    self.assertEqual(self.waits(60), [])

    def test_the_undo_of_a_delegation_that_a_rule_made_again_takes_its_draft_back(self):
        self.start(RULES.replace(", send: now", ""))
        self.opus("run", "--yes")
        for minutes, words in ((1, ("undo", "--yes")), (2, ("triage", "--again", "--yes")), (3, ("undo", "--yes"))):
            self.opus(*words, minutes=minutes)
            self.assertEqual(len(self.box.held("Drafts")), 1 if words[0] == "triage" else 0)
        self.assertPlaces(self.box, {"one": "INBOX"})

    def test_the_undo_of_a_delegation_cancels_its_mail_in_the_outbox(self):
        for way in ("run", "message"):
            with self.subTest(way):
                message = self.queued()
                target = message if way == "message" else next(
                    run["id"] for run in self.opus("runs", "list", "--json").json["items"] if run["command"] == "delegate")
                done = self.opus("undo", target, "--yes", minutes=1)
                self.assertIn("send to bob@acme.example", done.out)
                self.assertEqual(self.opus("outbox", "--json", minutes=1).json["items"], [])
                for minutes in (HOUR, DAY):
                    self.opus("run", "--yes", minutes=minutes)
                self.assertEqual(self.server.mails, [])
                self.assertEqual((self.box.subjects("INBOX"), self.box.subjects("Sent"), self.waits(DAY)),
                                 (["Hand one"], [], []))
                self.assertNothingMore(self.place, self.box, now=later(DAY))

    def test_an_order_in_undo_stops_mail_that_the_server_has_not_taken_yet(self):
        for is_open_again in (False, True):
            with self.subTest(is_open_again=is_open_again):
                self.start(RULES, SETTINGS + "send: { hold: 0 }\ncommand-mailboxes: Opus\n")
                self.opus("sync")
                self.server.refusal = "450 not now"
                self.assertIn("not now", self.place.opus("run", "--yes").text)
                place, = self.box.where("one@test.example")
                self.box.move("<one@test.example>", place, "Opus/Undo")
                if is_open_again:
                    self.server.refusal = None
                done = self.opus("run", "--yes", minutes=HOUR)
                self.assertNotIn("was left out", done.text)
                self.server.refusal = None
                for minutes in (2 * HOUR, 3 * HOUR):
                    self.opus("run", "--yes", minutes=minutes)
                self.assertEqual(self.server.mails, [])
                self.assertEqual((self.box.subjects("INBOX"), self.box.subjects("Sent"), self.waits(DAY)),
                                 (["Hand one"], [], []))

    def test_a_server_that_refuses_the_login_for_sending_holds_back_only_mail(self):
        self.start(RULES + "  - { id: news, when: 'subject:news', then: archive }\n", SETTINGS + "send: { hold: 0 }\n")
        self.server.login = "535 5.7.139 SmtpClientAuthentication is disabled"
        for number, name in enumerate(("a", "b")):
            self.box.add("INBOX", letter(f"News {name}", name, minutes=number * HOUR))
            done = self.opus("run", "--yes", minutes=(number + 1) * HOUR, code=77)
            self.assertIn("SmtpClientAuthentication is disabled", done.text)
            self.assertPlaces(self.box, {name: "Archive", "one": "INBOX"})
        done = self.opus("run", "--yes", "--json", minutes=3 * HOUR, code=77)
        self.assertIn("is disabled", done.text)
        # One login for each command.
        self.assertEqual(self.server.logins, 3)
        self.assertEqual(self.waits(3 * HOUR), [("Waiting for bob@acme.example: Hand one", "drafted")])
        self.opus("outbox", "wait", "--timeout", "20", minutes=3 * HOUR, code=77)
        self.assertEqual(self.server.logins, 4)
        self.server.login = "235 welcome"
        self.opus("run", "--yes", minutes=4 * HOUR)
        self.assertEqual(len(self.server.mails), 1)
        self.assertPlaces(self.box, {"one": "Archive"})

    def test_the_undo_of_a_sent_delegation_leaves_its_mail_sent(self):
        message = self.queued()
        self.opus("run", "--yes", minutes=HOUR)
        self.assertEqual(len(self.server.mails), 1)
        self.opus("undo", message, "--yes", minutes=HOUR)
        self.opus("run", "--yes", minutes=DAY)
        self.assertEqual((len(self.server.mails), self.box.subjects("Sent")), (1, ["Fwd: Hand one"]))

    def test_a_delegation_whose_recipient_was_corrected_waits_for_the_answer(self):
        for edits in (0, 1, 2):
            with self.subTest(edits=edits):
                self.start()
                self.opus("delegate", self.message(), "bob@acme.example")
                draft, = self.opus("drafts", "--json").json["items"]
                for number in range(edits):
                    text = self.opus("drafts", "show", draft["id"]).out
                    new = text.replace("bob@acme.example", "dan@far.example").replace("Subject: ", "Subject: Again ")
                    (self.place.root / "text").write_text(new)
                    self.opus("drafts", "edit", draft["id"], "--body", str(self.place.root / "text"), minutes=number + 1)
                    draft, = self.opus("drafts", "--json").json["items"]
                self.opus("send", draft["id"], "--yes", "--no-hold", minutes=HOUR)
                self.assertEqual(b"dan@far.example" in self.server.mails[-1], edits > 0)
                done = self.opus("run", "--yes", minutes=2 * HOUR)
                self.assertNotIn("discarded", done.text)
                who = "dan@far.example" if edits else "bob@acme.example"
                self.assertEqual(self.waits(2 * HOUR), [(f"Waiting for {who}: Hand one", "sent")])
                self.assertEqual(self.box.subjects("INBOX"), [])
                sent, = self.box.held("Sent")
                self.box.add("INBOX", letter("Re: Hand one", "answer", sender=DAN if edits else BOB, minutes=3 * HOUR,
                                             headers={"In-Reply-To": f"<{sent.message_id}>"}))
                self.opus("run", "--yes", minutes=4 * HOUR)
                self.assertEqual(self.waits(4 * HOUR), [("Decide: Hand one", "answered")])

    def test_a_run_says_that_the_mail_of_a_cancelled_delegation_is_still_sent(self):
        self.queued()
        task, = self.opus("waiting", "--json", minutes=1).json["items"]
        self.opus("task", "cancel", task["id"], minutes=1)
        done = self.place.opus("run", "--yes", now=later(1))
        self.assertRegex(done.out, r"the mail of task “.*Hand one” is in the outbox and will be sent  \(opus outbox discard d:")

    def send_to_dan(self, delegate=True):
        """Delegates the mail to Bob, and sends it to Dan."""
        if delegate:
            self.opus("delegate", self.message(), "bob@acme.example")
        draft, = self.opus("drafts", "--json").json["items"]
        text = self.opus("drafts", "show", draft["id"]).out.replace("bob@acme.example", "dan@far.example")
        (self.place.root / "text").write_text(text)
        self.opus("drafts", "edit", draft["id"], "--body", str(self.place.root / "text"), minutes=1)
        draft, = self.opus("drafts", "--json").json["items"]
        self.opus("send", draft["id"], "--yes", "--no-hold", minutes=HOUR)
        return self.opus("run", "--yes", minutes=2 * HOUR)

    def named(self):
        """The titles of the tasks, and the contacts."""
        lines = [line for path in sorted(self.place.tasks.rglob("*.ics")) for line in path.read_text().splitlines()]
        return [[line.removeprefix(name) for line in lines if line.startswith(name)] for name in ("SUMMARY:", "CONTACT:")]

    def test_the_task_names_the_person_to_whom_the_delegation_was_sent(self):
        self.start()
        done = self.send_to_dan()
        self.assertIn("task “Waiting for bob@acme.example: Hand one” waits for dan@far.example: you sent its mail to them",
                      done.out)
        self.assertEqual(self.named(), [["Waiting for dan@far.example: Hand one"], ["dan@far.example"]])
        self.assertEqual(self.opus("run", "--yes", minutes=3 * HOUR).out, "Nothing to do.\n")
        # An undo lasts.
        self.opus("undo", "--yes", minutes=4 * HOUR)
        old = [["Waiting for bob@acme.example: Hand one"], ["bob@acme.example"]]
        self.assertEqual(self.named(), old)
        self.opus("run", "--yes", minutes=5 * HOUR)
        self.assertEqual(self.named(), old)

    def test_a_title_of_the_user_stays_when_a_delegation_goes_to_another_person(self):
        self.start()
        self.opus("delegate", self.message(), "bob@acme.example")
        path, = self.place.tasks.rglob("*.ics")
        path.write_bytes(path.read_bytes().replace(b"SUMMARY:Waiting for bob@acme.example: Hand one", b"SUMMARY:Ask them"))
        self.send_to_dan(delegate=False)
        self.assertEqual(self.named(), [["Ask them"], ["dan@far.example"]])

    def test_a_wait_is_for_the_person_whom_the_user_names_in_the_task(self):
        self.start()
        self.opus("delegate", self.message(), "bob@acme.example")
        draft, = self.opus("drafts", "--json").json["items"]
        self.opus("send", draft["id"], "--yes", "--no-hold", minutes=HOUR)
        task, = self.opus("waiting", "--json", minutes=HOUR).json["items"]
        self.opus("task", "edit", task["id"], "--contact", "Dan <dan@far.example>", minutes=HOUR)
        self.opus("run", "--yes", minutes=2 * HOUR)
        self.assertEqual(self.named()[1], ["Dan <dan@far.example>"])
        sent, = self.box.held("Sent")
        self.opus("nudge", task["id"], minutes=9 * DAY)
        nudge, = self.opus("drafts", "--json", minutes=9 * DAY).json["items"]
        self.assertEqual(nudge["to"], ["dan@far.example"])
        self.box.add("INBOX", letter("Re: Hand one", "answer", sender=DAN, minutes=9 * DAY,
                                     headers={"In-Reply-To": f"<{sent.message_id}>"}))
        self.opus("run", "--yes", minutes=10 * DAY)
        self.assertEqual(self.waits(10 * DAY), [("Decide: Hand one", "answered")])

    def test_a_nudge_goes_to_the_person_to_whom_the_delegation_was_sent(self):
        self.start()
        self.send_to_dan()
        task, = self.opus("waiting", "--json", minutes=9 * DAY).json["items"]
        self.opus("nudge", task["id"], minutes=9 * DAY)
        nudge, = self.opus("drafts", "--json", minutes=9 * DAY).json["items"]
        self.assertEqual(nudge["to"], ["dan@far.example"])

    def test_a_mail_can_be_delegated_again_once_its_task_is_closed(self):
        for way in ("done", "cancel"):
            with self.subTest(way):
                self.start()
                message = self.message()
                self.opus("delegate", message, "bob@acme.example", "--send", "--no-hold", "--yes")
                self.assertIn("already waits for bob@acme.example",
                              self.opus("delegate", message, "dan@far.example", code=64).text)
                task, = self.opus("waiting", "--json").json["items"]
                self.opus("task", way, task["id"], minutes=HOUR)
                self.opus("run", "--yes", minutes=HOUR)
                for number, person in enumerate(("dan@far.example", "bob@acme.example"), 2):
                    self.opus("delegate", message, person, "--send", "--no-hold", "--yes", minutes=number * HOUR)
                    self.assertEqual((len(self.server.mails), len(self.box.held("Sent"))), (number, number))
                    task, = self.opus("waiting", "--json", minutes=number * HOUR).json["items"]
                    self.assertEqual((task["contact"], task["wait"]["state"]), (person, "sent"))
                    self.opus("task", way, task["id"], minutes=number * HOUR)
                    self.opus("run", "--yes", minutes=number * HOUR)
                self.assertEqual(len({held.message_id for held in self.box.held("Sent")}), 3)

    def test_mail_of_the_delegate_is_not_delegated_back_and_stays(self):
        self.start(RULES, SETTINGS + "send: { hold: 0 }\n")
        self.opus("run", "--yes")
        self.assertEqual(len(self.server.mails), 1)
        sent, = self.box.held("Sent")
        self.box.add("INBOX", letter("Re: Hand one", "answer", sender=BOB, minutes=HOUR,
                                     headers={"In-Reply-To": f"<{sent.message_id}>"}))
        self.box.add("INBOX", letter("Re: Hand two", "own", sender=BOB, minutes=2 * HOUR,
                                     headers={"References": f"<{sent.message_id}>"}))
        for minutes in (3 * HOUR, DAY):
            self.opus("run", "--yes", minutes=minutes)
        self.assertEqual(len(self.server.mails), 1)
        self.assertEqual(sorted(self.box.subjects("INBOX")), ["Re: Hand one", "Re: Hand two"])
        self.assertEqual(self.waits(DAY), [])
        self.assertNothingMore(self.place, self.box, now=later(DAY))
        item, = self.opus("list", "subject:two", "--json", minutes=DAY).json["items"]
        self.assertIn("who wrote it", self.opus("explain", item["id"], minutes=DAY).out)

    def test_an_answer_without_references_counts_whatever_mark_is_before_its_subject(self):
        for number, subject in enumerate(("Re: Fwd: Hand one", "Re: Hand one", "AW: WG: Hand one", "Hand one")):
            with self.subTest(subject):
                self.start()
                self.opus("delegate", self.message(), "bob@acme.example", "--send", "--no-hold", "--yes")
                self.box.add("INBOX", letter(subject, f"answer{number}", sender=BOB, minutes=2 * HOUR))
                self.opus("run", "--yes", minutes=3 * HOUR)
                self.assertEqual(self.waits(3 * HOUR), [("Decide: Hand one", "answered")])

    def test_no_wait_begins_with_a_draft(self):
        self.start(settings=SETTINGS + "command-mailboxes: Opus\n")
        self.opus("run", "--yes")
        self.opus("compose", "--to", "dan@far.example", "--subject", "Ask", "--body", "/dev/null")
        self.opus("run", "--yes")
        draft, = self.box.held("Drafts")
        item, = self.opus("list", "subject:ask", "--all", "--json").json["items"]
        self.assertIn("a draft that was not sent", self.opus("wait", item["id"], "--until", "friday", code=65).text)
        self.box.move(draft.message_id, "Drafts", "Opus/Waiting")
        done = self.opus("run", "--yes", code=1, minutes=1)
        self.assertIn("it is a draft that was not sent", done.text)
        self.assertEqual((self.box.subjects("Opus/Waiting"), self.waits(1)), (["Ask"], []))
        self.box.move(draft.message_id, "Opus/Waiting", "Drafts")
        self.opus("run", "--yes", minutes=2)
        self.assertEqual(self.box.subjects("Drafts"), ["Ask"])


if __name__ == "__main__":
    unittest.main()
