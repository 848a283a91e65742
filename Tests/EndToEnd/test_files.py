"""Files that are wrong, disks that are full: the exit code, the place in the file, and nothing lost or changed."""
import base64
import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

import icalendar
from letters import letter, with_parts
from model import Model
from terminal import on_terminal
from workplace import HEAD, Case, Workplace, digest, file_limit, on_both

RULES = """\
rules-version: 1
name: files
rules:
  - { id: ask, when: 'subject:ask', then: [{ task: { title: 'Answer {{subject}}' } }, archive] }
  - { id: hand-over, when: 'subject:please', then: [{ delegate: { to: bob@acme.example } }, archive] }
"""
TASK = ("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//EN\r\nBEGIN:VTODO\r\nUID:mine\r\nDTSTAMP:20260301T080000Z\r\n"
        "SUMMARY:Mine\r\nSTATUS:NEEDS-ACTION\r\nEND:VTODO\r\nEND:VCALENDAR\r\n")


class MessagesBeyondLimits(Case):
    """A message of which only a part was read is listed with the reason, and no rule takes it away."""

    kind = "maildir"

    def test_a_message_beyond_a_limit_is_listed_with_the_reason_and_stays(self):
        box = self.new_box()
        parts = "".join(f"--b\nContent-Type: text/plain\n\npart {n}\n" for n in range(1_200))
        box.add("INBOX", letter("Ask in many parts", body=parts + "--b--\n",
                                headers={"Content-Type": 'multipart/mixed; boundary="b"'}))
        box.add("INBOX", letter("Ask in one"))
        place = self.new_place(box, RULES)
        done = self.check(place.opus("run", "--yes"))
        listed = self.check(place.opus("list", "--json")).json["items"]
        self.assertEqual([(i["subject"], i["exceededLimits"]) for i in listed], [("Ask in many parts", ["tooManyParts"])])
        self.assertEqual(len(list(place.tasks.glob("*/*.ics"))), 1, done.out)
        planned = self.check(place.opus("triage", "--dry-run", "--json")).json["plan"]["items"]
        self.assertEqual([i["warnings"] for i in planned], [["read only in part (tooManyParts): rules only flag it"]])
        shown = self.check(place.opus("show", listed[0]["id"])).out
        self.assertIn("Limits    read only in part (tooManyParts): opus show --structure", shown)
        self.assertIn("Limited: the message was read only in part", self.check(place.opus("explain", listed[0]["id"])).out)
        before = box.fingerprint()
        self.check(place.opus("run", "--yes"))
        self.assertEqual(box.fingerprint(), before)


