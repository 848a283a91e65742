"""`opus inspect imap`: what was understood of a server's bytes, held against a reading of them in Python."""
import hashlib
import json
import random
import re
import subprocess
import tempfile
import unittest

from test_show import FileCase
from terminal import on_terminal
from test_terminal import NASTY, OWN, harmful
from workplace import OPUS, REPOSITORY, high_water, wait

IMAP = REPOSITORY / "Tests" / "Fixtures" / "imap"
STATUS = re.compile(rb"(?:\S+ )?(?:OK|NO|BAD|BYE|PREAUTH)\b|\+|\* \[", re.I)
SECTION = re.compile(rb"BODY\[([^]]*)\](?:<(\d+)>)? ~?\{\d+\+?\}\r?\n$", re.I)

#: Keys of opus.imap/1 and their types; those without "?" are always there.
RESPONSE = {"schema": str, "kind": str, "offset": int, "length": int, "quirks": dict, "tag?": str, "status?": str,
            "code?": dict, "text?": str, "number?": int, "flags?": list, "capabilities?": list, "list?": dict,
            "mailboxStatus?": dict, "search?": dict, "vanished?": dict, "fetch?": dict, "id?": list,
            "namespace?": dict, "quota?": dict, "quotaRoot?": dict, "keyword?": str, "unparsable?": dict}
NAME = {"name": str, "wire": str, "wireBase64?": str}
WITHIN = {
    "code": {"name": str, "number?": int, "flags?": list, "capabilities?": list, "uidValidity?": int, "uid?": int,
             "sources?": list, "destinations?": list, "uids?": str, "arguments?": str},
    "list": {"mailbox": dict, "delimiter?": str, "attributes": list, "role?": str, "selectable": bool,
             "childInfo": list, "oldName?": dict},
    "mailboxStatus": {"mailbox": dict, "messages?": int, "recent?": int, "unseen?": int, "deleted?": int,
                      "uidNext?": int, "uidValidity?": int, "highestModSeq?": int, "size?": int, "mailboxID?": str,
                      "appendLimit?": int},
    "search": {"tag?": str, "uid?": bool, "count?": int, "numbers?": str, "min?": int, "max?": int,
               "highestModSeq?": int, "partial?": str},
    "vanished": {"uids": str, "count": int, "earlier": bool},
    "fetch": {"sequence": int, "uid?": int, "flags?": list, "internalDate?": str, "size?": int, "modSeq?": int,
              "emailID?": str, "threadID?": str, "gmailMessageID?": str, "gmailThreadID?": str, "gmailLabels?": list,
              "envelope?": dict, "structure?": list, "sections": list, "unreadable": list},
    "namespace": {"personal": list, "otherUsers": list, "shared": list},
    "quota": {"root": str, "resources": list},
    "quotaRoot": {"mailbox": dict, "roots": list},
    "unparsable": {"reason": str, "at": int, "keyword?": str, "uid?": int, "excerpt": str},
    "mailbox": NAME, "oldName": NAME,
    "envelope": {"date?": str, "subject?": str, "from": list, "sender": list, "replyTo": list, "to": list, "cc": list,
                 "bcc": list, "inReplyTo?": str, "messageID?": str},
    "sections": {"section": str, "origin?": int, "size?": int, "sha256?": str},
    "unreadable": {"name": str, "reason?": str},
    "structure": {"section": str, "parent?": int, "contentType": str, "parameters": list, "encoding?": str,
                  "size?": int, "lines?": int, "contentID?": str, "description?": str, "md5?": str,
                  "disposition?": str, "dispositionParameters": list, "languages": list, "location?": str,
                  "envelope?": dict},
}


def pieces(data):
    """Every response as (offset, bytes, [(section, origin, octets)]), by the rules of RFC 3501 §4.3 and §7."""
    place = 0
    while place < len(data):
        start, literals = place, []
        while True:
            end = data.find(b"\n", place) + 1 or len(data)
            line = data[start:end]
            announced = re.search(rb"\{(\d+)\+?\}\r?\n$", data[place:end])
            place = end
            if not announced or (not literals and STATUS.match(line)):
                break
            octets = data[place:place + int(announced[1])]
            found = SECTION.search(data[:end])
            literals.append((found[1].decode().upper(), found[2], octets) if found else None)
            place += len(octets)
        yield start, data[start:place], [one for one in literals if one]


