"""The cookbook: every recipe is a whole rule file that checks without a warning, and whose tests pass."""
import re
import unittest

from workplace import REPOSITORY, Case

RECIPES = re.findall(r"^## (\d+\. [^\n]+)\n.*?^```yaml\n(.*?)^```", (REPOSITORY / "docs" / "cookbook.md").read_text(),
                     re.MULTILINE | re.DOTALL)


class Cookbook(Case):
    kind = "maildir"

    def test_there_are_at_least_twenty_five_recipes_numbered_in_order(self):
        self.assertGreaterEqual(len(RECIPES), 25)
        self.assertEqual([name.split(".")[0] for name, _ in RECIPES], [str(n + 1) for n in range(len(RECIPES))])

    def test_each_recipe_checks_and_its_tests_pass(self):
        place = self.new_place(self.new_box())
        for name, text in RECIPES:
            with self.subTest(name):
                place.write_rules(text)
                checked = self.check(place.opus("rules", "check"))
                self.assertRegex(checked.out, r"^1 file, \d+ rules?, \d+ tests: no errors\n$")
                tested = self.check(place.opus("rules", "test"))
                self.assertRegex(tested.out.splitlines()[-1], r"^([2-9]|\d\d) passed, 0 failed$")


if __name__ == "__main__":
    unittest.main()
