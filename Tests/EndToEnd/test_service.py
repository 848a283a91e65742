"""`opus service`: units that systemd accepts, and what happens where there is no systemd."""
import os
import shutil
import subprocess
import unittest

from workplace import Case

FAKE = "#!/bin/sh\necho \"$@\" >> \"$CALLS\"\nexit ${FAKE_EXIT:-0}\n"


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
