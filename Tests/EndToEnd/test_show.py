"""`opus show` and `opus inspect` on files: nothing is hidden, nothing is active, nothing is written over."""
import base64
import email
import email.policy
import hashlib
import json
import os
import subprocess
import unittest
from typing import NamedTuple

from letters import letter, with_parts
from terminal import on_terminal
from test_terminal import NASTY, OWN, harmful
from workplace import OPUS, REPOSITORY, Case

DEMO = REPOSITORY / "Sources" / "opus" / "DemoMail"
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
#: Keys of opus.message/1 and their types; those without "?" are always there.
MESSAGE = {"schema": str, "file": str, "size": int, "sha256": str, "subject?": str, "headers?": list, "baseSubject?": str,
           "list?": dict, "fields?": list, "from": list,
           "sender": list, "replyTo": list, "to": list, "cc": list, "bcc": list, "date?": str, "messageID?": str,
           "inReplyTo": list, "references": list, "text": str, "ownText": str, "html?": str, "parts": list,
           "attachments": list, "report?": dict, "calendarMethod?": str, "protection?": str, "beyondLimits": bool,
           "defects": list}
PART = {"section": str, "parent?": int, "contentType": str, "contentTypeParameters?": dict, "charset?": str,
        "encoding": str, "disposition?": str, "dispositionParameters?": dict, "filename?": str, "contentID?": str, "size": int, "sha256": str, "header": list, "body": list,
        "isComplete": bool, "message?": dict}
ATTACHMENT = {"section": str, "name": str, "contentType": str, "size": int, "contentID?": str, "inline": bool,
              "sha256": str}


class Shown(NamedTuple):
    code: int
    out: bytes
    err: str

    @property
    def text(self):
        return self.out.decode()

    @property
    def documents(self):
        return [json.loads(line) for line in self.text.splitlines()]


