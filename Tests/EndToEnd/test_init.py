"""opus init: from an address to the first plan, without a change on the server; and opus account add and remove."""
import base64
import hashlib
import json
import os
import queue
import shutil
import signal
import time
import unittest

from letters import letter
from listener import Listener
from lookups import ConfigurationServer, NameServer
from terminal import pieces, start
from workplace import Case, Workplace, servers

ADDRESS = "ana@newcomer.example"


class Silent(Listener):
    """A server that accepts connections and says nothing."""

    def __init__(self):
        self.clients = queue.Queue()
        super().__init__()

    def serve(self, client):
        self.clients.put(client)
        client.recv(1)

    def wait(self):
        self.clients.get(timeout=20)


class Newcomer(Workplace):
    """A folder with nothing but a password file."""

    def __init__(self, folder, password=None):
        super().__init__(folder, "", {}, password=password)
        (self.root / "opus.yaml").unlink()
        (self.root / "rules").rmdir()
        self.tasks.rmdir()
        (self.root / "home").mkdir(exist_ok=True)


class Beginning(Case):
    kind = "imap"

    def setUp(self):
        super().setUp()
        self.box = self.new_box()
        self.box.add("INBOX", [letter("Newsletter 7", "news", headers={"List-Unsubscribe": "<mailto:x@y.example>",
                                                                      "List-Id": "<l.example>"}),
                               letter("Lunch", "lunch"), letter("Invoice 3", "bill", body="Please pay by 20 March 2026.\n")])
        self.box.add("INBOX", letter("Seen", "seen"), (r"\Seen", r"\Flagged"))
        self.place = Newcomer(self.folder / "new")

    def words(self, *more):
        return ("init", ADDRESS, "--imap", f"localhost:{servers().imaps_port}", "--smtp",
                f"localhost:{servers().smtps_port}", "--ca-file", servers().ca_file, "--user", self.box.user,
                "--password-command", "cat password", *more)


