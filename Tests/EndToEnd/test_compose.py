"""`opus inspect compose`: what it makes of a description is what Python's email package reads in it."""
import base64
import email
import email.policy
import json
import random
import subprocess
import unittest
from datetime import datetime, timedelta, timezone

from workplace import OPUS, Case

DESCRIPTIONS = 60
DOMAINS = {"example.org": "example.org", "bücher.example": "xn--bcher-kva.example", "x.y.example": "x.y.example",
           "例え.テスト": "xn--r8jz45g.xn--zckzah"}
LOCALS = ["ana", "bob.smith", "a+tag", "x_y-z", "o'neil", "1"]
NAMES = ["", "Ana", "Smith, Ana", 'Dr. Ana "the" Smith', "René Müller", "日本 太郎", "שם עברי", "back\\slash", "(comment)",
         "a@b.example", "A; B: C", "👩‍💻 Dev", "ü" * 80, "Ana and a very long name of many words that goes on and on to the end"]
WORDS = ["the", "Quick", "brün", "fox", "jumps", "lazy-dog", "日本", "x.y", "10%", "👍", "=?", "a=b", "שלום"]
LINES = ["", "", "From here", ".", "..", "-- ", "> quoted", "trailing  ", " leading", "--=_boundary", "=3D =", "ü", "日本語のテキスト",
         "tab\tand\t", "y" * 1200, "a word " * 60 + "end", "> " + "a word " * 40 + "end", ">glued " * 3, "Grüße " * 50 + "x"]
FILES = ["a.pdf", "naïve résumé.txt", "日本語のとても長い名前のファイル" * 3 + ".pdf", "semi;colon=1.txt", "a'b%20c.bin", 'quote".png',
         "back\\slash.doc", "../../etc/passwd", "ü%41'*.txt", ".hidden", "long name " * 12 + ".xlsx", "🎉.gif"]
TYPES = ["application/pdf", "application/x-y.z+zip", "image/png", "text/csv", "application/octet-stream"]


def flowed(text):
    """RFC 3676 §4, read by the letter."""
    lines, paragraph = [], None
    for line in text.split("\n"):
        depth = len(line) - len(line.lstrip(">"))
        content = line[depth:].removeprefix(" ")
        if paragraph is None:
            paragraph = ">" * depth + (" " if depth and content else "")
        paragraph += content
        if not content.endswith(" ") or content == "-- ":
            lines.append(paragraph)
            paragraph = None
    return "\n".join(lines)


