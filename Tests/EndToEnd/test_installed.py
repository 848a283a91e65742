"""What is there after an installation: man pages of the files, and errors that name nothing of a checkout."""
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from workplace import OPUS, REPOSITORY, Case


class Installed(Case):
    kind = "maildir"

    def test_the_pages_of_settings_rules_and_dates_are_installed_and_can_be_read(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([REPOSITORY / ".ci" / "install", OPUS, folder], check=True, capture_output=True)
            man = Path(folder) / "share" / "man"
            for page, words in (("man5/opus-config.5", "password"), ("man5/opus-rules.5", "dispos"),
                                ("man7/opus-dates.7", "EOD"), ("man5/opus-json.5", "opus.error/1"),
                                ("man1/opus.1", "opus")):
                text = (man / page).read_text()
                self.assertIn(words, text)
                self.assertNotIn("](", text, f"{page} has a link of Markdown")
                if shutil.which("groff"):
                    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", man / page], capture_output=True,
                                          text=True)
                    self.assertEqual(done.stderr, "", page)

    def test_help_names_every_key_of_the_settings(self):
        place = self.new_place(self.new_box())
        page = self.check(place.opus("help", "config")).out
        text = (REPOSITORY / "docs" / "configuration.md").read_text()
        keys = re.findall(r"(?m)^\| `([a-z-]+)", text[text.index("## Keys"):text.index("## Passwords")])
        self.assertGreater(len(set(keys)), 20)
        for key in set(keys) - {"host", "port", "security", "ca-file"}:
            self.assertIn(key, page)
        for topic in ("config", "rules", "query", "dates"):
            self.assertNotIn("docs/", self.check(place.opus("help", topic)).out)

    def test_no_message_names_a_file_of_the_checkout(self):
        for path in sorted((REPOSITORY / "Sources").rglob("*.swift")):
            for line in path.read_text().splitlines():
                if not line.lstrip().startswith("//"):
                    self.assertNotRegex(line, r"docs/[a-z-]+\.md", path.name)
        place = self.new_place(self.new_box())
        (place.root / "opus.yaml").write_text("config-version: 1\n")
        self.check(place.opus("sync"), 78, "opus help config")


if __name__ == "__main__":
    unittest.main()