class Init(Beginning):
    def state(self):
        return self.box.fingerprint()

    def wire(self, trace):
        """The commands that reached the server."""
        return [line.split("C: ", 1)[1].split()[1] for line in trace.read_text().splitlines()
                if "C: " in line and len(line.split("C: ", 1)[1].split()) > 1]

    def test_without_a_terminal_there_is_a_workspace_a_plan_and_no_change_on_the_server(self):
        before, begin = self.state(), time.monotonic()
        trace = self.place.root / "trace"
        done = self.check(self.place.opus(*self.words("--yes", "--json", "--trace", trace)))
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(self.state(), before)
        shown = done.json
        self.assertEqual((shown["schema"], shown["created"], shown["account"]), ("opus.init/1", True, "newcomer"))
        self.assertEqual(shown["imap"], {"host": "localhost", "port": servers().imaps_port, "security": "tls"})
        self.assertEqual(shown["plan"]["messages"], 4)
        self.assertGreater(shown["plan"]["changed"], 0)
        self.assertTrue(any(rule["messages"] for rule in shown["rules"]))
        self.assertIn("INBOX", [folder["name"] for folder in shown["mailboxes"]])
        words = set(self.wire(trace))
        self.assertIn("EXAMINE", words)
        self.assertFalse(words & {"SELECT", "STORE", "APPEND", "CREATE", "MOVE", "COPY", "DELETE", "RENAME",
                                  "EXPUNGE", "SUBSCRIBE"}, words)
        self.assertNotIn(servers().password, trace.read_text())
        self.assertNotIn(servers().password, (self.place.root / "opus.yaml").read_text())
        self.check(self.place.opus("rules", "check"))
        self.check(self.place.opus("account", "check"))
        plan = self.check(self.place.opus("triage", "--dry-run", "--json")).json
        self.assertEqual(plan["id"], shown["plan"]["id"])

    def test_the_matches_are_shown_rule_by_rule(self):
        done = self.check(self.place.opus(*self.words(), environment={"OPUS_FORCE_TTY": "1"}))
        for word in ("RULE", "MESSAGES", "Plan for 4 messages", "Nothing was changed", "opus triage"):
            self.assertIn(word, done.text)

    def test_old_mail_is_counted_and_the_first_triage_is_offered(self):
        self.assertNotIn("older than", self.check(self.place.opus(*self.words("--yes"))).text)
        self.box.add("INBOX", letter("Long ago", "ago", minutes=-60 * 24 * 40))
        done = self.check(self.place.opus("init", "--yes"), 0, "older than 21 days and not flagged: 1 → archive",
                          "next: opus triage --first")
        self.assertIn("Nothing was changed", done.text)

    def test_a_second_time_continues_and_leaves_every_file_as_it_is(self):
        self.check(self.place.opus(*self.words("--yes")))
        file = self.place.root / "opus.yaml"
        file.write_text(file.read_text() + "# mine\n")
        rule = next((self.place.root / "rules").iterdir())
        rule.write_text(rule.read_text() + "# mine\n")
        files = {path: path.read_bytes() for path in (self.place.root / "rules").iterdir()} | {file: file.read_bytes()}
        done = self.check(self.place.opus(*self.words("--yes", "--json")))
        self.assertFalse(done.json["created"])
        self.check(self.place.opus("init", "--yes", "--json"))
        self.assertEqual({path: path.read_bytes() for path in files}, files)

    def test_a_workspace_of_someone_else_is_not_touched(self):
        file = self.place.root / "opus.yaml"
        file.write_text("config-version: 1\naccounts: []   # later\n")
        self.check(self.place.opus(*self.words("--yes")), 73, "already a workspace", "opus account add")
        self.assertEqual(file.read_text(), "config-version: 1\naccounts: []   # later\n")
        self.assertFalse((self.place.root / "rules").exists())

    def test_a_wrong_password_writes_nothing_and_names_one_next_step(self):
        (self.place.root / "password").write_text("wrong\n")
        done = self.check(self.place.opus(*self.words("--yes")), 77, "refused the login", "next: check the user name")
        self.assertEqual(done.err.count("next:"), 1)
        self.assertFalse((self.place.root / "opus.yaml").exists())
        (self.place.root / "password").write_text(servers().password + "\n")
        self.check(self.place.opus(*self.words("--yes")))

    def test_a_server_that_is_away(self):
        done = self.check(self.place.opus("init", ADDRESS, "--imap", "localhost:1", "--password-command", "cat password",
                                          "--yes"), 69, "refused")
        self.assertNotIn("Traceback", done.text)
        self.assertFalse((self.place.root / "opus.yaml").exists())

    def test_each_error_names_a_next_step_that_needs_no_opus_yaml(self):
        imap, smtp = f"localhost:{servers().imap_port}", f"localhost:{servers().submission_port}"
        tls = f"localhost:{servers().imaps_port}"
        trust = ("--ca-file", servers().ca_file, "--user", self.box.user, "--yes")
        password = ("--password-command", "cat password")
        away = "next: {} HOST:PORT, if {} is not the server; otherwise check the network\n"
        for words, code, expected in (
                (("--imap", "localhost:1", *password), 69, away.format("--imap", "localhost:1")),
                (("--imap", "nosuch.invalid", *password), 69, away.format("--imap", "nosuch.invalid:993")),
                (("--imap", tls, "--smtp", "localhost:1", *password), 69, away.format("--smtp", "localhost:1")),
                (("--imap", f"tls://{imap}", *password), 69, f"next: --imap imap://{imap}\n"),
                (("--imap", f"starttls://{tls}", *password), 69, f"next: --imap imaps://{tls}\n"),
                (("--imap", f"localhost:{servers().smtps_port}", *password), 69,
                 away.format("--imap", f"localhost:{servers().smtps_port}")),
                (("--imap", tls, "--smtp", f"tls://{smtp}", *password), 69, f"next: --smtp smtp://{smtp}\n"),
                (("--imap", tls, "--password-command", "cat none"), 78,
                 "next: cat none     (must print the password on its first line)\n")):
            with self.subTest(words):
                done = self.check(self.place.opus("init", ADDRESS, *words, *trust), code, expected)
                self.assertNotIn("opus.yaml", done.err)
                self.assertEqual(done.err.count("next:"), 1, done.err)
        # Two of these steps, as written.
        self.check(self.place.opus("init", ADDRESS, "--imap", f"imap://{imap}", "--smtp", f"smtp://{smtp}", *password, *trust))

    def test_no_network(self):
        begin = time.monotonic()
        self.check(self.place.opus("init", "ana@nowhere.invalid", "--yes", "--password-command", "cat password",
                                   environment={"OPUS_ISPDB": "https://localhost:1/", "OPUS_RESOLVER": "127.0.0.1:1"}),
                   69, "no IMAP server was found", "--imap HOST")
        self.assertLess(time.monotonic() - begin, 60)
        self.assertFalse((self.place.root / "opus.yaml").exists())

    def test_missing_arguments_are_named(self):
        self.check(self.place.opus("init"), 64, "no address", "opus init you@example.org")
        self.check(self.place.opus("init", "ana"), 64, "not a mail address")
        self.check(self.place.opus("init", ADDRESS, "--imap", "localhost"), 64, "--password-command")
        self.check(self.place.opus("init", ADDRESS, "--imap", "local host"), 64, "not a server")
        self.check(self.place.opus("init", "ana@hotmail.com", "--imap", "localhost"), 78, "does not accept passwords", "OAuth")
        self.assertEqual(sorted(path.name for path in self.place.root.iterdir()), ["home", "password"])

    def test_a_maildir(self):
        box = self.new_box("maildir")
        box.add("INBOX", letter("Hello", "hello"))
        before = box.fingerprint()
        done = self.check(self.place.opus("init", ADDRESS, "--maildir", box.folder, "--yes", "--json"))
        self.assertEqual(done.json["plan"]["messages"], 1)
        self.assertEqual(box.fingerprint(), before)
        self.check(self.place.opus("--workspace", self.folder / "other", "init", ADDRESS, "--maildir",
                                   self.folder / "none", "--yes"), 66, "Maildir", "not found")

    # Discovery

    def search(self, **environment):
        return self.place.opus("init", ADDRESS, "--ca-file", servers().ca_file, "--user", self.box.user,
                               "--password-command", "cat password", "--yes", "--json",
                               environment={"OPUS_ISPDB": "", "OPUS_RESOLVER": "127.0.0.1:1", **environment})

    def file(self, socket="SSL", port=None):
        return (f'<?xml version="1.0"?><clientConfig version="1.1"><emailProvider id="newcomer.example">'
                f'<incomingServer type="imap"><hostname>localhost</hostname><port>{port or servers().imaps_port}</port>'
                f'<socketType>{socket}</socketType><username>%EMAILADDRESS%</username></incomingServer>'
                f'<outgoingServer type="smtp"><hostname>localhost</hostname><port>{servers().submission_port}</port>'
                f'<socketType>STARTTLS</socketType></outgoingServer></emailProvider></clientConfig>').encode()

    def test_a_configuration_file_over_https(self):
        with ConfigurationServer({"/v1.1/newcomer.example": self.file()}, servers().certificate) as web:
            done = self.check(self.search(OPUS_ISPDB=web.base))
        self.assertEqual(done.json["imap"]["port"], servers().imaps_port)
        self.assertEqual(done.json["smtp"], {"host": "localhost", "port": servers().submission_port, "security": "starttls"})
        self.assertEqual(web.asked, ["/v1.1/newcomer.example"])

    def test_a_pacc_document_counts_with_its_digest_in_dns(self):
        text = json.dumps({"protocols": {"imap": {"host": "localhost"}, "smtp": {"host": "localhost"}},
                           "authentication": {"password": True}, "info": {"provider": {"name": "Newcomer"}}}).encode()
        digest = base64.b64encode(hashlib.sha256(text).digest()).decode()
        path = "/.well-known/user-agent-configuration.json"
        for record, is_taken in ((f"v=UAAC1; a=sha256; d={digest}", True), (f"v=UAAC1; a=sha256; d={digest[::-1]}", False),
                                 (f"v=UAAC2; a=sha256; d={digest}", False)):
            with self.subTest(record), ConfigurationServer({path: text}, servers().certificate) as web, \
                    NameServer({("txt", "_ua-auto-config.newcomer.example"): [("unrelated",), (record,)]}) as names:
                base = web.base.removesuffix("/v1.1/")
                done = self.check(self.search(OPUS_PACC=base, OPUS_RESOLVER=names.address), 69, "no IMAP server was found")
                self.assertEqual(web.asked, [path])
                # The document names no port: it is the usual one, where no server of the tests listens.
                self.assertEqual(f"localhost:993 (PACC: {base})" in done.text, is_taken, done)

    def test_an_answer_that_was_not_protected_is_not_used_without_consent(self):
        with ConfigurationServer({"/v1.1/newcomer.example": self.file()}) as web:
            done = self.check(self.search(OPUS_ISPDB=web.base), 69, "was not protected", f"--imap localhost:{servers().imaps_port}")
        self.assertEqual(web.asked, ["/v1.1/newcomer.example"])
        self.assertFalse((self.place.root / "opus.yaml").exists(), done)
        # The command of the next step works as it is: with the address, the user, and STARTTLS where the file says so.
        step = done.error["next"][0].split(": opus ")[1]
        self.assertIn(f"init {ADDRESS} --user {self.box.user} ", step)
        self.assertIn(f"--smtp smtp://localhost:{servers().submission_port}", step)
        self.check(self.place.opus(*step.split(), "--ca-file", servers().ca_file, "--password-command", "cat password", "--yes"))

    def test_services_in_dns_are_proven_and_asked_about_when_they_lead_elsewhere(self):
        records = {("srv", "_imaps._tcp.newcomer.example"): [(0, 1, "localhost"), (10, servers().imaps_port, "localhost")],
                   ("srv", "_submissions._tcp.newcomer.example"): [(0, servers().smtps_port, "localhost")]}
        with NameServer(records) as names:
            self.check(self.search(OPUS_RESOLVER=names.address), 69, "was not protected", "_imaps._tcp.newcomer.example",
                       f"--imap localhost:{servers().imaps_port} --smtp localhost:{servers().smtps_port}")
        self.assertIn(("mx", "newcomer.example"), names.asked)
        # Each server that gets the password is named.
        records["srv", "_submissions._tcp.newcomer.example"] = [(0, servers().smtps_port, "127.0.0.1")]
        with NameServer(records) as names:
            self.check(self.search(OPUS_RESOLVER=names.address), 69, "the names localhost and 127.0.0.1 came over")

    def test_the_mail_exchanger_names_the_provider(self):
        with NameServer({("mx", "newcomer.example"): [(1, "newcomer-example.mail.protection.outlook.com")]}) as names:
            done = self.search(OPUS_RESOLVER=names.address)
        self.assertEqual(done.code, 69, done)
        self.assertIn("outlook.office365.com", done.text)

    def test_a_hostile_file_breaks_nothing(self):
        for name, text in {"bomb": b"<!DOCTYPE a [<!ENTITY b 'c'>]>" + self.file(), "deep": b"<a>" * 100_000,
                           "long": b"<a>" + b"x" * 5_000_000, "html": b"<html>&nbsp;</html>", "nothing": b"",
                           "wrong": self.file(port=1)}.items():
            with self.subTest(name), ConfigurationServer({"/v1.1/newcomer.example": text}, servers().certificate) as web:
                self.check(self.search(OPUS_ISPDB=web.base), 69, "no IMAP server was found")

    # Other programs

    def test_mbsync_s_server_user_and_command_are_taken_over(self):
        (self.place.root / "home" / ".mbsyncrc").write_text(
            f"IMAPAccount new\nHost localhost\nPort {servers().imaps_port}\nUser {self.box.user}\n"
            f'PassCmd "cat {self.place.root}/password"\nTLSType IMAPS\n\nIMAPStore new-remote\nAccount new\n')
        self.check(self.place.opus("init"), 64, "opus init --from mbsync")
        done = self.check(self.place.opus("init", ADDRESS, "--from", "mbsync", "--ca-file", servers().ca_file, "--yes",
                                          "--json"))
        self.assertEqual(done.json["imap"]["port"], servers().imaps_port)
        self.assertIn("password-command: [cat,", (self.place.root / "opus.yaml").read_text())
        self.assertIn("first-run: { since: 3w }", (self.place.root / "opus.yaml").read_text())

    def test_a_password_that_another_program_keeps_in_clear_is_not_copied(self):
        settings = self.place.root / "home" / ".config" / "aerc"
        settings.mkdir(parents=True)
        (settings / "accounts.conf").write_text(
            f"[new]\nsource = imaps://{self.box.user}:{servers().password}@localhost:{servers().imaps_port}\n"
            f"from = Ana Ruiz <{ADDRESS}>\n")
        self.check(self.place.opus("init", "--from", "aerc", "--yes"), 64, "--password-command")
        self.check(self.place.opus("init", "--from", "aerc", "--yes", "--ca-file", servers().ca_file,
                                   "--password-command", "cat password"))
        text = (self.place.root / "opus.yaml").read_text()
        self.assertNotIn(servers().password, text)
        self.assertIn("Ana Ruiz", text)
        self.assertIn(ADDRESS, text)

    # On a terminal

    def test_a_person_is_asked_at_most_five_times_and_the_password_is_not_shown(self):
        words = [word for word in self.words() if word not in ("--password-command", "cat password", ADDRESS)]
        # A wrong one is not kept.
        _, text = self.typed(words, [ADDRESS, "", "wrong"])
        self.assertIn("refused the login", text)
        self.assertFalse((self.place.root / "newcomer.password").exists())
        (code, questions), text = self.typed(words, [ADDRESS, "", servers().password])
        self.assertEqual((code, questions), (0, 3), text)
        self.assertLessEqual(text.count("? ") + text.count("): ") + text.count("address: "), 5)
        self.assertNotIn(servers().password, text)
        self.assertIn("Nothing was changed", text)
        kept = self.place.root / "newcomer.password"
        self.assertEqual((kept.stat().st_mode & 0o777, kept.read_text()), (0o600, servers().password + "\n"))
        self.assertNotIn(servers().password, (self.place.root / "opus.yaml").read_text())

    def test_the_password_of_another_account_is_never_touched(self):
        file, kept = self.place.root / "opus.yaml", self.place.root / "newcomer.password"
        text = "config-version: 1\naccounts:\n  - name: old\n    address: old@acme.example\n    maildir: Old\n"
        file.write_text(text)
        kept.write_text("of another account\n")
        words = ["account", "add", ADDRESS, *[word for word in self.words()[2:] if word not in ("--password-command", "cat password")]]
        (code, questions), shown = self.typed(words + ["--name", "old"], ["", servers().password], self.QUESTIONS[1:])
        self.assertEqual((code, questions), (78, 0), shown)
        self.assertIn("two accounts 'old'", shown)
        for password, code in (("wrong", 77), (servers().password, 0)):
            (got, _), shown = self.typed(words, ["", password], self.QUESTIONS[1:])
            self.assertEqual(got, code, shown)
            self.assertIn("newcomer-2.password", shown)
            self.assertEqual(kept.read_text(), "of another account\n")
            self.assertEqual((self.place.root / "newcomer-2.password").exists(), code == 0)
        self.assertIn("newcomer-2.password", file.read_text())
        (got, questions), shown = self.typed(words, ["", servers().password], self.QUESTIONS[1:])
        self.assertEqual((got, questions), (73, 0), shown)

    def test_ctrl_c_after_a_question_ends_the_command(self):
        with Silent() as silent:
            words = ["init", "--imap", f"imap://localhost:{silent.port}", "--password-command", "cat password"]
            for _ in range(4):
                ours, process = start(self.place.command(*words), self.place.environment(TERM="dumb"), self.place.root)
                os.write(ours, ADDRESS.encode() + b"\n")
                silent.wait()
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(20), 130)
                os.close(ours)

    def test_an_interrupted_init_copies_the_starter_rules_later(self):
        self.check(self.place.opus(*self.words("--yes")))
        rules = sorted(path.name for path in (self.place.root / "rules").iterdir())
        shutil.rmtree(self.place.root / "rules")
        # What a copy that was interrupted has left.
        (self.place.root / "rules.unfinished").mkdir()
        (self.place.root / "rules.unfinished" / rules[0]).write_text("rules-")
        self.check(self.place.opus(*self.words("--yes")), 0, "continuing", "starter rule file")
        self.assertEqual(sorted(path.name for path in (self.place.root / "rules").iterdir()), rules)
        self.assertFalse((self.place.root / "rules.unfinished").exists())

    QUESTIONS = (b"Your mail address:", b"type the password):", b"mode 600):")

    def typed(self, words, answers, asked=QUESTIONS):
        """((exit code, questions), what the terminal showed)."""
        ours, process = start(self.place.command(*words), self.place.environment(TERM="dumb"), self.place.root)
        output, questions = b"", 0
        for piece in pieces(ours, process):
            output += piece
            while questions < len(asked) and asked[questions] in output:
                os.write(ours, answers[questions].encode() + b"\n")
                questions += 1
        os.close(ours)
        return (process.wait(30), questions), output.decode("utf-8", "replace")