@on_both
class LongMessages:
    """More text than opus reads, and text behind a large file."""

    RULES = """\
rules-version: 1
protect: [ { hold: 'body:legalhold' } ]
rules:
  - { id: save, when: 'has:attachment', then: { save-attachment: In } }
  - { id: pdf, when: 'has:pdf', then: { label: pdf } }
  - { id: bin, when: 'subject:scan or subject:long', then: trash }
"""

    def test_rules_see_the_texts_and_files_behind_a_large_file(self):
        box = self.new_box()
        encoded = "Content-Transfer-Encoding: base64\nContent-Disposition: attachment; filename="
        files = [("image/jpeg", "scan.jpg", os.urandom(1_200_000)), ("application/pdf", "invoice.pdf", os.urandom(20_000))]
        parts = [("Content-Type: text/plain", "see")]
        parts += [(f"Content-Type: {kind}\n{encoded}{name}", base64.encodebytes(data).decode()) for kind, name, data in files]
        box.add("INBOX", with_parts("Scan", parts + [("Content-Type: text/plain", "Please keep this mail, legalhold.")]))
        box.add("INBOX", with_parts("Scan of another", parts))
        place = self.new_place(box, self.RULES)
        self.check(place.opus("run", "--yes"))
        saved = sorted((file.name, file.stat().st_size) for file in (place.root / "attachments/In").iterdir())
        self.assertEqual([size for _, size in saved], [20_000, 1_200_000], saved)
        self.assertPlaces(box, {"scan": "INBOX", "scan-of-another": "Trash"})
        listed, = self.check(place.opus("list", "has:pdf", "--json")).json["items"]
        self.assertEqual(([file["name"] for file in listed["attachments"]], listed["exceededLimits"]),
                         (["scan.jpg", "invoice.pdf"], []))
        self.assertIn("legalhold", self.check(place.opus("show", listed["id"])).out)

    def test_mail_that_comes_later_is_read_like_mail_of_the_first_sync(self):
        box = self.new_box()
        box.add("INBOX", letter("First"))
        place = self.new_place(box, self.RULES)
        self.check(place.opus("sync"))
        picture = "Content-Type: image/jpeg; name=p{}.jpg\nContent-Disposition: inline; filename=p{}.jpg"
        data = "x" * 76 + ("\n" + "x" * 76) * 2_000
        # A phone puts a text between pictures. The names of so many parts do not fit into one command.
        for name, count in (("phone", 12), ("album", 120)):
            parts = [part for number in range(count) for part in
                     [("Content-Type: text/plain", f"Picture {number}"), (picture.format(number, number), data)]]
            parts += [("Content-Type: application/pdf; name=contract.pdf", "see"), ("Content-Type: text/plain", "legalhold")]
            box.add("INBOX", with_parts(f"Scan of {name}", parts))
        people = ", ".join(f"Person {number} <person{number}@department.acme.example>" for number in range(12))
        box.add("INBOX", with_parts("Forwarded", [("Content-Type: message/rfc822", letter(
            f"Mail {number}", body="line\n" * 4_000, headers={"Cc": people}).decode()) for number in range(90)]))
        self.check(place.opus("run", "--yes"))
        items = {item["subject"]: item for item in self.check(place.opus("list", "has:attachment", "--json")).json["items"]}
        self.assertEqual({name: (len(item["attachments"]), item["exceededLimits"]) for name, item in items.items()},
                         {"Scan of phone": (13, []), "Scan of album": (121, []), "Forwarded": (90, [])})
        self.assertEqual(items["Scan of album"]["attachments"][-1]["name"], "contract.pdf")
        self.assertIn("legalhold", self.check(place.opus("show", items["Scan of album"]["id"])).out)

    def test_the_text_of_a_multipart_without_its_boundary_is_read(self):
        box = self.new_box()
        file = ("Content-Type: application/pdf; name=big.pdf", "x" * 76 + ("\n" + "x" * 76) * 18_000)
        for name, inside in (("never", "--abd\nContent-Type: text/plain\n\nlegalhold\n--abd--"), ("closed", "--abc--\nlegalhold")):
            box.add("INBOX", with_parts(f"Scan {name}", [('Content-Type: multipart/alternative; boundary="abc"', inside), file]))
        place = self.new_place(box, self.RULES)
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"scan-never": "INBOX", "scan-closed": "INBOX"})

    def test_a_message_whose_files_are_not_all_known_is_only_marked(self):
        box = self.new_box()
        many = [("Content-Type: message/rfc822", with_parts(
            f"Mail {number}", [("Content-Type: text/plain", "x" * 70), ("Content-Type: text/html", "x" * 5_000)]).decode().replace("=b", "=c"))
            for number in range(400)]
        box.add("INBOX", with_parts("Scan of all", many))
        place = self.new_place(box, "rules-version: 1\nrules:\n  - { id: bin, when: 'subject:scan', then: [flag, trash] }\n")
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"scan-of-all": "INBOX"})
        self.assertIn("tooManyParts", self.check(place.opus("list", "--json")).json["items"][0]["exceededLimits"])
        self.assertEqual(box.find("INBOX", "scan-of-all@test.example").flags, {"\\Flagged"})

    def test_a_message_with_more_text_than_opus_reads_stays_and_says_so(self):
        box = self.new_box()
        for name, words in (("long but read", 30_000), ("too long", 50_000)):
            box.add("INBOX", letter(name.title(), body="plain words of a letter\n" * words + "legalhold\n"))
        box.add("INBOX", letter("Longer picture", headers={"Content-Type": "text/html"}, body=(
            f'<p>Dear Ana,<img src="data:image/png;base64,{"A" * 1_100_000}"><p>legalhold')))
        place = self.new_place(box, self.RULES)
        done = self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"long-but-read": "INBOX", "too-long": "INBOX", "longer-picture": "INBOX"})
        limits = {item["subject"]: item["exceededLimits"] for item in self.check(place.opus("list", "--json")).json["items"]}
        self.assertEqual(limits, {"Long But Read": [], "Too Long": ["textTooLarge"], "Longer picture": ["textTooLarge"]}, done)


