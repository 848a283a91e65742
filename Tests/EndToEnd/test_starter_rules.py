"""The starter rules beside other files: each can be left out, put in another order, and added to."""
import re
import shutil

from letters import letter
from workplace import REPOSITORY, Case, on_both

STARTER = REPOSITORY / "rules"
FILES = sorted(path.name for path in STARTER.glob("*.yaml"))
FILTERS = REPOSITORY / "Tests" / "Fixtures" / "filters"
RECIPES = re.findall(r"^## (\d+)\. [^\n]+\n.*?^```yaml\n(.*?)^```", (REPOSITORY / "docs" / "cookbook.md").read_text(),
                     re.MULTILINE | re.DOTALL)
OWN = """\
rules-version: 1
rules:
  - { id: from-bob, when: from:bob@acme.example, then: trash }
  - { id: every-bill, when: subject:invoice or is:bulk, then: archive }
tests:
  - { name: Bob is not read, mail: { from: bob@acme.example, subject: Can you do it by Friday }, expect: { rule: from-bob, task: none } }
  - { name: others are, mail: { from: eve@acme.example, subject: Lunch }, expect: { rule: none } }
"""


class StarterRules(Case):
    kind = "maildir"

    def setUp(self):
        super().setUp()
        self.place = self.new_place(self.new_box(), STARTER)
        self.rules = self.place.root / "rules"

    def assertAllPass(self, *, warns=None):
        done = self.check(self.place.opus("rules", "test"))
        self.assertRegex(done.out.splitlines()[-1], r"^\d+ passed, 0 failed$")
        if warns is not None:
            self.assertEqual("warning[R09" in done.err, warns, done)
        return done

    def test_the_set_has_no_finding(self):
        self.assertAllPass(warns=False)
        self.assertRegex(self.check(self.place.opus("rules", "check")).out, r"^11 files, \d+ rules, \d+ tests: no errors\n$")

    def test_each_file_can_be_left_out(self):
        for name in FILES:
            with self.subTest(name):
                (self.rules / name).rename(self.place.root / name)
                self.assertAllPass(warns=False)
                (self.place.root / name).rename(self.rules / name)

    def test_each_file_can_be_used_alone(self):
        for name in FILES:
            with self.subTest(name):
                self.place.write_rules((STARTER / name).read_text())
                self.assertAllPass(warns=False)

    def test_the_files_can_be_put_in_another_order(self):
        for shift in (0, 4):
            self.place.write_rules({
                f"{10 + (number + shift) % len(FILES)}-{name[3:]}": (STARTER / name).read_text()
                for number, name in enumerate(reversed(FILES))})
            self.assertAllPass()

    def test_every_recipe_of_the_cookbook_can_come_first_and_all_together_can_come_last(self):
        self.assertGreater(len(RECIPES), 20)
        for number, text in RECIPES:
            with self.subTest(number):
                (self.rules / "05-own.yaml").write_text(text)
                self.assertAllPass()
        (self.rules / "05-own.yaml").unlink()
        for number, text in RECIPES:
            (self.rules / f"95-own-{number}.yaml").write_text(text)
        self.assertAllPass()

    def test_the_rule_files_of_the_documents_can_be_added(self):
        blocks = [block for page in (REPOSITORY / "docs").glob("*.md") if page.name != "cookbook.md"
                  for block in re.findall(r"^```yaml\n(rules-version:.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)]
        self.assertGreater(len(blocks), 1)
        (self.place.root / "lists").mkdir(exist_ok=True)
        for block in blocks:
            (self.rules / "95-own.yaml").write_text(block.replace("accounts: [work] ", "#"))
            self.assertAllPass()

    def test_imported_filters_can_come_first_or_last_whichever_starter_file_is_left_out(self):
        for source in sorted(FILTERS.iterdir()):
            for name in ("05", "95"):
                out = self.rules / f"{name}-{source.stem}.yaml"
                self.check(self.place.opus("rules", "import", source, "--out", out))
                self.assertAllPass()
        for name in FILES:
            (self.rules / name).unlink()
            self.assertAllPass()

    def test_another_file_that_changes_the_outcome_is_a_warning_that_names_both_rules(self):
        (self.rules / "05-own.yaml").write_text(OWN)
        self.assertAllPass(warns=True)
        found = self.check(self.place.opus("rules", "check", "--json")).json["items"]
        words = [(item["code"], item["severity"], item["message"]) for item in found]
        self.assertTrue(any(
            code == "R090" and severity == "warning" and "'invoice-to-pay'" in text
            and "'every-bill' (rules/05-own.yaml:4)" in text for code, severity, text in words), words)
        items = self.check(self.place.opus("rules", "test", "--json", "--only", "comes back on Saturday")).json["items"]
        self.assertTrue(items[0]["passed"])
        self.assertEqual((items[0]["beside"]["rule"], items[0]["beside"]["other"]), ("newsletter-on-saturday", "every-bill"))

    def test_a_test_that_its_own_file_fails_still_stops_everything(self):
        (self.rules / "05-own.yaml").write_text(OWN.replace("rule: from-bob", "rule: every-bill"))
        self.check(self.place.opus("rules", "test"), 1, "1 failed")
        self.check(self.place.opus("triage", "--yes"), 65, "one rule test fails, so nothing is triaged")

    def test_a_file_of_tests_alone_asks_about_all_rules(self):
        tests = "rules-version: 1\ntests:\n  - { name: Bob stays, mail: { from: bob@acme.example }, expect: { disposition: keep } }\n"
        (self.rules / "99-all.yaml").write_text(tests)
        self.assertAllPass()
        (self.rules / "05-own.yaml").write_text(OWN)
        self.check(self.place.opus("rules", "test"), 1, "Bob stays")

    def test_a_test_that_passes_only_beside_another_file_passes_with_a_warning(self):
        text = OWN + "  - { name: a code, mail: { from: no-reply@x.example, subject: Hello }, expect: { disposition: archive } }\n"
        (self.rules / "05-own.yaml").write_text(text)
        self.check(self.assertAllPass(), 0, "warning[R091]", "'notification-put-away'")
        shutil.move(self.rules / "60-notifications.yaml", self.place.root)
        self.check(self.place.opus("rules", "test"), 1, "a code")


@on_both
class OwnRulesBesideTheStarterRules:
    def test_triage_works_with_both(self):
        box = self.new_box()
        box.add("INBOX", letter("Can you do it by Friday?", sender="bob@acme.example", name="bob"))
        box.add("INBOX", letter("Your receipt for order 7", sender="orders@books.example", name="receipt"))
        box.add("INBOX", letter("Lunch?", sender="eve@acme.example", name="lunch"))
        place = self.new_place(box, STARTER)
        (place.root / "rules" / "95-own.yaml").write_text(OWN)
        for number, text in RECIPES:
            (place.root / "rules" / f"96-{number}.yaml").write_text(text)
        self.check(place.opus("run", "--yes"))
        self.assertPlaces(box, {"bob": "Trash", "receipt": "Archive", "lunch": "INBOX"})
