"""What is typed: global options before any command, and arguments that cannot be read."""
import json
import unittest

from letters import letter
from workplace import Case


class Typed(Case):
    kind = "maildir"

    def test_global_options_may_be_before_help(self):
        place = self.new_place(self.new_box())
        for words in (["help"], ["help", "rules"], ["help", "query"], ["help", "triage"], ["help", "rules", "list"]):
            plain = self.check(place.opus(*words))
            for options in (["--json"], ["--account", "x", "-q"], ["--color=never"]):
                done = self.check(place.opus(*options, *words))
                self.assertEqual((done.out, done.err), (plain.out, plain.err), [options, words])

    def test_a_missing_workspace_is_the_error_even_without_yes_and_a_terminal(self):
        place = self.new_place(self.new_box())
        (place.root / "opus.yaml").unlink()
        for words in (["run"], ["triage"], ["drafts", "discard", "x"], ["undo"]):
            there, missing = self.check(place.opus(*words, "--yes", "--json"), 78), self.check(place.opus(*words, "--json"), 78)
            self.assertEqual(missing.error["code"], there.error["code"], words)
            self.assertNotIn("--yes", missing.err)

    def test_a_query_may_begin_with_a_minus(self):
        box = self.new_box()
        box.add("INBOX", [letter("Plan", "plan"), letter("News", "news", sender="Zoe <zoe@news.example>")])
        place = self.new_place(box, "rules-version: 1\nrules:\n  - { id: all, when: '*', then: flag }\n")
        self.check(place.opus("sync"))

        def found(*words):
            return [item["subject"] for item in self.check(place.opus(*words, "--json")).json["items"]]

        self.assertEqual(found("list", "-from:zoe"), ["Plan"])
        self.assertEqual(found("search", "subject:*", "-from:@news.example"), ["Plan"])
        self.assertEqual(found("threads", "-from:zoe"), ["Plan"])
        self.assertEqual(found("list", "-(from:bob is:unread)"), ["News"])
        plan = self.check(place.opus("triage", "--dry-run", "--json", "-from:bob")).json["plan"]
        self.assertEqual([item["subject"] for item in plan["items"]], ["News"])
        self.check(place.opus("run", "--yes", "--query", "-from:bob"))
        self.assertEqual(box.find("INBOX", "plan@test.example").flags, frozenset())
        self.assertEqual(box.find("INBOX", "news@test.example").flags, {"\\Flagged"})

    def test_unreadable_arguments_are_an_error_object_with_json_and_text_without(self):
        place = self.new_place(self.new_box())
        for words, message, command in (
                (["list", "--frob"], "unknown option '--frob'", "opus list --help"),
                (["rules", "diff"], "missing expected argument '<old>'", "opus rules diff --help"),
                (["run", "--max", "x"], "the value 'x' is invalid for '--max <number>'", "opus run --help"),
                (["run", "--max", "0"], "--max takes a number of at least 1, or none", "opus run --help"),
                (["triage", "--color", "red"], "the value 'red' is invalid for '--color <when>'", "opus triage --help")):
            plain = self.check(place.opus(*words), 64)
            self.assertRegex(plain.err, "^(Error|opus):", words)
            for typed in (["--json", *words], [*words, "--json"]):
                done = self.check(place.opus(*typed), 64)
                self.assertEqual(done.out, "")
                error = json.loads(done.err)
                self.assertEqual((error["schema"], error["code"], error["exit"]), ("opus.error/1", "usage", 64), error)
                self.assertIn(message, error["message"].lower())
                self.assertNotIn("\n", error["message"])
                self.assertTrue(any(line.startswith("Usage: opus") for line in error["details"]), error)
                self.assertEqual(error["next"], [command])
        # Behind -- it is a word to look for.
        self.assertRegex(self.check(place.opus("list", "--frob", "--", "--json"), 64).err, "^Error:")
        self.assertEqual(self.check(place.opus("list", "--help", "--json")).out, self.check(place.opus("list", "--help")).out)


if __name__ == "__main__":
    unittest.main()
