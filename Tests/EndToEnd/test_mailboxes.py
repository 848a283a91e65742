"""New mailboxes: `opus mailbox create`, `move: { to: …, create: true }` in a rule, and `opus move --create`."""
import json
import unittest

from boxes import MaildirBox, VerbatimBox
from letters import letter
from wiretap import Wiretap
from workplace import Case, on_both, servers

RULES = """\
rules-version: 1
name: projects
rules:
  - { id: acme, when: 'subject:acme', then: [{ move: { to: Projekte/Überfällig, create: true } }] }
"""
NAME = "Projekte/Überfällig"


@on_both
class NewMailboxes:
    def test_create_makes_it_once_with_its_levels(self):
        box = self.new_box()
        place = self.new_place(box)
        made = self.check(place.opus("mailbox", "create", NAME, "--json")).json
        self.assertEqual((made["schema"], made["name"], made["created"]), ("opus.mailbox-create/1", NAME, True))
        self.assertIn(NAME, box.names())
        before = box.fingerprint()
        again = self.check(place.opus("mailbox", "create", NAME, "--json")).json
        self.assertEqual((again["created"], again.get("run")), (False, None))
        self.check(place.opus("mailbox", "create", NAME.lower()), 0, "already exists")
        self.assertEqual(box.fingerprint(), before)
        lines = self.check(place.opus("mailbox", "list", "--json")).json["items"]
        self.assertIn({"account": "work", "name": NAME, "messages": 0, "unread": 0},
                      [{key: line[key] for key in ("account", "name", "messages", "unread")} for line in lines])

    def test_a_new_mailbox_can_be_used_at_once(self):
        box = self.new_box()
        box.add("INBOX", letter("Acme", "one"))
        place = self.new_place(box)
        self.check(place.opus("sync"))
        self.check(place.opus("mailbox", "create", NAME))
        item, = place.opus("list", "--json").json["items"]
        self.check(place.opus("move", item["id"], NAME))
        self.assertPlaces(box, {"one": NAME})
        self.check(place.opus("mailbox"), 0, f"work\t{NAME}\t\t1\t1")

    def test_of_two_names_that_look_the_same_each_is_its_own_mailbox(self):
        # Programs of macOS write é as e with an accent after it.
        short, long = "Caf\u00e9", "Cafe\u0301"
        box = self.new_box()
        for name in (short, long):
            box.create(name)
        box.add("INBOX", [letter(f"{word} {n}", f"{word}{n}") for word in ("short", "long") for n in (1, 2)])
        place = self.new_place(box, "rules-version: 1\nrules:\n" + "".join(
            f"  - {{ id: {word}, when: 'subject:\"{word} 1\"', then: [{{ move: {name} }}] }}\n"
            for word, name in (("short", short), ("long", long))))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"short1": short, "long1": long})
        ids = {item["subject"]: item["id"] for item in self.check(place.opus("list", "--json")).json["items"]}
        for word, name in (("short", short), ("long", long)):
            self.check(place.opus("move", ids[f"{word} 2"], name))
            items = self.check(place.opus("list", "--folder", name, "--json")).json["items"]
            self.assertEqual({item["subject"] for item in items}, {f"{word} 1", f"{word} 2"})
        self.assertPlaces(box, {"short2": short, "long2": long})

    def test_invalid_names_are_refused(self):
        box = self.new_box()
        place = self.new_place(box)
        before = box.names()
        for name in ("a//b", "/a", "a/", "", " a", "a*", "a\x07b", "x" * 501):
            done = self.check(place.opus("mailbox", "create", name, "--json"), 64)
            self.assertEqual(done.error["code"], "bad-mailbox", str(done))
        self.assertEqual(box.names(), before)

    def test_a_rule_makes_the_mailbox_that_it_names(self):
        box = self.new_box()
        box.add("INBOX", [letter("Acme 1", "one"), letter("Acme 2", "two", minutes=1), letter("Other", "other")])
        place = self.new_place(box, RULES)
        self.check(place.opus("rules", "check"))
        self.check(place.opus("sync"))
        shown = self.check(place.opus("triage", "--dry-run", environment={"OPUS_FORCE_TTY": "1"}))
        self.assertEqual(shown.out.count("(new mailbox)"), 2, str(shown))
        plan = self.check(place.opus("triage", "--dry-run", "--json")).json["plan"]
        self.assertEqual(len(plan["newMailboxes"]), 1)
        self.assertNotIn(NAME, box.names())
        done = self.check(place.opus("run", "--yes", "--json")).json
        self.assertEqual(json.dumps(done).count('"create-mailbox"'), 1, done)
        self.assertPlaces(box, {"one": NAME, "two": NAME, "other": "INBOX"})
        self.assertNothingMore(place, box)
        box.add("INBOX", letter("Acme 3", "three", minutes=2))
        shown = self.check(place.opus("triage", "--dry-run", environment={"OPUS_FORCE_TTY": "1"}))
        self.assertNotIn("(new mailbox)", shown.out)

    def test_undo_brings_the_mail_back_and_says_that_the_mailbox_stays(self):
        box = self.new_box()
        box.add("INBOX", letter("Acme", "one"))
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"one": NAME})
        done = self.check(place.opus("undo", "--yes", environment={"OPUS_FORCE_TTY": "1"}))
        self.assertIn("nothing to undo: opus never deletes a mailbox, so ", done.out)
        self.assertPlaces(box, {"one": "INBOX"})
        self.assertIn(NAME, box.names())

    def test_a_plan_kept_for_later_makes_only_what_it_still_needs(self):
        box = self.new_box()
        box.add("INBOX", letter("Acme", "one"))
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        self.check(place.opus("triage", "--out", "plan.json"))
        box.remove("INBOX", "one@test.example")
        place.opus("apply", "plan.json", "--yes")
        self.assertNotIn(NAME, box.names())

    def test_move_by_hand_makes_it_only_with_the_option(self):
        box = self.new_box()
        box.add("INBOX", letter("Acme", "one"))
        place = self.new_place(box)
        self.check(place.opus("sync"))
        item, = place.opus("list", "--json").json["items"]
        self.check(place.opus("move", item["id"], "New/One"), 66, "no mailbox \"New/One\"")
        self.check(place.opus("move", item["id"], "New/One", "--create", "--dry-run",
                              environment={"OPUS_FORCE_TTY": "1"}), 0, "(new mailbox)")
        self.assertNotIn("New/One", box.names())
        self.check(place.opus("move", item["id"], "New/One", "--create"))
        self.assertPlaces(box, {"one": "New/One"})

    def test_renaming_a_mailbox_changes_rules_that_create_it_too(self):
        place = self.new_place(self.new_box(), RULES)
        self.check(place.opus("rules", "rename-mailbox", NAME, "Projects"))
        self.assertIn("to: 'Projects',", (place.root / "rules" / "10-test.yaml").read_text())

    def test_a_rule_that_names_no_mailbox_or_a_wrong_one_is_refused(self):
        place = self.new_place(self.new_box())
        for action in ("{ create: true }", "{ to: 'a//b', create: true }", "{ to: A, create: maybe }",
                       "{ to: A, make: true }", "{ to: '{{sender}}', create: true }"):
            place.write_rules(RULES.replace("{ to: Projekte/Überfällig, create: true }", action))
            self.check(place.opus("rules", "check"), 65)