class ShortLines(Case):
    """Yahoo takes command lines of 1,000 bytes."""

    def test_the_parts_of_a_long_message_are_read_with_several_commands(self):
        model = self.enterContext(Model("yahoo"))
        parts = [part for number in range(12) for part in
                 [("Content-Type: text/plain", f"Picture {number}"),
                  ("Content-Type: image/png; name=p.png", "x" * 76 + ("\n" + "x" * 76) * 1_200)]]
        model.add("INBOX", [with_parts("Album", parts)])
        place = Workplace(self.folder / "yahoo", model.yaml(), "rules-version: 1\n", "", password=Model.password)
        trace = self.folder / "trace"
        self.check(place.opus("--trace", str(trace), "sync"))
        lines = [line.partition("C: ")[2] for line in trace.read_text().splitlines() if "C: " in line]
        self.assertEqual(sum(".MIME" in line for line in lines), 2)
        self.assertLess(max(map(len, lines)), 1_000)
        item, = self.check(place.opus("list", "--json")).json["items"]
        self.assertEqual((len(item["attachments"]), item["exceededLimits"]), (12, []))
        self.assertIn("Picture 11", self.check(place.opus("show", item["id"])).out)


class RuleFiles(Case):
    kind = "maildir"

    def prepare(self, rules):
        box = self.new_box()
        box.add("INBOX", letter("Ask me"))
        place = self.new_place(box, rules)
        self.check(place.opus("sync"))
        return box, place

    def stops(self, place, box, *words):
        before = box.fingerprint(), place.task_files()
        for command in (["triage", "--dry-run"], ["triage", "--yes"], ["run", "--yes"]):
            self.check(place.opus(*command), 65, *words)
        self.assertEqual((box.fingerprint(), place.task_files()), before)

    def test_an_unknown_word_is_shown_with_its_place_and_a_suggestion(self):
        box, place = self.prepare("rules-version: 1\nname: x\nrules:\n"
                                  "  - id: one\n    when: { form: '*@acme.example' }\n    then: [archive]\n")
        self.stops(place, box, "rules/10-test.yaml:5:13: error[R", "'form'", "^^^^ did you mean 'from'?")
        done = self.check(place.opus("rules", "check"), 65)
        self.assertIn("5 |     when: { form: '*@acme.example' }\n  |             ^^^^", done.out.replace("   |", "  |"))
        items = self.check(place.opus("rules", "check", "--json"), 65).json
        self.assertEqual(items["schema"], "opus.diagnostics/1")
        self.assertEqual([(i["file"], i["line"], i["column"]) for i in items["items"]], [("rules/10-test.yaml", 5, 13)])

    def test_every_error_of_every_file_is_shown_at_once(self):
        box, place = self.prepare({
            "10-a.yaml": "rules-version: 1\nname: a\nrules:\n  - { id: one, when: 'frm:x', then: [archive] }\n"
                         "  - { id: two, when: 'from:x', then: [archve] }\n",
            "20-b.yaml": "rules-version: 1\nname: b\nrules:\n"
                         "  - { id: three, when: 'from:x', then: [archive, trash] }\n",
        })
        self.stops(place, box, "rules/10-a.yaml:4:", "rules/10-a.yaml:5:", "rules/20-b.yaml:4:")

    def test_invalid_yaml(self):
        for case, text, where in (
            ("tab", "rules-version: 1\nrules:\n\t- x\n", ":3:"),
            ("at sign", "rules-version: 1\nname: x\nrules:\n"
                        "  - { id: a, when: { from: @acme.example }, then: [archive] }\n", ":4:"),
            ("anchor", "rules-version: 1\nname: &a x\nrules: *a\n", ":2:"),
            ("duplicate", "rules-version: 1\nname: x\nname: y\nrules: []\n", ":"),
            ("not UTF-8", "rules-version: 1\nname: \udcff\n", ""),
            ("no version", "name: x\nrules: []\n", ""),
        ):
            with self.subTest(case):
                box = self.new_box()
                box.add("INBOX", letter("Ask me"))
                place = Workplace(self.folder / case.replace(" ", "-"), box.yaml())
                (place.root / "rules" / "10-test.yaml").write_bytes(text.encode("utf-8", "surrogateescape"))
                self.stops(place, box, f"rules/10-test.yaml{where}")

    def test_a_rule_whose_own_test_fails_stops_triage(self):
        box, place = self.prepare(RULES + "tests:\n  - name: not this\n"
                                          "    mail: { from: 'B <b@x.example>', subject: Ask }\n"
                                          "    expect: { rule: none }\n")
        self.stops(place, box, "not this", "next: opus rules test")
        done = self.check(place.opus("rules", "test"), 1, "rules/10-test.yaml:7", "0 passed, 1 failed")
        self.assertIn("ask", done.out)


