"""Gmail, as the simulated server plays it: mailboxes are labels, and a move to the bin closes the connection."""
import re

from letters import letter
from model import Model
from workplace import NO_RULES, Case, Workplace

FRIDAY = "2026-03-13T08:30:00+01:00"
SETTINGS = "send: { hold: 0 }\n"
BIN = "[Gmail]/Papierkorb"


class Gmail(Case):
    def start(self, *names, profile="gmail"):
        self.model = self.enterContext(Model(profile))
        for number, name in enumerate(names):
            self.model.add("INBOX", [letter(name, name, minutes=number)], flags=(r"\Flagged",))
        self.place = Workplace(self.folder / profile, self.model.yaml(), NO_RULES, SETTINGS, password=Model.password)
        self.check(self.place.opus("sync"))
        items = self.check(self.place.opus("list", "--json")).json["items"]
        return {item["subject"]: item["id"] for item in items}

    def opus(self, *words, code=0, now=None):
        return self.check(self.place.opus(*words, **({"now": now} if now else {})), code)

    def labels(self, name):
        """The mailboxes of a message besides All Mail and Starred."""
        places = self.model.state().places().get(name, [])
        return sorted(mailbox for mailbox, _ in places if "Alle" not in mailbox and "Markiert" not in mailbox)

    def listed(self, *words, now=None):
        return [line.split("\t")[3] for line in self.opus(*words, now=now).out.splitlines()]

    def test_mail_that_is_put_back_into_the_inbox_is_known_there_at_once(self):
        ids = self.start("one", "two")
        for back in (("undo", "--yes"), ("move", ids["one"], "inbox")):
            self.opus("archive", ids["one"])
            self.assertEqual(self.labels("one"), [])
            self.opus(*back)
            self.assertEqual(self.labels("one"), ["INBOX"])
            self.assertEqual(self.listed("list"), ["two", "one"])
            # With its marks.
            self.assertEqual(self.listed("list", "is:flagged"), ["two", "one"])
        self.opus("defer", ids["one"], "friday")
        self.assertEqual(self.labels("one"), ["Deferred"])
        self.assertEqual(self.opus("run", "--yes").out, "Nothing to do.\n")
        self.opus("run", "--yes", now=FRIDAY)
        self.assertEqual(self.labels("one"), ["INBOX"])

    def test_a_later_move_follows_an_archive_that_waited(self):
        ids = self.start("one", "two", "three")
        good = self.model.yaml()
        self.place.configure(re.sub(r"port: \d+", "port: 1", good), SETTINGS)
        for command, name in (("archive", "one"), ("trash", "one"), ("archive", "two"), ("junk", "two"), ("archive", "three"),
                              ("unflag", "three")):
            self.opus(command, ids[name], code=75)
        self.place.configure(good, SETTINGS)
        self.assertNotIn("failed", self.opus("run", "--yes").out)
        self.assertNotIn("[Gmail]/Markiert", [mailbox for mailbox, _ in self.model.state().places()["three"]])
        self.assertEqual({name: self.labels(name) for name in ids}, {"one": [BIN], "two": ["[Gmail]/Spam"], "three": []})
        self.assertEqual(self.opus("run", "--yes").out, "Nothing to do.\n")
        for _ in range(6):
            self.opus("undo", "--yes")
        self.assertEqual({name: self.labels(name) for name in ids}, {name: ["INBOX"] for name in ids})

    def test_many_messages_are_put_back_at_once(self):
        names = [f"m{number}" for number in range(30)]
        ids = self.start(*names)
        self.opus("archive", *ids.values())
        self.opus("undo", "--yes")
        self.assertEqual(sorted(self.listed("list")), sorted(names))
        self.opus("trash", *list(ids.values())[:20])
        self.assertEqual(len(self.listed("list")), 10)

    def test_a_search_shows_each_message_once_and_no_list_of_deferred_mail(self):
        ids = self.start("one", "two")
        self.opus("defer", ids["two"], "friday")
        self.assertEqual(self.listed("list", "--all"), ["two", "one"])
        self.opus("label", "Mine", ids["one"])
        self.assertEqual(self.listed("search", "from:ana OR one OR two"), ["two", "one"])
        self.assertEqual(self.listed("search", "in:all"), ["two", "one"])
        self.assertEqual(self.opus("search", "comes", "back").out, "")

    def compose(self, subject, *words):
        text = self.place.root / "text"
        text.write_text(f"From: Ana Ruiz <ana@acme.example>\nTo: x@far.example\nSubject: {subject}\n\n{subject}\n")
        return self.opus(*words, "--body", str(text)).out.split()[0]

    def drafts(self):
        return [line.split("\t")[5] for line in self.opus("drafts").out.splitlines() if "\t" in line]

    def test_a_removed_draft_comes_back_with_undo(self):
        # On the other server, the answer to the first move is lost.
        for profile, trash in (("gmail", BIN), ("dovecot", "Trash")):
            with self.subTest(profile):
                self.start(profile=profile)
                lose = {"name": "done", "at": "UID MOVE", "effect": "close", "count": 1}
                self.compose("first", "compose", "--to", "x@far.example", "--subject", "first")
                draft, = self.opus("drafts", "--json").json["items"]
                if profile != "gmail":
                    self.model.ask("arm-imap", **lose)
                self.compose("second", "drafts", "edit", draft["id"])
                self.assertEqual(self.drafts(), ["second"])
                undone = self.opus("undo", "--yes")
                self.assertNotIn("already gone", undone.text)
                self.assertEqual(self.drafts(), ["first"])
                if profile != "gmail":
                    self.model.ask("arm-imap", **lose)
                draft, = self.opus("drafts", "--json").json["items"]
                self.opus("drafts", "discard", draft["id"], "--yes")
                self.assertEqual(self.drafts(), [])
                self.opus("undo", "--yes")
                self.assertEqual(self.drafts(), ["first"])
                self.assertEqual([held.subject for held in self.model.state().held if held.mailbox == trash], ["second"])

    def test_the_undone_discard_of_a_delegation_stays_undone(self):
        ids = self.start("one")
        self.opus("delegate", ids["one"], "bob@acme.example")
        draft, = self.opus("drafts", "--json").json["items"]
        self.opus("drafts", "discard", draft["id"], "--yes")
        self.opus("run", "--yes")
        self.assertEqual(self.labels("one"), ["INBOX"])
        self.opus("undo", "--yes")
        self.assertEqual(self.drafts(), ["Fwd: one"])
        self.opus("run", "--yes")
        self.assertEqual((self.labels("one"), self.drafts()), ([], ["Fwd: one"]))
