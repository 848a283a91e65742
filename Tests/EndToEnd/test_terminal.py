"""Nothing that a stranger wrote reaches the terminal as a control character; no secret reaches anything."""
import base64
import itertools
import json
import re
import shutil
import unicodedata
import unittest

from letters import letter, with_parts
from servers import MailServers
from terminal import answered, on_terminal
from workplace import REPOSITORY, Case, on_both, servers

NASTY = "\x1b]0;owned\x07\x1b[2J\x1b[31m\x9b5m\x08\x08\x7f\u202egnp.exe\u202c\u2066x\u2069\u200f\u2028two\u0085\ufeff"
#: What the program itself sends: colours, and on standard error the progress line.
OWN = re.compile(r"\x1b\[[0-9;]*m|\r\x1b\[K")
BIDIRECTIONAL = ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI")
RULES = """\
rules-version: 1
name: terminal
rules:
  - id: ask
    when: body:please
    then: [{ task: { title: 'Answer {{subject}} of {{from.name}}', notes: '{{subject}}' } }]
  - { id: away, when: 'subject:away', then: [archive] }
"""


def harmful(text):
    """Characters that must not be there, with what stands round them."""
    found = []
    for place, character in enumerate(text):
        code = ord(character)
        if (code < 0x20 and character not in "\n\t") or 0x7F <= code <= 0x9F or code in (0x2028, 0x2029, 0xFEFF) \
                or unicodedata.bidirectional(character) in BIDIRECTIONAL \
                or code in (0x200E, 0x200F, 0x061C) or 0xD800 <= code <= 0xDFFF:
            found.append(f"U+{code:04X} in {text[max(0, place - 20):place + 20]!r}")
    return found


