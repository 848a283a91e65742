"""`opus service`: units that systemd accepts, and what happens where there is no systemd."""
import json
import os
import shutil
import subprocess
import unittest

from workplace import Case

FAKE = """#!/bin/sh
echo "$@" >> "$CALLS"
case "$*" in
*" show "*) printf '%s\n' "$FAKE_SHOW" ;;
*"--output json"*) printf '%s\n' "$FAKE_LOG" ;;
esac
exit ${FAKE_EXIT:-0}
"""


class Service(Case):
    kind = "maildir"

    def prepare(self, fails=False):
        """A home of its own, and a systemctl that only notes its calls."""
        self.place = self.new_place(self.new_box())
        tools = self.place.root / "tools"
        tools.mkdir()
        for name in ("systemctl", "journalctl"):
            (tools / name).write_text(FAKE)
            (tools / name).chmod(0o755)
        self.calls = self.place.root / "calls"
        self.units = self.place.root / "home/.config/systemd/user"
        self.environment = {"HOME": str(self.place.root / "home"), "CALLS": str(self.calls),
                            "XDG_CONFIG_HOME": "", "PATH": f"{tools}:{os.environ['PATH']}",
                            "FAKE_EXIT": "1" if fails else "0"}

    def service(self, *words, code=0, says=()):
        return self.check(self.place.opus("service", *words, now=None, environment=self.environment), code, *says)

    def test_the_units_are_written_started_and_removed(self):
        self.prepare()
        self.service("install", "--briefing", "06:30", says=["opus-watch.service"])
        names = ["opus-briefing.service", "opus-briefing.timer", "opus-run.service", "opus-run.timer",
                 "opus-watch.service"]
        self.assertEqual(sorted(os.listdir(self.units)), names)
        self.assertEqual(self.calls.read_text().splitlines(),
                         ["--user daemon-reload", "--user enable --now opus-watch.service opus-briefing.timer"])
        self.assertIn("06:30:00", (self.units / "opus-briefing.timer").read_text())
        self.service("install", "--run", "08:00")
        self.assertIn("opus-run.timer", self.calls.read_text())
        self.service("status")
        self.service("logs", "--lines", "5")
        self.assertIn("--unit opus-watch.service --lines 5", self.calls.read_text())
        (self.units / "opus-other.service").write_text("[Unit]\n")
        self.service("remove", says=["Removed"])
        self.assertEqual(os.listdir(self.units), ["opus-other.service"])
        self.service("remove", code=66)

    def test_with_json_each_command_prints_one_document(self):
        self.prepare()
        self.environment["FAKE_SHOW"] = (
            "Id=opus-watch.service\nLoadState=loaded\nActiveState=active\nSubState=running\nUnitFileState=enabled\n"
            "Result=success\nExecMainCode=0\nExecMainStatus=0\nStatusText=work listening = well\nMainPID=4711\nNRestarts=2\n"
            "StateChangeTimestamp=@1770000000\nNextElapseUSecRealtime=")
        document = self.service("install", "--json").json
        self.assertEqual((document["schema"], document["folder"]), ("opus.service/1", str(self.units)))
        self.assertEqual(document["started"], ["opus-watch.service", "opus-briefing.timer"])
        document = self.service("status", "--json").json
        self.assertEqual(document["units"][0], {
            "name": "opus-watch.service", "file": str(self.units / "opus-watch.service"), "state": "active",
            "substate": "running", "starts": "enabled", "result": "success", "says": "work listening = well",
            "process": 4711, "restarts": 2, "since": "2026-02-02T02:40:00Z"})
        self.environment["FAKE_LOG"] = (
            '{"__REALTIME_TIMESTAMP":"1770000000123456","PRIORITY":"4","MESSAGE":"one \\u001b[31m"}\n'
            '{"__REALTIME_TIMESTAMP":"1770000001000000","PRIORITY":"3","MESSAGE":[116,119,111,255]}\nno json\n{"PRIORITY":"6"}')
        lines = [json.loads(line) for line in self.service("logs", "--json").out.splitlines()]
        self.assertEqual([(line["schema"], line["level"], line["message"]) for line in lines],
                         [("opus.service-log/1", "warning", "one \x1b[31m"), ("opus.service-log/1", "error", "two\ufffd")])
        self.assertEqual(lines[0]["time"], "2026-02-02T02:40:00Z")
        document = self.service("remove", "--json").json
        self.assertEqual(len(document["removed"]), 5)
        self.assertEqual(self.service("status", "--json", code=66).json["units"][0]["name"], "opus-watch.service")
        self.assertEqual(json.loads(self.service("remove", "--json", code=66).err)["schema"], "opus.error/1")

    def test_without_systemd_the_document_has_the_lines_for_crontab(self):
        self.prepare()
        self.environment["PATH"] = str(self.place.root)
        lines = self.service("install", "--json").json["crontab"]
        self.assertEqual(len(lines), 2)
        self.assertTrue(lines[0].startswith("@reboot "), lines)

    def test_a_unit_that_opus_did_not_write_stays(self):
        self.prepare()
        self.units.mkdir(parents=True)
        (self.units / "opus-watch.service").write_text("[Unit]\nDescription=mine\n")
        self.service("install", code=73, says=["opus did not write this unit"])
        self.assertEqual(os.listdir(self.units), ["opus-watch.service"])
        self.service("install", "--name", "mail")
        self.assertIn("mail-watch.service", os.listdir(self.units))

    def test_a_manager_that_does_not_answer_is_reported_with_the_commands(self):
        self.prepare(fails=True)
        self.service("install", code=69, says=["systemctl --user enable --now opus-watch.service"])
        self.assertTrue((self.units / "opus-watch.service").exists())

    def test_without_systemd_there_are_lines_for_crontab(self):
        self.prepare()
        self.environment["PATH"] = str(self.place.root)
        done = self.service("install", says=["crontab -e"])
        self.assertRegex(done.out, r"(?m)^@reboot \S+ --workspace \S+ watch --quiet$")
        self.assertRegex(done.out, r"(?m)^0 7 \* \* \* .* briefing --mail$")
        self.service("status", code=69)

    def test_wrong_words_are_refused(self):
        self.prepare()
        self.service("install", "--briefing", "25:00", code=64)
        self.service("install", "--name", "a/b", code=64)
        self.assertFalse(self.units.exists())

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
    def test_systemd_finds_no_fault_in_the_units(self):
        self.prepare()
        self.service("install", "--run", "08:00")
        files = sorted(str(self.units / name) for name in os.listdir(self.units))
        runtime = self.place.root / "runtime"
        runtime.mkdir(mode=0o700)
        done = subprocess.run(["systemd-analyze", "verify", "--user", "--man=no", *files], text=True, timeout=60,
                              capture_output=True, env={**os.environ, "XDG_RUNTIME_DIR": str(runtime)})
        # Faults of the machine's own units are not ours.
        own = [line for line in done.stderr.splitlines() if "opus-" in line]
        self.assertEqual(own, [])
        broken = self.units / "opus-watch.service"
        broken.write_text(broken.read_text().replace("Restart=on-failure", "Restart=sometimes"))
        done = subprocess.run(["systemd-analyze", "verify", "--user", "--man=no", str(broken)], text=True, timeout=60,
                              capture_output=True, env={**os.environ, "XDG_RUNTIME_DIR": str(runtime)})
        self.assertIn("Failed to parse service restart", done.stderr, "systemd reads what we wrote")


if __name__ == "__main__":
    unittest.main()