class FileCase(Case):
    """Files in a folder that is not a workspace."""

    kind = "maildir"

    def environment(self, **more):
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder / "home"), "LANG": "C.UTF-8", **more}

    def opus(self, *words, input=b"", code=0):
        run = subprocess.run([OPUS, *map(str, words)], input=input, capture_output=True, cwd=self.folder,
                             env=self.environment(), timeout=120)
        shown = Shown(run.returncode, run.stdout, run.stderr.decode())
        self.assertEqual(shown.code, code, shown)
        return shown

    def put(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return name


def numbered(message):
    """{section as IMAP counts: part} of the leaves, by Python's email."""
    if not message.is_multipart():
        return {"1": message}
    found = {}

    def walk(part, path):
        for number, child in enumerate(part.get_payload(), 1):
            here = [*path, str(number)]
            if child.get_content_maintype() == "multipart":
                walk(child, here)
            elif child.get_content_type() == "message/rfc822":
                inner = child.get_payload(0)
                if inner.get_content_maintype() == "multipart":
                    walk(inner, here)
                else:
                    found[".".join([*here, "1"])] = inner
            elif child.get_content_maintype() != "message":  # Python takes a delivery-status apart; it has no bytes
                found[".".join(here)] = child

    walk(message, [])
    return found


def mixed():
    """A message with every encoding, nested."""
    inner = with_parts("Inside", [("Content-Type: text/plain", "inner text"), ("Content-Type: image/png", "raw")])
    inner = inner.replace(b"=b", b"=inner").decode()
    alternative = ("--=c\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
                   "Gr=C3=BC=C3=9Fe, ein sehr=\n langer Satz\n--=c\nContent-Type: text/html\n\n<p>Hallo</p>\n--=c--")
    return with_parts("All of it", [
        ('Content-Type: multipart/alternative; boundary="=c"', alternative),
        ("Content-Type: image/png; name=dot.png\nContent-Disposition: inline\nContent-ID: <dot@x>\n"
         "Content-Transfer-Encoding: BASE64", base64.encodebytes(PNG).decode()),
        ("Content-Type: message/rfc822", inner),
    ], "all")


class AnyFile(FileCase):
    def test_a_file_of_any_kind_is_shown_without_a_workspace(self):
        mail = letter("Hello there", body="The text.\n")
        for name, content in {
            "letter.eml": mail, "crlf.eml": mail.replace(b"\n", b"\r\n"), "cr.eml": mail.replace(b"\n", b"\r"),
            "cur/1770000000.M1P1.host:2,S": mail, "one.mbox": b"From bob Tue Mar 10 08:00:00 2026\n" + mail,
            "./plain": mail,
        }.items():
            with self.subTest(name):
                shown = self.opus("show", self.put(name, content) if name != "./plain" else f"./{self.put('plain', content)}")
                self.assertRegex(shown.text, r"(?m)^Subject +Hello there$")
                self.assertIn("The text.\n", shown.text)
                self.assertEqual(shown.err, "")

    def test_a_file_that_is_not_mail_is_shown_anyway(self):
        for name, content in {"empty.eml": b"", "notes.txt": b"just some\nlines of text\n", "zeros.bin": bytes(4096),
                              "noise.bin": bytes(range(256)) * 64, "pic.png": PNG}.items():
            with self.subTest(name):
                self.put(name, content)
                self.assertEqual(harmful(self.opus("show", name).text), [])
                document = self.opus("inspect", "message", name, "--json").documents[0]
                self.assertEqual((document["size"], document["sha256"]),
                                 (len(content), hashlib.sha256(content).hexdigest()))
                self.assertEqual(self.opus("show", name, "--raw").out, content)

    def test_standard_input_is_a_file_called_minus(self):
        mail = letter("Piped in")
        self.assertIn("Piped in", self.opus("show", "-", input=mail).text)
        self.assertEqual(self.opus("inspect", "message", "-", "--json", input=mail).documents[0]["file"], "-")
        self.assertEqual(self.opus("show", "--raw", "-", input=mail).out, mail)

    def test_the_date_is_that_of_the_writers_clock(self):
        self.put("a.eml", letter("Date"))
        self.assertEqual(self.opus("inspect", "message", "--json", "a.eml").documents[0]["date"],
                         "2026-03-10T07:00:00+01:00")
        self.assertIn("Tue, 10 Mar 2026 07:00:00 +0100", self.opus("show", "a.eml").text)

    def test_quotes_are_in_the_text_but_not_in_the_own_text(self):
        self.put("a.eml", letter("Re: x", body="Yes.\n\nOn Tue, Ana wrote:\n> Shall we?\n\n-- \nBob\n"))
        document = self.opus("inspect", "message", "--json", "a.eml").documents[0]
        self.assertIn("> Shall we?", document["text"])
        self.assertEqual(document["ownText"].strip(), "Yes.")
        self.assertIn("> Shall we?", self.opus("show", "--text", "a.eml").text)

    def test_the_machine_readable_parts_of_a_message_are_shown(self):
        signed = with_parts("S", [("Content-Type: text/plain", "x"), ("Content-Type: application/pgp-signature", "y")])
        self.put("signed.eml", signed.replace(b"multipart/mixed", b"multipart/signed"))
        self.assertRegex(self.opus("show", "signed.eml").text, r"(?m)^Signed +not verified$")
        self.assertRegex(self.opus("show", DEMO / "INBOX" / "24-bounce.eml").text, r"(?m)^Report +Delivery failed for .*5\.1\.1")
        self.assertRegex(self.opus("show", DEMO / "INBOX" / "12-invitation.eml").text, r"(?m)^Calendar +REQUEST$")
        broken = self.opus("show", DEMO / "INBOX" / "23-broken-mime.eml").text
        self.assertRegex(broken, r"(?m)^Defects +\d defects: opus show --structure /")


class Parts(FileCase):
    def test_a_part_is_decoded_as_python_does(self):
        files = {"mixed.eml": mixed(), **{path.name: path.read_bytes() for path in sorted(DEMO.glob("*/*.eml"))
                                          if path.name not in ("23-broken-mime.eml",)}}
        compared = 0
        for name, content in files.items():
            self.put(name, content)
            for section, part in numbered(email.message_from_bytes(content, policy=email.policy.compat32)).items():
                with self.subTest(name, section=section):
                    self.assertEqual(self.opus("show", name, "--part", section).out, part.get_payload(decode=True))
                    compared += 1
        self.assertGreater(compared, 50)

    def test_each_part_in_the_tree_is_decoded_as_python_does(self):
        self.put("mixed.eml", mixed())
        document = self.opus("inspect", "message", "mixed.eml", "--json").documents[0]
        parts = {part["section"]: part for part in reversed(document["parts"])}
        for section, part in numbered(email.message_from_bytes(mixed())).items():
            content = part.get_payload(decode=True)
            found = parts[section]
            with self.subTest(section):
                self.assertEqual(found["contentType"], part.get_content_type())
                self.assertEqual(found["encoding"], part.get("Content-Transfer-Encoding", "7bit").lower())
                self.assertEqual((found["size"], found["sha256"]), (len(content), hashlib.sha256(content).hexdigest()))
                self.assertEqual(found.get("filename"), part.get_filename())
        self.assertEqual(parts["2"]["contentID"], "dot@x")
        self.assertEqual(parts["2"]["disposition"], "inline")
        self.assertEqual(parts["3"]["contentType"], "message/rfc822")
        self.assertEqual([part["section"] for part in document["parts"]],
                         ["", "1", "1.1", "1.2", "2", "3", "3", "3.1", "3.2"])

    def test_ranges_of_parts_nest_and_hold_what_the_tree_says(self):
        content = mixed()
        document = self.opus("inspect", "message", "--json", self.put("mixed.eml", content)).documents[0]
        for part in document["parts"]:
            (start, middle), (body, end) = part["header"], part["body"]
            self.assertTrue(0 <= start <= middle <= body <= end <= len(content), part)
            if "parent" in part:
                outer = document["parts"][part["parent"]]["body"]
                self.assertTrue(outer[0] <= start and end <= outer[1], part)
            if part["encoding"] == "7bit":
                self.assertEqual(hashlib.sha256(content[body:end]).hexdigest(), part["sha256"])

    def test_a_part_that_is_not_there_is_said_with_those_that_are(self):
        self.put("mixed.eml", mixed())
        for section in ("7", "1.9", "x", "0", "-1", "1..2", "99999999999999999999", "2:1", ":", "2:", "2:0"):
            with self.subTest(section):
                shown = self.opus("show", "mixed.eml", f"--part={section}", code=66)
                self.assertEqual(shown.out, b"")
                self.assertIn("2 (dot.png)", shown.err)

    def test_files_inside_a_text_have_numbers_of_their_own(self):
        block = "begin 644 notes.txt\n%:&5L;&\\\n`\nend\n"
        self.put("uu.eml", letter("uu", body=f"See below.\n\n{block}\nBye.\n"))
        document = self.opus("inspect", "message", "--json", "uu.eml").documents[0]
        self.assertEqual([(a["section"], a["name"], a["sha256"]) for a in document["attachments"]],
                         [("1:1", "notes.txt", hashlib.sha256(b"hello").hexdigest())])
        self.assertEqual(self.opus("show", "uu.eml", "--part", "1:1").out, b"hello")
        self.assertRegex(self.opus("show", "uu.eml", "--structure").text, r"(?m)^1:1\t.*\t5\tnotes\.txt$")
        (self.folder / "out").mkdir()
        self.opus("show", "uu.eml", "--save", "out")
        self.assertEqual((self.folder / "out" / "notes.txt").read_bytes(), b"hello")

    def test_the_parts_of_an_encoded_message_are_listed_with_it(self):
        encoded = base64.encodebytes(mixed()).decode()
        outer = with_parts("Outer", [("Content-Type: text/plain", "x"),
                                     ("Content-Type: message/rfc822\nContent-Transfer-Encoding: base64", encoded)])
        document = self.opus("inspect", "message", "--json", self.put("outer.eml", outer)).documents[0]
        inner = document["parts"][2]["message"]
        self.assertEqual([part["section"] for part in inner["parts"]][:4], ["", "1", "1.1", "1.2"])
        self.assertEqual(inner["subject"], "All of it")

    def test_messages_encoded_in_each_other_are_opened_only_so_deep(self):
        content = letter("The innermost")
        for number in range(30):
            content = (f"Subject: {number}\nContent-Type: message/rfc822\n"
                       "Content-Transfer-Encoding: quoted-printable\n\n").encode() + content.replace(b"=", b"=3D")
        document = self.opus("inspect", "message", "--json", self.put("deep.eml", content)).documents[0]
        levels, message = 0, document
        while message := message["parts"][0].get("message"):
            levels += 1
        self.assertEqual(levels, 8)


class Documents(FileCase):
    def check_keys(self, value, keys):
        for key, kind in keys.items():
            name = key.rstrip("?")
            if name in value:
                self.assertIs(type(value[name]), kind, name)
            else:
                self.assertTrue(key.endswith("?"), f"{name} is missing")
        self.assertLessEqual(set(value), {key.rstrip("?") for key in keys})

    def test_every_document_has_the_documented_keys(self):
        page = (REPOSITORY / "docs" / "json.md").read_text()
        section = page[page.index("\n## opus.message/1"):].split("\n## ")[1]
        for key in {*MESSAGE, *PART, *ATTACHMENT}:
            self.assertRegex(section, rf"[`\"]{key.rstrip('?')}[`\"]", "docs/json.md says nothing of it")
        files = sorted(DEMO.glob("*/*.eml"))
        documents = self.opus("inspect", "message", "--json", *files).documents
        self.assertEqual([document["file"] for document in documents], [str(path) for path in files])
        for document in documents:
            with self.subTest(document["file"]):
                self.check_keys(document, MESSAGE)
                self.assertEqual(document["schema"], "opus.message/1")
                for part in document["parts"]:
                    self.check_keys(part, PART)
                for attachment in document["attachments"]:
                    self.check_keys(attachment, ATTACHMENT)
                for person in document["from"] + document["to"] + document["cc"]:
                    self.check_keys(person, {"name?": str, "address": str})

    def test_the_parameters_the_list_and_the_base_of_the_subject_are_shown(self):
        name = self.put("list.eml", (
            "Subject: Re: [news] AW[2]: Caf\u00e9 (fwd)\nList-Post: NO\nX-Empty:\n"
            "List-Unsubscribe: <mailto:leave@l.example?subject=leave>,\n <https://l.example/u>\n"
            "Content-Type: text/plain; charset=\"UTF-8\"; delsp=yes\n"
            "Content-Disposition: inline; filename*=utf-8''caf%C3%A9.txt; size=12\n\nHi\n").encode())
        document, = self.opus("inspect", "message", "--json", "--fields", "x-empty,list-unsubscribe", name).documents
        self.assertEqual(document["baseSubject"], "Caf\u00e9")
        self.assertEqual(document["list"],
                         {"unsubscribe": ["mailto:leave@l.example?subject=leave", "https://l.example/u"]})
        part, = document["parts"]
        self.assertEqual(part["contentTypeParameters"], {"charset": "UTF-8", "delsp": "yes"})
        self.assertEqual(part["dispositionParameters"], {"filename": "caf\u00e9.txt", "size": "12"})
        fields = [(field["name"], base64.b64decode(field["base64"])) for field in document["fields"]]
        self.assertEqual(fields, [
            ("X-Empty", b"X-Empty:"),
            ("List-Unsubscribe",
             b"List-Unsubscribe: <mailto:leave@l.example?subject=leave>,\n <https://l.example/u>")])
        shown = self.opus("inspect", "message", "--fields", "X-Empty", name)
        self.assertEqual(shown.out, b"X-Empty:\n")

    def test_one_field_is_shown_as_it_is_read(self):
        for field, lines in {
            "Subject: Re: =?utf-8?q?Caf=C3=A9?=": ["text\tRe: Caf\u00e9", "base\tCaf\u00e9"],
            "From: \"Ana\" <ana@x.example>, bob@x.example": ["address\tAna <ana@x.example>", "address\tbob@x.example"],
            "Resent-Date: Thu, 05 Mar 2026 10:00:00 +0100": ["date\t2026-03-05T10:00:00+01:00"],
            "References: <a@b> <c@d>": ["id\ta@b", "id\tc@d"],
            "Content-Type: TEXT/Plain; format=flowed": ["value\ttext/plain", "parameter\tformat=flowed"],
        }.items():
            with self.subTest(field):
                self.assertEqual(self.opus("inspect", "header", field).text.splitlines()[-len(lines):], lines)
        document, = self.opus("inspect", "header", "--json", "To: \x1b[2J <a@b.example>").documents
        self.assertEqual((document["schema"], document["addresses"][0]["address"]), ("opus.header/1", "a@b.example"))
        self.assertNotIn("\x1b", self.opus("inspect", "header", "To: \x1b[2J <a@b.example>").text)
        self.opus("inspect", "header", "no field", code=65)

    def test_a_file_that_cannot_be_read_keeps_no_other_waiting(self):
        self.put("a.eml", letter("One"))
        self.put("b.eml", letter("Two"))
        (self.folder / "d.eml").mkdir()
        shown = self.opus("inspect", "message", "--json", "a.eml", "nope.eml", "d.eml", "b.eml", code=1)
        self.assertEqual([document["subject"] for document in shown.documents], ["One", "Two"])
        errors = [json.loads(line) for line in shown.err.splitlines()]
        self.assertEqual([(e["schema"], e["code"], e["exit"]) for e in errors],
                         [("opus.error/1", "no-such-file", 66), ("opus.error/1", "is-folder", 65)])
        shown = self.opus("inspect", "message", "a.eml", "nope.eml", "b.eml", code=1)
        self.assertEqual([line.split("\t")[:3] for line in shown.text.splitlines()],
                         [["a.eml", "1", "text/plain; charset=utf-8"], ["b.eml", "1", "text/plain; charset=utf-8"]])

    def test_a_file_that_is_too_large_is_refused_before_it_is_read(self):
        with open(self.folder / "huge.eml", "wb") as file:
            file.truncate((256 << 20) + 1)
        for words in (["show", "huge.eml"], ["show", "huge.eml", "--json"]):
            self.assertIn("256 MiB", self.opus(*words, code=65).err)
        self.assertIn("256 MiB", self.opus("inspect", "message", "huge.eml", code=1).err)

    def test_show_speaks_of_files_in_the_same_document(self):
        self.put("mixed.eml", mixed())
        inspected = self.opus("inspect", "message", "mixed.eml", "--json").documents[0]
        for options in ([], ["--text"], ["--structure"]):
            self.assertEqual(json.loads(self.opus("show", "mixed.eml", "--json", *options).text), inspected)
        headers = json.loads(self.opus("show", "mixed.eml", "--json", "--headers").text)["headers"]
        self.assertIn({"name": "Subject", "body": "All of it"}, headers)


class Hostile(FileCase):
    NAMES = ["../../evil.sh", "/etc/passwd", "..\\..\\boot.ini", "C:\\x\\y.doc", ".bashrc", "..", ".", "-rf", "a/b/../../c",
             "nul\u0000byte.txt", "inv\u202efdp.exe", "\u2066x\u2069.txt", "x\x1b[31m.txt", "new\nline.txt", "CON", "con.txt", "LPT1.x",
             "ü" * 500 + ".pdf", "語" * 300, "e\u0301" * 400 + ".txt", "." * 999, "  spaces  ", "tag\U000e0041.txt",
             "report.pdf", "report.pdf", "report.pdf", "soft\u00adhyphen", "\u200b", "~", "$(reboot)", "a;b|c>d"]

    def names_saved(self, folder="out"):
        return sorted(path.name for path in (self.folder / folder).iterdir())

    def hostile(self):
        head = ("Content-Type: application/octet-stream\nContent-Disposition: attachment;\n filename*=utf-8''{}\n"
                "Content-Transfer-Encoding: base64")
        coded = ["".join(f"%{byte:02X}" for byte in name.encode()) for name in self.NAMES]
        return with_parts("Names", [
            (head.format(name), base64.b64encode(str(number).encode()).decode()) for number, name in enumerate(coded)])

    def test_attachments_are_saved_under_harmless_names_in_the_folder_and_nowhere_else(self):
        self.put("names.eml", self.hostile())
        (self.folder / "out").mkdir()
        before = sorted(path for path in self.folder.rglob("*"))
        shown = self.opus("show", "names.eml", "--save", "out")
        saved = self.names_saved()
        self.assertEqual(len(saved), len(self.NAMES))
        self.assertEqual(sorted(shown.text.splitlines()), [f"out/{name}" for name in saved])
        after = sorted(path for path in self.folder.rglob("*") if path.parent.name != "out")
        self.assertEqual(after, before)
        for name in saved:
            with self.subTest(name):
                self.assertEqual(harmful(name), [])
                self.assertLessEqual(len(name.encode()), 255)
                self.assertNotRegex(name, r"^[.-]|[\\/:*?\"<>|\x00-\x1f]|\s$")
                self.assertNotRegex(name, r"(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)")
                self.assertEqual((self.folder / "out" / name).stat().st_mode & 0o777, 0o600)
        self.assertEqual(sorted(int((self.folder / "out" / name).read_text()) for name in saved),
                         list(range(len(self.NAMES))))
        self.assertLessEqual({"evil.sh", "passwd", "report.pdf", "report (2).pdf", "report (3).pdf"}, set(saved))
        self.assertTrue(any(name.startswith("üü") and name.endswith(".pdf") for name in saved))

    def test_no_file_is_replaced_and_no_link_is_followed(self):
        self.put("names.eml", self.hostile())
        self.put("out/report.pdf", b"mine")
        (self.folder / "out" / "passwd").symlink_to(self.folder / "stolen")
        (self.folder / "out" / "evil.sh").mkdir()
        self.opus("show", "names.eml", "--save", "out")
        self.assertEqual((self.folder / "out" / "report.pdf").read_bytes(), b"mine")
        self.assertFalse((self.folder / "stolen").exists())
        self.assertLessEqual({"passwd (2)", "report (4).pdf", "evil (2).sh"}, set(self.names_saved()))
        count = len(self.names_saved())
        self.opus("show", "names.eml", "--save", "out")
        self.assertEqual(len(self.names_saved()), count + len(self.NAMES))

    def test_saved_files_are_listed_as_a_document_too(self):
        self.put("mixed.eml", mixed())
        (self.folder / "out").mkdir()
        document = json.loads(self.opus("show", "mixed.eml", "--save", "out", "--json").text)
        self.assertEqual(document["schema"], "opus.saved/1")
        self.assertEqual(document["items"][0],
                         {"section": "2", "name": "dot.png", "path": "out/dot.png", "size": len(PNG)})

    def test_a_folder_that_is_not_there_is_said_with_the_command_that_makes_it(self):
        self.put("mixed.eml", mixed())
        self.assertIn("mkdir -p out", self.opus("show", "mixed.eml", "--save", "out", code=73).err)
        self.assertFalse((self.folder / "out").exists())

    def test_nothing_hostile_reaches_a_terminal(self):
        word = f"=?utf-8?B?{base64.b64encode(NASTY.encode()).decode()}?="
        content = with_parts(word, [
            (f"Content-Type: text/plain; charset={NASTY[:4]}8", NASTY),
            (f"Content-Type: text/html; charset=utf-8", f"<p title='{NASTY}'>{NASTY}</p>"),
            (f'Content-Type: image/png; name="{word}"\nContent-Transfer-Encoding: x-\x1b[31m', "x"),
        ], sender=f"{word} <bob@acme.example>")
        name = "evil\u202e\x1b[31m.eml"
        self.put(name, content)
        (self.folder / "out").mkdir()
        for words in (["show", name], ["show", name, "--headers"], ["show", name, "--structure"], ["show", name, "--text"],
                      ["show", name, "--html"], ["show", name, "--save", "out"], ["inspect", "message", name],
                      ["inspect", "message", name, "nope" + NASTY.replace("/", "")], ["show", name, "--part", NASTY]):
            with self.subTest(words):
                _, output = on_terminal([OPUS, *words], self.environment(TERM="xterm"), self.folder)
                self.assertTrue(output)
                self.assertEqual(harmful(OWN.sub("", output)), [])

    def test_safe_html_loads_nothing_and_runs_nothing(self):
        html = ("<html><body onload=x()><script>alert(1)</script><p style='background:url(http://e.example/a)'>Hello"
                "<img src=http://e.example/b.png><img src=cid:dot@x><a href='http://evil.example/'>www.bank.example</a></p>")
        self.put("a.eml", letter("H", body=html, headers={"Content-Type": "text/html; charset=utf-8"}))
        shown = self.opus("show", "a.eml", "--html")
        self.assertIn("Hello", shown.text)
        self.assertNotRegex(shown.text, r"(?i)script|onload|url\(|<img[^>]+src=|e\.example")
        self.assertIn("evil.example", shown.err)
        document = self.opus("inspect", "message", "--json", "a.eml").documents[0]
        self.assertIn("<script>", document["html"], "the document has it as it came")
        self.put("plain.eml", letter("P"))
        self.assertIn("opus show --text", self.opus("show", "--html", "plain.eml", code=66).err)


class HTML(FileCase):
    PAGE = ("<!DOCTYPE html><html><head><meta charset={}><title>t</title></head><body><h1>Grüße</h1>"
            "<p>See <a href='https://evil.example/x'>bank.example</a>.</p><img src='cid:a@b'>"
            "<img src='https://track.example/p.gif'></body></html>")

    def test_a_page_is_read_by_its_own_charset(self):
        for label, codec, mark in (("iso-8859-1", "latin-1", b""), ("utf-8", "utf-8", b""), ("x", "utf-8", b"\xef\xbb\xbf")):
            with self.subTest(label):
                self.put("page.html", mark + self.PAGE.format(label).encode(codec))
                self.assertIn("Grüße", self.opus("inspect", "html", "page.html", "--text").text)
                self.assertIn("Grüße", self.opus("inspect", "html", "page.html", "--sanitized").text)

    def test_links_that_lead_elsewhere_are_named(self):
        page = self.PAGE.format("utf-8").encode()
        for form in ("--text", "--sanitized"):
            shown = self.opus("inspect", "html", "-", form, input=page)
            self.assertIn("bank.example", shown.err)
            self.assertIn("evil.example", shown.err)
        document = json.loads(self.opus("inspect", "html", "-", "--json", input=page).text)
        self.assertEqual(document["schema"], "opus.html/1")
        self.assertEqual([link["text"] for link in document["suspectLinks"]], ["bank.example"])
        self.assertEqual(document["contentIDs"], ["a@b"])
        self.assertEqual(document["removedRemote"], 1)
        self.assertIn("Grüße", document["text"])
        self.assertNotIn("track.example", document["sanitized"])


class Compose(FileCase):
    DESCRIPTION = {"from": "Ana Ruiz <ana@acme.example>", "to": ["bob@acme.example"], "subject": "Grüße",
                   "text": "Hello Bob,\n\nhere it is.\n", "date": "2026-03-10T08:30:00+01:00",
                   "messageID": "x.1@acme.example"}

    def test_a_description_becomes_the_message_that_python_reads(self):
        self.put("mail.json", json.dumps(self.DESCRIPTION).encode())
        first = self.opus("inspect", "compose", "mail.json").out
        message = email.message_from_bytes(first, policy=email.policy.default)
        self.assertEqual(message["Subject"], "Grüße")
        self.assertEqual(message["To"].addresses[0].addr_spec, "bob@acme.example")
        self.assertEqual(message.get_content().replace("\r\n", "\n"), self.DESCRIPTION["text"])
        self.assertEqual(self.opus("inspect", "compose", "mail.json").out, first)
        self.assertEqual(self.opus("inspect", "message", "-", "--json", input=first).documents[0]["subject"], "Grüße")

    def test_a_wrong_description_is_refused_with_its_place(self):
        for change, place in (({"to": 5}, "to"), ({"to": ["a@b", "nobody"]}, "to[1]"), ({"sbuject": "x"}, "sbuject"),
                              ({"attachments": [{"name": 1}]}, "attachments[0].name"), ({"date": "soon"}, "date")):
            with self.subTest(place):
                self.put("mail.json", json.dumps({**self.DESCRIPTION, **change}).encode())
                shown = self.opus("inspect", "compose", "mail.json", code=65)
                self.assertEqual(shown.out, b"")
                self.assertIn(place, shown.err)
        self.put("mail.json", b"{ not json")
        self.opus("inspect", "compose", "mail.json", code=65)
        self.put("mail.json", json.dumps({**self.DESCRIPTION, "subject": "a\r\nBcc: eve@evil.example"}).encode())
        self.assertIn("subject", self.opus("inspect", "compose", "mail.json", code=65).err)
        self.assertIn("mail.json", self.opus("inspect", "compose", "mail.json", code=65).err)


class Wrong(FileCase):
    def test_options_that_exclude_each_other_are_said_so(self):
        self.put("a.eml", letter("x"))
        options = ["--text", "--html", "--raw", "--headers", "--structure", "--part=1", "--save=out"]
        for first, second in zip(options, options[1:] + options[:1]):
            shown = self.opus("show", "a.eml", first, second, code=64)
            self.assertRegex(shown.err, r"only one of --\w+ and --\w+")

    def test_wrong_uses_end_with_their_codes(self):
        self.put("a.eml", letter("x"))
        (self.folder / "folder.d").mkdir()
        for words, code, says in (
            (["show", "nope.eml"], 66, "nope.eml"), (["show", "folder.d"], 65, "folder"), (["show", "./"], 65, "folder"),
            (["show"], 64, "message"), (["inspect", "message"], 64, "files"), (["inspect", "message", "a.eml", "--frob"], 64, "frob"),
            (["show", "a.eml", "b.eml"], 64, "b.eml"), (["inspect", "html", "a.eml"], 64, "--text"),
            (["inspect", "html", "a.eml", "--text", "--sanitized"], 64, "not both"), (["show", "a.eml/x"], 66, "a.eml/x"),
        ):
            with self.subTest(" ".join(words)):
                self.assertIn(says, self.opus(*words, code=code).err)
        self.assertEqual(json.loads(self.opus("show", "nope.eml", "--json", code=66).err)["code"], "no-such-file")

    def test_a_file_whose_name_looks_like_an_id_is_pointed_at(self):
        self.put("letter", letter("x"))
        self.assertIn("opus show ./letter", self.opus("show", "letter", code=78).err)


class OfAccounts(Case):
    """The same by id."""

    kind = "maildir"

    def prepare(self):
        box = self.new_box()
        box.add("INBOX", [mixed(), letter("Other", "other", minutes=5)])
        place = self.new_place(box)
        self.check(place.opus("sync"))
        items = place.opus("list", "--json").json["items"]
        return place, next(item["id"] for item in items if item["messageID"].startswith("all"))

    def test_an_id_and_its_file_are_shown_alike(self):
        place, name = self.prepare()
        (place.root / "all.eml").write_bytes(mixed())
        for words in (["--part", "2"], ["--part", "3.1"], ["--raw"], ["--structure"], ["--text"], ["--html"]):
            with self.subTest(" ".join(words)):
                by_id, by_file = (self.check(place.opus("show", what, *words)) for what in (name, "all.eml"))
                self.assertEqual(by_id.out, by_file.out)
                self.assertTrue(by_id.out)
        by_id, by_file = (place.opus("show", what, "--structure", "--json").json for what in (name, "all.eml"))
        self.assertEqual(by_id.pop("file"), name)
        by_file.pop("file")
        self.assertEqual(by_id, by_file)
        self.assertEqual(place.opus("show", name, "--json").json["schema"], "opus.show/1")

    def test_an_id_that_no_message_has_is_not_taken_for_a_file(self):
        place, _ = self.prepare()
        (place.root / "zzzz").write_bytes(letter("The file"))
        done = self.check(place.opus("show", "zzzz"), 66, "opus show ./zzzz")
        self.assertNotIn("The file", done.text)
        self.check(place.opus("show", "./zzzz"), 0, "The file")
        self.check(place.opus("show", "yyyy"), 66, "opus list --all")


if __name__ == "__main__":
    unittest.main()
