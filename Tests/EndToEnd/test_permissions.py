"""`allow:` of an account, held at the wire: what it does not allow is never sent, whatever command asks for it.

The proxy before Dovecot, and a look at every file of the Maildir, fail the test when a forbidden change is tried.
"""
import re
import unittest

from letters import letter
from wiretap import Wiretap
from workplace import Case, on_both, servers

RULES = """\
rules-version: 1
name: everything
rules:
  - { id: tasked, when: 'subject:task', then: [{ task: 'Do {{subject}}' }, archive] }
  - { id: away, when: 'subject:away', then: [{ label: gone }, archive] }
  - { id: new, when: 'subject:project', then: [{ move: { to: Projects/Acme, create: true } }] }
  - { id: answer, when: 'subject:question', then: [{ reply: { text: 'Thanks.', send: now } }, flag] }
  - { id: twice, when: 'subject:copy', then: [{ copy: Archive }] }
"""
SETTINGS = "allow-send: true\ncommand-mailboxes: Opus\nscreener: on\n"
#: What an account with `allow: read` must never be told.
CHANGES = r"^(SELECT|CREATE|DELETE|RENAME|SUBSCRIBE|UNSUBSCRIBE|APPEND|CLOSE|EXPUNGE|STORE|COPY|MOVE|UID (STORE|COPY|MOVE|EXPUNGE))\b"


class Guarded(Case):
    def prepare(self, *messages, allow=None, rules=None, settings="", smtp=False):
        self.box = self.new_box()
        for message in messages:
            self.box.add("INBOX", message)
        self.proxy = None
        if self.kind == "imap":
            self.proxy = self.enterContext(Wiretap(servers().imap_port))
        self.place = self.new_place(self.box, rules, settings=settings)
        self.settings = settings
        self.smtp = self.enterContext(Wiretap(servers().submission_port)) if smtp else None
        self.allow(allow)
        return self.place

    def allow(self, allow):
        extra = f"    allow: {allow}\n" if allow else ""
        if self.smtp:
            extra += f"    smtp: {{ host: localhost, port: {self.smtp.port}, security: starttls, ca-file: {servers().ca_file} }}\n"
            if self.kind == "maildir":
                extra += "    login: { user: ana, password-command: [cat, password] }\n"
        yaml = (self.box.yaml(port=self.proxy.port, security="none", host="127.0.0.1", extra=extra)
                if self.proxy else self.box.yaml(extra=extra))
        self.place.configure(yaml, self.settings)
        if self.proxy:
            self.proxy.reset()

    def state(self):
        """Everything that a change would change."""
        if self.kind == "imap":
            return self.box.fingerprint()
        return sorted((str(path.relative_to(self.box.folder)), path.read_bytes() if path.is_file() else b"")
                      for path in self.box.folder.rglob("*"))

    def assertNotSaid(self, pattern=CHANGES):
        """The server fails the test."""
        if self.proxy:
            self.assertEqual([line for line in self.proxy.commands if re.search(pattern, line, re.I)], [])

    def named(self, subject):
        """The id of a message."""
        items = self.place.opus("list", "--all", "--json").json["items"]
        return next(item["id"] for item in items if item["subject"] == subject)

    def text(self, words):
        path = self.folder / f"text-{abs(hash(words))}"
        path.write_text(words + "\n")
        return str(path)


