"""The JSON Schema of rule files, used by another program: what checks fits it, and what does not fit is refused."""
import copy
import json
import os
import subprocess
import unittest
from pathlib import Path

import jsonschema
import yaml

REPOSITORY = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("OPUS", REPOSITORY / ".build" / "debug" / "opus")).resolve()
SCHEMA = REPOSITORY / "docs" / "schema" / "rules-1.json"


class Loader(yaml.SafeLoader):
    """Reads scalars as editors do (YAML 1.2): only true and false are not text; dates are text."""


Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in resolvers if tag not in
             ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:bool")]
    for letter, resolvers in copy.deepcopy(yaml.SafeLoader.yaml_implicit_resolvers).items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", __import__("re").compile(r"^(?:true|false)$"), list("tf"))


def rule(when="{ from: ana }", then="archive", more=""):
    return yaml.load(f"rules-version: 1\nrules:\n  - id: r\n    when: {when}\n    then: {then}\n{more}", Loader)


class Schema(unittest.TestCase):
    def setUp(self):
        self.validator = jsonschema.Draft7Validator(json.loads(SCHEMA.read_text()))

    def errors(self, document):
        return [f"{list(e.absolute_path)}: {e.message[:200]}" for e in self.validator.iter_errors(document)]

    def test_the_schema_is_a_valid_draft_7_schema(self):
        jsonschema.Draft7Validator.check_schema(self.validator.schema)

    def test_the_command_prints_the_file_of_the_repository(self):
        done = subprocess.run([PROGRAM, "rules", "schema"], stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(done.stdout, SCHEMA.read_text())

    def test_every_rule_file_of_the_repository_fits(self):
        files = sorted([*(REPOSITORY / "rules").glob("*.yaml"), *(REPOSITORY / "Tests" / "Scenarios").glob("*/rules/*.yaml")])
        self.assertGreater(len(files), 10)
        for path in files:
            with self.subTest(path=str(path)):
                self.assertEqual(self.errors(yaml.load(path.read_text(), Loader)), [])

    def test_the_examples_of_the_page_fit(self):
        blocks = (REPOSITORY / "docs" / "rules.md").read_text().split("```yaml\n")[1:]
        self.assertGreater(len(blocks), 1)
        for block in blocks:
            self.assertEqual(self.errors(yaml.load(block.split("```")[0], Loader)), [])

    def test_mistakes_are_found_at_their_place(self):
        for wrong in (
            rule(when="{ form: ana }"), rule(when="{ thread: unanswerd }"), rule(when="{ 'auth:dmarc': good }"),
            rule(when="[a, b]"), rule(then="archiv"), rule(then="{ task: { tilte: x } }"), rule(then="{ mark: seen }"),
            rule(then="{ delegate: { note: x } }"), rule(then="{ reply: { text: x, send: later } }"),
            rule(more="    stopp: true\n"), {"rules-version": 2}, {"rules": []},
        ):
            self.assertNotEqual(self.errors(wrong), [], wrong)

    def test_rules_with_the_forms_of_the_table_are_valid(self):
        for right in (
            rule(when="{ thread: [unanswered, i-replied], 'header:X-A': '*', 'auth:dmarc': pass }"),
            rule(when="{ 'thread:has': { from: [ana, bob] }, not: 'is:read', size: '>2M' }"),
            rule(then="[waiting, notify, unsubscribe, { reply: hi }, { waiting: { follow-up: 3d } }, { label: [a, b] }]"),
            rule(when="'*'", then="[{ defer: { until: friday } }]"),
        ):
            self.assertEqual(self.errors(right), [])


if __name__ == "__main__":
    unittest.main()
