"""The screener: strangers wait, known people do not, and one decision about a sender is one run."""
import os
import shutil
import unittest

from letters import letter
from test_waits import bounce
from workplace import Case, Workplace, on_both

EVE = "Eve Stone <eve@x.example>"


@on_both
class Screening:
    def prepare(self, settings="screener: on\n", sent=()):
        self.box = self.new_box()
        self.box.add("INBOX", letter("Before", name="before", sender="Old <old@x.example>"))
        for number, to in enumerate(sent):
            self.box.add("Sent", letter(f"To {number}", name=f"sent{number}", sender="Ana <ana@acme.example>", to=to))
        self.place = self.new_place(self.box, settings=settings)
        self.check(self.place.opus("run", "--yes"))

    def come(self, name, sender=EVE, **options):
        self.box.add("INBOX", letter(name.title(), name=name, sender=sender, **options))

    def run_opus(self, *words, code=0):
        return self.check(self.place.opus(*(words or ("run", "--yes"))), code)

    def listed(self, name="approved"):
        path = self.place.root / f"lists/{name}.txt"
        return path.read_text() if path.exists() else None

    def waiting(self):
        return self.check(self.place.opus("screener", "--json")).json["senders"]

    def test_strangers_wait_and_known_people_do_not(self):
        self.prepare(sent=["Bob <bob@acme.example>"])
        self.come("stranger")
        self.come("known", sender="Bob <bob@acme.example>")
        self.come("earlier", sender="Old <old@x.example>")
        self.come("own", sender="Ana <ana@acme.example>")
        self.come("tagged", sender="Ana <Ana+notes@acme.example>")
        self.come("answer", sender="Carla <carla@z.example>", headers={"In-Reply-To": "<sent0@test.example>"})
        self.come("guess", sender="Mallory <mallory@z.example>", headers={"In-Reply-To": "<before@test.example>"})
        self.come("list", sender="Dan <dan@z.example>", to="all@acme.example",
                  headers={"List-Id": "All <all.acme.example>"})
        said = self.run_opus().out
        self.assertEqual(sorted(line.split("  ")[-1] for line in said.splitlines() if line.startswith("waits in the screener: ")),
                         ["Guess", "Stranger"])
        self.assertPlaces(self.box, {"stranger": "Screener", "known": "INBOX", "earlier": "INBOX", "own": "INBOX",
                                     "tagged": "INBOX",
                                     "answer": "INBOX", "guess": "Screener", "list": "INBOX", "before": "INBOX"})
        self.assertIsNone(self.listed())
        self.assertNothingMore(self.place, self.box)

    def test_an_answer_lets_one_message_through_and_approves_no_sender(self):
        self.prepare(sent=["Bob <bob@acme.example>"])
        self.come("answer", headers={"References": "<sent0@test.example>"})
        self.come("later", minutes=5)
        self.run_opus()
        self.assertPlaces(self.box, {"answer": "INBOX", "later": "Screener"})
        self.assertIsNone(self.listed())

    def test_each_delivery_report_about_own_mail_is_let_through(self):
        self.prepare(sent=["Bob <bob@acme.example>"])
        systems = {"daemon": "MAILER-DAEMON@mx.example", "exchange": "Microsoft Outlook <exchange329e@mx.example>"}
        for name, sender in systems.items():
            self.box.add("INBOX", bounce("bob@acme.example", "sent0@test.example", **{
                "From": sender, "Message-ID": f"<{name}@test.example>"}))
        self.box.add("INBOX", bounce("bob@acme.example", "none@test.example", **{
            "From": "Mail System <system@spam.example>", "Message-ID": "<foreign@test.example>"}))
        self.run_opus()
        self.assertPlaces(self.box, {"daemon": "INBOX", "exchange": "INBOX", "foreign": "Screener"})

    def test_approval_releases_all_mail_of_the_sender_as_one_undoable_run(self):
        self.prepare()
        for name in ("one", "two"):
            self.come(name)
        self.come("other", sender="Zed <zed@y.example>")
        self.run_opus()
        self.assertEqual(sorted((item["address"], len(item["messages"])) for item in self.waiting()),
                         [("eve@x.example", 2), ("zed@y.example", 1)])
        ids = {item["address"]: item["id"] for item in self.waiting()}
        self.run_opus("screener", "approve", ids["eve@x.example"], "--to", "vip")
        self.assertPlaces(self.box, {"one": "INBOX", "two": "INBOX", "other": "Screener"})
        self.assertEqual((self.listed(), self.listed("vip")), ("eve@x.example\n", "eve@x.example\n"))
        self.come("three")
        self.run_opus()
        self.assertPlaces(self.box, {"three": "INBOX"})
        self.run_opus("undo", "--yes")
        self.assertPlaces(self.box, {"one": "Screener", "two": "Screener"})
        self.assertEqual((self.listed(), self.listed("vip")), ("", ""))
        history = self.check(self.place.opus("screener", "history", "--json")).json["history"]
        self.assertEqual({(item["cause"], item["address"], item["list"], item["undone"]) for item in history},
                         {("approve", "eve@x.example", "lists/approved.txt", True),
                          ("approve", "eve@x.example", "lists/vip.txt", True)})

    def test_a_decision_that_already_holds_makes_no_run(self):
        self.prepare()
        self.come("one")
        self.run_opus()
        for verb, mailbox in (("approve", "INBOX"), ("deny", "INBOX")):
            self.run_opus("screener", verb, "eve@x.example")
            before = self.place.opus("runs", "--json").json
            self.assertEqual(self.run_opus("screener", verb, "eve@x.example").out, "Nothing to do.\n")
            self.assertEqual(self.place.opus("runs", "--json").json, before)
            self.assertPlaces(self.box, {"one": mailbox})
        self.run_opus("undo", "--yes")
        self.assertEqual((self.listed(), self.listed("denied")), ("eve@x.example\n", ""))

    def test_a_sender_whose_mail_is_held_stays_unknown_after_the_store_was_lost(self):
        self.prepare()
        self.come("one")
        self.run_opus()
        shutil.rmtree(self.place.root / ".opus")
        self.run_opus()
        self.come("two", minutes=5)
        self.come("three", sender="Old <old@x.example>", minutes=6)
        self.run_opus()
        self.assertPlaces(self.box, {"one": "Screener", "two": "Screener", "three": "INBOX"})
        self.assertEqual([len(item["messages"]) for item in self.waiting()], [2])

    def test_denied_mail_goes_to_the_trash_now_and_later(self):
        self.prepare()
        self.come("one")
        self.run_opus()
        self.run_opus("screener", "deny", "eve@x.example")
        self.assertPlaces(self.box, {"one": "Trash"})
        self.come("two")
        self.assertRegex(self.run_opus().out, r"(?m)^to the trash \(denied\): m:\w+  Eve Stone  Two$")
        self.assertPlaces(self.box, {"two": "Trash"})
        self.run_opus("screener", "approve", "eve@x.example")
        self.assertEqual((self.listed("denied"), self.listed()), ("", "eve@x.example\n"))
        self.come("three")
        self.run_opus()
        self.assertPlaces(self.box, {"three": "INBOX"})

    def test_an_order_against_a_sender_takes_the_mail_that_waits_and_its_undo_puts_it_back(self):
        self.prepare("screener: on\ncommand-mailboxes: Opus\n")
        self.come("one")
        self.come("two", minutes=5)
        self.come("other", sender="Dan <dan@z.example>")
        self.run_opus()
        self.assertPlaces(self.box, {"one": "Screener", "two": "Screener", "other": "Screener"})
        self.box.move("one@test.example", "Screener", "Opus/Not this sender")
        self.run_opus()
        self.assertPlaces(self.box, {"one": "Trash", "two": "Trash", "other": "Screener"})
        self.assertNothingMore(self.place, self.box)
        self.run_opus("undo", "--yes")
        self.assertPlaces(self.box, {"one": "Screener", "two": "Screener"})
        self.assertEqual(self.listed("denied"), "")

    def test_a_denial_leaves_mail_in_the_inbox_alone(self):
        for name, settings in (("screener", "screener: on\ncommand-mailboxes: Opus\n"),
                               ("orders", "command-mailboxes: Opus\n")):
            with self.subTest(name):
                self.prepare(settings)
                for number in ("one", "two", "three"):
                    self.come(number, sender="Old <old@x.example>")
                self.run_opus()
                self.box.mark("INBOX", "one@test.example", add=[r"\Flagged"])
                self.box.move("three@test.example", "INBOX", "Opus/Not this sender")
                self.run_opus()
                self.come("later", sender="Old <old@x.example>", minutes=5)
                self.run_opus()
                self.assertPlaces(self.box, {"one": "INBOX", "two": "INBOX", "three": "Trash", "later": "Trash"})
                self.assertNothingMore(self.place, self.box)
                shutil.rmtree(self.place.root)

    def test_a_sender_whose_mail_was_there_before_the_screener_can_be_denied(self):
        self.prepare()
        self.run_opus("screener", "deny", "old@x.example")
        self.come("one", sender="Old <old@x.example>")
        self.run_opus()
        self.assertPlaces(self.box, {"before": "INBOX", "one": "Trash"})

    def test_a_denied_sender_stays_denied_after_the_store_was_lost(self):
        self.prepare()
        self.come("held")
        self.run_opus()
        self.run_opus("screener", "deny", "eve@x.example")
        denied = 1_773_126_000
        os.utime(self.place.root / "lists/denied.txt", (denied, denied))
        shutil.rmtree(self.place.root / ".opus")
        for name, sender, received in (("kept", EVE, denied - 60), ("between", EVE, denied + 60),
                                       ("stranger", "Zed <zed@y.example>", denied + 60)):
            self.box.add("INBOX", letter(name.title(), name=name, sender=sender), received=received)
        self.check(self.place.opus("sync"))
        self.check(self.place.opus("run", "--yes", "--dry-run"), 0, "Between")
        self.assertPlaces(self.box, {"between": "INBOX"})
        self.run_opus()
        # Mail that came before the list changed stays: the user may have left it there.
        self.assertPlaces(self.box, {"kept": "INBOX", "between": "Trash", "stranger": "INBOX"})
        self.come("later", minutes=5)
        self.run_opus()
        self.assertPlaces(self.box, {"kept": "INBOX", "later": "Trash"})
        self.check(self.place.opus("screener", "history"), 0, "lists/denied.txt")

    def test_the_answer_for_which_a_task_waits_reaches_the_inbox(self):
        self.prepare()
        self.come("offer")
        self.run_opus()
        self.assertPlaces(self.box, {"offer": "Screener"})
        self.run_opus("wait", self.waiting()[0]["messages"][0])
        self.come("answer", minutes=5, headers={"In-Reply-To": "<offer@test.example>"})
        self.assertIn("it is now “Decide: Offer”", self.run_opus().out)
        self.assertPlaces(self.box, {"offer": "Screener", "answer": "INBOX"})
        # The sender is not approved, and a denied one stays denied.
        self.come("more", minutes=6)
        self.run_opus()
        self.assertPlaces(self.box, {"answer": "INBOX", "more": "Screener"})
        self.run_opus("wait", self.waiting()[0]["messages"][0])
        self.run_opus("screener", "deny", EVE.split("<")[1][:-1])
        self.come("last", minutes=7)
        self.run_opus()
        self.assertPlaces(self.box, {"last": "Trash"})
        self.assertNothingMore(self.place, self.box)

    def test_people_whom_another_account_knows_and_their_answers_do_not_wait(self):
        boxes = [self.new_box(), self.new_box()]
        boxes[0].add("Sent", [letter("Plan", "plan", sender="ana@acme.example", to="Bob <bob@acme.example>"),
                              letter("Order", "order", sender="ana@acme.example", to="shop@x.example", minutes=1)])
        # One account knows a sender from before the screener.
        for number, (box, sender) in enumerate(zip(boxes, ("Old <old@x.example>", "Older <older@x.example>"))):
            box.add("INBOX", letter("Before", name=f"before{number}", sender=sender))
        lines = [box.yaml(name, f"ana@{name}.example") for name, box in zip(("acme", "home"), boxes)]
        place = Workplace(self.folder / "workspace", "".join(lines), settings="screener: on\n")
        self.check(place.opus("run", "--yes"))
        boxes[1].add("INBOX", [
            letter("Again", "again", sender="Old <old@x.example>", minutes=4),
            letter("Lunch", "lunch", sender="Bob <bob@acme.example>", minutes=5),
            letter("Re: Order", "ticket", sender="helpdesk@y.example", minutes=6, headers={"In-Reply-To": "<order@test.example>"}),
            letter("Hi", "stranger", sender=EVE, minutes=7)])
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(boxes[1], {"again": "INBOX", "lunch": "INBOX", "ticket": "INBOX", "stranger": "Screener"})
        senders = [item["address"] for item in place.opus("briefing", "--json").json["newSenders"]]
        self.assertIn("helpdesk@y.example", senders)
        self.assertNotIn("bob@acme.example", senders)

    def test_mail_that_was_let_through_stays_when_its_sender_is_no_longer_known(self):
        self.prepare()
        self.come("second", sender="Old <old@x.example>")
        self.run_opus()
        self.assertPlaces(self.box, {"second": "INBOX"})
        self.box.move("before@test.example", "INBOX", "Trash")
        self.run_opus()
        self.assertPlaces(self.box, {"second": "INBOX"})
        self.assertNothingMore(self.place, self.box)
        self.come("third", sender="Old <old@x.example>", minutes=5)
        self.run_opus()
        self.assertPlaces(self.box, {"second": "INBOX", "third": "Screener"})
        # A person may still be denied: that is about held and later mail.
        self.run_opus("screener", "deny", "old@x.example")
        self.come("fourth", sender="Old <old@x.example>", minutes=9)
        self.run_opus()
        self.assertPlaces(self.box, {"second": "INBOX", "third": "Trash", "fourth": "Trash"})
        self.assertNothingMore(self.place, self.box)

    def test_a_decision_about_an_address_counts_more_than_a_line_with_its_domain(self):
        self.prepare()
        (self.place.root / "lists").mkdir()
        (self.place.root / "lists/denied.txt").write_text("@x.example\n")
        self.run_opus("screener", "approve", "eve@x.example")
        self.come("approved")
        self.come("other", sender="Zed <zed@x.example>")
        self.run_opus()
        self.assertPlaces(self.box, {"approved": "INBOX", "other": "Trash"})
        self.run_opus("screener", "deny", "eve@x.example")
        (self.place.root / "lists/approved.txt").write_text("@x.example\n")
        (self.place.root / "lists/denied.txt").write_text("eve@x.example\n")
        self.come("denied", minutes=5)
        self.come("domain", sender="Yan <yan@x.example>", minutes=5)
        self.run_opus()
        self.assertPlaces(self.box, {"denied": "Trash", "domain": "INBOX"})

    def test_a_person_to_whom_the_user_wrote_can_be_denied_and_only_answers_arrive(self):
        self.prepare(sent=[EVE, "Zed <zed@z.example>", EVE])
        (self.place.root / "lists").mkdir()
        (self.place.root / "lists/denied.txt").write_text("@z.example\n")
        self.come("first")
        self.run_opus()
        self.run_opus("screener", "deny", "eve@x.example")
        self.come("second", minutes=5)
        self.come("answer", minutes=6, headers={"In-Reply-To": "<sent0@test.example>"})
        self.come("domain", sender="Zed <zed@z.example>", minutes=7)
        self.come("own", sender="Ana <ana@acme.example>", minutes=8)
        self.run_opus("screener", "deny", "ana@acme.example")
        self.run_opus()
        self.assertPlaces(self.box, {"first": "INBOX", "second": "Trash", "answer": "INBOX", "domain": "INBOX", "own": "INBOX"})
        # The answer of a person for whom a task waits may name no mail.
        self.run_opus("wait", self.check(self.place.opus("list", "--all", 'subject:"To 2"', "--json")).json["items"][0]["id"])
        self.come("awaited", minutes=9)
        self.run_opus()
        self.assertPlaces(self.box, {"awaited": "INBOX"})

    def off_and_on(self, settings):
        self.prepare(settings=settings + "screener: on\n")
        self.place.configure(self.box.yaml(), settings + "screener: off\n")
        self.come("meanwhile")
        self.run_opus()
        self.place.configure(self.box.yaml(), settings + "screener: on\n")
        self.come("later", sender=EVE)
        self.come("stranger", sender="Zed <zed@z.example>")
        self.run_opus()
        self.assertPlaces(self.box, {"meanwhile": "INBOX", "later": "INBOX", "stranger": "Screener"})

    def test_mail_that_came_while_the_screener_was_off_stays(self):
        self.off_and_on("")

    def test_mail_that_came_while_only_orders_used_the_screener_stays(self):
        self.off_and_on("command-mailboxes: Opus\n")

    def test_held_mail_is_listed_and_decided_about_after_its_mailbox_or_the_screener_changed(self):
        for name, later, settings in (("other", "INBOX", "screener: { mailbox: Strangers }\n"),
                                      ("off", "Trash", "screener: off\n")):
            with self.subTest(name):
                self.prepare()
                self.come("one")
                self.come("two", sender="Zed <zed@z.example>")
                self.run_opus()
                self.place.configure(self.box.yaml(), settings)
                self.run_opus()
                self.assertPlaces(self.box, {"one": "Screener", "two": "Screener"})
                self.assertEqual(sorted(sender["address"] for sender in self.waiting()), ["eve@x.example", "zed@z.example"])
                self.run_opus("screener", "approve" if later == "INBOX" else "deny", "eve@x.example")
                self.run_opus("screener", "clear", "zed@z.example")
                self.assertPlaces(self.box, {"one": later, "two": "Archive"})
                if name == "off":
                    self.assertIn("the screener is off", self.run_opus("screener", code=78).text)
                else:
                    self.assertEqual(self.waiting(), [])
                self.assertNothingMore(self.place, self.box)
                shutil.rmtree(self.place.root)

    def test_clear_does_not_decide_about_senders(self):
        self.prepare()
        self.come("one")
        self.run_opus()
        self.run_opus("screener", "clear", "--all")
        self.assertPlaces(self.box, {"one": "Archive"})
        self.come("two")
        self.run_opus()
        self.assertPlaces(self.box, {"two": "Screener"})
        self.assertIsNone(self.listed())

    def test_the_person_may_take_one_out_with_any_program(self):
        self.prepare()
        self.come("one")
        self.run_opus()
        self.box.move("one@test.example", "Screener", "INBOX")
        self.run_opus()
        self.assertNothingMore(self.place, self.box)
        self.assertPlaces(self.box, {"one": "INBOX"})

    def test_a_second_machine_leaves_mail_that_was_taken_out_in_the_inbox(self):
        self.prepare()
        second = self.new_place(self.box, settings="screener: on\n", name="second")
        self.check(second.opus("run", "--yes"))
        for name in ("by-hand", "approved"):
            self.come(name, sender=f"{name} <{name}@x.example>")
        self.run_opus()
        self.check(second.opus("run", "--yes"))
        self.assertPlaces(self.box, {"by-hand": "Screener", "approved": "Screener"})
        self.box.move("by-hand@test.example", "Screener", "INBOX")
        self.run_opus("screener", "approve", "approved@x.example")
        for place in (second, self.place, second):
            self.check(place.opus("run", "--yes"))
        self.assertPlaces(self.box, {"by-hand": "INBOX", "approved": "INBOX"})
        self.assertEqual(self.waiting(), [])

    def test_mail_that_a_person_takes_out_of_junk_does_not_wait(self):
        self.prepare()
        if "Junk" not in self.box.names():
            self.box.create("Junk")
        self.box.add("Junk", letter("One", name="one", sender=EVE))
        self.run_opus()
        self.box.move("one@test.example", "Junk", "INBOX")
        self.run_opus()
        self.assertPlaces(self.box, {"one": "INBOX"})

    def test_a_dry_run_names_the_senders_that_would_wait_and_changes_nothing(self):
        self.prepare()
        (self.place.root / "lists").mkdir()
        (self.place.root / "lists/denied.txt").write_text("zed@y.example\n")
        self.come("one")
        self.come("spam", sender="Zed <zed@y.example>", minutes=1)
        self.come("known", sender="Old <old@x.example>", minutes=2)
        shown = self.run_opus("run", "--dry-run")
        self.assertRegex(shown.out, r"would wait in the screener: m:\w+  Eve Stone  One")
        self.assertRegex(shown.out, r"would go to the trash \(denied\): m:\w+  Zed  Spam")
        self.assertNotIn("Known", shown.out)
        screened = self.run_opus("run", "--dry-run", "--json").json["screened"]
        self.assertEqual(sorted((item["subject"], item["denied"]) for item in screened), [("One", False), ("Spam", True)])
        self.assertPlaces(self.box, {"one": "INBOX", "spam": "INBOX", "known": "INBOX"})
        self.assertEqual(self.run_opus("run", "--yes", "--json").json["screened"], screened)
        self.assertPlaces(self.box, {"one": "Screener", "spam": "Trash", "known": "INBOX"})
        self.assertNotIn("screened", self.run_opus("run", "--dry-run", "--json").json)
        self.assertNotIn("screened", self.run_opus("run", "--yes", "--json").json)

    def test_a_dry_run_does_not_begin_the_screener(self):
        self.box = self.new_box()
        self.box.add("INBOX", letter("Before", name="before", sender=EVE))
        self.place = self.new_place(self.box, settings="screener: on\n")
        self.assertNotIn("would wait", self.run_opus("run", "--dry-run").out)
        self.come("later")
        self.run_opus()
        self.assertPlaces(self.box, {"before": "INBOX", "later": "INBOX"})

    def test_moves_by_the_screener_suggest_no_rule(self):
        self.prepare()
        for number in range(4):
            self.come(f"mail{number}", minutes=number)
        self.run_opus()
        self.run_opus("screener", "clear", "--all")
        self.assertPlaces(self.box, {"mail0": "Archive", "mail3": "Archive"})
        self.assertEqual(self.check(self.place.opus("rules", "suggest", "--json")).json["items"], [])

    def test_an_automatic_reply_makes_no_sender_known(self):
        self.box = self.new_box()
        self.box.add("Sent", [
            letter("Away", name="away", sender="Ana <ana@acme.example>", to=EVE, headers={"Auto-Submitted": "auto-replied (vacation)"}),
            letter("Hello", name="hello", sender="Ana <ana@acme.example>", to="Zed <zed@y.example>", minutes=1)])
        self.box.add("INBOX", [letter("One", name="one", sender=EVE), letter("Two", name="two", sender="Zed <zed@y.example>", minutes=1)])
        self.place = self.new_place(self.box, "rules-version: 1\nrules:\n  - { id: known, when: 'from:known', then: flag }\n")
        self.run_opus()
        flagged = {held.message_id for held in self.box.held("INBOX") if "\\Flagged" in held.flags or "F" in held.flags}
        self.assertEqual({name.strip("<>") for name in flagged}, {"two@test.example"})

    def test_a_sender_who_got_an_automatic_reply_and_later_a_mail_is_known(self):
        self.box = self.new_box()
        rules = "rules-version: 1\nrules:\n  - { id: away, when: 'subject:ask', then: { vacation: { text: Away } } }\n"
        self.place = self.new_place(self.box, rules)
        self.check(self.place.opus("run", "--yes", now="2026-03-10T06:00:00+01:00"))
        self.box.add("INBOX", letter("Ask", name="ask", sender=EVE))
        self.run_opus()
        self.assertEqual(self.box.subjects("Drafts"), ["Auto: Ask"])
        self.box.move("ask@test.example", "INBOX", "Trash")
        self.box.add("Sent", letter("Hello", name="hello", sender="Ana <ana@acme.example>", to=EVE, minutes=1))
        self.place.configure(self.box.yaml(), "screener: on\n")
        self.run_opus()
        self.come("again", minutes=2)
        self.run_opus()
        self.assertPlaces(self.box, {"again": "INBOX"})

    def test_replies_elsewhere_and_lookalikes_are_shown(self):
        self.prepare(sent=["Bob Singh <bob@acme.example>"])
        self.come("hello", sender="Bob Singh <bob@acrne.example>", headers={"Reply-To": "drop@evil.example"})
        self.come("later", sender="Bob Singh <bob@acrne.example>")
        self.run_opus()
        shown = self.run_opus("screener").out
        self.assertIn("answers go to drop@evil.example", shown)
        self.assertIn("looks like", shown)
        self.assertEqual(self.waiting()[0]["replyTo"], ["drop@evil.example"])
        self.assertEqual(self.waiting()[0]["looksLike"].split("@")[1], "acme.example")

    def test_names_of_the_address_book_and_of_people_to_whom_the_user_wrote_are_known(self):
        self.box = self.new_box()
        self.box.add("INBOX", letter("Before", name="before", sender="Old <old@x.example>"))
        self.box.add("Sent", letter("Plan", "plan", sender="Ana <ana@acme.example>", to="Jonathan Known <known@far.example>"))
        self.place = self.new_place(self.box, settings="screener: { address-book: book.vcf }\n")
        (self.place.root / "book.vcf").write_text(
            "BEGIN:VCARD\nEMAIL:beate@book.example\nFN:Beate Buchmann\nEND:VCARD\n")
        self.run_opus()
        self.come("one", sender="Jonathan Known <jk@other.example>", minutes=1)
        self.come("two", sender="Beate Buchmann <bb@other.example>", minutes=2)
        self.come("three", sender="Zoe Nobody <zoe@other.example>", minutes=3)
        self.run_opus()
        self.assertEqual({item["address"]: item.get("looksLike") for item in self.waiting()},
                         {"jk@other.example": "known@far.example", "bb@other.example": "beate@book.example",
                          "zoe@other.example": None})

    def test_folded_lines_of_an_address_book_are_read(self):
        self.prepare(settings="screener: { address-book: book.vcf }\n")
        (self.place.root / "book.vcf").write_bytes(
            b"BEGIN:VCARD\r\nitem1.EMAIL;type=INTERNET;type=WORK:first.last@b\r\n ook.example\r\n"
            b'EMAIL;TYPE="x:y":quoted@book.example\r\nFN:First\r\nEND:VCARD\r\n')
        self.come("one", sender="first.last@book.example")
        self.come("two", sender="quoted@book.example")
        self.come("three", sender="first.last@b.example")
        self.run_opus()
        self.assertPlaces(self.box, {"one": "INBOX", "two": "INBOX", "three": "Screener"})

    def test_both_spellings_of_an_international_domain_are_one_person(self):
        self.prepare(settings="screener: { address-book: book.vcf }\n")
        (self.place.root / "book.vcf").write_text("joerg@bücher.example\n")
        self.come("mailed", sender="Jörg <joerg@xn--bcher-kva.example>")
        self.come("readable", sender="Jörg <joerg@bücher.example>", minutes=1)
        self.run_opus("task", "add", "Numbers", "--list", "waiting", "--contact", "Eve <eve@mädchen.example>")
        self.come("awaited", sender="Eve <eve@xn--mdchen-bua.example>")
        self.run_opus()
        self.assertPlaces(self.box, {"mailed": "INBOX", "readable": "INBOX", "awaited": "INBOX"})

    def test_a_decision_in_either_spelling_takes_all_held_mail_of_the_person(self):
        self.prepare()
        self.come("one", sender="Kim <kim@bücher.example>")
        self.come("two", sender="Kim <kim@xn--bcher-kva.example>", minutes=1)
        self.run_opus()
        for word in ("kim@bücher.example", "kim@xn--bcher-kva.example", "@bücher.example"):
            with self.subTest(word):
                for decision, place in (("approve", "INBOX"), ("deny", "Trash")):
                    self.assertPlaces(self.box, {"one": "Screener", "two": "Screener"})
                    self.assertEqual(len(self.waiting()), 1, "one sender")
                    self.run_opus("screener", decision, word)
                    self.assertPlaces(self.box, {"one": place, "two": place})
                    self.run_opus("undo", "--yes")

    def test_mail_that_has_a_readable_domain_is_found_by_its_words(self):
        self.prepare(settings="")
        self.come("one", sender="Kim <kim@bücher.example>")
        self.run_opus("sync")
        for query in ("from:bücher", "from:kim@bücher.example", "from:kim@xn--bcher-kva.example", "bücher"):
            with self.subTest(query):
                self.assertEqual(len(self.run_opus("search", query, "--json").json["items"]), 1)

    def test_a_person_for_whom_a_new_task_waits_is_awaited(self):
        self.prepare()
        self.run_opus("task", "add", "Numbers", "--list", "waiting", "--contact", "Eve <eve@x.example>")
        self.come("one", sender="Eve <eve+tag@x.example>")
        self.run_opus()
        self.assertPlaces(self.box, {"one": "INBOX"})

    def test_an_answer_to_own_mail_that_has_left_sent_is_let_through(self):
        self.prepare(sent=["Bob <bob@acme.example>"])
        self.box.move("sent0@test.example", "Sent", "Archive")
        self.box.add("Archive", letter("Forged", "forged", sender="Ana <ana@acme.example>", headers={"Received": "from x by y"}))
        self.come("answer", sender="Carla <carla@z.example>", headers={"In-Reply-To": "<sent0@test.example>"})
        self.come("other", sender="Dan <dan@z.example>", headers={"In-Reply-To": "<forged@test.example>"})
        self.run_opus()
        self.assertPlaces(self.box, {"answer": "INBOX", "other": "Screener"})

    def test_a_list_that_a_windows_editor_wrote_is_read_and_keeps_its_line_ends(self):
        self.prepare()
        (self.place.root / "lists").mkdir(exist_ok=True)
        list_ = self.place.root / "lists/approved.txt"
        list_.write_bytes(b"\xef\xbb\xbffred@x.example\r\n# friends\r\n")
        self.come("fred", sender="Fred <fred@x.example>")
        self.come("gina", sender="Gina <gina@y.example>", minutes=1)
        self.run_opus()
        self.assertPlaces(self.box, {"fred": "INBOX", "gina": "Screener"})
        self.run_opus("screener", "approve", "fred@x.example", "gina@y.example")
        self.assertEqual(list_.read_bytes(), b"\xef\xbb\xbffred@x.example\r\n# friends\r\ngina@y.example\r\n")

    def test_a_sender_who_would_match_others_cannot_be_approved(self):
        self.prepare()
        self.come("star", sender="Star <*@x.example>")
        self.run_opus()
        star = self.waiting()[0]["id"]
        self.run_opus("screener", "approve", star, code=65)
        self.assertIsNone(self.listed())
        self.come("zed", sender="Zed <zed@y.example>", minutes=1)
        self.run_opus()
        done = self.run_opus("screener", "approve", "--all", code=1)
        self.assertIn(f"opus screener clear {star[:4]}", done.err)
        self.assertPlaces(self.box, {"star": "Screener", "zed": "INBOX"})
        self.assertNotIn("*", self.listed())
        self.run_opus("screener", "approve", "--all", code=1)
        self.run_opus("screener", "clear", star)
        self.assertPlaces(self.box, {"star": "Archive"})

    def test_the_address_book_is_known_and_a_rule_can_use_the_list(self):
        self.box = self.new_box()
        self.box.add("INBOX", letter("Before", name="before"))
        rules = ("rules-version: 1\nlists:\n  vip: { file: lists/vip.txt }\nrules:\n"
                 "  - { id: vip, when: 'from:@vip', then: flag }\n")
        self.place = self.new_place(self.box, rules, "screener: { mailbox: Neue, address-book: book.vcf }\n")
        (self.place.root / "book.vcf").write_text("BEGIN:VCARD\nFN:Zed\nEMAIL;TYPE=work:zed@y.example\nEND:VCARD\n")
        (self.place.root / "lists").mkdir()
        (self.place.root / "lists/vip.txt").write_text("")
        self.run_opus()
        self.come("card", sender="Zed <zed@y.example>")
        self.come("stranger")
        self.run_opus()
        self.assertPlaces(self.box, {"card": "INBOX", "stranger": "Neue"})
        # A book that cannot be read for a moment is no wrong setting: a watch tries again.
        (self.place.root / "book.vcf").rename(self.place.root / "away.vcf")
        self.come("later", minutes=9)
        self.run_opus(code=75)
        (self.place.root / "away.vcf").rename(self.place.root / "book.vcf")
        self.run_opus()
        self.assertPlaces(self.box, {"card": "INBOX", "later": "Neue"})
        self.run_opus("screener", "approve", "@x.example", "--to", "vip")
        self.run_opus()
        self.assertIn("\\Flagged" if self.box.kind == "imap" else "F",
                      str(self.box.find("INBOX", "stranger@test.example").flags))


if __name__ == "__main__":
    unittest.main()
