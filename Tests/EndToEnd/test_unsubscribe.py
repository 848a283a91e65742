"""opus unsubscribe --by-sender: who writes how much, several at once, and a look afterwards."""
import shutil
import time
import unittest
from datetime import datetime

from letters import letter
from terminal import answered
from test_write import WebServer
from workplace import Case, on_both, servers

LATER = "2026-03-25T08:30:00+01:00"
ACCEPTED = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


class SlowWebServer(WebServer):
    """Answers a second after the request."""

    @property
    def answer(self):
        time.sleep(1)
        return ACCEPTED

    @answer.setter
    def answer(self, _):
        pass


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


class OneRequest(Case):
    """A sender is asked once, and any page with a good status is an answer."""

    kind = "maildir"

    def place_with(self, web, *names, folder="workspace"):
        box = self.new_box()
        box.add("INBOX", [letter(name, sender="A <a@news.example>", minutes=minute, headers={
            "List-Unsubscribe": f"<https://localhost:{web.port}/{name}>", "List-Id": f"<{name}.news.example>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}) for minute, name in enumerate(names)])
        place = self.new_place(box, name=folder)
        self.check(place.opus("sync"))
        return place

    def words(self, target="a@news.example"):
        return "unsubscribe", target, "--yes", "--ca-file", str(servers().ca_file)

    def test_a_long_page_and_a_cut_one_are_answers(self):
        for number, answer in enumerate((b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n" + b"x" * 999_999,
                                         b"HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe")):
            with self.subTest(answer[:12]), WebServer(answer) as web:
                place = self.place_with(web, "One", folder=f"place{number}")
                self.check(place.opus(*self.words()), 0, "accepted the request")
                self.check(place.opus(*self.words()), 0, "was asked to stop")
                self.assertEqual(len(web.requests), 1)

    def test_two_commands_at_once_send_one_request(self):
        with SlowWebServer(ACCEPTED) as web:
            place = self.place_with(web, "One")
            running = [place.start(*self.words()) for _ in range(2)]
            self.assertIn(0, [process.wait(60) for process in running])
            self.assertEqual(len(web.requests), 1)

    def test_another_list_of_the_same_sender_can_be_left_with_again(self):
        with WebServer(ACCEPTED) as web:
            place = self.place_with(web, "One", "Two")
            ids = {item["subject"]: item["id"] for item in self.check(place.opus("list", "--json")).json["items"]}
            self.check(place.opus(*self.words(ids["One"])), 0, "accepted the request")
            self.check(place.opus(*self.words(ids["Two"])), 0, "was asked to stop")
            self.check(place.opus(*self.words(ids["Two"]), "--again"), 0, "accepted the request")
            self.assertEqual([request.split()[1] for request in web.requests], ["/One", "/Two"])