class Accounts(Beginning):
    """opus account add and remove: one account more or less, and the rest of the file as it was."""

    FILE = """\
config-version: 1
# mine
accounts:
  # the first
  - name: old   # keep
    address: old@acme.example
    maildir: Old

# below
time-zone: Europe/Paris
"""

    def add(self, *more):
        return self.place.opus("account", "add", *self.words()[1:], *more)

    def test_an_account_is_added_and_removed_and_the_comments_stay(self):
        file = self.place.root / "opus.yaml"
        file.write_text(self.FILE)
        self.check(self.add("--yes"), 0, "Added newcomer")
        text = file.read_text()
        self.assertEqual([line for line in text.splitlines() if line in self.FILE.splitlines()], self.FILE.splitlines())
        listed = self.check(self.place.opus("account", "list", "--json")).json["items"]
        self.assertEqual([item["name"] for item in listed], ["old", "newcomer"])
        self.check(self.add("--yes"), 73, "already has an account")
        self.check(self.place.opus("sync", "--account", "newcomer"))
        self.check(self.place.opus("account", "remove", "newcomer"), 64, "--yes")
        self.check(self.place.opus("account", "remove", "nobody", "--yes"), 66, "no account")
        self.check(self.place.opus("account", "remove", "nobody"), 66, "no account")
        done = self.check(self.place.opus("account", "remove", "newcomer", "--yes", "--json")).json
        self.assertEqual((done["schema"], done["change"]), ("opus.account-edit/1", "removed"))
        self.assertEqual(file.read_text(), self.FILE)
        self.assertEqual(len(self.box.held("INBOX")), 4)

    def test_an_account_with_mail_to_send_is_not_removed(self):
        file = self.place.root / "opus.yaml"
        file.write_text(self.FILE)
        self.check(self.add("--yes"))
        home = "--account", "newcomer"
        self.check(self.place.opus("sync", *home))
        item, *_ = self.place.opus("list", *home, "--json").json["items"]
        self.check(self.place.opus("defer", item["id"], "tomorrow"))
        draft = self.check(self.place.opus(*home, "compose", "--to", "x@far.example", "--body", "/dev/null")).out.strip()
        self.check(self.place.opus("send", draft, "--yes", "--detach"))
        before = file.read_text()
        for words in ((), ("--yes",)):
            self.check(self.place.opus("account", "remove", "newcomer", *words), 75,
                       "the outbox has 1 mail of account newcomer", f"opus outbox discard {draft}")
        self.assertEqual(file.read_text(), before)
        self.check(self.place.opus("outbox", "discard", draft))
        self.check(self.place.opus("drafts", "discard", draft, "--yes"))
        self.check(self.place.opus("account", "remove", "newcomer", "--yes"), 0,
                   "1 deferred message of newcomer", "does not bring deferred mail back", "Removed newcomer")

    def test_rules_that_name_a_removed_account_are_reported(self):
        (self.place.root / "opus.yaml").write_text(self.FILE)
        self.check(self.add("--yes"))
        self.place.write_rules("rules-version: 1\naccounts: [newcomer]\nrules:\n  - { id: a, when: 'subject:x', then: [archive] }\n")
        self.check(self.place.opus("account", "remove", "newcomer", "--yes"), 0,
                   "10-test.yaml:2 names the account newcomer", "applies no rules until you change", "Removed newcomer")

    def test_an_account_with_drafts_that_are_only_here_is_not_removed(self):
        (self.place.root / "opus.yaml").write_text(self.FILE)
        self.check(self.add("--yes"))
        settings = (self.place.root / "opus.yaml").read_text()
        self.assertIn(f"port: {servers().imaps_port}", settings)
        (self.place.root / "opus.yaml").write_text(settings.replace(f"port: {servers().imaps_port}", "port: 1"))
        draft = self.place.opus("--account", "newcomer", "compose", "--to", "x@far.example", "--body", "/dev/null").out.strip()
        self.check(self.place.opus("account", "remove", "newcomer", "--yes"), 75,
                   "1 draft of account newcomer is only here", f"opus drafts show {draft}")
        self.check(self.place.opus("drafts", "show", draft))
        (self.place.root / "opus.yaml").write_text(settings)
        (self.place.root / "rules").mkdir()
        self.check(self.place.opus("--account", "newcomer", "run", "--yes", now="2026-03-10T09:30:00+01:00"))
        self.check(self.place.opus("account", "remove", "newcomer", "--yes"), 0, "Removed newcomer")

    def test_the_only_account_leaves_an_empty_list_and_can_be_added_again(self):
        self.check(self.place.opus(*self.words("--yes")))
        self.check(self.place.opus("account", "remove", "newcomer", "--yes"))
        self.assertIn("accounts: []", (self.place.root / "opus.yaml").read_text())
        self.check(self.add("--yes"))
        self.check(self.place.opus("sync"))

    def test_a_file_in_another_form_is_not_edited(self):
        file = self.place.root / "opus.yaml"
        text = "config-version: 1\naccounts: [{ name: old, address: old@acme.example, maildir: Old }]\n"
        file.write_text(text)
        self.check(self.add("--yes"), 78, "was not changed")
        self.check(self.place.opus("account", "remove", "old", "--yes"), 78, "was not changed")
        self.check(self.place.opus("account", "remove", "old"), 78, "was not changed")
        self.assertEqual(file.read_text(), text)
        file.unlink()
        self.check(self.place.opus("account", "remove", "old"), 78, "opus.yaml not found")


if __name__ == "__main__":
    unittest.main()