@on_both
class Permissions(Guarded):
    def test_with_read_no_command_changes_anything(self):
        mail = [letter("Away one", "one", headers={"List-Unsubscribe": "<mailto:leave@list.example>"}),
                letter("Plain two", "two", minutes=1), letter("Later three", "three", minutes=2),
                letter("Undone four", "four", minutes=3)]
        place = self.prepare(*mail, rules=RULES, settings="allow-send: true\n", smtp=True)
        self.check(place.opus("sync"))
        self.check(place.opus("defer", self.named("Later three"), "friday"))
        self.check(place.opus("archive", self.named("Undone four")))
        self.check(place.opus("reply", self.named("Plain two"), "--body", self.text("Yes.")))
        draft = place.opus("drafts", "list", "--json").json["items"][0]["id"]
        self.check(place.opus("sync"))
        one, two, three = self.named("Away one"), self.named("Plain two"), self.named("Later three")
        self.allow("read")
        before = self.state()
        commands = [
            ("archive", two), ("trash", two), ("junk", two), ("move", two, "Archive"),
            ("move", two, "Somewhere/New", "--create"), ("copy", two, "Archive"), ("label", "red", two),
            ("flag", two), ("read", two), ("defer", two, "friday"), ("defer", "--cancel", three),
            ("archive", two, "--dry-run"), ("undo", "--yes"), ("mailbox", "create", "New"),
            ("briefing", "--mail"), ("delegate", two, "bob@acme.example"),
            ("reply", two, "--body", self.text("No.")), ("forward", two, "--to", "bob@acme.example", "--body",
                                                             self.text("See.")),
            ("compose", "--to", "bob@acme.example", "--subject", "New", "--body", self.text("Hi.")),
            ("send", draft, "--yes"), ("unsubscribe", one, "--yes"),
        ]
        for words in commands:
            with self.subTest(" ".join(map(str, words))):
                done = place.opus(*words, "--json")
                self.assertEqual(done.code, 78, str(done))
                self.assertEqual(done.error["code"], "not-allowed", str(done))
                self.assertRegex(done.error["place"], r"opus\.yaml:\d+$")
                self.assertRegex(" ".join(done.error["next"]), r"allow: (organise|send|full) at .*opus\.yaml:\d+")
                self.assertEqual(self.state(), before)
                self.assertNotSaid()
        self.assertNotIn("MAIL FROM", self.smtp.text.upper())

    def test_with_read_a_run_shows_what_it_may_not_do_and_does_the_rest(self):
        mail = [letter("Task me", "task"), letter("Away you", "away", minutes=1), letter("Project X", "new", minutes=2),
                letter("Question", "ask", minutes=3), letter("Copy me", "copy", minutes=4)]
        place = self.prepare(*mail, allow="read", rules=RULES, settings=SETTINGS, smtp=True)
        before = self.state()
        self.check(place.opus("sync"))
        shown = self.check(place.opus("triage", "--dry-run", environment={"OPUS_FORCE_TTY": "1"}))
        self.assertIn("not allowed: archive (allow: read)", shown.out)
        self.assertIn("not allowed: move=Projects/Acme (allow: read)", shown.out)
        self.assertIn("not allowed: reply=bob@acme.example, flag (allow: read)", shown.out)
        self.assertNotIn("makes a draft", shown.text)
        self.assertNotIn("(new mailbox)", shown.out)
        self.assertRegex(shown.text, r"allow: read does not let opus move messages \(\S*opus\.yaml:\d+\)")
        for number in range(2):
            self.check(place.opus("run", "--yes", now=f"2026-03-1{number}T08:30:00+01:00"))
            self.assertEqual(self.state(), before)
            self.assertNotSaid()
        self.assertEqual([line["summary"] for line in place.opus("next", "--json").json["items"]], ["Do Task me"])
        self.check(place.opus("task", "done", place.opus("next", "--json").json["items"][0]["id"]))
        self.check(place.opus("run", "--yes"), 0, "does not let opus move it")
        self.assertEqual(self.state(), before)
        self.assertNotSaid()
        self.assertNotIn("MAIL FROM", self.smtp.text.upper())
        self.allow(None)
        self.check(place.opus("run", "--yes", "--max", "none", now="2026-03-12T08:30:00+01:00"))
        self.assertPlaces(self.box, {"away": "Archive", "new": "Projects/Acme"})

    def test_steps_queued_earlier_are_not_done_without_the_permission(self):
        if self.kind == "maildir":
            self.skipTest("nothing waits there")
        place = self.prepare(letter("Away one", "one"), rules=RULES)
        self.check(place.opus("sync"))
        self.proxy.refuse("^UID MOVE", "NO [INUSE] not now")
        place.opus("archive", self.named("Away one"))
        self.assertTrue(any(line.startswith("UID MOVE") for line in self.proxy.commands))
        self.proxy.open()
        self.allow("read")
        done = place.opus("run", "--yes", now="2026-03-10T10:30:00+01:00")
        self.assertIn("does not let opus", done.text)
        self.assertNotSaid()
        self.assertPlaces(self.box, {"one": "INBOX"})

    def test_a_rule_that_may_not_delegate_leaves_the_message_in_the_inbox(self):
        rules = ("rules-version: 1\nrules:\n  - id: hand\n    when: 'subject:hand'\n"
                 "    then: [{ delegate: { to: bob@far.example } }, archive]\n")
        place = self.prepare(letter("Hand one", "one"), allow="[mark, move]", rules=rules)
        self.check(place.opus("run", "--yes"), 0, "not allowed: delegate=bob@far.example, archive")
        self.assertPlaces(self.box, {"one": "INBOX"})
        self.allow(None)
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(self.box, {"one": "Archive"})
        self.assertEqual(len(self.box.held("Drafts")), 1)

    def test_organise_allows_filing_and_no_sending(self):
        place = self.prepare(letter("Away one", "one"), letter("Question", "ask", minutes=1), allow="organise",
                             rules=RULES, settings="allow-send: true\n", smtp=True)
        if self.kind == "maildir":
            self.box.create("Trash")
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(self.box, {"one": "Archive"})
        self.assertEqual(len(self.box.held("Drafts")), 1, "the answer of the rule is a draft")
        draft = place.opus("drafts", "list", "--json").json["items"][0]["id"]
        done = place.opus("send", draft, "--yes", "--json")
        self.assertEqual((done.code, done.error["code"]), (78, "not-allowed"), str(done))
        self.assertIn("allow: send at", " ".join(done.error["next"]))
        self.assertIn("the mail is kept as draft d:", " ".join(done.error["details"]))
        self.check(place.opus("undo", "--yes"))
        self.assertPlaces(self.box, {"one": "INBOX"})
        self.assertNotIn("MAIL FROM", self.smtp.text.upper())
        self.assertNotSaid(r"^(UID EXPUNGE|EXPUNGE|CLOSE|DELETE)")

    def test_single_permissions_allow_only_their_commands(self):
        place = self.prepare(letter("Plain", "one"), allow="[mark]")
        if self.kind == "maildir":
            self.box.create("Archive")
        self.check(place.opus("sync"))
        self.check(place.opus("flag", self.named("Plain")))
        self.assertIn("\\Flagged", self.box.find("INBOX", "one@test.example").flags)
        done = place.opus("archive", self.named("Plain"), "--json")
        self.assertEqual(done.error["code"], "not-allowed")
        self.assertIn("allow: [mark, move] at", " ".join(done.error["next"]))
        self.assertPlaces(self.box, {"one": "INBOX"})
        self.allow("[read, move]")
        self.check(place.opus("archive", self.named("Plain")))
        self.assertPlaces(self.box, {"one": "Archive"})
        self.check(place.opus("unflag", self.named("Plain")), 78)

    def test_a_mailbox_that_would_have_to_be_made_is_in_the_plan_and_no_failed_step(self):
        # Dovecot of the tests has an Archive as soon as someone asks for it.
        action, words, mailbox = (("archive", ("archive",), "Archive") if self.kind == "maildir"
                                  else ("defer: friday", ("defer", "friday"), "Deferred"))
        rules = f"rules-version: 1\nname: all\nrules:\n  - {{ id: all, when: '*', then: [{{ {action} }}] }}\n"
        place = self.prepare(letter("Hello", "hello"), allow="[mark, move]", rules=rules.replace("{ archive }", "archive"))
        before = self.state()
        plan = self.check(place.opus("run", "--dry-run"))
        self.assertIn("does not let opus make mailboxes", plan.text)
        self.check(place.opus("run", "--yes"), 0, "does not let opus make mailboxes")
        self.check(place.opus(words[0], self.named("Hello"), *words[1:]), 78, "does not let opus make mailboxes")
        self.check(place.opus("task", "from", self.named("Hello"), "--list", "someday"), 78, "does not let opus make mailboxes")
        self.assertEqual(self.state(), before)
        self.assertEqual(list(place.tasks.rglob("*.ics")), [])
        self.assertNotIn("failed", place.opus("status").text)
        self.box.create(mailbox)
        self.check(place.opus("sync"))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(self.box, {"hello": mailbox})

    def test_wrong_words_are_errors_with_a_place(self):
        place = self.prepare()
        for value, hint in (("reed", "did you mean 'read'?"), ("[mark, mov]", "did you mean 'move'?"), ("{ a: b }", "")):
            self.allow(value)
            self.check(place.opus("status"), 78, "C007", hint)


class PermissionsOnTheWire(Guarded):
    kind = "imap"

    def test_without_delete_a_message_whose_original_would_stay_is_not_copied(self):
        place = self.prepare(letter("Away one", "one"), allow="organise", rules=RULES)
        self.proxy.hide("MOVE")
        self.check(place.opus("sync"))
        self.check(place.opus("run", "--yes"), 1, "does not let opus remove")
        self.assertNotSaid(r"^UID (COPY|EXPUNGE|MOVE)")
        self.assertPlaces(self.box, {"one": "INBOX"})

    def test_watch_sync_and_list_open_mailboxes_read_only(self):
        place = self.prepare(letter("Away one", "one"), allow="read", rules=RULES, settings=SETTINGS)
        for words in (("sync",), ("account", "check"), ("list",), ("show", "Away"), ("status",), ("doctor",),
                      ("explain",), ("thread",)):
            place.opus(*words)
        self.check(place.opus("show", self.named("Away one")))
        self.check(place.opus("show", self.named("Away one"), "--raw"))
        self.assertTrue(any(line.startswith("EXAMINE") for line in self.proxy.commands))
        self.assertNotSaid()


if __name__ == "__main__":
    unittest.main()
