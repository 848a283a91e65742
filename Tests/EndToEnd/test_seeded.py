"""Two of the seeded bugs (Tests/seeded.py): the suites notice. `make soak` plays all of them."""
import subprocess
import sys
import unittest
from pathlib import Path

from workplace import OPUS, REPOSITORY

BUNDLE = Path(OPUS).resolve().parent / "magnum-opusPackageTests.xctest"


class SeededBugs(unittest.TestCase):
    def test_two_of_them_are_caught(self):
        if not BUNDLE.exists():
            self.skipTest(f"no test bundle beside {OPUS}: swift build --build-tests")
        done = subprocess.run([sys.executable, REPOSITORY / "Tests" / "seeded.py", "noIssuedCommit",
                               "deleteBeforeCopyProven"], capture_output=True, text=True, timeout=590)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("caught by"), 2, done.stdout)


if __name__ == "__main__":
    unittest.main()