class Writer:
    """Descriptions that a person or a script would write: the same for the same seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def words(self, low, high):
        return " ".join(self.random.choices(WORDS, k=self.random.randint(low, high)))

    def address(self):
        return {"name": self.random.choice(NAMES),
                "address": f"{self.random.choice(LOCALS)}@{self.random.choice(list(DOMAINS))}"}

    def addresses(self, high):
        return [self.address() for _ in range(self.random.randint(1, high))]

    def id(self):
        return f"{self.random.getrandbits(60):x}@mail.example"

    def text(self):
        return "\n".join(self.random.choices(LINES, k=self.random.randint(0, 9))) + self.random.choice(["", "\n"])

    def content(self):
        size = 50_000 if self.chance(3) else self.random.randint(0, 300)
        return base64.b64encode(self.random.randbytes(size)).decode()

    def file(self):
        return {"name": self.random.choice(FILES), "contentType": self.random.choice(TYPES), "base64": self.content()}

    def description(self):
        zone = timezone(timedelta(minutes=self.random.choice([0, 60, -300, 345, 765])))
        date = datetime(2026, 3, 5, 10, tzinfo=zone) + timedelta(minutes=self.random.randint(-10**6, 10**6))
        made = {"from": self.address(), "to": self.addresses(20), "date": date.isoformat(), "messageID": self.id(),
                "subject": self.words(0, 40), "text": self.text(), "flowed": self.chance(70)}
        optional = {"cc": lambda: self.addresses(4), "bcc": lambda: self.addresses(2), "replyTo": lambda: self.addresses(2),
                    "sender": self.address, "inReplyTo": self.id, "references": lambda: [self.id() for _ in range(9)],
                    "html": lambda: f"<p>{self.text()}</p>", "autoSubmitted": lambda: "auto-replied",
                    "headers": lambda: [{"name": "X-Note", "body": self.words(1, 30)}],
                    "attachments": lambda: [self.file() for _ in range(self.random.randint(1, 4))],
                    "inline": lambda: [{**self.file(), "contentID": f"{n}@x"} for n in range(self.random.randint(1, 2))],
                    "messages": lambda: [{"text": f"Subject: inner\n\n{self.words(1, 30)}\n"}], "draft": lambda: True}
        for key, make in optional.items():
            if self.chance(35):
                made[key] = make()
        return made


class Compose(Case):
    def compose(self, description):
        file = self.folder / "description.json"
        file.write_text(json.dumps(description), encoding="utf-8")
        return subprocess.run([OPUS, "inspect", "compose", str(file)], capture_output=True, timeout=60)

    def message(self, description):
        done = self.compose(description)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout

    # Agreement

    def test_python_reads_everything_in_the_description_from_the_message(self):
        for seed in range(DESCRIPTIONS):
            description = Writer(seed).description()
            with self.subTest(seed=seed):
                written = self.message(description)
                self.check_wire(written)
                message = email.message_from_bytes(written, policy=email.policy.default)
                for part in message.walk():
                    self.assertEqual(part.defects, [])
                self.check_header(message, description)
                self.check_texts(message, description)
                self.check_files(message, description)

    def check_wire(self, written):
        self.assertEqual(written.replace(b"\r\n", b"").count(b"\r") + written.replace(b"\r\n", b"").count(b"\n"), 0)
        self.assertTrue(written.endswith(b"\r\n"))
        self.assertNotIn(b"\0", written)
        self.assertLessEqual(max(map(len, written.split(b"\r\n"))), 998)
        for line in written.split(b"\r\n\r\n")[0].split(b"\r\n"):
            line.decode("ascii")
            if len(line.split()) > 2:
                self.assertLessEqual(len(line), 78, line)

    def check_header(self, message, made):
        for field, key in (("From", "from"), ("Sender", "sender"), ("Reply-To", "replyTo"), ("To", "to"), ("Cc", "cc"),
                           ("Bcc", "bcc")):
            wanted = made.get(key, [])
            if key == "bcc" and not made.get("draft"):
                wanted = []
            wanted = [wanted] if isinstance(wanted, dict) else wanted
            found = message[field].addresses if message[field] is not None else ()
            self.assertEqual([(self.name(a.display_name), a.addr_spec) for a in found],
                             [(self.name(a["name"]), self.on_the_wire(a["address"])) for a in wanted], field)
        self.assertEqual(str(message["Subject"]), made["subject"])
        self.assertEqual(message["Date"].datetime, datetime.fromisoformat(made["date"]))
        self.assertEqual(message["Date"].datetime.utcoffset(), datetime.fromisoformat(made["date"]).utcoffset())
        for field, ids in (("Message-ID", [made["messageID"]]), ("In-Reply-To", [made.get("inReplyTo")]),
                           ("References", made.get("references", []))):
            self.assertEqual(str(message[field] or "").split(), [f"<{i}>" for i in ids if i], field)
        self.assertEqual(message["Auto-Submitted"], made.get("autoSubmitted"))
        self.assertEqual([str(note) for note in message.get_all("X-Note", [])], [h["body"] for h in made.get("headers", [])])

    def name(self, name):
        """Python 3.11 reads a blank between two encoded words of a name; RFC 2047 §6.2 says there is none."""
        return name if name.isascii() or len(name) < 30 else name.replace(" ", "")

    def on_the_wire(self, address):
        local, _, domain = address.rpartition("@")
        return f"{local}@{DOMAINS[domain]}"

    def check_texts(self, message, made):
        ended = [text if text.endswith("\n") or not text else text + "\n" for text in (made["text"], made.get("html", ""))]
        plain = message.get_body(("plain",))
        if plain is None:
            self.assertEqual(made["text"], "")
        else:
            text = plain.get_content().replace("\r\n", "\n")
            if plain["Content-Type"].params.get("format") == "flowed":
                self.assertTrue(made["flowed"])
                self.assertTrue(all(len(line) <= 78 or " " not in line.strip("> ") for line in text.split("\n")), text)
                text = flowed(text)
            self.assertEqual(text, ended[0])
        if "html" in made:
            self.assertEqual(message.get_body(("html",)).get_content().replace("\r\n", "\n"), ended[1])

    def check_files(self, message, made):
        leaves = [part for part in message.walk() if not part.is_multipart() and part.get_filename() is not None]
        wanted = made.get("inline", []) + made.get("attachments", [])
        self.assertEqual([(p.get_filename(), p.get_content_type(), p.get_payload(decode=True)) for p in leaves],
                         [(f["name"], f["contentType"], base64.b64decode(f["base64"])) for f in wanted])
        self.assertEqual([str(p["Content-ID"]) for p in leaves if p["Content-ID"]],
                         [f"<{f['contentID']}>" for f in made.get("inline", [])])
        self.assertEqual([p.get_content_disposition() for p in leaves],
                         ["inline"] * len(made.get("inline", [])) + ["attachment"] * len(made.get("attachments", [])))
        inner = [part.get_content() for part in message.walk() if part.get_content_type() == "message/rfc822"]
        self.assertEqual([(str(m["Subject"]), m.get_payload(decode=True).replace(b"\r\n", b"\n").decode()) for m in inner],
                         [("inner", m["text"].partition("\n\n")[2]) for m in made.get("messages", [])])

    # What else a user sees

    def test_the_same_description_makes_the_same_bytes(self):
        for seed in range(5):
            description = Writer(seed).description()
            self.assertEqual(self.message(description), self.message(description))

    def test_text_that_could_make_another_field_is_refused_with_its_place(self):
        head = {"from": "a@x.example", "to": ["b@x.example"], "date": "2026-03-05T10:00:00Z"}
        for change, place in (({"subject": "a\r\nBcc: c@x.example"}, "subject"),
                              ({"to": ["b@x.example", {"name": "a\nb", "address": "c@x.example"}]}, "to[1]"),
                              ({"headers": [{"name": "X-A", "body": "a\0"}]}, "headers[0]"),
                              ({"messageID": "a\r@x.example"}, "messageID"),
                              ({"attachments": [{"name": "a\nb", "text": ""}]}, "attachments[0].name"),
                              ({"inline": [{"contentID": "a\r\nb", "text": ""}]}, "inline[0].contentID"),
                              ({"atachments": []}, "atachments"), ({"to": ["ü@x.example"]}, "to[0]")):
            with self.subTest(place=place):
                done = self.compose({**head, **change})
                self.assertEqual((done.returncode, done.stdout), (65, b""), done.stderr.decode())
                self.assertIn(place, done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
