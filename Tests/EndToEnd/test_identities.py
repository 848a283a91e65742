"""Several identities of one account: name, signature, envelope and Sent mailbox of each, and which addresses are the user's own."""
import shutil
import unittest

from letters import letter
from oracle import later
from test_answer import invitation
from test_sending import sent_to
from test_sent_copies import Submission
from test_write import Writing, parsed, text_of
from workplace import Case, Workplace, on_both

IDENTITIES = """\
    signature: |
      Ana Ruiz
    identities:
      - { from: sales@acme.example, name: Acme Sales, signature: "The sales team", sent: Sent/Sales }
      - { from: jobs@acme.example }
"""


@on_both
class Identities(Writing):
    def prepare(self, *messages, **options):
        return super().prepare(*messages, extra=IDENTITIES, **options)

    def reply(self, place, box, subject, *words):
        self.check(place.opus("reply", self.id_of(place, subject), "--body", self.write(place, "text", "Yes.\n"), *words))
        return self.draft(box)

    def test_a_reply_comes_from_the_address_that_the_mail_came_to(self):
        fields = {
            "to": dict(to="sales@acme.example"),
            "cc": dict(to="team@acme.example", headers={"Cc": "x@far.example, Sales <SALES@acme.example>"}),
            "delivered": dict(to="list@far.example", headers={"Delivered-To": "sales@acme.example"}),
            "original": dict(to="list@far.example", headers={"X-Original-To": "sales@acme.example"}),
            "plus": dict(to="sales+shop@acme.example"),
            "none": dict(to="list@far.example"),
            "unnamed": dict(to="jobs@acme.example"),
        }
        box, place = self.prepare(*(letter(name.title(), name, **options) for name, options in fields.items()))
        expected = {"Plus": "Acme Sales <sales+shop@acme.example>", "None": "Ana Ruiz <ana@acme.example>",
                    "Unnamed": "Ana Ruiz <jobs@acme.example>"}
        for name in fields:
            subject = name.title()
            with self.subTest(subject):
                done = self.check(place.opus("reply", self.id_of(place, subject), "--body", self.write(place, "text", "Yes.\n")))
                draft, = [parsed(box.body("Drafts", one.message_id)) for one in box.held("Drafts")]
                self.assertEqual(draft["From"], expected.get(subject, "Acme Sales <sales@acme.example>"))
                own = "Ana Ruiz" if "Ana" in draft["From"] else "The sales team"
                self.assertTrue(text_of(draft).endswith(f"\n-- \n{own}\n"), text_of(draft))
                self.check(place.opus("drafts", "discard", done.out.strip(), "--yes"))

    def test_the_user_chooses_and_another_from_brings_its_signature(self):
        box, place = self.prepare(letter("Door", "door"))
        draft = self.reply(place, box, "Door", "--from", "sales@acme.example")
        self.assertEqual(draft["From"], "Acme Sales <sales@acme.example>")
        self.assertEqual(draft.as_string().count("The sales team"), 1)
        line, = place.opus("drafts", "--json").json["items"]
        for change, signature in ((("sales@acme.example", "sales@acme.example"), "The sales team"),
                                  (("From: Acme Sales <sales@acme.example>", "From: ana@acme.example"), "Ana Ruiz")):
            self.check(self.edit(place, line["id"], change))
            text = text_of(self.draft(box))
            self.assertEqual(text.count("-- \n"), 1, text)
            self.assertTrue(text.endswith(f"-- \n{signature}\n"), text)
        self.check(place.opus("compose", "--from", "nobody@else.example", "--to", "x@far.example", "--subject", "x"), 65,
                   "is not one of your addresses", "sales@acme.example")

    def test_mail_from_an_address_of_another_account_has_its_signature(self):
        work, home = self.new_box(), self.new_box()
        if "Drafts" not in home.names():
            home.create("Drafts")
        home.add("INBOX", letter("Offer", "offer", to="sales@acme.example"))
        place = Workplace(self.folder / "two", work.yaml(extra=IDENTITIES)
                          + home.yaml("home", "ana@home.example", extra="    signature: Ana at home\n"))
        self.check(place.opus("sync"))
        draft = self.reply(place, home, "Offer")
        self.assertEqual(draft["From"], "Acme Sales <sales@acme.example>")
        self.assertTrue(text_of(draft).endswith("\n-- \nThe sales team\n"), text_of(draft))
        line, = place.opus("drafts", "--json").json["items"]
        self.check(self.edit(place, line["id"], ("From: Acme Sales <sales@acme.example>", "From: ana@home.example")))
        text = text_of(self.draft(home))
        self.assertEqual((text.count("-- \n"), text.count("Ana at home")), (1, 1), text)

    def test_the_signature_is_above_a_forwarded_message(self):
        box, place = self.prepare(letter("Door", "door"))
        words = "forward", self.id_of(place, "Door"), "--to", "x@far.example", "--body", self.write(place, "text", "See below.\n")
        self.check(place.opus(*words))
        line, = place.opus("drafts", "--json").json["items"]
        for signature in ("Ana Ruiz", "The sales team"):
            text = text_of(self.draft(box))
            above, below = text.split("\n\n---------- Forwarded message ----------\n")
            self.assertEqual(above, f"See below.\n\n{signature}")
            # Programs hide what is below two dashes.
            self.assertNotIn("-- \n", text)
            self.assertIn("Hello.", below)
            if signature == "Ana Ruiz":
                self.check(self.edit(place, line["id"], ("From: Ana Ruiz <ana@acme.example>", "From: sales@acme.example")))

    def test_reply_all_leaves_every_own_address_out(self):
        box, place = self.prepare(letter(
            "Round", "round", to="sales@acme.example, carl@far.example",
            headers={"Cc": "jobs+2026@acme.example, ana@acme.example, dora@far.example"}))
        self.check(place.opus("reply-all", self.id_of(place), "--body", self.write(place, "text", "Yes.\n")))
        draft = self.draft(box)
        self.assertEqual(draft["Cc"], "dora@far.example")
        self.assertEqual(draft["To"], "Bob Singh <bob@acme.example>, carl@far.example")

    def test_mail_from_an_identity_is_from_me(self):
        box, place = self.prepare(letter("Mine", "mine", sender="sales+x@acme.example"), letter("Theirs", "theirs"))
        self.assertEqual([item["subject"] for item in place.opus("list", "from:me", "--json").json["items"]], ["Mine"])

    def test_the_envelope_and_the_copy_fit_the_identity(self):
        box, place = self.sending(letter("Price", "price", to="sales@acme.example",
                                         headers={"Reply-To": self.address}))
        self.check(place.opus("reply", self.id_of(place), "--body", self.write(place, "text", "Yes.\n"), "--send", "--yes"))
        mail, = self.wait_for_mail()
        self.assertEqual(mail["From"], "Acme Sales <sales@acme.example>")
        self.assertEqual(mail["Return-Path"], "<sales@acme.example>")
        self.assertEqual(len(box.held("Sent/Sales")), 1)
        self.assertEqual(box.held("Sent"), [])

    def test_an_invitation_is_answered_by_the_invited_identity(self):
        invited = "jobs+cal@acme.example"
        box, place = self.sending(invitation(self.address).replace(b"mailto:ana@acme.example", b"mailto:" + invited.encode()))
        self.check(place.opus("answer", self.id_of(place), "yes", "--yes"))
        mail, = self.wait_for_mail()
        self.assertEqual(mail["From"], f"Ana Ruiz <{invited}>")
        self.assertEqual(mail["Return-Path"], f"<{invited}>")
        text, = [part for part in mail.walk() if part.get_content_type() == "text/calendar"]
        self.assertIn(f"mailto:{invited}", text.get_payload(decode=True).decode().replace("\r\n ", ""))

    def test_the_mailbox_of_an_identity_counts_as_sent_mail(self):
        box, place = self.sending(letter("Pass on", "pass", to="sales@acme.example"),
                                  settings="allow-send: true\nsend: { hold: 0 }\nscreener: on\n")
        place.write_rules("rules-version: 1\nname: pass\nrules:\n  - { id: pass, when: 'subject:pass', then: "
                          f"[{{ forward: {{ to: {self.address}, send: now }} }}] }}\n")
        self.check(place.opus("run", "--yes"))
        self.assertEqual(len(self.wait_for_mail()), 1)
        self.assertEqual(len(box.held("Sent/Sales")), 1)
        shutil.rmtree(place.root / ".opus")
        for minutes in (10, 20):
            self.check(place.opus("run", "--yes", now=later(minutes)))
            box.add("INBOX", letter(f"Question {minutes}", f"question-{minutes}", sender=f"Kim <{self.address}>", minutes=minutes))
        self.assertEqual(len(sent_to(self.address)), 1)
        self.check(place.opus("run", "--yes", now=later(30)))
        self.assertPlaces(box, {"question-10": "INBOX", "question-20": "INBOX"})
        self.check(place.opus("compose", "--to", self.address, "--body", self.write(place, "text", "Hi\n"), "--send", "--yes",
                              now=later(40)))
        self.assertEqual((len(box.held("Sent")), len(box.held("Sent/Sales"))), (1, 1))

    def test_an_automatic_reply_comes_from_the_address_of_the_mail(self):
        box, place = self.prepare()
        place.write_rules("rules-version: 1\nname: away\nrules:\n  - { id: away, when: '*', then: [{ vacation: "
                          "{ text: Away. } }] }\n")
        self.check(place.opus("run", "--yes", now="2026-03-10T06:00:00+01:00"))
        box.add("INBOX", letter("Hello", "hello", to="sales@acme.example"))
        self.check(place.opus("run", "--yes"))
        self.assertEqual(self.draft(box)["From"], "Acme Sales <sales@acme.example>")



