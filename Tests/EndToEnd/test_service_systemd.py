"""The units of `opus service` under a real `systemd --user`: they start, decide, are started again, and do not repeat a refused login."""
import functools
import json
import os
import re
import signal
import time
import unittest

import user_manager
from letters import letter
from wiretap import Wiretap
from workplace import OPUS, Case

RULES = ("rules-version: 1\nrules:\n"
         "  - { id: news, auto: true, when: 'subject:news', then: archive }\n"
         "  - { id: bills, when: 'subject:bill', then: archive }\n")
PATIENCE = 40


@functools.cache
def missing():
    return user_manager.missing()


class RealManager(Case):
    kind = "imap"

    @classmethod
    def setUpClass(cls):
        if reason := missing():
            raise unittest.SkipTest(reason)

    def setUp(self):
        super().setUp()
        self.box = self.new_box()
        self.box.add("INBOX", letter("First"))
        self.wire = self.enterContext(Wiretap(self.box.servers.imap_port))
        self.place = self.new_place(self.box, rules=RULES)
        self.place.configure(self.box.yaml(port=self.wire.port, security="none", host="127.0.0.1"))
        self.home = self.place.root / "home"
        self.home.mkdir()
        self.manager = self.enterContext(user_manager.UserManager(self.home))
        self.units = self.home / ".config/systemd/user"

    def opus(self, *words, code=0):
        done = self.manager.run(OPUS, "--workspace", self.place.root, *words)
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        return done

    def install(self, *words, **quicker):
        """Installs the units; `quicker` are settings of the watch that need not take minutes in a test."""
        folder = self.units / "opus-watch.service.d"
        folder.mkdir(parents=True)
        (folder / "test.conf").write_text("[Service]\n" + "".join(f"{name}={value}\n" for name, value in quicker.items()))
        self.opus("service", "install", *words)

    def status(self, unit="opus-watch.service", code=0):
        document = json.loads(self.opus("service", "status", "--json", code=code).stdout)
        self.assertEqual(document["schema"], "opus.service/1")
        return next(item for item in document["units"] if item["name"] == unit)

    def waits(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                self.fail(f"{what}: {self.manager.run('systemctl', '--user', '--no-pager', 'status').stdout}\n"
                          + self.manager.log.read_text()[-2000:])
            time.sleep(0.2)

    def listens(self):
        self.waits(lambda: self.status().get("says") == "work listening", "the watch listens")
        return self.status()

    def comes_to(self, name, mailbox):
        self.waits(lambda: self.box.where(f"{name}@test.example") == [mailbox], f"{name} is in {mailbox}")

    def test_the_watch_runs_decides_reloads_stops_and_is_removed(self):
        self.install("--briefing", "06:30", "--run", "08:00")
        unit = self.listens()
        self.assertEqual((unit["state"], unit["substate"], unit["starts"], unit["restarts"]),
                         ("active", "running", "enabled", 0))
        self.assertEqual(unit["file"], str(self.units / "opus-watch.service"))
        self.box.add("INBOX", [letter("News 1", "news"), letter("Bill 1", "bill")])
        self.comes_to("news", "Archive")
        self.assertEqual(self.box.where("bill@test.example"), ["INBOX"])
        # It may write into the workspace, and nowhere else.
        root = self.manager.run("systemctl", "--user", "show", "--property=ProtectSystem,NoNewPrivileges,ReadWritePaths",
                                "opus-watch.service").stdout
        self.assertIn("ProtectSystem=strict", root)
        self.assertIn("NoNewPrivileges=yes", root)
        self.assertIn(str(self.place.root), root)
        mounts = self.manager.run("nsenter", "--target", unit["process"], "--mount", "sh", "-c",
                                  f"touch /opus-test 2>&1; touch '{self.place.root}/touched' && echo may")
        self.assertIn("Read-only file system", mounts.stdout + mounts.stderr)
        self.assertIn("may", mounts.stdout)
        # Another command talks to it.
        self.assertIn("listening", self.opus("status").stdout)
        said = len(self.wire.commands)
        self.assertEqual(self.manager.run("systemctl", "--user", "reload", "opus-watch.service").returncode, 0)
        self.waits(lambda: len(self.wire.commands) > said, "SIGHUP syncs")
        timer = self.status("opus-briefing.timer")
        self.assertEqual((timer["state"], timer["substate"], timer["starts"]), ("active", "waiting", "enabled"))
        timers = self.manager.run("systemctl", "--user", "list-timers", "--all", "--no-pager").stdout
        self.assertRegex(timers, r"06:3[01]:\d\d")
        self.assertRegex(timers, r"08:0[01]:\d\d")
        # What the timers start.
        self.assertEqual(self.manager.run("systemctl", "--user", "start", "opus-run.service").returncode, 0)
        self.comes_to("bill", "Archive")
        for _ in range(2):
            self.assertEqual(self.manager.run("systemctl", "--user", "start", "opus-briefing.service").returncode, 0)
        self.assertEqual(len([held for held in self.box.held("INBOX") if "riefing" in held.subject]), 1,
                         self.box.subjects("INBOX"))
        start = time.monotonic()
        self.assertEqual(self.manager.run("systemctl", "--user", "stop", "opus-watch.service").returncode, 0)
        self.assertLess(time.monotonic() - start, 6)
        unit = self.status()
        self.assertEqual((unit["state"], unit["result"], unit["exitCode"]), ("inactive", "success", 0))
        removed = json.loads(self.opus("service", "remove", "--json").stdout)["removed"]
        self.assertEqual(len(removed), 5)
        self.assertEqual([name for name in os.listdir(self.units) if name.endswith((".service", ".timer"))], [])
        self.assertNotIn("file", self.status(code=66))

    def test_a_watch_that_dies_is_started_again_and_misses_nothing(self):
        self.install(RestartSec=1)
        process = self.listens()["process"]
        os.kill(process, signal.SIGKILL)
        self.box.add("INBOX", letter("News 1", "news"))
        self.comes_to("news", "Archive")
        unit = self.listens()
        self.assertNotEqual(unit["process"], process)
        self.assertEqual(unit["restarts"], 1)

    def test_a_watch_that_hangs_is_started_again(self):
        self.install(RestartSec=1, WatchdogSec=3, TimeoutAbortSec=2)
        process = self.listens()["process"]
        time.sleep(5)
        self.assertEqual(self.status()["process"], process, "a watch that works is left alone")
        os.kill(process, signal.SIGSTOP)
        self.box.add("INBOX", letter("News 1", "news"))
        # With a debug build, SIGABRT only prints the stacks; then systemd uses SIGKILL.
        self.waits(lambda: self.status().get("process", process) != process, "systemd starts it again")
        self.comes_to("news", "Archive")
        self.assertEqual(self.listens()["restarts"], 1)

    def test_a_refused_login_is_tried_once_and_the_watch_is_not_started_again(self):
        (self.place.root / "password").write_text("not-the-word\n")
        folder = self.units / "opus-watch.service.d"
        folder.mkdir(parents=True)
        (folder / "test.conf").write_text("[Service]\nRestartSec=1\n")
        self.manager.run(OPUS, "--workspace", self.place.root, "service", "install")
        self.waits(lambda: self.status().get("state") == "failed", "systemd gives up")
        time.sleep(5)
        unit = self.status()
        self.assertEqual((unit["state"], unit["result"], unit["exitCode"], unit["restarts"]), ("failed", "exit-code", 77, 0))
        logins = [line for line in self.wire.commands if re.match("LOGIN|AUTHENTICATE", line)]
        self.assertEqual(len(logins), 1, logins)
        # A person corrects the password and starts it.
        (self.place.root / "password").write_text(self.box.servers.password + "\n")
        self.assertEqual(self.manager.run("systemctl", "--user", "start", "opus-watch.service").returncode, 0)
        self.listens()

    def test_without_a_server_it_waits_by_itself(self):
        self.wire.refuse("^(LOGIN|AUTHENTICATE)", "NO [UNAVAILABLE] not now")
        self.install(RestartSec=1)
        self.waits(lambda: "idle" in self.status().get("says", ""), "it says why it waits")
        unit = self.status()
        self.assertEqual((unit["state"], unit["restarts"]), ("active", 0))
        self.wire.open()
        self.assertEqual(self.manager.run("systemctl", "--user", "reload", "opus-watch.service").returncode, 0)
        self.listens()


if __name__ == "__main__":
    unittest.main()