class NewMailboxesOnTheWire(Case):
    """Dovecot, behind a proxy."""

    def prepare(self, *messages):
        box = self.new_box()
        if messages:
            box.add("INBOX", list(messages))
        proxy = self.enterContext(Wiretap(servers().imap_port))
        place = self.new_place(box, RULES, name=f"place-{box.user}")
        place.configure(box.yaml(port=proxy.port, security="none", host="127.0.0.1"))
        return box, proxy, place

    def subscribed(self, box):
        client = box.client()
        rows = client.lsub()[1]
        client.logout()
        return b" ".join(row for row in rows if row)

    def test_a_new_mailbox_is_subscribed_to_and_its_name_is_in_modified_utf_7(self):
        box, proxy, place = self.prepare()
        self.check(place.opus("mailbox", "create", NAME))
        self.assertIn("CREATE Projekte/&ANw-berf&AOQ-llig", [line.replace('"', "") for line in proxy.commands])
        self.assertIn(b"&ANw-berf&AOQ-llig", self.subscribed(box))

    def test_a_server_without_subscriptions_still_makes_it(self):
        box, proxy, place = self.prepare()
        proxy.refuse("^SUBSCRIBE", "NO not here")
        self.check(place.opus("mailbox", "create", NAME))
        self.assertIn(NAME, box.names())

    def test_a_refusal_is_reported_and_the_message_stays(self):
        box, proxy, place = self.prepare(letter("Acme", "one"))
        proxy.refuse("^CREATE", "NO [NOPERM] no new mailboxes")
        done = self.check(place.opus("mailbox", "create", "Other"), 1)
        self.assertIn("no new mailboxes", done.err)
        self.check(place.opus("run", "--yes"), 1, "no new mailboxes")
        self.assertPlaces(box, {"one": "INBOX"})
        self.assertNotIn(NAME, box.names())

    def test_a_line_that_breaks_after_create_is_taken_up_by_the_next_run(self):
        for command in ("^CREATE", "^SUBSCRIBE"):
            with self.subTest(command):
                box, proxy, place = self.prepare(letter("Acme", "one"))
                self.check(place.opus("sync"))
                proxy.refuse(command, "BYE", times=1, before=lambda match: proxy.cut())
                place.opus("run", "--yes")
                proxy.open()
                self.check(place.opus("run", "--yes", now="2026-03-10T08:40:00+01:00"))
                self.assertPlaces(box, {"one": NAME})
                self.assertIn(b"&ANw-berf&AOQ-llig", self.subscribed(box))


class NewMailboxesInALayout(Case):
    kind = "maildir"

    def test_the_layout_of_the_other_mailboxes_is_kept(self):
        for kind in (MaildirBox, VerbatimBox):
            with self.subTest(kind.__name__):
                box = kind(self.folder / f"mail-{kind.__name__}")
                box.create("Lists")
                place = self.new_place(box, name=f"place-{kind.__name__}")
                self.check(place.opus("mailbox", "create", "Projects/Acme"))
                self.assertIn("Projects/Acme", box.names())
                self.assertEqual((box.folder / ".Projects.Acme" / "maildirfolder").exists(), kind is MaildirBox)


if __name__ == "__main__":
    unittest.main()
