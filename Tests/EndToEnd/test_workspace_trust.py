"""Only the user and root decide what opus does: settings and rules that others could have written are refused."""
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from letters import letter
from workplace import HEAD, OPUS, REPOSITORY, Case, Done

RULES = "rules-version: 1\nname: one\nrules: [{ id: away, when: 'subject:Away', then: archive }]\n"
#: Users without a name of their own on this machine.
ANA, MALLORY = 61001, 61002


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "only root can act as other users")
class Trust(Case):
    kind = "maildir"

    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)
        # The program and what it needs are where every user can read them.
        self.program = self.folder / "opus"
        shutil.copy(OPUS, self.program)
        self.traces = self.folder / "traces"
        self.traces.mkdir()
        self.traces.chmod(0o1777)
        self.home = self.folder / "home"
        self.home.mkdir()
        os.chown(self.home, ANA, ANA)

    def run_as(self, user, *words, cwd, **environment):
        done = subprocess.run(
            ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", str(self.program),
             "--now", "2026-03-10T08:30:00+01:00", *map(str, words)],
            cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
            env={"PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8", **environment})
        return Done(" ".join(map(str, words)), done.returncode, done.stdout, done.stderr, 0, None)

    def lay(self, folder, owner, rules=RULES):
        """A workspace of `owner` whose password command leaves a trace."""
        folder.mkdir(parents=True, exist_ok=True)
        trace = self.traces / "trace"
        (folder / "opus.yaml").write_text(
            f"{HEAD}accounts:\n  - name: work\n    address: ana@acme.example\n"
            "    imap: { host: 127.0.0.1, port: 9, security: none }\n"
            f"    login: {{ user: ana, password-command: [touch, {trace}] }}\n"
            f"  - {{ name: old, address: ana@example.org, maildir: {folder}/Maildir }}\n")
        if rules:
            (folder / "rules").mkdir(exist_ok=True)
            (folder / "rules" / "10-one.yaml").write_text(rules)
        self.give(folder, owner)
        return trace

    @staticmethod
    def give(folder, owner):
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, owner, owner, follow_symlinks=False)

    def refused(self, trace, done, *words):
        self.check(done, 78, *words)
        self.assertFalse(trace.exists(), "the password command of a foreign workspace ran")

    def test_a_file_that_another_user_left_in_a_folder_above_is_not_obeyed(self):
        shared = self.folder / "shared"
        trace = self.lay(shared, MALLORY)
        os.chown(shared, 0, 0)
        shared.chmod(0o1777)
        below = shared / "ana" / "project"
        below.mkdir(parents=True)
        self.give(shared / "ana", ANA)
        for words in (["sync"], ["list"], ["run", "--yes"], ["account", "check"], ["doctor", "--offline"], ["rules"]):
            with self.subTest(words):
                done = self.run_as(ANA, *words, cwd=below)
                self.assertFalse(trace.exists())
                self.assertNotEqual(done.code, 0, str(done))
                self.assertIn(f"{shared}", done.text)
        done = self.run_as(ANA, "sync", "--json", cwd=below)
        self.assertEqual((done.error["code"], done.error["exit"]), ("untrusted-workspace", 78), str(done))
        # Also when the file itself is her own: others can put rules beside it.
        self.give(shared, ANA)
        os.chown(shared, 0, 0)
        self.refused(trace, self.run_as(ANA, "sync", cwd=below), "can be changed by every user")

    def test_a_foreign_workspace_that_is_named_is_refused_with_owner_and_command(self):
        place = self.folder / "place"
        trace = self.lay(place, MALLORY)
        file = place / "opus.yaml"
        for words, environment in ((["--workspace", place], {}), (["--workspace", file], {}),
                                   ([], {"OPUS_WORKSPACE": str(place)})):
            with self.subTest(words):
                done = self.run_as(ANA, *words, "sync", cwd=self.home, **environment)
                self.refused(trace, done, f"belongs to user {MALLORY}")
                self.assertIn(f"next: sudo chown {ANA} ", done.err)
        # Root in the folder of another user, and through a link of root's.
        link = self.folder / "link"
        link.symlink_to(place)
        for words in (["--workspace", place], ["--workspace", link]):
            self.refused(trace, self.run_as(0, *words, "sync", cwd=self.home), "not to root", "next: chown root")
        # Root's files are trusted for all users, and a user's own files for that user.
        for owner in (0, ANA):
            self.lay(place, owner)
            done = self.run_as(ANA, "--workspace", place, "account", "list", cwd=self.home)
            self.check(done, 0, "work")

    def test_files_that_others_can_write_are_refused_with_the_command_that_fixes_it(self):
        place = self.folder / "place"
        trace = self.lay(place, ANA)
        file = place / "opus.yaml"
        for path, mode in ((file, 0o664), (file, 0o646), (place, 0o775), (place, 0o757)):
            with self.subTest(f"{path.name} {mode:o}"):
                before = path.stat().st_mode & 0o7777
                path.chmod(mode)
                done = self.run_as(ANA, "sync", cwd=place)
                self.refused(trace, done, f"chmod go-w {path}")
                subprocess.run(["chmod", "go-w", path], check=True)
                self.check(self.run_as(ANA, "account", "list", cwd=place))
                path.chmod(before)
        # A folder further up that others can rename what is in it.
        self.folder.chmod(0o777)
        self.refused(trace, self.run_as(ANA, "sync", cwd=place), str(self.folder), "every user")
        self.folder.chmod(0o1777)
        self.check(self.run_as(ANA, "account", "list", cwd=place))

    def test_rules_and_lists_of_others_decide_about_no_mail(self):
        place = self.folder / "place"
        self.lay(place, ANA, rules=RULES + "lists: { vips: { file: vips.txt } }\n")
        (place / "opus.yaml").write_text(
            f"{HEAD}accounts: [{{ name: old, address: ana@example.org, maildir: {place}/Maildir }}]\n")
        (place / "vips.txt").write_text("@acme.example\n")
        box = self.new_box()
        box.add("INBOX", letter("Away"))
        box.folder.rename(place / "Maildir")
        box.folder = place / "Maildir"
        self.give(place, ANA)
        rules, rule, vips = place / "rules", place / "rules" / "10-one.yaml", place / "vips.txt"
        for path, change in ((rule, lambda p: os.chown(p, MALLORY, MALLORY)), (rule, lambda p: p.chmod(0o664)),
                             (rules, lambda p: os.chown(p, MALLORY, MALLORY)), (rules, lambda p: p.chmod(0o1777)),
                             (vips, lambda p: p.chmod(0o666))):
            with self.subTest(str(path)):
                change(path)
                done = self.check(self.run_as(ANA, "run", "--yes", cwd=place), 65, str(path))
                self.assertRegex(done.text, r"sudo chown|chmod go-w|move your workspace")
                self.check(self.run_as(ANA, "rules", "check", cwd=place), 65, "R001")
                self.give(place, ANA)
                for each, mode in ((rule, 0o644), (rules, 0o755), (vips, 0o644)):
                    each.chmod(mode)
                self.assertPlaces(box, {"away": "INBOX"})
        self.check(self.run_as(ANA, "run", "--yes", cwd=place))
        self.assertPlaces(box, {"away": "Archive"})

    def test_the_walk_upwards_ends_at_the_home_folder_and_at_mount_points(self):
        trace = self.lay(self.folder / "top", 0)
        top = self.folder / "top"
        inside = top / "home" / "work"
        inside.mkdir(parents=True)
        self.check(self.run_as(0, "account", "list", cwd=inside), 0, "work")
        done = self.run_as(0, "sync", cwd=inside, HOME=str(top / "home"))
        self.check(done, 78, "no opus.yaml")
        # The home folder itself is searched too.
        self.check(self.run_as(0, "account", "list", cwd=inside, HOME=str(top)), 0, "work")
        self.assertFalse(trace.exists())
        script = ('mount --make-rprivate / && mount --bind "$1" "$1" && cd "$1" && exec "$2" account list')
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, "_", inside, self.program], capture_output=True,
                              text=True, env={"PATH": os.environ["PATH"], "HOME": str(self.home)})
        if "unshare" in done.stderr or "mount:" in done.stderr:
            self.skipTest("nothing can be mounted here")
        self.assertEqual(done.returncode, 78, done.stdout + done.stderr)
        self.assertIn("no opus.yaml", done.stderr)

    def test_a_wide_mask_of_the_shell_makes_nothing_that_is_refused_later(self):
        environment = {"OPUS_SHARE": os.environ.get("OPUS_SHARE") or self.share_for_all()}
        script = 'umask 0; exec "$0" demo --keep'
        done = subprocess.run(["setpriv", f"--reuid={ANA}", f"--regid={ANA}", "--clear-groups", "sh", "-c", script,
                               str(self.program)], capture_output=True, text=True, cwd=self.home, timeout=60,
                              env={"PATH": os.environ["PATH"], "HOME": str(self.home), "TMPDIR": str(self.home),
                                   "LANG": "C.UTF-8", **environment})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        kept, = self.home.glob("opus-demo-*")
        self.check(self.run_as(ANA, "--workspace", kept, "run", "--yes", cwd=self.home))
        wide = [path for path in kept.rglob("*") if path.lstat().st_mode & 0o022]
        self.assertEqual(wide, [])

    def share_for_all(self):
        share = self.folder / "share"
        shutil.copytree(REPOSITORY / "Sources" / "opus" / "DemoMail", share / "demo")
        shutil.copytree(REPOSITORY / "rules", share / "rules")
        for path in share.rglob("*"):
            path.chmod(0o777 if path.is_dir() else 0o666)
        return str(share)


if __name__ == "__main__":
    unittest.main()