class IMAPCase(FileCase):
    def documents(self, shown):
        # Only a line feed ends a document: U+2028 stays in texts.
        return [json.loads(line) for line in shown.out.splitlines()]

    def inspect(self, data, *words, code=0):
        return self.opus("inspect", "imap", "-", "--json", *words, input=data, code=code)

    def shape(self, value, keys, where):
        """A document has the keys of the page, and nothing else."""
        known = {key.rstrip("?"): kind for key, kind in keys.items()}
        self.assertLessEqual({key for key in keys if not key.endswith("?")}, set(value), where)
        self.assertLessEqual(set(value), set(known), where)
        for key, one in value.items():
            self.assertIs(type(one), known[key], f"{where}.{key}")
            if key in WITHIN:
                for item in one if isinstance(one, list) else [one]:
                    self.shape(item, WITHIN[key], f"{where}.{key}")


class Transcripts(IMAPCase):
    """All that is kept of twelve servers."""

    def test_every_response_is_one_document_at_its_place_however_the_bytes_are_cut(self):
        count = 0
        for file in sorted(IMAP.glob("*.imap")):
            with self.subTest(file.name):
                data = file.read_bytes()
                whole = self.opus("inspect", "imap", file, "--json")
                expected = list(pieces(data))
                self.assertEqual([(one["offset"], one["length"]) for one in self.documents(whole)],
                                 [(start, len(text)) for start, text, _ in expected])
                self.assertNotIn("unparsable", [one["kind"] for one in self.documents(whole)])
                count += len(expected)
                for size in (1, 7, 4096):
                    self.assertEqual(self.opus("inspect", "imap", file, "--json", "--chunk", size).out, whole.out)
                self.assertEqual(self.inspect(data).out, whole.out)
        self.assertGreaterEqual(count, 300)

    def test_sizes_and_sums_of_sections_are_those_of_the_bytes(self):
        count = 0
        for file in sorted(IMAP.glob("*.imap")):
            documents = self.documents(self.opus("inspect", "imap", file, "--json"))
            for document, (_, _, literals) in zip(documents, pieces(file.read_bytes())):
                sections = {(one["section"], one.get("origin")): one for one in
                            document.get("fetch", {}).get("sections", [])}
                for name, origin, octets in literals:
                    with self.subTest(file.name, section=name):
                        one = sections[name, int(origin) if origin else None]
                        self.assertEqual((one["size"], one["sha256"]),
                                         (len(octets), hashlib.sha256(octets).hexdigest()))
                        count += 1
        self.assertGreaterEqual(count, 15)

    def test_documents_have_the_keys_of_the_page(self):
        for file in sorted(IMAP.glob("*.imap")):
            for number, document in enumerate(self.documents(self.opus("inspect", "imap", file, "--json"))):
                self.shape(document, RESPONSE, f"{file.name}[{number}]")
                self.assertEqual(document["schema"], "opus.imap/1")

    def test_facts_are_read_as_the_servers_meant_them(self):
        documents = self.documents(self.opus("inspect", "imap", IMAP / "gmail-fetch.imap", "--json"))
        first = next(one["fetch"] for one in documents if one["kind"] == "fetch")
        self.assertEqual((first["uid"], first["flags"], first["modSeq"], first["gmailMessageID"]),
                         (411, ["\\Seen"], 41500, "1278455344230334866"))
        self.assertEqual([label["wire"] for label in first["gmailLabels"]],
                         ["\\Inbox", "\\Sent", "Important", "Muy Importante", '&BB8EQAQ4- "x"', "a]b"])
        self.assertEqual(first["gmailLabels"][4]["name"], 'При "x"')
        copied = next(one["code"] for one in documents if one.get("code", {}).get("name") == "COPYUID")
        self.assertEqual((copied["sources"], copied["destinations"]), ([411, 412, 413], [2275, 2274, 2272]))
        tree = next(one["fetch"]["structure"] for one in documents if "structure" in one.get("fetch", {}))
        self.assertEqual([(part["section"], part["contentType"], part.get("size")) for part in tree],
                         [("", "multipart/alternative", None), ("1", "text/plain", 4), ("2", "text/html", 30)])
        throttled = documents[-1]
        self.assertEqual((throttled["kind"], throttled["tag"], throttled["status"], throttled["code"]["name"]),
                         ("tagged", "A16", "NO", "THROTTLED"))
        cyrus = self.documents(self.opus("inspect", "imap", IMAP / "cyrus-all.imap", "--json"))
        self.assertIn("M6d99ac3275bb4e", [one["fetch"].get("emailID") for one in cyrus if "fetch" in one])
        strange = self.documents(self.opus("inspect", "imap", IMAP / "dovecot-fetch.imap", "--json"))
        self.assertIn("negativeNumber", {name for one in strange for name in one["quirks"]})


