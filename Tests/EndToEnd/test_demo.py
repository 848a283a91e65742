"""The demonstration: no account, no network, the same bytes every time, and quick."""
import resource
import subprocess
import unittest
from pathlib import Path

from workplace import Case, Workplace, share


class Demo(Case):
    def demo(self, *words, **more):
        place = Workplace(self.folder / "w", "  []\n")
        (place.root / "opus.yaml").unlink()
        environment = place.environment(TMPDIR=str(self.folder), **more)
        done = subprocess.run([place.command("x")[0], "demo", *words], env=environment, cwd=place.root,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_the_demo_prints_the_same_bytes_twice(self):
        first, second = self.demo(), self.demo(TZ="America/New_York", LANG="de_DE.UTF-8", HOME="/nonexistent")
        self.assertEqual((first.stdout, first.stderr), (second.stdout, second.stderr))
        self.assertIn("Nothing to do.", first.stdout)
        self.assertIn("tasks/next/", first.stdout)
        self.assertNotIn(str(self.folder), first.stdout)

    def test_the_demo_leaves_no_files(self):
        self.demo()
        self.assertEqual([path.name for path in self.folder.iterdir()], ["w"])

    def test_the_demo_takes_less_processor_time_than_200_starts_of_the_program(self):
        """A ratio, because machines differ: 85 with a debug build."""
        place = Workplace(self.folder / "w", "  []\n")
        start = self.processor_seconds(lambda: [place.opus("--version") for _ in range(10)]) / 10
        self.assertLess(self.processor_seconds(self.demo), 200 * start)

    def processor_seconds(self, work):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        work()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def test_its_rules_are_its_own_also_where_the_shared_ones_are_links(self):
        self.demo("--keep")
        kept, = self.folder.glob("opus-demo-*")
        self.assertTrue((Path(share()) / "rules").is_symlink())
        self.assertFalse((kept / "rules").is_symlink())

    def test_the_kept_folder_is_a_working_workspace(self):
        out = self.demo("--keep").stdout
        kept, = self.folder.glob("opus-demo-*")
        self.assertIn(str(kept), out)
        place = Workplace(self.folder / "other", "  []\n")
        for words, word in ((["list"], "Sunday?"), (["task", "list"], "Pay INV-2041"),
                            (["search", "from:bob"], "Server move"), (["rules", "test"], "0 failed"),
                            (["runs"], "r:0001")):
            done = subprocess.run([place.command("x")[0], *words, "--workspace", kept], env=place.environment(),
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done)
            self.assertIn(word, done.stdout)


if __name__ == "__main__":
    unittest.main()
