"""The store follows the account, whatever other programs do to it in between."""
import json
import shutil
import time
import unittest

from boxes import IMAPBox
from letters import letter
from wiretap import Wiretap
from workplace import Case, on_both, plain_dovecot

RULES = """\
rules-version: 1
name: sync
rules:
  - { id: ask, when: 'subject:ask', then: [{ task: { title: 'Answer {{subject}}' } }, { label: asked }] }
  - { id: away, when: 'subject:away', then: [archive] }
"""
RSS_LIMIT = 200 * 1024


def ids(place):
    """{message id: short content id} of everything in the store."""
    return {item["messageID"]: item["id"] for item in place.opus("list", "--all", "--json").json["items"]}


def seen(place, *options):
    return {item["messageID"].partition("@")[0]: item for item in place.opus("list", "--json", *options).json["items"]}


@on_both
class OtherPrograms:
    def test_flags_deletions_and_new_mail_arrive(self):
        box = self.new_box()
        box.add("INBOX", [letter(f"Number {n}", minutes=n) for n in range(6)])
        place = self.new_place(box)
        self.check(place.opus("sync"))
        first = ids(place)
        box.mark("INBOX", "number-1@test.example", add=[r"\Seen", r"\Flagged"])
        box.remove("INBOX", "number-2@test.example")
        box.move("number-3@test.example", "INBOX", "Elsewhere")
        box.add("INBOX", letter("Number 7"))
        self.check(place.opus("sync"))
        inbox = seen(place)
        self.assertEqual(set(inbox), {"number-0", "number-1", "number-4", "number-5", "number-7"})
        self.assertEqual(inbox["number-1"]["flags"], ["flagged", "seen"])
        self.assertEqual(set(seen(place, "--folder", "Elsewhere")), {"number-3"})
        box.mark("INBOX", "number-1@test.example", remove=[r"\Flagged"])
        self.check(place.opus("sync"))
        self.assertEqual(seen(place)["number-1"]["flags"], ["seen"])
        later = ids(place)
        self.assertEqual({k: v for k, v in later.items() if k in first}, {k: v for k, v in first.items() if k in later})
        self.assertNothingMore(place, box)

    def test_mail_of_a_mailbox_that_another_program_deletes_or_renames_is_there_no_more(self):
        for change in ("deleted", "renamed"):
            with self.subTest(change):
                box = self.new_box()
                box.add("INBOX", [letter("One"), letter("Two", minutes=1)])
                place = self.new_place(box, name=change)
                self.check(place.opus("sync"))
                one = ids(place)["one@test.example"]
                self.check(place.opus("task", "from", one))
                self.check(place.opus("move", one, "Projects", "--create"))
                box.drop("Projects") if change == "deleted" else box.rename("Projects", "Work")
                # One list without the mailbox may be a fault of the server.
                self.assertNotIn("gone", self.check(place.opus("run", "--yes")).out)
                done = self.check(place.opus("run", "--yes"))
                shown = place.opus("show", one, "--json").json
                if change == "deleted":
                    self.assertIn("is gone from the server; the task stays", done.out)
                    self.assertEqual(shown["mailboxes"], [])
                else:
                    self.assertNotIn("gone", done.out)
                    self.assertEqual(shown["mailboxes"], ["Work"])
                self.assertNothingMore(place, box)

    def test_a_mailbox_that_comes_back_brings_its_mail_back_and_no_rule_acts_again(self):
        box = self.new_box()
        box.add("INBOX", [letter("Ask one"), letter("Away two", minutes=1)])
        box.create("Filed")
        place = self.new_place(box, RULES.replace("[archive]", "[{ move: Filed }]"))
        self.check(place.opus("run", "--yes"))
        box.rename("Filed", "Elsewhere")
        known = ids(place)
        for _ in range(3):
            self.check(place.opus("run", "--yes"))
        box.rename("Elsewhere", "Filed")
        for _ in range(3):
            self.check(place.opus("run", "--yes"))
        self.assertEqual(ids(place), known)
        self.assertEqual(set(seen(place, "--folder", "Filed")), {"away-two"})
        self.assertEqual(len(list(place.tasks.rglob("*.ics"))), 1)
        self.assertNothingMore(place, box)

    def test_commands_that_only_read_change_no_mail(self):
        box = self.new_box()
        box.add("INBOX", [letter(f"Number {n}", minutes=n) for n in range(3)])
        place = self.new_place(box, RULES)
        before = box.fingerprint()
        for command in (["account", "check"], ["sync"], ["list"], ["search", "number"], ["triage", "--dry-run"],
                        ["doctor"], ["task", "list"], ["rules", "test"], ["runs"]):
            self.check(place.opus(*command))
        name = next(iter(ids(place).values()))
        for command in (["show", name], ["show", "--raw", name], ["thread", name], ["explain", name]):
            self.check(place.opus(*command))
        self.assertEqual(box.fingerprint(), before)

    def test_a_message_that_is_there_twice_is_kept_twice(self):
        box = self.new_box()
        box.add("INBOX", [letter("Away twice")] * 2)
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        self.check(place.opus("run", "--yes"))
        self.assertEqual(len(box.where("away-twice@test.example")), 2)
        self.assertNothingMore(place, box)

    def test_the_same_message_id_on_different_mails_is_two_mails(self):
        box = self.new_box()
        box.add("INBOX", [letter("Away", "same", body="one\n"), letter("Stays", "same", body="two\n", minutes=1)])
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        self.assertEqual((box.subjects("INBOX"), box.subjects("Archive")), (["Stays"], ["Away"]))
        self.assertNothingMore(place, box)

    def test_a_message_without_message_id_or_date_is_like_any_other(self):
        box = self.new_box()
        box.add("INBOX", [letter("Away", headers={"Message-ID": None, "Date": None}),
                          letter("Ask", headers={"Message-ID": None}), b"\n\nno header at all\n",
                          b"Away: half a header"])
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        self.assertEqual((box.subjects("Archive"), len(box.everything())), (["Away"], 4))
        self.assertEqual(len(list(place.tasks.glob("*/*.ics"))), 1)
        self.assertNothingMore(place, box)

    def test_a_lost_store_is_read_again_and_no_task_is_made_twice(self):
        box = self.new_box()
        box.add("INBOX", [letter("Ask one"), letter("Away", minutes=1)])
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        before = ids(place), {name: content for name, (content, _) in place.task_files().items()}
        shutil.rmtree(place.root / ".opus")
        self.check(place.opus("run", "--yes"))
        after = ids(place), {name: content for name, (content, _) in place.task_files().items()}
        self.assertEqual(after, before)
        self.assertNothingMore(place, box)

    def test_a_task_whose_link_was_lost_with_the_store_still_archives_its_mail(self):
        box = self.new_box()
        box.add("INBOX", letter("Ask one"))
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        shutil.rmtree(place.root / ".opus")
        self.check(place.opus("sync"))
        self.check(place.opus("run", "--yes"))
        place.edit("Answer Ask one", ("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"ask-one": "Archive"})

    def test_a_mailbox_that_is_suddenly_empty_is_not_trusted_at_once(self):
        box = self.new_box()
        box.add("INBOX", [letter(f"Number {n}", minutes=n) for n in range(60)])
        place = self.new_place(box)
        self.check(place.opus("sync"))
        for held in box.held("INBOX"):
            if box.kind == "maildir":
                next(p for p in (box.folder / part / held.uid for part in ("cur", "new")) if p.exists()).unlink()
        if box.kind == "imap":
            box.servers.doveadm("expunge", "-u", box.user, "mailbox", "INBOX", "ALL")
        self.check(place.opus("sync"), 1, "empty", "60")
        self.assertEqual(len(ids(place)), 60)
        self.check(place.opus("sync"), 0)
        self.assertEqual(len(seen(place)), 0)

    def test_a_thousand_messages(self):
        box = self.new_box()
        box.add("INBOX", [letter(f"Number {n} {'away' if n % 10 == 0 else ''}", f"n{n}", minutes=n % 1000,
                                 body="word " * 200) for n in range(1_000)])
        place = self.new_place(box, RULES)
        done = self.check(place.opus("sync", measured=True))
        self.assertLess(done.peak, RSS_LIMIT)
        self.assertEqual(len(ids(place)), 1_000)
        self.check(place.opus("triage", "--yes", "--max", "none"))
        self.assertEqual((len(box.held("INBOX")), len(box.held("Archive"))), (900, 100))
        self.assertNothingMore(place, box)

    def test_a_message_of_50_megabytes(self):
        box = self.new_box()
        line = b"QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3\n"
        big = letter("Away with it", "big", body="").replace(b"\n\n", b"\n\nThe beginning of it.\n", 1)
        big += line * (50 * 1024 * 1024 // len(line))
        box.add("INBOX", [letter("Small"), big])
        size = len(box.body("INBOX", "big@test.example"))
        place = self.new_place(box, RULES)
        done = self.check(place.opus("sync", measured=True))
        self.assertLess(done.peak, RSS_LIMIT, "KiB of the first sync")
        name = ids(place)["big@test.example"]
        self.check(place.opus("show", name), 0, "The beginning of it.", "--raw")
        done = self.check(place.opus("run", "--yes", measured=True))
        self.assertLess(done.peak, RSS_LIMIT, "KiB of the run")
        self.assertPlaces(box, {"big": "Archive", "small": "INBOX"})
        self.assertEqual(len(box.body("Archive", "big@test.example")), size)
        self.assertNothingMore(place, box)


class Server(Case):
    kind = "imap"

    def test_a_changed_uid_validity_loses_nothing_and_triages_nothing_again(self):
        box = self.new_box()
        box.add("INBOX", [letter("Ask one"), letter("Two", minutes=1), letter("Away", minutes=2)])
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        box.mark("INBOX", "ask-one@test.example", remove=["asked"])  # a rule that ran again would put it back
        self.check(place.opus("sync"))
        first, validity = ids(place), box.uid_validity()
        box.new_uid_validity()
        self.assertNotEqual(box.uid_validity(), validity)
        self.check(place.opus("run", "--yes"))
        self.assertEqual(ids(place), first)
        self.assertPlaces(box, {"ask-one": "INBOX", "two": "INBOX", "away": "Archive"})
        self.assertNotIn("asked", box.find("INBOX", "ask-one@test.example").flags)
        self.assertEqual(len(list(place.tasks.glob("*/*.ics"))), 1)
        self.assertNothingMore(place, box)
        # And the places are good: what follows a task finds its message.
        place.edit("Answer Ask one", ("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"ask-one": "Archive"})

    def test_uid_validity_that_changes_between_plan_and_apply_touches_no_wrong_message(self):
        box = self.new_box()
        box.add("INBOX", [letter("Number 1"), letter("Away", minutes=1), letter("Number 3", minutes=2)])
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        self.check(place.opus("triage", "--out", "plan.json"))
        box.remove("INBOX", "number-1@test.example")  # so that the old UIDs name other messages
        box.new_uid_validity()
        done = place.opus("apply", "plan.json")
        self.assertIn(done.code, (0, 1, 3), str(done))
        self.assertEqual(box.where("number-3@test.example"), ["INBOX"])
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"away": "Archive", "number-3": "INBOX"})
        self.assertNothingMore(place, box)

    def deleted_by_others(self, on=None):
        box = self.new_box(on=on)
        box.add("INBOX", [letter(f"Number {n}", minutes=n) for n in range(3)], flags=[r"\Deleted"])
        box.add("Archive", letter("Old one"), flags=[r"\Deleted"])
        box.add("INBOX", [letter("Away 1", minutes=5), letter("Ask 2", minutes=6)])
        place = self.new_place(box, RULES)
        for _ in range(2):
            self.check(place.opus("run", "--yes"))
        place.edit("Answer Ask 2", ("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
        self.check(place.opus("run", "--yes"))
        for name, mailbox in (("number-0", "INBOX"), ("number-1", "INBOX"), ("number-2", "INBOX"),
                              ("old-one", "Archive")):
            self.assertEqual(box.where(f"{name}@test.example"), [mailbox])
            self.assertIn(r"\Deleted", box.find(mailbox, f"{name}@test.example").flags)
        return box, place

    def test_messages_marked_as_deleted_by_other_programs_stay(self):
        box, place = self.deleted_by_others()
        self.assertPlaces(box, {"away-1": "Archive", "ask-2": "Archive"})
        self.assertNothingMore(place, box)

    def test_without_move_a_message_is_copied_and_only_it_is_removed(self):
        box, place = self.deleted_by_others(plain_dovecot("IMAP4rev1 SASL-IR UIDPLUS LITERAL+ SPECIAL-USE"))
        self.assertPlaces(box, {"away-1": "Archive", "ask-2": "Archive"})
        self.assertNothingMore(place, box)

    def test_without_uidplus_only_messages_with_a_proven_copy_are_removed(self):
        server = plain_dovecot("IMAP4rev1")
        box = IMAPBox(server, f"bare{time.monotonic_ns()}")
        box.add("INBOX", [letter("Away 1"), letter("Number 2", minutes=1)], flags=[])
        box.add("INBOX", letter("Other", minutes=2), flags=[r"\Deleted"])
        place = self.new_place(box, RULES)
        place.opus("run", "--yes")
        place.opus("run", "--yes")
        self.assertEqual(box.where("number-2@test.example"), ["INBOX"])
        self.assertEqual(box.where("other@test.example"), ["INBOX"])
        self.assertIn("INBOX", box.where("away-1@test.example"))

    def test_a_server_without_condstore_is_followed_as_well(self):
        box = self.new_box(on=plain_dovecot("IMAP4rev1 SASL-IR UIDPLUS LITERAL+ SPECIAL-USE"))
        box.add("INBOX", [letter(f"Number {n}", minutes=n) for n in range(3)])
        place = self.new_place(box)
        self.check(place.opus("sync"))
        box.mark("INBOX", "number-1@test.example", add=[r"\Flagged"])
        box.remove("INBOX", "number-2@test.example")
        self.check(place.opus("sync"))
        inbox = seen(place)
        self.assertEqual((set(inbox), inbox["number-1"]["flags"]), ({"number-0", "number-1"}, ["flagged"]))

    def test_starttls_works_like_tls(self):
        box = self.new_box()
        box.add("INBOX", letter("Away"))
        place = self.new_place(box, RULES)
        place.configure(box.yaml(port=box.servers.imap_port, security="starttls"))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"away": "Archive"})

    def test_two_accounts_of_two_kinds(self):
        far, near = self.new_box(), self.new_box("maildir")
        far.add("INBOX", [letter("Away far"), letter("Ask far", minutes=1)])
        near.add("INBOX", [letter("Away near"), letter("Ask near", minutes=1)])
        place = self.new_place(far, RULES)
        place.configure(far.yaml() + near.yaml("home", "ana@example.org"))
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(far, {"away-far": "Archive", "ask-far": "INBOX"})
        self.assertPlaces(near, {"away-near": "Archive", "ask-near": "INBOX"})
        items = place.opus("task", "list", "--json").json["items"]
        self.assertEqual(sorted(item["summary"] for item in items), ["Answer Ask far", "Answer Ask near"])
        self.assertNothingMore(place, far, near)
        shown = json.loads(place.opus("list", "--json", "--account", "home").out)
        self.assertEqual([item["subject"] for item in shown["items"]], ["Ask near"])


PLAIN = "IMAP4rev1 SASL-IR ID UIDPLUS LITERAL+ SPECIAL-USE"
CONDSTORE = PLAIN + " ENABLE CONDSTORE ESEARCH LIST-EXTENDED LIST-STATUS"


class Wire(Case):
    """What a sync says and what it costs, seen on the wire."""

    kind = "imap"

    def tapped(self, capability, count):
        """A mailbox of so many messages that was synchronised once through a wire that counts."""
        box = self.new_box(on=plain_dovecot(capability) if capability else None)
        # Delivered mail: without a Received field a header alone does not identify a message.
        received = {"Received": "from mx.test.example by mail.acme.example; Tue, 10 Mar 2026 07:00:00 +0100"}
        box.add("INBOX", [letter(f"Number {n}", f"n{n}", minutes=n % 1000, headers=received) for n in range(count)])
        wire = self.enterContext(Wiretap(box.servers.imap_port))
        place = self.new_place(box)
        place.configure(box.yaml(port=wire.port, security="none", host="127.0.0.1"))
        self.check(place.opus("sync"))
        return box, wire, place

    def synced(self, wire, place):
        """One sync, and the commands that it took."""
        wire.reset()
        self.check(place.opus("sync"))
        for command in wire.commands:
            self.assertNotIn(":*", command)
        return wire.commands

    def change(self, box, new=10, marks=100, gone=5):
        box.add("INBOX", [letter(f"Fresh {n}", f"fresh{n}", minutes=n) for n in range(new)])
        with box.client() as client:
            client.select("INBOX")
            if marks:
                client.uid("STORE", f"101:{100 + marks}", "+FLAGS", r"(\Flagged)")
            if gone:
                client.uid("STORE", f"1:{gone}", "+FLAGS", r"(\Deleted)")
                client.uid("EXPUNGE", f"1:{gone}")

    def assertFollowed(self, place, count, new=10, marks=100, gone=5):
        inbox = seen(place)
        self.assertEqual(len(inbox), count + new - gone)
        self.assertEqual(sum("flagged" in item["flags"] for item in inbox.values()), marks)
        self.assertEqual({name for name in inbox if name.startswith("fresh")}, {f"fresh{n}" for n in range(new)})

    def test_qresync_brings_what_changed_and_nothing_else(self):
        box, wire, place = self.tapped(None, 1_000)
        commands = self.synced(wire, place)
        self.assertFalse([c for c in commands if c.startswith(("SELECT", "EXAMINE", "UID"))], commands)
        self.assertLessEqual(wire.turns, 4, commands)
        self.assertLess(wire.down, 3_000)
        self.change(box)
        commands = self.synced(wire, place)
        self.assertTrue(any("(QRESYNC (" in c for c in commands), commands)
        self.assertFalse([c for c in commands if "UID FETCH 1:" in c or "UID SEARCH" in c], commands)
        self.assertFollowed(place, 1_000)
        self.assertLessEqual(wire.turns, 5, commands)
        self.assertLess(wire.down, 30_000)
        self.assertNothingMore(place, box)

    def test_mail_that_another_program_moved_is_not_fetched_again(self):
        box, wire, place = self.tapped(None, 30)
        for name in ("Archive", "Trash"):
            box.add(name, letter(f"In {name}"))
        self.check(place.opus("sync"))
        box.move("n3@test.example", "INBOX", "Archive")
        box.move("n4@test.example", "INBOX", "Trash")
        before = ids(place)
        commands = self.synced(wire, place)
        self.assertFalse([c for c in commands if "BODY.PEEK[]" in c], commands)
        moved = set(seen(place, "--folder", "Archive")) | set(seen(place, "--folder", "Trash"))
        self.assertEqual(moved, {"n3", "n4", "in-archive", "in-trash"})
        self.assertEqual((ids(place), len(seen(place))), (before, 28))

    def test_many_mailboxes_are_followed_at_once(self):
        box, wire, place = self.tapped(None, 30)
        for name in ("Archive", "Drafts", "Junk", "Sent", "Trash"):
            box.add(name, letter(f"In {name}"))
        self.check(place.opus("sync"))
        for name in ("Archive", "Drafts", "Junk", "Sent", "INBOX"):
            box.add(name, letter(f"Also in {name}"))
        commands = self.synced(wire, place)
        self.assertEqual(len([c for c in commands if "(QRESYNC (" in c]), 5, commands)
        self.assertLess(wire.turns, 13, commands)  # one by one it would be 20
        self.assertEqual(len(ids(place)), 40)
        self.assertNothingMore(place, box)

    def test_condstore_brings_the_flags_that_changed(self):
        box, wire, place = self.tapped(CONDSTORE, 300)
        self.assertFalse([c for c in self.synced(wire, place) if c.startswith(("SELECT", "EXAMINE"))])
        self.change(box)
        commands = self.synced(wire, place)
        self.assertTrue(any("(CHANGEDSINCE " in c for c in commands), commands)
        self.assertTrue(any("UID SEARCH RETURN (ALL) ALL" in c for c in commands), commands)
        self.assertFollowed(place, 300)
        self.assertNothingMore(place, box)

    def test_a_plain_server_is_compared_by_its_flags(self):
        box, wire, place = self.tapped(PLAIN, 300)
        self.change(box)
        commands = self.synced(wire, place)
        self.assertFalse([c for c in commands if "QRESYNC" in c or "CONDSTORE" in c or "MODSEQ" in c], commands)
        self.assertFollowed(place, 300)
        self.assertNothingMore(place, box)

    def test_everything_is_compared_again_after_a_day(self):
        box, wire, place = self.tapped(None, 20)
        wire.reset()
        self.check(place.opus("sync", now="2026-03-11T08:29:00+01:00"))
        self.assertFalse([c for c in wire.commands if "UID FETCH" in c])
        self.check(place.opus("sync", now="2026-03-11T08:30:00+01:00"))
        self.assertTrue([c for c in wire.commands if "UID FETCH 1:20 " in c], wire.commands)
        self.assertFalse([c for c in wire.commands if "4294967295" in c], wire.commands)

    def test_many_deletions_at_once_are_checked_and_then_followed(self):
        box, wire, place = self.tapped(None, 200)
        self.change(box, new=0, marks=0, gone=80)
        commands = self.synced(wire, place)
        self.assertTrue([c for c in commands if "UID SEARCH" in c], commands)
        self.assertEqual(len(seen(place)), 120)


if __name__ == "__main__":
    unittest.main()