class InternationalDomain(Writing, Case):
    """An address with letters outside ASCII in its domain, which mail has as xn--…"""

    kind = "maildir"
    readable, mailed = "ana@bücher.example", "ana@xn--bcher-kva.example"

    def prepare(self, *messages):
        box, place = super().prepare(*messages, extra="    sendmail: [./keep]\n")
        settings = place.root / "opus.yaml"
        settings.write_text(settings.read_text().replace("ana@acme.example", self.readable))
        program = place.root / "keep"
        program.write_text(f"#!/bin/sh\ncat > '{place.root}/message'\n")
        program.chmod(0o755)
        return box, place

    def test_it_sends_and_its_own_mail_is_known(self):
        box, place = self.prepare(letter("Door", "door", to=f"{self.mailed}, kim@far.example"))
        text = self.write(place, "text", "Yes.\n")
        for words in (("reply-all", self.id_of(place)), ("compose", "--from", self.readable, "--to", "bob@acme.example", "--cc", "kim@far.example")):
            with self.subTest(words):
                self.check(place.opus(*words, "--body", text, "--send", "--yes"), 0, "Sent")
                mail = parsed((place.root / "message").read_bytes())
                self.assertEqual(mail["From"], f"Ana Ruiz <{self.mailed}>")
                self.assertNotIn("ana@", str(mail["To"]) + str(mail["Cc"]))

    def test_the_answer_of_a_person_with_such_a_domain_is_recognised(self):
        box, place = self.prepare(letter("Door", "door"))
        self.check(place.opus("wait", self.id_of(place), "--who", "kim@bücher.example", "--until", "friday"))
        box.add("INBOX", letter("Re: Door", "answer", sender="Kim <kim@xn--bcher-kva.example>", minutes=100,
                                headers={"In-Reply-To": "<door@test.example>"}))
        self.check(place.opus("run", "--yes", now="2026-03-10T09:30:00+01:00"))
        self.assertIn("Decide: Door", self.check(place.opus("next")).out)