class Settings(Case):
    kind = "maildir"

    def test_a_password_in_the_file_is_refused_and_never_shown(self):
        for canary, line in (("Canary4711", "password: Canary4711"), ("Canary 4712", "password: 'Canary 4712'"),
                             ("Canary4713", "pass: Canary4713")):
            with self.subTest(line):
                place = Workplace(self.folder / canary.replace(" ", ""), (
                    "  - name: work\n    address: ana@acme.example\n    imap: { host: localhost }\n"
                    f"    login: {{ user: ana, {line} }}\n"))
                for words in (["sync"], ["sync", "--verbose"], ["account", "list"], ["doctor"], ["rules", "check"],
                              ["sync", "--json"], ["run", "--yes", "--verbose"]):
                    done = place.opus(*words)
                    self.assertIn(done.code, (1, 78) if words == ["doctor"] else (78,), str(done))
                    self.assertNotIn(canary, done.text)
                    for part in canary.split():
                        self.assertNotIn(part, done.text)
                self.assertIn("opus.yaml:9", place.opus("sync").err)

    def test_a_literal_password_names_the_ways_that_are_safe(self):
        place = Workplace(self.folder / "w", "  - name: work\n    address: ana@acme.example\n"
                          "    imap: { host: localhost }\n    login: { user: ana, password: Canary4711 }\n")
        self.check(place.opus("sync"), 78, "R031", "password-command")

    def test_errors_of_the_settings_are_shown_with_their_place(self):
        for case, text, words in (
            ("unknown key", HEAD + "acounts: []\n", ("opus.yaml:5:1", "did you mean 'accounts'")),
            ("no version", "accounts: []\n", ("C003",)),
            ("other version", "config-version: 9\n", ("C003", "opus.yaml:1:")),
            ("bad zone", "config-version: 1\ntime-zone: Europe/Pariss\n", ("opus.yaml:2:", "Europe/Pari")),
            ("empty", "", ("C002",)),
            ("plain text", "just words\n", ("opus.yaml:1:",)),
            ("unfinished", "config-version: 1\naccounts: [\n", ("opus.yaml:",)),
        ):
            with self.subTest(case):
                place = Workplace(self.folder / case.replace(" ", "-"), "  []\n")
                (place.root / "opus.yaml").write_text(text)
                self.check(place.opus("list"), 78, *words)

    def test_no_workspace_at_all(self):
        place = Workplace(self.folder / "w", "  []\n")
        (self.folder / "nowhere").mkdir()
        done = subprocess.run([place.command("x")[0], "list"], cwd=self.folder / "nowhere", env=place.environment(),
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 78, done)
        self.assertIn("opus demo", done.stderr)
        (place.root / "opus.yaml").unlink()
        self.check(place.opus("list"), 78, "opus.yaml")

    def test_no_account(self):
        place = Workplace(self.folder / "w", "  []\n")
        self.check(place.opus("sync"), 78, "no account", "next: ")

    def test_wrong_usage(self):
        place = Workplace(self.folder / "w", "  []\n")
        for words in (["sink"], ["sync", "--frobnicate"], ["show"], ["list", "--now"], ["search"]):
            self.check(place.opus(*words, now=None), 64)
        self.check(place.opus("list", now="tomorrow"), 64, "--now")
        for words in (["--help"], ["help"], ["--version"], ["list", "--help"], ["help", "list"],
                      ["task", "list", "--help"]):
            with self.subTest(words):
                done = subprocess.run([place.command("x")[0], *words], env=place.environment(), capture_output=True,
                                      text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done)
                self.assertTrue(done.stdout)


