"""A server whose quota is used up: what waits for space waits once, and happens once there is space again."""
import unittest

from letters import letter
from servers import MailServers, crlf
from test_sending import sent_to
from wiretap import Wiretap
from workplace import Case, servers

QUOTA = """
mail_plugins = quota
protocol imap {
  mail_plugins = quota imap_quota
}
plugin {
  quota = count:User quota
  quota_rule = *:storage=100K
  quota_grace = 0%
  quota_vsizes = yes
}
"""
RULES = """\
rules-version: 1
name: full
rules:
  - { id: later, when: 'subject:later', then: [{ defer: friday }] }
  - { id: copy, when: 'subject:copy', then: [{ copy: Archive }] }
"""


class FullMailbox(Case):
    kind = "imap"

    @classmethod
    def setUpClass(cls):
        cls.running = MailServers(smtp=False, more=QUOTA)
        cls.addClassCleanup(cls.running.stop)
        cls.running.start()

    def prepare(self, *messages):
        box = self.new_box(on=self.running)
        box.add("INBOX", list(messages))
        box.create("Deferred")
        box.add("Trash", letter("Big", body=("x" * 70 + "\n") * 1_250))
        client, number = box.client(), 0
        while client.append("Trash", None, None, crlf(letter(f"Small {number}", body="x" * 90 + "\n")))[0] == "OK":
            number += 1
        client.logout()
        return box, self.new_place(box, RULES)

    def waiting(self, place):
        status, = place.opus("status", "--json").json["items"]
        return status["waiting"]

    def test_the_list_of_deferred_mail_waits_once_however_many_runs_there_are(self):
        box, place = self.prepare(letter("Later 1", "one"), letter("Later 2", "two", minutes=1))
        for minute in range(5):
            self.check(place.opus("run", "--yes", now=f"2026-03-10T09:{minute}0:00+01:00"), 1, "Quota exceeded")
            self.assertEqual(len(self.waiting(place)), 1)
        self.assertPlaces(box, {"one": "Deferred", "two": "Deferred"})
        self.assertEqual(box.lists(), [])
        # A list that waits is replaced by the newer one.
        ids = {item["messageID"]: item["id"] for item in place.opus("list", "--all", "--json").json["items"]}
        self.check(place.opus("defer", ids["two@test.example"], "someday", now="2026-03-10T10:00:00+01:00"), 1)
        self.assertEqual(len(self.waiting(place)), 1)
        box.remove("Trash", "big@test.example")
        now = "2026-03-10T11:00:00+01:00"
        self.check(place.opus("run", "--yes", now=now))
        self.assertEqual(self.waiting(place), [])
        lists = box.lists()
        self.assertEqual(len(lists), 1)
        self.assertIn(b"someday", box.body("Deferred", lists[0].message_id))
        self.assertNothingMore(place, box, now=now)
        self.check(place.opus("run", "--yes", now="2026-03-13T12:00:00+01:00"), 0, "back in the inbox")
        self.assertPlaces(box, {"one": "INBOX", "two": "Deferred"})

    def test_a_list_that_waits_is_not_written_once_nothing_is_deferred(self):
        box, place = self.prepare(letter("Mail", "one"))
        self.check(place.opus("sync"))
        mail = {item["messageID"]: item["id"] for item in place.opus("list", "--all", "--json").json["items"]}[
            "one@test.example"]
        self.check(place.opus("defer", mail, "friday"), 1, "Quota exceeded")
        self.check(place.opus("defer", "--cancel", mail))
        self.assertEqual(self.waiting(place), [])
        box.remove("Trash", "big@test.example")
        self.check(place.opus("run", "--yes", now="2026-03-10T11:00:00+01:00"))
        self.assertEqual(box.lists(), [])
        self.assertPlaces(box, {"one": "INBOX"})

    def test_a_copy_and_a_draft_wait_for_space_and_are_made_once(self):
        box, place = self.prepare(letter("Copy me", "one"))
        self.check(place.opus("run", "--yes"), 1, "Quota exceeded")
        (place.root / "text").write_text("Text.\n")
        self.check(place.opus("compose", "--to", "bob@acme.example", "--subject", "Hello", "--body", "text"), 0,
                   "Not in the Drafts mailbox yet")
        for minute in range(5):
            self.check(place.opus("run", "--yes", now=f"2026-03-10T09:{minute}0:00+01:00"), 1, "Quota exceeded")
            self.assertEqual(len(self.waiting(place)), 2)
        box.remove("Trash", "big@test.example")
        now = "2026-03-10T11:00:00+01:00"
        self.check(place.opus("run", "--yes", now=now))
        self.assertEqual(sorted(box.where("one@test.example")), ["Archive", "INBOX"])
        self.assertEqual(len(box.held("Drafts")), 1)
        self.assertNothingMore(place, box, now=now)


class FullByText(Case):
    """A server that says only in its text that the mailbox is full, such as Courier."""

    kind = "imap"

    def sent(self, answer, address):
        """One mail was sent, and its copy in Sent was refused."""
        if not servers().has_smtp:
            self.skipTest("Postfix needs root")
        box = self.new_box()
        proxy = self.enterContext(Wiretap(servers().imap_port))
        proxy.refuse("^APPEND", answer)
        place = self.new_place(box, None, "send: { hold: 0 }\n")
        smtp = (f"    smtp: {{ host: localhost, port: {servers().submission_port}, security: starttls, "
                f"ca-file: {servers().ca_file} }}\n")
        place.configure(box.yaml(port=proxy.port, security="none", host="127.0.0.1", extra=smtp), place.settings)
        self.check(place.opus("sync"))
        (place.root / "text").write_text("Text.\n")
        self.check(place.opus("compose", "--to", address, "--subject", "One", "--body", "text",
                              "--send", "--yes"))
        return box, proxy, place

    def test_the_copy_of_a_sent_mail_waits_until_there_is_space(self):
        box, proxy, place = self.sent("NO [ALERT] You exceeded your mail quota.", "full-by-text@far.example")
        for hour in range(9, 17):
            self.check(place.opus("run", "--yes", now=f"2026-03-10T{hour:02}:00:00+01:00"), 1, "mail quota")
        proxy.open()
        now = "2026-03-10T18:00:00+01:00"
        self.check(place.opus("run", "--yes", now=now))
        self.assertEqual(box.subjects("Sent"), ["One"])
        self.assertEqual(len(sent_to("full-by-text@far.example")), 1)
        self.assertNothingMore(place, box, now=now)

    def test_the_copy_of_a_sent_mail_is_tried_for_a_day(self):
        box, proxy, place = self.sent("NO [UNAVAILABLE] not now", "tried-for-a-day@far.example")
        for hour in range(9, 22):
            place.opus("run", "--yes", now=f"2026-03-10T{hour:02}:00:00+01:00")
        proxy.open()
        self.check(place.opus("run", "--yes", now="2026-03-11T07:00:00+01:00"))
        self.assertEqual(box.subjects("Sent"), ["One"])


if __name__ == "__main__":
    unittest.main()