class Trouble(IMAPCase):
    def test_unreadable_responses_are_skipped_with_their_place_and_reason(self):
        data = b"* OK ready\r\n* 1 FETCH (UID 5 FLAGS (\\Seen)\r\n* 2 EXISTS\r\n"
        documents = self.documents(self.inspect(data))
        self.assertEqual([one["kind"] for one in documents], ["status", "unparsable", "exists"])
        self.assertEqual(documents[1]["offset"], 12)
        self.assertEqual(documents[1]["unparsable"],
                         {"reason": "parentheses that do not balance", "at": 30, "keyword": "FETCH", "uid": 5,
                          "excerpt": "* 1 FETCH (UID 5 FLAGS (\\Seen)"})
        shown = self.opus("inspect", "imap", "-", input=data)
        self.assertEqual(shown.text.splitlines()[2], "44\texists\t2")
        self.assertIn("3 responses, 1 unparsable", shown.err)

    def test_a_file_that_is_not_a_transcript_is_refused(self):
        mail = (REPOSITORY / "Sources/opus/DemoMail/INBOX/11-receipt.S.eml").read_bytes()
        for data in (b"", mail, b"HTTP/1.1 200 OK\r\n\r\n", bytes(4096), bytes(range(256)) * 600, b"S: * OK ready\r\n"):
            with self.subTest(data[:20]):
                for words in ((), ("--chunk", "1")):
                    shown = self.inspect(data, *words, code=65)
                    self.assertEqual(shown.out, b"")
                    self.assertEqual(json.loads(shown.err)["code"], "not-a-transcript")
        self.put("mail.eml", mail)
        shown = self.opus("inspect", "imap", "mail.eml", code=65)
        self.assertRegex(shown.err, r"^opus: mail.eml is not a transcript of an IMAP server\n")
        self.assertIn("next: ", shown.err)

    def test_invalid_files_and_options_are_refused(self):
        self.opus("inspect", "imap", "nowhere.imap", code=66)
        (self.folder / "folder").mkdir()
        self.assertIn("is a folder", self.opus("inspect", "imap", "folder", code=65).err)
        for size in ("0", "-1", "x"):
            self.opus("inspect", "imap", "-", f"--chunk={size}", code=64)

    def test_the_end_of_a_session_by_a_limit_ends_the_inspection(self):
        data = b"* OK ready\r\n* 1 EXISTS\r\n* LIST () \"/\" {2000000}\r\n* 2 EXISTS\r\n"
        outputs = {self.inspect(data, "--chunk", size, code=65).out for size in (1, 7, 4096)}
        shown = self.inspect(data, code=65)
        self.assertEqual(outputs, {shown.out})
        self.assertEqual([one["kind"] for one in self.documents(shown)], ["status", "exists"])
        problem = json.loads(shown.err)
        self.assertEqual((problem["code"], problem["place"]), ("transcript-limit", "standard input, byte 24"))

    def test_the_end_of_a_cut_recording_is_named(self):
        documents = self.documents(self.inspect(b"* OK ready\r\n* 1 FETCH (BODY[] {500}\r\nabc"))
        self.assertEqual([one["kind"] for one in documents], ["status", "incomplete"])
        self.assertEqual((documents[1]["offset"], documents[1]["length"]), (12, 28))


