"""`opus watch` when its files disappear, change at a bad moment or are wrong, and with programs that misbehave."""
import json
import os
import shutil
import signal
import time
import unittest
from pathlib import Path

from letters import letter
from watcher import PATIENCE, Watching, kind
from wiretap import Wiretap
from workplace import Case

RULES = "rules-version: 1\nrules:\n  - { id: news, auto: true, when: 'subject:news', then: archive }\n"
NONE = "rules-version: 1\nrules: []\n"
CALLS = "rules-version: 1\nrules:\n  - { id: call, when: 'subject:call', then: [{ notify: '{{subject}}' }] }\n"


class Trouble(Case):
    kind = "imap"

    def watched(self, *, settings="", extra="", rules=RULES):
        self.box = self.new_box()
        self.box.add("INBOX", letter("First"))
        self.wire = self.enterContext(Wiretap(self.box.servers.imap_port))
        self.place = self.new_place(self.box, rules=rules)
        self.account = self.box.yaml(port=self.wire.port, security="none", host="127.0.0.1", extra=extra)
        self.place.configure(self.account, settings)
        return self.place

    @property
    def settings(self):
        return self.place.root / "opus.yaml"

    def comes_to(self, name, mailbox, box=None, patience=PATIENCE):
        end = time.monotonic() + patience
        while (box or self.box).where(f"{name}@test.example") != [mailbox]:
            self.assertLess(time.monotonic(), end, f"{name} is not in {mailbox}")
            time.sleep(0.05)

    def appears(self, name):
        """The text of a file in the workspace, as soon as it is there."""
        file, end = self.place.root / name, time.monotonic() + PATIENCE
        while not (file.exists() and file.read_text()):
            self.assertLess(time.monotonic(), end, f"{name} is missing")
            time.sleep(0.05)
        return file.read_text()

    # The settings

    def test_settings_without_an_account_leave_the_ones_before_in_force(self):
        self.watched()
        good = self.settings.read_text()
        with Watching(self.place) as watching:
            _, number = watching.until(kind("listening"))
            self.settings.write_text(good.partition("accounts:")[0] + "accounts: []\n")
            event, number = watching.until(kind("broken-settings"), number)
            self.assertIn("no account", event["details"][0])
            self.box.add("INBOX", letter("News 1", "news"))
            self.comes_to("news", "Archive")
            self.settings.write_text(good)

    def test_the_watched_account_that_leaves_the_settings_is_watched_further(self):
        self.watched()
        with Watching(self.place, "--account", "work") as watching:
            _, number = watching.until(kind("listening"))
            self.settings.write_text(self.settings.read_text().replace("name: work", "name: home"))
            event, number = watching.until(kind("broken-settings"), number)
            self.assertIn('no account "work"', event["details"][0])
            self.box.add("INBOX", letter("News 1", "news"))
            self.comes_to("news", "Archive")

    def test_settings_that_break_while_a_valid_change_is_loaded_do_not_end_the_watch(self):
        """The server is silent in the middle of a round, so the session ends slowly."""
        self.watched()
        good = self.settings.read_text()
        with Watching(self.place) as watching:
            _, number = watching.until(kind("listening"))
            self.wire.refuse("UID FETCH|EXAMINE|SELECT", "")
            self.box.add("INBOX", letter("News 1", "news"))
            time.sleep(1.5)
            self.settings.write_text(good + "    signature: Ana\n")
            time.sleep(1)
            self.settings.write_text(good.replace("accounts:", "acounts:"))
            watching.until(kind("broken-settings"), number)
            self.wire.open()
            self.wire.cut()
            watching.until(kind("new-settings"), number, 45)
            self.comes_to("news", "Archive")
            self.assertIsNone(watching.process.poll())

    def test_broken_settings_are_in_the_state_of_the_watch(self):
        self.watched()
        good = self.settings.read_text()
        record = self.place.root / ".opus" / "watch.json"
        with Watching(self.place) as watching:
            _, number = watching.until(kind("listening"))
            self.settings.write_text(good.replace("accounts:", "acounts:"))
            watching.until(kind("broken-settings"), number)
            for text, setbacks in (("the earlier settings stay in force", 1), (None, 0)):
                end = time.monotonic() + PATIENCE
                while len(json.loads(record.read_text())["setbacks"]) != setbacks:
                    self.assertLess(time.monotonic(), end, record.read_text())
                    time.sleep(0.05)
                if text:
                    self.assertIn(text, record.read_text())
                self.settings.write_text(good)

    def test_files_are_in_force_as_soon_as_only_the_user_can_write_them(self):
        self.watched()
        rules = next((self.place.root / "rules").glob("*.yaml"))
        with Watching(self.place) as watching:
            _, number = watching.until(kind("listening"))
            for file, text, broken, good in (
                    (self.settings, self.settings.read_text() + "command-mailboxes: Opus\n", "broken-settings", "new-settings"),
                    (rules, rules.read_text() + "# edited\n", "broken-rules", "new-rules")):
                file.chmod(0o666)
                file.write_text(text)
                _, number = watching.until(kind(broken), number)
                file.chmod(0o644)
                _, number = watching.until(kind(good), number)
                if file == self.settings:
                    _, number = watching.until(kind("listening"), number)

    def test_a_list_of_addresses_is_in_force_as_soon_as_it_changes(self):
        rules = ("rules-version: 1\nlists: { vip: { file: lists/vip.txt } }\nrules:\n"
                 "  - { id: news, auto: true, when: 'subject:news -from:@vip', then: archive }\n")
        self.watched(rules=NONE)
        (self.place.root / "lists").mkdir(exist_ok=True)
        (self.place.root / "lists" / "vip.txt").write_text("eve@x.example\n")
        self.place.write_rules(rules)
        self.check(self.place.opus("run", "--yes", now=None))
        with Watching(self.place) as watching:
            watching.until(kind("listening"))
            self.check(self.place.opus("rules", "add-to", "vip", "bob@acme.example", now=None))
            watching.until(kind("new-rules"))
            self.box.add("INBOX", letter("News 1", "kept"))
            self.box.add("INBOX", letter("News 2", "away", sender="Kim <kim@y.example>"))
            self.comes_to("away", "Archive")
            self.comes_to("kept", "INBOX")

    # The store

    def test_a_store_that_was_deleted_is_made_again_and_the_other_commands_use_the_same(self):
        self.watched()
        with Watching(self.place) as watching:
            _, number = watching.until(kind("listening"))
            shutil.rmtree(self.place.root / ".opus")
            self.check(self.place.opus("runs", now=None))
            self.box.add("INBOX", letter("News 1", "news"))
            event, number = watching.until(kind("lost"), number)
            self.assertIn("the store was deleted or replaced", event["message"])
            self.comes_to("news", "Archive")
            watching.until(kind("applied"), number)
            self.check(self.place.opus("status", now=None), 0, "watch: running", "work: listening")
            self.check(self.place.opus("watch", now=None), 75, "another opus watch runs")
            self.check(self.place.opus("undo", "--yes", now=None))
            self.assertPlaces(self.box, {"news": "INBOX"})

    def test_a_store_that_is_deleted_while_the_settings_are_broken_is_made_again_with_the_last_good_ones(self):
        self.watched()
        good = self.settings.read_text()
        record = self.place.root / ".opus" / "watch.json"
        with Watching(self.place) as watching:
            _, number = watching.until(kind("listening"))
            self.settings.write_text(good.replace("accounts:", "acounts:"))
            _, number = watching.until(kind("broken-settings"), number)
            shutil.rmtree(self.place.root / ".opus")
            self.box.add("INBOX", letter("News 1", "news"))
            self.comes_to("news", "Archive")
            watching.until(kind("listening"), number)
            end = time.monotonic() + PATIENCE
            while not (record.exists() and json.loads(record.read_text())["setbacks"]):
                self.assertLess(time.monotonic(), end, "the state still says that the settings are broken")
                time.sleep(0.05)
            self.assertEqual(len(watching.all("broken-settings")), 1, "once")

    def test_a_store_whose_folder_is_gone_is_made_again(self):
        self.watched()
        with Watching(self.place) as watching:
            _, number = watching.until(kind("listening"))
            shutil.rmtree(self.place.root / ".opus")
            self.box.add("INBOX", letter("News 1", "news"))
            watching.until(kind("lost"), number)
            self.comes_to("news", "Archive")
            self.assertEqual(len(self.check(self.place.opus("runs", "--json", now=None)).json["items"]), 1)

    def test_a_workspace_that_is_gone_is_not_made_again_and_continues_when_it_is_back(self):
        self.watched()
        away = self.place.root.with_name("away")
        with Watching(self.place) as watching:
            # What it prints lies in the workspace, and goes with it.
            _, number = watching.until(kind("listening"))
            self.place.root.rename(away)
            self.box.add("INBOX", letter("News 1", "news"))
            time.sleep(3)
            self.assertFalse(self.place.root.exists())
            self.assertPlaces(self.box, {"news": "INBOX"})
            away.rename(self.place.root)
            self.comes_to("news", "Archive", patience=30)
            self.assertIsNone(watching.process.poll())

    def test_a_maildir_that_is_gone_for_a_while_ends_nothing(self):
        self.box = self.new_box("maildir")
        self.box.add("INBOX", letter("First"))
        self.place = self.new_place(self.box, rules=RULES)
        folder = self.box.folder
        away = folder.with_name("away")
        with Watching(self.place) as watching:
            _, number = watching.until(kind("listening"))
            folder.rename(away)
            watching.until(kind("lost"), number)
            folder.mkdir()       # the mount point
            time.sleep(6)
            folder.rmdir()
            away.rename(folder)
            self.box.add("INBOX", letter("News 1", "news"))
            self.comes_to("news", "Archive", patience=40)
            self.assertEqual([event["sync"]["removed"] for event in watching.all("synced")
                              if event["sync"]["removed"] > 1], [])

    # What it decides

    def test_a_change_by_hand_does_not_let_rules_that_never_ran_change_many_messages(self):
        self.watched()
        self.box.add("INBOX", [letter(f"Mail {number}", f"mail{number}") for number in range(70)]
                     + [letter(f"News {number}", f"news{number}") for number in range(60)])
        with Watching(self.place) as watching:
            event, number = watching.until(kind("held"))
            self.assertIn("no rules have run on this mail yet", event["message"])
            item, = self.place.opus("list", "subject:first", "--json", now=None).json["items"]
            self.check(self.place.opus("archive", item["id"], now=None))
            watching.signal(signal.SIGHUP)
            watching.until(kind("synced"), number)
            time.sleep(3)
            self.assertEqual(len(self.box.held("Archive")), 1)
            self.check(self.place.opus("run", "--yes", "--max", "none", now=None))
            self.box.add("INBOX", letter("News 99", "news99"))
            self.comes_to("news99", "Archive")

    # Deferred mail

    def test_an_earlier_date_for_deferred_mail_counts_at_once(self):
        """Without NOTIFY the watch does not hear of a change in the Deferred mailbox."""
        self.watched(extra="    sync: { notify: false }\n")
        self.check(self.place.opus("sync", now=None))
        item, = self.place.opus("list", "--json", now=None).json["items"]
        with Watching(self.place) as watching:
            watching.until(kind("listening"))
            self.check(self.place.opus("defer", item["id"], "+3 days", now=None))
            self.comes_to("first", "Deferred")
            time.sleep(3)
            when = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() + 5))
            item, = self.place.opus("list", "in:deferred", "--json", now=None).json["items"]
            self.check(self.place.opus("defer", item["id"], when, now=None))
            self.comes_to("first", "INBOX")

    def test_a_late_answer_is_reported_at_its_time(self):
        self.watched(settings="watch: { hook: [sh, -c, 'cat >> told'] }\n")
        self.box.add("Sent", letter("Question", "question", sender="Ana Ruiz <ana@acme.example>", to="bob@acme.example"))
        self.check(self.place.opus("sync", now=None))
        item, = self.place.opus("list", "in:sent", "--json", now=None).json["items"]
        with Watching(self.place) as watching:
            _, number = watching.until(kind("listening"))
            when = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() + 5))
            self.check(self.place.opus("wait", item["id"], "--until", when, now=None))
            event, _ = watching.until(kind("followed"), number)
            self.assertIn("is overdue", event["tasks"][0])
            self.assertEqual(json.loads(self.appears("told"))["event"], "overdue")

    # Beside other commands

    def test_a_sync_beside_a_stopped_watch_is_done_by_the_command(self):
        self.watched()
        with Watching(self.place) as watching:
            watching.until(kind("listening"))
            time.sleep(0.5)
            watching.signal(signal.SIGSTOP)
            self.box.add("INBOX", letter("Second"))
            done = self.check(self.place.opus("sync", now=None, timeout=30))
            self.assertIn("INBOX", done.out)
            watching.signal(signal.SIGCONT)

    # Metrics

    def test_metrics_that_cannot_be_written_are_reported_at_the_start(self):
        self.watched()
        file = self.place.root / "missing" / "opus.prom"
        self.check(self.place.opus("watch", "--metrics", file, now=None), 73,
                   "the metrics cannot be written: No such file or directory")

    def test_metrics_that_cannot_be_written_later_are_reported_once(self):
        self.watched()
        folder = self.place.root / "figures"
        folder.mkdir()
        with Watching(self.place, "--metrics", str(folder / "opus.prom")) as watching:
            _, number = watching.until(kind("listening"))
            shutil.rmtree(folder)
            self.box.add("INBOX", letter("News 1", "news"))
            self.comes_to("news", "Archive")
            time.sleep(1)
            self.assertEqual(watching.text.count("the metrics cannot be written"), 1)

    def test_a_file_of_metrics_is_complete_at_the_end(self):
        self.watched()
        file = self.place.root / "opus.prom"
        with Watching(self.place, "--once", "--metrics", str(file)) as watching:
            watching.until(kind("listening"))
            self.box.add("INBOX", letter("News 1", "news"))
            self.assertEqual(watching.process.wait(PATIENCE), 0)
        self.assertIn('opus_watch_steps_total{account="work"} 1\n', file.read_text())
        self.assertIn('opus_watch_syncs_total{account="work"} 2\n', file.read_text())

    # The program that gets the events

    def test_the_hook_runs_beside_the_settings_wherever_the_watch_was_started(self):
        self.watched(rules=CALLS, settings="watch: { hook: [./tools/tell, ~/x] }\n")
        (self.place.root / "tools").mkdir()
        tool = self.place.root / "tools" / "tell"
        tool.write_text('#!/bin/sh\ncat > told\necho "$PWD $1" > where\n')
        tool.chmod(0o755)
        with Watching(self.place, prefix=("env", "--chdir=/")) as watching:
            watching.until(kind("listening"))
            self.box.add("INBOX", letter("Call Bob", "call"))
            self.assertEqual(self.appears("where").split(), [str(self.place.root), str(self.place.root / "home" / "x")])
            self.assertEqual(json.loads(self.appears("told"))["event"], "notify")

    def test_a_rule_that_is_applied_at_once_notifies_once(self):
        rules = ("rules-version: 1\nrules:\n"
                 "  - { id: call, auto: true, when: 'subject:call', then: [{ notify: '{{subject}}' }, archive] }\n"
                 "  - { id: ring, auto: true, when: 'subject:ring', then: [{ notify: '{{subject}}' }] }\n")
        self.watched(rules=rules, settings="watch: { hook: [sh, -c, 'cat >> told'], text: true }\n")
        with Watching(self.place) as watching:
            watching.until(kind("listening"))
            for name in ("call", "ring"):
                self.box.add("INBOX", letter(f"{name.title()} Bob", name))
                end = time.monotonic() + PATIENCE
                while f"{name.title()} Bob" not in self.appears("told"):
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.05)
            time.sleep(2)
        told = [json.loads(line) for line in self.appears("told").splitlines()]
        self.assertEqual([event["text"][0].partition("  ")[0] for event in told], ["Call Bob", "Ring Bob"])

    def test_the_hook_gets_whole_json_however_much_there_is_to_tell(self):
        self.watched(rules=CALLS, settings="watch: { hook: [sh, -c, 'cat > part; mv part told'], text: true }\n")
        with Watching(self.place) as watching:
            watching.until(kind("listening"))
            self.box.add("INBOX", [letter(f"Call {number} " + "\u4e16" * 180, f"call{number}") for number in range(150)])
            event = json.loads(self.appears("told"))
        self.assertGreaterEqual(event["count"], len(event["text"]))
        self.assertLessEqual(len(event["text"]), 40)

    def test_a_hook_that_hangs_ends_with_the_watch_and_its_children_too(self):
        self.watched(rules=CALLS, settings="watch: { hook: [sh, -c, 'echo $$ > pid; sleep 300; :'] }\n")
        with Watching(self.place) as watching:
            watching.until(kind("listening"))
            self.box.add("INBOX", letter("Call Bob", "call"))
            group = int(self.appears("pid"))
            watching.signal(signal.SIGTERM)
            self.assertEqual(watching.process.wait(8), 0)
        end = time.monotonic() + PATIENCE
        while members(group):
            self.assertLess(time.monotonic(), end, members(group))
            time.sleep(0.1)


def members(group):
    """The processes of a group that still run."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(int(entry))
    return found


if __name__ == "__main__":
    unittest.main()
