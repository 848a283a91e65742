"""opus unsubscribe --by-sender: who writes how much, several at once, and a look afterwards."""
import shutil
import unittest
from datetime import datetime

from letters import letter
from terminal import answered
from test_write import WebServer
from workplace import Case, on_both, servers

LATER = "2026-03-25T08:30:00+01:00"


@on_both
class BySender:
    def news(self, name, sender, target, minutes=0, post="List-Unsubscribe=One-Click"):
        return letter(name.title(), name=name, sender=sender, minutes=minutes,
                      headers={"List-Unsubscribe": target, "List-Unsubscribe-Post": post})

    def test_senders_by_volume_and_what_is_read_of_them(self):
        self.box = self.new_box()
        for number in range(3):
            self.box.add("INBOX", self.news(f"a{number}", "A <a@news.example>", "<https://news.example/u>", number),
                         flags=("\\Seen",) if number == 1 else ())
        self.box.add("Archive", self.news("b0", "B <b@news.example>", "<mailto:out@news.example>", post=None))
        self.box.add("Trash", self.news("c0", "C <c@news.example>", "<mailto:out@news.example>", post=None))
        self.box.add("INBOX", letter("Plain", name="plain", sender="Eve <eve@x.example>"))
        place = self.new_place(self.box)
        self.check(place.opus("sync"))
        found = self.check(place.opus("unsubscribe", "--by-sender", "--json")).json["senders"]
        self.assertEqual([(item["address"], item["messages"], item["read"], item["way"]) for item in found],
                         [("a@news.example", 3, 1, "post"), ("b@news.example", 1, 0, "mail")])
        shown = self.check(place.opus("unsubscribe", "--by-sender")).out
        self.assertIn("3 messages, 33 % read, last read", shown)
        self.assertIn("1 message, 0 % read, never read, unsubscribe by mail", shown)

    def test_several_lists_are_left_at_once_and_senders_who_still_write_are_listed(self):
        with WebServer(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") as web:
            self.box = self.new_box()
            target = f"<mailto:out@news.example>, <https://localhost:{web.port}/u>"
            self.box.add("INBOX", self.news("a0", "A <a@news.example>", target))
            self.box.add("INBOX", self.news("b0", "B <b@news.example>", target, 1))
            self.box.add("INBOX", self.news("page", "P <p@news.example>", "<https://far.example/page>", 2, None))
            place = self.new_place(self.box)
            self.check(place.opus("sync"))
            words = ("--ca-file", servers().ca_file, "--yes")
            done = self.check(place.opus("unsubscribe", "a@news.example", "p@news.example", "b@news.example", *words), 1)
            self.assertIn("a browser", done.text)
            self.assertEqual(len(web.requests), 2)
            self.check(place.opus("unsubscribe", "a@news.example", *words), 0, "was asked to stop on 2026-03-10")
            self.assertEqual(len(web.requests), 2)
        self.assertNotIn("stillSending", self.check(place.opus("briefing", "--json", now=LATER)).json)
        self.box.add("INBOX", self.news("a1", "A <a@news.example>", target), received=datetime.fromisoformat("2026-03-22T08:00:00+01:00").timestamp())
        self.check(place.opus("sync", now=LATER))
        still, = self.check(place.opus("briefing", "--json", now=LATER)).json["stillSending"]
        self.assertEqual((still["address"], still["messages"]), ("a@news.example", 1))
        self.assertIn("Still send after you unsubscribed", self.check(place.opus("briefing", now=LATER)).out)
        rule = self.check(place.opus(*still["rule"].split()[1:])).out
        self.assertIn("news.example", rule)
        self.assertIn("trash", rule)
        self.assertNotIn("stillSending", self.check(place.opus("briefing", "--json", now="2026-03-19T08:30:00+01:00")).json)
        # The list of the workspace knows it after the store was lost.
        listed = place.root / "lists" / "unsubscribed.txt"
        self.assertEqual(listed.read_text(), "".join(f"{name}@news.example  # work 2026-03-10T07:30:00Z post\n" for name in "ab"))
        listed.write_text("me@x.example\n" + listed.read_text() + "odd@x.example # mine\n")
        shutil.rmtree(place.root / ".opus")
        self.check(place.opus("sync", now=LATER))
        self.assertEqual(self.check(place.opus("briefing", "--json", now=LATER)).json["stillSending"], [still])


@unittest.skipUnless(servers().has_smtp, "no SMTP server")
class ByMail(Case):
    def test_a_mail_counts_from_the_time_when_it_is_sent(self):
        box = self.new_box()
        target = {"List-Unsubscribe": "<mailto:out@news.example>"}
        box.add("INBOX", letter("A", name="a0", sender="A <a@news.example>", headers=target))
        place = self.new_place(box, smtp="starttls")
        self.check(place.opus("sync"))

        def unsubscribed(now):
            found, = self.check(place.opus("unsubscribe", "--by-sender", "--json", now=now)).json["senders"]
            return found.get("unsubscribed", "")[:10]

        done = self.check(place.opus("unsubscribe", "a@news.example", "--yes", "--detach", "--json"))
        self.assertEqual(done.json["schema"], "opus.outbox/1", "standard output has only the document")
        self.assertIn("mail to out@news.example", done.err)
        box.add("INBOX", letter("B", name="a1", sender="A <a@news.example>", headers=target),
                received=datetime.fromisoformat("2026-03-22T08:00:00+01:00").timestamp())
        self.check(place.opus("sync", now=LATER))
        self.assertEqual(unsubscribed(LATER), "", "a mail that waits asks nobody")
        self.assertNotIn("stillSending", self.check(place.opus("briefing", "--json", now=LATER)).json)
        self.check(place.opus("run", "--yes", now=LATER))
        self.assertEqual(unsubscribed(LATER), LATER[:10])
        self.assertNotIn("stillSending", self.check(place.opus("briefing", "--json", now=LATER)).json, "the ten days begin")
        shutil.rmtree(place.root / ".opus")
        self.check(place.opus("sync", now=LATER))
        self.assertEqual(unsubscribed(LATER), "2026-03-10", "the copy in Sent has the day when the mail was written")

    def test_the_mail_is_written_and_sent_once(self):
        box = self.new_box()
        target = {"List-Unsubscribe": "<mailto:out@news.example>"}
        for number in range(2):
            box.add("INBOX", letter("A", name=f"a{number}", sender="A <a@news.example>", minutes=number, headers=target))
        place = self.new_place(box, smtp="starttls")
        self.check(place.opus("sync"))
        both = [item["id"] for item in place.opus("list", "--json").json["items"]]
        answered(place, ["unsubscribe", *both], b"n\n")
        self.assertEqual(len(place.opus("drafts", "--json").json["items"]), 1, "one mail for two messages of one sender")
        self.check(place.opus("unsubscribe", "a@news.example", "--yes", "--detach"))
        self.assertEqual(len(place.opus("outbox", "--json").json["items"]), 1, "the draft is sent, not another one")
        self.check(place.opus("unsubscribe", "a@news.example", "--yes"), 0, "is in the outbox")
        self.assertEqual(len(place.opus("outbox", "--json").json["items"]), 1)


if __name__ == "__main__":
    unittest.main()
