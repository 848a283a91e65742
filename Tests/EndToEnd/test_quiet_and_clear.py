"""What daily use asks of the words: nothing is silent that went wrong, and nothing is said that did not happen."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from letters import letter
from terminal import on_terminal
from test_terminal import harmful
from workplace import Case, on_both, servers

RULES = """\
rules-version: 1
rules:
  - { id: away, when: 'subject:Away', then: archive }
  - { id: pay, when: 'subject:Bill', then: [{ task: 'Pay {{subject}}' }, archive] }
"""
#: C1 controls, DEL, overrides of direction, a byte order mark and a tag.
NASTY = "a\x9b31mb\x85c\x7fd\u202egpj\u2066e\u2028f\ufeffg\U000e0041h"


@on_both
class Quiet:
    def test_a_quiet_run_prints_nothing_unless_something_went_wrong(self):
        box = self.new_box()
        box.add("INBOX", [letter("Away"), letter("Bill 1", minutes=1), letter("Stays", minutes=2)])
        place = self.new_place(box, RULES)
        for words in (["-q", "run", "--yes"], ["run", "--yes", "-q"], ["run", "-q", "--yes"]):
            done = self.check(place.opus(*words))
            self.assertEqual((done.out, done.err), ("", ""), str(done))
        self.assertPlaces(box, {"away": "Archive", "bill-1": "Archive", "stays": "INBOX"})
        # A person completes the task: its mail was archived already.
        place.edit("Pay Bill 1", ("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
        box.add("INBOX", letter("Away again", minutes=3))
        done = self.check(place.opus("-q", "run", "--yes"))
        self.assertEqual((done.out, done.err), ("", ""), str(done))
        self.assertPlaces(box, {"away-again": "Archive"})
        # What went wrong is said.
        (place.tasks / "next" / "broken.ics").write_text("BEGIN:VCALENDAR\n")
        done = self.check(place.opus("-q", "run", "--yes"), 1, "broken.ics")
        self.assertEqual(done.out, "")
        (place.tasks / "next" / "broken.ics").unlink()
        code, shown = on_terminal(place.command("-q", "run", "--yes"), place.environment(TERM="dumb"), place.root)
        self.assertEqual((code, shown), (0, ""))
        place.write_rules(RULES + "  - { id: say, when: 'subject:Fire', then: [{ notify: 'Fire: {{subject}}' }] }\n")
        box.add("INBOX", letter("Fire alarm", minutes=4))
        self.check(place.opus("-q", "run", "--yes"), 0, "Fire: Fire alarm")

    def test_the_same_mail_makes_its_task_once_and_the_report_says_so(self):
        box = self.new_box()
        box.add("INBOX", letter("Call Ann"))
        place = self.new_place(box)
        self.check(place.opus("sync"))
        name = place.opus("list", "--json").json["items"][0]["id"]
        self.check(place.opus("task", "from", name), 0, "1 × task written")
        before = (place.task_files(), place.opus("runs").out)
        task, = [item["uid"] for item in place.opus("task", "list", "--json").json["items"]]
        done = self.check(place.opus("task", "from", name), 0, "The task already exists: t:")
        self.assertNotIn("written", done.text)
        self.assertEqual(place.opus("task", "from", name, "--json").json["items"][0]["existingTask"], task)
        self.assertEqual((place.task_files(), place.opus("runs").out), before, "nothing was done, so there is no run")

    def test_a_task_of_a_rule_is_not_made_again_by_hand_unless_requested(self):
        box = self.new_box()
        box.add("INBOX", [letter("Bill 1"), letter("Call Ann", minutes=1), letter("Bill 2", minutes=2)])
        place = self.new_place(box, RULES)
        self.check(place.opus("run", "--yes"))
        ids = {item["subject"]: item["id"] for item in place.opus("list", "--all", "--json").json["items"]}
        tasks = lambda: {item["uid"] for item in place.opus("task", "list", "--all", "--json").json["items"]}
        made = place.task("Pay Bill 1").stem
        self.assertEqual(len(tasks()), 2)
        done = self.check(place.opus("task", "from", ids["Bill 1"]), 0, "The task already exists: t:", "--again")
        self.assertNotIn("written", done.text)
        self.assertEqual(place.opus("task", "from", ids["Bill 1"], "--json").json["items"][0]["existingTask"], made)
        self.assertEqual(len(tasks()), 2)
        for number in (3, 4, 5):
            self.check(place.opus("task", "from", ids["Bill 1"], "--again"), 0, "1 × task written")
            self.assertEqual(len(tasks()), number)
        # A closed task of a rule is no reason against a new one.
        self.check(place.opus("task", "done", *tasks()))
        ids["Bill 2"] = next(item["id"] for item in place.opus("list", "--all", "--json").json["items"]
                             if item["subject"] == "Bill 2")
        self.check(place.opus("task", "from", ids["Bill 2"]), 0, "1 × task written")
        self.check(place.opus("undo", "--yes"))
        self.check(place.opus("task", "from", ids["Call Ann"]), 0, "1 × task written")
        task, = [item["uid"] for item in place.opus("task", "list", "--json").json["items"]]
        self.check(place.opus("task", "done", task))
        self.check(place.opus("task", "from", ids["Call Ann"]), 0, "already exists and is closed: t:")

    def test_task_files_are_private_and_keep_the_mode_that_a_person_gave_them(self):
        box = self.new_box()
        box.add("INBOX", [letter("Bill 1"), letter("Bill 2", minutes=1)])
        place = self.new_place(box, RULES)
        shutil.rmtree(place.tasks)
        self.check(place.opus("run", "--yes", umask=0))
        self.check(place.opus("task", "add", "Own", umask=0))
        self.check(place.opus("task", "add", "Other", "--list", "someday", umask=0))
        for path in [place.tasks, *place.tasks.rglob("*"), place.root / ".opus"]:
            mode = path.stat().st_mode & 0o777
            self.assertEqual(mode, 0o700 if path.is_dir() else 0o600, path)
        # The person shares a list, and other programs read one task.
        one = place.task("Pay Bill 1")
        one.chmod(0o664)
        one.parent.chmod(0o755)
        place.tasks.chmod(0o755)
        task = place.opus("task", "list", "--json").json["items"]
        name, = [item["id"] for item in task if item["summary"] == "Pay Bill 1"]
        self.check(place.opus("task", "edit", name, "--due", "2026-03-20"))
        self.assertIn(b"20260320", place.task("Pay Bill 1").read_bytes())
        self.assertEqual(place.task("Pay Bill 1").stat().st_mode & 0o777, 0o664)
        box.add("INBOX", letter("Bill 3", minutes=2))
        self.check(place.opus("run", "--yes"))
        self.assertEqual(place.task("Pay Bill 3").stat().st_mode & 0o777, 0o600)
        self.assertEqual(one.parent.stat().st_mode & 0o777, 0o755)
        self.check(place.opus("doctor", "--offline"), 0, "other users can", f"chmod -R go-rwx {place.tasks}")

    def test_json_and_raw_send_no_control_character_to_a_terminal(self):
        box = self.new_box()
        box.add("INBOX", letter("Nasty " + f"=?utf-8?B?{base64.b64encode(NASTY.encode()).decode()}?=", "nasty",
                                body=f"{NASTY}\n\x1b]0;owned\x07 \u009b2J\n"))
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        name = place.opus("list", "--json").json["items"][0]["id"]
        environment = place.environment(TERM="xterm")
        for words in (["list", "--json"], ["show", name, "--json"], ["show", "--raw", name], ["show", "--part", "1", name],
                      ["list", f"from:{NASTY}x:", "--json"], ["thread", name, "--json"]):
            with self.subTest(words):
                _, shown = on_terminal(place.command(*words), environment, place.root)
                self.assertTrue(shown)
                self.assertEqual(harmful(shown), [])
        # The document is the same; the bytes are exact where no terminal is.
        item = place.opus("list", "--json")
        self.assertEqual(harmful(item.out), [])
        self.assertIn(r"\u009b", item.out)
        self.assertEqual(item.json["items"][0]["subject"].replace(" ", "").removeprefix("Nasty"),
                         NASTY.replace("\x7f", "\ufffd"))
        with tempfile.TemporaryFile() as out:
            subprocess.run(place.command("show", "--raw", name), stdout=out, env=environment, check=True)
            out.seek(0)
            self.assertEqual(out.read(), box.body("INBOX", "nasty@test.example"))

    def test_a_query_that_can_find_nothing_is_understood_or_reported(self):
        box = self.new_box()
        box.add("INBOX", [letter("One", sender="First Last <first@acme.example>"),
                          letter("Two", minutes=1, sender="Root <root@host>"),
                          letter("Three", minutes=2, sender="Other <other@acmecorp.example>")])
        box.create("Projects")
        box.add("Projects", letter("Four", minutes=3))
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))

        def found(*query):
            done = self.check(place.opus(*query, "--json"))
            return sorted(item["subject"] for item in done.json["items"])

        for verb in ("list", "search"):
            self.assertEqual(found(verb, "from:'First Last'"), ["One"])
            self.assertEqual(found(verb, "(from:'First Last' or from:“Root”) -is:read"), ["One", "Two"])
            self.assertEqual(found(verb, "from:first@acme"), ["One"])
            self.assertEqual(found(verb, "from:root@host"), ["Two"])
            self.assertEqual(found(verb, "in:INBOX -from:first@acme"), ["Three", "Two"])
            self.assertEqual(found(verb, "in:projects"), ["Four"])
            for query, words in (("is:read is:unread", "exclude each other"), ("from:bob -from:bob", "exclude"),
                                 ("in:Project", 'in:"Projects"')):
                done = self.check(place.opus(verb, query), 0, words)
                self.assertEqual(done.out, "")
                self.assertIn(words, place.opus(verb, query, "--json").json["warnings"][0])
            self.assertEqual(place.opus(verb, "from:nobody@acme.example", "--json").json["warnings"],
                             ['no message has "nobody" in an address or a name'])
            # Each word is in some message: there is nothing to report.
            self.assertNotIn("warnings", place.opus(verb, "from:first@acme in:projects", "--json").json)
        self.check(place.opus("search", "--in", "tasks", "is:unread"), 0, "only mail has is:unread")
        # --folder is the narrower word.
        self.assertEqual(found("list", "--all", "--folder", "Projects"), ["Four"])
        self.assertEqual(found("list", "--folder", "INBOX", "--all"), ["One", "Three", "Two"])
        self.assertEqual(len(found("list", "--all")), 4)


@on_both
class NoRules:
    def test_no_rules_folder_is_an_error_with_the_way_out(self):
        box = self.new_box()
        box.add("INBOX", letter("Away"))
        place = self.new_place(box, RULES)
        self.check(place.opus("sync"))
        shutil.rmtree(place.root / "rules")
        for words in (["run", "--yes"], ["triage", "--yes"], ["triage", "--dry-run"], ["rules"], ["rules", "check"],
                      ["rules", "test"], ["rules", "list"], ["-q", "run", "--yes"]):
            with self.subTest(words):
                done = self.check(place.opus(*words), 78, f"{place.root}/rules", "next: ", "mkdir")
                self.assertEqual(done.out, "")
        error = place.opus("rules", "check", "--json").error
        self.assertEqual((error["code"], error["exit"]), ("no-rules", 78))
        self.check(place.opus("list"))
        # The command that is named works.
        command = next(step for step in error["next"] if step.startswith("cp -r ")).partition("   (")[0]
        subprocess.run(command.split(), check=True)
        self.check(place.opus("rules", "check"), 0, "no errors")
        self.check(place.opus("triage", "--dry-run"))
        shutil.rmtree(place.root / "rules")
        (place.root / "rules").mkdir()
        self.check(place.opus("rules", "check"), 0, "nothing to check", f"{place.root}/rules")
        self.check(place.opus("rules", "test"), 0, "nothing to check")
        self.check(place.opus("run", "--yes"), 0, "no rule file")
        # rules.path is wrong.
        place.configure(box.yaml(), "rules: { path: ruls }\n")
        self.check(place.opus("run", "--yes"), 78, "ruls")


class Checked(Case):
    kind = "imap"

    @unittest.skipUnless(servers().has_smtp, "no Postfix on this machine")
    def test_a_failure_of_one_server_keeps_the_lines_of_the_other_and_names_itself(self):
        box = self.new_box()
        place = self.new_place(box, RULES, smtp="tls")
        self.check(place.opus("account", "check"), 0, "✓ login", "✓ smtp")
        port = servers().smtps_port
        good = (place.root / "opus.yaml").read_text()
        for change, code, what, others in (
                ((f"port: {port}", "port: 9"), 69, "smtp", ["✓ login", "✓ mailboxes", "✓ archive", "✗ smtp"]),
                ((f"port: {servers().imaps_port}", "port: 9"), 69, "imap", ["✗ imap", "✓ smtp"])):
            with self.subTest(what):
                (place.root / "opus.yaml").write_text(good.replace(*change))
                done = self.check(place.opus("account", "check"), code)
                for line in others:
                    self.assertRegex(done.out, rf"(?m)^  {line}")
                self.assertRegex(done.err, rf"(?i)^opus: {what}: ")
                self.assertIn("account work, ", done.err)
                done = place.opus("account", "check", "--json")
                self.assertEqual((done.code, done.error["exit"]), (code, code))
                bad = [line["what"] for line in done.json["items"][0]["checks"] if not line["good"]]
                self.assertEqual(bad, [what])
                self.check(place.opus("doctor"), 1, "work: ")


class Typed(Case):
    kind = "maildir"

    def test_an_error_behind_json_is_about_what_is_wrong(self):
        place = self.new_place(self.new_box())
        for words, message in ((["frob"], 'unknown command "frob"'), ([], "the command is missing"), (["lst"], "unknown command"),
                               (["--workspace"], "--workspace needs a value"), (["--frob", "list"], "--frob"),
                               (["-a", "x", "frob", "--all"], 'unknown command "frob"')):
            with self.subTest(words):
                done = subprocess.run([place.command()[0], "--json", *words], capture_output=True, text=True,
                                      env=place.environment(), cwd=place.root)
                self.assertEqual((done.returncode, done.stdout), (64, ""), done.stderr)
                error = json.loads(done.stderr)
                self.assertIn(message, error["message"])
                self.assertNotIn("--json", error["message"])
                self.assertEqual((error["schema"], error["exit"]), ("opus.error/1", 64))
        self.check(place.opus("lst"), 64, 'unknown command "lst"', "opus list")
        self.check(place.opus("deferred"), 64, 'unknown command "deferred"', "opus defer")
        self.check(place.opus("done"), 64, 'unknown command "done"', "opus task done")
        self.check(place.opus("snooze", "--list"))
        self.check(place.opus("ls", "--json"))
        self.check(place.opus("--json", "ls"))
        self.assertEqual(place.opus("--version").out, place.opus("--json", "--version").out)

    def test_an_invalid_address_is_shown_as_it_was_typed(self):
        place = self.new_place(self.new_box(), extra="")
        body = place.root / "body.txt"
        body.write_text("Hello.\n")
        for typed in ("bob at acme", "Ann <ann@x.example>, bob at acme", "bob at acme <>"):
            with self.subTest(typed):
                done = place.opus("compose", "--to", typed, "--subject", "x", "--body", body)
                self.assertNotEqual(done.code, 0, str(done))
                self.assertIn(f'"{typed}"', done.text)
                self.assertIn("name@example.org", done.text)
                self.assertEqual(done.text.splitlines()[-1].strip(), "^")
        body.write_text("From: ana@acme.example\nTo: bob at acme\nSubject: x\n\nHello.\n")
        editor = place.root / "editor"
        editor.write_text(f"#!/bin/sh\ncp {body} \"$1\"\n")
        editor.chmod(0o755)
        code, shown = on_terminal(place.command("compose", "--to", "ann@x.example"),
                                  place.environment(TERM="dumb", EDITOR=str(editor), OPUS_NO_INPUT=""), place.root)
        self.assertNotIn('To holds ""', shown)


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "only root can say where localhost is")
class Loopback(Case):
    kind = "imap"

    def test_localhost_is_this_machine_only_where_every_address_of_it_is(self):
        box = self.new_box()
        place = self.new_place(box, RULES)
        port = servers().imap_port
        place.configure(box.yaml(port=port, security="none").replace(f", ca-file: {servers().ca_file}", ""))
        hosts = place.root / "hosts"
        script = 'mount --make-rprivate / && mount --bind "$0" /etc/hosts && exec "$@"'
        for lines, is_ours in (("127.0.0.1 localhost\n", True), ("127.0.0.1 localhost\n::1 localhost\n", True),
                               ("192.0.2.7 localhost\n", False), ("127.0.0.1 localhost\n192.0.2.7 localhost\n", False)):
            with self.subTest(lines):
                hosts.write_text(lines)
                done = subprocess.run(["unshare", "-m", "sh", "-c", script, hosts, *place.command("sync")],
                                      capture_output=True, text=True, env=place.environment(), cwd=place.root, timeout=60)
                if "mount:" in done.stderr or "unshare:" in done.stderr:
                    self.skipTest("nothing can be mounted here")
                if is_ours:
                    # It came as far as the server, which may want TLS for a login.
                    self.assertNotIn("192.0.2.7", done.stderr)
                    self.assertNotIn("this machine", done.stderr)
                else:
                    self.assertEqual(done.returncode, 78, done.stdout + done.stderr)
                    self.assertRegex(done.stderr, r"localhost.*192\.0\.2\.7")


if __name__ == "__main__":
    unittest.main()