@on_both
class TaskFiles:
    BROKEN = {
        "empty.ics": b"",
        "text.ics": b"buy milk\n",
        "binary.ics": bytes(range(256)) * 8,
        "cut.ics": TASK.encode()[:-40],
        "merge.ics": TASK.replace("SUMMARY:", "<<<<<<< HEAD\r\nSUMMARY:").encode(),
        "no-uid.ics": TASK.replace("UID:mine\r\n", "").encode(),
        "two.ics": (TASK.removesuffix("END:VCALENDAR\r\n")
                    + TASK.partition("EN\r\n")[2].replace("mine", "other")).encode(),
        "nul.ics": TASK.replace("Mine", "Mi\0ne").encode(),
        "long.ics": TASK.replace("Mine", "M" * 300_000).encode(),
        "nested.ics": TASK.replace("END:VTODO", "BEGIN:X\r\n" * 30_000 + "END:VTODO").encode(),
        "event.ics": TASK.replace("VTODO", "VEVENT").encode(),
    }

    def test_files_that_are_not_tasks_are_reported_and_stay_unchanged(self):
        box = self.new_box()
        box.add("INBOX", letter("Ask me"))
        place = self.new_place(box, RULES)
        (place.tasks / "next").mkdir()
        for name, content in self.BROKEN.items():
            (place.tasks / "next" / name).write_bytes(content)
        self.check(place.opus("run", "--yes"), 1)
        done = self.check(place.opus("run", "--yes"), 1)
        for name, content in self.BROKEN.items():
            self.assertEqual((place.tasks / "next" / name).read_bytes(), content, name)
            # Events are left alone without a word, and a file may have several tasks.
            if name not in ("event.ics", "two.ics"):
                self.assertIn(f"next/{name}", done.err, str(done))
        self.assertPlaces(box, {"ask-me": "Archive"})
        listed = self.check(place.opus("task", "list"), 1)
        self.assertIn("Answer Ask me", listed.out)
        self.assertIn("next/cut.ics:", listed.err)

    def test_a_task_that_becomes_unreadable_is_not_taken_for_deleted(self):
        box = self.new_box()
        box.add("INBOX", letter("Ask me"))
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        path = place.task("Answer Ask me")
        good = path.read_bytes()
        path.write_bytes(good[:60])
        done = self.check(place.opus("run", "--yes"), 1, path.name)
        self.assertNotIn("deleted", done.text)
        path.write_bytes(good)
        self.check(place.opus("run", "--yes"), 0)
        self.assertEqual(path.read_bytes(), good)

    def test_hidden_files_and_links_in_the_task_folder_are_ignored(self):
        box = self.new_box()
        place = self.new_place(box, RULES)
        outside = self.folder / "outside.ics"
        outside.write_text(TASK.replace("Mine", "Outside"))
        (place.tasks / "next").mkdir()
        (place.tasks / "next" / "link.ics").symlink_to(outside)
        os.mkfifo(place.tasks / "next" / "pipe.ics")
        (place.tasks / "next" / ".hidden.ics").write_text("x")
        (place.tasks / "next" / "mine.ics.tmp").write_text("x")
        (place.tasks / "next" / "deeper").mkdir()
        done = place.opus("task", "list", timeout=20)
        self.assertNotIn("Outside", done.out)
        self.assertNotIn(".hidden", done.text)
        self.assertNotIn(".tmp", done.text)

    def test_an_empty_task_folder_looks_like_an_unmounted_disk(self):
        box = self.new_box()
        box.add("INBOX", [letter(f"Ask {n}", minutes=n) for n in range(8)])
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        shutil.move(place.tasks, self.folder / "away")
        before = box.fingerprint()
        for make in (False, True):
            if make:
                place.tasks.mkdir()
            self.check(place.opus("run", "--yes"), 1, "8 of 8 open tasks", "--allow-mass-delete")
            self.assertEqual(box.fingerprint(), before)
        place.tasks.rmdir()
        shutil.move(self.folder / "away", place.tasks)
        self.assertNothingMore(place, box)

    def test_the_user_s_own_file_keeps_every_byte_but_the_lines_that_change(self):
        box = self.new_box()
        place = self.new_place(box)
        (place.tasks / "next").mkdir()
        path = place.tasks / "next" / "mine.ics"
        odd = TASK.replace("STATUS:", "X-ODD;A=1:keep\r\nFUTURE;X=Y:hello\r\nCATEGORIES:a,b\\,c\r\nSTATUS:").replace(
            "SUMMARY:Mine", "SUMMARY:Mi\r\n ne\r\nDESCRIPTION:")
        path.write_text(odd, newline="")
        self.check(place.opus("run", "--yes"))
        self.assertEqual(path.read_bytes(), odd.encode())
        self.check(place.opus("task", "done", "mine"))
        lines = path.read_bytes().decode().split("\r\n")
        for line in odd.split("\r\n"):
            if not line.startswith(("STATUS", "DTSTAMP")):
                self.assertIn(line, lines)
        self.assertIn("STATUS:COMPLETED", lines)
        icalendar.Calendar.from_ical(path.read_bytes())