@on_both
class Hostile:
    def prepare(self):
        box = self.new_box()
        encoded = base64.b64encode(NASTY.encode()).decode()
        name = f"=?utf-8?B?{encoded}?="
        parts = [("Content-Type: text/plain; charset=utf-8", f"Please.\n{NASTY}\n\tindented\n"),
                 (f'Content-Type: application/pdf; name="{name}"\nContent-Disposition: attachment; '
                  f"filename*=utf-8''..%2F..%2F{''.join(f'%{byte:02X}' for byte in NASTY.encode())}.pdf\n"
                  "Content-Transfer-Encoding: base64", "JVBERi0xLjQKJSVFT0YK")]
        box.add("INBOX", [
            with_parts(name, parts, "hostile", sender=f"{name} <bob@acme.example>"),
            letter("Away raw " + NASTY.replace("\x85", "").replace("\u2028", ""), "raw", minutes=1,
                   sender=f'"{NASTY[:20]}" <eve@evil.example>', body=f"{NASTY}\n"),
            letter("Latin", "latin", minutes=2, body="x").replace(b"\n\nx", b"\n\n\x9b31m\xff\x1bP"),
            (REPOSITORY / "Sources/opus/DemoMail/INBOX/22-hostile-headers.eml").read_bytes(),
        ])
        if box.kind == "imap":
            box.create("Evil \u202e\u0085name")
        else:
            box.create("Evil \u202e\x1b[31mname")
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        return box, place

    def commands(self, place):
        """Everything that shows mail; the last ones change it."""
        names = [item["id"] for item in place.opus("list", "--all", "--json").json["items"]]
        self.assertEqual(len(names), 4)
        looks = [[verb, name] for name in names for verb in ("show", "thread", "explain")]
        looks += [["show", "--headers", name] for name in names]
        return [["list"], ["list", "--all"], ["search", "please"], ["list", "--folder", "Nowhere"],
                ["triage", "--dry-run"], *looks, ["show", "--save", "saved", names[0]], ["account", "check"],
                ["run", "--yes", "--verbose"], ["run", "--yes"], ["sync", "--verbose"], ["task", "list"],
                ["runs", "show", "1"], ["list"]]

    def test_no_control_character_reaches_a_terminal(self):
        _, place = self.prepare()
        self.assertIn(r"\u{202e}gnp.exe", place.opus("list").out, "what is hostile is shown, not dropped")
        (place.root / "saved").mkdir()
        environment = place.environment(TERM="xterm-256color", OPUS_NO_INPUT="1")
        for words in self.commands(place):
            with self.subTest(" ".join(words)):
                code, output = on_terminal(place.command(*words), environment, place.root)
                self.assertIn(code, (0, 66) if "Nowhere" in words else (0,), output)
                self.assertTrue(output)
                self.assertEqual(harmful(OWN.sub("", output)), [])

    def test_no_control_character_is_piped(self):
        _, place = self.prepare()
        (place.root / "saved").mkdir()
        for words in self.commands(place):
            with self.subTest(" ".join(words)):
                done = place.opus(*words)
                self.assertEqual(harmful(done.text), [])
        for path in (place.root / "saved").iterdir():
            self.assertEqual(harmful(path.name), [])
            self.assertFalse(path.name.startswith("."))
        self.assertEqual([p.name for p in self.folder.glob("*.pdf")] + [p.name for p in place.root.glob("*.pdf")], [])

    def test_task_files_hold_no_line_that_a_stranger_wrote(self):
        _, place = self.prepare()
        self.check(place.opus("run", "--yes"))
        path, *_ = place.tasks.glob("next/*.ics")
        text = path.read_bytes().decode().replace("\r\n", "\n")
        self.assertEqual([line for line in harmful(text) if "U+0009" not in line], [], text)
        self.assertRegex(path.name, r"^[0-9a-f-]{36}\.ics$")

    def test_piped_lists_are_plain_tab_separated_lines(self):
        _, place = self.prepare()
        for words, columns in ((["list"], 5), (["triage", "--dry-run"], 4), (["account", "list"], 4)):
            done = self.check(place.opus(*words, environment={"TERM": "xterm-256color"}))
            self.assertNotIn("\x1b", done.out)
            for line in done.out.splitlines():
                self.assertEqual(len(line.split("\t")), columns, repr(line))

    def test_colours_are_sent_to_terminals_that_want_them(self):
        _, place = self.prepare()
        for environment, options, coloured in (
            ({"TERM": "xterm"}, [], True), ({"TERM": "dumb"}, [], False),
            ({"TERM": "xterm", "NO_COLOR": "1"}, [], False),
            ({"TERM": "xterm"}, ["--color", "never"], False), ({"TERM": "dumb"}, ["--color", "always"], True),
        ):
            _, output = on_terminal(place.command("list", *options), place.environment(**environment), place.root)
            self.assertEqual("\x1b[" in output, coloured, (environment, options))
        self.assertIn("\x1b[", place.opus("account", "check", environment={"CLICOLOR_FORCE": "1"}).out)

    def test_lines_fit_the_terminal(self):
        _, place = self.prepare()
        name = place.opus("list", "--json").json["items"][0]["id"]
        for columns, words in itertools.product((60, 80, 120), (["list"], ["explain", name])):
            _, output = on_terminal(place.command(*words), place.environment(TERM="dumb"), place.root, columns)
            lines = [line for line in output.splitlines() if words == ["list"] or " = " in line or " · " in line]
            self.assertTrue(lines, words)
            for line in lines:
                width = sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
                            for c in line)
                self.assertLessEqual(width, columns, line)

    def test_every_command_prints_json_with_a_schema(self):
        _, place = self.prepare()
        name = place.opus("list", "--json").json["items"][0]["id"]
        schemas = {}
        for words in (["list"], ["list", "--all"], ["search", "please"], ["show", name], ["thread", name],
                      ["explain", name], ["triage", "--dry-run"], ["sync"], ["account", "list"], ["account", "check"],
                      ["rules", "list"], ["rules", "check"], ["rules", "test"], ["doctor"], ["run", "--yes"],
                      ["triage", "--yes"], ["task", "list"], ["runs"], ["runs", "show", "1"]):
            with self.subTest(" ".join(words)):
                done = self.check(place.opus(*words, "--json"))
                document = json.loads(done.out)
                self.assertRegex(document["schema"], r"^opus\.[a-z-]+/1$")
                self.assertEqual(done.err, "")
                schemas[" ".join(words[:2])] = document["schema"]
        self.assertGreater(len(set(schemas.values())), 12, schemas)
        for words in (["show", "zzzz"], ["list", "frm:x"], ["list", "--account", "none"], ["triage"]):
            done = place.opus(*words, "--json")
            self.assertEqual((done.out, done.error["schema"], done.error["exit"]), ("", "opus.error/1", done.code))

    def test_ids_do_not_depend_on_the_order_or_number_of_messages(self):
        box, place = self.prepare()
        before = {item["messageID"]: item["id"] for item in place.opus("list", "--json").json["items"]}
        shutil.rmtree(place.root / ".opus")
        box.add("INBOX", [letter(f"Filler {n}", minutes=-n) for n in range(5)])
        self.check(place.opus("sync"))
        after = {item["messageID"]: item["id"] for item in place.opus("list", "--json").json["items"]}
        self.assertEqual({key: after[key] for key in before}, before)


