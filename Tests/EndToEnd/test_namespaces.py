"""Mailboxes of the user below `INBOX.` or another prefix, beside mailboxes that belong to a group or to another user."""
import shutil
import tempfile
import unittest
from pathlib import Path

from letters import letter
from servers import MailServers
from workplace import Case

RULES = """\
rules-version: 1
name: spaces
rules:
  - { id: filed, when: 'subject:invoice', then: [{ move: Work/Invoices }] }
  - { id: new, when: 'subject:new', then: [{ move: { to: Fresh/Deep, create: true } }] }
  - { id: later, when: 'subject:later', then: [{ defer: friday }] }
"""
SETTINGS = "defer: { default: +1 day }\n"


class Namespaces(Case):
    kind = "imap"

    def prepare(self, prefix="INBOX.", more="", capability=None):
        folder = Path(tempfile.mkdtemp(prefix="opus-public-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o777)
        made = MailServers(smtp=False, capability=capability, more=f"""
namespace inbox {{
  prefix = {prefix}
  separator = .
{more}}}
namespace public {{
  type = public
  separator = .
  prefix = Public.
  location = maildir:{folder}
  subscriptions = no
}}
""")
        self.addCleanup(made.stop)
        made.names = (prefix, ".")
        box = self.new_box(on=made.start())
        box.create("Work/Invoices")
        client = box.client()
        # A mailbox of the group, where another user of opus keeps deferred mail.
        for name in ("Public.Team", "Public.Deferred"):
            self.assertEqual(client.create(name)[0], "OK")
            client.append(name, None, None, letter(f"In {name}", name.lower()).replace(b"\n", b"\r\n"))
        client.logout()
        return box, self.new_place(box, RULES, SETTINGS)

    def shared(self, box, name):
        client = box.client()
        client.select(name, readonly=True)
        count = len(client.search(None, "ALL")[1][0].split())
        client.logout()
        return count

    def test_mail_goes_to_the_user_s_own_mailboxes_and_that_of_others_stays(self):
        for prefix in ("INBOX.", ""):
            with self.subTest(prefix):
                box, place = self.prepare(prefix)
                place = self.new_place(box, RULES, SETTINGS, name=f"place-{len(prefix)}")
                box.add("INBOX", [letter("Invoice"), letter("New", minutes=1), letter("Later", minutes=2)])
                self.check(place.opus("run", "--yes"))
                expected = {"invoice": "Work/Invoices", "new": "Fresh/Deep", "later": "Deferred"}
                self.assertPlaces(box, expected)
                deferred = [item["subject"] for item in place.opus("defer", "--list", "--json").json["items"]]
                self.assertEqual(deferred, ["Later"])
                for hour in ("11T09", "12T09"):
                    self.check(place.opus("run", "--yes", now=f"2026-03-{hour}:00:00+01:00"))
                self.assertEqual((self.shared(box, "Public.Team"), self.shared(box, "Public.Deferred")), (1, 1))
                self.assertEqual(box.held("INBOX"), [])
                self.check(place.opus("run", "--yes", now="2026-03-13T09:00:00+01:00"), 0, "back in the inbox")
                self.assertPlaces(box, {**expected, "later": "INBOX"})

    def test_the_server_tells_where_the_user_s_mailboxes_are(self):
        # With SPECIAL-USE, and without.
        for prefix, capability in (("Mail.", None), ("~.Mail.", "IMAP4rev1 NAMESPACE UIDPLUS MOVE")):
            with self.subTest(prefix):
                box, place = self.prepare(prefix, "  location = sdbox:~/sdbox\n", capability)
                place = self.new_place(box, RULES, SETTINGS, name=f"place-{len(prefix)}")
                box.add("INBOX", [letter("Invoice"), letter("New", minutes=1), letter("Later", minutes=2)])
                self.check(place.opus("run", "--yes"))
                expected = {"invoice": "Work/Invoices", "new": "Fresh/Deep", "later": "Deferred"}
                self.assertPlaces(box, expected)
                self.assertNothingMore(place, box)
                self.check(place.opus("run", "--yes", now="2026-03-13T09:00:00+01:00"), 0, "back in the inbox")
                self.assertPlaces(box, {**expected, "later": "INBOX"})
                roles = {item["name"]: item.get("role") for item in place.opus("mailbox", "list", "--json").json["items"]}
                self.assertEqual((roles.get("Sent"), roles.get("Archive")), ("sent", "archive"))
                self.assertEqual((self.shared(box, "Public.Team"), self.shared(box, "Public.Deferred")), (1, 1))

    def test_the_user_s_own_mailbox_for_deferred_mail_may_be_below_another_one(self):
        box, place = self.prepare()
        box.add("Folders/Deferred", letter("Later"))
        self.check(place.opus("run", "--yes"))
        deferred = [item["subject"] for item in place.opus("defer", "--list", "--json").json["items"]]
        self.assertEqual(deferred, ["Later"])

    def test_a_mailbox_of_the_user_that_has_this_name_below_another_one_is_left_alone(self):
        box = self.new_box()
        box.add("Projects/Deferred", letter("Filed", "filed"), flags=[r"\Seen"])
        place = self.new_place(box, None, settings="defer: { default: +1 week }\n")
        for day in (10, 20):
            self.check(place.opus("run", "--yes", now=f"2026-03-{day}T09:00:00+01:00"))
        self.assertEqual(place.opus("defer", "--list", "--json").json["items"], [])
        self.assertEqual([(held.message_id, held.flags) for held in box.held("Projects/Deferred")],
                         [("<filed@test.example>", {r"\Seen"})])


if __name__ == "__main__":
    unittest.main()
