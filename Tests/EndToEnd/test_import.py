"""`opus rules import`: a file written once, errors with their place, and rules that triage with."""
from letters import letter
from workplace import Case

SCRIPT = 'require "fileinto";\n# rule:[Sale]\nif header :contains "subject" "sale" { fileinto "Offers"; }\nvacation "away";\nredirect "a@x.example";\n'


class Importing(Case):
    kind = "maildir"

    def test_imported_rules_are_written_once_have_no_errors_and_work(self):
        box = self.new_box()
        place = self.new_place(box, "rules-version: 1\n")
        script = place.root / "old.sieve"
        script.write_text(SCRIPT)
        out = place.root / "rules" / "90-old.yaml"
        done = self.check(place.opus("rules", "import", str(script), "--out", str(out)))
        self.assertIn("4: changed: vacation", done.err)
        self.assertIn("5: not translated: redirect", done.err)
        self.assertIn("2 rules, 2 tests; 1 piece not translated, 1 changed", done.err)
        self.assertEqual(done.out, "")
        written = out.read_text()
        self.check(place.opus("rules", "check"))
        self.check(place.opus("rules", "test"))
        again = place.opus("rules", "import", str(script), "--out", str(out), "--json")
        self.assertEqual((again.code, again.error["code"]), (73, "cannot-write"))
        self.assertEqual(out.read_text(), written)
        printed = self.check(place.opus("rules", "import", str(script)))
        self.assertEqual(printed.out, written)
        beside = place.root / "rules" / "95-more.yaml"
        self.check(place.opus("rules", "import", str(script), "--out", str(beside)))
        self.assertIn("- id: sale-2\n", beside.read_text())
        self.check(place.opus("rules", "check"))
        beside.unlink()
        box.add("INBOX", letter("Big sale"))
        box.add("Offers", letter("An older offer"))
        self.check(place.opus("sync"))
        items = self.check(place.opus("triage", "--dry-run", "--json")).json["plan"]["items"]
        self.assertEqual([(i["subject"], [d["rule"] for d in i["decisions"]]) for i in items], [("Big sale", ["sale"])])

    def test_errors_have_their_place(self):
        place = self.new_place(self.new_box(), "rules-version: 1\n")
        script = place.root / "x.sieve"
        script.write_text("if true {\n  keep;\n")
        broken = place.opus("rules", "import", str(script), "--json")
        self.assertEqual((broken.code, broken.error["code"]), (65, "bad-filters"))
        self.assertTrue(broken.error["place"].endswith("x.sieve:1:9"), broken)
        other = place.root / "x.txt"
        other.write_text("hello")
        unknown = place.opus("rules", "import", str(other), "--json")
        self.assertEqual((unknown.code, unknown.error["code"]), (65, "unknown-filters"))
        forced = place.opus("rules", "import", str(other), "--format", "thunderbird", "--json")
        self.assertEqual((forced.code, forced.error["code"]), (65, "bad-filters"))
        missing = place.opus("rules", "import", str(place.root / "none.sieve"), "--json")
        self.assertNotEqual(missing.code, 0)