@on_both
class Progress:
    def test_a_sync_says_how_far_it_is_on_a_terminal_and_nowhere_else(self):
        box = self.new_box()
        box.add("INBOX", [letter(f"Number {n}", f"n{n}", minutes=n) for n in range(120)])
        place = self.new_place(box, "  []\n")
        code, shown = on_terminal(place.command("sync"), place.environment(TERM="xterm"), place.root)
        self.assertEqual(code, 0, shown)
        for done in (50, 100, 120):
            self.assertRegex(shown, rf"\r\x1b\[KSyncing \S+ INBOX {done}/120")
        other = self.new_place(box, "  []\n")
        piped = self.check(other.opus("sync"))
        self.assertNotIn("Syncing", piped.out + piped.err)


class Question(Case):
    kind = "maildir"

    def answer(self, word):
        box = self.new_box()
        box.add("INBOX", letter("Away"))
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        return box, *answered(place, ["triage"], word)

    def test_nothing_happens_without_a_yes(self):
        for word in (b"n\n", b"\n", b"yikes\n", b"\x04"):
            with self.subTest(word):
                box, code, output = self.answer(word)
                self.assertEqual(code, 0)
                self.assertIn("~ archive", output)
                self.assertPlaces(box, {"away": "INBOX"})

    def test_yes_applies_the_plan(self):
        box, code, _ = self.answer(b"y\n")
        self.assertEqual(code, 0)
        self.assertPlaces(box, {"away": "Archive"})


class Secrets(Case):
    """The password of the account is a canary that must be found nowhere."""

    kind = "imap"

    def test_the_password_is_in_no_output_and_no_file(self):
        box = self.new_box()
        box.add("INBOX", letter("Away please"))
        smtp = "starttls" if servers().has_smtp else None
        rules = RULES + ("  - { id: hand, when: 'body:hello', "
                         "then: [{ delegate: { to: canary@far.example, send: now } }] }\n")
        place = self.new_place(box, rules, "allow-send: true\n", smtp=smtp)
        text = ""
        for words in (["account", "check"], ["sync"], ["run", "--yes"], ["run", "--yes"], ["doctor"],
                      ["account", "list"]):
            text += place.opus(*words, "--verbose").text
            text += place.opus(*words, "--json").text
        self.assertIn("IMAP", text.upper())
        wrong = "Wrong-Canary-93"
        (place.root / "password").write_text(wrong + "\n")
        for words in (["account", "check"], ["sync"], ["run", "--yes"], ["doctor"]):
            text += place.opus(*words, "--verbose").text
            text += place.opus(*words, "--json").text
        found = {"output": text.encode()}
        for path in self.folder.rglob("*"):
            if path.is_file() and path.name != "password":
                found[str(path)] = path.read_bytes()
        for secret in (MailServers.password, wrong):
            plain = f"\0{box.user}\0{secret}".encode()
            forms = [secret.encode(), base64.b64encode(secret.encode()).rstrip(b"="), base64.b64encode(plain)[4:-4],
                     base64.b64encode(f"{box.user}\0{box.user}\0{secret}".encode())[4:-4],
                     secret.encode().hex().encode()]
            for place_found, content in found.items():
                for form in forms:
                    self.assertNotIn(form, content, place_found)

    def test_the_store_is_for_its_owner_only(self):
        box = self.new_box()
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        store = place.root / ".opus"
        self.assertEqual(store.stat().st_mode & 0o777, 0o700)
        for path in store.iterdir():
            if path.name != ".gitignore":
                self.assertEqual(path.stat().st_mode & 0o077, 0, path)


if __name__ == "__main__":
    unittest.main()