class Disks(Case):
    """Small file systems of their own, where we are root; and a limit on the size of files everywhere."""

    @contextlib.contextmanager
    def small_disk(self, path, size="4m"):
        path.mkdir(exist_ok=True)
        if os.geteuid() != 0 or subprocess.run(
                ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path], capture_output=True).returncode:
            self.skipTest("no small file system without root")
        try:
            yield path
        finally:
            subprocess.run(["umount", "-l", path], check=True)

    def fill(self, disk, leave=0):
        """Until nothing more fits, but for `leave` bytes."""
        with open(disk / "filler", "ab", buffering=0) as file:
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"x" * 4096)
        os.truncate(disk / "filler", max(0, (disk / "filler").stat().st_size - leave))

    def messages(self):
        return [letter("Ask one"), letter("Please two", minutes=1), letter("Three", minutes=2, body="word " * 2_000)]

    def test_a_full_disk_under_the_task_files_keeps_the_mail_in_the_inbox(self):
        for self.kind in ("imap", "maildir"):
            box = self.new_box()
            box.add("INBOX", self.messages())
            place = self.new_place(box, RULES, name=f"tasks-{self.kind}")
            with self.subTest(self.kind), self.small_disk(place.tasks):
                (place.tasks / "next").mkdir()
                (place.tasks / "next" / "mine.ics").write_text(TASK)
                self.fill(place.tasks)
                before = digest(place.tasks / "next" / "mine.ics")
                done = self.check(place.opus("run", "--yes"), 1, "no space left")
                self.assertNotIn("moved to", done.out)
                self.assertPlaces(box, {"ask-one": "INBOX", "please-two": "INBOX", "three": "INBOX"})
                self.assertEqual(digest(place.tasks / "next" / "mine.ics"), before)
                (place.tasks / "filler").unlink()
                self.check(place.opus("run", "--yes"))
                self.assertPlaces(box, {"ask-one": "Archive", "please-two": "Archive", "three": "INBOX"})
                self.assertEqual(len(list(place.tasks.glob("*/*.ics"))), 3)
                self.assertNothingMore(place, box)

    def test_a_full_disk_under_the_store_changes_nothing_and_is_healed_by_space(self):
        for self.kind in ("imap", "maildir"):
            box = self.new_box()
            box.add("INBOX", self.messages())
            place = self.new_place(box, RULES, name=f"store-{self.kind}")
            with self.subTest(self.kind), self.small_disk(place.root / ".opus"):
                for leave in (0, 20_000, 100_000, 300_000):
                    self.fill(place.root / ".opus", leave)
                    before = box.fingerprint()
                    done = place.opus("sync")
                    if done.code:
                        self.assertIn(done.code, (73, 74), str(done))
                        self.assertIn("space", done.err, str(done))
                        self.assertIn("next: ", done.err, str(done))
                    self.assertEqual(box.fingerprint(), before)
                (place.root / ".opus" / "filler").unlink()
                self.check(place.opus("sync"))
                self.fill(place.root / ".opus", 8_000)
                done = place.opus("run", "--yes")
                (place.root / ".opus" / "filler").unlink()
                self.assertIn(done.code, (0, 1, 73, 74), str(done))
                self.check(place.opus("run", "--yes"))
                self.assertPlaces(box, {"ask-one": "Archive", "please-two": "Archive", "three": "INBOX"})
                self.assertEqual(len(box.held("Drafts")), 1)
                self.assertEqual(len(list(place.tasks.glob("*/*.ics"))), 2)
                self.assertNothingMore(place, box)

    def test_a_full_disk_keeps_what_compose_read_from_standard_input(self):
        self.kind = "maildir"
        box = self.new_box()
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        text = "Only here.\n" * 5_000
        (place.root / "typed").write_text(text)
        with self.small_disk(place.root / ".opus"):
            self.check(place.opus("sync"))
            self.fill(place.root / ".opus")
            for words in (["compose", "--to", "bob@acme.example"], ["compose", "--to", "bob@acme.example", "--body", "-"]):
                with self.subTest(words):
                    with open(place.root / "typed") as typed:
                        done = place.opus(*words, stdin=typed)
                    self.assertIn(done.code, (73, 74), str(done))
                    self.assertNotIn("nothing was lost", done.text)
                    kept = re.search(r"the text is kept in (\S+)", done.err)[1]
                    self.addCleanup(os.unlink, kept)
                    self.assertEqual(Path(kept).read_text(), text)
            (place.root / ".opus" / "filler").unlink()
            self.check(place.opus("compose", "--to", "bob@acme.example", "--body", kept))
        self.assertEqual(len(box.held("Drafts")), 1)

    def test_a_full_disk_keeps_what_was_typed_in_an_editor(self):
        self.kind = "maildir"
        box = self.new_box()
        place = self.new_place(box, RULES)
        editor = place.root / "editor"
        with self.small_disk(place.root / ".opus", "12m"):
            self.check(place.opus("sync"))
            editor.write_text('#!/bin/sh\ngrep "^From:" "$1" > text; printf "To: bob@acme.example\\nSubject: s\\n\\n" >> text\n'
                              'yes "Only here." | head -3000 >> text; cp text "$1"; cat /dev/zero > .opus/filler 2>/dev/null; true\n')
            editor.chmod(0o700)
            code, out = on_terminal(place.command("compose"), place.environment(EDITOR=str(editor)), place.root)
            self.assertEqual(code, 74, out)
            self.assertIn("no space left", out)
            self.assertIn("your text is kept in ", out)
            draft = re.search(r"opus drafts edit (d:\w+)", out)[1]
            (place.root / ".opus" / "filler").unlink()
            editor.write_text("#!/bin/sh\nsed -i 's/^Subject: s/Subject: Kept/' \"$1\"\n")
            code, out = on_terminal(place.command("drafts", "edit", draft), place.environment(EDITOR=str(editor)), place.root)
            self.assertEqual(code, 0, out)
        self.assertEqual(box.subjects("Drafts"), ["Kept"])
        self.assertEqual(box.body("Drafts", box.held("Drafts")[0].message_id).count(b"Only here."), 3000)

    def test_a_full_disk_under_a_maildir_keeps_the_message_of_the_draft(self):
        self.kind = "maildir"
        with self.small_disk(self.folder / "disk"):
            box = self.new_box()
            shutil.move(box.folder, self.folder / "disk" / "Maildir")
            box.folder = self.folder / "disk" / "Maildir"
            box.add("INBOX", self.messages())
            place = self.new_place(box, RULES)
            self.check(place.opus("sync"))
            self.fill(self.folder / "disk")
            self.check(place.opus("run", "--yes"), 1, "space")
            self.assertEqual(box.where("please-two@test.example"), ["INBOX"])
            self.assertEqual(len(box.where("ask-one@test.example")), 1)
            (self.folder / "disk" / "filler").unlink()
            self.check(place.opus("run", "--yes"))
            self.assertPlaces(box, {"ask-one": "Archive", "please-two": "Archive", "three": "INBOX"})
            self.assertEqual(len(box.held("Drafts")), 1)

    def test_a_task_folder_that_may_not_be_written(self):
        for self.kind in ("imap", "maildir"):
            box = self.new_box()
            box.add("INBOX", self.messages())
            place = self.new_place(box, RULES, name=f"readonly-{self.kind}")
            with self.subTest(self.kind), self.small_disk(place.tasks):
                (place.tasks / "next").mkdir()
                (place.tasks / "next" / "mine.ics").write_text(TASK)
                subprocess.run(["mount", "-o", "remount,ro", place.tasks], check=True)
                self.check(place.opus("run", "--yes"), 1, "read-only")
                self.assertPlaces(box, {"ask-one": "INBOX", "please-two": "INBOX", "three": "INBOX"})
                self.check(place.opus("task", "list"), 0, "Mine")
                self.check(place.opus("task", "done", "mine"), 73, "read-only")
                subprocess.run(["mount", "-o", "remount,rw", place.tasks], check=True)
                self.check(place.opus("run", "--yes"))
                self.assertPlaces(box, {"ask-one": "Archive", "please-two": "Archive", "three": "INBOX"})

    def test_a_store_that_may_not_grow(self):
        for self.kind in ("imap", "maildir"):
            box = self.new_box()
            box.add("INBOX", [letter(f"Ask {n}", minutes=n, body="word " * 2_000) for n in range(50)])
            place = self.new_place(box, RULES, name=f"limited-{self.kind}")
            before = box.fingerprint()
            for size in (5_000, 100_000, 400_000):
                with self.subTest(f"{self.kind}, {size} bytes"):
                    done = place.opus("sync", preexec_fn=file_limit(size))
                    self.assertIn(done.code, (73, 74), str(done))
                    self.assertIn("next: ", done.err, str(done))
            self.assertEqual(box.fingerprint(), before)
            self.check(place.opus("run", "--yes", "--max", "none"))
            self.assertEqual(len(box.held("Archive")), 50)
            self.assertNothingMore(place, box)

    def test_a_store_that_is_damaged_or_of_a_later_version(self):
        box = self.new_box("maildir")
        box.add("INBOX", self.messages())
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        store = place.root / ".opus" / "store.sqlite"
        good = store.read_bytes()
        for path in (store.with_name("store.sqlite-wal"), store.with_name("store.sqlite-shm")):
            path.unlink(missing_ok=True)
        store.write_bytes(b"no database at all\n" * 500)
        done = self.check(place.opus("list"), 74, "next: ")
        self.assertIn("store", done.err)
        self.assertEqual(store.read_bytes(), b"no database at all\n" * 500)
        store.write_bytes(good[:100] + os.urandom(len(good) - 100))
        self.assertIn(place.opus("sync").code, (74,))
        shutil.rmtree(place.root / ".opus")
        self.check(place.opus("run", "--yes"))