@on_both
class TwoAccounts(Writing):
    """Which of two accounts writes a mail, and with what."""

    def prepare(self, home="ana@home.example"):
        self.work, self.home = self.new_box(), self.new_box()
        for box in (self.work, self.home):
            for mailbox in {"Drafts", "Trash"} - set(box.names()):
                box.create(mailbox)
        place = Workplace(self.folder / "workspace",
                          self.work.yaml("work", extra=IDENTITIES) + self.home.yaml("home", address=home))
        for folder in ("work", "home"):
            (place.root / "templates" / folder).mkdir(parents=True)
            self.write(place, f"templates/{folder}/hello.txt", f"From the {folder} template.\n")
        return place

    def where(self):
        """(account, From) of each draft."""
        return [(name, parsed(box.body("Drafts", held.message_id))["From"])
                for name, box in (("work", self.work), ("home", self.home)) for held in box.held("Drafts")]

    def written(self, place, *words, text="Yes.\n"):
        return self.check(place.opus(*words, "--body", self.write(place, "text", text))).out.strip()

    def test_a_template_is_that_of_the_account_that_writes(self):
        place = self.prepare()
        self.work.add("INBOX", letter("Door"))
        self.check(place.opus("sync"))
        compose = "compose", "--to", "x@far.example", "--subject", "x"
        for words, name in ((compose, "work"), (("-a", "home", *compose), "home"),
                            ((*compose, "--from", "ana@home.example"), "home"),
                            (("-a", "home", "reply", self.id_of(place)), "home"),
                            (("reply", self.id_of(place)), "work")):
            with self.subTest(words):
                draft = self.written(place, *words, "--template", "hello")
                self.assertIn(f"From the {name} template.\n", place.opus("drafts", "show", draft).out)

    def test_a_reply_by_the_account_of_the_message_has_the_identity_that_it_came_to(self):
        place = self.prepare()
        self.work.add("INBOX", letter("Price", to="sales@acme.example"))
        self.check(place.opus("sync"))
        self.written(place, "--account", "work", "reply", self.id_of(place))
        self.assertEqual(self.where(), [("work", "Acme Sales <sales@acme.example>")])

    def two_servers(self, place, hold):
        """Gives each account a server for sending."""
        servers = {name: self.enterContext(Submission()) for name in ("work", "home")}
        place.configure(self.work.yaml("work", extra=IDENTITIES + servers["work"].yaml())
                        + self.home.yaml("home", address="ana@home.example", extra=servers["home"].yaml()),
                        f"send: {{ hold: {hold} }}\n")
        return servers

    def test_a_reply_that_another_account_sends_marks_the_message_as_answered(self):
        place = self.prepare()
        servers = self.two_servers(place, hold="0")
        self.work.add("INBOX", letter("Door"))
        self.check(place.opus("sync"))
        self.check(place.opus("reply", self.id_of(place), "--from", "ana@home.example", "--send", "--yes",
                              "--body", self.write(place, "text", "Yes.\n")), 0, "From     Ana Ruiz <ana@home.example>")
        self.assertIn(r"\Answered", self.work.find("INBOX", "door@test.example").flags)
        self.assertEqual([len(server.mails) for server in servers.values()], [0, 1])
        self.assertEqual((self.work.subjects("Sent"), self.home.subjects("Sent")), ([], ["Re: Door"]))
        self.assertNotIn("failed", self.check(place.opus("status")).out)

    def test_one_undo_cancels_the_mail_that_one_command_sends_from_two_accounts(self):
        place = self.prepare()
        servers = self.two_servers(place, hold="60s")
        drafts = [self.written(place, "-a", name, "compose", "--to", "x@far.example") for name in ("work", "home", "work")]
        self.check(place.opus("send", *drafts, "--yes", "--detach"))
        self.check(place.opus("undo", "--yes"))
        self.assertEqual(place.opus("outbox", "--json").json["items"], [])
        self.check(place.opus("run", "--yes", now=later(5)))
        self.assertEqual([len(server.mails) for server in servers.values()], [0, 0])

    def test_an_address_of_both_accounts_or_of_none_leaves_the_mail_in_its_account(self):
        for address, home in (("ana@acme.example", "ana@acme.example"), ("ana@example.org", "ana@home.example")):
            with self.subTest(address):
                shutil.rmtree(self.folder / "workspace", ignore_errors=True)
                place = self.prepare(home)
                self.home.add("INBOX", letter("Door", to=address))
                self.check(place.opus("sync"))
                expected = [("home", f"Ana Ruiz <{address}>")]
                code, out = self.on_terminal(place, "reply", self.id_of(place),
                                             editor=self.editor(place, 'echo "And more." >> "$1"\n'))
                self.assertEqual(code, 0, out)
                self.assertEqual(self.where(), expected)
                draft = self.written(place, "reply", self.id_of(place))
                self.check(self.edit(place, draft, ("Yes.", "No.")))
                self.assertEqual(self.where(), expected * 2)
                self.written(place, "-a", "home", "compose", "--from", address, "--to", "x@far.example")
                self.assertEqual(self.where(), expected * 3)

    def test_a_draft_that_another_from_moves_leaves_the_drafts_mailbox_of_its_account_at_once(self):
        place = self.prepare()
        draft = self.written(place, "compose", "--to", "x@far.example")
        self.assertEqual(self.where(), [("work", "Ana Ruiz <ana@acme.example>")])
        self.check(self.edit(place, draft, ("From: Ana Ruiz <ana@acme.example>", "From: ana@home.example")))
        self.assertEqual(self.where(), [("home", "Ana Ruiz <ana@home.example>")])
        self.assertEqual(len(self.work.held("Trash")), 1)
        self.assertNothingMore(place, self.work, self.home)


if __name__ == "__main__":
    unittest.main()