class Hostile(IMAPCase):
    """Words of a server that wants to do something to a terminal."""

    def transcript(self):
        nasty = NASTY.encode()
        literal = b"{%d}\r\n%s" % (len(nasty), nasty)
        quoted = b'"%s"' % nasty.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
        lines = [
            b"* OK [X-%s %s] %s" % (nasty, nasty, nasty), b"* BYE " + bytes(range(0x80, 0x100)),
            b"* LIST (\\%s) %s %s" % (nasty, quoted, literal), b"* STATUS %s (MESSAGES 1)" % literal,
            b"* ID (%s %s)" % (literal, literal), b"* NAMESPACE ((%s %s)) NIL NIL" % (literal, quoted),
            b"* QUOTA %s (STORAGE 1 2)" % literal, b"* QUOTAROOT %s %s" % (literal, literal),
            b"* FLAGS (%s)" % nasty, b"* X%s" % nasty, b"+ " + nasty, b"* CAPABILITY " + nasty,
            b"* 1 FETCH (FLAGS (%s) X-GM-LABELS (%s) EMAILID (%s) BODY[%s] %s)"
            % (nasty, literal, literal, nasty.replace(b"]", b""), literal),
            b"* 2 FETCH (ENVELOPE (%s %s ((%s NIL %s %s)) NIL NIL NIL NIL NIL %s %s))" % ((literal,) * 7),
            b"* 3 FETCH (BODYSTRUCTURE (%s %s (%s %s) %s %s %s 4 %s (%s (%s %s)) %s %s))" % ((literal,) * 13),
            b"* 4 FETCH (UID %" + nasty, b"A1%s OK x" % nasty,
        ]
        return b"".join(line + b"\r\n" for line in lines)

    def test_nothing_harmful_is_printed(self):
        self.put("nasty.imap", self.transcript())
        piped = self.opus("inspect", "imap", "nasty.imap")
        self.assertEqual(harmful(piped.text), [])
        self.assertEqual(harmful(piped.err), [])
        code, output = on_terminal([OPUS, "inspect", "imap", "nasty.imap"], self.environment(TERM="xterm"), self.folder)
        self.assertEqual(code, 0)
        self.assertEqual(harmful(OWN.sub("", output)), [])
        self.assertLessEqual(max(len(line) for line in OWN.sub("", output).split("\n")[:-2]), 100)
        self.assertIn("\\u{202e}", piped.text)
        code, output = on_terminal([OPUS, "inspect", "imap", "\x1b]0;x\x07.imap"], self.environment(TERM="xterm"), self.folder)
        self.assertEqual((code, harmful(OWN.sub("", output))), (66, []))

    def test_every_document_is_json_and_keeps_the_words(self):
        shown = self.inspect(self.transcript())
        self.assertFalse([byte for byte in shown.out if byte < 0x20 and byte != 0x0A])
        documents = self.documents(shown)
        self.assertIn(NASTY, [one.get("list", {}).get("mailbox", {}).get("name") for one in documents])
        for document in documents:
            self.shape(document, RESPONSE, document["kind"])

    def test_changed_bytes_are_read_the_same_in_any_pieces(self):
        numbers = random.Random(4)
        sources = [file.read_bytes() for file in sorted(IMAP.glob("*.imap"))] + [self.transcript()]
        for _ in range(25):
            data = bytearray(numbers.choice(sources))
            for _ in range(numbers.randrange(1, 9)):
                place = numbers.randrange(len(data))
                data[place:place + numbers.randrange(3)] = numbers.choice([b"(", b")", b"\r\n", b'"', b"{3}", b"\x00", b"\xff"])
            runs = [subprocess.run([OPUS, "inspect", "imap", "-", "--json", "--chunk", size], input=bytes(data),
                                   capture_output=True, env=self.environment(), cwd=self.folder, timeout=60)
                    for size in ("1", "7", "100000")]
            self.assertIn(runs[0].returncode, (0, 65), bytes(data))
            self.assertEqual(len({(run.returncode, run.stdout, run.stderr) for run in runs}), 1, bytes(data))
            for line in runs[0].stdout.splitlines():
                json.loads(line)


class Large(IMAPCase):
    def test_memory_does_not_grow_with_the_transcript(self):
        block, blocks = bytes(range(256)) * 4096, 80      # one message of 80 MiB, above what a session keeps
        size = len(block) * blocks
        with tempfile.TemporaryFile() as output:
            run = subprocess.Popen([OPUS, "inspect", "imap", "-", "--json"], stdin=subprocess.PIPE, stdout=output,
                                   env=self.environment(), cwd=self.folder)
            run.stdin.write(b"* OK ready\r\n* 1 FETCH (UID 9 BODY[] {%d}\r\n" % size)
            for _ in range(blocks):
                run.stdin.write(block)
            run.stdin.write(b")\r\n" + b"* 1 FETCH (UID 9 FLAGS (\\Seen))\r\n" * 20_000)
            # Nearly all has been read by now: the pipe holds 64 KiB, and the program has yet to end.
            peak = high_water(run.pid)
            run.stdin.close()
            self.assertEqual(wait(run, 60)[0], 0)
            output.seek(0)
            lines = output.read().splitlines()
        self.assertEqual(len(lines), 20_002)
        section, = json.loads(lines[1])["fetch"]["sections"]
        self.assertEqual((section["size"], section["sha256"]), (size, hashlib.sha256(block * blocks).hexdigest()))
        self.assertGreater(peak, 0)
        self.assertLess(peak, 60 * 1024, "KiB")


if __name__ == "__main__":
    unittest.main()