def links(folder):
    """Where the links of a folder point to; some go away meanwhile."""
    for link in list(folder.iterdir()):
        with contextlib.suppress(FileNotFoundError):
            yield os.readlink(link)


class Interrupted(Case):
    kind = "maildir"

    def test_a_result_that_does_not_fit_on_the_disk_is_a_failure(self):
        box = self.new_box()
        box.add("INBOX", letter("Ask one"))
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        for words in (["list", "--json"], ["rules", "list"], ["rules", "check"], ["triage", "--dry-run"]):
            with self.subTest(words), open("/dev/full", "wb") as full:
                done = subprocess.run(place.command(*words), stdout=full, stderr=subprocess.PIPE, text=True,
                                      env=place.environment(), cwd=place.root)
                self.assertEqual(done.returncode, 74, done.stderr)
                self.assertIn("could not be written", done.stderr)

    def test_closed_inputs_and_outputs_become_dev_null(self):
        place = self.new_place(self.new_box(), RULES)
        # Else the lock, the store or a connection would get the number of an output.
        script = f"exec <&- >&- 2>&-; exec {shlex.join(place.command('watch', now=None))}"
        process = subprocess.Popen(["sh", "-c", script], env=place.environment(), cwd=place.root)
        try:
            files = Path(f"/proc/{process.pid}/fd")
            end = time.monotonic() + 30
            while not any(link.endswith("store.sqlite") for link in links(files)):
                self.assertLess(time.monotonic(), end)
                self.assertIsNone(process.poll())
                time.sleep(0.05)
            self.assertEqual([os.readlink(files / name) for name in "012"], ["/dev/null"] * 3)
        finally:
            process.kill()
            process.wait()

    def test_a_reader_that_leaves_early_breaks_nothing(self):
        box = self.new_box()
        box.add("INBOX", [letter(f"Ask {n}", minutes=n) for n in range(300)])
        place = self.new_place(box, RULES, "brakes: { share: 100 }\n")
        self.check(place.opus("sync"))
        process = subprocess.Popen(place.command("list"), stdout=subprocess.PIPE, env=place.environment())
        process.stdout.readline()
        process.stdout.close()
        self.assertIn(process.wait(20), (0, -signal.SIGPIPE))
        process = subprocess.Popen(place.command("run", "--yes", "--max", "none"), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=place.environment())
        process.stdout.close()
        process.stderr.close()
        process.wait(60)
        self.assertEqual(len(box.held("Archive")), 300)
        self.assertNothingMore(place, box)


if __name__ == "__main__":
    unittest.main()
